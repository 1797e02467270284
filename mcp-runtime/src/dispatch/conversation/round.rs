//! Between requests and conversations: what a request brings from the rounds before it, and the result that ends a round.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{AskedRound, Question, ResumeState, RoundEnd, check, question};
use crate::convert::{Failure, InputRequired, ToolError};
use crate::dispatch::DispatchError;
use crate::dispatch::call::Call;
use crate::dispatch::message::string;
use crate::dispatch::state::BadState;
use crate::json::{WriteError, write_str, write_value};
use crate::jsonrpc::{RawId, write_result_start};
use crate::protocol::{Capability, Params, Revision};

impl Call<'_> {
    /// What a request brings from the rounds before it; `None` for most, which are the first of their kind.
    ///
    /// What is called may run only if this succeeds.
    pub(in crate::dispatch) fn read_earlier(
        &self,
        params: &Params<'_>,
    ) -> Result<Option<ResumeState>, DispatchError> {
        if self.control.session().is_some() {
            return Ok(self.control.take_answered());
        }
        let has_states = self.core.options.profile.answers().has_rounds;
        let state = params.request_state.filter(|_| has_states);
        // Callers without metadata may say `null` for nothing.
        let responses = params.input_responses;
        let responses = responses.filter(|raw| has_states || raw.get() != "null");
        if state.is_none() && responses.is_none() {
            return Ok(None);
        }
        // Before the state is opened, since a guard takes it only once.
        let answers = responses.map(read_responses).transpose()?;
        // Where each round gives a state, nothing was asked without one.
        let answers =
            answers.filter(|_| !has_states || state.is_some() || self.core.sealing.guard.is_none());
        let earlier = match state {
            None => ResumeState::default(),
            Some(state) => self.open_state(state).inspect_err(|error| {
                if let DispatchError::State(bad) = error {
                    tracing::warn!(
                        "the requestState of a call of {} is refused: {bad}",
                        self.called
                    );
                }
            })?,
        };
        Ok(Some(ResumeState {
            answers: answers.unwrap_or_default(),
            ..earlier
        }))
    }

    fn open_state(&self, state: &RawValue) -> Result<ResumeState, DispatchError> {
        let state = string(state).ok_or(DispatchError::State(BadState::NotAString))?;
        let target = self.called.target(&self.arguments, &self.control);
        let target = target.ok_or(DispatchError::State(BadState::OtherMethod))?;
        self.core
            .sealing
            .open(&state, &target, &self.core.options.limits)
    }

    /// Writes the result that ends a round (`InputRequiredResult`).
    pub(in crate::dispatch) fn write_round(
        &self,
        id: RawId<'_>,
        end: RoundEnd,
        out: &mut Vec<u8>,
    ) -> Result<(), DispatchError> {
        let refused = || DispatchError::InputRequired(self.called.to_string());
        if !self.called.may_ask() {
            return Err(refused());
        }
        if !self.core.options.profile.answers().has_rounds {
            self.core
                .write_bare_round(id, &requests(&end.questions), out);
            return Ok(());
        }
        // What is good for one use has to be there, even if it says nothing.
        let state = if end.is_needed || self.core.sealing.guard.is_some() {
            let target = self.called.target(&self.arguments, &self.control);
            let target = target.ok_or_else(refused)?;
            let asked = end.questions.iter();
            let asked = asked.map(|it| (it.key.clone(), it.subject.clone()));
            let limits = &self.core.options.limits;
            Some(
                self.core
                    .sealing
                    .seal(target, asked.collect(), end.kept, limits)?,
            )
        } else {
            None
        };
        write_result_start(out, id);
        out.extend_from_slice(br#"{"resultType":"input_required","inputRequests":"#);
        out.extend_from_slice(&requests(&end.questions));
        if let Some(state) = state {
            out.extend_from_slice(br#","requestState":"#);
            write_str(out, &state);
        }
        out.extend_from_slice(self.core.closing(Revision::CURRENT));
        Ok(())
    }

    /// Has the client of a session asked, after which the function is run again.
    fn ask_round(&self, end: RoundEnd) -> Result<(), DispatchError> {
        if !self.called.may_ask() {
            return Err(DispatchError::InputRequired(self.called.to_string()));
        }
        let limit = self.core.options.limits.max_rounds;
        if end.kept.rounds > limit {
            return Err(DispatchError::TooManyRounds(limit));
        }
        let round = AskedRound::new(self.called.clone(), &self.control, end.questions, end.kept);
        self.control.ask_round(round);
        Ok(())
    }

    /// Ends a round because a function has returned its questions.
    pub(in crate::dispatch) fn write_returned_round(
        &self,
        id: RawId<'_>,
        input: InputRequired,
        out: &mut Vec<u8>,
    ) -> Result<(), DispatchError> {
        let refused = |text: String| DispatchError::Failed(format!("{} {text}", self.called));
        let requests = match written(&input) {
            Ok(requests) => requests,
            Err(error) => {
                let text = format!("asks for what cannot be sent: {error}");
                error.release(input);
                return Err(refused(text));
            }
        };
        if !self.core.options.profile.answers().has_rounds && input.typed.is_empty() {
            self.core.write_bare_round(id, &requests, out);
            return Ok(());
        }
        let Some(context) = self.context() else {
            return Err(refused(
                "asks for input, but takes no `Context` to read the answers from".to_owned(),
            ));
        };
        if self.control.task().is_some() {
            return Err(refused(
                "asks by returning its questions, which a task does not; ask with `ctx.elicit(…).await`"
                    .to_owned(),
            ));
        }
        let is_strict = self.core.options.profile.answers().has_rounds;
        let (questions, needs) =
            questions(&input, is_strict).map_err(|error| refused(error.to_string()))?;
        let handled = |error: ToolError| match error.0 {
            Failure::Request(error) => DispatchError::Handler(error),
            other => DispatchError::Failed(ToolError(other).to_string()),
        };
        let required = context.require_all(needs);
        required.map_err(|missing| handled(missing.into()))?;
        let conversation = context.conversation();
        for question in questions {
            let key = question.key.clone();
            if !conversation.driver().open(question) {
                return Err(refused(asks_twice(&key)));
            }
        }
        match conversation.end_round() {
            Some(end) if self.control.session().is_some() => self.ask_round(end),
            Some(end) => self.write_round(id, end, out),
            None => Err(refused("asks for nothing".to_owned())),
        }
    }
}

/// The requests in the function's own words, if all can be written.
fn written(input: &InputRequired) -> Result<Vec<u8>, WriteError> {
    for (_, request) in &input.typed {
        write_value(&mut Vec::new(), request)?;
    }
    let mut requests = Vec::new();
    write_value(&mut requests, &input.requests)?;
    Ok(requests)
}

/// The questions of a function that returned them, and what a client must have declared to be asked them.
///
/// Where not strict, what the handler says in its own words goes out as it is.
fn questions(
    input: &InputRequired,
    is_strict: bool,
) -> Result<(Vec<Question>, Vec<Capability>), ToolError> {
    let mut questions: Vec<Question> = Vec::new();
    let mut needs = Vec::new();
    for (key, request) in &input.typed {
        needs.extend(request.needs());
        questions.push(Question::new(key.clone(), request)?);
    }
    let raw = match &input.requests {
        Value::Object(requests) => Some(requests),
        Value::Null => None,
        _ => return Err(not_requests()),
    };
    for (key, request) in raw.into_iter().flatten() {
        if is_strict {
            needs.extend(needs_of(request).ok_or_else(not_requests)?);
            question::check_own(key, request)?;
        }
        questions.push(Question {
            key: key.clone(),
            subject: own_subject(request).to_owned(),
            request: request.to_string(),
        });
    }
    for (index, question) in questions.iter().enumerate() {
        if questions[..index]
            .iter()
            .any(|other| other.key == question.key)
        {
            return Err(ToolError::new(asks_twice(&question.key)));
        }
    }
    Ok((questions, needs))
}

fn asks_twice(key: &str) -> String {
    format!("asks twice under the key `{key}`")
}

fn not_requests() -> ToolError {
    ToolError::new(
        "asks for input in a form that the protocol does not have: an object of requests for \
         elicitation/create, sampling/createMessage or roots/list by their keys",
    )
}

/// What a client must have declared to be sent a request; `None` if the protocol does not have it.
fn needs_of(request: &Value) -> Option<Vec<Capability>> {
    let params = &request["params"];
    Some(match request["method"].as_str()? {
        "elicitation/create" if params["mode"] == "url" => vec![Capability::ElicitationUrl],
        "elicitation/create" => vec![Capability::ElicitationForm],
        "sampling/createMessage" => {
            let mut needs = vec![Capability::Sampling];
            let has_tools = params.get("tools").is_some() || params.get("toolChoice").is_some();
            if has_tools || check::uses_tools(params) {
                needs.push(Capability::SamplingTools);
            }
            if params.get("includeContext").is_some_and(|it| it != "none") {
                needs.push(Capability::SamplingContext);
            }
            needs
        }
        "roots/list" => vec![Capability::Roots],
        _ => return None,
    })
}

/// The subject of a request in the handler's own words, which the protocol has.
fn own_subject(request: &Value) -> &'static str {
    match request["method"].as_str() {
        Some("elicitation/create") if request["params"]["mode"] == "url" => question::URL,
        Some("elicitation/create") => question::FORM,
        Some("sampling/createMessage") => question::SAMPLING,
        _ => question::ROOTS,
    }
}

/// The map `inputRequests`.
fn requests(questions: &[Question]) -> Vec<u8> {
    let mut out = Vec::new();
    for question in questions {
        out.push(if out.is_empty() { b'{' } else { b',' });
        write_str(&mut out, &question.key);
        out.push(b':');
        out.extend_from_slice(question.request.as_bytes());
    }
    out.push(b'}');
    out
}

/// Reads `inputResponses`: what answers what, and no more; its values are for those who asked.
pub(in crate::dispatch) fn read_responses(
    raw: &RawValue,
) -> Result<HashMap<String, Box<RawValue>>, DispatchError> {
    struct Responses;
    impl<'de> Visitor<'de> for Responses {
        type Value = Option<HashMap<String, Box<RawValue>>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of responses")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut responses = Some(HashMap::new());
            while let Some((key, response)) = map.next_entry::<String, Box<RawValue>>()? {
                if responses
                    .as_mut()
                    .is_some_and(|responses| responses.insert(key, response).is_some())
                {
                    responses = None;
                }
            }
            Ok(responses)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    match deserializer.deserialize_map(Responses) {
        Ok(Some(responses)) => Ok(responses),
        Ok(None) => Err(DispatchError::Params("inputResponses has a key twice")),
        Err(_) => Err(DispatchError::Params("inputResponses must be an object")),
    }
}
