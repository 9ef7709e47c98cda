//! `[[arm]]`: the haptic devices.

use crate::field::NameOrPath;
use crate::key::Literal::Text;
use crate::key::{choice, flatten, name, name_or_path, number, table, text};
use crate::macros::{choices, section, variants};
use crate::schema::{Hand, Mechanics, Placement, Shape};

/// Intentions that ship with the daemon.
pub(crate) const INTENTIONS: &[&str] = &[
    "rest", "press", "explore", "circle", "assemble", "palpate", "insert", "wander",
];

/// Why an arm that a person holds has no forced coupling.
const FORCED: &str = "a real arm keeps what its damping, friction and delay allow, \
    only kind = \"simulated\" can be forced past it";

variants! {
    /// What the arm is.
    pub enum Device by "kind" = choice::<Device>("simulated").required(Text("simulated")); {
        /// A device on the HID bus.
        Hid as "hid" {
            /// How to read and drive it: the name of a profile that ships with the daemon, or a
            /// file.
            profile: NameOrPath = name_or_path(&[]).required(Text("openffboard")),
            /// Only the device with this serial number.
            serial: Option<String> = text(126).optional(Text("A1B2C3")),
            /// Only the device on this USB port, for devices without a serial number.
            port_path: Option<String> = text(126).optional(Text("1-2.3")),
        },
        /// An arm made of numbers, held by a simulated hand.
        Simulated as "simulated" {
            /// What the hand wants: the name of an intention that ships with the daemon, or a file.
            intention: NameOrPath = name_or_path(INTENTIONS).required(Text("explore")),
            /// For experiments: the stiffness of the coupling, past `max_stiffness_n_per_m` and
            /// what "auto" finds passive. The arm may oscillate. A softer material is as soft as
            /// ever, and the governor's limits hold. No real arm takes it.
            forced_stiffness_n_per_m: Option<f64> = number(1000.0, 1.0, 100_000.0)
                .unit("N/m").or_word("none").refused_elsewhere(FORCED),
            /// For experiments: the damping of the coupling, whatever the arm's own would take.
            /// No real arm takes it.
            forced_damping_n_s_per_m: Option<f64> = number(0.5, 0.0, 1000.0)
                .unit("N s/m").or_word("none").refused_elsewhere(FORCED),
            /// What the simulated arm is like.
            mechanics: Mechanics = table::<Mechanics>(),
            /// What the hand is like.
            hand: Hand = table::<Hand>(),
        },
    }
}

choices! {
    /// What the damper of the coupling acts on.
    pub enum Damping {
        /// The speed of the tool relative to the hand: free motion stays free.
        Relative as "relative",
        /// The speed of the hand: stabler, and felt as friction everywhere.
        Device as "device",
    }
}

variants! {
    /// How the tool follows the hand.
    pub enum Interaction by "metaphor" = choice::<Interaction>("spring"); {
        /// A spring draws it to where the hand is.
        Spring as "spring" {
            /// Mass of the tool. "none": it has no inertia and goes where contacts let it within
            /// the tick, as suits fitting parts.
            tool_mass_kg: Option<f64> = number(0.2, 0.001, 100.0).unit("kg").or_word("none"),
            /// What the damper of the coupling acts on.
            damping: Damping = choice::<Damping>("relative"),
        },
        /// Every displacement of the hand is one of the tool; what a contact refuses is lost.
        /// Nothing is felt: for devices without force.
        Increments as "increments" {},
    }
}

section! {
    /// The arms. Each gets a tool in the scene.
    pub struct Arm {
        /// What clients call it. Unique.
        name: String = name().required(Text("right")),
        /// What the arm is, and its keys.
        device: Device = flatten::<Device>(),
        /// The rigid shape that the arm moves in the scene.
        tool: Shape = table::<Shape>().required(Text("sphere")),
        /// Where the arm's base stands in the world.
        world_from_base: Placement = table::<Placement>(),
        /// Metres in the world per metre of the device. Gains, limits and `max_stiffness_n_per_m`
        /// are the device's.
        motion_scale: f64 = number(1.0, 0.01, 100.0),
        /// Upper bound of the stiffness that the arm renders. "auto" computes it from the arm's
        /// damping, friction, resolution and delay, so that it stays passive.
        max_stiffness_n_per_m: Option<f64> = number(1000.0, 1.0, 100_000.0).unit("N/m").or_word("auto"),
        /// How much stiffer than "auto" the coupling may be, where damping is what bounds it: for a
        /// technician who knows the hands. Above 1 the arm is passive with their damping only,
        /// which no sensor sees; the passivity controller lowers the gain where a hand is given
        /// energy.
        auto_factor: f64 = number(1.0, 1.0, 5.0),
        /// How the tool follows the hand.
        interaction: Interaction = table::<Interaction>(),
    }
}
