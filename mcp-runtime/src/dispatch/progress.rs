//! Telling a client how far a tool has come (basic/patterns/progress).

use std::sync::{Mutex, PoisonError};

use super::CallHandle;
use crate::json::{write_str, write_value};

/// How far a tool has come.
///
/// A number stands for the progress alone, a pair of numbers for progress and total:
///
/// ```standalone_crate
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::context::Progress;
///
/// /// Read many pages.
/// #[mcp_tool]
/// fn read(pages: u32, ctx: &Context) -> u32 {
///     for page in 1..=pages {
///         ctx.progress((page, pages));
///     }
///     ctx.progress(Progress::new(f64::from(pages) + 0.5).message("closing the book"));
///     pages
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Progress {
    /// Progress so far, in a unit of the tool's own.
    #[must_use]
    pub fn new(progress: f64) -> Self {
        Self {
            progress,
            total: None,
            message: None,
        }
    }

    /// What the progress will be at the end.
    #[must_use]
    pub fn total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// What is going on, for people.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The notification; `None` if a number is not finite, which JSON cannot say.
    fn to_frame(&self, token: &str, has_message: bool) -> Option<Vec<u8>> {
        let mut frame = Vec::with_capacity(160);
        frame.extend_from_slice(
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"#,
        );
        frame.extend_from_slice(token.as_bytes());
        frame.extend_from_slice(br#","progress":"#);
        write_value(&mut frame, &self.progress).ok()?;
        if let Some(total) = self.total {
            frame.extend_from_slice(br#","total":"#);
            write_value(&mut frame, &total).ok()?;
        }
        if let Some(message) = self.message.as_ref().filter(|_| has_message) {
            frame.extend_from_slice(br#","message":"#);
            write_str(&mut frame, message);
        }
        frame.extend_from_slice(b"}}");
        Some(frame)
    }
}

/// A number of any of Rust's types for numbers, of which progress is told as a float of 64 bits.
pub trait Amount {
    #[doc(hidden)]
    fn to_f64(self) -> f64;
}

macro_rules! amounts {
    ($($Number:ty),*) => { $(
        impl Amount for $Number {
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )* };
}
amounts!(f64, f32, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl<N: Amount> From<N> for Progress {
    fn from(progress: N) -> Self {
        Self::new(progress.to_f64())
    }
}

impl<N: Amount, M: Amount> From<(N, M)> for Progress {
    fn from((progress, total): (N, M)) -> Self {
        Self::new(progress.to_f64()).total(total.to_f64())
    }
}

/// The progress of one request whose client wants to know it.
#[derive(Debug)]
pub(super) struct ProgressReport {
    /// The token as the client wrote it; 0 and the empty string are tokens.
    token: Box<str>,
    /// The client's revision has messages about progress.
    has_message: bool,
    /// What was told last.
    told: Mutex<f64>,
}

impl ProgressReport {
    pub(super) fn new(token: &str, has_message: bool) -> Self {
        Self {
            token: token.into(),
            has_message,
            told: Mutex::new(f64::NEG_INFINITY),
        }
    }

    /// Tells the client, if that is progress over what it was told last.
    pub(super) fn tell(&self, control: &CallHandle, progress: &Progress) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // With the lock held until it is sent, so that two threads cannot send in the wrong order.
        if progress.progress > *told
            && let Some(frame) = progress.to_frame(&self.token, self.has_message)
            && control.notify(frame)
        {
            *told = progress.progress;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_has_the_members_that_were_given() {
        let frame = |progress: Progress| {
            let frame = progress.to_frame("0", true).unwrap();
            serde_json::from_slice::<serde_json::Value>(&frame).unwrap()["params"].clone()
        };
        assert_eq!(
            frame(0.5.into()),
            serde_json::json!({"progressToken": 0, "progress": 0.5})
        );
        assert_eq!(
            frame(Progress::from((1.0, 2.0)).message("half\n\"way\"")),
            serde_json::json!({"progressToken": 0, "progress": 1.0, "total": 2.0, "message": "half\n\"way\""})
        );
    }

    #[test]
    fn what_json_cannot_say_is_not_sent() {
        assert_eq!(Progress::new(f64::NAN).to_frame("0", true), None);
        assert_eq!(
            Progress::new(1.0).total(f64::INFINITY).to_frame("0", true),
            None
        );
    }
}
