//! What a run has spawned and left behind: it begins nothing more, and is told when the run ends.

use std::cell::RefCell;

use serde_json::json;

use super::*;

thread_local! {
    /// What the runs of a test have spawned.
    static STRAYS: RefCell<Vec<TaskFuture>> = const { RefCell::new(Vec::new()) };
}

/// A waker that holds on to what is polled with it, as those of runtimes do.
struct Holding(Mutex<Option<TaskFuture>>, Woken);

impl Wake for Holding {
    fn wake(self: Arc<Self>) {
        self.1.0.store(true, Ordering::Relaxed);
    }
}

impl Holding {
    /// Polls what the waker holds.
    fn poll(self: &Arc<Self>) {
        let waker = Waker::from(Arc::clone(self));
        let mut future = self.0.lock().unwrap();
        if let Some(held) = &mut *future
            && held
                .as_mut()
                .poll(&mut TaskContext::from_waker(&waker))
                .is_ready()
        {
            *future = None;
        }
    }
}

/// Ask from a task of its own, and wait.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn ask_elsewhere(effects: State<Effects>, ctx: Context) -> String {
    let inner = ctx.clone();
    let asking = async move {
        let asked = inner.elicit::<Name>("name", "?").await;
        let end = asked.map_or_else(|error| error.to_string(), |_| "answered".to_owned());
        effects.0.lock().unwrap().push(end);
    };
    STRAYS.with_borrow_mut(|strays| strays.push(Box::pin(asking)));
    std::future::pending().await
}

#[test]
fn a_spawned_question_is_told_that_its_run_has_ended() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("ask_elsewhere", json!({}));
    process.bench.settle();
    let stray = STRAYS.take().pop();
    let stray = Arc::new(Holding(Mutex::new(stray), Woken::default()));
    stray.poll();
    assert!(!stray.1.0.load(Ordering::Relaxed));
    process.cancel(&id);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "cancelled");
    assert!(stray.1.0.load(Ordering::Relaxed), "it hears of it");
    stray.poll();
    assert!(stray.0.lock().unwrap().is_none(), "and ends");
    let ends = process.effects.0.lock().unwrap().clone();
    assert_eq!(ends.len(), 1);
    assert!(
        ends[0].starts_with("nobody waits for `name` any more"),
        "{ends:?}"
    );
    let weak = (Arc::downgrade(&stray), Arc::downgrade(&process.core));
    drop((stray, process));
    assert!(weak.0.upgrade().is_none(), "nothing holds its waker");
    assert!(weak.1.upgrade().is_none(), "nothing holds the server");
}
