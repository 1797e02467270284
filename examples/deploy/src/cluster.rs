//! The machines that are deployed to: here a log with a line for each step that was taken, so that everybody can count.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// A service that takes steps, and takes each one once.
pub(crate) struct Cluster {
    log: PathBuf,
    /// How long a step takes.
    pace: Duration,
}

impl Cluster {
    pub(crate) fn new(log: PathBuf, pace: Duration) -> Self {
        Self { log, pace }
    }

    /// Takes a step, unless it was taken under this key before.
    ///
    /// A server may be killed after a step was taken and before that was remembered. The next one takes the step again, with
    /// the same key.
    pub(crate) async fn take(
        &self,
        step: &str,
        release: &str,
        key: impl Display,
    ) -> io::Result<()> {
        tokio::time::sleep(self.pace).await;
        let line = format!("{step}: {release}, {key}\n");
        let mut log = OpenOptions::new();
        let mut log = log.create(true).read(true).append(true).open(&self.log)?;
        let mut taken = String::new();
        log.read_to_string(&mut taken)?;
        if !taken.split_inclusive('\n').any(|taken| taken == line) {
            log.write_all(line.as_bytes())?;
        }
        Ok(())
    }
}
