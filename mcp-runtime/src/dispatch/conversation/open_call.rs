//! Questions to the client of a session: requests of the server's own, for whose responses a call waits while it is open.
//!
//! A function that asks with its context goes on where it waits. One that returns its questions ends, and is run again with
//! the responses once all have come.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde_json::value::RawValue;

use super::{
    Ended, Entry, InputDriver, Journal, NextKey, Question, ResumeState, Round, RoundEnded, Saved,
};
use crate::convert::ToolError;
use crate::dispatch::CallHandle;
use crate::dispatch::target::CallTarget;

/// The place where the response to one question arrives.
#[derive(Debug)]
pub(crate) struct ResponseSlot {
    control: Arc<CallHandle>,
    state: Mutex<SlotState>,
}

#[derive(Debug, Default)]
struct SlotState {
    /// The result, or why there is none.
    response: Option<Result<Box<RawValue>, String>>,
    is_closed: bool,
    waker: Option<Waker>,
}

impl ResponseSlot {
    fn new(control: &Arc<CallHandle>) -> Arc<Self> {
        Arc::new(Self {
            control: Arc::clone(control),
            state: Mutex::default(),
        })
    }

    /// Puts the response in, and wakes the call, so no lock may be held that a call asks for.
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "connections ask clients of sessions alone")
    )]
    pub(crate) fn fill(&self, response: Result<Box<RawValue>, String>) {
        self.close();
        let mut state = self.state();
        state.response = Some(response);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Notes that the call's time goes on.
    fn close(&self) {
        let was_closed = std::mem::replace(&mut self.state().is_closed, true);
        if !was_closed {
            self.control.question_ends();
        }
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        // Every change under the lock is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that has been sent; dropping it takes the question back.
struct OpenQuestion {
    control: Arc<CallHandle>,
    /// The id of the request.
    id: u64,
    slot: Arc<ResponseSlot>,
}

impl OpenQuestion {
    /// Sends a question, after which the call's time rests.
    fn ask(control: &Arc<CallHandle>, question: &Question) -> Result<Self, ToolError> {
        let slot = ResponseSlot::new(control);
        control.question_begins();
        match control.ask(&question.request, &slot) {
            Ok(id) => Ok(Self {
                control: Arc::clone(control),
                id,
                slot,
            }),
            Err(reason) => {
                slot.close();
                Err(ToolError::new(format!("`{}`: {reason}", question.key)))
            }
        }
    }

    fn poll(&self, key: &str, context: &mut Context<'_>) -> Poll<Result<Box<RawValue>, ToolError>> {
        let mut state = self.slot.state();
        match state.response.take() {
            Some(Ok(response)) => Poll::Ready(Ok(response)),
            Some(Err(reason)) => Poll::Ready(Err(ToolError::new(format!("`{key}`: {reason}")))),
            None => {
                let other = state.waker.replace(context.waker().clone());
                drop(state);
                drop(other);
                Poll::Pending
            }
        }
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.control.withdraw_question(self.id);
        self.slot.close();
    }
}

/// The driver of a call whose client can be asked while it is open.
pub(crate) struct OpenCall {
    control: Arc<CallHandle>,
    /// The questions and answers of a function that returns its questions.
    returned: Round,
    open: Mutex<HashMap<String, OpenQuestion>>,
}

impl fmt::Debug for OpenCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenCall").field(&self.returned).finish()
    }
}

impl OpenCall {
    pub(super) fn new(control: Arc<CallHandle>, returned: Round) -> Self {
        Self {
            control,
            returned,
            open: Mutex::default(),
        }
    }

    fn open_questions(&self) -> MutexGuard<'_, HashMap<String, OpenQuestion>> {
        // Every change under the lock is one insertion or removal.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the question back, or drops it once it is answered.
    fn remove(&self, key: &str) {
        let removed = self.open_questions().remove(key);
        // It tells the transport, whose lock may be held by somebody who waits for this one.
        drop(removed);
    }
}

impl InputDriver for OpenCall {
    fn poll_answer(
        &self,
        question: &Question,
        context: &mut Context<'_>,
    ) -> Poll<Result<Box<RawValue>, ToolError>> {
        let returned = self.returned.take_answer(&question.key, &question.subject);
        if let Some(answer) = returned.transpose() {
            return Poll::Ready(answer);
        }
        let is_open = self.open_questions().contains_key(&question.key);
        if !is_open {
            let asked = OpenQuestion::ask(&self.control, question)?;
            self.open_questions().insert(question.key.clone(), asked);
        }
        let polled = match self.open_questions().get(&question.key) {
            Some(open) => open.poll(&question.key, context),
            None => return Poll::Pending,
        };
        if polled.is_ready() {
            self.remove(&question.key);
        }
        polled
    }

    fn is_answered(&self, key: &str) -> bool {
        self.returned.is_answered(key)
    }

    fn take_answer(&self, key: &str, subject: &str) -> Result<Option<Box<RawValue>>, ToolError> {
        self.returned.take_answer(key, subject)
    }

    fn show_answers(&self) -> Vec<(String, Box<RawValue>)> {
        self.returned.show_answers()
    }

    fn open(&self, question: Question) -> bool {
        !self.open_questions().contains_key(&question.key) && self.returned.open(question)
    }

    fn refuse(&self, key: &str) -> NextKey {
        self.returned.refuse(key)
    }

    fn withdraw(&self, key: &str) {
        self.remove(key);
    }

    fn poll_begin(&self, context: &mut Context<'_>) -> Poll<Result<(), RoundEnded>> {
        self.returned.poll_begin(context)
    }

    fn poll_save(
        &self,
        key: &str,
        entry: &Entry,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ToolError>> {
        // The process keeps it as long as the call is open.
        self.returned.poll_save(key, entry, context)
    }

    fn leave(&self, journal: &mut Journal) {
        self.returned.leave(journal);
    }

    fn held_back(&self) -> Option<String> {
        None
    }

    fn end(&self, journal: &mut Journal) -> Option<Ended> {
        self.returned.end(journal)
    }
}

/// The questions that a function has returned, until all are answered.
pub(crate) struct AskedRound {
    called: CallTarget,
    control: Arc<CallHandle>,
    questions: Vec<(Question, Asked)>,
    kept: Option<Saved>,
}

enum Asked {
    /// Not yet.
    No,
    Open(OpenQuestion),
    Answered(Box<RawValue>),
}

impl fmt::Debug for AskedRound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.questions.iter().map(|(question, _)| &question.key);
        f.debug_list().entries(keys).finish()
    }
}

impl AskedRound {
    pub(super) fn new(
        called: CallTarget,
        control: &Arc<CallHandle>,
        questions: Vec<Question>,
        kept: Saved,
    ) -> Self {
        let questions = questions.into_iter().map(|it| (it, Asked::No));
        Self {
            called,
            control: Arc::clone(control),
            questions: questions.collect(),
            kept: Some(kept),
        }
    }

    /// What is run again.
    pub(in crate::dispatch) fn called(&self) -> &CallTarget {
        &self.called
    }

    /// Asks all questions at once; ready with what the next run of the function is to know.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<ResumeState, ToolError>> {
        let mut is_answered = true;
        for (question, asked) in &mut self.questions {
            if matches!(asked, Asked::No) {
                *asked = Asked::Open(OpenQuestion::ask(&self.control, question)?);
            }
            if let Asked::Open(open) = asked {
                match open.poll(&question.key, context) {
                    Poll::Ready(Ok(answer)) => *asked = Asked::Answered(answer),
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => is_answered = false,
                }
            }
        }
        let Some(kept) = self.kept.take_if(|_| is_answered) else {
            return Poll::Pending;
        };
        let mut earlier = ResumeState {
            journal: kept.journal,
            rounds: kept.rounds,
            id: kept.id,
            asked: Some(Vec::new()),
            answers: HashMap::new(),
        };
        for (question, asked) in self.questions.drain(..) {
            if let Some(list) = &mut earlier.asked {
                list.push((question.key.clone(), question.subject));
            }
            if let Asked::Answered(answer) = asked {
                earlier.answers.insert(question.key, answer);
            }
        }
        Poll::Ready(Ok(earlier))
    }
}
