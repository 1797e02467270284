//! Task ids: 128 random bits, which are all that stands between a task and a stranger where nobody is authenticated.

use std::fmt;
use std::str::FromStr;

/// The length of an id as text: two digits for each byte.
const TEXT: usize = 32;

/// The id of a task.
///
/// It is shown whole by `Display`, as clients get it: 32 lowercase hexadecimal digits. Who knows it may act on the task
/// where callers are not told apart, so `Debug`, which ends in logs, shows only its beginning.
///
/// ```
/// use mcp_runtime::task::TaskId;
///
/// let id = TaskId::from_bytes([7; 16]);
/// assert_eq!(id.to_string(), "07".repeat(16));
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert_eq!(format!("{id:?}"), "TaskId(0707…)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId([u8; 16]);

impl TaskId {
    /// Makes an id of 16 bytes; for new tasks they have to be random.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, for stores.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskId({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

/// A text is no task id: it is not 32 lowercase hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotATaskId;

impl fmt::Display for NotATaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a task id has 32 lowercase hexadecimal digits")
    }
}

impl std::error::Error for NotATaskId {}

impl FromStr for TaskId {
    type Err = NotATaskId;

    fn from_str(text: &str) -> Result<Self, NotATaskId> {
        let text = text.as_bytes();
        if text.len() != TEXT {
            return Err(NotATaskId);
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn digit(character: u8) -> Result<u8, NotATaskId> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        _ => Err(NotATaskId),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_that_was_given_out_is_read() {
        let id = TaskId([
            0x00, 0x1f, 0xa0, 0xff, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        ]);
        let text = id.to_string();
        assert_eq!(text, "001fa0ff0405060708090a0b0c0d0e0f");
        assert_eq!(text.parse(), Ok(id));
        for other in [
            "",
            &text[1..],
            &format!("{text}0"),
            &text.to_uppercase(),
            &text.replace('f', "g"),
            &text.replace("0405", "ü05"),
        ] {
            assert_eq!(other.parse::<TaskId>(), Err(NotATaskId), "{other}");
        }
    }
}
