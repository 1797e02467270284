//! The figures over HTTP, beside hyper alone.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use figures::load::{Load, Served};
use figures::{ceiling, message, tools};
use mcp_runtime::http::HttpOptions;

use crate::Failure;
use crate::measure::{Pair, all_in_turns, in_turns};
use crate::table::Row;

/// How many turns each side has; an odd number.
const ROUNDS: usize = 11;
/// How many connections are left idle to see what one costs.
const IDLE: usize = 1_000;
/// How many requests tell one request's share under valgrind, beyond as many that do not count.
const COUNTED: usize = 2_000;

const OURS: &str = "serve-http";
const LAYERED: &str = "serve-http-layered";
const COUNTING: &str = "serve-http-counting";
const MANY: &str = "serve-http-many";
const CEILING: &str = "ceiling-http";
const MANY_CEILING: &str = "ceiling-http-many";

pub(crate) fn is_role(role: &str) -> bool {
    [OURS, LAYERED, COUNTING, MANY, CEILING, MANY_CEILING].contains(&role)
}

/// Serves in a role, on the port that is the program's second argument.
pub(crate) fn serve(role: &str) -> Result<(), Failure> {
    let port: u16 = std::env::args()
        .nth(2)
        .ok_or("a port is missing")?
        .parse()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match role {
        OURS => Ok(tools::talkative()?
            .serve_http_blocking(address, HttpOptions::new().without_rate_limit())?),
        LAYERED => Ok(tools::layered()?
            .serve_http_blocking(address, HttpOptions::new().without_rate_limit())?),
        COUNTING => Ok(tools::counting()?
            .serve_http_blocking(address, HttpOptions::new().without_rate_limit())?),
        MANY => Ok(tools::server(1_000)?
            .serve_http_blocking(address, HttpOptions::new().without_rate_limit())?),
        CEILING => Ok(ceiling::http::serve(port, &[])?),
        _ => {
            let listed = tools::answer(&tools::server(1_000)?, &message::list(1));
            let list = ceiling::behind_id(&listed).ok_or("the list has another id")?;
            Ok(ceiling::http::serve(port, list)?)
        }
    }
}

/// One kind of request, by what its answer contains.
struct Kind {
    name: &'static str,
    tool: Option<&'static str>,
    message: String,
    expected: &'static str,
}

pub(crate) fn figures() -> Result<Vec<Row>, Failure> {
    let program = std::env::current_exe()?;
    let ours = Served::start_role(&program, OURS)?;
    let many = Served::start_role(&program, MANY)?;
    let bound = Served::start_role(&program, CEILING)?;
    let many_bound = Served::start_role(&program, MANY_CEILING)?;
    let add = Kind {
        name: "`add` over HTTP",
        tool: Some("add"),
        message: message::add(1),
        expected: r#""text":"5""#,
    };
    let mut rows = Vec::new();
    for (connections, count) in [(1, 4_000), (8, 8_000), (64, 8_000)] {
        let [time, rate, half, late] = compare(&add, &ours, &bound, connections, count)?;
        let name = match connections {
            1 => format!("{}, 1 connection", add.name),
            _ => format!("… {connections} connections"),
        };
        rows.push(Row::new(format!("{name}, processor time"), "ns", time));
        rows.push(Row::new("… requests in a second", "/s", rate));
        rows.push(Row::new("… median round trip", "ns", half));
        rows.push(Row::new("… 99th percentile", "ns", late));
    }
    for (tool, name) in [
        ("add_async", "… as an `async fn`"),
        ("add_plain", "… as a function that may block"),
    ] {
        let kind = Kind {
            name,
            tool: Some(tool),
            message: message::add_by(1, tool),
            expected: add.expected,
        };
        // The ceiling knows `add` alone, which costs it the same.
        let [time, rate, _, late] = compare_with(&kind, &add, &ours, &bound, 8, 8_000)?;
        rows.push(Row::new(
            format!("{name}, 8 connections, processor time"),
            "ns",
            time,
        ));
        rows.push(Row::new("… requests in a second", "/s", rate));
        rows.push(Row::new("… 99th percentile", "ns", late));
    }
    for (role, name) in [
        (LAYERED, "… through a layer that does nothing"),
        (COUNTING, "… through a layer that counts"),
    ] {
        let layered = Served::start_role(&program, role)?;
        let [time, rate, _, late] = compare(&add, &layered, &bound, 8, 8_000)?;
        rows.push(Row::new(
            format!("{name}, 8 connections, processor time"),
            "ns",
            time,
        ));
        rows.push(Row::new("… requests in a second", "/s", rate));
        rows.push(Row::new("… 99th percentile", "ns", late));
    }
    let others = [
        (
            "`echo` of 10 KB over HTTP",
            Some("echo"),
            message::echo(1, 10_000),
            "otters",
            2_000,
        ),
        (
            "`echo` of 1 MB over HTTP",
            Some("echo"),
            message::echo(1, 1_000_000),
            "otters",
            40,
        ),
        (
            "100 progress notifications as events",
            Some("steps"),
            message::steps(1, 100),
            r#""text":"100""#,
            400,
        ),
        (
            "`tools/list` of 1,000 tools over HTTP",
            None,
            message::list(1),
            "tool_999",
            400,
        ),
    ];
    for (name, tool, message, expected, count) in others {
        let kind = Kind {
            name,
            tool,
            message,
            expected,
        };
        let (ours, bound) = match tool {
            Some(_) => (&ours, &bound),
            None => (&many, &many_bound),
        };
        let [time, ..] = compare(&kind, ours, bound, 8, count)?;
        rows.push(Row::new(format!("{name}, processor time"), "ns", time));
    }
    drop((ours, many, bound, many_bound));
    rows.extend(resources(&program, &add)?);
    Ok(rows)
}

/// Processor time, rate, median and 99th percentile of one kind of request.
fn compare(
    kind: &Kind,
    ours: &Served,
    bound: &Served,
    connections: usize,
    count: usize,
) -> Result<[Pair; 4], Failure> {
    compare_with(kind, kind, ours, bound, connections, count)
}

/// The same where the ceiling is asked another kind.
fn compare_with(
    kind: &Kind,
    bound_kind: &Kind,
    ours: &Served,
    bound: &Served,
    connections: usize,
    count: usize,
) -> Result<[Pair; 4], Failure> {
    let load = |served: &Served, kind: &Kind| {
        let post = message::post(served.port(), kind.tool, &kind.message);
        Load::connect(served.port(), connections, post, kind.expected)
    };
    let (mut our_load, mut bound_load) = (load(ours, kind)?, load(bound, bound_kind)?);
    Ok(all_in_turns(
        ROUNDS,
        || round(ours, &mut our_load, count),
        || round(bound, &mut bound_load, count),
    )?)
}

pub(crate) fn round(served: &Served, load: &mut Load, count: usize) -> io::Result<[f64; 4]> {
    let (before, begin) = (served.cpu_time()?, Instant::now());
    let mut times = load.requests(count)?;
    let taken = begin.elapsed().as_secs_f64();
    let cpu = served.cpu_time()?.saturating_sub(before).as_secs_f64();
    times.sort_unstable();
    let at = |rank: usize| times.get(rank).map_or(f64::NAN, nanoseconds);
    let each = count as f64;
    Ok([
        cpu * 1e9 / each,
        each / taken,
        at(count / 2),
        at(count * 99 / 100),
    ])
}

pub(crate) fn nanoseconds(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// What a server takes before it is asked anything, and what it counts rather than takes time for.
fn resources(program: &Path, add: &Kind) -> Result<Vec<Row>, Failure> {
    let pair = |what: &dyn Fn(&str) -> Result<f64, Failure>| -> Result<Pair, Failure> {
        let (ours, ceiling) = (what(OURS)?, what(CEILING)?);
        Ok(Pair {
            ours,
            ceiling,
            ratio: Some(ours / ceiling),
        })
    };
    let start = |role| Ok(nanoseconds(&Served::start_role(program, role)?.start_up()));
    let start_up = in_turns(ROUNDS, || start(OURS), || start(CEILING))?;
    let mut rows = vec![
        Row::new(
            "start-up over HTTP, until a connection is taken",
            "ns",
            start_up,
        ),
        Row::new(
            "memory of an idle server",
            "KB",
            pair(&|role| {
                let served = Served::start_role(program, role)?;
                let _load = connect(&served, 1, add)?;
                Ok(served.memory()? as f64)
            })?,
        ),
        Row::new(
            "… of each idle connection",
            "KB",
            pair(&|role| {
                let served = Served::start_role(program, role)?;
                // The first hundred fill what all share.
                let _few = connect(&served, 100, add)?;
                let before = served.memory()?;
                let _load = connect(&served, IDLE, add)?;
                Ok(served.memory()?.saturating_sub(before) as f64 / IDLE as f64)
            })?,
        ),
    ];
    // Valgrind is no part of Rust's tools; where it is not, its figures are left out.
    if Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok()
    {
        rows.push(Row::new(
            "instructions of an `add` over HTTP, without the system's",
            "",
            pair(&|role| counted(program, role, add, "callgrind", "Collected : "))?,
        ));
        rows.push(Row::new(
            "allocations of an `add` over HTTP",
            "",
            pair(&|role| counted(program, role, add, "dhat", "blocks"))?,
        ));
    }
    Ok(rows)
}

fn connect(served: &Served, count: usize, kind: &Kind) -> io::Result<Load> {
    let post = message::post(served.port(), kind.tool, &kind.message);
    Load::connect(served.port(), count, post, kind.expected)
}

/// What a tool of valgrind counts for one request: the number that it writes beside a word, over the requests.
fn counted(
    program: &Path,
    role: &str,
    kind: &Kind,
    tool: &str,
    word: &str,
) -> Result<f64, Failure> {
    let total = |requests| -> Result<f64, Failure> {
        let mut command = Command::new("valgrind");
        command
            .args([
                &format!("--tool={tool}"),
                &format!("--{tool}-out-file=/dev/null"),
            ])
            .arg(program)
            .arg(role)
            .stderr(Stdio::piped());
        let served = Served::start(&mut command)?;
        let mut load = connect(&served, 8, kind)?;
        load.requests(requests)?;
        let said = served.end()?;
        let number = said.lines().find_map(|line| number_beside(line, word));
        number.ok_or_else(|| format!("{tool} counted nothing: {said}").into())
    };
    Ok((total(2 * COUNTED)? - total(COUNTED)?) / COUNTED as f64)
}

/// The number before `word`, or the one behind it.
fn number_beside(line: &str, word: &str) -> Option<f64> {
    let (before, after) = line.split_once(word)?;
    let last = before.split_whitespace().next_back();
    let first = after.split_whitespace().next();
    [last, first]
        .into_iter()
        .flatten()
        .find_map(|text| text.replace(',', "").parse().ok())
}
