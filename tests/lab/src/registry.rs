//! The table of experiments: one line each, in the order of `lab list` and of a group's run.

use crate::ccd_queries;
use crate::contact;
use crate::experiment::Experiment;
use crate::feel;
use crate::kinetic;
use crate::rays;
use crate::redon;
use crate::registration;
use crate::skin;

/// All experiments.
pub const EXPERIMENTS: &[Experiment] = &[
    ccd_queries::EXPERIMENT,
    contact::pile::EXPERIMENT,
    redon::e1::EXPERIMENT,
    redon::e2::EXPERIMENT,
    redon::e3::EXPERIMENT,
    redon::e4::EXPERIMENT,
    redon::e5::EXPERIMENT,
    redon::e6::PRE_TESTS,
    redon::e6::SUBDIVISION,
    redon::e6::PASSING,
    redon::e6::AXES,
    redon::e10::EXPERIMENT,
    redon::e11::EXPERIMENT,
    redon::e12::EXPERIMENT,
    redon::e13::CULLING,
    redon::e13::CONES,
    redon::e15::SIZES,
    redon::e15::TIMES,
    redon::e17::EXPERIMENT,
    redon::e18::EXPERIMENT,
    redon::e19::BUNNY,
    redon::e19::SHELL,
    redon::e20::DOOR,
    redon::e20::MOTOR,
    redon::e20::PYLON,
    redon::e23::EXPERIMENT,
    redon::e24::PIPE,
    redon::e26::EXPERIMENT,
    redon::e27::EXPERIMENT,
    redon::e28::EXPERIMENT,
    redon::e24::MOTOR,
    redon::e30::EXPERIMENT,
    rays::pipeline::EXPERIMENT,
    rays::workload::EXPERIMENT,
    rays::cost::EXPERIMENT,
    rays::direction::EXPERIMENT,
    rays::reprojection::EXPERIMENT,
    rays::inversions::EXPERIMENT,
    rays::cloth::EXPERIMENT,
    rays::iterative::EXPERIMENT,
    rays::iterative::ONE_BY_ONE,
    rays::gimpact::EXPERIMENT,
    rays::predictions::EXPERIMENT,
    rays::predictions::ONE_BY_ONE,
    rays::measures::EXPERIMENT,
    rays::clusters::EXPERIMENT,
    rays::crowd::EXPERIMENT,
    registration::e2::EXPERIMENT,
    registration::e3::EXPERIMENT,
    registration::e4::EXPERIMENT,
    registration::e5::EXPERIMENT,
    registration::e6::EXPERIMENT,
    registration::e7::EXPERIMENT,
    registration::e8::EXPERIMENT,
    registration::e11::EXPERIMENT,
    registration::pairs::EXPERIMENT,
    skin::potentials::EXPERIMENT,
    skin::drops::TIME,
    skin::drops::TRIANGLES,
    skin::drops::RESOLUTION,
    skin::hashed::EXPERIMENT,
    skin::scan::EXPERIMENT,
    skin::control::EXPERIMENT,
    skin::modes::EXPERIMENT,
    skin::figures::EXPERIMENT,
    skin::preview::EXPERIMENT,
    skin::peers::EXPERIMENT,
    skin::gpu::EXPERIMENT,
    kinetic::sorted::EXPERIMENT,
    kinetic::hull::EXPERIMENT,
    kinetic::polygons::EXPERIMENT,
    kinetic::brute::EXPERIMENT,
    kinetic::gravity::EXPERIMENT,
    kinetic::sap::EXPERIMENT,
    registration::needle::EXPERIMENT,
    feel::zwidth::EXPERIMENT,
    feel::oscillation::EXPERIMENT,
    feel::presses::EXPERIMENT,
    feel::fidelity::EXPERIMENT,
    feel::wrench::EXPERIMENT,
    feel::friction::EXPERIMENT,
    feel::impact::EXPERIMENT,
    feel::air::EXPERIMENT,
    feel::energy::EXPERIMENT,
    feel::peers::EXPERIMENT,
    feel::latency::EXPERIMENT,
];

/// Experiments into which a fault can be planted (`lab run ID --mutant`), and the fault: it is in
/// the experiment's own set-up, never in the product. With it an experiment must fall short.
const FAULTS: &[(&str, &str)] = &[
    ("feel-zwidth", "the spring is a tick later than declared"),
    ("feel-oscillation", "the governor lets everything through"),
    (
        "feel-passivity",
        "the spring is 1.2 times as stiff as the bound",
    ),
    (
        "feel-fidelity",
        "springs 2 % too stiff, shaded spheres felt as meshes, a shading without potential",
    ),
    ("feel-wrench", "torque 2 % too large"),
    (
        "feel-friction",
        "the coefficient is 1 % larger than said, or 0.01",
    ),
    ("feel-impact", "the spring is a tick later than declared"),
    ("feel-air", "the damper acts on the hand's own speed"),
    (
        "feel-energy",
        "the arm has a third of the damping and friction that it declares",
    ),
    ("feel-peers", "the sphere is felt as its mesh"),
    ("feel-latency", "samples are stamped a period too early"),
];

/// Returns the fault that can be planted into an experiment.
pub fn fault(id: &str) -> Option<&'static str> {
    let found = FAULTS.iter().find(|(of, _)| *of == id);
    found.map(|(_, fault)| *fault)
}

/// Returns the experiments that an ID selects: one, for `group-all` all with an ID that starts with
/// `group-`, for `all` every one.
pub fn select(all: &[Experiment], id: &str) -> Result<Vec<Experiment>, String> {
    let exact = all.iter().filter(|e| e.id == id);
    let group = id
        .strip_suffix("all")
        .filter(|prefix| prefix.ends_with('-'));
    let chosen: Vec<_> = match group {
        None if id == "all" => all.to_vec(),
        Some(prefix) => all
            .iter()
            .filter(|e| e.id.starts_with(prefix))
            .copied()
            .collect(),
        None => exact.copied().collect(),
    };
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let nearest = all
        .iter()
        .map(|e| (strsim::jaro_winkler(e.id, id), e.id))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    Err(match nearest {
        Some((_, near)) => format!("no experiment '{id}'; did you mean '{near}'?"),
        None => format!("no experiment '{id}'; `lab list` names them"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Failure, Judges, Report};

    fn none(_: &crate::experiment::Context) -> Result<Report, Failure> {
        Err(Failure::Run("not to be run".into()))
    }

    const fn named(id: &'static str) -> Experiment {
        Experiment {
            id,
            title: "",
            judges: Judges::Time,
            run: none,
        }
    }

    const SOME: &[Experiment] = &[named("redon-e1"), named("rays-t1"), named("redon-e2")];

    fn ids(id: &str) -> Result<Vec<&'static str>, String> {
        select(SOME, id).map(|chosen| chosen.iter().map(|e| e.id).collect())
    }

    #[test]
    fn an_id_selects_itself_and_a_group_its_members_in_order() {
        assert_eq!(ids("all").map(|all| all.len()), Ok(SOME.len()));
        assert_eq!(ids("redon-e2"), Ok(vec!["redon-e2"]));
        assert_eq!(ids("redon-all"), Ok(vec!["redon-e1", "redon-e2"]));
    }

    #[test]
    fn an_unknown_id_is_an_error_that_names_the_nearest() {
        assert!(
            ids("redon-e3")
                .unwrap_err()
                .contains("did you mean 'redon-e")
        );
        assert!(ids("skin-all").is_err());
        assert!(ids("").is_err());
    }

    #[test]
    fn ids_are_unique_lower_case_and_none_is_a_group() {
        for (i, e) in EXPERIMENTS.iter().enumerate() {
            assert!(
                EXPERIMENTS[..i].iter().all(|other| other.id != e.id),
                "{} twice",
                e.id
            );
            assert!(
                !e.id.ends_with("-all") && e.id == e.id.to_lowercase(),
                "{}",
                e.id
            );
            assert!(e.id.contains('-') && !e.title.is_empty(), "{}", e.id);
        }
    }
}
