//! The grammar of the command line: what may be asked for, and the help about it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command as Grammar};

use super::Program;
use super::outcome::{Exit, Outcome};
use crate::registry::Registered;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Serve over standard input and output.
    Serve,
    /// Serve over HTTP.
    #[cfg(feature = "http")]
    Http(HttpLine),
    /// List the tools.
    List { json: bool },
    /// Call a tool.
    Call {
        tool: String,
        given: Given,
        raw: bool,
    },
    /// Get a prompt.
    Prompt {
        name: String,
        pairs: Vec<String>,
        raw: bool,
    },
    /// Read a resource.
    Read { uri: String, raw: bool },
    /// Show the schemas of a tool or of all.
    Schema { tool: Option<String> },
    /// Report on everything that is registered.
    Doctor { strict: bool },
}

/// Where and how to serve over HTTP.
#[cfg(feature = "http")]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HttpLine {
    pub(super) address: std::net::SocketAddr,
    pub(super) path: String,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
}

/// How the arguments of a call are given.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// As `name=value`.
    Pairs(Vec<String>),
    /// As a JSON object.
    Json(String),
    /// As a JSON object on standard input.
    Stdin,
}

/// Reads a command line, the program's name included; help and mistakes are outcomes at once.
pub(super) fn parse(
    program: &Program,
    line: impl IntoIterator<Item = OsString>,
) -> Result<Command, Outcome> {
    let line: Vec<OsString> = line.into_iter().collect();
    if line.len() < 2 {
        // What hosts do, many times a day: no need to make a grammar for it.
        return Ok(Command::Serve);
    }
    let matches = grammar(program)
        .try_get_matches_from(line)
        .map_err(|error| refused(&error))?;
    Ok(match matches.subcommand() {
        #[cfg(feature = "http")]
        Some(("http", matches)) => Command::Http(http_line(matches)),
        Some(("list", matches)) => Command::List {
            json: matches.get_flag("json"),
        },
        Some(("call", matches)) => Command::Call {
            tool: matches.get_one("tool").cloned().unwrap_or_default(),
            given: given(matches),
            raw: matches.get_flag("raw"),
        },
        Some(("prompt", matches)) => Command::Prompt {
            name: matches.get_one("prompt").cloned().unwrap_or_default(),
            pairs: pairs(matches),
            raw: matches.get_flag("raw"),
        },
        Some(("read", matches)) => Command::Read {
            uri: matches.get_one("uri").cloned().unwrap_or_default(),
            raw: matches.get_flag("raw"),
        },
        Some(("schema", matches)) => Command::Schema {
            tool: matches.get_one("tool").cloned(),
        },
        Some(("doctor", matches)) => Command::Doctor {
            strict: matches.get_flag("strict"),
        },
        _ => Command::Serve,
    })
}

#[cfg(feature = "http")]
fn http_line(matches: &ArgMatches) -> HttpLine {
    let all = |name| -> Vec<String> {
        let values = matches.get_many(name);
        values
            .map(|values| values.cloned().collect())
            .unwrap_or_default()
    };
    HttpLine {
        address: matches.get_one("addr").copied().unwrap_or(HTTP_ADDRESS),
        path: matches.get_one("path").cloned().unwrap_or_default(),
        hosts: all("allow-host"),
        origins: all("allow-origin"),
    }
}

fn given(matches: &ArgMatches) -> Given {
    let json: Option<&String> = matches.get_one("json");
    match json.map(String::as_str) {
        Some("-") => return Given::Stdin,
        Some(json) => return Given::Json(json.to_owned()),
        None => {}
    }
    let pairs = pairs(matches);
    if pairs == ["-"] {
        Given::Stdin
    } else {
        Given::Pairs(pairs)
    }
}

fn pairs(matches: &ArgMatches) -> Vec<String> {
    let pairs = matches.get_many("arguments");
    pairs
        .map(|pairs| pairs.cloned().collect())
        .unwrap_or_default()
}

/// What clap says of a line that is no command: help and version, or a mistake.
fn refused(error: &clap::Error) -> Outcome {
    let mut text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Outcome::done(text),
        kind => {
            let word = error.get(ContextKind::InvalidSubcommand);
            if kind == ErrorKind::InvalidSubcommand
                && let Some(word) = word.as_ref().map(ToString::to_string)
                && Registered::all()
                    .tools
                    .iter()
                    .any(|entry| entry.item.name == word)
            {
                text.push_str(&format!("\n`{word}` is a tool: write `call {word} …`\n"));
            }
            #[cfg(not(feature = "http"))]
            if kind == ErrorKind::InvalidSubcommand
                && word.is_some_and(|word| word.to_string() == "http")
            {
                text.push_str("\nserving over HTTP takes the feature `http` of mcp-runtime\n");
            }
            Outcome::failed(Exit::Usage, text)
        }
    }
}

fn grammar(program: &Program) -> Grammar {
    let binary = std::env::current_exe().ok();
    let about = match program.description {
        "" => "A server of tools for AI models, over the Model Context Protocol.",
        description => description,
    };
    let grammar = Grammar::new(program.name)
        .bin_name(bin_name(program, binary.as_ref()))
        .version(program.version)
        .about(about)
        .after_help(after_help(program, binary))
        .subcommand(
            Grammar::new("stdio")
                .about("Serve over standard input and output, as without any command"),
        )
        .subcommand(
            Grammar::new("list")
                .about("List the tools, prompts and resources")
                .arg(flag("json").help("Print them as clients get them")),
        )
        .subcommand(call())
        .subcommand(
            Grammar::new("prompt")
                .about("Get a prompt")
                .arg(
                    Arg::new("prompt")
                        .value_name("PROMPT")
                        .required(true)
                        .help("The prompt's name"),
                )
                .arg(
                    Arg::new("arguments")
                        .value_name("NAME=VALUE")
                        .num_args(0..)
                        .help("Arguments"),
                )
                .arg(raw()),
        )
        .subcommand(
            Grammar::new("read")
                .about("Read a resource")
                .arg(
                    Arg::new("uri")
                        .value_name("URI")
                        .required(true)
                        .help("The URI of the resource"),
                )
                .arg(raw()),
        )
        .subcommand(
            Grammar::new("schema")
                .about("Show the JSON Schemas of a tool, or of all tools")
                .arg(Arg::new("tool").value_name("TOOL").help("The tool's name")),
        )
        .subcommand(
            Grammar::new("doctor")
                .about(
                    "Report what is registered, what is wrong, and what some hosts do not accept",
                )
                .arg(flag("strict").help("Fail on warnings, too")),
        );
    #[cfg(feature = "http")]
    let grammar = grammar.subcommand(http());
    grammar
}

/// Where HTTP is served unless the line says otherwise: on this machine alone.
#[cfg(feature = "http")]
const HTTP_ADDRESS: std::net::SocketAddr =
    std::net::SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8000);

#[cfg(feature = "http")]
fn http() -> Grammar {
    Grammar::new("http")
        .about("Serve over Streamable HTTP, until SIGINT or SIGTERM")
        .arg(
            Arg::new("addr")
                .long("addr")
                .value_name("ADDRESS")
                .value_parser(address)
                .help("Where to listen, such as localhost:8080 or 8080; 127.0.0.1:8000 unless given"),
        )
        .arg(
            Arg::new("path")
                .long("path")
                .value_name("PATH")
                .default_value("/mcp")
                .help("The path of the endpoint"),
        )
        .arg(
            Arg::new("allow-host")
                .long("allow-host")
                .value_name("HOST")
                .action(ArgAction::Append)
                .help("A name under which the server is reached, besides those of this machine; may be repeated"),
        )
        .arg(
            Arg::new("allow-origin")
                .long("allow-origin")
                .value_name("ORIGIN")
                .action(ArgAction::Append)
                .help("An origin whose pages may call the server; may be repeated"),
        )
}

/// An address to listen at: a port of this machine, or a name or number of a host with a port.
#[cfg(feature = "http")]
fn address(text: &str) -> Result<std::net::SocketAddr, String> {
    use std::net::{SocketAddr, ToSocketAddrs as _};
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse() {
        return Ok(SocketAddr::new(HTTP_ADDRESS.ip(), port));
    }
    let found = text.to_socket_addrs().map(|mut found| found.next());
    match found {
        Ok(Some(address)) => Ok(address),
        Ok(None) => Err("no host has this name".to_owned()),
        Err(error) => Err(format!("{error}; write 127.0.0.1:8080 or 8080")),
    }
}

fn call() -> Grammar {
    Grammar::new("call")
        .about("Call a tool, as a client would")
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .required(true)
                .help("The tool's name"),
        )
        .arg(
            Arg::new("arguments")
                .value_name("NAME=VALUE")
                .num_args(0..)
                .help("Arguments, or `-` for a JSON object on standard input"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("OBJECT")
                .allow_hyphen_values(true)
                .conflicts_with("arguments")
                .help("All arguments as a JSON object, or `-` to read it from standard input"),
        )
        .arg(raw())
        .after_help(
            "A value is read as the tool's schema wants it: a number, a boolean, JSON for objects and arrays, else text.\n\
             Parts of objects and arrays: user.name=Ada tags[]=a tags[]=b, or tags=a tags=b.\n\
             What the tool asks is asked here, and answered line by line.",
        )
}

fn raw() -> Arg {
    flag("raw")
        .visible_alias("json-output")
        .help("Print the whole JSON-RPC response, as it would go over the wire")
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// The name under which the program runs.
fn bin_name(program: &Program, binary: Option<&PathBuf>) -> String {
    binary.and_then(|binary| binary.file_stem()).map_or_else(
        || program.name.to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

fn after_help(program: &Program, binary: Option<PathBuf>) -> String {
    let name = serde_json::Value::from(bin_name(program, binary.as_ref()));
    let path = binary.unwrap_or_else(|| PathBuf::from(program.name));
    let path = serde_json::Value::from(path.to_string_lossy());
    format!(
        "To use it in a host, add this to the host's configuration:\n\n\
         {{\n  \"mcpServers\": {{\n    {name}: {{\n      \"command\": {path}\n    }}\n  }}\n}}\n\n\
         Exit codes:\n  \
         0  done\n  \
         1  the call failed, or `doctor` found something wrong\n  \
         2  the command line is wrong\n  \
         3  the server could not start, or could not go on serving\n\n\
         Environment:\n  \
         MCP_LOG   what is logged to standard error: off, error, warn (default), info, debug, trace\n  \
         NO_COLOR  if it is set and not empty, nothing is coloured"
    )
}
