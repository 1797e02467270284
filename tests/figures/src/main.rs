//! Makes the table of figures in the README.
//!
//! ```text
//! cargo run --release -p figures            all figures
//! cargo run --release -p figures -- stdio   those over stdio
//! cargo run --release -p figures -- http    those over HTTP
//! cargo run --release -p figures -- kept    those of rounds and tasks
//!
//! cargo run --release -p figures -- rivals "$(bash tests/rivals/build.sh)"    ours beside other frameworks
//! ```
//!
//! Each figure is measured in turns with its ceiling, and the median of the rounds is shown: the machine may be busy,
//! but then it is so for both. Processor time is read from `/proc`, which takes Linux.
#![allow(clippy::print_stdout, reason = "the table is what the program is for")]
#![allow(
    clippy::print_stderr,
    reason = "it takes minutes, and shows how far it is"
)]

mod conversations;
mod measure;
mod over_http;
mod rivals;
mod table;

use std::io;
use std::process::ExitCode;

use figures::peer::Peer;
use figures::{ceiling, message, tools};
use mcp_runtime::{BuildError, Server};

use self::measure::{Pair, in_turns, median_time, nanoseconds_each};
use self::table::Row;

type Failure = Box<dyn std::error::Error>;

/// How often each side has its turn in process. Odd numbers, so that the median is one of the turns.
const ROUNDS: usize = 501;
/// The same over stdio, where a turn takes longer.
const STDIO_ROUNDS: usize = 21;

fn main() -> ExitCode {
    // The program is also the servers that it measures.
    let outcome = match std::env::args().nth(1).as_deref() {
        None => figures().map(|rows| println!("{}", table::markdown(&rows))),
        Some("serve") => serve(tools::talkative()),
        Some("serve-layered") => serve(tools::layered()),
        Some("serve-counting") => serve(tools::counting()),
        Some("ceiling") => {
            let tool = std::env::args().nth(2);
            ceiling::serve_stdio_blocking(tool.as_deref().unwrap_or("add")).map_err(Failure::from)
        }
        Some("stdio") => over_stdio().map(|rows| println!("{}", table::markdown(&rows))),
        Some("http") => over_http::figures().map(|rows| println!("{}", table::markdown(&rows))),
        Some("kept") => conversations::figures().map(|rows| println!("{}", table::markdown(&rows))),
        Some("rivals") => rivals::figures().map(|text| println!("{text}")),
        Some(role) if over_http::is_role(role) => over_http::serve(role),
        Some(other) => Err(format!("no role is called {other:?}").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("the figures could not be made: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(server: Result<Server, BuildError>) -> Result<(), Failure> {
    Ok(server?.serve_stdio_blocking()?)
}

fn figures() -> Result<Vec<Row>, Failure> {
    let mut rows = in_process()?;
    rows.extend(over_stdio()?);
    rows.extend(over_http::figures()?);
    rows.extend(conversations::figures()?);
    Ok(rows)
}

fn in_process() -> Result<Vec<Row>, Failure> {
    let (few, many) = (tools::server(3)?, tools::server(1_000)?);
    let (layered, counting) = (tools::layered()?, tools::counting()?);
    let (add, list) = (message::add(1), message::list(1));
    let (add, list) = (add.as_bytes(), list.as_bytes());
    let mut out = Vec::new();

    // Both sides have to say the same, or else they are not compared.
    ceiling::add(add, &mut out)?;
    let answer = tools::answer(&few, &message::add(1));
    same(&out, &answer)?;
    for other in [&many, &layered, &counting] {
        same(&tools::answer(other, &message::add(1)), &answer)?;
    }
    let listed = tools::answer(&many, &message::list(1));
    let result = ceiling::behind_id(&listed).ok_or("the list has another id")?;

    let mut call = |server: &Server, message: &[u8]| {
        out.clear();
        server.handle_message_blocking(message, &mut out);
    };
    let mut bound = Vec::new();
    let mut bound_add = || {
        bound.clear();
        // It succeeded above, on the same bytes.
        let _done = ceiling::add(add, &mut bound);
    };

    let one = in_turns(
        ROUNDS,
        || Ok(nanoseconds_each(500, || call(&few, add))),
        || Ok(nanoseconds_each(500, &mut bound_add)),
    )?;
    let mut beside_few = |server: &Server| {
        let mut other = Vec::new();
        in_turns(
            ROUNDS,
            || Ok(nanoseconds_each(500, || call(server, add))),
            || {
                Ok(nanoseconds_each(500, || {
                    other.clear();
                    few.handle_message_blocking(add, &mut other);
                }))
            },
        )
    };
    let among = beside_few(&many)?;
    let through_one = beside_few(&layered)?;
    let through_counter = beside_few(&counting)?;
    let mut bound_list = Vec::new();
    let whole_list = in_turns(
        ROUNDS,
        || Ok(nanoseconds_each(20, || call(&many, list))),
        || {
            Ok(nanoseconds_each(20, || {
                bound_list.clear();
                let _done = ceiling::list(list, result, &mut bound_list);
            }))
        },
    )?;
    let allocations = Pair {
        ours: allocations(|| call(&few, add)),
        ceiling: allocations(&mut bound_add),
        ratio: None,
    };
    Ok(vec![
        Row::new(
            "`tools/call` of `add`, in process, bytes to bytes",
            "ns",
            one,
        ),
        Row::new("… among 1,000 tools, beside 3", "ns", among),
        Row::new(
            "… through a layer that does nothing, beside none",
            "ns",
            through_one,
        ),
        Row::new(
            "… through a layer that counts, beside none",
            "ns",
            through_counter,
        ),
        Row::new("… allocations", "", allocations),
        Row::new("`tools/list` of 1,000 tools, in process", "ns", whole_list),
    ])
}

fn over_stdio() -> Result<Vec<Row>, Failure> {
    let program = std::env::current_exe()?;
    let mut ours = Peer::start(&program, "serve", "add")?;
    let mut bound = Peer::start(&program, "ceiling", "add")?;
    let alone = in_turns(
        STDIO_ROUNDS,
        || median_time(501, || ours.call()),
        || median_time(501, || bound.call()),
    )?;
    let crowded = in_turns(
        STDIO_ROUNDS,
        || cpu_each(&mut ours, 5_000, 64),
        || cpu_each(&mut bound, 5_000, 64),
    )?;
    let mut rows = vec![
        Row::new(
            "`add` over stdio, one at a time, median round trip",
            "ns",
            alone,
        ),
        Row::new(
            "`add` over stdio, 64 in flight, the server's processor time",
            "ns",
            crowded,
        ),
    ];
    for (role, tool, name) in [
        ("serve", "add_async", "… as an `async fn`"),
        ("serve", "add_plain", "… as a function that may block"),
        (
            "serve-layered",
            "add",
            "… through a layer that does nothing",
        ),
        ("serve-counting", "add", "… through a layer that counts"),
    ] {
        let mut ours = Peer::start(&program, role, tool)?;
        let crowded = in_turns(
            STDIO_ROUNDS,
            || cpu_each(&mut ours, 5_000, 64),
            || cpu_each(&mut bound, 5_000, 64),
        )?;
        rows.push(Row::new(name, "ns", crowded));
    }
    let mut session = Peer::start_session(&program, "serve", "add")?;
    let in_session = in_turns(
        STDIO_ROUNDS,
        || cpu_each(&mut session, 5_000, 64),
        || cpu_each(&mut ours, 5_000, 64),
    )?;
    rows.push(Row::new(
        "… in a session of 2025-11-25, beside the same in 2026-07-28",
        "ns",
        in_session,
    ));
    Ok(rows)
}

/// Nanoseconds of processor time for each call.
fn cpu_each(peer: &mut Peer, calls: u32, window: usize) -> io::Result<f64> {
    let before = peer.cpu_time()?;
    peer.calls(calls as usize, window)?;
    let taken = peer.cpu_time()?.saturating_sub(before);
    Ok(taken.as_secs_f64() * 1e9 / f64::from(calls))
}

/// Allocations of one call, once it has been made a few times.
fn allocations(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 100;
    let info = allocation_counter::measure(|| (0..CALLS).for_each(|_| call()));
    info.count_total as f64 / f64::from(CALLS)
}

fn same(one: &[u8], other: &[u8]) -> Result<(), Failure> {
    if one == other {
        return Ok(());
    }
    let (one, other) = (String::from_utf8_lossy(one), String::from_utf8_lossy(other));
    Err(format!("two answers differ:\n{one}\n{other}").into())
}
