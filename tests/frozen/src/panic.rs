//! Has a function of a running program panic, as a defect in it would.
//!
//! The first instruction of the function becomes a jump to one of the standard library's that does
//! nothing but panic: a thread that calls the function panics in the call, and unwinds from there.
//! The program itself has nothing for this.

use std::io;

use crate::program::Program;

/// A function without arguments that panics: "capacity overflow".
const PANICS: [&str; 3] = ["alloc", "raw_vec", "capacity_overflow"];
/// Bytes of the jump.
const JUMP: u64 = 5;

/// The function, and what is written in its place.
pub(crate) struct Panic {
    function: u64,
    jump: Vec<u8>,
}

impl Panic {
    /// Of the function with this path, a part of each module's and type's names.
    ///
    /// # Errors
    /// The program has no such function, this processor's jumps are not known, or the jump is too
    /// far for one.
    pub(crate) fn of(program: &Program, path: &[&str]) -> io::Result<Self> {
        if !cfg!(target_arch = "x86_64") {
            return Err(io::Error::other("the jump of this processor is not known"));
        }
        let find = |path: &[&str]| {
            let found = program.address(|name| is_named(name, path));
            found.ok_or_else(|| io::Error::other(format!("the program has no {path:?}")))
        };
        let (function, target) = (find(path)?, find(&PANICS)?);
        let distance = target.wrapping_sub(function + JUMP).cast_signed();
        let distance = i32::try_from(distance).map_err(io::Error::other)?;
        let mut jump = vec![0xe9];
        jump.extend(distance.to_le_bytes());
        Ok(Panic { function, jump })
    }

    /// Whether a thread that is at this address has begun what would be overwritten.
    pub(crate) fn cuts(&self, at: u64) -> bool {
        (self.function + 1..self.function + JUMP).contains(&at)
    }

    pub(crate) fn plant(&self, program: &Program) -> io::Result<()> {
        program.write(self.function, &self.jump)
    }
}

/// Whether a mangled name, of either kind, is that of a function with this path.
fn is_named(name: &[u8], path: &[&str]) -> bool {
    let mut rest = name;
    for part in path {
        let part = format!("{}{part}", part.len());
        let found = rest.windows(part.len()).position(|w| w == part.as_bytes());
        let Some(at) = found else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    // Nothing follows but a hash: what is inside of the function has more.
    name.starts_with(b"_") && (rest.is_empty() || rest.starts_with(b"17h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_either_mangling_and_no_closure_of_it() {
        let is = |name: &str| is_named(name.as_bytes(), &["raw_vec", "capacity_overflow"]);
        assert!(is("_RNvNtCslNYArtu3iFV_5alloc7raw_vec17capacity_overflow"));
        assert!(is(
            "_ZN5alloc7raw_vec17capacity_overflow17h9c123f987716d8c0E"
        ));
        assert!(!is(
            "_ZN5alloc7raw_vec17capacity_overflow28_$u7b$$u7b$closure$u7d$$u7d$17hc2E"
        ));
        assert!(!is("_ZN9hashbrown3raw17capacity_overflow17h9c1E"));
    }
}
