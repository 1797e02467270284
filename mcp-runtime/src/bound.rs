//! A bound that all senders share: how much may be held at one time, and how much of it by one sender.
//!
//! A part of each bound is reserved for senders that hold little, so that one sender cannot take all of it. Deliberately not
//! here: the decision what is counted, and the answer to a sender that is refused.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// The last part of a bound, one in so many, is reserved for senders that hold little.
const RESERVED: usize = 4;

/// A sender holds little if it holds less than one part in so many.
const LITTLE: usize = 8;

/// A sender of requests, as far as senders are counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "senders are told apart over HTTP alone")
)]
pub(crate) enum Sender {
    /// A principal, by a hash of its identifier that clients cannot foresee.
    Principal(u64),
    /// An IPv4 address.
    V4([u8; 4]),
    /// An IPv6 network of 64 bits, which is what one customer has at the least.
    V6([u8; 8]),
    /// All senders whose address is not known.
    Unknown,
}

#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "senders are told apart over HTTP alone")
)]
impl Sender {
    /// Returns the sender that an identifier of a principal stands for.
    pub(crate) fn principal(id: &(impl Hash + ?Sized)) -> Self {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Self::Principal(HASHER.hash_one(id))
    }
}

/// There is no room for an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// An amount that may be held at one time.
#[derive(Debug)]
pub(crate) struct Bound {
    limit: usize,
    total: AtomicUsize,
    /// The amounts of the senders that hold something.
    senders: Mutex<HashMap<Sender, usize>>,
}

impl Bound {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            total: AtomicUsize::new(0),
            senders: Mutex::default(),
        })
    }

    /// Returns the limit of a bound of which one sender can hold an amount.
    pub(crate) fn for_one_sender(amount: usize) -> usize {
        amount.div_ceil(RESERVED - 1).saturating_mul(RESERVED)
    }

    /// Returns the most that may be held.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns how much is held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    /// Takes an amount for a sender until the permit is dropped; `None` is the process itself, which has no share.
    pub(crate) fn acquire(
        self: &Arc<Self>,
        sender: Option<Sender>,
        amount: usize,
    ) -> Result<Permit, Full> {
        let mut permit = self.permit(sender);
        permit.grow(amount)?;
        Ok(permit)
    }

    /// Returns a permit that holds nothing yet.
    pub(crate) fn permit(self: &Arc<Self>, sender: Option<Sender>) -> Permit {
        Permit {
            bound: Arc::clone(self),
            sender,
            amount: 0,
        }
    }

    /// Adds an amount to the total for a sender that holds this much.
    fn add(&self, held: usize, amount: usize) -> Result<(), Full> {
        let holds_little = held < self.limit.div_ceil(LITTLE);
        let reserved = if holds_little {
            0
        } else {
            self.limit / RESERVED
        };
        let most = self.limit - reserved;
        let after = |total: usize| total.checked_add(amount).filter(|after| *after <= most);
        let added = self
            .total
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, after);
        added.map(|_| ()).map_err(|_| Full)
    }

    fn senders(&self) -> MutexGuard<'_, HashMap<Sender, usize>> {
        // Every change is one insertion, removal or addition.
        self.senders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An amount that is held until this is dropped.
#[derive(Debug)]
#[must_use = "a permit that is dropped holds nothing"]
pub(crate) struct Permit {
    bound: Arc<Bound>,
    sender: Option<Sender>,
    amount: usize,
}

impl Permit {
    /// Takes more; holds what it held before if there is no room.
    pub(crate) fn grow(&mut self, amount: usize) -> Result<(), Full> {
        if amount == 0 {
            return Ok(());
        }
        match self.sender {
            None => self.bound.add(0, amount)?,
            Some(sender) => {
                let mut senders = self.bound.senders();
                let held = senders.get(&sender).copied().unwrap_or(0);
                self.bound.add(held, amount)?;
                senders.insert(sender, held + amount);
            }
        }
        self.amount += amount;
        Ok(())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.amount == 0 {
            return;
        }
        if let Some(sender) = self.sender
            && let Entry::Occupied(mut held) = self.bound.senders().entry(sender)
        {
            *held.get_mut() -= self.amount;
            if *held.get() == 0 {
                held.remove();
            }
        }
        self.bound.total.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Option<Sender> = Some(Sender::V4([192, 0, 2, 1]));
    const BOB: Option<Sender> = Some(Sender::V4([192, 0, 2, 2]));

    fn take(bound: &Arc<Bound>, sender: Option<Sender>, most: usize) -> Vec<Permit> {
        (0..most)
            .map_while(|_| bound.acquire(sender, 1).ok())
            .collect()
    }

    #[test]
    fn one_sender_leaves_a_quarter_to_the_others() {
        let bound = Bound::new(1024);
        let greedy = take(&bound, ADA, 2000);
        assert_eq!(greedy.len(), 768);
        let others = (0..=255_u8).map(|last| Some(Sender::V4([198, 51, 100, last])));
        let others: Vec<_> = others.map(|other| bound.acquire(other, 1)).collect();
        assert!(others.iter().all(Result::is_ok));
        assert!(bound.acquire(BOB, 1).is_err(), "all of it is held");
        drop((greedy, others));
        assert_eq!(bound.held(), 0);
        assert!(bound.senders().is_empty());
    }

    #[test]
    fn a_sender_that_holds_an_eighth_holds_much() {
        let bound = Bound::new(64);
        let greedy = take(&bound, ADA, 64);
        assert_eq!(greedy.len(), 48);
        assert_eq!(take(&bound, BOB, 64).len(), 8);
    }

    #[test]
    fn the_process_itself_has_no_share() {
        let bound = Bound::new(1024);
        assert_eq!(take(&bound, None, 2000).len(), 1024);
        assert!(bound.senders().is_empty());
    }

    #[test]
    fn small_bounds_have_all_of_their_room() {
        for limit in 0..4 {
            assert_eq!(take(&Bound::new(limit), ADA, 10).len(), limit);
        }
    }

    #[test]
    fn what_is_refused_leaves_the_rest_as_it_was() {
        let bound = Bound::new(100);
        let mut permit = bound.acquire(ADA, 10).unwrap();
        assert_eq!(permit.grow(91), Err(Full));
        assert_eq!(permit.grow(usize::MAX), Err(Full));
        assert_eq!(bound.held(), 10);
        permit.grow(60).unwrap();
        drop(permit);
        assert_eq!(bound.held(), 0);
    }

    #[test]
    fn principals_are_told_apart() {
        assert_eq!(Sender::principal("ada"), Sender::principal("ada"));
        assert_ne!(Sender::principal("ada"), Sender::principal("bob"));
    }
}
