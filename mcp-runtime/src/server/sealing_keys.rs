//! Where the keys come from that seal what clients carry: code, the environment, or a file.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, Engine as _};

use crate::dispatch::KeyRing;

/// The environment variable that has the keys of a server that is given none in code.
const VARIABLE: &str = "MCP_SEALING_KEYS";

/// The keys that seal what a client carries from one round of a call to the next.
///
/// Without any, each process makes a random key when it first needs one: a call that has begun with one process cannot go on with
/// another, nor after a restart. Several processes that serve one endpoint are given the same keys.
///
/// The first key seals, and all of them open: to change keys put the new one in front, and drop the old one when the states
/// that it has sealed have expired (15 minutes, or what the builder says). Where several processes are changed one after the
/// other, put the new one behind the old one in all of them first.
///
/// A key has 32 bytes. As text it is 64 hexadecimal digits or base64, such as `openssl rand -base64 32` writes; several
/// stand in one text with commas or white space between. A server that is given no keys in code takes them from the
/// environment variable `MCP_SEALING_KEYS`, if that is set.
///
/// ```
/// use mcp_runtime::sealing::SealingKeys;
///
/// # fn main() -> Result<(), mcp_runtime::BuildError> {
/// let server = mcp_runtime::server!()
///     .sealing_keys(SealingKeys::new([[1; 32]]))
///     .build()?;
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SealingKeys(Source);

#[derive(Clone)]
enum Source {
    Bytes(Vec<Vec<u8>>),
    Text(String),
    File(PathBuf),
}

impl fmt::Debug for SealingKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Source::Bytes(_) | Source::Text(_) => "SealingKeys",
            Source::File(_) => "SealingKeys of a file",
        })
    }
}

impl SealingKeys {
    /// Keys of 32 bytes each, the newest first.
    ///
    /// [`build`](crate::ServerBuilder::build) refuses keys of another length, and none at all.
    pub fn new<K: AsRef<[u8]>>(keys: impl IntoIterator<Item = K>) -> Self {
        let keys = keys.into_iter().map(|key| key.as_ref().to_vec());
        Self(Source::Bytes(keys.collect()))
    }

    /// Keys as text, the newest first.
    ///
    /// [`build`](crate::ServerBuilder::build) refuses what is no key.
    pub fn parse(text: impl Into<String>) -> Self {
        Self(Source::Text(text.into()))
    }

    /// A file with keys as text, the newest first; it is read when the server is built.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self(Source::File(path.as_ref().to_owned()))
    }

    /// The keys of the environment, if it has some.
    fn of_environment() -> Result<Option<Self>, String> {
        match env::var(VARIABLE) {
            Ok(text) => Ok(Some(Self::parse(text))),
            Err(env::VarError::NotPresent) => Ok(None),
            Err(env::VarError::NotUnicode(_)) => Err(format!("{VARIABLE} is not UTF-8")),
        }
    }
}

/// The keys of a server that was given these, or none.
pub(super) fn key_ring(given: Option<SealingKeys>) -> Result<KeyRing, String> {
    let (origin, keys) = match given {
        Some(keys) => ("the state keys", Some(keys)),
        None => (VARIABLE, SealingKeys::of_environment()?),
    };
    let Some(SealingKeys(source)) = keys else {
        return Ok(KeyRing::random());
    };
    let keys = match source {
        Source::Bytes(keys) => keys,
        Source::Text(text) => read(origin, &text)?,
        Source::File(path) => {
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("{origin} in {}: {error}", path.display()))?;
            read(origin, &text)?
        }
    };
    if keys.is_empty() {
        return Err(format!("{origin}: there is none"));
    }
    let sized = keys.into_iter().enumerate().map(|(index, key)| {
        let length = key.len();
        <[u8; 32]>::try_from(key).map_err(|_| {
            format!(
                "{origin}: key {} has {length} bytes instead of 32",
                index + 1
            )
        })
    });
    Ok(KeyRing::of(sized.collect::<Result<Vec<_>, _>>()?))
}

/// Reads keys as text. No part of it is told: it may be nearly a key.
fn read(origin: &str, text: &str) -> Result<Vec<Vec<u8>>, String> {
    let words = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty());
    words
        .enumerate()
        .map(|(index, word)| {
            hexadecimal(word).or_else(|| base64(word)).ok_or_else(|| {
                format!(
                    "{origin}: key {} is neither hexadecimal nor base64",
                    index + 1
                )
            })
        })
        .collect()
}

fn hexadecimal(word: &str) -> Option<Vec<u8>> {
    // Fewer digits are base64 by chance, of another length then.
    if word.len() != 64 {
        return None;
    }
    let digits: Option<Vec<u8>> = word
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        })
        .collect();
    Some(
        digits?
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}

/// Decodes either alphabet, with or without padding.
fn base64(word: &str) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabets = [&alphabet::STANDARD, &alphabet::URL_SAFE];
    alphabets
        .into_iter()
        .find_map(|alphabet| GeneralPurpose::new(alphabet, CONFIG).decode(word).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::{Environment, NoRandomness};

    /// A system whose random bytes are all the same.
    #[derive(Debug)]
    struct Fixed;

    impl Environment for Fixed {
        fn unix_millis(&self) -> u64 {
            0
        }

        fn fill_random(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
            bytes.fill(7);
            Ok(())
        }
    }

    /// Whether two rings understand each other.
    fn agree(ours: SealingKeys, theirs: SealingKeys) -> bool {
        let ours = key_ring(Some(ours)).unwrap();
        let theirs = key_ring(Some(theirs)).unwrap();
        theirs
            .open(&ours.seal(b"x", "tested", &Fixed).unwrap(), "tested")
            .is_some()
    }

    #[test]
    fn one_key_can_be_written_in_many_ways() {
        let key = [0xfb_u8; 32];
        let written = [
            "fb".repeat(32),
            "FB".repeat(32),
            "+/v7".repeat(10) + "+/s=",
            "-_v7".repeat(10) + "-_s=",
            "-_v7".repeat(10) + "-_s",
        ];
        for text in written {
            assert!(
                agree(
                    SealingKeys::new([key]),
                    SealingKeys::parse(format!(" {text}\n"))
                ),
                "{text}"
            );
        }
        assert!(!agree(SealingKeys::new([key]), SealingKeys::new([[1; 32]])));
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let (old, new) = ("00".repeat(32), "11".repeat(32));
        let both = || SealingKeys::parse(format!("{new},{old}"));
        assert!(agree(SealingKeys::parse(&*old), both()));
        assert!(agree(both(), SealingKeys::parse(&*new)));
        assert!(!agree(both(), SealingKeys::parse(&*old)));
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_told() {
        let refusal = |keys| key_ring(Some(keys)).unwrap_err();
        assert_eq!(
            refusal(SealingKeys::parse(" ")),
            "the state keys: there is none"
        );
        assert_eq!(
            refusal(SealingKeys::new::<[u8; 32]>([])),
            "the state keys: there is none"
        );
        assert_eq!(
            refusal(SealingKeys::new([[1_u8; 32].as_slice(), &[1; 31]])),
            "the state keys: key 2 has 31 bytes instead of 32"
        );
        assert_eq!(
            refusal(SealingKeys::parse("secret!")),
            "the state keys: key 1 is neither hexadecimal nor base64"
        );
        assert_eq!(
            refusal(SealingKeys::parse("abcd")),
            "the state keys: key 1 has 3 bytes instead of 32"
        );
        assert!(
            refusal(SealingKeys::file("/nowhere/keys"))
                .starts_with("the state keys in /nowhere/keys: ")
        );
        assert!(!format!("{:?}", SealingKeys::parse("secret!")).contains("secret"));
    }
}
