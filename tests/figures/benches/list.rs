//! What does a list of 1,000 tools cost in process, bytes to bytes?

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use figures::{ceiling, message, tools};

fn list(criterion: &mut Criterion) {
    let message = message::list(1);
    let server = tools::server(1_000).expect("the tools are right");
    let answer = tools::answer(&server, &message);
    let result = ceiling::behind_id(&answer).expect("the answer has the request's id");
    let message = message.as_bytes();
    let mut out = Vec::new();
    let mut group = criterion.benchmark_group("list");
    group.bench_function("ours, 1000 tools", |bencher| {
        bencher.iter(|| {
            out.clear();
            server.handle_message_blocking(black_box(message), &mut out);
        });
    });
    group.bench_function("ceiling", |bencher| {
        bencher.iter(|| {
            out.clear();
            ceiling::list(black_box(message), result, &mut out)
        });
    });
}

criterion_group!(benches, list);
criterion_main!(benches);
