//! The server's own log, as lines on standard error.
//!
//! It is for programs that set no `tracing` subscriber: events only, without spans, times and filters by module. Whoever wants
//! those sets a subscriber of their own, which is then left in place.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The environment variable that chooses the level.
const VARIABLE: &str = "MCP_LOG";

/// So many lines wait to be written; more are dropped and counted.
const QUEUE: usize = 1_024;

/// How long [`flush`] waits for lines to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// The way to the thread that writes, if the subscriber is set.
static WRITER: OnceLock<SyncSender<Entry>> = OnceLock::new();

/// What the thread that writes gets.
enum Entry {
    Line(String),
    /// Everything before is written.
    Flush(Sender<()>),
}

/// Sets the subscriber, unless there is one.
pub(super) fn install() {
    let (level, complaint) = level(std::env::var(VARIABLE).ok().as_deref());
    if level == LevelFilter::OFF {
        return;
    }
    let (writer, lines) = sync_channel(QUEUE);
    let dropped = Arc::<AtomicU64>::default();
    let subscriber = Stderr {
        level,
        writer: writer.clone(),
        dropped: Arc::clone(&dropped),
    };
    if tracing::subscriber::set_global_default(subscriber).is_err() || WRITER.set(writer).is_err() {
        return;
    }
    let thread = thread::Builder::new().name("mcp-log".into());
    if let Err(error) = thread.spawn(move || write_lines(&lines, &dropped)) {
        // The log is not available here, so a failure of this write is ignored.
        let _ = writeln!(io::stderr(), "there is no thread for the log: {error}");
    }
    if let Some(complaint) = complaint {
        tracing::warn!("{complaint}");
    }
}

/// Waits a moment until what was logged is written.
pub(super) fn flush() {
    let (written, is_written) = channel();
    if let Some(writer) = WRITER.get()
        && writer.try_send(Entry::Flush(written)).is_ok()
    {
        // What is not written by then has no reader, and must not keep the process from ending.
        let _ = is_written.recv_timeout(FLUSH_TIMEOUT);
    }
}

/// Writes lines as they come; only this thread waits while standard error takes none.
fn write_lines(lines: &Receiver<Entry>, dropped: &AtomicU64) {
    // One write for the line, so that lines of several threads do not mix; a failure is ignored.
    let write = |line: &str| {
        let _ = io::stderr().lock().write_all(line.as_bytes());
    };
    for entry in lines {
        match entry {
            Entry::Line(line) => write(&line),
            Entry::Flush(written) => {
                // The receiver may have timed out.
                let _ = written.send(());
            }
        }
        let count = dropped.swap(0, Ordering::Relaxed);
        if count > 0 {
            write(&format!(
                "WARN {}: {count} lines were dropped, as standard error was not read\n",
                module_path!()
            ));
        }
    }
}

/// The level that a value stands for, and what is wrong with the value.
fn level(value: Option<&str>) -> (LevelFilter, Option<String>) {
    match value.map(str::trim) {
        None | Some("") => (LevelFilter::WARN, None),
        Some(word) => match word.parse() {
            Ok(level) => (level, None),
            Err(_) => (
                LevelFilter::WARN,
                Some(format!(
                    "{VARIABLE} is `{word}`; it can be off, error, warn, info, debug or trace"
                )),
            ),
        },
    }
}

/// Writes events to standard error.
struct Stderr {
    level: LevelFilter,
    writer: SyncSender<Entry>,
    dropped: Arc<AtomicU64>,
}

impl Subscriber for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        // The caller never waits for whoever reads standard error.
        if self.writer.try_send(Entry::Line(line(event))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    // Spans are never enabled, so that none is entered or recorded and one id serves all.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn line(event: &Event<'_>) -> String {
    let metadata = event.metadata();
    let mut line = Line {
        message: String::new(),
        fields: String::new(),
    };
    event.record(&mut line);
    format!(
        "{} {}: {}{}\n",
        metadata.level(),
        metadata.target(),
        line.message,
        line.fields
    )
}

/// The message of an event and, behind it, the other fields.
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing into a string fails only if the value's own `Debug` does; what it wrote until then is kept.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_a_word_in_any_case() {
        for (value, expected) in [
            (None, LevelFilter::WARN),
            (Some(""), LevelFilter::WARN),
            (Some("off"), LevelFilter::OFF),
            (Some("ERROR"), LevelFilter::ERROR),
            (Some(" debug "), LevelFilter::DEBUG),
            (Some("trace"), LevelFilter::TRACE),
        ] {
            assert_eq!(level(value), (expected, None), "{value:?}");
        }
    }

    #[test]
    fn another_word_is_named() {
        let (level, complaint) = level(Some("loud"));
        assert_eq!(level, LevelFilter::WARN);
        assert!(complaint.unwrap().contains("`loud`"));
    }
}
