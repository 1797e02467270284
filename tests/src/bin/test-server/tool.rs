//! Tools that behave well, badly and slowly.

use std::pin::pin;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{RegisterError, context::LoggingLevel};

/// Add two integers.
#[mcp_tool(read_only)]
fn add(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a + b
}

/// A row of a table.
#[mcp_type]
struct Row {
    id: u32,
    name: String,
    price: f64,
}

/// A table.
#[mcp_type]
struct Table {
    rows: Vec<Row>,
}

/// Make a table.
#[mcp_tool(read_only)]
fn structured(
    /// How many rows to make.
    count: u32,
) -> Table {
    let rows = (0..count).map(|id| Row {
        id,
        name: format!("item {id}"),
        price: f64::from(id) * 1.5,
    });
    Table {
        rows: rows.collect(),
    }
}

/// Fail with a message.
#[mcp_tool]
fn fail(
    /// The message.
    message: String,
) -> Result<String, String> {
    Err(message)
}

/// Give the text back.
#[mcp_tool]
fn echo(
    /// The text.
    text: &str,
) -> String {
    text.to_owned()
}

/// Wait without keeping a thread busy.
#[mcp_tool]
async fn sleep_ms(
    /// For so many milliseconds.
    ms: u64,
) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

/// Keep a thread busy.
#[mcp_tool]
fn block_ms(
    /// For so many milliseconds.
    ms: u64,
) -> String {
    std::thread::sleep(Duration::from_millis(ms));
    format!("blocked {ms} ms")
}

/// Keep a thread busy until the call is cancelled.
#[mcp_tool]
fn block_until_cancelled(ctx: &Context) -> String {
    eprintln!("block_until_cancelled begun");
    while !ctx.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
    eprintln!("block_until_cancelled ended");
    "cancelled".to_owned()
}

/// Spawn a task on the async runtime, and wait for its answer.
#[mcp_tool]
fn spawn_and_wait() -> Result<String, std::sync::mpsc::RecvError> {
    let (send, receive) = std::sync::mpsc::channel();
    tokio::spawn(async move {
        // The function waits for it.
        let _received = send.send("spawned".to_owned());
    });
    receive.recv()
}

/// Spawn a task on the async runtime, and tell whether this thread is within that.
#[mcp_tool(inline)]
fn spawn_inline() -> bool {
    tokio::spawn(async {});
    tokio::runtime::Handle::try_current().is_ok()
}

/// Run an async runtime of its own.
#[mcp_tool]
fn own_runtime() -> std::io::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    Ok(runtime.block_on(async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        "ran".to_owned()
    }))
}

/// Count up, with word of each number.
#[mcp_tool]
fn count_up(
    /// The last number.
    to: u32,
    ctx: &Context,
) -> u32 {
    for number in (1..=to).chain([0, to]) {
        ctx.progress((number, to));
    }
    to
}

/// Log one message of each level, with word of progress after each.
#[mcp_tool]
fn log_all(ctx: &Context) -> &'static str {
    let levels = [
        LoggingLevel::Debug,
        LoggingLevel::Info,
        LoggingLevel::Notice,
        LoggingLevel::Warning,
        LoggingLevel::Error,
        LoggingLevel::Critical,
        LoggingLevel::Alert,
        LoggingLevel::Emergency,
    ];
    for (number, level) in (1..).zip(levels) {
        ctx.log(level, number);
        ctx.progress(f64::from(number));
    }
    "logged"
}

/// Count up, wait until a client that has read the numbers cancels, and count on.
#[mcp_tool]
async fn count_and_wait(ctx: Context) -> u32 {
    ctx.progress(1.0);
    tokio::task::yield_now().await;
    ctx.progress(2.0);
    ctx.cancelled().await;
    ctx.progress(3.0);
    3
}

/// The context of a call that has its answer.
static KEPT: Mutex<Option<Context>> = Mutex::new(None);

/// Keep the context of this call.
#[mcp_tool]
fn keep_context(ctx: Context) -> Result<(), ToolError> {
    *KEPT.lock()? = Some(ctx);
    Ok(())
}

/// Tell of progress of the call whose context was kept.
#[mcp_tool]
fn speak_late() -> Result<bool, ToolError> {
    let kept = KEPT.lock()?.take();
    if let Some(ctx) = &kept {
        ctx.log(LoggingLevel::Emergency, "too late");
        ctx.progress(1.0);
    }
    Ok(kept.is_some())
}

/// Tell listening clients of changes.
#[mcp_tool]
fn announce(
    /// `tools`, `prompts`, `resources`, or the URI of a resource.
    what: &str,
    ctx: &Context,
) {
    match what {
        "tools" => ctx.notify().tools_list_changed(),
        "prompts" => ctx.notify().prompts_list_changed(),
        "resources" => ctx.notify().resources_list_changed(),
        uri => ctx.notify().resource_updated(uri),
    }
}

/// Tell listening clients again and again of new states of the resources `test://0`, `test://1` and so on.
#[mcp_tool]
fn update_resources(
    /// How many resources there are.
    #[arg(range(1..))]
    resources: u32,
    /// How often one of them changes.
    times: u32,
    ctx: &Context,
) {
    for number in 0..times {
        let uri = format!("test://{}", number % resources);
        ctx.notify().resource_updated(uri);
    }
    eprintln!("update_resources ended");
}

/// The server itself.
pub(crate) static SERVER: OnceLock<Server> = OnceLock::new();

/// Add tools one by one.
#[mcp_tool]
fn register_tools(
    /// How many.
    count: u32,
) -> Result<(), RegisterError> {
    if let Some(server) = SERVER.get() {
        for number in 0..count {
            let schema = serde_json::json!({"type": "object"});
            let answer = |_: serde_json::Value| Ok::<_, ToolError>("registered");
            server.register_tool(format!("registered_{number}"), "A tool.", schema, answer)?;
        }
    }
    Ok(())
}

/// Tells on standard error when it is dropped.
struct Noisy;

impl Drop for Noisy {
    fn drop(&mut self) {
        eprintln!("wait_for_ever dropped");
    }
}

/// Wait for something that never comes.
#[mcp_tool]
async fn wait_for_ever() -> String {
    let _noisy = Noisy;
    eprintln!("wait_for_ever begun");
    std::future::pending().await
}

/// Tells of progress when it is woken.
struct Telling(Context);

impl Wake for Telling {
    fn wake(self: Arc<Self>) {
        self.0.progress(2.0);
        eprintln!("the waker has told");
    }
}

/// Wait for something that never comes, with word of progress at the end of patience.
#[mcp_tool]
async fn tell_when_cancelled(ctx: Context) -> String {
    let waker = Waker::from(Arc::new(Telling(ctx.clone())));
    let mut cancelled = pin!(ctx.cancelled());
    let polled = cancelled
        .as_mut()
        .poll(&mut TaskContext::from_waker(&waker));
    ctx.progress(1.0);
    match polled {
        Poll::Ready(()) => "cancelled before".to_owned(),
        Poll::Pending => std::future::pending().await,
    }
}

/// Panic.
#[mcp_tool]
fn panic_now() -> String {
    panic!("as asked")
}

/// Print, let a child print, and tell what a child can read.
#[mcp_tool]
fn print_noise() -> Result<String, std::io::Error> {
    print!("noise without an end, ");
    println!("noise");
    Command::new("echo").arg("noise of a child").status()?;
    let read = Command::new("wc")
        .arg("-c")
        .stdin(std::process::Stdio::inherit())
        .output()?;
    Ok(String::from_utf8_lossy(&read.stdout).trim().to_owned())
}
