//! The figures of what outlives a request: calls in several rounds, and tasks.

use std::io;
use std::path::Path;

use figures::ceiling::cipher::Cipher;
use figures::ceiling::commits::Commits;
use figures::rounds::Rounds;
use figures::tasks::{Folder, Tasks};
use figures::{message, tools};
use mcp_runtime::task::{MemoryTaskStore, SqliteTaskStore};

use crate::Failure;
use crate::measure::{in_turns, nanoseconds_each};
use crate::table::Row;

/// How often each side of a conversation has its turn; an odd number.
const ROUNDS: usize = 101;
/// The same for tasks, where the store keeps what each turn has left, also the one that does not count.
const TASK_ROUNDS: usize = 9;
/// As many in a turn make 10,000 in all.
const TASKS: usize = 10_000 / (TASK_ROUNDS + 1);
/// How many tasks a store has room for.
const ROOM: usize = 10_000;
/// The journal that is sealed, in bytes.
const JOURNAL: usize = 1_024;

pub(crate) fn figures() -> Result<Vec<Row>, Failure> {
    let mut rows = rounds()?;
    rows.extend(tasks(&std::env::current_exe()?)?);
    Ok(rows)
}

fn rounds() -> Result<Vec<Row>, Failure> {
    const RUNS: u32 = 200;
    let (asking, plain) = (tools::asking()?, tools::server(3)?);
    let bare = Rounds::of(&asking, 0)?;
    let short = Rounds::of(&asking, 1)?;
    let long = Rounds::of(&asking, JOURNAL)?;
    let add = message::add(1);
    let (cipher, payload) = (Cipher::new(), [b'x'; JOURNAL]);
    if !cipher.there_and_back(&payload) {
        return Err("the bare cipher does not open what it has sealed".into());
    }
    let time = |rounds: &Rounds| {
        let mut out = Vec::new();
        nanoseconds_each(RUNS, || rounds.run(&asking, &mut out))
    };
    let two_calls = || {
        let mut out = Vec::new();
        nanoseconds_each(2 * RUNS, || {
            out.clear();
            plain.handle_message_blocking(add.as_bytes(), &mut out);
        }) * 2.0
    };
    let without = in_turns(ROUNDS, || Ok(time(&bare)), || Ok(two_calls()))?;
    let with = in_turns(ROUNDS, || Ok(time(&short)), || Ok(two_calls()))?;
    let sealing = in_turns(
        ROUNDS,
        || Ok(time(&long) - time(&bare)),
        || {
            Ok(nanoseconds_each(RUNS, || {
                // It does, see above.
                let _same = std::hint::black_box(cipher.there_and_back(&payload));
            }))
        },
    )?;
    Ok(vec![
        Row::new(
            "a question and its answer, in process, beside two calls of `add`",
            "ns",
            without,
        ),
        Row::new("… after a step, whose result is sealed", "ns", with),
        Row::new(
            "what sealing and opening a journal of 1 KB adds, beside the bare cipher",
            "ns",
            sealing,
        ),
    ])
}

fn tasks(program: &Path) -> Result<Vec<Row>, Failure> {
    let plain = tools::server(3)?;
    let add = message::add(1);
    let mut memory = Tasks::over(MemoryTaskStore::new(), ROOM)?;
    let mut out = Vec::new();
    let in_memory = in_turns(
        TASK_ROUNDS,
        || each(|| memory.at_once(TASKS)),
        || {
            each(|| {
                for _ in 0..TASKS {
                    out.clear();
                    plain.handle_message_blocking(add.as_bytes(), &mut out);
                }
                Ok(())
            })
        },
    )?;
    // Beside the program, since that is on a disk.
    let folder = Folder::make_in(program.parent().ok_or("the program is in no folder")?)?;
    let mut commits = Commits::create(&folder.file("ceiling.sqlite"))?;
    let mut kept = Tasks::over(SqliteTaskStore::open(folder.file("tasks.sqlite"))?, ROOM)?;
    let on_sqlite = in_turns(
        TASK_ROUNDS,
        || each(|| kept.one_by_one(TASKS)),
        || each(|| commits.tasks(TASKS).map_err(io::Error::other)),
    )?;
    Ok(vec![
        Row::new(
            "each of 10,000 tasks in memory, beside a call of `add`",
            "ns",
            in_memory,
        ),
        Row::new(
            "each of 10,000 tasks on SQLite, one by one, beside two commits by hand",
            "ns",
            on_sqlite,
        ),
    ])
}

/// Nanoseconds for each task.
fn each(mut work: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let mut done = Ok(());
    let time = nanoseconds_each(1, || done = work());
    done.map(|()| time / TASKS as f64)
}
