//! The schema of a tool's arguments, and everything that is asked of it while a call is served.

use super::canonical::canonical;
use super::check::{self, IntegerStrings};
use super::coerce::{Coerced, repair};
use super::constrain::{Bound, Constraints, constrain};
use super::fault::{self, Fault, Path};
use super::free::holds_free_values;
use super::generate::{self, Contract};
use super::large;
use super::locate;
use super::mirror::{Mirror, mirrors};
use super::node::{Additional, Member, Node, ObjectRules, Types};
use super::number::MAX_SAFE_INTEGER;
use super::portability;
use super::portable::{accepts_null, leave_out_nulls, without_null};
use super::publish;
use super::safe_number;
use super::user_schema::{self, Checking, Given};
use super::validator::Validator;
use super::wide_integer::may_have_wide_integers;
use super::{SchemaFn, SchemaProblems, write};
use serde_json::Value;
use serde_json::value::RawValue;

/// One argument of a tool.
#[derive(Debug)]
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    /// Takes the place of the type's own description; empty if there is none.
    pub(crate) description: &'a str,
    pub(crate) schema: SchemaFn,
    /// Whether the type is an `Option`.
    pub(crate) optional: bool,
    /// The value that an absent argument has; arguments with one are not required.
    pub(crate) default: Option<Value>,
    pub(crate) constraints: &'a Constraints,
    pub(crate) examples: Vec<Value>,
    /// The name of the HTTP header that mirrors the argument.
    pub(crate) header: Option<&'a str>,
}

/// What a tool's arguments look like.
#[derive(Debug)]
pub(crate) struct InputSchema {
    json: String,
    rules: Given,
    /// What the published text no longer shows and hosts refuse, one sentence each.
    remarks: Vec<String>,
}

impl InputSchema {
    /// The portable schema of annotated parameters, which keep their order.
    pub(crate) fn derive(properties: &[Property<'_>]) -> Result<Self, SchemaProblems> {
        let types: Vec<SchemaFn> = properties.iter().map(|property| property.schema).collect();
        let (nodes, definitions, mut problems) = generate::nodes(&types, Contract::Deserialize);
        let mut rules = ObjectRules {
            additional: Additional::Refused,
            listed: true,
            ..ObjectRules::default()
        };
        for (property, node) in properties.iter().zip(nodes) {
            let mut found = Vec::new();
            let member = member(property, node, &mut found);
            problems.extend(
                found
                    .into_iter()
                    .map(|sentence| format!("argument `{}`: {sentence}", property.name)),
            );
            rules.members.push(member);
        }
        let root = Node {
            object: Some(Box::new(rules)),
            ..Node::of(Types::OBJECT)
        };
        let compiled = Validator::new(root, definitions, true).map_err(|problem| {
            problems.push(problem);
            SchemaProblems::new(std::mem::take(&mut problems))
        })?;
        examples(properties, &compiled, &mut problems);
        problems.extend(safe_number::unsafe_values(&compiled));
        if !problems.is_empty() {
            return Err(SchemaProblems::new(problems));
        }
        Ok(Self {
            json: publish::arguments(&compiled.root, &compiled.definitions),
            rules: Given::Ours(Box::new(compiled)),
            remarks: Vec::new(),
        })
    }

    /// A schema given by hand: published in the portable form, or exactly as it is where nobody but its author answers for it,
    /// which is so if only the required arguments are checked, and with the feature `full-schema`.
    pub(crate) fn given(schema: &Value, checking: Checking) -> Result<Self, SchemaProblems> {
        let rules = user_schema::read(schema, checking)?;
        if let Given::Ours(compiled) = &rules
            && !cfg!(feature = "full-schema")
        {
            let (json, remarks) = user_schema::portable_form(schema, compiled)?;
            return Ok(Self {
                json,
                rules,
                remarks,
            });
        }
        Ok(Self {
            json: schema.to_string(),
            rules,
            remarks: Vec::new(),
        })
    }

    /// The schema as compact JSON.
    pub(crate) fn json(&self) -> &str {
        &self.json
    }

    /// The whole schema that is enforced, if our checker does.
    #[cfg(test)]
    pub(crate) fn enforced(&self) -> String {
        match &self.rules {
            Given::Ours(compiled) => compiled.text(),
            Given::Full(_) | Given::Names(_) => self.json.clone(),
        }
    }

    /// The index of an argument.
    pub(crate) fn property(&self, name: &str) -> Option<usize> {
        self.members().iter().position(|member| member.name == name)
    }

    /// Whether `null` for an argument means that it is absent.
    pub(crate) fn is_absent_if_null(&self, index: usize) -> bool {
        self.members()
            .get(index)
            .is_some_and(|member| member.nullable)
    }

    /// All arguments that HTTP headers mirror, at every depth.
    pub(crate) fn mirrors(&self) -> Vec<Mirror> {
        mirrors(self.members())
    }

    /// Whether one argument, a whole JSON value, satisfies its schema.
    ///
    /// `false` for an index that is none. Scalars are decided from their text, without allocation and without rounding.
    pub(crate) fn accepts(&self, index: usize, argument: &RawValue) -> bool {
        let Some(member) = self.members().get(index) else {
            return false;
        };
        let text = argument.get();
        match &self.rules {
            Given::Ours(compiled) => {
                (member.nullable && text == "null") || compiled.accepts_part(&member.node, text)
            }
            Given::Full(_) | Given::Names(_) => true,
        }
    }

    /// What is wrong with an argument that satisfies its schema and that its type refuses with an error.
    ///
    /// `json` is its text; `decode` tells what the type says of other texts, by which the place is found.
    pub(crate) fn undecodable(
        &self,
        index: usize,
        json: &str,
        error: &serde_json::Error,
        decode: &mut dyn FnMut(&str) -> Option<serde_json::Error>,
    ) -> Fault {
        let (Some(member), Given::Ours(compiled)) = (self.members().get(index), &self.rules) else {
            return Fault::whole(error.to_string());
        };
        let path = if member.required {
            Path::Member(&Path::Arguments, &member.name)
        } else {
            Path::Optional(&Path::Arguments, &member.name)
        };
        locate::fault(
            &member.node,
            &compiled.definitions,
            &path,
            json,
            error,
            decode,
        )
    }

    /// Whether an argument may hold an integer that its decoder would round, so that it has to be rewritten first.
    pub(crate) fn is_rounded(&self, index: usize, argument: &RawValue) -> bool {
        let (Some(member), Given::Ours(compiled)) = (self.members().get(index), &self.rules) else {
            return false;
        };
        let is_scalar = [Types::STRING, Types::INTEGER, Types::NUMBER, Types::BOOLEAN]
            .contains(&member.node.types);
        !is_scalar
            && may_have_wide_integers(argument.get())
            && holds_free_values(&member.node, &compiled.definitions)
    }

    /// Whether the arguments may hold, at some depth, a value of any type.
    pub(crate) fn holds_free_values(&self) -> bool {
        match &self.rules {
            Given::Ours(compiled) => holds_free_values(&compiled.root, &compiled.definitions),
            Given::Full(_) | Given::Names(_) => true,
        }
    }

    /// Whether the whole arguments object satisfies the schema.
    pub(crate) fn accepts_all(&self, arguments: &str) -> bool {
        match &self.rules {
            Given::Ours(compiled) => compiled.accepts(arguments),
            Given::Full(full) => full.faults(arguments).is_empty(),
            Given::Names(names) => names.missing(arguments).is_empty(),
        }
    }

    /// All that is wrong with an arguments object; required arguments that are missing come first, in the schema's order.
    pub(crate) fn faults(&self, arguments: &str) -> Vec<Fault> {
        match &self.rules {
            Given::Ours(compiled) => compiled.faults(arguments, &Path::Arguments),
            Given::Full(full) => full.faults(arguments),
            Given::Names(names) => names.missing(arguments),
        }
    }

    /// The text of an accepted argument that serde decodes, or `None` if it can stay as it is.
    ///
    /// An argument that is itself `null` for absence is the caller's: it is to be left out.
    pub(crate) fn canonical(&self, index: usize, argument: &str) -> Option<String> {
        match &self.rules {
            Given::Ours(compiled) => canonical(
                &self.members().get(index)?.node,
                &compiled.definitions,
                argument,
            ),
            Given::Full(_) | Given::Names(_) => None,
        }
    }

    /// [`InputSchema::canonical`] for the whole arguments object.
    pub(crate) fn canonical_all(&self, arguments: &str) -> Option<String> {
        match &self.rules {
            Given::Ours(compiled) => canonical(&compiled.root, &compiled.definitions, arguments),
            Given::Full(_) | Given::Names(_) => None,
        }
    }

    /// Arguments that were almost right, mended; `None` if they cannot be mended without a fault.
    pub(crate) fn repair(&self, arguments: &str) -> Option<Coerced> {
        match &self.rules {
            Given::Ours(compiled) => repair(&compiled.root, &compiled.definitions, arguments),
            Given::Full(_) | Given::Names(_) => None,
        }
    }

    /// What some hosts or providers of models do not accept, one sentence each.
    pub(crate) fn unportable(&self) -> Vec<String> {
        if matches!(self.rules, Given::Names(_)) {
            return Vec::new();
        }
        let published = serde_json::from_str(&self.json).unwrap_or(Value::Null);
        let mut sentences = self.remarks.clone();
        sentences.extend(portability::unportable(&published));
        sentences
    }

    /// The integers among the arguments that may be larger than what a 64-bit float tells apart.
    pub(crate) fn large_integers(&self) -> Vec<String> {
        match &self.rules {
            Given::Ours(compiled) => large::places(compiled),
            Given::Full(_) | Given::Names(_) => Vec::new(),
        }
    }

    fn members(&self) -> &[Member] {
        match &self.rules {
            Given::Ours(compiled) => compiled
                .root
                .object
                .as_ref()
                .map_or(&[], |rules| &rules.members),
            Given::Full(full) => &full.members,
            Given::Names(names) => &names.members,
        }
    }
}

/// Integers that are mirrored in a header stay where every JSON reader is exact (server/tools, "x-mcp-header").
const MIRRORED: Constraints = Constraints {
    minimum: Some(Bound::Int(-(MAX_SAFE_INTEGER as i128))),
    maximum: Some(Bound::Int(MAX_SAFE_INTEGER as i128)),
    ..Constraints::NONE
};

fn member(property: &Property<'_>, mut node: Node, problems: &mut Vec<String>) -> Member {
    let optional = property.optional || property.default.is_some();
    if optional {
        without_null(&mut node);
    }
    constrain(&mut node, property.constraints, problems);
    if !property.description.is_empty() {
        node.notes.description = Some(property.description.to_owned());
    }
    if let Some(header) = property.header {
        let primitive = [Types::STRING, Types::INTEGER, Types::BOOLEAN].contains(&node.types)
            && !node.is_compound();
        if !primitive {
            problems.push(format!(
                "the header `{header}` can mirror a string, an integer or a boolean, but not {}",
                fault::expected(&node, &Vec::new(), false)
            ));
        }
        if node.types == Types::INTEGER {
            constrain(&mut node, &MIRRORED, problems);
        }
        node.notes.header = Some(header.to_owned());
    }
    if let Some(default) = &property.default {
        let shown = !default.is_null() || accepts_null(&node);
        node.notes.default = shown.then(|| {
            let mut default = default.clone();
            leave_out_nulls(&mut default, &node);
            default
        });
    } else if optional {
        node.notes.default = None;
    }
    if !property.examples.is_empty() {
        node.notes.examples.clone_from(&property.examples);
    }
    Member {
        name: property.name.to_owned(),
        node,
        required: !optional,
        nullable: false,
    }
}

/// Defaults and examples have to satisfy the schema that they stand in.
fn examples(properties: &[Property<'_>], compiled: &Validator, problems: &mut Vec<String>) {
    let members = compiled.root.object.iter().flat_map(|rules| &rules.members);
    for (property, member) in properties.iter().zip(members) {
        let default = member
            .node
            .notes
            .default
            .iter()
            .map(|value| ("default", value));
        for (noun, value) in default.chain(property.examples.iter().map(|value| ("example", value)))
        {
            let mut text = String::new();
            write::value(value, &mut text);
            for fault in check::faults(
                &member.node,
                &compiled.definitions,
                &text,
                IntegerStrings::Refused,
                &Path::Member(&Path::Value, noun),
            ) {
                problems.push(format!("argument `{}`: {fault}", property.name));
            }
        }
    }
}
