//! A number that survives JSON bit for bit.
//!
//! Finite numbers are written as the shortest decimal that reads back as the same `f64`, including
//! the sign of zero. JSON has no infinities and no NaN, so those are written as a string of their
//! bits, `"0x7ff0000000000000"`. The code is pure.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An `f64` that survives JSON bit for bit; see the module page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Num(pub f64);

/// Compares the bits: a replay with a different NaN is a different replay.
impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.collect_str(&format_args!("{:#018x}", self.0.to_bits()))
        }
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumVisitor)
    }
}

struct NumVisitor;

impl Visitor<'_> for NumVisitor {
    type Value = Num;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number, or the bits of a number that is not finite as \"0x\" and 16 hexadecimal digits")
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Num, E> {
        Ok(Num(v))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Num, E> {
        Ok(Num(v as f64))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Num, E> {
        Ok(Num(v as f64))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Num, E> {
        v.strip_prefix("0x")
            .filter(|digits| digits.len() == 16)
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .map(|bits| Num(f64::from_bits(bits)))
            .ok_or_else(|| E::invalid_value(Unexpected::Str(v), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through_json(x: f64) -> f64 {
        let text = serde_json::to_string(&Num(x)).expect("serializable");
        serde_json::from_str::<Num>(&text).expect("reads back").0
    }

    #[test]
    fn every_bit_pattern_survives() {
        // xorshift64: every kind of exponent and mantissa.
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            assert_eq!(
                through_json(f64::from_bits(bits)).to_bits(),
                bits,
                "{bits:#x}"
            );
        }
    }

    #[test]
    fn edge_cases_survive() {
        for x in [
            0.0,
            -0.0,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            0.1,
            1.0 / 3.0,
        ] {
            assert_eq!(through_json(x).to_bits(), x.to_bits(), "{x}");
        }
    }

    #[test]
    fn non_numbers_are_refused() {
        for text in [
            "\"\"",
            "\"0x12\"",
            "\"0xzzzzzzzzzzzzzzzz\"",
            "null",
            "[]",
            "true",
            "\"0x+7ff000000000000\"x",
        ] {
            assert!(serde_json::from_str::<Num>(text).is_err(), "{text}");
        }
    }
}
