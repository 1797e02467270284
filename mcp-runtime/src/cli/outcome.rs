//! What a command came to: texts for the two streams, and an exit code.
//!
//! Commands make one and print nothing themselves, so that one place deals with closed pipes.

use std::io::{self, ErrorKind, Write};

/// The exit codes of a server's command line; the help lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done = 0,
    /// The call failed, or `doctor` found something wrong.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The server could not start, or could not go on serving.
    NotServed = 3,
}

/// The output of a command.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) struct Outcome {
    /// For standard output.
    pub(super) out: String,
    /// For standard error.
    pub(super) err: String,
    pub(super) exit: Exit,
}

impl Outcome {
    /// A command that did what it was asked for.
    pub(super) fn done(out: String) -> Self {
        Self {
            out,
            err: String::new(),
            exit: Exit::Done,
        }
    }

    /// A command that could not do it.
    pub(super) fn failed(exit: Exit, err: String) -> Self {
        Self {
            out: String::new(),
            err,
            exit,
        }
    }

    /// A command line that asks for something that is not there.
    pub(super) fn usage(text: &str) -> Self {
        Self::failed(Exit::Usage, format!("error: {text}\n"))
    }

    /// Writes both texts.
    ///
    /// A reader that has closed its end, as `head` does, has seen enough: that is no error.
    pub(super) fn write(&self, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<()> {
        write(out, &self.out)?;
        write(err, &self.err)
    }
}

fn write(stream: &mut dyn Write, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let written = stream.write_all(text.as_bytes());
    match written.and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that fails in one way.
    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn both() -> Outcome {
        Outcome {
            out: "out".into(),
            err: "err".into(),
            exit: Exit::Done,
        }
    }

    #[test]
    fn a_closed_pipe_is_quiet_and_the_other_stream_is_still_written() {
        let mut err = Vec::new();
        both()
            .write(&mut Failing(ErrorKind::BrokenPipe), &mut err)
            .unwrap();
        assert_eq!(err, b"err");
    }

    #[test]
    fn a_full_disk_is_told() {
        let error = both()
            .write(&mut Failing(ErrorKind::StorageFull), &mut Vec::new())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }
}
