//! From Rust types to nodes: schemars describes the types, and its description is brought into the form that we publish.

use super::SchemaFn;
use super::node::Node;
use super::parse::{Definitions, Reader};
use super::portable::{portable, truthful};
use super::reference::Document;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Levels of the JSON of a schema: those of a schema in a schema take two.
const LEVELS: usize = 256;

/// Which way values of the types go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contract {
    /// Arguments: what is decoded, in the portable form.
    Deserialize,
    /// Results: what is encoded, told truly.
    Serialize,
}

/// The schemas of some types, with the definitions that they share and what is wrong with them.
pub(crate) fn nodes(
    types: &[SchemaFn],
    contract: Contract,
) -> (Vec<Node>, Definitions, Vec<String>) {
    let settings = SchemaSettings::draft2020_12();
    let mut generator = match contract {
        Contract::Deserialize => settings.for_deserialize(),
        Contract::Serialize => settings.for_serialize(),
    }
    .into_generator();
    let schemas: Vec<Value> = types
        .iter()
        .map(|schema| schema(&mut generator).to_value())
        .collect();
    let definitions = generator.take_definitions(true);
    if !schemas.iter().chain(definitions.values()).all(is_shallow) {
        // Dropping them could exhaust the stack.
        std::mem::forget((schemas, definitions));
        let problem = format!("the schema of a type is nested deeper than {LEVELS} levels");
        return (vec![Node::any(); types.len()], Vec::new(), vec![problem]);
    }
    let empty = Value::Null;
    let shared = Document {
        root: &empty,
        definitions: Some(&definitions),
    };
    let read = |inline: bool| {
        let mut reader = Reader::new(shared, inline).distributed(contract == Contract::Deserialize);
        let nodes: Vec<Node> = schemas
            .iter()
            .map(|schema| {
                reader.schema(
                    schema,
                    Document {
                        root: schema,
                        ..shared
                    },
                )
            })
            .collect();
        let excessive = reader.is_excessive();
        (nodes, reader, excessive)
    };
    let (mut nodes, mut reader, excessive) = read(true);
    if excessive {
        (nodes, reader, _) = read(false);
    }
    let (mut definitions, findings) = reader.finish();
    for node in nodes
        .iter_mut()
        .chain(definitions.iter_mut().map(|(_, node)| node))
    {
        match contract {
            Contract::Deserialize => portable(node),
            Contract::Serialize => truthful(node),
        }
    }
    (nodes, definitions, findings.problems)
}

/// Whether a schema can be walked; told without recursion.
fn is_shallow(schema: &Value) -> bool {
    let mut pending = vec![(schema, 1)];
    while let Some((value, level)) = pending.pop() {
        match value {
            _ if level > LEVELS => return false,
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(members) => {
                pending.extend(members.values().map(|member| (member, level + 1)));
            }
            _ => {}
        }
    }
    true
}
