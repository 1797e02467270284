//! What every store promises, shown on all of ours by one function each.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use proptest::collection::vec;
use proptest::prelude::*;

use super::store::{LeaseOwner, StoredTask, TaskLease, TaskQuota, TaskStore};
use super::{MemoryTaskStore, TaskId, TaskStoreError};

/// Waits on the calling thread.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        thread::park();
    }
}

pub(super) const MANY: TaskQuota = TaskQuota {
    active: 1_000,
    stored: 1_000,
};

pub(super) fn task(number: u8) -> StoredTask {
    StoredTask::new(
        TaskId::from_bytes([number; 16]),
        format!("content {number}"),
    )
}

pub(super) fn lease(owner: u8, until: u64) -> TaskLease {
    TaskLease {
        owner: LeaseOwner::from_bytes([owner; 16]),
        until,
    }
}

fn ids(tasks: &[StoredTask]) -> Vec<u8> {
    let mut ids: Vec<_> = tasks.iter().map(|task| task.id.as_bytes()[0]).collect();
    ids.sort_unstable();
    ids
}

/// Runs a check over each kind of store.
fn over_all_stores(check: impl Fn(&dyn TaskStore)) {
    check(&MemoryTaskStore::new());
    #[cfg(feature = "sqlite")]
    {
        let folder = super::sqlite::tests::Folder::new();
        check(&folder.open());
    }
}

#[test]
fn what_was_created_is_loaded_as_it_was() {
    over_all_stores(|store| {
        let mut whole = task(1);
        whole.principal = Some("ada ü \0".to_owned());
        whole.expires_at = Some(17);
        whole.lease = Some(lease(9, 40));
        whole.content = "{\"text\":\"\u{1f600}\"}".to_owned();
        for task in [whole, task(2)] {
            wait(store.create(task.clone(), MANY, 0)).unwrap();
            assert_eq!(wait(store.load(task.id)).unwrap(), Some(task));
        }
        assert_eq!(wait(store.load(task(3).id)).unwrap(), None);
    });
}

#[test]
fn an_id_is_given_once() {
    over_all_stores(|store| {
        wait(store.create(task(1), MANY, 0)).unwrap();
        let mut again = task(1);
        again.content = "other".to_owned();
        assert!(wait(store.create(again, MANY, 0)).is_err());
        assert_eq!(wait(store.load(task(1).id)).unwrap(), Some(task(1)));
    });
}

#[test]
fn only_the_version_that_was_read_is_written_over() {
    over_all_stores(|store| {
        wait(store.create(task(1), MANY, 0)).unwrap();
        let mut first = wait(store.load(task(1).id)).unwrap().unwrap();
        let mut second = first.clone();
        first.content = "first".to_owned();
        second.content = "second".to_owned();
        assert!(wait(store.replace(first)).unwrap());
        assert!(!wait(store.replace(second)).unwrap());
        let kept = wait(store.load(task(1).id)).unwrap().unwrap();
        assert_eq!((kept.version, &*kept.content), (1, "first"));
        assert!(!wait(store.replace(task(2))).unwrap());
        assert_eq!(wait(store.load(task(2).id)).unwrap(), None);
    });
}

#[test]
fn an_ended_task_loses_its_lease_and_keeps_its_principal() {
    over_all_stores(|store| {
        let mut owned = task(1);
        owned.principal = Some("ada".to_owned());
        owned.lease = Some(lease(1, 50));
        wait(store.create(owned.clone(), MANY, 0)).unwrap();
        owned.content = "working".to_owned();
        assert!(wait(store.replace(owned.clone())).unwrap());
        let working = wait(store.load(owned.id)).unwrap().unwrap();
        assert_eq!(working.lease, Some(lease(1, 50)));
        owned.version = 1;
        owned.is_active = false;
        owned.expires_at = Some(99);
        owned.principal = None;
        assert!(wait(store.replace(owned.clone())).unwrap());
        let ended = wait(store.load(owned.id)).unwrap().unwrap();
        assert_eq!(ended.lease, None);
        assert_eq!(ended.principal.as_deref(), Some("ada"));
        assert_eq!((ended.is_active, ended.expires_at), (false, Some(99)));
        assert_eq!(wait(store.claim(lease(2, 100), 60, 9, &[])).unwrap(), []);
    });
}

#[test]
fn free_and_ended_leases_are_claimed_and_held_ones_are_not() {
    over_all_stores(|store| {
        for (number, held) in [(1, None), (2, Some(lease(1, 50))), (3, Some(lease(1, 80)))] {
            let mut task = task(number);
            task.lease = held;
            wait(store.create(task, MANY, 0)).unwrap();
        }
        assert_eq!(
            ids(&wait(store.claim(lease(2, 200), 50, 9, &[])).unwrap()),
            [1]
        );
        let claimed = wait(store.claim(lease(3, 300), 51, 9, &[])).unwrap();
        assert_eq!(ids(&claimed), [2]);
        assert_eq!(claimed[0].lease, Some(lease(3, 300)));
        assert_eq!(claimed[0].version, 1);
        // The owner before comes too late with what it had read.
        let mut late = task(2);
        late.content = "late".to_owned();
        assert!(!wait(store.replace(late)).unwrap());
        assert_eq!(
            wait(store.claim(lease(4, 400), 301, 2, &[])).unwrap().len(),
            2
        );
    });
}

#[test]
fn renewing_prolongs_leases_and_tells_what_others_have_changed() {
    over_all_stores(|store| {
        for number in [1, 2, 3] {
            let mut task = task(number);
            task.lease = Some(lease(number % 2, 50));
            wait(store.create(task, MANY, 0)).unwrap();
        }
        assert!(wait(store.replace(task(3))).unwrap());
        let mut held = wait(store.renew(lease(1, 90))).unwrap();
        held.sort_unstable();
        assert_eq!(held, [(task(1).id, 0), (task(3).id, 1)]);
        assert_eq!(
            ids(&wait(store.claim(lease(4, 99), 60, 9, &[])).unwrap()),
            [2]
        );
        assert_eq!(wait(store.renew(lease(5, 90))).unwrap(), []);
    });
}

#[test]
fn who_stops_leaves_tasks_to_others_at_once() {
    over_all_stores(|store| {
        for number in [1, 2] {
            let mut task = task(number);
            task.lease = Some(lease(number, 50));
            wait(store.create(task, MANY, 0)).unwrap();
        }
        wait(store.release(lease(1, 0).owner, None)).unwrap();
        assert_eq!(
            ids(&wait(store.claim(lease(3, 99), 1, 9, &[])).unwrap()),
            [1]
        );
    });
}

#[test]
fn one_task_can_be_given_back_and_left_to_others() {
    over_all_stores(|store| {
        for number in [1, 2, 3] {
            wait(store.create(task(number), MANY, 0)).unwrap();
        }
        let claim = |owner, except: &[TaskId]| {
            ids(&wait(store.claim(lease(owner, 90), 1, 9, except)).unwrap())
        };
        assert_eq!(claim(1, &[task(3).id]), [1, 2]);
        wait(store.release(lease(1, 0).owner, Some(task(2).id))).unwrap();
        wait(store.release(lease(9, 0).owner, Some(task(1).id))).unwrap();
        assert_eq!(claim(1, &[task(2).id, task(3).id]), [0_u8; 0]);
        assert_eq!(claim(2, &[]), [2, 3]);
    });
}

#[test]
fn expired_tasks_are_forgotten_and_never_claimed() {
    over_all_stores(|store| {
        for (number, expires_at) in [(1, None), (2, Some(10)), (3, Some(11))] {
            let mut task = task(number);
            task.expires_at = expires_at;
            wait(store.create(task, MANY, 0)).unwrap();
        }
        assert_eq!(
            ids(&wait(store.claim(lease(1, 5), 11, 9, &[])).unwrap()),
            [1, 3]
        );
        assert_eq!(wait(store.purge(11)).unwrap(), 1);
        assert_eq!(wait(store.load(task(2).id)).unwrap(), None);
        assert_eq!(wait(store.purge(u64::MAX)).unwrap(), 1);
    });
}

#[test]
fn quotas_count_what_a_principal_has() {
    over_all_stores(|store| {
        let quota = TaskQuota {
            active: 2,
            stored: 3,
        };
        let create = |number, principal: Option<&str>, expires_at, now| {
            let mut task = task(number);
            task.principal = principal.map(str::to_owned);
            task.expires_at = expires_at;
            wait(store.create(task, quota, now))
        };
        create(1, None, Some(10), 0).unwrap();
        create(2, None, Some(10), 0).unwrap();
        let refused = create(3, None, None, 0);
        assert_eq!(refused, Err(TaskStoreError::TooManyActive(2)));
        // Somebody else is not concerned, and what has expired does not count.
        create(3, Some("ada"), None, 0).unwrap();
        create(4, None, None, 11).unwrap();
    });
}

#[test]
fn what_ended_first_makes_room_for_a_new_task() {
    over_all_stores(|store| {
        let quota = |active, stored| TaskQuota { active, stored };
        let create = |number, principal: Option<&str>, quota| {
            let mut task = task(number);
            task.principal = principal.map(str::to_owned);
            wait(store.create(task, quota, 0))
        };
        let end = |number| {
            let mut task = wait(store.load(task(number).id)).unwrap().unwrap();
            task.is_active = false;
            assert!(wait(store.replace(task)).unwrap());
        };
        let kept = || -> Vec<u8> {
            let all =
                (1..10).filter(|number| wait(store.load(task(*number).id)).unwrap().is_some());
            all.collect()
        };
        create(9, Some("ada"), quota(9, 4)).unwrap();
        end(9);
        for number in 1..=4 {
            create(number, None, quota(9, 4)).unwrap();
        }
        let refused = create(5, None, quota(9, 4));
        assert_eq!(refused, Err(TaskStoreError::TooManyStored(4)));
        end(3);
        end(1);
        // Running tasks stay, and so do those of others.
        create(5, None, quota(9, 4)).unwrap();
        assert_eq!(kept(), [1, 2, 4, 5, 9]);
        end(2);
        let refused = create(6, None, quota(2, 4));
        assert_eq!(refused, Err(TaskStoreError::TooManyActive(2)));
        // A bound that has become lower takes more than one, if that is enough.
        let refused = create(6, None, quota(9, 2));
        assert_eq!(refused, Err(TaskStoreError::TooManyStored(2)));
        assert_eq!(kept(), [1, 2, 4, 5, 9]);
        create(6, None, quota(9, 3)).unwrap();
        assert_eq!(kept(), [4, 5, 6, 9]);
    });
}

/// One thing that happens to a store.
#[derive(Debug, Clone)]
enum Event {
    Create(u8, Option<u8>, Option<u64>),
    Replace {
        id: u8,
        stale: bool,
        ends: bool,
    },
    Claim {
        owner: u8,
        now: u64,
        except: Option<u8>,
    },
    Renew {
        owner: u8,
        until: u64,
    },
    Release(u8, Option<u8>),
    Purge(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let id = 0..6_u8;
    let owner = 0..3_u8;
    let time = 0..40_u64;
    prop_oneof![
        (
            id.clone(),
            prop::option::of(owner.clone()),
            prop::option::of(time.clone())
        )
            .prop_map(|(id, owner, expiry)| Event::Create(id, owner, expiry)),
        (id.clone(), any::<bool>(), any::<bool>()).prop_map(|(id, stale, ends)| Event::Replace {
            id,
            stale,
            ends
        }),
        (owner.clone(), time.clone(), prop::option::of(id.clone()))
            .prop_map(|(owner, now, except)| Event::Claim { owner, now, except }),
        (owner.clone(), time.clone()).prop_map(|(owner, until)| Event::Renew { owner, until }),
        (owner, prop::option::of(id.clone())).prop_map(|(owner, only)| Event::Release(owner, only)),
        time.prop_map(Event::Purge),
    ]
}

/// What a store answers to an event, and what it keeps then.
fn told(store: &dyn TaskStore, event: &Event) -> String {
    let quota = TaskQuota {
        active: 3,
        stored: 4,
    };
    let answer = match *event {
        Event::Create(id, owner, expires_at) => {
            let mut task = task(id);
            task.lease = owner.map(|owner| lease(owner, 20));
            task.expires_at = expires_at;
            format!("{:?}", wait(store.create(task, quota, 10)).is_ok())
        }
        Event::Replace { id, stale, ends } => {
            let kept = wait(store.load(task(id).id)).unwrap();
            let mut task = kept.unwrap_or_else(|| task(id));
            task.version = task.version.wrapping_sub(u64::from(stale));
            task.is_active = !ends;
            task.content.push('.');
            format!("{:?}", wait(store.replace(task)))
        }
        Event::Claim { owner, now, except } => {
            let except: Vec<_> = except.into_iter().map(|id| task(id).id).collect();
            // Which of many are claimed is a store's own choice, so all are.
            let claimed = wait(store.claim(lease(owner, now + 10), now, 100, &except)).unwrap();
            format!("{:?}", ids(&claimed))
        }
        Event::Renew { owner, until } => {
            let mut held = wait(store.renew(lease(owner, until))).unwrap();
            held.sort_unstable();
            format!("{held:?}")
        }
        Event::Release(owner, only) => {
            let only = only.map(|id| task(id).id);
            format!("{:?}", wait(store.release(lease(owner, 0).owner, only)))
        }
        Event::Purge(now) => format!("{:?}", wait(store.purge(now))),
    };
    let kept = (0..6).map(|id| wait(store.load(task(id).id)).unwrap());
    format!("{answer} {:?}", kept.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn all_stores_tell_the_same_of_the_same_events(events in vec(event(), 1..40)) {
        let told = |store: &dyn TaskStore| -> Vec<String> {
            events.iter().map(|event| told(store, event)).collect()
        };
        let expected = told(&MemoryTaskStore::new());
        over_all_stores(|store| assert_eq!(told(store), expected));
    }
}
