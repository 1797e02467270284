//! How a conversation goes on: where questions go, and when an entry of the journal is safe.
//!
//! A handler does not see the difference. In [`Round`]s it is run again from the top with the answers; another driver may let
//! it wait for them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use serde_json::value::RawValue;

use super::journal::{Entry, Journal};
use super::other_question;
use super::question::{Question, UNKNOWN, fits};
use crate::convert::ToolError;

/// The round or the run that something belongs to has ended.
#[derive(Debug)]
pub(in crate::dispatch) struct RoundEnded;

/// What becomes of questions and of journal entries.
///
/// All of it is called by the handler's futures, from whatever thread polls them.
pub(crate) trait InputDriver: fmt::Debug + Send + Sync {
    /// The answer to a question.
    ///
    /// While there is none the question is open: the client is told of it, in the order of first polls. The driver wakes the
    /// task when an answer comes, unless the handler will be run again instead.
    fn poll_answer(
        &self,
        question: &Question,
        context: &mut Context<'_>,
    ) -> Poll<Result<Box<RawValue>, ToolError>>;

    /// Whether the client was asked under a key, and has now answered: that counts, whatever it had answered before.
    ///
    /// A function that asks by returning may do so again under the same key, if it does not like the answer.
    fn is_answered(&self, key: &str) -> bool;

    /// Takes the answer that has come under a key, without asking.
    ///
    /// # Errors
    ///
    /// The client was asked something else under it.
    fn take_answer(&self, key: &str, subject: &str) -> Result<Option<Box<RawValue>>, ToolError>;

    /// All answers that have come and were not taken, for a handler that judges them itself.
    fn show_answers(&self) -> Vec<(String, Box<RawValue>)>;

    /// Opens a question for whose answer nobody waits, as the handler will be run again; `false` if something that it has
    /// left behind asks under the same key.
    fn open(&self, question: Question) -> bool;

    /// Notes that the answer to a question was none, so that it is asked again; tells under which key.
    fn refuse(&self, key: &str) -> NextKey;

    /// Notes that the handler waits for the answer no more.
    fn withdraw(&self, key: &str);

    /// Whether a step may begin; ready when that is certain. It may not if somebody else may be at it by now.
    fn poll_begin(&self, context: &mut Context<'_>) -> Poll<Result<(), RoundEnded>>;

    /// Keeps an entry; ready when nothing can lose it any more, and only then the handler goes on.
    fn poll_save(
        &self,
        key: &str,
        entry: &Entry,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ToolError>>;

    /// Leaves the answers that nobody has read yet to whoever goes on with the conversation.
    fn leave(&self, journal: &mut Journal);

    /// A question that is not asked before the round ends, if there is one.
    fn held_back(&self) -> Option<String>;

    /// Ends the round with its open questions, if the driver has rounds and something is open.
    fn end(&self, journal: &mut Journal) -> Option<Ended>;
}

/// The key under which a question is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextKey {
    /// The same one.
    Same,
    /// The next running number, where a key may be used once only.
    Numbered,
}

/// The end of a round.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What is asked, in the order of asking.
    pub(crate) questions: Vec<Question>,
    /// An answer was refused, so that rounds have to be counted.
    pub(crate) refused: bool,
}

/// The driver of a request in the protocol's rounds (basic/patterns/mrtr): it ends with its open questions, and the client
/// sends it again with the answers.
#[derive(Debug, Default)]
pub(crate) struct Round {
    state: Mutex<RoundState>,
}

#[derive(Debug, Default)]
struct RoundState {
    /// What the client sent this time, undecoded until it is asked for.
    answers: HashMap<String, Box<RawValue>>,
    /// What was taken of them, and for which subjects: it may not be in the journal yet when the round ends.
    taken: HashMap<String, (String, Box<RawValue>)>,
    /// What the round before has asked, by its keys, if it left a state that says so: the subjects.
    asked: Option<HashMap<String, String>>,
    /// The handler has seen all answers, so that all count as asked for.
    is_shown: bool,
    open: Vec<Question>,
    refused: bool,
}

impl Round {
    /// A round with what the client sent, after one that asked about some subjects under their keys.
    ///
    /// Where it is known what was asked, nothing else is an answer (basic/patterns/mrtr, "Error Handling").
    pub(crate) fn new(
        mut answers: HashMap<String, Box<RawValue>>,
        asked: Option<Vec<(String, String)>>,
    ) -> Self {
        let asked: Option<HashMap<_, _>> = asked.map(HashMap::from_iter);
        if let Some(asked) = &asked {
            answers.retain(|key, _| asked.contains_key(key));
        }
        Self {
            state: Mutex::new(RoundState {
                answers,
                asked,
                ..RoundState::default()
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, RoundState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InputDriver for Round {
    fn poll_answer(
        &self,
        question: &Question,
        _: &mut Context<'_>,
    ) -> Poll<Result<Box<RawValue>, ToolError>> {
        if let Some(answer) = self
            .take_answer(&question.key, &question.subject)
            .transpose()
        {
            return Poll::Ready(answer);
        }
        let mut state = self.state();
        if !state.open.iter().any(|open| open.key == question.key) {
            state.open.push(question.clone());
        }
        Poll::Pending
    }

    fn is_answered(&self, key: &str) -> bool {
        let state = self.state();
        let asked = state.asked.as_ref();
        asked.is_some_and(|asked| asked.contains_key(key)) && state.answers.contains_key(key)
    }

    fn take_answer(&self, key: &str, subject: &str) -> Result<Option<Box<RawValue>>, ToolError> {
        let mut state = self.state();
        let asked = state.asked.as_ref().and_then(|asked| asked.get(key));
        match asked.filter(|asked| !fits(asked, subject)) {
            Some(other) if state.answers.contains_key(key) => {
                Err(other_question(key, other, subject))
            }
            _ => {
                let answer = state.answers.remove(key);
                if let Some(answer) = &answer {
                    let taken = (subject.to_owned(), answer.clone());
                    state.taken.insert(key.to_owned(), taken);
                }
                Ok(answer)
            }
        }
    }

    fn show_answers(&self) -> Vec<(String, Box<RawValue>)> {
        let mut state = self.state();
        state.is_shown = true;
        let answers = state.answers.iter();
        answers
            .map(|(key, answer)| (key.clone(), answer.clone()))
            .collect()
    }

    fn open(&self, question: Question) -> bool {
        let open = &mut self.state().open;
        let is_free = open.iter().all(|other| other.key != question.key);
        if is_free {
            open.push(question);
        }
        is_free
    }

    fn refuse(&self, key: &str) -> NextKey {
        let mut state = self.state();
        state.refused = true;
        state.taken.remove(key);
        NextKey::Same
    }

    fn withdraw(&self, key: &str) {
        self.state().open.retain(|open| open.key != key);
    }

    fn poll_begin(&self, _: &mut Context<'_>) -> Poll<Result<(), RoundEnded>> {
        // Whether the round has ended is known without asking.
        Poll::Ready(Ok(()))
    }

    fn poll_save(&self, _: &str, _: &Entry, _: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        // The journal goes to the client whole, at the end of the round.
        Poll::Ready(Ok(()))
    }

    fn held_back(&self) -> Option<String> {
        let state = self.state();
        state.open.first().map(|question| question.key.clone())
    }

    fn end(&self, journal: &mut Journal) -> Option<Ended> {
        let mut state = self.state();
        if state.open.is_empty() {
            return None;
        }
        state.leave(journal);
        Some(Ended {
            questions: std::mem::take(&mut state.open),
            refused: state.refused,
        })
    }

    fn leave(&self, journal: &mut Journal) {
        self.state().leave(journal);
    }
}

impl RoundState {
    /// Leaves the answers that are not in the journal.
    fn leave(&mut self, journal: &mut Journal) {
        // Something that the function has spawned may be reading these.
        for (key, (question, response)) in self.taken.drain() {
            if journal.get(&key).is_none() {
                let entry = Entry::Answer {
                    question,
                    response,
                    is_unread: true,
                };
                journal.insert(key, entry);
            }
        }
        let is_begun = !journal.is_empty();
        let Self {
            answers,
            asked,
            is_shown,
            ..
        } = self;
        // What was asked for and answered, but not yet read when the round ended, is not asked for again. Without a state it
        // is not known what was asked for; then there is one only if something else has to be remembered.
        let keeps = |key: &str| match (journal.get(key), &*asked) {
            (None, _) if *is_shown => true,
            (None, Some(asked)) => asked.contains_key(key),
            (None, None) => is_begun,
            // It was asked for again: by a handler that judges answers itself, or by a function that returned its questions.
            (Some(Entry::Answer { .. }), _) if *is_shown => true,
            (Some(Entry::Answer { .. }), Some(asked)) => asked.contains_key(key),
            (Some(Entry::Answer { .. }), None) => false,
            (Some(Entry::Once(_)), _) => false,
        };
        let kept = answers.drain().filter(|(key, _)| keeps(key));
        for (key, response) in kept.collect::<Vec<_>>() {
            let question = asked.as_ref().and_then(|asked| asked.get(&key));
            let entry = Entry::Answer {
                question: question.map_or(UNKNOWN, String::as_str).to_owned(),
                response,
                is_unread: true,
            };
            journal.insert(key, entry);
        }
    }
}
