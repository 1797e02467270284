//! How long does a call take over stdio, alone and among 64?

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use figures::peer::Peer;

/// Calls of one run with many in flight: enough that its beginning and its end do not count.
const CALLS: usize = 6_400;

fn stdio(criterion: &mut Criterion) {
    let program = Path::new(env!("CARGO_BIN_EXE_figures"));
    let mut group = criterion.benchmark_group("stdio");
    for (name, role) in [("ours", "serve"), ("ceiling", "ceiling")] {
        let mut peer = Peer::start(program, role, "add").expect("the server starts");
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("{name}, one at a time"), |bencher| {
            bencher.iter(|| peer.call().expect("the server answers"));
        });
        group.throughput(Throughput::Elements(CALLS as u64));
        group.bench_function(format!("{name}, 64 in flight"), |bencher| {
            bencher.iter(|| peer.calls(CALLS, 64).expect("the server answers"));
        });
    }
}

criterion_group!(benches, stdio);
criterion_main!(benches);
