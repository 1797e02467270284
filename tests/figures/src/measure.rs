//! Takes measurements in turns.

use std::io;
use std::time::{Duration, Instant};

/// A figure beside its ceiling.
#[derive(Debug)]
pub(crate) struct Pair {
    /// The median of our turns.
    pub(crate) ours: f64,
    /// The median of the ceiling's turns.
    pub(crate) ceiling: f64,
    /// The median of the rounds' ratios, for what varies from round to round.
    pub(crate) ratio: Option<f64>,
}

/// Measures both sides, one after the other, in each round, after one that does not count.
///
/// Short turns and many rounds keep out what else the machine does: a turn that was interrupted is no median.
pub(crate) fn in_turns(
    rounds: usize,
    mut ours: impl FnMut() -> io::Result<f64>,
    mut ceiling: impl FnMut() -> io::Result<f64>,
) -> io::Result<Pair> {
    let [pair] = all_in_turns(rounds, || Ok([ours()?]), || Ok([ceiling()?]))?;
    Ok(pair)
}

/// The same where each turn tells several figures.
pub(crate) fn all_in_turns<const N: usize>(
    rounds: usize,
    mut ours: impl FnMut() -> io::Result<[f64; N]>,
    mut ceiling: impl FnMut() -> io::Result<[f64; N]>,
) -> io::Result<[Pair; N]> {
    ours()?;
    ceiling()?;
    let rounds: Vec<([f64; N], [f64; N])> = (0..rounds)
        .map(|_| Ok((ours()?, ceiling()?)))
        .collect::<io::Result<_>>()?;
    Ok(std::array::from_fn(|at| Pair {
        ours: median(rounds.iter().map(|(ours, _)| ours[at])),
        ceiling: median(rounds.iter().map(|(_, ceiling)| ceiling[at])),
        ratio: Some(median(
            rounds.iter().map(|(ours, ceiling)| ours[at] / ceiling[at]),
        )),
    }))
}

/// Nanoseconds of one of many runs.
pub(crate) fn nanoseconds_each(runs: u32, mut run: impl FnMut()) -> f64 {
    let begin = Instant::now();
    for _ in 0..runs {
        run();
    }
    begin.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
}

/// The median of many runs that tell their time, in nanoseconds.
pub(crate) fn median_time(
    runs: usize,
    mut run: impl FnMut() -> io::Result<Duration>,
) -> io::Result<f64> {
    let times: Vec<f64> = (0..runs)
        .map(|_| Ok(run()?.as_secs_f64() * 1e9))
        .collect::<io::Result<_>>()?;
    Ok(median(times.into_iter()))
}

/// The middle one of many values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
