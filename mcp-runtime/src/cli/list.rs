//! `list`: the tools, prompts and resources that clients are shown.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use super::pretty::pretty;
use super::request;
use crate::protocol::Method;
use crate::server::Server;

/// The members of the JSON, called as in the protocol.
const TOOLS: &str = "tools";
const PROMPTS: &str = "prompts";
const RESOURCES: &str = "resources";
const TEMPLATES: &str = "resourceTemplates";

/// What is said where there is nothing to list.
pub(super) const NO_TOOLS: &str = "no tools: put `#[mcp_tool]` on a function, \
     or `mcp_runtime::link!(that_crate);` into this crate if the functions stand in another one";

/// Lists everything, as tables or as the JSON that clients get; prompts and resources only if there are any.
pub(super) fn list(server: &Server, json: bool, palette: Palette) -> Outcome {
    let listed = Lists::of(server).and_then(|lists| {
        if json {
            Ok(as_json(&lists))
        } else {
            as_tables(&lists, palette)
        }
    });
    match listed {
        Ok(out) => Outcome::done(out),
        Err(error) => Outcome::failed(Exit::Failed, format!("error: {error}\n")),
    }
}

/// The members of prompts and resources that the tables show.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Other {
    #[serde(alias = "uriTemplate")]
    uri: Option<String>,
    #[serde(default)]
    mime_type: String,
    #[serde(default)]
    arguments: Vec<Argument>,
    #[serde(flatten)]
    listed: Listed,
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    #[serde(default)]
    required: bool,
}

type Items = Vec<Box<RawValue>>;

/// The lists that the server has, each with all of its pages.
#[derive(Default)]
struct Lists {
    tools: Items,
    /// Its other lists, by the names of their members.
    others: Vec<(&'static str, Items)>,
}

impl Lists {
    fn of(server: &Server) -> Result<Self, String> {
        let registry = server.core().registry.load();
        let serves_all = server.core().options.profile.answers().has_all_methods;
        let offers = registry.offers();
        let mut others = Vec::new();
        for (is_served, member, method) in [
            (offers.prompts, PROMPTS, Method::ListPrompts.name()),
            (offers.resources, RESOURCES, Method::ListResources.name()),
            (
                offers.resources,
                TEMPLATES,
                Method::ListResourceTemplates.name(),
            ),
        ] {
            if serves_all && is_served {
                others.push((member, request::list(server, method)?));
            }
        }
        let tools = request::list_tools(server)?;
        Ok(Self { tools, others })
    }

    /// What the tables show of a list.
    fn read(&self, wanted: &str) -> Result<Vec<Other>, String> {
        let lists = self.others.iter().filter(|(member, _)| *member == wanted);
        let items = lists.flat_map(|(_, items)| items);
        items
            .map(|item| serde_json::from_str(item.get()).map_err(|error| error.to_string()))
            .collect()
    }
}

fn as_json(lists: &Lists) -> String {
    let tools = std::iter::once((TOOLS, &lists.tools));
    let others = lists.others.iter().map(|(member, items)| (*member, items));
    let members = tools.chain(others).map(|(member, items)| {
        let items: Vec<_> = items.iter().map(|item| item.get()).collect();
        format!("\"{member}\":[{}]", items.join(","))
    });
    let mut out = pretty(&format!("{{{}}}", members.collect::<Vec<_>>().join(",")));
    out.push('\n');
    out
}

/// The tables of tools, of prompts, and of resources with templates among them.
fn as_tables(lists: &Lists, palette: Palette) -> Result<String, String> {
    let mut out = as_table(&lists.tools, palette)?;
    let prompts = lists.read(PROMPTS)?;
    if !prompts.is_empty() {
        let rows: Vec<_> = prompts.into_iter().map(prompt_row).collect();
        out.push('\n');
        out.push_str(&table(
            ["PROMPT", "ARGUMENTS", "DESCRIPTION"],
            &rows,
            palette,
        ));
    }
    let mut resources = lists.read(RESOURCES)?;
    resources.extend(lists.read(TEMPLATES)?);
    if !resources.is_empty() {
        let rows: Vec<_> = resources.into_iter().map(resource_row).collect();
        out.push('\n');
        out.push_str(&table(["RESOURCE", "TYPE", "DESCRIPTION"], &rows, palette));
    }
    Ok(out)
}

fn prompt_row(prompt: Other) -> [String; 3] {
    let arguments = prompt.arguments.iter().map(|argument| {
        let mark = if argument.required { "" } else { "?" };
        format!("{}{mark}", argument.name)
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let summary = summary(&prompt.listed);
    [prompt.listed.name, arguments, summary]
}

fn resource_row(resource: Other) -> [String; 3] {
    let summary = summary(&resource.listed);
    [
        resource.uri.unwrap_or_default(),
        resource.mime_type,
        summary,
    ]
}

/// The members of a tool that the table shows.
#[derive(Deserialize)]
struct Listed {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    annotations: Annotations,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Annotations {
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
    idempotent_hint: Option<bool>,
    open_world_hint: Option<bool>,
}

impl Annotations {
    /// The hints in words; what is unset or denied without being the exception is left out.
    fn words(&self) -> String {
        let hints = [
            (self.read_only_hint, "read-only", ""),
            (self.destructive_hint, "destructive", "not destructive"),
            (self.idempotent_hint, "idempotent", ""),
            (self.open_world_hint, "open world", "closed world"),
        ];
        let words: Vec<_> = hints
            .into_iter()
            .filter_map(|(hint, yes, no)| hint.map(|hint| if hint { yes } else { no }))
            .filter(|word| !word.is_empty())
            .collect();
        words.join(", ")
    }
}

fn as_table(tools: &[Box<RawValue>], palette: Palette) -> Result<String, String> {
    if tools.is_empty() {
        return Ok(format!("{NO_TOOLS}\n"));
    }
    let tools = tools
        .iter()
        .map(|tool| serde_json::from_str::<Listed>(tool.get()).map_err(|error| error.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<[String; 3]> = tools
        .into_iter()
        .map(|tool| {
            let summary = summary(&tool);
            [tool.name, tool.annotations.words(), summary]
        })
        .collect();
    Ok(table(["NAME", "HINTS", "DESCRIPTION"], &rows, palette))
}

/// What the tool is, in one line: its title if that says more than the name, and the description's first line.
fn summary(tool: &Listed) -> String {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let line = tool.description.lines().next().unwrap_or_default().trim();
    if tool.title.is_empty() || letters(&tool.title) == letters(&tool.name) {
        line.to_owned()
    } else if line.is_empty() {
        tool.title.clone()
    } else {
        format!("{}: {line}", tool.title)
    }
}

/// Lays out rows in columns, the last of which may be as long as it likes; columns without any text are left out.
pub(super) fn table<const N: usize>(
    heads: [&str; N],
    rows: &[[String; N]],
    palette: Palette,
) -> String {
    let width = |column: usize| {
        let longest = rows.iter().map(|row| row[column].chars().count()).max();
        longest
            .filter(|&longest| longest > 0)
            .map(|longest| longest.max(heads[column].len()))
    };
    let widths: [Option<usize>; N] = std::array::from_fn(width);
    let last = widths.iter().rposition(Option::is_some);
    let line = |cells: [&str; N], paint: &dyn Fn(usize, String) -> String| {
        let mut line = String::new();
        for (column, cell) in cells.into_iter().enumerate() {
            match widths[column] {
                None => {}
                Some(_) if last == Some(column) => line.push_str(&paint(column, cell.to_owned())),
                Some(width) => {
                    line.push_str(&paint(column, format!("{cell:width$}")));
                    line.push_str("  ");
                }
            }
        }
        line
    };
    let mut out = String::new();
    out.push_str(line(heads, &|_, cell| palette.faint(cell)).trim_end());
    out.push('\n');
    for row in rows {
        let cells = std::array::from_fn(|column| row[column].as_str());
        let paint = |column, cell| match column {
            0 => palette.strong(cell),
            _ => cell,
        };
        out.push_str(line(cells, &paint).trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn listed(tool: Value) -> Listed {
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn a_title_is_shown_if_it_says_more_than_the_name() {
        for (tool, expected) in [
            (
                json!({"name": "read_file", "title": "Read file", "description": "Read.\nMore."}),
                "Read.",
            ),
            (
                json!({"name": "read_file", "title": "Reader", "description": "Read."}),
                "Reader: Read.",
            ),
            (json!({"name": "read_file", "title": "Reader"}), "Reader"),
            (json!({"name": "read_file"}), ""),
        ] {
            assert_eq!(summary(&listed(tool.clone())), expected, "{tool}");
        }
    }

    #[test]
    fn hints_are_shown_where_they_say_something() {
        let words = |annotations: Value| {
            listed(json!({"name": "x", "annotations": annotations}))
                .annotations
                .words()
        };
        assert_eq!(words(json!({})), "");
        assert_eq!(
            words(json!({"readOnlyHint": true, "openWorldHint": false})),
            "read-only, closed world"
        );
        assert_eq!(
            words(json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true})),
            "destructive, idempotent"
        );
    }

    #[test]
    fn empty_columns_are_left_out_and_lines_end_with_their_text() {
        let rows = [
            ["a".to_owned(), String::new(), String::new()],
            ["longer".to_owned(), String::new(), "x y".to_owned()],
        ];
        assert_eq!(
            table(["ONE", "TWO", "THREE"], &rows, Palette::PLAIN),
            "ONE     THREE\na\nlonger  x y\n"
        );
    }

    #[test]
    fn a_server_without_tools_is_told_where_they_may_be() {
        assert_eq!(
            as_table(&[], Palette::PLAIN).unwrap(),
            format!("{NO_TOOLS}\n")
        );
        assert_eq!(as_json(&Lists::default()), "{\n  \"tools\": []\n}\n");
    }

    #[test]
    fn every_list_is_a_member_and_a_table() {
        let raw = |item: Value| vec![RawValue::from_string(item.to_string()).unwrap()];
        let lists = Lists {
            tools: raw(json!({"name": "add"})),
            others: vec![
                (
                    PROMPTS,
                    raw(json!({"name": "greet", "arguments": [{"name": "who", "required": true}]})),
                ),
                (RESOURCES, Vec::new()),
                (
                    TEMPLATES,
                    raw(json!({"name": "room", "uriTemplate": "house://{number}"})),
                ),
            ],
        };
        let json: Value = serde_json::from_str(&as_json(&lists)).unwrap();
        let members: Vec<_> = json.as_object().unwrap().keys().collect();
        assert_eq!(members, [PROMPTS, TEMPLATES, RESOURCES, TOOLS]);
        assert_eq!(
            as_tables(&lists, Palette::PLAIN).unwrap(),
            "NAME\nadd\n\nPROMPT  ARGUMENTS\ngreet   who\n\nRESOURCE\nhouse://{number}\n"
        );
    }
}
