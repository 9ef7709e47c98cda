//! Reads the whole profile from its text, and checks its parts against each other.

use toml::de::DeTable;

use super::error::Problem;
use super::section::{Allow, Problems, Section};
use super::{FixedReport, Match, Profile, ProfileErrors, ReportKind, read_kinematics, read_layout};
use crate::arm::{ArmSpec, MAX_AXES, Vec3, Workspace};
use crate::codec::{Codec, OutputKind};
use crate::kinematics::AxisUnit;
use crate::velocity::VelocityWindows;

/// Longest period, delay or window that makes sense for an arm, ns.
const MAX_TIME_NS: f64 = 10e9;

pub(super) fn profile(source_name: &str, text: &str) -> Result<Profile, ProfileErrors> {
    let problems = Problems::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        problems.add(error.span().unwrap_or(0..0), error.message());
    }
    // A text that the parser had to repair would only cause further complaints.
    let profile = if errors.is_empty() {
        let root = Section::root(&table, &problems);
        read(&root, &problems).filter(|_| problems.count() == 0)
    } else {
        None
    };
    match profile {
        Some(profile) => Ok(profile),
        None => {
            let mut problems = problems.into_sorted();
            if problems.is_empty() {
                problems.push(Problem {
                    span: 0..0,
                    message: "the profile cannot be used".into(),
                });
            }
            Err(ProfileErrors {
                source_name: source_name.into(),
                text: text.into(),
                problems,
            })
        }
    }
}

fn read(root: &Section<'_>, problems: &Problems) -> Option<Profile> {
    let identity = root.table("identity", true);
    let name = identity.text("name").to_owned();
    let matches = matches(&identity);
    identity.close();

    let quirks = root.table("quirks", false);
    let silent_at_rest = quirks.boolean_or("silent_at_rest", false);
    let reports = read_layout::reports(root, &quirks, problems);
    quirks.close();

    let limits = root.table("limits", true);
    let mechanics = root.table("mechanics", root.has("output"));
    let timing = root.table("timing", true);
    let kinematics = root.table("kinematics", true);
    let geometry = read_kinematics::geometry(&kinematics);

    let wire = reports.and_then(|reports| {
        let codec = read_layout::codec(&reports, problems)?;
        Some(Wire { codec, reports })
    });
    if let (Some(Wire { codec, reports }), Some(geometry)) = (&wire, &geometry) {
        read_layout::check_axes(reports, codec, geometry, &kinematics, problems);
    }
    let has_force = wire.as_ref().map(|wire| wire.codec.axes_out() != 0);
    let has_rotation = geometry.as_ref().map(|geometry| geometry.has_rotation);
    let sections = SpecSections {
        limits: &limits,
        mechanics: &mechanics,
        timing: &timing,
    };
    let spec = spec(name, has_force, has_rotation, &sections);
    let windows = VelocityWindows {
        linear_ns: time(
            &timing,
            "linear_velocity_window_ms",
            Some(15.0),
            1e6,
            Allow::Positive,
        ),
        angular_ns: time(
            &timing,
            "angular_velocity_window_ms",
            Some(30.0),
            1e6,
            Allow::Positive,
        ),
    };
    let (start, stop) = (fixed_reports(root, "start"), fixed_reports(root, "stop"));
    if let (Some(wire), Some(geometry)) = (&wire, &geometry)
        && geometry.efforts_are_the_wrench
    {
        wire.check_effort_range(&spec, &geometry.effort_units, &limits, problems);
    }
    for section in [&kinematics, &limits, &mechanics, &timing, root] {
        section.close();
    }

    let Wire { codec, .. } = wire?;
    let geometry = geometry?;
    Some(Profile {
        matches,
        spec: ArmSpec {
            degrees_in: codec.axes_in().count_ones() as u8,
            degrees_out: codec.axes_out().count_ones() as u8,
            ..spec
        },
        codec,
        model: geometry.model,
        windows,
        silent_at_rest,
        start,
        stop,
    })
}

fn matches(identity: &Section<'_>) -> Vec<Match> {
    let sections = identity.tables("match");
    if sections.is_empty() {
        identity.add_problem("match", "[identity] needs at least one [[identity.match]]");
    }
    let one = |section: Section<'_>| {
        let word = |key| section.optional_integer(key, 0..=0xFFFF).map(|x| x as u16);
        let found = Match {
            vendor_id: section.integer("vendor_id", 0..=0xFFFF) as u16,
            product_id: word("product_id"),
            usage_page: word("usage_page"),
            usage: word("usage"),
            interface: section
                .optional_integer("interface", 0..=255)
                .map(|x| x as u8),
        };
        section.close();
        found
    };
    sections.into_iter().map(one).collect()
}

fn fixed_reports(root: &Section<'_>, key: &'static str) -> Vec<FixedReport> {
    let one = |section: Section<'_>| {
        let kinds = [
            ("output", ReportKind::Output),
            ("feature", ReportKind::Feature),
        ];
        let report = FixedReport {
            kind: section.choice("kind", &kinds),
            bytes: section.bytes("bytes", true),
        };
        if section.has("bytes")
            && !(1..=crate::codec::MAX_REPORT_BYTES + 1).contains(&report.bytes.len())
        {
            section.add_problem(
                "bytes",
                "a report has at least its id and at most 1024 bytes after it",
            );
        }
        section.close();
        report
    };
    root.tables(key).into_iter().map(one).collect()
}

/// Reads a time in nanoseconds from a key in a larger unit.
fn time(
    section: &Section<'_>,
    key: &'static str,
    default: Option<f64>,
    unit_ns: f64,
    allow: Allow,
) -> u64 {
    let value = match default {
        Some(default) => section.number_or(key, default, allow),
        None => section.number(key, allow),
    };
    if value * unit_ns > MAX_TIME_NS {
        section.add_problem(key, format!("`{key}` is longer than 10 s"));
    }
    (value * unit_ns).min(MAX_TIME_NS).round() as u64
}

/// Reads keys that only some arms have.
struct Applicable<'a> {
    section: &'a Section<'a>,
    /// `None` if another mistake leaves it unknown.
    applies: Option<bool>,
    reason: &'static str,
}

impl Applicable<'_> {
    fn number(&self, key: &'static str, allow: Allow) -> f64 {
        match self.applies {
            Some(true) => return self.section.number(key, allow),
            Some(false) if self.section.has(key) => {
                let message = format!("`{key}` does not apply: {}", self.reason);
                self.section.add_problem(key, message);
            }
            // A key that was asked for is a known key.
            _ => drop(self.section.has(key)),
        }
        0.0
    }
}

/// Sections that make up the specification.
struct SpecSections<'a> {
    limits: &'a Section<'a>,
    mechanics: &'a Section<'a>,
    timing: &'a Section<'a>,
}

/// Reads the specification, except the degrees of freedom, which follow from the reports.
fn spec(
    name: String,
    has_force: Option<bool>,
    has_rotation: Option<bool>,
    sections: &SpecSections<'_>,
) -> ArmSpec {
    let &SpecSections {
        limits,
        mechanics,
        timing,
    } = sections;
    use Allow::{NotNegative, Positive};
    let torque = limits.number_or("peak_torque_nm", 0.0, NotNegative);
    let has_torque = has_force.map(|has_force| has_force && torque > 0.0);
    if torque > 0.0 && has_force == Some(false) {
        limits.add_problem(
            "peak_torque_nm",
            "`peak_torque_nm` does not apply: the arm has no motors",
        );
    } else if torque > 0.0 && has_rotation == Some(false) {
        limits.add_problem(
            "peak_torque_nm",
            "an arm that measures no rotation cannot have torque: its work is unknown",
        );
    }
    let force = |section| Applicable {
        section,
        applies: has_force,
        reason: "the arm has no motors",
    };
    let turning = |section| Applicable {
        section,
        applies: has_torque,
        reason: "the arm has no torque",
    };
    let rotation = Applicable {
        section: limits,
        applies: has_rotation,
        reason: "the arm's rotation is not measured",
    };
    let spec = ArmSpec {
        name,
        degrees_in: 0,
        degrees_out: 0,
        has_rotation: has_rotation == Some(true),
        has_torque: has_torque == Some(true),
        peak_force_n: force(limits).number("peak_force_n", Positive),
        continuous_force_n: force(limits).number("continuous_force_n", Positive),
        peak_torque_nm: torque,
        continuous_torque_nm: turning(limits).number("continuous_torque_nm", Positive),
        max_force_slew_n_per_s: force(limits).number("max_force_slew_n_per_s", Positive),
        max_torque_slew_nm_per_s: turning(limits).number("max_torque_slew_nm_per_s", Positive),
        max_velocity_m_s: limits.number("max_velocity_m_s", Positive),
        max_angular_velocity_rad_s: rotation.number("max_angular_velocity_rad_s", Positive),
        workspace: Workspace {
            center: Vec3::from(limits.lengths("workspace_center_m", Some([0.0; 3]), Allow::Any)),
            half_extents: Vec3::from(limits.lengths("workspace_half_extents_m", None, Positive)),
        },
        native_period_ns: time(timing, "native_period_us", None, 1e3, Positive),
        transport_delay_ns: time(timing, "transport_delay_us", Some(0.0), 1e3, NotNegative),
        mass_kg: force(mechanics).number("mass_kg", Positive),
        damping_n_s_per_m: force(mechanics).number("damping_n_s_per_m", NotNegative),
        coulomb_friction_n: force(mechanics).number("coulomb_friction_n", NotNegative),
        resolution_m: force(mechanics).number("resolution_m", Positive),
        inertia_kg_m2: turning(mechanics).number("inertia_kg_m2", Positive),
        angular_damping_nm_s_per_rad: turning(mechanics)
            .number("angular_damping_nm_s_per_rad", NotNegative),
        angular_coulomb_friction_nm: turning(mechanics)
            .number("angular_coulomb_friction_nm", NotNegative),
        resolution_rad: turning(mechanics).number("resolution_rad", Positive),
    };
    for (what, peak, continuous) in [
        (
            "continuous_force_n",
            spec.peak_force_n,
            spec.continuous_force_n,
        ),
        (
            "continuous_torque_nm",
            spec.peak_torque_nm,
            spec.continuous_torque_nm,
        ),
    ] {
        if continuous > peak && has_force.is_some() {
            limits.add_problem(
                what,
                format!("`{what}` is {continuous}, more than the peak of {peak}"),
            );
        }
    }
    spec
}

/// The codec, and the reports in the profile that it was made of.
struct Wire {
    codec: Codec,
    reports: read_layout::Reports,
}

impl Wire {
    /// Checks, where efforts are the wrench itself, that every field can hold the peak.
    fn check_effort_range(
        &self,
        spec: &ArmSpec,
        units: &[AxisUnit],
        limits: &Section<'_>,
        problems: &Problems,
    ) {
        for (i, report) in self.codec.layout().outputs.iter().enumerate() {
            for (j, field) in report.fields.iter().enumerate() {
                let OutputKind::Effort(axis) = field.kind else {
                    continue;
                };
                let force = units.get(usize::from(axis).min(MAX_AXES)) == Some(&AxisUnit::Metre);
                let (peak, unit) = if force {
                    (spec.peak_force_n, "N")
                } else {
                    (spec.peak_torque_nm, "N*m")
                };
                let ends = [field.min, field.max]
                    .map(|end| ((end as f64 - field.offset) / field.scale).abs());
                let reach = ends[0].min(ends[1]);
                if reach < peak
                    && limits.has(if force {
                        "peak_force_n"
                    } else {
                        "peak_torque_nm"
                    })
                {
                    problems.add(
                        self.reports.output_span(i, j),
                        format!("this field reaches only {reach:.4} {unit}, less than the peak of {peak} {unit} in [limits]"),
                    );
                }
            }
        }
    }
}
