//! The three macros that the schema is written in. From one definition, each makes the Rust type,
//! the `const` key table and the reader. The doc comment of a field is also the documentation of
//! the key.

/// Defines a table: a struct whose fields are keys. Write `field as "key"` if the key is not a Rust
/// identifier.
macro_rules! section {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident {
            $( $(#[doc = $field_doc:literal])+ $field:ident $(as $key:literal)? : $ty:ty = $spec:expr ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $( $(#[doc = $field_doc])+ pub $field: $ty, )+ }

        impl $crate::read::Tabular for $name {
            const SECTION: &'static $crate::key::Section = &$crate::key::Section {
                doc: concat!($($doc, "\n"),+),
                keys: &[ $( $spec.named(
                    $crate::macros::key_name!($field $(as $key)?),
                    concat!($($field_doc, "\n"),+),
                ) ),+ ],
                variants: None,
            };

            fn read_keys(cursor: &mut $crate::read::Cursor<'_, '_, '_>) -> Option<Self> {
                let mut keys = Self::SECTION.keys.iter();
                // Reads every field before the first missing one returns, so that all errors are
                // reported.
                $( let $field = <$ty as $crate::field::Field>::read(cursor, keys.next()?); )+
                Some(Self { $( $field: $field? ),+ })
            }
        }

        impl $crate::field::Field for $name {
            fn read(
                cursor: &mut $crate::read::Cursor<'_, '_, '_>,
                key: &'static $crate::key::Key,
            ) -> Option<Self> {
                cursor.table(key)
            }
        }
    };
}

/// Defines a table whose keys depend on a tag: an enum with one struct-like variant per value of
/// the tag.
macro_rules! variants {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident by $tag:literal = $tag_spec:expr; {
            $(
                $(#[doc = $case_doc:literal])+
                $case:ident as $value:literal {
                    $( $(#[doc = $field_doc:literal])+ $field:ident : $ty:ty = $spec:expr ),* $(,)?
                }
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name { $(
            $(#[doc = $case_doc])+
            $case { $( $(#[doc = $field_doc])+ $field: $ty, )* },
        )+ }

        impl $name {
            /// The value of the tag, as the file writes it.
            #[must_use]
            pub fn tag(&self) -> &'static str {
                match self { $( Self::$case { .. } => $value, )+ }
            }
        }

        impl $crate::field::Choices for $name {
            const CHOICES: &'static [$crate::key::Choice] = &[ $( $crate::key::Choice {
                name: $value,
                doc: concat!($($case_doc, "\n"),+),
            } ),+ ];

            // The tag alone does not determine a value of an enum that carries fields.
            fn from_name(_: &str) -> Option<Self> { None }

            fn name(&self) -> &'static str { self.tag() }
        }

        impl $crate::read::Tabular for $name {
            const SECTION: &'static $crate::key::Section = &$crate::key::Section {
                doc: concat!($($doc, "\n"),+),
                keys: &[],
                variants: Some($crate::key::Variants {
                    tag: $tag_spec.named($tag, concat!($($doc, "\n"),+)),
                    cases: &[ $( $crate::key::Case {
                        name: $value,
                        keys: &[ $( $spec.named(stringify!($field), concat!($($field_doc, "\n"),+)) ),* ],
                    } ),+ ],
                }),
            };

            fn read_keys(cursor: &mut $crate::read::Cursor<'_, '_, '_>) -> Option<Self> {
                let case = cursor.case(Self::SECTION)?;
                $( if case.name == $value {
                    #[allow(unused_mut, unused_variables)]
                    let mut keys = case.keys.iter();
                    $( let $field = <$ty as $crate::field::Field>::read(cursor, keys.next()?); )*
                    return Some(Self::$case { $( $field: $field? ),* });
                } )+
                None
            }
        }

        impl $crate::field::Field for $name {
            fn read(
                cursor: &mut $crate::read::Cursor<'_, '_, '_>,
                key: &'static $crate::key::Key,
            ) -> Option<Self> {
                cursor.table(key)
            }
        }
    };
}

/// Defines a fixed set of words: an enum without fields.
macro_rules! choices {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident { $($values:tt)+ }
    ) => {
        hapticd_choices::choices! {
            $(#[doc = $doc])+
            pub enum $name { $($values)+ }
        }
        $crate::macros::words!($name);
    };
}

/// Makes a choice the type of a key.
macro_rules! words {
    ($name:ty) => {
        impl $crate::field::Field for $name {
            fn read(
                cursor: &mut $crate::read::Cursor<'_, '_, '_>,
                key: &'static $crate::key::Key,
            ) -> Option<Self> {
                let value = cursor.leaf(key)?;
                <Self as $crate::field::Choices>::from_name(value.as_text()?)
            }
        }
    };
}

/// The key of a field: the name after `as`, else the field's own name.
macro_rules! key_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident as $key:literal) => {
        $key
    };
}

pub(crate) use {choices, key_name, section, variants, words};
