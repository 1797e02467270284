//! How long does a request take over HTTP, beside hyper alone?

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use figures::load::{Load, Served};
use figures::message;

/// Requests of one run on several connections: enough that its beginning and its end do not count.
const REQUESTS: usize = 1_024;

fn http(criterion: &mut Criterion) {
    let program = Path::new(env!("CARGO_BIN_EXE_figures"));
    let mut group = criterion.benchmark_group("http");
    for (side, role) in [("ours", "serve-http"), ("ceiling", "ceiling-http")] {
        let served = Served::start_role(program, role).expect("the server starts");
        let mut measure = |name: &str, connections, count, tool: &str, message: &str, expected| {
            let post = message::post(served.port(), Some(tool), message);
            let mut load = Load::connect(served.port(), connections, post, expected)
                .expect("the server answers");
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(format!("{side}, {name}"), |bencher| {
                bencher.iter(|| load.requests(count).expect("the server answers"));
            });
        };
        let (add, sum) = (message::add(1), r#""text":"5""#);
        let (ten, thousand) = (message::echo(1, 10_000), message::echo(1, 1_000_000));
        let steps = message::steps(1, 100);
        measure("add, 1 connection", 1, 1, "add", &add, sum);
        measure("add, 8 connections", 8, REQUESTS, "add", &add, sum);
        measure("add, 64 connections", 64, REQUESTS, "add", &add, sum);
        measure("echo of 10 KB", 8, REQUESTS, "echo", &ten, "otters");
        measure("echo of 1 MB", 8, 8, "echo", &thousand, "otters");
        measure("100 notifications", 8, 64, "steps", &steps, "progress");
    }
}

criterion_group!(benches, http);
criterion_main!(benches);
