//! States under a clock that stands still until it is moved, and with random bytes that can be foretold.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;

#[derive(Debug, Default)]
struct Fake {
    now: AtomicU64,
    random: Mutex<u8>,
    is_dry: AtomicBool,
}

impl Environment for Fake {
    fn unix_millis(&self) -> u64 {
        self.now.load(Ordering::Relaxed) * 1000
    }

    fn fill_random(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        if self.is_dry.load(Ordering::Relaxed) {
            return Err(NoRandomness);
        }
        let mut random = self.random.lock().unwrap();
        *random += 1;
        bytes.fill(*random);
        Ok(())
    }
}

struct Bench {
    fake: Arc<Fake>,
    sealing: Sealing,
    limits: Limits,
}

fn bench() -> Bench {
    let fake = Arc::new(Fake::default());
    Bench {
        sealing: Sealing {
            keys: KeyRing::random(),
            name: "tested".into(),
            environment: Arc::<Fake>::clone(&fake),
            guard: None,
        },
        limits: Limits::default(),
        fake,
    }
}

fn target() -> Target {
    Target::new("tools/call", "pay", r#"{"a":1}"#, "{}", Some("ada"))
}

impl Bench {
    fn seal(&self, rounds: u32) -> Result<String, DispatchError> {
        let kept = Saved {
            journal: Journal::default(),
            id: Some([9; 16]),
            rounds,
        };
        self.sealing.seal(
            target(),
            vec![("tip".to_owned(), "url".to_owned())],
            kept,
            &self.limits,
        )
    }

    fn open(&self, state: &str, target: &Target) -> Result<ResumeState, DispatchError> {
        self.sealing.open(state, target, &self.limits)
    }

    #[track_caller]
    fn refusal(&self, state: &str, target: &Target) -> BadState {
        match self.open(state, target) {
            Err(DispatchError::State(bad)) => bad,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_state_comes_back_as_it_was() {
    let bench = bench();
    let earlier = bench.open(&bench.seal(3).unwrap(), &target()).unwrap();
    assert_eq!(earlier.rounds, 3);
    assert_eq!(earlier.id, Some([9; 16]));
    assert_eq!(
        earlier.asked.unwrap(),
        [("tip".to_owned(), "url".to_owned())]
    );
    assert!(earlier.journal.is_empty());
}

#[test]
fn a_state_is_good_until_it_expires() {
    let bench = bench();
    bench.fake.now.store(1_000, Ordering::Relaxed);
    let state = bench.seal(1).unwrap();
    bench.fake.now.store(1_900, Ordering::Relaxed);
    assert!(bench.open(&state, &target()).is_ok());
    bench.fake.now.store(1_901, Ordering::Relaxed);
    assert_eq!(bench.refusal(&state, &target()), BadState::Expired);
    let told = DispatchError::State(BadState::Expired).to_string();
    assert_eq!(
        told,
        "Invalid params: requestState has expired; begin again without it"
    );
}

#[test]
fn the_lifetime_of_a_state_is_the_limit() {
    for lifetime in [0, 5, 3600] {
        let mut bench = bench();
        bench.limits.request_state_ttl = std::time::Duration::from_secs(lifetime);
        bench.fake.now.store(1_000, Ordering::Relaxed);
        let state = bench.seal(1).unwrap();
        bench.fake.now.store(1_000 + lifetime, Ordering::Relaxed);
        assert!(bench.open(&state, &target()).is_ok(), "{lifetime}");
        bench.fake.now.store(1_001 + lifetime, Ordering::Relaxed);
        assert_eq!(bench.refusal(&state, &target()), BadState::Expired);
    }
}

#[test]
fn a_state_is_refused_for_what_differs() {
    let bench = bench();
    let state = bench.seal(1).unwrap();
    let with = |change: fn(&mut Target)| {
        let mut target = target();
        change(&mut target);
        bench.refusal(&state, &target)
    };
    let other = |method, name, arguments, schema, principal| {
        bench.refusal(
            &state,
            &Target::new(method, name, arguments, schema, principal),
        )
    };
    let (call, pay, one) = ("tools/call", "pay", r#"{"a":1}"#);
    assert_eq!(
        other("prompts/get", pay, one, "{}", Some("ada")),
        BadState::OtherMethod
    );
    assert_eq!(
        other(call, "refund", one, "{}", Some("ada")),
        BadState::OtherCall
    );
    assert_eq!(
        other(call, pay, r#"{"a":2}"#, "{}", Some("ada")),
        BadState::OtherCall
    );
    assert_eq!(
        other(call, pay, one, "true", Some("ada")),
        BadState::OtherSchema
    );
    assert_eq!(
        other(call, pay, one, "{}", Some("bob")),
        BadState::OtherPrincipal
    );
    assert_eq!(
        with(|target| target.principal = None),
        BadState::OtherPrincipal
    );
}

#[test]
fn why_a_state_is_refused_is_not_the_clients_to_know() {
    let said = |bad| DispatchError::State(bad).to_string();
    let reasons = [
        BadState::NotAString,
        BadState::TooLong,
        BadState::Unsealed,
        BadState::OtherForm,
        BadState::OtherMethod,
        BadState::OtherCall,
        BadState::OtherSchema,
        BadState::OtherPrincipal,
        BadState::Replayed,
    ];
    for bad in reasons {
        assert_eq!(said(bad), said(BadState::Unsealed));
    }
}

#[test]
fn two_seals_of_one_state_have_nothing_in_common() {
    let bench = bench();
    let (one, two) = (bench.seal(1).unwrap(), bench.seal(1).unwrap());
    assert_ne!(one, two);
    let ids = [&one, &two].map(|state| bench.sealing.keys.open(state, "tested").unwrap().id);
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn bounds_are_told_with_their_numbers() {
    let mut bench = bench();
    assert!(bench.seal(10).is_ok());
    assert_eq!(bench.seal(11), Err(DispatchError::TooManyRounds(10)));
    bench.limits.max_journal_size = 10;
    assert!(matches!(
        bench.seal(1),
        Err(DispatchError::JournalTooLarge { limit: 10, .. })
    ));
}

#[test]
fn without_random_bytes_nothing_is_sealed() {
    let bench = bench();
    bench.fake.is_dry.store(true, Ordering::Relaxed);
    assert!(matches!(bench.seal(1), Err(DispatchError::Failed(_))));
    bench.fake.is_dry.store(false, Ordering::Relaxed);
    let state = bench.seal(1).unwrap();
    bench.fake.is_dry.store(true, Ordering::Relaxed);
    assert!(matches!(bench.seal(1), Err(DispatchError::Failed(_))));
    assert!(bench.open(&state, &target()).is_ok(), "opening needs none");
}

/// A memory that cannot be asked.
struct Broken;

impl ReplayGuard for Broken {
    fn redeem(
        &self,
        _: &str,
        _: u64,
        _: u64,
    ) -> Result<bool, Box<dyn std::error::Error + Send + Sync>> {
        Err("no connection".into())
    }
}

/// A memory that fails without a word.
struct Panicking;

impl ReplayGuard for Panicking {
    fn redeem(
        &self,
        _: &str,
        _: u64,
        _: u64,
    ) -> Result<bool, Box<dyn std::error::Error + Send + Sync>> {
        panic!("no memory")
    }
}

#[test]
fn a_guard_that_panics_refuses() {
    let mut bench = bench();
    bench.sealing.guard = Some(Arc::new(Panicking));
    let state = bench.seal(1).unwrap();
    assert!(matches!(
        bench.open(&state, &target()),
        Err(DispatchError::Failed(_))
    ));
}

#[test]
fn a_guard_is_asked_last_and_its_failure_refuses() {
    let mut bench = bench();
    bench.sealing.guard = Some(Arc::new(MemoryReplayGuard::new()));
    let state = bench.seal(1).unwrap();
    let other = Target::new("tools/call", "refund", "{}", "{}", Some("ada"));
    assert_eq!(bench.refusal(&state, &other), BadState::OtherCall);
    assert!(
        bench.open(&state, &target()).is_ok(),
        "a refusal has not used it up"
    );
    assert_eq!(bench.refusal(&state, &target()), BadState::Replayed);
    bench.sealing.guard = Some(Arc::new(Broken));
    let state = bench.seal(1).unwrap();
    assert!(matches!(
        bench.open(&state, &target()),
        Err(DispatchError::Failed(_))
    ));
}

#[test]
fn a_state_opens_only_under_the_name_that_sealed_it() {
    let mut bench = bench();
    let state = bench.seal(1).unwrap();
    assert!(bench.open(&state, &target()).is_ok());
    // Keys that are shared are no excuse, and a name is no part of another.
    for other in ["", "test", "tested2", "Tested"] {
        bench.sealing.name = other.into();
        let refused = bench.open(&state, &target()).unwrap_err();
        assert_eq!(refused, DispatchError::State(BadState::Unsealed), "{other}");
    }
}

#[test]
fn the_length_of_a_state_shows_its_content_to_64_bytes_only() {
    let bench = bench();
    let sealed = |text: &str| {
        let mut journal = Journal::default();
        let result = serde_json::value::to_raw_value(text).unwrap();
        journal.insert(
            "step".to_owned(),
            super::super::conversation::Entry::Once(result),
        );
        let kept = Saved {
            journal,
            id: Some([9; 16]),
            rounds: 1,
        };
        let state = bench
            .sealing
            .seal(target(), Vec::new(), kept, &bench.limits);
        let state = state.unwrap();
        assert!(bench.open(&state, &target()).is_ok());
        let payload = bench.sealing.keys.open(&state, "tested").unwrap().payload;
        assert_eq!(payload.len() % 64, 0);
        state.len()
    };
    let lengths: std::collections::BTreeSet<_> =
        (0..128).map(|size| sealed(&"x".repeat(size))).collect();
    assert!((2..=3).contains(&lengths.len()), "{lengths:?}");
}
