//! Answers that are ready before anything is asked.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::ClientError;
use super::conversation::{Questions, Respondent};
use crate::json::{bounded, read_own};
use crate::server::RecordedRequest;

/// More rounds than a request needs, so that a function which asks for ever ends its test.
///
/// A server ends a conversation sooner, where it is the one that remembers its course.
const MAX_ROUNDS: usize = 100;

/// How often the very same key is asked only if its answers are refused; otherwise it gets a number.
const OVER_AND_OVER: usize = 3;

/// The answers to each key, in the order in which they are given.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers(HashMap<String, Vec<PreparedAnswer>>);

/// An answer, or why it cannot be sent.
type PreparedAnswer = Result<Value, String>;

impl Answers {
    pub(super) fn add(&mut self, key: String, answer: Value) {
        let answer = bounded(answer).map_err(|error| error.to_string());
        self.0.entry(key).or_default().push(answer);
    }

    /// The answers to a key, and the key that they were given for: the same, or what it is without its running number.
    fn to(&self, key: &str) -> Option<(&str, &[PreparedAnswer])> {
        let base = key.rsplit_once('#').map(|(base, _)| base);
        let found = [Some(key), base].into_iter().flatten();
        let mut found = found.filter_map(|key| self.0.get_key_value(key));
        found
            .next()
            .map(|(key, answers)| (key.as_str(), answers.as_slice()))
    }
}

/// The answers in the course of one request.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    answers: &'a Answers,
    /// How many of a key's answers have been given.
    given: HashMap<&'a str, usize>,
    rounds: usize,
    /// All that was asked.
    pub(super) asked: Vec<RecordedRequest>,
    /// All notifications, in their order.
    pub(super) notifications: Vec<Value>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(answers: &'a Answers) -> Self {
        Self {
            answers,
            given: HashMap::new(),
            rounds: 0,
            asked: Vec::new(),
            notifications: Vec::new(),
        }
    }

    /// Why a request came to the limit of its rounds, if its last question was asked over and over.
    pub(super) fn refused(&self) -> Option<ClientError> {
        let last = self.asked.last()?;
        let same = self.asked.iter().filter(|asked| asked.key() == last.key());
        (same.count() >= OVER_AND_OVER).then(|| ClientError::TooManyRounds {
            asked: last.clone(),
            rounds: self.rounds,
        })
    }

    fn answer_one(&mut self, asked: &RecordedRequest) -> Result<Value, ClientError> {
        if self.rounds > MAX_ROUNDS {
            return Err(ClientError::TooManyRounds {
                asked: asked.clone(),
                rounds: MAX_ROUNDS,
            });
        }
        let Some((key, answers)) = self.answers.to(asked.key()) else {
            return Err(ClientError::Unanswered(asked.clone()));
        };
        let given = self.given.entry(key).or_default();
        let answer = match answers {
            [only] => Some(only),
            several => several.get(*given),
        };
        *given += 1;
        match answer {
            Some(Ok(answer)) => Ok(answer.clone()),
            Some(Err(fault)) => Err(ClientError::Unsendable(asked.clone(), fault.clone())),
            None => Err(ClientError::NoMoreAnswers {
                asked: asked.clone(),
                given: answers.len(),
            }),
        }
    }
}

impl Respondent for Prepared<'_> {
    type Error = ClientError;

    fn answer(&mut self, questions: &Questions) -> Result<Option<Map<String, Value>>, ClientError> {
        self.rounds += 1;
        let mut answers = Map::new();
        for (key, question) in &questions.0 {
            let params = question.params.as_ref();
            let params = params.and_then(|params| read_own(params.get().as_bytes()).ok());
            let asked = RecordedRequest::new(
                key.clone(),
                question.method.clone(),
                params.unwrap_or_default(),
            );
            answers.insert(key.clone(), self.answer_one(&asked)?);
            self.asked.push(asked);
        }
        Ok(Some(answers))
    }

    fn tell(&mut self, _status: &str) -> Result<(), ClientError> {
        Ok(())
    }

    fn notify(&mut self, notification: Value) {
        self.notifications.push(notification);
    }
}
