//! What wakes the supervising thread: other threads, signals, or the clock.

#[cfg(unix)]
pub(super) use self::unix::Wakeup;

#[cfg(not(unix))]
pub(super) use self::other::Wakeup;

#[cfg(unix)]
mod unix {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Wake;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::stdio::stderr;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::{SigId, flag, low_level};

    /// A socket that is written to by whatever wakes the supervising thread, signal handlers included.
    #[derive(Debug)]
    pub(in super::super) struct Wakeup {
        receiver: UnixStream,
        sender: UnixStream,
        signalled: Arc<AtomicBool>,
        handlers: Vec<SigId>,
    }

    impl Wakeup {
        /// Makes a wakeup that SIGINT and SIGTERM trigger, until it is dropped.
        ///
        /// The second signal ends the process at once, as it would have without us.
        pub(in super::super) fn new() -> io::Result<Self> {
            let (receiver, sender) = UnixStream::pair()?;
            receiver.set_nonblocking(true)?;
            sender.set_nonblocking(true)?;
            let mut wakeup = Self {
                receiver,
                sender,
                signalled: Arc::default(),
                handlers: Vec::with_capacity(6),
            };
            for signal in [SIGINT, SIGTERM] {
                // The three run in this order, so the first signal finds the flag unset.
                let ended = Arc::clone(&wakeup.signalled);
                wakeup
                    .handlers
                    .push(flag::register_conditional_default(signal, ended)?);
                let noted = Arc::clone(&wakeup.signalled);
                wakeup.handlers.push(flag::register(signal, noted)?);
                let sender = wakeup.sender.try_clone()?;
                wakeup
                    .handlers
                    .push(low_level::pipe::register(signal, sender)?);
            }
            Ok(wakeup)
        }

        /// Wakes the thread, now or when it next wants to sleep.
        pub(in super::super) fn wake(&self) {
            // A full socket wakes the thread already.
            let _full = (&self.sender).write(&[1]);
        }

        /// Sleeps until it is woken or the time is over.
        pub(in super::super) fn wait(&self, time: Option<Duration>) {
            let time = time.and_then(|time| Timespec::try_from(time).ok());
            let stderr = stderr();
            // The reader of standard error may go, which no event is asked for.
            let mut polled = [
                PollFd::new(&self.receiver, PollFlags::IN),
                PollFd::new(&stderr, PollFlags::empty()),
            ];
            match poll(&mut polled, time.as_ref()) {
                Ok(0) | Err(Errno::INTR) => return,
                // A poll of one open socket has no other way to fail; the read below tells the rest.
                Ok(_) | Err(_) => {}
            }
            let mut bytes = [0; 64];
            while let Ok(count) = (&self.receiver).read(&mut bytes) {
                if count < bytes.len() {
                    return;
                }
            }
        }

        /// Whether a signal asks the process to end.
        pub(in super::super) fn signalled(&self) -> bool {
            self.signalled.load(Ordering::Relaxed)
        }
    }

    impl Wake for Wakeup {
        fn wake(self: Arc<Self>) {
            self.wake_by_ref();
        }

        fn wake_by_ref(self: &Arc<Self>) {
            Self::wake(self);
        }
    }

    impl Drop for Wakeup {
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
        fn a_wake_before_the_wait_is_received() {
            let wakeup = Wakeup::new().unwrap();
            wakeup.wake();
            wakeup.wake();
            // Without a limit of time this returns only because of the wakes.
            wakeup.wait(None);
            let error = (&wakeup.receiver).read(&mut [0]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;
    use std::sync::Arc;
    use std::task::Wake;
    use std::thread::{self, Thread};
    use std::time::Duration;

    /// The supervising thread, which is parked while it sleeps.
    ///
    /// The signals of this platform are left to whoever embeds the server.
    #[derive(Debug)]
    pub(in super::super) struct Wakeup(Thread);

    impl Wakeup {
        /// Makes a wakeup for the thread that calls this.
        pub(in super::super) fn new() -> io::Result<Self> {
            Ok(Self(thread::current()))
        }

        pub(in super::super) fn wake(&self) {
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

    impl Wake for Wakeup {
        fn wake(self: Arc<Self>) {
            self.wake_by_ref();
        }

        fn wake_by_ref(self: &Arc<Self>) {
            Self::wake(self);
        }
    }
}
