//! The two descriptors that messages travel on, kept from everybody else in the process.
//!
//! Deliberately not here: lines, buffers and messages.

use std::time::Duration;

#[cfg(not(unix))]
pub(crate) use self::other::*;
#[cfg(unix)]
pub(crate) use self::unix::*;
use super::flush_stdout;

/// How long text that was printed without a newline may take to be written when serving ends.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

#[cfg(unix)]
mod unix {
    use std::fs::{File, OpenOptions};
    use std::io::{self, Read, Write};
    #[cfg(any(test, feature = "cli"))]
    use std::os::fd::OwnedFd;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, fcntl_dupfd_cloexec};
    use rustix::pipe::PIPE_BUF;
    use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stderr, stdin, stdout};

    use super::{FLUSH_TIMEOUT, flush_stdout};

    /// The lowest private descriptor: out of the way of the three that every process has.
    const LOWEST_PRIVATE: i32 = 3;

    /// So much is written at once.
    const PIECE: usize = 256 * 1024;

    /// Standard input and output as they were when serving began, on private descriptors.
    ///
    /// While it exists, whatever else in the process writes to standard output writes to standard error,
    /// whatever reads standard input finds its end, and children inherit both.
    #[derive(Debug)]
    pub(crate) struct Wire {
        input: File,
        output: File,
        /// Counts the pieces that have been written.
        written: AtomicU64,
        /// They are the standard streams of the process, and go back to it.
        is_standard: bool,
    }

    /// Standard output without the lock of the standard library, which a thread of a tool may hold.
    #[cfg(feature = "cli")]
    pub(crate) fn unlocked_stdout() -> Box<dyn Write> {
        unlocked(fcntl_dupfd_cloexec(stdout(), LOWEST_PRIVATE))
    }

    /// Standard error without its lock.
    #[cfg(feature = "cli")]
    pub(crate) fn unlocked_stderr() -> Box<dyn Write> {
        unlocked(fcntl_dupfd_cloexec(stderr(), LOWEST_PRIVATE))
    }

    /// A stream that the process has not got takes everything, as it does for the standard library.
    #[cfg(feature = "cli")]
    fn unlocked(stream: Result<OwnedFd, Errno>) -> Box<dyn Write> {
        match stream {
            Ok(stream) => Box::new(File::from(stream)),
            Err(_closed) => Box::new(io::sink()),
        }
    }

    fn null() -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open("/dev/null")
    }

    impl Wire {
        /// Takes standard input and output away from the rest of the process.
        pub(crate) fn claim() -> io::Result<Self> {
            let input = fcntl_dupfd_cloexec(stdin(), LOWEST_PRIVATE)?;
            let output = fcntl_dupfd_cloexec(stdout(), LOWEST_PRIVATE)?;
            let nothing = null()?;
            // What the program printed without a newline waits in a buffer of the standard library,
            // and goes to standard error with all else.
            match dup2_stdout(stderr()) {
                Err(Errno::BADF) => dup2_stdout(&nothing)?,
                moved => moved?,
            }
            dup2_stdin(&nothing)?;
            Ok(Self {
                input: input.into(),
                output: output.into(),
                written: AtomicU64::new(0),
                is_standard: true,
            })
        }

        /// Any two streams.
        #[cfg(test)]
        pub(crate) fn between(input: impl Into<OwnedFd>, output: impl Into<OwnedFd>) -> Self {
            Self {
                input: input.into().into(),
                output: output.into().into(),
                written: AtomicU64::new(0),
                is_standard: false,
            }
        }

        /// Gives standard input and output back to the process.
        pub(crate) fn release(&self) -> io::Result<()> {
            // What cannot be flushed must not get among the messages, nor keep the process from ending.
            if self.is_standard && flush_stdout(FLUSH_TIMEOUT) {
                dup2_stdin(&self.input)?;
                dup2_stdout(&self.output)?;
            }
            Ok(())
        }

        /// Has whatever the process prints from now on go nowhere if the reader of standard error is gone: `println!` and
        /// `eprintln!` panic where they cannot write.
        pub(crate) fn guard_stderr(&self) {
            if !self.is_standard {
                return;
            }
            let stream = stderr();
            let mut polled = [PollFd::new(&stream, PollFlags::empty())];
            let is_gone =
                matches!(poll(&mut polled, Some(&Timespec::default())), Ok(ready) if ready > 0);
            if !is_gone {
                return;
            }
            // Standard output has the same reader while this exists.
            let replaced = null().and_then(|nothing| {
                dup2_stderr(&nothing)?;
                Ok(dup2_stdout(&nothing)?)
            });
            if let Err(error) = replaced {
                tracing::debug!("standard error has no reader, and cannot be replaced: {error}");
            }
        }

        /// Waits for input and reads what is there; 0 is its end.
        pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.read_input(buffer);
            // Before the calls that have come run, so that they can print.
            self.guard_stderr();
            read
        }

        fn read_input(&self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                match (&self.input).read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // Whoever started the process may have left the pipe non-blocking.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        wait(&self.input, PollFlags::IN)?;
                    }
                    result => return result,
                }
            }
        }

        /// Whether nobody is left who could write to the input, though not everything may have been read.
        pub(crate) fn input_has_ended(&self) -> bool {
            let mut input = [PollFd::new(&self.input, PollFlags::empty())];
            let now = Timespec::default();
            matches!(poll(&mut input, Some(&now)), Ok(ready) if ready > 0)
                && input[0].revents().contains(PollFlags::HUP)
        }

        /// Writes all bytes.
        pub(crate) fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
            while !bytes.is_empty() {
                // In pieces, which show that the client reads, if slowly.
                match (&self.output).write(&bytes[..bytes.len().min(PIECE)]) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(written) => {
                        bytes = &bytes[written..];
                        self.written.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        wait(&self.output, PollFlags::OUT)?;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }

        /// A number that changes as long as the client takes what is written.
        pub(crate) fn written(&self) -> u64 {
            self.written.load(Ordering::Relaxed)
        }

        /// Writes as many bytes as the client has room for, without waiting for it; gives their number.
        pub(crate) fn write_at_once(&self, bytes: &[u8]) -> io::Result<usize> {
            let mut written = 0;
            // Streams that can be written to at all take this much: pipes promise it, sockets and files hold more.
            for piece in bytes.chunks(PIPE_BUF) {
                let mut output = [PollFd::new(&self.output, PollFlags::OUT)];
                match poll(&mut output, Some(&Timespec::default())) {
                    Ok(0) | Err(Errno::INTR) => break,
                    Ok(_) => {}
                    Err(error) => return Err(error.into()),
                }
                match (&self.output).write(piece) {
                    Ok(count) => {
                        written += count;
                        self.written.fetch_add(1, Ordering::Relaxed);
                        if count < piece.len() {
                            break;
                        }
                    }
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
                        ) =>
                    {
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(written)
        }

        /// Asks for pipes that hold large messages; whether they grow is up to the system.
        pub(crate) fn widen(&self) {
            #[cfg(target_os = "linux")]
            for end in [&self.input, &self.output] {
                // Sockets and terminals have no such size, and unprivileged processes a bound on it:
                // a refusal only means that large messages take more system calls.
                let _refused = rustix::pipe::fcntl_setpipe_size(end, 1 << 20);
            }
        }
    }

    fn wait(file: &File, flags: PollFlags) -> io::Result<()> {
        match poll(&mut [PollFd::new(file, flags)], None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io::{self, Read, Write};

    use super::{FLUSH_TIMEOUT, flush_stdout};

    /// Standard output, with its lock on this platform.
    #[cfg(feature = "cli")]
    pub(crate) fn unlocked_stdout() -> Box<dyn Write> {
        Box::new(io::stdout())
    }

    /// Standard error, with its lock on this platform.
    #[cfg(feature = "cli")]
    pub(crate) fn unlocked_stderr() -> Box<dyn Write> {
        Box::new(io::stderr())
    }

    /// Standard input and output, which the rest of the process must leave alone on this platform.
    #[derive(Debug)]
    pub(crate) struct Wire(());

    impl Wire {
        pub(crate) fn claim() -> io::Result<Self> {
            Ok(Self(()))
        }

        pub(crate) fn release(&self) -> io::Result<()> {
            flush_stdout(FLUSH_TIMEOUT);
            Ok(())
        }

        pub(crate) fn guard_stderr(&self) {}

        /// Waits for input and reads what is there; 0 is its end.
        pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                match io::stdin().lock().read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => return result,
                }
            }
        }

        /// Writes all bytes.
        pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
            let mut output = io::stdout().lock();
            output.write_all(bytes)?;
            output.flush()
        }

        pub(crate) fn written(&self) -> u64 {
            0
        }

        /// On this platform that shows only when the end is read.
        pub(crate) fn input_has_ended(&self) -> bool {
            false
        }

        /// On this platform it is not known whether a write would wait.
        #[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
        pub(crate) fn write_at_once(&self, _bytes: &[u8]) -> io::Result<usize> {
            Ok(0)
        }

        pub(crate) fn widen(&self) {}
    }
}
