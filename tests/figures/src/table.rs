//! Shows the figures as a table in Markdown.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::measure::Pair;

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    unit: &'static str,
    pair: Pair,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, pair: Pair) -> Self {
        Self {
            what: what.into(),
            unit,
            pair,
        }
    }
}

/// The table, and a sentence on where and when it was made.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from("| figure | ours | ceiling | ratio |\n|---|--:|--:|--:|\n");
    for Row { what, unit, pair } in rows {
        let ratio = pair
            .ratio
            .map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let (ours, ceiling) = (number(pair.ours, unit), number(pair.ceiling, unit));
        // Writing to a string cannot fail.
        let _written = writeln!(text, "| {what} | {ours} | {ceiling} | {ratio} |");
    }
    text.push_str(&made());
    text
}

/// Where and when the figures were made.
pub(crate) fn made() -> String {
    format!(
        "\nMade on {}, on {}, with {}.",
        said_by("date", &["-u", "+%F"]),
        machine(),
        said_by("rustc", &["--version"]),
    )
}

pub(crate) fn number(value: f64, unit: &str) -> String {
    match unit {
        "" if value.fract() == 0.0 => format!("{value}"),
        "" => format!("{value:.1}"),
        "MB" => format!("{:.2} MB", value / 1_000_000.0),
        "KB" => format!("{:.1} KB", value / 1_000.0),
        "ns" if value >= 1e6 => format!("{:.2} ms", value / 1e6),
        "ns" if value >= 1_000.0 => format!("{:.2} µs", value / 1_000.0),
        _ => format!("{value:.0} {unit}"),
    }
}

/// The kind of machine: its processor and how many threads of it there are.
fn machine() -> String {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or(std::env::consts::ARCH, |(_, model)| model);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{threads} threads of {model}, {}", std::env::consts::OS)
}

/// The first line of what a program prints.
fn said_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output
        .ok()
        .and_then(|output| {
            Some(
                String::from_utf8(output.stdout)
                    .ok()?
                    .lines()
                    .next()?
                    .to_owned(),
            )
        })
        .unwrap_or_else(|| format!("an unknown {program}"))
}
