//! Holds the imports of `mcp-runtime` against the layers of ARCHITECTURE.md.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may import of the others, with the exceptions that ARCHITECTURE.md names.
const LAYERS: &[(&str, &[&str])] = &[
    ("bound", &[]),
    ("json", &[]),
    ("exec", &[]),
    ("debounce", &[]),
    ("uri", &[]),
    ("task", &[]),
    ("refusal_log", &["clock"]),
    ("jsonrpc", &["json"]),
    ("protocol", &["jsonrpc"]),
    ("schema", &[]),
    (
        "convert",
        &[
            "exec",
            "json",
            "jsonrpc",
            "protocol",
            "schema",
            "form::ElicitForm",
            "dispatch::CacheScope",
            "dispatch::Context",
        ],
    ),
    ("form", &["schema", "convert::autoref"]),
    (
        "registry",
        &[
            "json",
            "jsonrpc",
            "protocol",
            "schema",
            "convert",
            "exec",
            "panic",
            "uri",
            "dispatch::BoxFuture",
            "dispatch::CacheScope",
            "dispatch::Context",
            "dispatch::Invocation",
        ],
    ),
    (
        "dispatch",
        &[
            "json",
            "jsonrpc",
            "protocol",
            "schema",
            "convert",
            "form",
            "registry",
            "exec",
            "panic",
            "uri",
            "task",
            "refusal_log",
            "bound",
        ],
    ),
    (
        "server",
        &[
            "bound", "clock", "exec", "json", "jsonrpc", "protocol", "schema", "convert",
            "registry", "dispatch", "panic", "task",
        ],
    ),
    ("legacy", &["jsonrpc", "protocol"]),
    (
        "connection",
        &[
            "bound", "debounce", "jsonrpc", "protocol", "dispatch", "legacy",
        ],
    ),
    (
        "client",
        &[
            "json",
            "jsonrpc",
            "protocol",
            "dispatch",
            "server",
            "transport::memory",
        ],
    ),
    (
        "transport",
        &[
            "clock",
            "debounce",
            "exec",
            "jsonrpc",
            "dispatch",
            "connection",
            "refusal_log",
            "server",
            "bound",
        ],
    ),
];

/// Paths of the standard library that a module must not touch.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "dispatch",
        &[
            "std::io",
            "std::net",
            "std::thread",
            "Instant",
            "SystemTime",
            "tokio",
        ],
    ),
    (
        "connection",
        &[
            "std::io",
            "std::net",
            "std::thread",
            "Instant::now",
            "SystemTime",
            "tokio",
        ],
    ),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-runtime/src")
}

/// All files of a module.
fn files(module: &str) -> Vec<PathBuf> {
    fn collect(path: &Path, files: &mut Vec<PathBuf>) {
        // Tests may look at a module from above.
        if path.ends_with("tests") || path.ends_with("tests.rs") {
            return;
        }
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                collect(&entry.unwrap().path(), files);
            }
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path.to_owned());
        }
    }
    let mut found = Vec::new();
    collect(&source().join(module), &mut found);
    collect(&source().join(module).with_extension("rs"), &mut found);
    found
}

/// The code of a file without comments and without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every `crate::…` path of a piece of code, with the braces of `use` written out.
fn crate_paths(code: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        let preceded =
            code[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '$' | '_'));
        if preceded {
            continue;
        }
        let rest = &code[start + "crate::".len()..];
        let module: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let rest = &rest[module.len()..];
        match rest.strip_prefix("::") {
            Some(items) if items.starts_with('{') => {
                let items = &items[1..items.find('}').unwrap_or(items.len())];
                for item in items
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                {
                    paths.insert(format!("{module}::{item}"));
                }
            }
            Some(items) => {
                let item: String = items
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                paths.insert(format!("{module}::{item}"));
            }
            None => {
                paths.insert(module);
            }
        }
    }
    paths
}

#[test]
fn modules_import_only_what_their_layer_may() {
    let mut wrong = Vec::new();
    for (module, allowed) in LAYERS {
        let files = files(module);
        assert!(!files.is_empty(), "the module {module} has moved");
        for file in files {
            for path in crate_paths(&code(&file)) {
                let target = path.split("::").next().unwrap_or_default();
                let fits = target == *module
                    || allowed.contains(&target)
                    || allowed.contains(&path.split(" as ").next().unwrap_or_default());
                if !fits {
                    wrong.push(format!("{}: crate::{path}", file.display()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports against the layers:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn dispatch_touches_no_io_threads_or_clock() {
    let mut wrong = Vec::new();
    for (module, forbidden) in FORBIDDEN {
        for file in files(module) {
            let code = code(&file);
            for word in *forbidden {
                if code.contains(word) {
                    wrong.push(format!("{}: {word}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_are_found_in_all_their_forms() {
    let code = "use crate::json::{write_str, write_value};\nlet x = crate::schema::nearest;\n$crate::server!();";
    let found: Vec<_> = crate_paths(code).into_iter().collect();
    assert_eq!(
        found,
        ["json::write_str", "json::write_value", "schema::nearest"]
    );
}
