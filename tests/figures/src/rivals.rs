//! The figures of servers of other frameworks beside ours: the same load for all, in turns.
//!
//! The servers are the programs of `tests/rivals`, ours among them, so that all are built in the same way.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use figures::load::{Load, Served};
use figures::message;
use figures::peer::Peer;

use crate::measure::median;
use crate::over_http::{nanoseconds, round};
use crate::{Failure, table};

/// How many turns each server has; an odd number.
const ROUNDS: usize = 9;
/// The calls in flight that hold their threads, more than a runtime has workers, and for how long.
const BLOCKED: usize = 8;
const BLOCKED_MILLISECONDS: u32 = 100;
/// How long they get to begin before an `add` is called.
const HEAD_START: Duration = Duration::from_millis(20);

/// A server, and the ending of the names of its tools that are measured.
struct Server {
    name: &'static str,
    program: PathBuf,
    ending: &'static str,
}

const CEILING: &str = "ceiling";
const OURS: [&str; 3] = ["`inline`", "`async`", "plain"];
/// A server of ours that a rival must not be ahead of.
const HELD: usize = 2;

/// What is called.
#[derive(Clone, Copy)]
enum Tool {
    Add,
    Structured,
    Echo(usize),
}

impl Tool {
    fn name(self, ending: &str) -> String {
        let name = match self {
            Self::Add => "add",
            Self::Structured => "structured",
            Self::Echo(_) => "echo",
        };
        format!("{name}{ending}")
    }

    fn message(self, id: usize, ending: &str) -> String {
        let name = self.name(ending);
        match self {
            Self::Add => message::add_by(id, &name),
            Self::Structured => message::structured_by(id, &name, 10),
            Self::Echo(length) => message::echo_by(id, &name, length),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Add => r#""text":"5""#,
            Self::Structured => r#""structuredContent":{"points":[{"#,
            Self::Echo(_) => r#""text":"otters "#,
        }
    }
}

/// A figure of all servers.
struct Row {
    name: String,
    unit: &'static str,
    /// Whether the greater value is the better one.
    rises: bool,
    /// For each server, the value of each round; nothing where it is not measured.
    values: Vec<Vec<f64>>,
}

pub(crate) fn figures() -> Result<String, Failure> {
    let directory = env::args()
        .nth(2)
        .ok_or("the directory of the servers is missing")?;
    let servers = servers(Path::new(&directory))?;
    let mut rows = Vec::new();
    rows.extend(over_stdio(
        &servers,
        "`add`, 1 in flight",
        Tool::Add,
        1,
        2_000,
    )?);
    rows.extend(over_stdio(
        &servers,
        "`add`, 64 in flight",
        Tool::Add,
        64,
        6_400,
    )?);
    rows.extend(over_stdio(
        &servers,
        "10 points, 64 in flight",
        Tool::Structured,
        64,
        5_000,
    )?);
    rows.extend(over_stdio(
        &servers,
        "`echo` of 10 KB, 4 in flight",
        Tool::Echo(10_000),
        4,
        2_000,
    )?);
    rows.extend(over_stdio(
        &servers,
        "`echo` of 1 MiB, 4 in flight",
        Tool::Echo(1 << 20),
        4,
        40,
    )?);
    for (name, tool, connections, count) in [
        ("`add`, 1 connection", Tool::Add, 1, 2_000),
        ("`add`, 8 connections", Tool::Add, 8, 8_000),
        ("`add`, 64 connections", Tool::Add, 64, 8_000),
        ("10 points, 8 connections", Tool::Structured, 8, 4_000),
        (
            "`echo` of 10 KB, 8 connections",
            Tool::Echo(10_000),
            8,
            2_000,
        ),
        ("`echo` of 1 MiB, 4 connections", Tool::Echo(1 << 20), 4, 60),
    ] {
        rows.extend(over_http(&servers, name, tool, connections, count)?);
    }
    rows.extend(blocked(&servers)?);
    rows.extend(resources(&servers)?);
    Ok(text(&servers, &rows))
}

fn servers(directory: &Path) -> io::Result<Vec<Server>> {
    let ours = directory.join("ours-server");
    let server = |name, program, ending| Server {
        name,
        program,
        ending,
    };
    Ok(vec![
        server(CEILING, env::current_exe()?, ""),
        server(OURS[0], ours.clone(), ""),
        server(OURS[1], ours.clone(), "_async"),
        server(OURS[2], ours, "_plain"),
        server("flymcprust", directory.join("flymcprust-server"), ""),
        server("rmcp", directory.join("rmcp-server"), ""),
    ])
}

impl Server {
    fn is_ceiling(&self) -> bool {
        self.name == CEILING
    }

    fn stdio(&self, tool: &str) -> Command {
        let mut command = Command::new(&self.program);
        match self.is_ceiling() {
            true => command.args(["ceiling", tool]),
            false => command.arg("stdio"),
        };
        command
    }

    fn http(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(if self.is_ceiling() {
            "ceiling-http"
        } else {
            "http"
        });
        command
    }

    fn peer(&self, tool: Tool) -> io::Result<Peer> {
        // The lines of all calls are kept, so there are few of long ones, but more than are in flight.
        let ids = match tool {
            Tool::Add => 4_096,
            Tool::Structured | Tool::Echo(..100_000) => 1_024,
            Tool::Echo(_) => 16,
        };
        Peer::of(
            &mut self.stdio(&tool.name("")),
            ids,
            |id| tool.message(id, self.ending),
            tool.expected(),
        )
    }

    fn load(&self, served: &Served, tool: Tool, connections: usize) -> io::Result<Load> {
        let (name, message) = (tool.name(self.ending), tool.message(1, self.ending));
        let post = message::post(served.port(), Some(&name), &message);
        Load::connect(served.port(), connections, post, tool.expected())
    }
}

/// Lets each server have its turn in each round, after one that does not count.
fn in_turns<T, const N: usize>(
    servers: &[Server],
    what: &[(&str, &'static str, bool); N],
    name: &str,
    sides: &mut [T],
    mut turn: impl FnMut(&mut T) -> io::Result<[f64; N]>,
) -> io::Result<Vec<Row>> {
    let mut rows: Vec<Row> = what
        .iter()
        .map(|&(what, unit, rises)| Row {
            name: format!("{name}: {what}"),
            unit,
            rises,
            values: vec![Vec::new(); sides.len()],
        })
        .collect();
    eprintln!("{name}");
    for number in 0..=ROUNDS {
        for (at, side) in sides.iter_mut().enumerate() {
            let values = turn(side).map_err(|error| {
                io::Error::other(format!("{name}, {}: {error}", servers[at].name))
            })?;
            if number > 0 {
                for (row, value) in rows.iter_mut().zip(values) {
                    row.values[at].push(value);
                }
            }
        }
    }
    Ok(rows)
}

const COLUMNS: [(&str, &str, bool); 4] = [
    ("processor time", "ns", false),
    ("requests in a second", "/s", true),
    ("median round trip", "ns", false),
    ("99th percentile", "ns", false),
];

fn over_stdio(
    servers: &[Server],
    name: &str,
    tool: Tool,
    window: usize,
    count: usize,
) -> io::Result<Vec<Row>> {
    let mut peers: Vec<Peer> = servers
        .iter()
        .map(|server| server.peer(tool))
        .collect::<io::Result<_>>()?;
    let name = format!("stdio, {name}");
    let round = |peer: &mut Peer| {
        let (before, begin) = (peer.cpu_time()?, Instant::now());
        let mut times = Vec::new();
        if window == 1 {
            times = (0..count).map(|_| peer.call()).collect::<io::Result<_>>()?;
        } else {
            peer.calls(count, window)?;
        }
        let taken = begin.elapsed().as_secs_f64();
        let cpu = peer.cpu_time()?.saturating_sub(before).as_secs_f64();
        times.sort_unstable();
        let at = |rank: usize| times.get(rank).map_or(f64::NAN, nanoseconds);
        Ok([
            cpu * 1e9 / count as f64,
            count as f64 / taken,
            at(count / 2),
            at(count * 99 / 100),
        ])
    };
    let mut rows = in_turns(servers, &COLUMNS, &name, &mut peers, round)?;
    // Many calls at once are sent in bursts, of which each call's own time is not taken.
    rows.truncate(if window == 1 { 4 } else { 2 });
    Ok(rows)
}

fn over_http(
    servers: &[Server],
    name: &str,
    tool: Tool,
    connections: usize,
    count: usize,
) -> io::Result<Vec<Row>> {
    let mut sides = servers
        .iter()
        .map(|server| Ok((server, Served::start(&mut server.http())?)))
        .collect::<io::Result<Vec<_>>>()?;
    let name = format!("HTTP, {name}");
    in_turns(servers, &COLUMNS, &name, &mut sides, |(server, served)| {
        // Not kept from turn to turn: some servers close a connection that is idle for seconds.
        let mut load = server.load(served, tool, connections)?;
        round(served, &mut load, count)
    })
}

/// How long an `add` takes while functions that block are called.
fn blocked(servers: &[Server]) -> io::Result<Vec<Row>> {
    let what = [("round trip", "ns", false)];
    let name = format!("`add` while {BLOCKED} functions block for {BLOCKED_MILLISECONDS} ms");
    let mut sides: Vec<&Server> = servers.iter().collect();
    // The ceiling has no such function.
    let mut rows = in_turns(
        servers,
        &what,
        &format!("stdio, {name}"),
        &mut sides,
        |server| match server.is_ceiling() {
            true => Ok([f64::NAN]),
            false => blocked_stdio(server),
        },
    )?;
    rows.extend(in_turns(
        servers,
        &what,
        &format!("HTTP, {name}"),
        &mut sides,
        |server| match server.is_ceiling() {
            true => Ok([f64::NAN]),
            false => blocked_http(server),
        },
    )?);
    Ok(rows)
}

fn blocked_stdio(server: &Server) -> io::Result<[f64; 1]> {
    let mut child = server
        .stdio("block")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        unreachable!("both streams are piped")
    };
    let mut output = BufReader::new(output);
    let mut wait_for = |id: usize| -> io::Result<()> {
        let member = format!("\"id\":{id},");
        let last = format!("\"id\":{id}}}");
        let mut line = String::new();
        while !line.contains(&member) && !line.contains(&last) {
            line.clear();
            if output.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    };
    let add = |id| Tool::Add.message(id, server.ending);
    writeln!(input, "{}", add(100))?;
    wait_for(100)?;
    for id in 0..BLOCKED {
        writeln!(input, "{}", message::block(id + 1, BLOCKED_MILLISECONDS))?;
    }
    thread::sleep(HEAD_START);
    let begin = Instant::now();
    writeln!(input, "{}", add(200))?;
    wait_for(200)?;
    let taken = nanoseconds(&begin.elapsed());
    drop(input);
    child.wait()?;
    Ok([taken])
}

fn blocked_http(server: &Server) -> io::Result<[f64; 1]> {
    let served = Served::start(&mut server.http())?;
    let mut add = server.load(&served, Tool::Add, 1)?;
    let message = message::block(1, BLOCKED_MILLISECONDS);
    let post = message::post(served.port(), Some("block"), &message);
    let mut blocking = Load::connect(served.port(), BLOCKED, post, r#""text":"done""#)?;
    blocking.send()?;
    thread::sleep(HEAD_START);
    let times = add.requests(1)?;
    blocking.receive()?;
    Ok([times.first().map_or(f64::NAN, nanoseconds)])
}

/// The memory of a server that has answered one call, and the size of its program.
fn resources(servers: &[Server]) -> io::Result<Vec<Row>> {
    let row = |name: &str, what: &dyn Fn(&Server) -> io::Result<u64>| {
        let values = servers.iter().map(|server| Ok(vec![what(server)? as f64]));
        Ok::<_, io::Error>(Row {
            name: name.to_owned(),
            unit: "MB",
            rises: false,
            values: values.collect::<io::Result<_>>()?,
        })
    };
    let mut size = row("program, stripped", &|server| {
        Ok(fs::metadata(&server.program)?.len())
    })?;
    // The ceiling is this program, which has all of it.
    if let Some(values) = size.values.first_mut() {
        values.clear();
    }
    Ok(vec![
        row("stdio, memory of an idle server", &|server| {
            server.peer(Tool::Structured)?.memory()
        })?,
        row("HTTP, memory of an idle server", &|server| {
            let served = Served::start(&mut server.http())?;
            let _load = server.load(&served, Tool::Structured, 1)?;
            served.memory()
        })?,
        size,
    ])
}

/// The table, and the rows in which another framework is ahead.
fn text(servers: &[Server], rows: &[Row]) -> String {
    let mut text = String::from("| figure |");
    for server in servers {
        let _written = write!(text, " {} |", server.name);
    }
    text.push_str("\n|---|");
    text.push_str(&"--:|".repeat(servers.len()));
    text.push('\n');
    let mut ahead = String::new();
    for row in rows {
        let _written = write!(text, "| {} |", row.name);
        for values in &row.values {
            let value = median(values.iter().copied());
            let value = if value.is_nan() {
                String::new()
            } else {
                table::number(value, row.unit)
            };
            let _written = write!(text, " {value} |");
        }
        text.push('\n');
        for (ours, rival) in pairs(servers) {
            let ratio = row.behind(ours, rival);
            if ratio > 1.0 {
                let _written = writeln!(
                    ahead,
                    "- {}: {} is behind {}, {ratio:.2} times",
                    row.name, servers[ours].name, servers[rival].name
                );
            }
        }
    }
    if ahead.is_empty() {
        ahead.push_str("- none\n");
    }
    let _written = write!(
        text,
        "\nBehind in the median of the rounds:\n\n{ahead}{}",
        table::made()
    );
    text
}

/// Each server of ours that is held against the others, with each of the others.
fn pairs(servers: &[Server]) -> impl Iterator<Item = (usize, usize)> {
    let at = |names: &[&str]| -> Vec<usize> {
        let is = |&at: &usize| names.contains(&servers[at].name);
        (0..servers.len()).filter(is).collect()
    };
    let (held, ours) = (at(&OURS[..HELD]), at(&OURS));
    let rivals: Vec<usize> = (0..servers.len())
        .filter(|index| !servers[*index].is_ceiling() && !ours.contains(index))
        .collect();
    held.into_iter()
        .flat_map(move |ours| rivals.clone().into_iter().map(move |rival| (ours, rival)))
}

impl Row {
    /// The median of the rounds' ratios, over 1 where the first of two servers is behind the second.
    fn behind(&self, ours: usize, rival: usize) -> f64 {
        let ratios = self.values[ours].iter().zip(&self.values[rival]);
        let ratios = ratios.map(|(ours, rival)| match self.rises {
            true => rival / ours,
            false => ours / rival,
        });
        median(ratios)
    }
}
