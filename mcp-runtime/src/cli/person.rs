//! What a server asks, put to the person who called: one line for each field of a form.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value, json};

use super::palette::Palette;
use crate::client::{Question, Questions, Respondent};
use crate::server::in_order;

/// The request that asks a person.
const ELICITATION: &str = "elicitation/create";
/// What a person writes instead of an answer.
const DECLINE: &str = "/decline";

/// Who is asked, and how.
pub(super) struct Person<'s> {
    input: &'s mut (dyn BufRead + Send),
    output: &'s mut (dyn Write + Send),
    palette: Palette,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Elicitation {
    message: String,
    url: Option<String>,
    #[serde(default)]
    requested_schema: Form,
}

#[derive(Debug, Default, serde::Deserialize)]
struct Form {
    #[serde(default, deserialize_with = "in_order")]
    properties: Vec<(String, Field)>,
    #[serde(default)]
    required: Vec<String>,
}

/// A field, of which nothing is judged here but what a person can be told at once.
#[derive(Debug, serde::Deserialize)]
struct Field {
    #[serde(rename = "type")]
    kind: String,
    title: Option<String>,
    description: Option<String>,
    default: Option<Value>,
    minimum: Option<Value>,
    maximum: Option<Value>,
    format: Option<String>,
    #[serde(flatten)]
    choices: Choices,
    items: Option<Choices>,
}

#[derive(Debug, Default, serde::Deserialize)]
struct Choices {
    #[serde(default, rename = "enum")]
    plain: Vec<String>,
    #[serde(default, rename = "oneOf", alias = "anyOf")]
    titled: Vec<Choice>,
}

#[derive(Debug, serde::Deserialize)]
struct Choice {
    #[serde(rename = "const")]
    value: String,
    title: String,
}

impl Elicitation {
    /// What is asked of a person.
    fn of(question: &Question) -> Option<Self> {
        let params = question.params.as_ref();
        let params = params.filter(|_| question.method == ELICITATION)?;
        serde_json::from_str(params.get()).ok()
    }
}

/// What became of a question.
enum Said {
    Line(String),
    Declined,
    /// There is nothing more to read.
    Gone,
}

impl<'s> Person<'s> {
    pub(super) fn new(
        input: &'s mut (dyn BufRead + Send),
        output: &'s mut (dyn Write + Send),
        palette: Palette,
    ) -> Self {
        Self {
            input,
            output,
            palette,
        }
    }

    fn elicit(&mut self, elicitation: &Elicitation) -> io::Result<Value> {
        let message = self.palette.strong(printable(&elicitation.message));
        writeln!(self.output, "{message}")?;
        let form = &elicitation.requested_schema;
        if let Some(url) = &elicitation.url {
            writeln!(self.output, "  {url}")?;
        }
        if elicitation.url.is_some() {
            return Ok(match self.ask("Enter when you are done")? {
                Said::Line(_) => json!({"action": "accept"}),
                Said::Declined => json!({"action": "decline"}),
                Said::Gone => json!({"action": "cancel"}),
            });
        }
        if form.properties.is_empty() {
            return self.agree();
        }
        let mut content = Map::new();
        for (name, field) in &form.properties {
            let needed = form.required.contains(name) && field.default.is_none();
            loop {
                match self.ask(&field.prompt(name, needed))? {
                    Said::Declined => return Ok(json!({"action": "decline"})),
                    Said::Gone => return Ok(json!({"action": "cancel"})),
                    Said::Line(line) if line.is_empty() && !needed => {
                        if let Some(default) = &field.default {
                            content.insert(name.clone(), default.clone());
                        }
                        break;
                    }
                    Said::Line(line) => match field.read(&line) {
                        Ok(value) => {
                            content.insert(name.clone(), value);
                            break;
                        }
                        Err(sentence) => self.tell(&format!("  {sentence}"))?,
                    },
                }
            }
        }
        Ok(json!({"action": "accept", "content": content}))
    }

    /// Asks for a yes or a no.
    fn agree(&mut self) -> io::Result<Value> {
        loop {
            let action = match self.ask("yes | no")? {
                Said::Declined => "decline",
                Said::Gone => "cancel",
                Said::Line(line) => match truth(&line) {
                    Some(true) => "accept",
                    Some(false) => "decline",
                    None => continue,
                },
            };
            return Ok(json!({"action": action}));
        }
    }

    fn ask(&mut self, prompt: &str) -> io::Result<Said> {
        write!(self.output, "  {prompt}: ")?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            writeln!(self.output)?;
            return Ok(Said::Gone);
        }
        let line = line.trim();
        Ok(if line == DECLINE {
            Said::Declined
        } else {
            Said::Line(line.to_owned())
        })
    }
}

impl Respondent for Person<'_> {
    type Error = io::Error;

    /// Asks all questions; `None` if one of them cannot be put to a person.
    fn answer(&mut self, questions: &Questions) -> io::Result<Option<Map<String, Value>>> {
        let mut answers = Map::new();
        for (key, question) in &questions.0 {
            let Some(elicitation) = Elicitation::of(question) else {
                return Ok(None);
            };
            answers.insert(key.clone(), self.elicit(&elicitation)?);
        }
        Ok(Some(answers))
    }

    fn tell(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", self.palette.faint(printable(text)))
    }
}

impl Field {
    fn prompt(&self, name: &str, needed: bool) -> String {
        let mut prompt = self.title.as_deref().unwrap_or(name).to_owned();
        if let Some(description) = &self.description {
            prompt.push_str(&format!(", {description}"));
        }
        prompt.push_str(&format!(" ({}", self.expected()));
        match &self.default {
            Some(Value::String(default)) => prompt.push_str(&format!("; else {default}")),
            Some(default) => prompt.push_str(&format!("; else {default}")),
            None if !needed => prompt.push_str("; or nothing"),
            None => {}
        }
        prompt.push(')');
        prompt
    }

    /// What may be written, in words.
    fn expected(&self) -> String {
        let choices = self.items.as_ref().unwrap_or(&self.choices).names();
        if self.kind == "array" {
            return format!("some of {}, with commas between", choices.join(" | "));
        }
        if !choices.is_empty() {
            return choices.join(" | ");
        }
        let range = match (&self.minimum, &self.maximum) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" from {least}"),
            (None, Some(most)) => format!(" to {most}"),
            (None, None) => String::new(),
        };
        match (self.kind.as_str(), &self.format) {
            ("boolean", _) => "yes | no".to_owned(),
            ("string", Some(format)) => format.clone(),
            ("string", None) => "text".to_owned(),
            (kind, _) => format!("{kind}{range}"),
        }
    }

    /// The answer in JSON; what else is wrong with it is for the server to say.
    fn read(&self, line: &str) -> Result<Value, String> {
        let choices = self.items.as_ref().unwrap_or(&self.choices);
        let unfit = || format!("Write {}, or `{DECLINE}`.", self.expected());
        match self.kind.as_str() {
            "boolean" => truth(line).map(Value::Bool).ok_or_else(unfit),
            "integer" | "number" => match serde_json::from_str(line) {
                Ok(Value::Number(number)) => Ok(Value::Number(number)),
                _ => Err(unfit()),
            },
            "array" => {
                let values = line
                    .split(',')
                    .map(str::trim)
                    .filter(|word| !word.is_empty());
                let values: Option<Vec<_>> = values.map(|word| choices.find(word)).collect();
                values.map(Value::Array).ok_or_else(unfit)
            }
            _ if choices.is_empty() => Ok(line.into()),
            _ => choices.find(line).ok_or_else(unfit),
        }
    }
}

/// A text of the server's without what would steer a terminal.
fn printable(text: &str) -> String {
    let is_plain = |c: &char| !c.is_control() || *c == '\n';
    text.chars().filter(is_plain).collect()
}

/// What a person means by a yes or a no.
fn truth(line: &str) -> Option<bool> {
    match line.to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" => Some(true),
        "no" | "n" | "false" => Some(false),
        _ => None,
    }
}

impl Choices {
    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.titled.is_empty()
    }

    fn names(&self) -> Vec<String> {
        let titled = self.titled.iter().map(|choice| match &choice.title {
            title if *title == choice.value => choice.value.clone(),
            title => format!("{} = {title}", choice.value),
        });
        self.plain.iter().cloned().chain(titled).collect()
    }

    /// The value that a word stands for, by itself or by its title.
    fn find(&self, word: &str) -> Option<Value> {
        let titled = self.titled.iter();
        let values = self
            .plain
            .iter()
            .chain(titled.clone().map(|choice| &choice.value));
        let titles = titled.map(|choice| (&choice.title, &choice.value));
        // What is written exactly comes first, and a value before a title.
        let all: Vec<_> = values.map(|value| (value, value)).chain(titles).collect();
        let exact = all.iter().find(|(name, _)| *name == word);
        let lower = word.to_lowercase();
        let found = exact.or_else(|| all.iter().find(|(name, _)| name.to_lowercase() == lower));
        found.map(|(_, value)| Value::from(value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a person answers who writes these lines, and what was shown to them.
    fn answered(questions: &str, lines: &str) -> (Option<Value>, String) {
        let questions: Questions = serde_json::from_str(questions).unwrap();
        let mut shown = Vec::new();
        let mut input = lines.as_bytes();
        let mut person = Person::new(&mut input, &mut shown, Palette::PLAIN);
        let answers = person.answer(&questions).unwrap();
        (
            answers.map(Value::Object),
            String::from_utf8(shown).unwrap(),
        )
    }

    const FORM: &str = r#"{"order": {"method": "elicitation/create", "params": {
        "mode": "form",
        "message": "Where to?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "title": "Name", "description": "As on the door."},
                "parcels": {"type": "integer", "minimum": 1, "maximum": 20, "default": 1},
                "fast": {"type": "boolean"},
                "way": {"type": "string", "oneOf": [
                    {"const": "post", "title": "Post"},
                    {"const": "own", "title": "I come for it"}
                ]},
                "days": {"type": "array", "items": {"type": "string", "enum": ["Mon", "Tue"]}}
            },
            "required": ["name", "fast", "way"]
        }
    }}}"#;

    #[test]
    fn each_field_is_asked_for_and_read_as_its_type_wants() {
        let (answers, shown) = answered(FORM, "Ada\n7\nperhaps\nyes\ni come for it\ntue, Mon\n");
        assert_eq!(
            answers.unwrap(),
            json!({"order": {"action": "accept", "content": {
                "name": "Ada", "parcels": 7, "fast": true, "way": "own", "days": ["Tue", "Mon"],
            }}})
        );
        assert_eq!(
            shown,
            "Where to?\n  \
             Name, As on the door. (text):   \
             parcels (integer from 1 to 20; else 1):   \
             fast (yes | no):   Write yes | no, or `/decline`.\n  \
             fast (yes | no):   \
             way (post = Post | own = I come for it):   \
             days (some of Mon | Tue, with commas between; or nothing): "
        );
    }

    #[test]
    fn an_empty_line_takes_the_default_or_leaves_the_field_out() {
        let (answers, _) = answered(FORM, "Ada\n\nno\npost\n\n");
        assert_eq!(
            answers.unwrap()["order"]["content"],
            json!({"name": "Ada", "parcels": 1, "fast": false, "way": "post"})
        );
    }

    #[test]
    fn a_person_may_decline_or_go() {
        for (lines, action) in [
            ("Ada\n/decline\n", "decline"),
            ("Ada\n", "cancel"),
            ("", "cancel"),
        ] {
            let (answers, _) = answered(FORM, lines);
            assert_eq!(
                answers.unwrap(),
                json!({"order": {"action": action}}),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_form_without_fields_is_a_yes_or_a_no() {
        let form = json!({"sure": {"method": "elicitation/create", "params": {
            "mode": "form", "message": "Sure?",
            "requestedSchema": {"type": "object", "properties": {}},
        }}});
        for (lines, action) in [("what\ny\n", "accept"), ("no\n", "decline"), ("", "cancel")] {
            let (answers, shown) = answered(&form.to_string(), lines);
            assert_eq!(answers.unwrap(), json!({"sure": {"action": action}}));
            assert!(shown.starts_with("Sure?\n  yes | no: "), "{shown}");
        }
    }

    #[test]
    fn a_choice_is_found_by_its_value_before_another_ones_title() {
        let form = json!({"way": {"method": "elicitation/create", "params": {
            "mode": "form", "message": "\u{1b}[2JWhich?",
            "requestedSchema": {"type": "object", "required": ["way"], "properties": {"way": {
                "type": "string",
                "oneOf": [{"const": "A", "title": "B"}, {"const": "B", "title": "A"}],
            }}},
        }}});
        let (answers, shown) = answered(&form.to_string(), "B\n");
        assert_eq!(answers.unwrap()["way"]["content"], json!({"way": "B"}));
        assert!(shown.starts_with("[2JWhich?\n"), "{shown:?}");
    }

    #[test]
    fn a_page_is_shown_and_waited_for() {
        let page = json!({"pay": {"method": "elicitation/create", "params": {
            "mode": "url", "message": "Pay.", "url": "https://example.com/pay",
        }}});
        let (answers, shown) = answered(&page.to_string(), "\n");
        assert_eq!(answers.unwrap(), json!({"pay": {"action": "accept"}}));
        assert_eq!(
            shown,
            "Pay.\n  https://example.com/pay\n  Enter when you are done: "
        );
    }

    #[test]
    fn what_is_no_question_to_a_person_is_left() {
        let roots = json!({"roots": {"method": "roots/list"}});
        assert_eq!(answered(&roots.to_string(), "\n").0, None);
    }
}
