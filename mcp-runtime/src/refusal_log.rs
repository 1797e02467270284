//! Log lines about refused requests: at most one line a minute for each kind, with the number of refusals.
//!
//! It decides only when a line is due; callers decide what is a refusal. A client that is refused a thousand times a
//! second therefore cannot fill the log.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::clock;

/// The least time between two lines of one kind.
const INTERVAL: Duration = Duration::from_secs(60);

/// A kind of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The event, such as `a call is refused, since too many are running`; it identifies the kind.
    pub(crate) what: &'static str,
    /// The option that changes it, such as `` `ServerBuilder::max_calls_in_flight` sets the bound``.
    pub(crate) option: &'static str,
}

/// The longest time that [`RefusalLog::finish`] waits for lines that are being written.
const FINISH_TIMEOUT: Duration = Duration::from_millis(200);

/// The refusals of one server.
///
/// Lines are written on threads of their own: a subscriber may block, on a full pipe for example, and the caller may be
/// the thread on which all others depend. One kind has at most one such thread.
pub(crate) struct RefusalLog {
    now: fn() -> Duration,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    kinds: Mutex<Vec<Count>>,
    written: Condvar,
}

/// The refusals of one kind since the last line about it.
struct Count {
    kind: Refusal,
    logged_at: Duration,
    unlogged: u64,
    is_being_written: bool,
}

impl Default for RefusalLog {
    fn default() -> Self {
        Self::new(clock::now)
    }
}

impl RefusalLog {
    /// Makes a log that reads the time from a clock.
    pub(crate) fn new(now: fn() -> Duration) -> Self {
        Self {
            now,
            shared: Arc::default(),
        }
    }

    /// Returns the time of the clock.
    pub(crate) fn now(&self) -> Duration {
        (self.now)()
    }

    /// Counts a refusal, and logs a line with level `warn` unless the last minute had one of this kind; never blocks.
    ///
    /// The detail describes this refusal, such as the refused host; it may be empty. It is written only if a line is
    /// due, and with its control characters escaped.
    pub(crate) fn record(&self, kind: Refusal, detail: impl fmt::Display) {
        if let Some(count) = self.count(kind) {
            let detail = detail.to_string();
            self.write(kind, count, detail);
        }
    }

    /// Logs the refusals that no line has counted yet, and waits a moment for lines that are being written.
    ///
    /// Transports call it when they end.
    pub(crate) fn finish(&self) {
        let unlogged: Vec<(Refusal, u64)> = {
            let mut kinds = self.shared.lock();
            let mut unlogged = Vec::new();
            for count in &mut *kinds {
                if count.unlogged > 0 && !count.is_being_written {
                    count.is_being_written = true;
                    unlogged.push((count.kind, std::mem::take(&mut count.unlogged)));
                }
            }
            unlogged
        };
        for (kind, count) in unlogged {
            self.write(kind, count, String::new());
        }
        let is_writing = |kinds: &mut Vec<Count>| kinds.iter().any(|count| count.is_being_written);
        let kinds = self.shared.lock();
        // A line that cannot be written in this time must not keep the process from ending.
        drop(
            self.shared
                .written
                .wait_timeout_while(kinds, FINISH_TIMEOUT, is_writing),
        );
    }

    /// Counts a refusal, and returns the number that a line has to give if one is due.
    fn count(&self, kind: Refusal) -> Option<u64> {
        let now = (self.now)();
        let mut kinds = self.shared.lock();
        let known = kinds.iter_mut().find(|count| count.kind == kind);
        let Some(count) = known else {
            kinds.push(Count {
                kind,
                logged_at: now,
                unlogged: 0,
                is_being_written: true,
            });
            return Some(1);
        };
        count.unlogged += 1;
        if count.is_being_written || now.saturating_sub(count.logged_at) < INTERVAL {
            return None;
        }
        count.logged_at = now;
        count.is_being_written = true;
        Some(std::mem::take(&mut count.unlogged))
    }

    /// Writes the line on another thread.
    fn write(&self, kind: Refusal, count: u64, detail: String) {
        let shared = Arc::clone(&self.shared);
        let subscriber = tracing::dispatcher::get_default(Clone::clone);
        let spawned = thread::Builder::new()
            .name("mcp-log".into())
            .spawn(move || {
                // Also if the subscriber panics.
                let _written = Written { shared, kind };
                tracing::dispatcher::with_default(&subscriber, || warn(kind, count, &detail));
            });
        if spawned.is_err() {
            // The next line gives the number.
            self.shared.end_writing(kind, count);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Count>> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a line has ended, and how many refusals it left uncounted.
    fn end_writing(&self, kind: Refusal, uncounted: u64) {
        for count in self.lock().iter_mut().filter(|count| count.kind == kind) {
            count.is_being_written = false;
            count.unlogged += uncounted;
        }
        self.written.notify_all();
    }
}

/// Ends the writing of a line when it is dropped.
struct Written {
    shared: Arc<Shared>,
    kind: Refusal,
}

impl Drop for Written {
    fn drop(&mut self) {
        self.shared.end_writing(self.kind, 0);
    }
}

/// Writes the line.
fn warn(kind: Refusal, count: u64, detail: &str) {
    let Refusal { what, option } = kind;
    let detail = match detail {
        "" => String::new(),
        detail => format!(" ({})", escaped(detail)),
    };
    tracing::warn!(count, "{what}{detail}; {option}");
}

/// Returns the beginning of a text, which a client may have chosen, without line breaks and control characters.
fn escaped(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    let mut chars = text.chars();
    let mut escaped = String::new();
    for char in chars.by_ref().take(MAX_CHARS) {
        if char.is_control() {
            escaped.extend(char.escape_default());
        } else {
            escaped.push(char);
        }
    }
    if chars.next().is_some() {
        escaped.push('…');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const FULL: Refusal = Refusal {
        what: "full",
        option: "`size` sets the bound",
    };
    const LATE: Refusal = Refusal {
        what: "late",
        option: "`time` sets the bound",
    };

    thread_local! {
        static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    fn log() -> RefusalLog {
        RefusalLog::new(|| NOW.get())
    }

    /// Counts, and treats a line that is due as written at once.
    fn count(log: &RefusalLog, kind: Refusal) -> Option<u64> {
        let count = log.count(kind);
        log.shared.end_writing(kind, 0);
        count
    }

    #[test]
    fn each_kind_has_one_line_a_minute_with_its_count() {
        let log = log();
        assert_eq!(count(&log, FULL), Some(1), "the first is logged at once");
        assert_eq!(count(&log, LATE), Some(1), "and of another kind, too");
        assert_eq!(count(&log, FULL), None);
        NOW.set(Duration::from_millis(59_999));
        assert_eq!(count(&log, FULL), None);
        NOW.set(Duration::from_secs(60));
        assert_eq!(count(&log, FULL), Some(3), "all since the last line");
        assert_eq!(count(&log, FULL), None, "the minute begins again");
        NOW.set(Duration::from_secs(600));
        assert_eq!(count(&log, LATE), Some(1));
    }

    #[test]
    fn a_line_that_cannot_be_written_holds_up_no_other_and_no_end() {
        let log = log();
        assert_eq!(log.count(FULL), Some(1));
        // The line is being written until `end_writing`.
        NOW.set(Duration::from_secs(600));
        assert_eq!(log.count(FULL), None, "a second one would wait, too");
        assert_eq!(log.count(LATE), Some(1));
        log.finish();
        log.shared.end_writing(FULL, 0);
        assert_eq!(log.count(FULL), Some(2));
    }

    #[test]
    fn a_clients_text_cannot_begin_a_line_or_fill_the_log() {
        assert_eq!(escaped("a\nWARN b\u{1b}[0m"), "a\\nWARN b\\u{1b}[0m");
        assert_eq!(escaped(&"x".repeat(1000)).chars().count(), 201);
    }
}
