//! Tasks for clients that do not know them: the answer to a call that became one, and what plain tools ask about it.

use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::create::principal;
use crate::convert::ToolError;
use crate::dispatch::{Context, DispatchError};
use crate::json::read_own;
use crate::task::TaskId;

/// The text of the answer to a call that became a task, for a model.
pub(super) fn announcement(id: TaskId) -> String {
    format!(
        "The call goes on as the task {id}. Call `task_status` with this id to see how it stands, and `task_result` \
         once it is completed."
    )
}

/// What the client of such a call can do for its task: the model answers forms and URLs by `task_answer`.
pub(super) fn grant_questions(meta: &mut Value) {
    let key = crate::protocol::key::CLIENT_CAPABILITIES;
    if let Some(capabilities) = meta.get_mut(key).and_then(Value::as_object_mut) {
        capabilities.insert("elicitation".to_owned(), json!({"form": {}, "url": {}}));
    }
}

/// For the tools that `ServerBuilder::task_tools` adds.
impl Context {
    /// How a task stands: its members, without a result.
    ///
    /// # Errors
    ///
    /// There is no such task, or the store fails.
    pub(crate) async fn task_status(&self, id: &str) -> Result<Value, ToolError> {
        let mut members = self.task_members(id).await?;
        members.remove("result");
        Ok(Value::Object(members))
    }

    /// The result of a task: its structured content, its text, or else its content as JSON.
    ///
    /// # Errors
    ///
    /// As those of [`task_status`](Self::task_status); or the task is not completed, or its tool failed.
    pub(crate) async fn task_result(&self, id: &str) -> Result<Value, ToolError> {
        let mut members = self.task_members(id).await?;
        let Some(Value::Object(mut result)) = members.remove("result") else {
            let status = members.get("status").and_then(Value::as_str);
            let reason = members
                .get("error")
                .and_then(|error| error["message"].as_str());
            let status = status.unwrap_or_default();
            return Err(ToolError::new(match reason {
                Some(reason) => format!("the task is {status}: {reason}"),
                None => format!("the task has no result yet: it is {status}"),
            }));
        };
        let content = result.remove("content").unwrap_or_default();
        let text = match content.as_array().map(Vec::as_slice) {
            Some([block]) => block["text"].as_str().map(str::to_owned),
            _ => None,
        };
        if result.get("isError") == Some(&Value::Bool(true)) {
            let text = text.unwrap_or_else(|| content.to_string());
            let text = text.strip_prefix("Error: ").unwrap_or(&text);
            return Err(ToolError::new(text));
        }
        let structured = result.remove("structuredContent");
        Ok(structured.unwrap_or_else(|| text.map_or(content, Value::String)))
    }

    /// Answers a question of a task; `false` if it does not ask under this key.
    ///
    /// # Errors
    ///
    /// As those of [`task_status`](Self::task_status).
    pub(crate) async fn answer_task(
        &self,
        id: &str,
        key: &str,
        answer: &Value,
    ) -> Result<bool, ToolError> {
        let members = self.task_members(id).await?;
        if members
            .get("inputRequests")
            .and_then(|it| it.get(key))
            .is_none()
        {
            return Ok(false);
        }
        let answer = RawValue::from_string(answer.to_string())?;
        let answers = HashMap::from([(key.to_owned(), answer)]);
        let principal = principal(self.control());
        let updated = self
            .core()
            .answer_task(read_id(id)?, principal.as_deref(), &answers);
        updated.await.map_err(|error| told(&error))?;
        Ok(true)
    }

    /// Cancels a task.
    ///
    /// # Errors
    ///
    /// As those of [`task_status`](Self::task_status).
    pub(crate) async fn cancel_task(&self, id: &str) -> Result<(), ToolError> {
        let principal = principal(self.control());
        let stopped = self.core().stop_task(read_id(id)?, principal.as_deref());
        stopped.await.map_err(|error| told(&error))
    }

    async fn task_members(&self, id: &str) -> Result<Map<String, Value>, ToolError> {
        self.core().begin_tasks();
        let principal = principal(self.control());
        let described = self
            .core()
            .describe_task(read_id(id)?, principal.as_deref());
        let mut members = described.await.map_err(|error| told(&error))?;
        // Each member has a comma before it.
        if let Some(first) = members.first_mut() {
            *first = b'{';
        }
        members.push(b'}');
        match read_own(&members)? {
            Value::Object(members) => Ok(members),
            _ => Err(told(&DispatchError::TaskStore)),
        }
    }
}

fn read_id(id: &str) -> Result<TaskId, ToolError> {
    id.parse().map_err(|_| told(&DispatchError::UnknownTask))
}

/// What the model is told of a request about a task that failed.
fn told(error: &DispatchError) -> ToolError {
    match error {
        DispatchError::UnknownTask => ToolError::new("there is no such task"),
        error => ToolError::new(error.to_string()),
    }
}
