//! A stream of `subscriptions/listen` with a clock beside it, so that a burst of changes is told once.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep};

use crate::bound::{Full, Permit};
use crate::debounce::{MAX_PERIODS, QUIET_PERIOD};
use crate::dispatch::{Listener, StreamState};

/// An open stream.
#[derive(Debug)]
pub(super) struct Subscription {
    listener: Listener,
    /// Runs while there is something to tell that may not be all; made on first need.
    clock: Option<Pin<Box<Sleep>>>,
    /// The quiet periods for which it has waited.
    periods: u32,
}

impl Subscription {
    pub(super) fn new(listener: Listener) -> Self {
        Self {
            listener,
            clock: None,
            periods: 0,
        }
    }

    /// Takes memory for bytes that were told.
    pub(super) fn acquire_memory(&self, bytes: usize) -> Result<Permit, Full> {
        self.listener.acquire_memory(bytes)
    }

    /// Gives what there is to tell, once it has settled.
    pub(super) fn poll_told(
        &mut self,
        context: &mut Context<'_>,
        send: impl FnMut(&[u8]),
    ) -> Poll<StreamState> {
        loop {
            ready!(self.listener.poll_changes(context));
            if let Some(clock) = &mut self.clock
                && self.periods > 0
                && !self.listener.has_ended()
            {
                ready!(clock.as_mut().poll(context));
            }
            if self.listener.is_quiet() || self.periods >= MAX_PERIODS {
                self.periods = 0;
                return Poll::Ready(self.listener.tell(send));
            }
            self.periods += 1;
            match &mut self.clock {
                Some(clock) => clock.as_mut().reset(Instant::now() + QUIET_PERIOD),
                clock => *clock = Some(Box::pin(sleep(QUIET_PERIOD))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::Value;
    use tokio::time::timeout;

    use super::*;
    use crate::dispatch::{Answer, CallHandle, Opened, SubscriberGroup};
    use crate::server::{Server, ServerBuilder};

    const LISTEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
        "notifications":{"toolsListChanged":true},"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}}}"#;

    fn listen(server: &Server) -> Subscription {
        let mut readable = Vec::new();
        let Opened::Request(request) = server.core().open(LISTEN.as_bytes(), &mut readable) else {
            panic!("no request");
        };
        let control =
            Arc::new(CallHandle::default().with_subscriber_group(SubscriberGroup::apart()));
        match server.core().answer(&request, &control, &mut Vec::new()) {
            Answer::Listening(listener) => Subscription::new(listener),
            other => panic!("{other:?}"),
        }
    }

    /// The methods of what is told next.
    async fn told(subscription: &mut Subscription) -> Vec<String> {
        let mut methods = Vec::new();
        let mut note = |message: &[u8]| {
            let message: Value = serde_json::from_slice(message).unwrap();
            methods.push(message["method"].as_str().unwrap().to_owned());
        };
        poll_fn(|context| subscription.poll_told(context, &mut note)).await;
        methods
    }

    // The clock stands still but for sleeps, so that these take no time and come out the same on any machine.
    #[tokio::test(start_paused = true)]
    async fn a_burst_is_told_once() {
        let server = ServerBuilder::new("tested", "1.0.0").build().unwrap();
        let mut subscription = listen(&server);
        for _ in 0..2 {
            let burst = async {
                // Less than the longest time, with a change in each moment.
                for _ in 0..QUIET_PERIOD.as_millis() * u128::from(MAX_PERIODS - 1) {
                    server.notify().tools_list_changed();
                    sleep(Duration::from_millis(1)).await;
                }
            };
            let (told_of_it, ()) = tokio::join!(told(&mut subscription), burst);
            assert_eq!(told_of_it, ["notifications/tools/list_changed"]);
            let more = timeout(QUIET_PERIOD * 100, told(&mut subscription)).await;
            assert!(more.is_err(), "{more:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn changes_without_an_end_are_told_all_the_same() {
        let server = ServerBuilder::new("tested", "1.0.0").build().unwrap();
        let mut subscription = listen(&server);
        let changes = async {
            loop {
                server.notify().tools_list_changed();
                sleep(Duration::from_millis(1)).await;
            }
        };
        let listening = async {
            let began = Instant::now();
            for _ in 0..3 {
                assert_eq!(told(&mut subscription).await.len(), 1);
            }
            began.elapsed()
        };
        tokio::select! {
            () = changes => unreachable!("they have no end"),
            took = listening => {
                let longest = QUIET_PERIOD * (MAX_PERIODS + 1) * 3;
                assert!(took > QUIET_PERIOD * MAX_PERIODS && took < longest, "{took:?}");
            }
        }
    }
}
