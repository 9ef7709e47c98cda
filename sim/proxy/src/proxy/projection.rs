//! Projection of a round's wanted motion on the contacts, and what follows from it: pushes on
//! bodies, materials that hold the tool, contacts to report.
//!
//! Real-time callable: no allocation, no blocking, work bounded by [`super::MAX_ROWS`].

use hapticd_gauss::coulomb::FrictionSolution;
use hapticd_gauss::{Motion, Projection, Row, Status};
use hapticd_geometry::Vec3;

use super::Proxy;
use super::planes::{Aim, Planes};
use crate::bodies::BodyTable;
use crate::contact::{Contact, MAX_CONTACTS};
use crate::coupling::Touched;
use crate::outcome::ArmOutcome;

impl Proxy {
    /// Projects the pull of the coupling on the rows of the present contacts (Gauss). Returns the
    /// motion and the number of rows. If no row acts on pull or screw, the motion is the screw that
    /// leads to the goal. Both are shares of those of `aim`.
    pub(super) fn project(
        &mut self,
        [pull, screw]: &[Motion; 2],
        aim: &Aim,
        bodies: &BodyTable,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) -> (Motion, usize) {
        let planes = self.planes(&aim.centre, bodies);
        let (rigid, count) = (planes.rigid, planes.count);
        let mut rub = self.rub;
        let Some(solution) = self.solve(&planes, pull, aim.gyration_m2, &mut rub) else {
            return (Motion::zeros(), count);
        };
        self.rub = rub;
        let projection = &solution.projection;
        self.collect_pushes(&planes, &solution, touched);
        self.collect_idle(&planes, projection, touched);
        self.report_rigid(&planes, projection, out, touched);
        self.remember_soft(count - rigid, |k| projection.multiplier(rigid + k));
        for k in rigid..count {
            self.moved_by = true;
            self.report_soft(k, rigid, projection.multiplier(k) > 0.0, out, touched);
        }
        // Decided by active rows and not by comparing motions: the projection returns its input
        // with rounding.
        let leads = |row: &Row| row.slack(screw) >= 0.0;
        let acts = !projection.active().is_empty() || !solution.grips().is_empty();
        let optimal = projection.status == Status::Optimal;
        let is_free = optimal && !acts && planes.rows[..count].iter().all(leads);
        (if is_free { *screw } else { projection.motion }, count)
    }

    /// Collects what the contacts push: for the coupling, the part of the stretch that each
    /// material holds; for the bodies, the loads of this tick.
    fn collect_pushes(
        &mut self,
        planes: &Planes,
        solution: &FrictionSolution,
        touched: &mut Touched,
    ) {
        self.load_count = 0;
        touched.clear_contacts();
        let (rows, order, rigid) = (&planes.rows, &planes.order, planes.rigid);
        touched.hold_all(solution, rows, |row| self.stiffness_of(order, rigid, row));
        let active = solution.projection.active().iter();
        let normal = active.map(|a| (a.row, rows[a.row].normal * a.multiplier));
        let pushes = normal.chain(solution.grips().iter().copied());
        // A soft surface gets its push from its own simulation.
        for (row, push) in pushes.filter(|(row, _)| *row < rigid) {
            let c = &self.candidates[order[row] as usize];
            if let Some(load) = self.loads.get_mut(self.load_count) {
                *load = (
                    self.near[c.body_index as usize].entry.key,
                    c.body_point,
                    push,
                );
                self.load_count += 1;
            }
        }
    }

    /// Collects contacts that held nothing: they may limit how far a soft material gives way.
    /// Stands after [`Self::collect_pushes`], as [`Touched::near`] requires.
    fn collect_idle(&self, planes: &Planes, projection: &Projection, touched: &mut Touched) {
        for (k, row) in planes.rows[..planes.count].iter().enumerate() {
            if !(projection.multiplier(k) > 0.0)
                && let Some(stiffness) = self.stiffness_of(&planes.order, planes.rigid, k)
            {
                let gap_m = row.slack(&projection.motion);
                touched.from_row(k);
                touched.near(stiffness, &row.normal, &row.arm, gap_m);
            }
        }
    }

    /// Reports the rigid contacts, nearest first, and notes which of them hold the tool.
    fn report_rigid(
        &mut self,
        planes: &Planes,
        projection: &Projection,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) {
        let (order, gaps) = (&planes.order, &planes.gaps);
        out.contact_count = 0;
        self.holding.clear();
        self.rows.clear();
        for k in 0..planes.rigid {
            let active = projection.multiplier(k) > 0.0;
            if active {
                self.holding.push(order[k]);
            }
            let c = &self.candidates[order[k] as usize];
            let near = &self.near[c.body_index as usize];
            // Something that presses this tool need not hold it back in this tick.
            let near_enough = active || gaps[k] < self.distances.release_m;
            self.moved_by |= near_enough && !near.entry.fixed;
            if active {
                let m = near.entry.material;
                touched.touch(m.stiffness_n_per_m, m.damping_n_s_per_m);
            }
            let contact = Contact {
                point: c.body_point + c.normal * near.entry.radius_m,
                normal: c.normal,
                gap_m: gaps[k],
                body: near.entry.id,
                active,
                force_n: Vec3::zeros(),
                row: k as u8,
            };
            self.rows.push(contact);
            if out.contact_count < MAX_CONTACTS && near_enough {
                out.contacts[out.contact_count] = contact;
                out.contact_count += 1;
            }
        }
    }
}
