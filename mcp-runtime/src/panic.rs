//! Panics of users' code, caught where they happen, so that each costs its call and nothing else.
//!
//! Deliberately not here: what becomes of the call.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Users' code has panicked; shown as what the panic said, which is for the log alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panicked(Box<str>);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs users' code.
///
/// What the code was at is given up after a panic, so nobody sees it half done.
pub(crate) fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        let panicked = Panicked(text.into());
        discard(payload);
        panicked
    })
}

/// Drops what a panic carried, whose own `Drop` may panic again.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // It could go on like this for ever; this one is never dropped.
        std::mem::forget(second);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;

    #[test]
    fn a_panic_is_told_by_its_words() {
        assert_eq!(catch(|| 1), Ok(1));
        for (text, caught) in [
            ("plain", catch(|| panic!("plain"))),
            ("made 7", catch(|| panic!("made {}", 7))),
            ("no message", catch(|| panic_any(7))),
        ] {
            let caught: Result<(), _> = caught;
            assert_eq!(caught.unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_does_no_harm() {
        struct Bomb;

        impl Drop for Bomb {
            fn drop(&mut self) {
                panic_any(Self);
            }
        }

        let caught: Result<(), _> = catch(|| panic_any(Bomb));
        assert_eq!(caught.unwrap_err().to_string(), "no message");
    }
}
