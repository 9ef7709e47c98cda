//! `[[arm]]`: haptic devices, real and simulated.

use hapticd_choices::Damping;

use crate::field::{NameOrPath, choice, flatten, table};
use crate::key::Literal::Text;
use crate::key::{integer, name, name_or_path, number, text};
use crate::macros::{section, variants};
use crate::schema::{Hand, Mechanics, Placement, Shape};

/// Names of the intentions that ship with the daemon.
pub const INTENTIONS: &[&str] = &[
    "rest", "press", "explore", "circle", "assemble", "palpate", "insert", "wander",
];

/// Reason given when a real arm asks for a forced coupling.
const FORCED: &str = "a real arm keeps what its damping, friction and delay allow, \
    only kind = \"simulated\" can be forced past it";

variants! {
    /// Kind of the arm.
    pub enum Device by "kind" = choice::<Device>("simulated").required(Text("simulated")); {
        /// A real device on the HID bus.
        Hid as "hid" {
            /// How to read and drive the device: the name of a profile that ships with the daemon,
            /// or the path of a profile file.
            profile: NameOrPath = name_or_path(&[]).required(Text("generic-vendor-3dof")),
            /// Accept only the device with this serial number.
            serial: Option<String> = text(126).optional(Text("A1B2C3")),
            /// Accept only the device on this USB port. For devices without a serial number.
            port_path: Option<String> = text(126).optional(Text("1-2.3")),
        },
        /// A simulated arm, held by a simulated hand. Needs no device.
        Simulated as "simulated" {
            /// What the hand wants: the name of an intention that ships with the daemon, or the
            /// path of an intention file.
            intention: NameOrPath = name_or_path(INTENTIONS).required(Text("explore")),
            /// For experiments: stiffness of the coupling, even above `max_stiffness_n_per_m` and
            /// above what "auto" finds passive. The arm may oscillate. A softer material stays
            /// soft, and the governor's limits hold. A real arm refuses this key.
            forced_stiffness_n_per_m: Option<f64> = number(1000.0, 1.0, 100_000.0)
                .unit("N/m").or_word("none").refused_elsewhere(FORCED),
            /// For experiments: damping of the coupling, whatever the arm's own damping allows. A
            /// real arm refuses this key.
            forced_damping_n_s_per_m: Option<f64> = number(0.5, 0.0, 1000.0)
                .unit("N s/m").or_word("none").refused_elsewhere(FORCED),
            /// Mechanics of the simulated arm.
            mechanics: Mechanics = table::<Mechanics>(),
            /// Mechanics of the hand that holds it.
            hand: Hand = table::<Hand>(),
        },
    }
}

variants! {
    /// How the tool follows the hand.
    pub enum Interaction by "metaphor" = choice::<Interaction>("spring"); {
        /// A spring pulls the tool to the pose of the hand.
        Spring as "spring" {
            /// Mass of the tool. "none": the tool has no inertia and moves within the tick as far
            /// as contacts allow; suits fitting parts together.
            tool_mass_kg: Option<f64> = number(0.2, 0.001, 100.0).unit("kg").or_word("none"),
            /// Velocity that the damper of the coupling acts on.
            damping: Damping = choice::<Damping>("relative"),
        },
        /// Each displacement of the hand moves the tool; what a contact blocks is lost. No force is
        /// rendered: for devices without motors.
        Increments as "increments" {},
    }
}

section! {
    /// The arms. Each moves one tool in the scene.
    pub struct Arm {
        /// Name that clients use. Unique.
        name: String = name().required(Text("right")),
        /// Kind of the arm, and the keys of that kind.
        device: Device = flatten::<Device>(),
        /// Rigid shape that the arm moves in the scene.
        tool: Shape = table::<Shape>().required(Text("sphere")),
        /// Pose of the arm's base in the world.
        world_from_base: Placement = table::<Placement>(),
        /// Tool motion in the world over hand motion at the device, m/m. Gains, limits and
        /// `max_stiffness_n_per_m` are in device metres.
        motion_scale: f64 = number(1.0, 0.01, 100.0),
        /// Upper bound of the stiffness that the arm renders. "auto" computes it from the arm's
        /// damping, friction, resolution and delay, so that the arm stays passive.
        max_stiffness_n_per_m: Option<f64> = number(1000.0, 1.0, 100_000.0).unit("N/m").or_word("auto"),
        /// Factor by which the coupling may be stiffer than "auto" where damping is the bound. For
        /// a technician who knows the hands. Above 1 the arm is passive only with the damping of
        /// the hand, which no sensor measures; the passivity controller lowers the gain when energy
        /// flows into the hand.
        auto_factor: f64 = number(1.0, 1.0, 5.0),
        /// Button of the arm that holds the dynamic body which the tool touches, for as long as it
        /// is pressed.
        grasp_button: Option<u32> = integer(0, 0, 31).or_word("none"),
        /// Button of the arm that engages the clutch for as long as it is pressed: the hand moves
        /// without force, and the tool stands.
        clutch_button: Option<u32> = integer(1, 0, 31).or_word("none"),
        /// How the tool follows the hand.
        interaction: Interaction = table::<Interaction>(),
    }
}
