//! How often a thread has waited, as Linux tells; other systems are not asked.
//!
//! Deliberately not here: what a function that waits may not do.

use std::fs;

/// The file in which a thread reads of itself (proc(5)).
const STATUS: &str = "/proc/thread-self/status";
/// The line that counts how often the thread has left its processor since it had to wait.
const WAITS: &str = "voluntary_ctxt_switches:";

/// How often this thread has waited; `None` where the system does not tell.
pub(super) fn count() -> Option<u64> {
    if cfg!(not(any(target_os = "linux", target_os = "android"))) {
        return None;
    }
    let status = fs::read(STATUS).ok()?;
    // A thread may have a name that is no text.
    let status = String::from_utf8_lossy(&status);
    let waits = status.lines().find_map(|line| line.strip_prefix(WAITS))?;
    waits.trim().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_waits_is_seen_to() {
        let (ask, asked) = channel::<()>();
        let (answer, answered) = channel();
        let other = thread::spawn(move || {
            for () in asked {
                answer.send(()).unwrap();
            }
        });
        let before = count().unwrap();
        // The other one may answer so soon that there is nothing to wait for.
        while count().unwrap() == before {
            ask.send(()).unwrap();
            answered.recv().unwrap();
        }
        drop(ask);
        other.join().unwrap();
    }

    #[test]
    fn a_thread_that_does_not_wait_is_not() {
        // Whatever else the system may have made it wait for.
        while count().unwrap() != count().unwrap() {}
    }
}
