//! The examples, as somebody finds them who has copied one: outside of this tree, built and asked something.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "values are made to be sent, and a test fails by panicking"
)]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A package in a temporary folder, gone after the test.
struct Package(PathBuf);

impl Drop for Package {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            assert!(std::thread::panicking(), "{}: {error}", self.0.display());
        }
    }
}

impl Package {
    /// An empty folder with the dependencies locked as they are here, so that nothing is downloaded or built anew.
    fn new(name: &str) -> Self {
        // The same folder for the same tree, so that Cargo knows it again, and another one for another tree.
        let mut tree = DefaultHasher::new();
        root().hash(&mut tree);
        let folder = std::env::temp_dir().join(format!("mcp-{:x}-{name}", tree.finish()));
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self(folder)
    }

    /// A copy of an example, whose only path leads to the runtime.
    fn copied(example: &str) -> Self {
        let from = root().join("examples").join(example);
        let package = Self::new(&example.replace('/', "-"));
        for file in files(&from) {
            let to = package.0.join(file.strip_prefix(&from).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file, to).unwrap();
        }
        let manifest = package.0.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        let (before, path) = text.split_once("path = \"../").unwrap();
        let (path, after) = path.split_once('"').unwrap();
        assert!(path.ends_with("mcp-runtime"), "{path}");
        assert!(!after.contains("path = \"../"), "{after}");
        fs::write(
            &manifest,
            format!("{before}path = {:?}{after}", root().join("mcp-runtime")),
        )
        .unwrap();
        package
    }

    /// The program, ready to run; what it is built of is shared with this tree.
    fn program(&self) -> Command {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut program = Command::new(env!("CARGO"));
        program
            .args(["run", "--quiet", "--offline", "--"])
            .current_dir(&self.0)
            .env("CARGO_TARGET_DIR", target)
            .env_remove("SQLITE_DATABASE");
        program
    }

    /// The answers to requests, in the order of their ids, which are numbers; more than expected are a failure.
    fn answers(&self, requests: &[Value], expected: usize) -> Vec<Value> {
        let mut child = self
            .program()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for request in requests {
            writeln!(input, "{request}").unwrap();
        }
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut answers: Vec<Value> = Vec::new();
        while answers.len() < expected {
            let line = lines.next().expect("an answer").unwrap();
            answers.push(serde_json::from_str(&line).unwrap());
        }
        drop(input);
        assert_eq!(
            lines.map(Result::unwrap).collect::<Vec<_>>(),
            Vec::<String>::new()
        );
        assert!(child.wait().unwrap().success());
        answers.sort_by_key(|answer| answer["id"].as_u64());
        answers
    }

    /// The result of one call.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let call = request(
            1,
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        self.answers(&[call], 1)[0]["result"].clone()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// All files in a folder but those that a build leaves.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let entries = entries.filter(|path| !path.ends_with("target"));
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn request(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[test]
fn every_example_can_be_copied_and_says_how_it_is_run() {
    let files = files(&root().join("examples"));
    let manifests: Vec<_> = files
        .iter()
        .filter(|path| path.ends_with("Cargo.toml"))
        .collect();
    assert!(manifests.len() >= 5, "{manifests:?}");
    for manifest in manifests {
        let text = fs::read_to_string(manifest).unwrap();
        assert!(
            !text.contains("workspace"),
            "{} inherits from the workspace",
            manifest.display()
        );
        let source = manifest.with_file_name("src");
        for main in ["main.rs", "lib.rs"]
            .map(|name| source.join(name))
            .iter()
            .filter(|path| path.exists())
        {
            let text = fs::read_to_string(main).unwrap();
            let comment: String = text
                .lines()
                .take_while(|line| line.starts_with("//!"))
                .collect();
            assert!(
                comment.contains("cargo run"),
                "{} does not say how it is run",
                main.display()
            );
        }
    }
}

#[test]
fn calculator() {
    let calculator = Package::copied("calculator");
    let called = calculator
        .program()
        .args(["call", "add", "a=2", "b=3"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&called.stdout), "5\n");
    assert_eq!(
        calculator.call("add", json!({ "a": 2, "b": 3 }))["content"][0]["text"],
        "5"
    );
    let list = &calculator.answers(&[request(1, "tools/list", json!({}))], 1)[0]["result"];
    let names: Vec<_> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["add", "divide", "mean"]);
}

#[test]
fn tour() {
    let tour = Package::copied("tour");
    let found = tour.call("search", json!({ "query": "darwin", "limit": 1 }));
    let hit =
        json!({ "title": "On the Origin of Species", "author": "Charles Darwin", "matches": 1 });
    assert_eq!(found["structuredContent"], json!([hit]));
}

#[test]
fn toolbox() {
    let toolbox = Package::copied("toolbox");
    let slug = toolbox.call(
        "slug",
        json!({ "title": "Hello, World!", "separator": "_" }),
    );
    assert_eq!(slug["content"][0]["text"], "hello_world");
}

#[test]
fn starter() {
    let call = json!({ "name": "confirm_delete", "arguments": { "path": "a" } });
    let starter = Package::copied("mcp-server/starter");
    let answers = starter.answers(
        &[
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "initialize" }),
        ],
        2,
    );
    let asked = json!({ "confirm": { "type": "boolean", "message": "Delete a?" } });
    assert_eq!(answers[0]["result"]["requests"], asked);
    assert_eq!(answers[1]["error"]["code"], -32601);
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none"])
        .current_dir(&starter.0)
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.contains("serde_json v"), "{tree}");
    for absent in ["tokio v", "futures", "clap v", "mcp-macros v"] {
        let found = tree.lines().find(|line| line.starts_with(absent));
        assert_eq!(
            found, None,
            "a bare server has no async runtime, no command line and no macros"
        );
    }
}

#[test]
fn sqlite_explorer() {
    let explorer = Package::copied("sqlite-explorer");
    let query = |id, sql| {
        request(
            id,
            "tools/call",
            json!({ "name": "query", "arguments": { "sql": sql } }),
        )
    };
    let numbers = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)";
    let answers = explorer.answers(&[
        query(1, "SELECT product, pieces FROM sales ORDER BY pieces LIMIT 1"),
        query(2, &format!("{numbers} SELECT count(*) FROM n")),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }),
        query(3, "DELETE FROM customer"),
    ], 2);
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(
        ids,
        [1, 3],
        "the endless query is cancelled, and so never answered"
    );
    assert_eq!(
        answers[0]["result"]["structuredContent"]["rows"],
        json!([["Abacus", 3]])
    );
    assert_eq!(answers[1]["result"]["isError"], true);
    // The limit of memory is that of the process, so it is tried in one of its own.
    let sorted = format!("{numbers} SELECT hex(zeroblob(500000)) || i AS x FROM n ORDER BY x");
    let failed = explorer.call("query", json!({ "sql": sorted }));
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("memory"), "{text}");
}

/// A crate that depends on nothing but the runtime: no serde, no schemars, no inventory, no serde_json.
#[test]
fn one_dependency_is_enough() {
    let package = Package::new("alone");
    let runtime = root().join("mcp-runtime");
    let manifest = format!(
        "[package]\nname = \"alone\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nmcp-runtime = {{ path = {runtime:?} }}\n"
    );
    fs::write(package.0.join("Cargo.toml"), manifest).unwrap();
    fs::write(package.0.join("src/main.rs"), ALONE).unwrap();
    let route = json!({ "stops": [{ "at": [1.0, 2.0] }, { "name": "end", "at": [4.0, 6.0] }], "by": { "kind": "bicycle", "gears": 3 } });
    let measured = package.call("measure", json!({ "route": route }));
    assert_eq!(
        measured["structuredContent"],
        json!({ "length": 5.0, "names": [null, "end"], "fast": false })
    );
    let wrong = package.call(
        "measure",
        json!({ "route": { "stops": [], "by": { "kind": "rocket" } } }),
    );
    assert_eq!(wrong["isError"], true);
    assert_eq!(
        package.call("later", json!({}))["content"][0]["text"],
        "later for nobody"
    );
}

const ALONE: &str = r#"
use mcp_runtime::prelude::*;

/// A way from stop to stop.
#[mcp_type]
struct Route {
    stops: Vec<Stop>,
    by: Vehicle,
}

#[mcp_type]
struct Stop {
    /// What people call it.
    #[serde(default)]
    name: Option<String>,
    at: (f64, f64),
}

#[mcp_type]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Vehicle {
    /// No stops between.
    Train,
    Bicycle { gears: u8 },
}

#[mcp_type]
#[derive(Debug, PartialEq)]
struct Measured {
    length: f64,
    names: Vec<Option<String>>,
    fast: bool,
}

/// Measure a route.
#[mcp_tool(read_only)]
fn measure(route: Route) -> Result<Measured, String> {
    let legs = route.stops.windows(2).map(|leg| {
        let [from, to] = [leg[0].at, leg[1].at];
        (to.0 - from.0).hypot(to.1 - from.1)
    });
    Ok(Measured {
        length: legs.sum(),
        fast: match route.by {
            Vehicle::Train => true,
            Vehicle::Bicycle { gears } => gears > 21,
        },
        names: route.stops.into_iter().map(|stop| stop.name).collect(),
    })
}

/// Do it later.
#[mcp_tool]
async fn later(ctx: &Context, #[arg(default = "nobody", length(1..))] whom: String) -> String {
    let cancelled = ctx.is_cancelled();
    std::future::ready(format!("{} for {whom}", if cancelled { "never" } else { "later" })).await
}

fn main() -> std::process::ExitCode {
    mcp_runtime::main!()
}
"#;
