//! Who listens to what, and what each of them has not been told yet.
//!
//! A stream has one flag for each of its topics. A change sets the flag, and a flag that is set already stays as it is:
//! so a client that reads slowly misses nothing but repetitions, and what waits for it is never more than what it asked
//! for. No lock is held while anybody is woken, for whoever is woken may take locks of its own.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::bound::Permit;
use crate::task::TaskId;

/// What a stream can tell of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The lists of resources and templates.
    Resources,
    /// One resource, by its URI.
    Resource(Arc<str>),
    /// One task.
    Task(WatchedTask),
}

/// A task as one principal may see it: others that know its id hear nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::dispatch) struct WatchedTask {
    pub(in crate::dispatch) id: TaskId,
    pub(in crate::dispatch) principal: Option<Arc<str>>,
}

/// What has changed, and what there is to say of it beyond that.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) topic: Topic,
    /// The members of a task, each with a comma before it.
    pub(super) members: Option<Arc<[u8]>>,
}

/// How a task stands.
#[derive(Debug, Clone)]
pub(super) struct TaskState {
    /// How often it was written until then, so that nothing older is told behind something newer.
    pub(super) version: u64,
    /// Its members, each with a comma before it.
    pub(super) members: Arc<[u8]>,
}

/// The streams of one transport, which end together.
#[derive(Debug, Default)]
pub(crate) struct SubscriberGroup {
    ended: AtomicBool,
    /// The end of a stream is said by `notifications/cancelled` before the response.
    says_cancelled: bool,
}

impl SubscriberGroup {
    /// Streams of their own, whose ends are seen in the transport (basic/transports/streamable-http).
    #[cfg(feature = "http")]
    pub(crate) fn apart() -> Arc<Self> {
        Arc::default()
    }

    /// Streams that share one channel (basic/transports/stdio).
    pub(crate) fn together() -> Arc<Self> {
        Arc::new(Self {
            ended: AtomicBool::new(false),
            says_cancelled: true,
        })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(super) fn says_cancelled(&self) -> bool {
        self.says_cancelled
    }
}

/// All open streams of a server.
#[derive(Debug, Default)]
pub(crate) struct Broadcaster {
    /// How many there are, for those who need not take the lock if there are none.
    open: AtomicUsize,
    streams: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    /// The number of the stream that was opened last.
    last: u64,
    open: HashMap<u64, Arc<Mailbox>>,
    /// The subscribers of each topic, by the numbers of their streams.
    subscribers: HashMap<Topic, Vec<Subscriber>>,
}

#[derive(Debug)]
struct Subscriber {
    stream: u64,
    /// The position of the topic among those of the stream.
    position: usize,
    mailbox: Arc<Mailbox>,
}

impl Broadcaster {
    /// Opens a stream, which holds its place until it is closed.
    pub(super) fn open(
        self: &Arc<Self>,
        subscriber_group: &Arc<SubscriberGroup>,
        topics: Box<[Topic]>,
        place: Permit,
    ) -> Stream {
        let mut streams = self.streams();
        streams.last += 1;
        let stream = streams.last;
        let mailbox = Arc::new(Mailbox::new(Arc::clone(subscriber_group), topics));
        for (position, topic) in mailbox.topics.iter().enumerate() {
            let subscribers = streams.subscribers.entry(topic.clone()).or_default();
            subscribers.push(Subscriber {
                stream,
                position,
                mailbox: Arc::clone(&mailbox),
            });
        }
        streams.open.insert(stream, Arc::clone(&mailbox));
        self.open.store(streams.open.len(), Ordering::Release);
        Stream {
            broadcaster: Arc::clone(self),
            number: stream,
            mailbox,
            _place: place,
        }
    }

    /// Tells the subscribers of a topic that it has changed.
    pub(super) fn publish(&self, topic: &Topic) {
        self.publish_with(topic, None);
    }

    /// The same with more to say; of several such changes that nobody has read yet the newest is told.
    pub(super) fn publish_with(&self, topic: &Topic, state: Option<&TaskState>) {
        let woken: Vec<_> = match self.streams().subscribers.get(topic) {
            Some(subscribers) => subscribers
                .iter()
                .filter_map(|subscriber| subscriber.mailbox.put(subscriber.position, state))
                .collect(),
            None => return,
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// The tasks that somebody listens to.
    pub(super) fn watched_tasks(&self) -> HashSet<WatchedTask> {
        if self.is_silent() {
            return HashSet::new();
        }
        let streams = self.streams();
        let topics = streams.subscribers.keys();
        let tasks = topics.filter_map(|topic| match topic {
            Topic::Task(task) => Some(task.clone()),
            _ => None,
        });
        tasks.collect()
    }

    /// Whether nobody listens to anything.
    pub(super) fn is_silent(&self) -> bool {
        self.open.load(Ordering::Acquire) == 0
    }

    /// Whether nothing is left of any stream.
    #[cfg(test)]
    pub(super) fn has_no_subscribers(&self) -> bool {
        self.streams().subscribers.is_empty()
    }

    /// Ends all streams of an subscriber group, those that are opened later too.
    pub(crate) fn end(&self, subscriber_group: &Arc<SubscriberGroup>) {
        subscriber_group.ended.store(true, Ordering::Release);
        let woken: Vec<_> = {
            let streams = self.streams();
            let theirs = streams.open.values();
            let theirs =
                theirs.filter(|mailbox| Arc::ptr_eq(&mailbox.subscriber_group, subscriber_group));
            theirs.filter_map(|mailbox| mailbox.reader()).collect()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    fn close(&self, stream: u64) {
        let mut streams = self.streams();
        let Some(mailbox) = streams.open.remove(&stream) else {
            return;
        };
        for topic in &mailbox.topics {
            let Some(subscribers) = streams.subscribers.get_mut(topic) else {
                continue;
            };
            // Streams are numbered as they come, so the subscribers stand in the order of their numbers.
            if let Ok(place) = subscribers.binary_search_by_key(&stream, |other| other.stream) {
                subscribers.remove(place);
            }
            if subscribers.is_empty() {
                streams.subscribers.remove(topic);
            }
        }
        self.open.store(streams.open.len(), Ordering::Release);
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        // Nothing panics while the tables are half changed.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open stream; dropping it closes it.
#[derive(Debug)]
pub(super) struct Stream {
    broadcaster: Arc<Broadcaster>,
    number: u64,
    pub(super) mailbox: Arc<Mailbox>,
    _place: Permit,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.broadcaster.close(self.number);
    }
}

/// What one stream has to tell.
#[derive(Debug)]
pub(super) struct Mailbox {
    pub(super) subscriber_group: Arc<SubscriberGroup>,
    topics: Box<[Topic]>,
    news: Mutex<News>,
}

#[derive(Debug, Default)]
struct News {
    /// Positions of the topics that have changed, in the order of the changes, each once.
    changed: Vec<usize>,
    /// For each topic, whether it is among them.
    flags: Box<[bool]>,
    /// What there is to say of the changes at these positions.
    members: HashMap<usize, Arc<[u8]>>,
    /// The newest versions of the tasks at these positions, told or not.
    versions: HashMap<usize, u64>,
    /// Something has changed since this was last asked, even if it was to be told already.
    stirred: bool,
    reader: Option<Waker>,
}

impl Mailbox {
    fn new(subscriber_group: Arc<SubscriberGroup>, topics: Box<[Topic]>) -> Self {
        let news = News {
            flags: vec![false; topics.len()].into_boxed_slice(),
            ..News::default()
        };
        Self {
            subscriber_group,
            topics,
            news: Mutex::new(news),
        }
    }

    /// Notes that the topic at a position has changed; gives whom to wake.
    fn put(&self, position: usize, state: Option<&TaskState>) -> Option<Waker> {
        let mut news = self.news();
        if let Some(state) = state {
            // Who has stored something tells it later, and so may be overtaken.
            let is_known = |newest: &u64| *newest >= state.version;
            if news.versions.get(&position).is_some_and(is_known) {
                return None;
            }
            news.versions.insert(position, state.version);
            news.members.insert(position, Arc::clone(&state.members));
        }
        news.stirred = true;
        if std::mem::replace(&mut news.flags[position], true) {
            return None;
        }
        news.changed.push(position);
        news.reader.take()
    }

    fn reader(&self) -> Option<Waker> {
        self.news().reader.take()
    }

    /// Ready when there is something to tell, or the end.
    pub(super) fn poll_changes(&self, context: &Context<'_>) -> Poll<()> {
        let mut news = self.news();
        if !news.changed.is_empty() || self.subscriber_group.has_ended() {
            return Poll::Ready(());
        }
        match &mut news.reader {
            Some(reader) => reader.clone_from(context.waker()),
            reader => *reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Whether nothing has changed since this was last asked.
    pub(super) fn is_quiet(&self) -> bool {
        !std::mem::take(&mut self.news().stirred)
    }

    /// Takes what there is to tell.
    pub(super) fn take(&self) -> Vec<Change> {
        let mut news = self.news();
        let changed = std::mem::take(&mut news.changed);
        let mut members = std::mem::take(&mut news.members);
        for position in &changed {
            news.flags[*position] = false;
        }
        news.stirred = false;
        drop(news);
        let changes = changed.iter().map(|position| Change {
            topic: self.topics[*position].clone(),
            members: members.remove(position),
        });
        changes.collect()
    }

    fn news(&self) -> MutexGuard<'_, News> {
        // The flags and the list are changed together, and nothing panics in between.
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
