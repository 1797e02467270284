//! A handler's conversation with its client, written as one straight line and carried on over several rounds.
//!
//! The protocol has no call from a server to its client. A request that needs input ends with its questions, the client sends it
//! again with the answers, and the handler runs again from the top (basic/patterns/mrtr). What it has learnt and done comes
//! back to it from a [`Journal`], under the keys that it gives. How the journal travels is decided in [`state`](super::state).

mod answers;
mod ask;
mod check;
mod form_semantics;
mod input_driver;
mod journal;
mod once;
mod open_call;
mod question;
mod round;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

pub use self::answers::Answers;
pub use self::ask::{ElicitFuture, ElicitOutcome};
pub(in crate::dispatch) use self::input_driver::RoundEnded;
pub(crate) use self::input_driver::{Ended, InputDriver, NextKey, Round};
pub(crate) use self::journal::{Entry, Journal};
pub(super) use self::once::enclosing_step;
pub use self::once::{IdempotencyKey, StepFuture};
use self::open_call::OpenCall;
pub(crate) use self::open_call::{AskedRound, ResponseSlot};
pub(crate) use self::question::Question;
use self::question::UNKNOWN;
pub(super) use self::question::{fits, subject_of};
pub(super) use self::round::read_responses;
use super::CallHandle;
use super::environment::{Environment, NoRandomness};
use crate::convert::ToolError;
use crate::json::write_str;
use crate::jsonrpc::{ErrorObject, code};

/// What a request brings from the rounds before it.
#[derive(Debug, Default)]
pub(crate) struct ResumeState {
    pub(crate) journal: Journal,
    /// How many rounds have handed out a state.
    pub(crate) rounds: u32,
    /// What all rounds of the conversation have in common.
    pub(crate) id: Option<ConversationId>,
    /// What the last round has asked, keys and subjects; `None` if it has left no state.
    pub(crate) asked: Option<Vec<(String, String)>>,
    /// What the client sent this time, undecoded.
    pub(crate) answers: HashMap<String, Box<RawValue>>,
}

/// 128 random bits that tell a conversation from all others.
pub(crate) type ConversationId = [u8; 16];

/// What a call's handler has asked, learnt and done.
pub(crate) struct Conversation {
    driver: Box<dyn InputDriver>,
    /// How many rounds have handed out a state before this one.
    rounds: u32,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    journal: Journal,
    id: Option<ConversationId>,
    /// How often each key was given.
    given: HashMap<String, u32>,
    /// The keys with their numbers.
    taken: HashSet<String>,
    /// The steps that are being run now.
    running: usize,
    /// The round or the run has ended, and no step begins any more.
    is_over: bool,
}

/// What a round hands to the client.
#[derive(Debug)]
pub(crate) struct RoundEnd {
    /// What is asked, in the order of asking.
    pub(crate) questions: Vec<Question>,
    /// What the next round may know.
    pub(crate) kept: Saved,
    /// The next round has to know it.
    pub(crate) is_needed: bool,
}

/// What the next round of a conversation is to know.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) journal: Journal,
    pub(crate) id: Option<ConversationId>,
    pub(crate) rounds: u32,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("driver", &self.driver)
            .finish_non_exhaustive()
    }
}

impl Conversation {
    /// A conversation with a client that can be asked while its call is open, if the call belongs to a session; else one
    /// in rounds, after those before it.
    pub(super) fn new(earlier: ResumeState, control: &Arc<CallHandle>) -> Self {
        if control.session().is_none() {
            return Self::in_rounds(earlier);
        }
        let control = Arc::clone(control);
        Self::after(earlier, |round| Box::new(OpenCall::new(control, round)))
    }

    /// A conversation in rounds, after those before it.
    pub(crate) fn in_rounds(earlier: ResumeState) -> Self {
        Self::after(earlier, |round| Box::new(round))
    }

    fn after(earlier: ResumeState, driver: impl FnOnce(Round) -> Box<dyn InputDriver>) -> Self {
        let round = Round::new(earlier.answers, earlier.asked);
        Self {
            driver: driver(round),
            rounds: earlier.rounds,
            memory: Mutex::new(Memory {
                journal: earlier.journal,
                id: earlier.id,
                ..Memory::default()
            }),
        }
    }

    /// A conversation on another driver, with what earlier runs have left.
    pub(crate) fn with_driver(
        driver: Box<dyn InputDriver>,
        journal: Journal,
        id: ConversationId,
    ) -> Self {
        Self {
            driver,
            rounds: 0,
            memory: Mutex::new(Memory {
                journal,
                id: Some(id),
                ..Memory::default()
            }),
        }
    }

    /// Gives away what was learnt and done, unless a step is being run.
    pub(super) fn hand_over(&self) -> Option<(Journal, Option<ConversationId>)> {
        let mut memory = self.memory();
        if memory.running > 0 {
            return None;
        }
        memory.is_over = true;
        self.driver.leave(&mut memory.journal);
        Some((std::mem::take(&mut memory.journal), memory.id))
    }

    pub(super) fn driver(&self) -> &dyn InputDriver {
        &*self.driver
    }

    /// The key under which the handler's key is known: with a running number if it was given before.
    pub(super) fn number(&self, key: &str) -> String {
        let memory = &mut *self.memory();
        loop {
            let given = memory.given.entry(key.to_owned()).or_insert(0);
            *given += 1;
            let numbered = if *given == 1 {
                key.to_owned()
            } else {
                format!("{key}#{given}")
            };
            // Somebody may have written a number into a key by hand.
            if memory.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }

    /// The answer that the journal has under a key, unless a later one has come.
    ///
    /// # Errors
    ///
    /// It has something else there.
    pub(super) fn recall_answer(
        &self,
        key: &str,
        subject: &str,
    ) -> Result<Option<Recalled>, ToolError> {
        let mut memory = self.memory();
        match memory.journal.get(key) {
            None => Ok(None),
            Some(Entry::Answer { .. }) if self.driver.is_answered(key) => {
                memory.journal.remove(key);
                Ok(None)
            }
            Some(Entry::Answer {
                question,
                response,
                is_unread,
            }) => {
                if !fits(question, subject) {
                    return Err(mismatch(
                        key,
                        &format!("an answer to a {question}"),
                        subject,
                    ));
                }
                Ok(Some(Recalled {
                    response: response.clone(),
                    is_read: !is_unread && question != UNKNOWN,
                }))
            }
            Some(Entry::Once(_)) => Err(mismatch(key, "the result of a step", subject)),
        }
    }

    /// The result that the journal has under a key.
    ///
    /// # Errors
    ///
    /// It has something else there.
    pub(super) fn recall_step(&self, key: &str) -> Result<Option<Box<RawValue>>, ToolError> {
        match self.memory().journal.get(key) {
            None => Ok(None),
            Some(Entry::Once(result)) => Ok(Some(result.clone())),
            Some(Entry::Answer { question, .. }) => {
                Err(mismatch(key, &format!("an answer to a {question}"), "step"))
            }
        }
    }

    /// Adds to the journal what the driver has kept.
    pub(super) fn remember(&self, key: &str, entry: Entry) {
        self.memory().journal.insert(key.to_owned(), entry);
    }

    /// Drops an answer that turned out to be none.
    pub(super) fn forget(&self, key: &str) {
        self.memory().journal.remove(key);
    }

    /// All answers that there are, whether they were read or not: a JSON object.
    ///
    /// Those of this round come last, where they count.
    pub(super) fn all_answers(&self) -> String {
        let mut out = vec![b'{'];
        let mut add = |key: &str, response: &RawValue| {
            if out.len() > 1 {
                out.push(b',');
            }
            write_str(&mut out, key);
            out.push(b':');
            out.extend_from_slice(response.get().as_bytes());
        };
        for (key, response) in self.memory().journal.answers() {
            add(key, response);
        }
        for (key, response) in self.driver.show_answers() {
            add(&key, &response);
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_else(|error| unreachable!("JSON is text: {error}"))
    }

    /// Notes that a step is run: until it is done no round ends.
    ///
    /// What the function has spawned may come here while its round ends; one of them is first.
    pub(super) fn step_begins(&self) -> Result<(), RoundEnded> {
        let mut memory = self.memory();
        if memory.is_over {
            return Err(RoundEnded);
        }
        memory.running += 1;
        Ok(())
    }

    /// A question that waits for the end of a step, if there is one.
    pub(super) fn held_back(&self) -> Option<String> {
        let is_busy = self.memory().running > 0;
        self.driver.held_back().filter(|_| is_busy)
    }

    /// Notes that the round or the run has ended.
    pub(super) fn end(&self) {
        self.memory().is_over = true;
    }

    /// Returns `true` while a step is run or its result is stored.
    pub(in crate::dispatch) fn is_in_step(&self) -> bool {
        self.memory().running > 0
    }

    /// Notes that a step is done, or was dropped.
    pub(super) fn step_ends(&self) {
        self.memory().running -= 1;
    }

    /// What all rounds of the conversation have in common, made when it is first needed.
    pub(super) fn id(&self, environment: &dyn Environment) -> Result<ConversationId, NoRandomness> {
        let mut memory = self.memory();
        if let Some(id) = memory.id {
            return Ok(id);
        }
        let mut id = ConversationId::default();
        environment.fill_random(&mut id)?;
        memory.id = Some(id);
        Ok(id)
    }

    /// Ends the round, if something is asked and no step is being run.
    pub(super) fn end_round(&self) -> Option<RoundEnd> {
        let mut memory = self.memory();
        if memory.running > 0 {
            return None;
        }
        let ended = self.driver.end(&mut memory.journal)?;
        memory.is_over = true;
        Some(RoundEnd {
            is_needed: ended.refused || !memory.journal.is_empty(),
            kept: Saved {
                journal: std::mem::take(&mut memory.journal),
                id: memory.id,
                rounds: self.rounds + 1,
            },
            questions: ended.questions,
        })
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer of an earlier round.
pub(super) struct Recalled {
    pub(super) response: Box<RawValue>,
    /// An earlier run has read it, so that it is known to be an answer to the question.
    pub(super) is_read: bool,
}

/// The handler has taken another way than on its run before.
fn mismatch(key: &str, found: &str, wanted: &str) -> ToolError {
    failed(format!(
        "the journal has {found} under `{key}`, where the handler now wants that of a {wanted}: \
         a handler must come by the same keys on each run"
    ))
}

/// The client was asked something else under a key, perhaps by another version of the program.
pub(super) fn other_question(key: &str, asked: &str, wanted: &str) -> ToolError {
    failed(format!(
        "the client was asked a {asked} under `{key}`, where the handler now asks a {wanted}: \
         a handler must come by the same keys on each run"
    ))
}

/// What waits or begins under a key comes too late.
fn over(key: &str) -> ToolError {
    failed(format!(
        "nobody waits for `{key}` any more: the round or the run that it belongs to has ended. \
         What a function spawns has to end before it"
    ))
}

/// A failure that is the handler's or the server's, and no model's business.
pub(super) fn failed(text: String) -> ToolError {
    ToolError::request(ErrorObject::new(code::INTERNAL_ERROR, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> Question {
        let request = crate::protocol::InputRequest::Roots;
        Question::new("roots".to_owned(), &request).unwrap()
    }

    #[test]
    fn an_answer_that_is_being_read_is_not_lost_with_its_round() {
        let answer = || RawValue::from_string(r#"{"roots":[]}"#.to_owned()).unwrap();
        let earlier = || ResumeState {
            answers: HashMap::from([("roots".to_owned(), answer())]),
            asked: Some(vec![("roots".to_owned(), question().subject)]),
            ..ResumeState::default()
        };
        let ended: [fn(&Conversation) -> Journal; 2] = [
            |conversation| conversation.end_round().unwrap().kept.journal,
            |conversation| conversation.hand_over().unwrap().0,
        ];
        for end in ended {
            for is_taken in [false, true] {
                let conversation = Conversation::in_rounds(earlier());
                if is_taken {
                    let taken = conversation
                        .driver()
                        .take_answer("roots", &question().subject);
                    assert!(taken.unwrap().is_some());
                }
                let other = Question {
                    key: "other".to_owned(),
                    ..question()
                };
                assert!(conversation.driver().open(other));
                let kept = end(&conversation);
                let Some(Entry::Answer { is_unread, .. }) = kept.get("roots") else {
                    panic!("{is_taken}: {kept:?}");
                };
                assert!(is_unread);
            }
        }
    }

    #[test]
    fn an_answer_that_was_refused_is_not_kept() {
        let answer = RawValue::from_string("7".to_owned()).unwrap();
        let conversation = Conversation::in_rounds(ResumeState {
            answers: HashMap::from([("roots".to_owned(), answer)]),
            ..ResumeState::default()
        });
        let driver = conversation.driver();
        let taken = driver.take_answer("roots", &question().subject);
        assert!(taken.unwrap().is_some());
        driver.refuse("roots");
        assert!(driver.open(question()));
        let end = conversation.end_round().unwrap();
        assert!(end.kept.journal.is_empty());
        assert!(end.is_needed, "the round counts");
    }

    #[test]
    fn a_question_is_held_back_while_a_step_is_run() {
        let conversation = Conversation::in_rounds(ResumeState::default());
        assert!(conversation.driver().open(question()));
        assert_eq!(conversation.held_back(), None);
        conversation.step_begins().unwrap();
        assert_eq!(conversation.held_back().as_deref(), Some("roots"));
        conversation.step_ends();
        assert_eq!(conversation.held_back(), None);
    }

    #[test]
    fn no_step_begins_once_its_round_has_ended() {
        let ended: [fn(&Conversation) -> bool; 3] = [
            |conversation| conversation.end_round().is_some(),
            |conversation| conversation.hand_over().is_some(),
            |conversation| {
                conversation.end();
                true
            },
        ];
        for end in ended {
            let conversation = Conversation::in_rounds(ResumeState::default());
            assert!(conversation.driver().open(question()));
            conversation.step_begins().unwrap();
            assert!(conversation.end_round().is_none(), "a step is being run");
            assert!(conversation.hand_over().is_none());
            conversation.step_ends();
            assert!(end(&conversation));
            assert!(conversation.step_begins().is_err());
        }
    }
}
