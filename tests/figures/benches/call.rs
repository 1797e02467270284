//! What does one call cost in process, bytes to bytes?

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use figures::{ceiling, message, tools};

fn call(criterion: &mut Criterion) {
    let message = message::add(1);
    let message = message.as_bytes();
    let mut out = Vec::new();
    let mut group = criterion.benchmark_group("call");
    for count in [3, 1_000] {
        let server = tools::server(count).expect("the tools are right");
        group.bench_function(format!("ours, {count} tools"), |bencher| {
            bencher.iter(|| {
                out.clear();
                server.handle_message_blocking(black_box(message), &mut out);
            });
        });
    }
    group.bench_function("ceiling", |bencher| {
        bencher.iter(|| {
            out.clear();
            ceiling::add(black_box(message), &mut out)
        });
    });
}

criterion_group!(benches, call);
criterion_main!(benches);
