//! The thread that called for serving: it watches the leader, the clock, signals and the end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::polls::{Look, Seen};
use super::state::{Phase, State, Work};

/// How often the supervisor looks. A call that is still running after one to two of these is slow.
const TICK: Duration = Duration::from_millis(1);

/// Each so many bytes of a call's line give it one tick more: a large message takes its time in any case,
/// and each thread that works on one needs memory for it.
const BYTES_PER_TICK: usize = 128 * 1024;

/// Ticks until reading goes on although the client does not take what is written: it may be stuck in writing itself.
const WRITE_TICKS: usize = 50;

/// So many ticks without a call, and the supervisor sleeps until it is woken.
const QUIET_TICKS: u32 = 4;

/// So many ticks at most, and limits of time are looked at, however many quick calls come.
const UNLOOKED_TICKS: u32 = 10;

/// How long the supervisor sleeps at most while calls are in flight: a call that began just now may not
/// have told its limit of time yet.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// How long the supervisor sleeps until it asks again for a thread to write, if none could be made.
const RETRY: Duration = Duration::from_millis(100);

/// What counts as waiting for ever, which a clock can still add up: a year.
const LONGEST_GRACE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Appoints leaders until serving ends.
pub(super) fn supervise(crew: &Arc<Crew>) -> io::Result<()> {
    crew.summon(&mut crew.lock())?;
    let mut watch = Watch::new(crew.pulse());
    let mut sleep = None;
    loop {
        crew.bell.wait(sleep);
        sleep = match watch.tick(crew, crew.pulse()) {
            Tick::Sleep(time) => watch.look_at_polls(crew, time),
            Tick::End => break,
        };
    }
    close(crew)
}

/// What the supervisor remembers from one tick to the next.
struct Watch {
    pulse: u64,
    /// Ticks for which the leader has been at the same work.
    busy_ticks: usize,
    /// Ticks for which it has been at none.
    quiet_ticks: u32,
    /// Ticks for which nothing but the pulse has been looked at.
    unlooked_ticks: u32,
    polls: Seen,
    end_of_grace: Option<Instant>,
}

enum Tick {
    Sleep(Option<Duration>),
    End,
}

impl Watch {
    fn new(pulse: u64) -> Self {
        Self {
            pulse,
            busy_ticks: 0,
            quiet_ticks: 0,
            unlooked_ticks: 0,
            polls: Seen::default(),
            end_of_grace: None,
        }
    }

    /// Does what is due, by the pulse of this moment.
    fn tick(&mut self, crew: &Arc<Crew>, pulse: u64) -> Tick {
        let unchanged = std::mem::replace(&mut self.pulse, pulse) == pulse;
        let at_work = pulse % 2 == 1;
        self.busy_ticks = if unchanged && at_work {
            self.busy_ticks + 1
        } else {
            0
        };
        if unchanged && !at_work {
            self.quiet_ticks += 1;
        } else {
            self.quiet_ticks = 0;
            // The leader, if it goes from call to call, looks here between two of them.
            crew.flush_due.store(true, Ordering::Relaxed);
            self.unlooked_ticks += 1;
            if !unchanged
                && self.unlooked_ticks < UNLOOKED_TICKS
                && self.end_of_grace.is_none()
                && !crew.bell.signalled()
            {
                return Tick::Sleep(Some(TICK));
            }
        }
        self.unlooked_ticks = 0;
        let mut state = crew.complain(crew.time_out(crew.lock()));
        if crew.pulse() != pulse {
            // The leader has moved while the lock was waited for. It rang no bell, as nobody slept.
            self.quiet_ticks = 0;
        } else if self.busy_ticks > 0 && self.busy_ticks >= patience(&state.work) {
            crew.hand_over(&mut state);
        }
        if state.lacks_writer() && state.nobody_writes() {
            crew.ask_for_flush(&mut state);
        }
        if state.phase == Phase::Closed {
            return Tick::End;
        }
        if state.input_ended || crew.bell.signalled() {
            if self.end_of_grace.is_none() {
                // Whoever is woken by the end takes the lock.
                drop(state);
                crew.core.hub.end(&crew.audience);
                state = crew.lock();
            }
            return self.end(crew, &mut state);
        }
        crew.tell_listeners(&mut state);
        if self.quiet_ticks < QUIET_TICKS {
            return Tick::Sleep(Some(TICK));
        }
        state.supervisor_sleeps = true;
        Tick::Sleep(longest_sleep(&state))
    }

    /// Has timers and sockets waited for although an async call blocks who did it; gives how long to sleep.
    fn look_at_polls(&mut self, crew: &Crew, sleep: Option<Duration>) -> Option<Duration> {
        let sleeps = sleep.is_none_or(|time| time > TICK);
        match self.polls.look(&crew.polls, sleeps) {
            Look::Rest => return sleep,
            Look::Again => {}
            Look::Poke => crew.runtime.poke(),
        }
        Some(sleep.map_or(TICK, |time| time.min(TICK)))
    }

    /// Lets running calls end, but not for ever.
    fn end(&mut self, crew: &Arc<Crew>, state: &mut State) -> Tick {
        let now = Instant::now();
        let end_of_grace = *self.end_of_grace.get_or_insert_with(|| {
            state.phase = Phase::Ending;
            if crew.pulse() % 2 == 1 {
                crew.hand_over(state);
            }
            if !state.outbox.is_empty() {
                crew.ask_for_flush(state);
            }
            now + crew.core.options.limits.grace.min(LONGEST_GRACE)
        });
        state.listeners.hurry();
        crew.tell_listeners(state);
        if state.is_done() || now >= end_of_grace {
            return Tick::End;
        }
        let left = end_of_grace - now;
        Tick::Sleep(Some(
            longest_sleep(state).map_or(left, |time| time.min(left)),
        ))
    }
}

/// How many ticks the leader may be at a work before somebody else leads.
fn patience(work: &Work) -> usize {
    match work {
        Work::Call(line, _) => 1 + line.len() / BYTES_PER_TICK,
        Work::Write => WRITE_TICKS,
        Work::None => usize::MAX,
    }
}

/// How long nothing is to be done unless somebody rings.
fn longest_sleep(state: &State) -> Option<Duration> {
    let now = Instant::now();
    let calls = (!state.flight.is_empty()).then(|| {
        let timeout = state.flight.next_timeout(now);
        timeout.map_or(LONGEST_SLEEP, |timeout| timeout.min(LONGEST_SLEEP))
    });
    // Whoever writes rings when that is done.
    let streams = state.listeners.next_look(now);
    let streams = streams.filter(|_| state.outbox.is_empty());
    let writer = state.lacks_writer().then_some(RETRY);
    calls.into_iter().chain(streams).chain(writer).min()
}

/// Stops what is left, without waiting for it.
fn close(crew: &Arc<Crew>) -> io::Result<()> {
    let mut state = crew.lock();
    state.phase = Phase::Closed;
    let left = state.flight.cancel_all();
    state.listeners.close_all();
    // Standard streams go back only if nobody is left who would read them, or print into the client's messages.
    let alone = state.input.is_some() && !state.flight.has_threads() && state.outbox.is_empty();
    let failure = state.failure.take();
    drop(state);
    crew.wake_all();
    left.stop();
    crew.runtime.shut_down();
    match failure {
        Some(error) => Err(error),
        None if alone => crew.wire.release(),
        None => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::dispatch::CallControl;
    use crate::jsonrpc::RawId;
    use crate::server::ServerBuilder;
    use crate::transport::stdio::Wire;
    use crate::transport::stdio::flight::{Call, Key};

    #[test]
    fn work_that_begins_while_the_supervisor_looks_keeps_it_awake() {
        let server = ServerBuilder::new("tested", "1.0.0").build().unwrap();
        let wire = Wire::to_nowhere().unwrap();
        let crew = Crew::new(Arc::clone(server.core()), wire).unwrap();
        let pulse = crew.pulse();
        let mut watch = Watch::new(pulse);
        watch.quiet_ticks = QUIET_TICKS;
        crew.begin(&mut crew.lock(), Work::Write);
        let tick = watch.tick(&crew, pulse);
        assert!(matches!(tick, Tick::Sleep(Some(TICK))));
        assert!(!crew.lock().supervisor_sleeps);
        crew.end(&mut crew.lock());
        for _ in 0..=QUIET_TICKS {
            assert!(!crew.lock().supervisor_sleeps);
            watch.tick(&crew, crew.pulse());
        }
        assert!(
            crew.lock().supervisor_sleeps,
            "nothing is left to be watched"
        );
    }

    #[test]
    fn limits_of_time_are_kept_however_busy_the_leader_is() {
        let server = ServerBuilder::new("tested", "1.0.0").build().unwrap();
        let wire = Wire::to_nowhere().unwrap();
        let crew = Crew::new(Arc::clone(server.core()), wire).unwrap();
        let control = CallControl::default();
        control.begin(Some(Duration::from_millis(1)));
        let call = Call {
            number: 1,
            id: RawId::NULL.keep(),
            since: Instant::now().checked_sub(RETRY).unwrap(),
            control: Arc::new(control),
            task: None,
        };
        crew.lock().flight.insert(Key::Number(1), call);
        let mut watch = Watch::new(crew.pulse());
        for _ in 0..100 {
            crew.begin(&mut crew.lock(), Work::Write);
            crew.end(&mut crew.lock());
            watch.tick(&crew, crew.pulse());
        }
        assert!(crew.lock().flight.is_empty());
    }
}
