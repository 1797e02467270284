//! Turns tools and prompts that a program gives at run time into rows of the registry, if they can be used.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::dispatch::Profile;
use crate::json::bounded;
use crate::protocol::PromptArgument;
use crate::registry::{Handler, Prompt, PromptInput, RegisterError, Tool};
use crate::schema::{Checking, InputSchema};

/// The tool of a handler, if its name and schema can be used.
pub(super) fn tool(
    name: String,
    description: String,
    schema: Value,
    handler: Arc<dyn Handler>,
    profile: Profile,
) -> Result<Tool, RegisterError> {
    let checking = if profile.answers().handlers_check_arguments {
        Checking::Required
    } else {
        Checking::Whole
    };
    let schema = match bounded(schema) {
        Ok(schema) => schema,
        Err(error) => {
            let text = error.to_string();
            return Err(RegisterError::Schema { name, text });
        }
    };
    if !is_tool_name(&name) {
        return Err(RegisterError::BadName(name));
    }
    match InputSchema::given(&schema, checking) {
        Ok(schema) => Ok(Tool::registered(name, description, schema, handler)),
        Err(problems) => Err(RegisterError::Schema {
            text: problems.to_string(),
            name,
        }),
    }
}

/// The prompt of a handler, if its name and its arguments can be used.
pub(super) fn prompt(
    name: String,
    description: String,
    arguments: Box<[PromptArgument]>,
    handler: Arc<dyn Handler<PromptInput>>,
) -> Result<Prompt, RegisterError> {
    if !is_tool_name(&name) {
        return Err(RegisterError::BadName(name));
    }
    let mut names = BTreeSet::new();
    let mut repeated = arguments.iter();
    if let Some(argument) = repeated.find(|argument| !names.insert(&argument.name)) {
        return Err(RegisterError::ArgumentTaken(name, argument.name.clone()));
    }
    Ok(Prompt::registered(name, description, arguments, handler))
}

/// The names that the specification allows (server/tools, "Tool Names"); those of prompts are held to the same.
pub(super) fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
