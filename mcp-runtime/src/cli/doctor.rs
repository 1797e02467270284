//! `doctor`: what is registered and from where, what is wrong, and what some hosts do not accept.

use super::Program;
use super::list::{NO_TOOLS, table};
use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use crate::server::{Examination, Examined, Kind, ServerBuilder, Standing};

/// What is said at the end, since nobody can list what the linker has left out.
const MISSING: &str = "Is a tool missing? The linker leaves out a crate that no code names: \
     write `mcp_runtime::link!(that_crate);`.";
const PANIC_ABORTS: &str = "the program is built with `panic = \"abort\"`: \
     a tool that panics ends the server instead of its call alone";

/// Reports on a server; with `strict`, warnings are failures.
pub(super) fn doctor(
    program: &Program,
    builder: ServerBuilder,
    strict: bool,
    palette: Palette,
) -> Outcome {
    let mut found = Examination::of(builder);
    if program.panic_aborts {
        found.warnings.push(PANIC_ABORTS.to_owned());
    }
    if found.items.is_empty() {
        found.warnings.push(NO_TOOLS.to_owned());
    } else if !found.items.iter().any(|item| item.standing.is_served()) {
        let what = if has_others(&found) {
            "nothing of this is served"
        } else {
            "none of the tools is served"
        };
        found.warnings.push(what.to_owned());
    }
    let failed = !found.problems.is_empty() || (strict && !found.warnings.is_empty());
    Outcome {
        out: report(&found, palette),
        err: String::new(),
        exit: if failed { Exit::Failed } else { Exit::Done },
    }
}

fn report(found: &Examination, palette: Palette) -> String {
    let served = |kind| {
        let items = found.items.iter();
        items
            .filter(|item| item.kind == kind && item.standing.is_served())
            .count()
    };
    let mut served_of_each = count(served(Kind::Tool), "tool");
    for kind in [Kind::Prompt, Kind::Resource] {
        if found.items.iter().any(|item| item.kind == kind) {
            served_of_each.push_str(&format!(", {}", count(served(kind), kind.noun())));
        }
    }
    let server = &found.server;
    let mut out = format!(
        "{} {}: {} served, {} registered\n",
        palette.strong(&server.name),
        server.version,
        served_of_each,
        found.items.len(),
    );
    if !found.items.is_empty() {
        let has_others = has_others(found);
        let rows: Vec<_> = found
            .items
            .iter()
            .map(|item| row(item, has_others))
            .collect();
        out.push('\n');
        out.push_str(&table(
            ["NAME", "KIND", "GROUP", "SERVED", "MODULE", "FROM"],
            &rows,
            palette,
        ));
    }
    out.push('\n');
    for problem in &found.problems {
        out.push_str(&format!("{}: {problem}\n", palette.error("error")));
    }
    for warning in &found.warnings {
        out.push_str(&format!("{}: {warning}\n", palette.warning("warning")));
    }
    for note in &found.notes {
        out.push_str(&format!("{}: {note}\n", palette.faint("note")));
    }
    out.push_str(&verdict(found, palette));
    out.push_str(&format!("{}\n", palette.faint(MISSING)));
    out
}

/// Whether anything but tools is there, so that their kind has to be told.
fn has_others(found: &Examination) -> bool {
    found.items.iter().any(|item| item.kind != Kind::Tool)
}

fn row(tool: &Examined, has_others: bool) -> [String; 6] {
    let standing = match &tool.standing {
        Standing::Served => "yes".to_owned(),
        Standing::ServedAs(name) => format!("as {name}"),
        Standing::Excluded => "no, excluded".to_owned(),
        Standing::OtherGroup => "no, group not chosen".to_owned(),
        Standing::OtherProfile => "no, contract profile".to_owned(),
    };
    let place = match tool.location {
        Some(location) => location.to_string(),
        None => "registered at run time".to_owned(),
    };
    [
        tool.name.clone(),
        if has_others {
            tool.kind.noun().to_owned()
        } else {
            String::new()
        },
        tool.group.to_owned(),
        standing,
        tool.module.clone(),
        place,
    ]
}

fn verdict(found: &Examination, palette: Palette) -> String {
    let warnings = count(found.warnings.len(), "warning");
    match (found.problems.len(), found.warnings.len()) {
        (0, 0) => format!("{}\n", palette.good("All is well.")),
        (0, _) => format!("Nothing is wrong; {warnings}.\n"),
        (problems, _) => format!("{}, {warnings}.\n", count(problems, "error")),
    }
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::convert::{ResourceError, ToolError};
    use crate::dispatch::Profile;

    fn examine(panic_aborts: bool, strict: bool, names: &[&str]) -> Outcome {
        let program = Program {
            name: "t",
            version: "1.2.3",
            description: "",
            panic_aborts,
        };
        // No annotated function: there may be some among the tests of this crate.
        let builder = ServerBuilder::new("t", "1.2.3").groups(std::iter::empty::<&str>());
        let builder = names.iter().fold(builder, |builder, name| {
            builder.register_tool(*name, "Do.", json!({"type": "object"}), |value: Value| {
                Ok::<_, ToolError>(value)
            })
        });
        doctor(&program, builder, strict, Palette::PLAIN)
    }

    #[test]
    fn tools_registered_at_run_time_are_listed_even_if_the_build_fails() {
        for names in [&["handy"][..], &["handy", "bad name"]] {
            let outcome = examine(false, false, names);
            let row = outcome.out.lines().find(|line| line.starts_with("handy"));
            assert!(
                row.is_some_and(|row| row.ends_with("registered at run time")),
                "{}",
                outcome.out
            );
            let expected = if names.len() == 1 {
                Exit::Done
            } else {
                Exit::Failed
            };
            assert_eq!(outcome.exit, expected);
        }
    }

    #[test]
    fn what_the_contract_profile_serves_is_noted() {
        for profile in [Profile::Contract, Profile::Strict] {
            let builder = ServerBuilder::new("t", "1.2.3")
                .profile(profile)
                .groups(std::iter::empty::<&str>())
                .register_resource("a://b", "b", "B.", |_: String| {
                    Ok::<_, ResourceError>("text")
                });
            let program = Program {
                name: "t",
                version: "1.2.3",
                description: "",
                panic_aborts: false,
            };
            let out = doctor(&program, builder, false, Palette::PLAIN).out;
            let is_contract = profile == Profile::Contract;
            assert_eq!(
                out.contains("the methods `tools/list` and `tools/call`"),
                is_contract,
                "{out}"
            );
            assert_eq!(out.contains("no, contract profile"), is_contract, "{out}");
        }
    }

    #[test]
    fn schemas_given_at_run_time_are_told_for_what_they_are() {
        let told = |schema: Value| {
            let program = Program {
                name: "t",
                version: "1.2.3",
                description: "",
                panic_aborts: false,
            };
            let builder = ServerBuilder::new("t", "1.2.3").groups(std::iter::empty::<&str>());
            let handler = |value: Value| Ok::<_, ToolError>(value);
            let builder = builder.register_tool("handy", "Do.", schema, handler);
            doctor(&program, builder, false, Palette::PLAIN).out
        };
        let inlined = told(json!({
            "type": "object",
            "properties": {"v": {"$ref": "#/$defs/Q", "description": "outer"}},
            "$defs": {"Q": {"type": "integer"}},
        }));
        assert!(!inlined.contains("refers to itself"), "{inlined}");
        assert!(!inlined.contains("allOf"), "{inlined}");
        let union =
            told(json!({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}));
        assert!(
            union.contains("`handy`: the schema has `oneOf` at its root, which hosts refuse"),
            "{union}"
        );
        let name =
            told(json!({"type": "object", "properties": {"filter[name]": {"type": "string"}}}));
        assert!(
            name.contains("`handy`: `filter[name]` is a name that providers refuse"),
            "{name}"
        );
    }

    #[test]
    fn a_program_that_aborts_on_panics_is_warned_of() {
        assert!(examine(true, false, &["handy"]).out.contains(PANIC_ABORTS));
        assert!(!examine(false, false, &["handy"]).out.contains(PANIC_ABORTS));
    }

    #[test]
    fn integers_that_some_clients_round_are_named_once_and_are_no_warning() {
        let builder = ServerBuilder::new("t", "1.2.3").groups(std::iter::empty::<&str>());
        let schema = json!({"type": "object", "properties": {
            "id": {"type": "integer"},
            "ids": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "page": {"type": "integer", "minimum": 0, "maximum": 100},
            "exact": {"type": "integer", "minimum": -9_007_199_254_740_991_i64, "maximum": 9_007_199_254_740_991_i64},
            "ratio": {"type": "number"},
        }});
        let builder = builder.register_tool("find", "Do.", schema, |value: Value| {
            Ok::<_, ToolError>(value)
        });
        let program = Program {
            name: "t",
            version: "1.2.3",
            description: "",
            panic_aborts: false,
        };
        let outcome = doctor(&program, builder, true, Palette::PLAIN);
        let notes: Vec<_> = outcome
            .out
            .lines()
            .filter(|line| line.starts_with("note: "))
            .collect();
        assert_eq!(notes.len(), 1, "{}", outcome.out);
        assert!(
            notes[0].contains("(`find`: `id`, `find`: `ids[]`)"),
            "{}",
            notes[0]
        );
        assert_eq!(outcome.exit, Exit::Done, "{}", outcome.out);
    }

    #[test]
    fn warnings_fail_on_demand() {
        let relaxed = examine(false, false, &["a.b"]);
        assert!(relaxed.out.contains("warning: "), "{}", relaxed.out);
        assert_eq!(relaxed.exit, Exit::Done);
        assert_eq!(examine(false, true, &["a.b"]).exit, Exit::Failed);
    }

    #[test]
    fn names_that_some_hosts_refuse_are_warned_of() {
        let warns = |name: &str| {
            examine(false, false, &[name])
                .out
                .contains(&format!("warning: `{name}`: some hosts drop all tools"))
        };
        assert!(warns("a.b"));
        assert!(warns(&"a".repeat(65)));
        assert!(!warns(&"a".repeat(64)));
        assert!(!warns("A-z_0"));
    }
}
