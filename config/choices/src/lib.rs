//! Choices that the configuration and the simulations share, and the macro that defines any choice.
//!
//! A choice is an enum without fields, with a word for each value and what it means. If the words
//! of a configuration key select a method of `sim`, the key's type is defined here. Both sides then
//! share one type, and `sim` does not depend on the configuration. All other choices belong to the
//! configuration.
//!
//! Pure data: nothing here allocates or fails.

#![forbid(unsafe_code)]

/// One allowed value of a choice, and its meaning.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Word in the file.
    pub name: &'static str,
    /// Meaning of the word.
    pub doc: &'static str,
}

/// A type that is one of a fixed set of words.
pub trait Choices: Sized + 'static {
    /// The words and their meaning, in the order of the documentation.
    const CHOICES: &'static [Choice];

    /// Returns the value that `name` stands for.
    fn from_name(name: &str) -> Option<Self>;

    /// Returns the word for this value.
    fn name(&self) -> &'static str;
}

/// Defines a choice: an enum with a word for each value. The doc comment of a value is also the
/// documentation of its word. Write `Name = Value` if the type has a default.
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident $(= $default:ident)? {
            $( $(#[doc = $choice_doc:literal])+ $choice:ident as $value:literal ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[doc = $choice_doc])+ $choice, )+ }

        $( impl Default for $name {
            fn default() -> Self { Self::$default }
        } )?

        impl $crate::Choices for $name {
            const CHOICES: &'static [$crate::Choice] = &[ $( $crate::Choice {
                name: $value,
                doc: concat!($($choice_doc, "\n"),+),
            } ),+ ];

            fn from_name(name: &str) -> Option<Self> {
                match name { $( $value => Some(Self::$choice), )+ _ => None }
            }

            fn name(&self) -> &'static str {
                match self { $( Self::$choice => $value, )+ }
            }
        }
    };
}

choices! {
    /// Velocity that the damper of the coupling acts on.
    pub enum Damping = Relative {
        /// Velocity of the tool relative to the hand. Free motion stays free.
        Relative as "relative",
        /// Velocity of the hand. Stabler, but the hand feels friction everywhere.
        Device as "device",
    }
}

choices! {
    /// Algorithm that finds the pairs of bodies whose bounding boxes overlap.
    pub enum BroadPhaseKind = Sweep {
        /// Sweep-and-prune along one axis; the order is kept from step to step.
        Sweep as "sweep",
        /// Kinetic sorted lists on all three axes: orders and pairs are kept and change when bounds
        /// pass each other.
        Kinetic as "kinetic",
        /// A map of space, refined where it is crowded; each cell lists what is in and around it.
        Registration as "registration",
    }
}

impl BroadPhaseKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Sweep, Self::Kinetic, Self::Registration];

    /// Returns the word for this kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        <Self as Choices>::name(&self)
    }
}

choices! {
    /// Which spheres of a body blend with each other.
    pub enum Blending = Free {
        /// All that come near each other: a coil fuses with itself.
        Free as "free",
        /// Neighbours along a strand, and drops that cohere. Others press each other flat.
        Controlled as "controlled",
        /// Neighbours along a strand, and drops that cohere. Others meet in a crease, and all is
        /// one skin. For tightly folded strands.
        Creased as "creased",
        /// As "controlled", and the surface bulges around a contact. This is seen, not felt.
        Bulging as "bulging",
    }
}
