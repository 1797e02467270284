//! How long do 10,000 tasks take, in memory and on SQLite?

use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use figures::ceiling::commits::Commits;
use figures::tasks::{Folder, Tasks};
use mcp_runtime::task::{MemoryTaskStore, SqliteTaskStore};

const COUNT: usize = 10_000;

fn tasks(criterion: &mut Criterion) {
    let folder = Folder::make_in(Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("it is writable");
    let mut number = 0;
    let mut file = |name: &str| {
        number += 1;
        folder.file(&format!("{name}-{number}.sqlite"))
    };
    let mut group = criterion.benchmark_group("tasks");
    group.sample_size(10);
    group.throughput(Throughput::Elements(COUNT as u64));
    group.bench_function("in memory", |bencher| {
        bencher.iter_batched_ref(
            || Tasks::over(MemoryTaskStore::new(), COUNT).expect("the tool is right"),
            |tasks| tasks.at_once(COUNT).expect("tasks end"),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("on SQLite", |bencher| {
        bencher.iter_batched_ref(
            || {
                let store = SqliteTaskStore::open(file("tasks")).expect("it is writable");
                Tasks::over(store, COUNT).expect("the tool is right")
            },
            |tasks| tasks.at_once(COUNT).expect("tasks end"),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("two commits each, by hand", |bencher| {
        bencher.iter_batched_ref(
            || Commits::create(&file("ceiling")).expect("it is writable"),
            |commits| commits.tasks(COUNT).expect("it is writable"),
            BatchSize::PerIteration,
        );
    });
}

criterion_group!(benches, tasks);
criterion_main!(benches);
