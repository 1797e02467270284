//! Tools that show each kind of field of a form: those that have defaults, and choices in all their shapes.

use mcp_runtime::form::{ElicitForm, FormFault};
use mcp_runtime::prelude::*;
use serde_json::value::RawValue;

/// The state of an account.
#[derive(ElicitForm, Debug)]
enum Status {
    #[form(rename = "active")]
    Active,
    #[form(rename = "inactive")]
    Inactive,
    #[form(rename = "pending")]
    Pending,
}

/// An account, with a default for each kind of field.
#[derive(ElicitForm, Debug)]
#[expect(dead_code, reason = "the answer is shown as a whole")]
struct Account {
    #[form(default = "John Doe")]
    name: String,
    #[form(default = 30)]
    age: u8,
    #[form(default = 95.5)]
    score: f64,
    #[form(default = Status::Active)]
    status: Status,
    #[form(default = true)]
    verified: bool,
}

/// Ask for an account, with a default for each field.
#[mcp_tool]
async fn test_elicitation_sep1034_defaults(ctx: &Context) -> Result<String, ToolError> {
    let account = ctx.elicit::<Account>("account", "Please review").await?;
    Ok(format!("Elicitation completed: {account:?}"))
}

/// One choice in each shape that a form can show.
///
/// `enumNames` belongs to revision 2025-06-18 and is deprecated, so no derived form has it.
#[mcp_type]
#[serde(rename_all = "camelCase")]
#[derive(Debug)]
struct Choices {
    untitled_single: Option<String>,
    titled_single: Option<String>,
    legacy_enum: Option<String>,
    untitled_multi: Option<Vec<String>>,
    titled_multi: Option<Vec<String>>,
}

impl ElicitForm for Choices {
    fn requested_schema() -> &'static str {
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"#,
            r#""titledSingle":{"type":"string","oneOf":["#,
            r#"{"const":"value1","title":"First Option"},"#,
            r#"{"const":"value2","title":"Second Option"},"#,
            r#"{"const":"value3","title":"Third Option"}]},"#,
            r#""legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"#,
            r#""enumNames":["Option One","Option Two","Option Three"]},"#,
            r#""untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"#,
            r#""titledMulti":{"type":"array","items":{"anyOf":["#,
            r#"{"const":"value1","title":"First Choice"},"#,
            r#"{"const":"value2","title":"Second Choice"},"#,
            r#"{"const":"value3","title":"Third Choice"}]}}}}"#,
        )
    }

    fn from_content(content: &RawValue) -> Result<Self, Vec<FormFault>> {
        serde_json::from_str(content.get()).map_err(|error| vec![FormFault::new(error.to_string())])
    }
}

/// Ask for a choice in each shape.
#[mcp_tool]
async fn test_elicitation_sep1330_enums(ctx: &Context) -> Result<String, ToolError> {
    let choices = ctx.elicit::<Choices>("choices", "Please choose").await?;
    Ok(format!("Elicitation completed: {choices:?}"))
}
