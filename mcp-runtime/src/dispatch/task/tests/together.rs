//! Steps that end at one time.

use super::failing::Failing;
use super::*;

/// Run five steps at one time.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn many(effects: State<Effects>, ctx: &Context) -> Result<String, ToolError> {
    let step = |number: usize| {
        let effects = &effects;
        ctx.once(format!("step {number}"), async move {
            effects.0.lock().unwrap().push(format!("{number}"));
            Ok::<_, ToolError>(number)
        })
    };
    let sum = tokio::try_join!(step(1), step(2), step(3), step(4), step(5))?;
    std::future::pending::<()>().await;
    Ok(format!("{sum:?}"))
}

#[test]
fn steps_that_wait_for_the_store_together_are_written_together() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    let id = process.begin("many", json!({}));
    store.holds_replacements.store(true, Ordering::Relaxed);
    process.bench.settle();
    assert_eq!(process.effects.0.lock().unwrap().len(), 5);
    store.holds_replacements.store(false, Ordering::Relaxed);
    process.bench.settle();
    let run = process.core.tasks.as_ref().unwrap();
    let run = run.run(id.parse().unwrap()).unwrap();
    let (stored, record) = run.copy();
    let journal = serde_json::to_value(&record.journal).unwrap();
    assert_eq!(journal.as_object().unwrap().len(), 5, "{journal}");
    assert_eq!(
        stored.version, 2,
        "the first is written, and then all others"
    );
}
