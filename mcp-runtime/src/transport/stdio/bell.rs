//! What wakes the supervisor: other threads, signals, or the clock.

#[cfg(unix)]
pub(super) use self::unix::Bell;

#[cfg(not(unix))]
pub(super) use self::other::Bell;

#[cfg(unix)]
mod unix {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::{SigId, flag, low_level};

    /// A socket that is written to by whoever wakes the supervisor, signal handlers included.
    #[derive(Debug)]
    pub(in super::super) struct Bell {
        heard: UnixStream,
        rung: UnixStream,
        signalled: Arc<AtomicBool>,
        handlers: Vec<SigId>,
    }

    impl Bell {
        /// Makes a bell that SIGINT and SIGTERM ring, until it is dropped.
        ///
        /// The second signal ends the process at once, as it would have without us.
        pub(in super::super) fn new() -> io::Result<Self> {
            let (heard, rung) = UnixStream::pair()?;
            heard.set_nonblocking(true)?;
            rung.set_nonblocking(true)?;
            let mut bell = Self {
                heard,
                rung,
                signalled: Arc::default(),
                handlers: Vec::with_capacity(6),
            };
            for signal in [SIGINT, SIGTERM] {
                // The three run in this order, so the first signal finds the flag unset.
                let ended = Arc::clone(&bell.signalled);
                bell.handlers
                    .push(flag::register_conditional_default(signal, ended)?);
                let noted = Arc::clone(&bell.signalled);
                bell.handlers.push(flag::register(signal, noted)?);
                let rung = bell.rung.try_clone()?;
                bell.handlers.push(low_level::pipe::register(signal, rung)?);
            }
            Ok(bell)
        }

        /// Wakes the supervisor, now or when it next wants to sleep.
        pub(in super::super) fn ring(&self) {
            // A full socket is a bell that rings already.
            let _full = (&self.rung).write(&[1]);
        }

        /// Sleeps until somebody rings or the time is over.
        pub(in super::super) fn wait(&self, time: Option<Duration>) {
            let time = time.and_then(|time| Timespec::try_from(time).ok());
            let mut heard = [PollFd::new(&self.heard, PollFlags::IN)];
            match poll(&mut heard, time.as_ref()) {
                Ok(0) | Err(Errno::INTR) => return,
                // A poll of one open socket has no other way to fail; the read below tells the rest.
                Ok(_) | Err(_) => {}
            }
            let mut rings = [0; 64];
            while let Ok(count) = (&self.heard).read(&mut rings) {
                if count < rings.len() {
                    return;
                }
            }
        }

        /// Whether a signal asks the process to end.
        pub(in super::super) fn signalled(&self) -> bool {
            self.signalled.load(Ordering::Relaxed)
        }
    }

    impl Drop for Bell {
        fn drop(&mut self) {
            for handler in self.handlers.drain(..) {
                low_level::unregister(handler);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::io::ErrorKind;

        use super::*;

        #[test]
        fn a_ring_before_the_wait_is_heard() {
            let bell = Bell::new().unwrap();
            bell.ring();
            bell.ring();
            // Without a limit of time this returns only because of the rings.
            bell.wait(None);
            let error = (&bell.heard).read(&mut [0]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;
    use std::thread::{self, Thread};
    use std::time::Duration;

    /// The supervisor's thread, which is parked while it sleeps.
    ///
    /// The signals of this platform are left to whoever embeds the server.
    #[derive(Debug)]
    pub(in super::super) struct Bell(Thread);

    impl Bell {
        /// Makes a bell for the thread that calls this.
        pub(in super::super) fn new() -> io::Result<Self> {
            Ok(Self(thread::current()))
        }

        pub(in super::super) fn ring(&self) {
            self.0.unpark();
        }

        pub(in super::super) fn wait(&self, time: Option<Duration>) {
            match time {
                Some(time) => thread::park_timeout(time),
                None => thread::park(),
            }
        }

        pub(in super::super) fn signalled(&self) -> bool {
            false
        }
    }
}
