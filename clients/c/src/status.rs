//! Statuses of functions, as the header has them.

/// Statuses, and what they say to people. The header has the same.
macro_rules! statuses {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        $(pub(crate) const $name: i32 = $code;)*
        /// Returns a status for people, with a NUL at its end.
        pub(crate) fn status_text(status: i32) -> &'static str {
            match status {
                0 => "done\0",
                $($code => concat!($text, "\0"),)*
                1.. => "done, with a note\0",
                _ => "a status that this version does not know\0",
            }
        }
        /// All statuses with their names.
        #[cfg(test)]
        pub(crate) const STATUSES: &[(&str, i32)] =
            &[("HD_OK", 0), $((stringify!($name), $code),)*];
    };
}

pub(crate) const HD_OK: i32 = 0;
pub(crate) const HD_EVENT: i32 = 1;
pub(crate) const HD_HELD: i32 = 1;
statuses! {
    HD_INVALID = -1, "the caller passed something invalid";
    HD_NOT_SUBSCRIBED = -2, "this block was not subscribed to";
    HD_NOT_YET = -3, "nothing was published yet";
    HD_BUSY = -4, "the writer was met at each attempt";
    HD_GONE = -5, "the daemon has closed the connection";
    HD_TIMEOUT = -6, "nothing came in time";
    HD_REFUSED = -7, "the daemon refused the request";
    HD_NO_DAEMON = -8, "no daemon listens there";
    HD_UNTRUSTED = -9, "what listens there belongs to another user";
    HD_NOT_ADMITTED = -10, "the daemon refused the connection";
    HD_MALFORMED = -11, "the daemon's answer is not understood";
    HD_BLOCK = -12, "a shared block is not usable";
    HD_SYSTEM = -13, "the system refused";
    HD_PENDING = -14, "the body was not added in time and may still come";
    HD_VERSION = -15, "the program was built for another major version of the library";
    HD_CAPACITY = -16, "the buffer is too small";
    HD_IN_USE = -17, "another thread is using this handle";
    HD_WOULD_WAIT = -18, "the daemon takes nothing now";
    HD_PANIC = -19, "a mistake in the library; free the handle";
}
