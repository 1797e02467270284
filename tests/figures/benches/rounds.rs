//! What does a question cost, and what does the journal that is sealed for it?

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use figures::ceiling::cipher::Cipher;
use figures::rounds::Rounds;
use figures::{message, tools};

/// A journal, in bytes.
const JOURNAL: usize = 1_024;

fn rounds(criterion: &mut Criterion) {
    let asking = tools::asking().expect("the tools are right");
    let plain = tools::server(3).expect("the tools are right");
    let mut out = Vec::new();
    let mut group = criterion.benchmark_group("rounds");
    for (name, length) in [
        ("a question", 0),
        ("a step and a question", 1),
        ("a step of 1 KB and a question", JOURNAL),
    ] {
        let rounds = Rounds::of(&asking, length).expect("the server asks");
        group.bench_function(name, |bencher| {
            bencher.iter(|| rounds.run(&asking, &mut out));
        });
    }
    let add = message::add(1);
    group.bench_function("two plain calls", |bencher| {
        bencher.iter(|| {
            for _ in 0..2 {
                out.clear();
                plain.handle_message_blocking(black_box(add.as_bytes()), &mut out);
            }
        });
    });
    let (cipher, payload) = (Cipher::new(), [b'x'; JOURNAL]);
    group.bench_function("the bare cipher, 1 KB", |bencher| {
        bencher.iter(|| cipher.there_and_back(black_box(&payload)));
    });
}

criterion_group!(benches, rounds);
criterion_main!(benches);
