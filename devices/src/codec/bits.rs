//! One number inside a report: the place of its bits, and how it is read and written.
//!
//! Bits are counted as in HID (Device Class Definition for HID 1.11, section 8.4): from the first
//! byte's least significant bit upwards. A little-endian field of any width at any offset is thus a
//! run of consecutive bits. Big-endian fields are whole bytes at a byte boundary. Pure, no
//! allocation. Reads and writes beyond the slice are refused and never panic.

use thiserror::Error;

/// Byte order of a field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first, as HID itself uses.
    Little,
    /// Most significant byte first; only whole bytes at a byte boundary.
    Big,
}

/// Why a field is invalid.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum BitFieldError {
    /// Zero bits, or more than 32.
    #[error("a field has 1 to 32 bits, not {bits}")]
    Width {
        /// Requested width, in bits.
        bits: u32,
    },
    /// A big-endian field that is not made of whole bytes.
    #[error(
        "a big-endian field must be whole bytes at a byte boundary, not {bits} bits at bit {bit_offset}"
    )]
    BigEndianAlignment {
        /// First requested bit.
        bit_offset: u32,
        /// Requested width, in bits.
        bits: u32,
    },
    /// The field begins beyond any report.
    #[error("a field cannot begin at bit {bit_offset}: the longest report has {limit} bits")]
    Offset {
        /// First requested bit.
        bit_offset: u32,
        /// Bits of the longest report.
        limit: u32,
    },
}

/// The place of the bits of one number in a report.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BitField {
    bit_offset: u16,
    bits: u8,
    signed: bool,
    endian: Endian,
}

impl BitField {
    /// Makes a field of `bits` bits (1 to 32) from bit `bit_offset`, in two's complement if
    /// `signed`.
    ///
    /// # Errors
    /// See [`BitFieldError`].
    pub fn new(
        bit_offset: u32,
        bits: u32,
        signed: bool,
        endian: Endian,
    ) -> Result<Self, BitFieldError> {
        if !(1..=32).contains(&bits) {
            return Err(BitFieldError::Width { bits });
        }
        let limit = super::MAX_REPORT_BYTES as u32 * 8;
        if bit_offset >= limit {
            return Err(BitFieldError::Offset { bit_offset, limit });
        }
        if endian == Endian::Big && !(bit_offset.is_multiple_of(8) && bits.is_multiple_of(8)) {
            return Err(BitFieldError::BigEndianAlignment { bit_offset, bits });
        }
        Ok(Self {
            bit_offset: bit_offset as u16,
            bits: bits as u8,
            signed,
            endian,
        })
    }

    /// Returns the index of the first bit.
    #[must_use]
    pub fn bit_offset(&self) -> usize {
        usize::from(self.bit_offset)
    }

    /// Returns the width in bits.
    #[must_use]
    pub fn bits(&self) -> usize {
        usize::from(self.bits)
    }

    /// Returns the length that a report must have to hold the field, in bytes.
    #[must_use]
    pub fn bytes_needed(&self) -> usize {
        (self.bit_offset() + self.bits()).div_ceil(8)
    }

    /// Returns whether two fields share a bit.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.bit_offset() < other.bit_offset() + other.bits()
            && other.bit_offset() < self.bit_offset() + self.bits()
    }

    /// Returns the smallest number that the field can hold.
    #[must_use]
    pub fn min(&self) -> i64 {
        if self.signed {
            -(1_i64 << (self.bits - 1))
        } else {
            0
        }
    }

    /// Returns the largest number that the field can hold.
    #[must_use]
    pub fn max(&self) -> i64 {
        if self.signed {
            (1_i64 << (self.bits - 1)) - 1
        } else {
            (1_i64 << self.bits) - 1
        }
    }

    /// Reads the number in `report`; `None` if the report is too short.
    #[must_use]
    pub fn read(&self, report: &[u8]) -> Option<i64> {
        let bytes = report.get(self.bit_offset() / 8..self.bytes_needed())?;
        let raw = match self.endian {
            // 32 bits that begin in the middle of a byte touch at most five bytes.
            Endian::Little => {
                let word = bytes
                    .iter()
                    .rev()
                    .fold(0_u64, |word, byte| (word << 8) | u64::from(*byte));
                (word >> (self.bit_offset() % 8)) & self.mask()
            }
            Endian::Big => bytes
                .iter()
                .fold(0_u64, |word, byte| (word << 8) | u64::from(*byte)),
        };
        let value = raw as i64;
        if self.signed && value > self.max() {
            Some(value - (1_i64 << self.bits))
        } else {
            Some(value)
        }
    }

    /// Writes `value`, clamped to the range of the field, into `report`; other bits stay. Returns
    /// `false` without a change if the report is too short.
    #[must_use]
    pub fn write(&self, report: &mut [u8], value: i64) -> bool {
        let Some(bytes) = report.get_mut(self.bit_offset() / 8..self.bytes_needed()) else {
            return false;
        };
        let raw = (value.clamp(self.min(), self.max()) as u64) & self.mask();
        match self.endian {
            Endian::Little => {
                let shift = self.bit_offset() % 8;
                let (mask, word) = (self.mask() << shift, raw << shift);
                for (i, byte) in bytes.iter_mut().enumerate() {
                    let (mask, word) = ((mask >> (8 * i)) as u8, (word >> (8 * i)) as u8);
                    *byte = (*byte & !mask) | word;
                }
            }
            Endian::Big => {
                for (i, byte) in bytes.iter_mut().rev().enumerate() {
                    *byte = (raw >> (8 * i)) as u8;
                }
            }
        }
        true
    }

    fn mask(&self) -> u64 {
        (1_u64 << self.bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(bit_offset: u32, bits: u32, signed: bool, endian: Endian) -> BitField {
        BitField::new(bit_offset, bits, signed, endian).unwrap()
    }

    /// Reads bit by bit, straight from the definition.
    fn read_slowly(report: &[u8], offset: usize, bits: usize, signed: bool) -> i64 {
        let mut value = 0_i64;
        for i in 0..bits {
            let at = offset + i;
            if report[at / 8] >> (at % 8) & 1 == 1 {
                value += if signed && i == bits - 1 {
                    -(1_i64 << i)
                } else {
                    1_i64 << i
                };
            }
        }
        value
    }

    #[test]
    fn known_bytes_give_known_numbers() {
        let report = [0x01, 0x34, 0x12, 0xFE, 0xFF, 0xFF, 0xFF, 0x80];
        assert_eq!(
            field(8, 16, false, Endian::Little).read(&report),
            Some(0x1234)
        );
        assert_eq!(field(8, 16, false, Endian::Big).read(&report), Some(0x3412));
        assert_eq!(field(24, 32, true, Endian::Little).read(&report), Some(-2));
        assert_eq!(
            field(24, 32, false, Endian::Little).read(&report),
            Some(0xFFFF_FFFE)
        );
        assert_eq!(
            field(24, 24, true, Endian::Big).read(&report),
            Some(-65_537)
        );
        assert_eq!(field(63, 1, false, Endian::Little).read(&report), Some(1));
        assert_eq!(field(63, 1, true, Endian::Little).read(&report), Some(-1));
        assert_eq!(
            field(12, 8, false, Endian::Little).read(&report),
            Some(0x23)
        );
    }

    #[test]
    fn impossible_fields_are_refused_with_the_numbers() {
        use BitFieldError as E;
        assert_eq!(
            BitField::new(0, 0, false, Endian::Little),
            Err(E::Width { bits: 0 })
        );
        assert_eq!(
            BitField::new(0, 33, false, Endian::Little),
            Err(E::Width { bits: 33 })
        );
        assert_eq!(
            BitField::new(4, 16, false, Endian::Big),
            Err(E::BigEndianAlignment {
                bit_offset: 4,
                bits: 16
            })
        );
        assert!(matches!(
            BitField::new(u32::MAX, 8, false, Endian::Little),
            Err(E::Offset { .. })
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn reading_agrees_with_the_definition(
            report in prop::collection::vec(any::<u8>(), 0..16), offset in 0_u32..128, bits in 1_u32..=32, signed: bool,
        ) {
            let field = field(offset, bits, signed, Endian::Little);
            match field.read(&report) {
                Some(value) => prop_assert_eq!(value, read_slowly(&report, offset as usize, bits as usize, signed)),
                None => prop_assert!(report.len() < field.bytes_needed()),
            }
        }

        #[test]
        fn what_is_written_is_read_back_saturated_and_leaves_the_rest_alone(
            report in prop::collection::vec(any::<u8>(), 1..16), offset in 0_u32..96, bits in 1_u32..=32, signed: bool, big: bool,
            value in prop_oneof![any::<i64>(), -70_000_i64..70_000],
        ) {
            let (offset, bits, endian) = if big { (offset & !7, bits.div_ceil(8) * 8, Endian::Big) } else { (offset, bits, Endian::Little) };
            let field = field(offset, bits, signed, endian);
            let mut written = report.clone();
            if field.write(&mut written, value) {
                prop_assert_eq!(field.read(&written), Some(value.clamp(field.min(), field.max())));
                for bit in (0..report.len() * 8).filter(|bit| !(offset as usize..(offset + bits) as usize).contains(bit)) {
                    prop_assert_eq!(report[bit / 8] >> (bit % 8) & 1, written[bit / 8] >> (bit % 8) & 1);
                }
            } else {
                prop_assert!(report.len() < field.bytes_needed());
                prop_assert_eq!(report, written);
            }
        }
    }
}
