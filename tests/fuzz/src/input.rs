//! Reads the fuzzer's bytes piece by piece; returns zeros after the end.

/// The rest of an input.
#[derive(Debug)]
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// Returns a reader of the whole input.
    pub fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    /// Returns true if nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    /// Returns the next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let taken = self.up_to(N);
        out[..taken.len()].copy_from_slice(taken);
        out
    }

    /// Returns the next two bytes as a number.
    pub fn short(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    /// Returns the next four bytes as a number.
    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    /// Returns the next eight bytes as a number, which may be infinite or NaN.
    pub fn number(&mut self) -> f64 {
        f64::from_le_bytes(self.array())
    }

    /// Returns as many bytes as the next byte says, or fewer at the end.
    pub fn piece(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte());
        self.up_to(length)
    }

    /// Returns everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    fn up_to(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }
}
