//! Reading back what this program has written, which may be nested deeper than `serde_json` reads.
//!
//! Deliberately not here: what others have written, which is bounded before it is read.

use serde::de::DeserializeOwned;
use serde_json::Deserializer;

use super::nesting::is_deeper_than;
use super::serializer::MAX_DEPTH;

/// Levels around a value in the message that it is sent in.
const AROUND: usize = 16;

/// Reads a message or a value that [`write_value`](super::write_value) has written.
///
/// # Errors
///
/// It is no JSON, is nested deeper than any message of ours, or is not of the type.
pub(crate) fn read_own<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    let mut deserializer = Deserializer::from_slice(json);
    if !is_deeper_than(json, MAX_DEPTH + AROUND) {
        // The check before is the limit.
        deserializer.disable_recursion_limit();
    }
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}
