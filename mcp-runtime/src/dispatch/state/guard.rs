//! Making a state good for one use: the trait for stores, and the one that keeps what it knows in memory.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A memory of the states that have come back, so that each is taken once.
///
/// Without one, a client that sends a round twice has its steps run twice. With one, each round gives a state, and the second is
/// refused (−32602), even if the answer to the first was lost on its way. A call from its beginning is always another one, in
/// which nothing is answered that was not asked in it.
///
/// Servers that share their keys have to share this memory too, for example as a table whose primary key is the state:
///
/// ```
/// use std::error::Error;
/// use mcp_runtime::sealing::ReplayGuard;
///
/// # struct Database;
/// # impl Database { fn insert_unless_there(&self, _: &str, _: u64) -> Result<bool, std::fmt::Error> { Ok(true) } }
/// struct Table(Database);
///
/// impl ReplayGuard for Table {
///     fn redeem(&self, state: &str, _now: u64, expires: u64) -> Result<bool, Box<dyn Error + Send + Sync>> {
///         Ok(self.0.insert_unless_there(state, expires)?)
///     }
/// }
/// ```
pub trait ReplayGuard: Send + Sync {
    /// Notes that a state has come back; `false` if it had before.
    ///
    /// Both at once: of two calls with one state, at the same time and wherever they come from, one gives `true`.
    /// `state` is its id, 32 characters; `now` and `expires` are seconds since the beginning of 1970. A state that has expired
    /// is refused before it comes here, so it can be forgotten then. This runs before the handler, on the thread that
    /// took the request: a store that is slow to answer slows that down.
    ///
    /// # Errors
    ///
    /// The memory cannot be asked. The request fails (−32603), as it does if this panics, and the reason goes to the log.
    fn redeem(
        &self,
        state: &str,
        now: u64,
        expires: u64,
    ) -> Result<bool, Box<dyn Error + Send + Sync>>;
}

/// A memory that several servers share.
impl<G: ReplayGuard + ?Sized> ReplayGuard for Arc<G> {
    fn redeem(
        &self,
        state: &str,
        now: u64,
        expires: u64,
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        (**self).redeem(state, now, expires)
    }
}

/// The memory of one process, which forgets states when they expire: some hundred bytes for each round of the last 15 minutes.
#[derive(Default)]
pub struct MemoryReplayGuard {
    known: Mutex<BTreeMap<u64, HashSet<String>>>,
}

impl fmt::Debug for MemoryReplayGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryReplayGuard")
    }
}

impl MemoryReplayGuard {
    /// A memory that knows of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ReplayGuard for MemoryReplayGuard {
    fn redeem(
        &self,
        state: &str,
        now: u64,
        expires: u64,
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = known.split_off(&now);
        Ok(known.entry(expires).or_default().insert(state.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_taken_once_and_forgotten_when_it_has_expired() {
        let guard = MemoryReplayGuard::new();
        let redeem = |state, now, expires| guard.redeem(state, now, expires).unwrap();
        assert!(redeem("a", 10, 20));
        assert!(!redeem("a", 10, 20));
        assert!(redeem("b", 11, 21));
        assert!(!redeem("a", 20, 20), "it is good until then");
        assert!(!redeem("b", 21, 21));
        assert!(redeem("c", 22, 30));
        let known = guard.known.lock().unwrap();
        assert_eq!(known.keys().collect::<Vec<_>>(), [&30]);
    }
}
