//! `schema`: the schemas of one tool or of all, as clients get them.

use super::outcome::{Exit, Outcome};
use super::pretty::pretty;
use super::unknown_tool;
use crate::registry::Tool;
use crate::schema::SchemaProblems;
use crate::server::Server;

/// Shows the input and output schema of a tool, or of every tool in an array.
pub(super) fn schema(server: &Server, tool: Option<&str>) -> Outcome {
    let registry = server.core().registry.load();
    let json = match tool {
        Some(name) => match registry.tool(name) {
            Some(tool) => schemas_of(tool),
            None => return unknown_tool(server, name),
        },
        None => registry
            .sorted()
            .map(|tool| schemas_of(tool))
            .collect::<Result<Vec<_>, _>>()
            .map(|tools| format!("[{}]", tools.join(","))),
    };
    match json {
        Ok(json) => Outcome::done(format!("{}\n", pretty(&json))),
        Err(text) => Outcome::failed(Exit::Failed, format!("error: {text}\n")),
    }
}

fn schemas_of(tool: &Tool) -> Result<String, String> {
    let broken = |problems: &SchemaProblems| {
        format!("the schema of {} cannot be used: {problems}", tool.place())
    };
    let input = tool.input().map_err(broken)?;
    let output = tool.output().map_err(broken)?;
    let mut json = format!(
        r#"{{"name":{},"inputSchema":{}"#,
        serde_json::Value::from(&*tool.name),
        input.schema.json()
    );
    if let Some(output) = output {
        json.push_str(r#","outputSchema":"#);
        json.push_str(output.json());
    }
    json.push('}');
    Ok(json)
}
