//! What the system tells of a server in a process of its own, from `/proc`, which takes Linux.

use std::fs;
use std::io;
use std::process::Child;
use std::time::Duration;

/// The processor time that a process's threads have taken, those excepted that have ended.
///
/// # Errors
///
/// The system does not tell; Linux does.
pub fn cpu_time(child: &Child) -> io::Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir(format!("/proc/{}/task", child.id()))? {
        let statistics = fs::read_to_string(thread?.path().join("schedstat"))?;
        let first = statistics.split(' ').next().unwrap_or_default();
        nanoseconds += first.parse::<u64>().map_err(io::Error::other)?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// The memory of a process that is in use, in bytes.
///
/// # Errors
///
/// The system does not tell; Linux does.
pub fn memory(child: &Child) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"))
        .ok_or_else(|| io::Error::other("the system does not tell how much memory is in use"))?;
    Ok(kilobytes.parse::<u64>().map_err(io::Error::other)? * 1024)
}
