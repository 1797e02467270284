//! Digests by which a state recognises the request that it belongs to.
//!
//! They decide whether two texts are the same, for good: nobody can make another text of one digest.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of several texts, as text.
///
/// The length of each goes in too, so that no two lists of texts run into one.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    URL_SAFE_NO_PAD.encode(hash(parts))
}

/// The first half of it, where a text of 22 characters does.
pub(crate) fn short_digest(parts: &[&[u8]]) -> String {
    URL_SAFE_NO_PAD.encode(&hash(parts)[..16])
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_one_text_ends_and_the_next_begins_matters() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_ne!(digest(&[b"ab"]), digest(&[b"ab", b""]));
        assert_eq!(digest(&[b"ab", b"c"]), digest(&[b"ab", b"c"]));
    }

    #[test]
    fn digests_are_those_of_sha_256() {
        // Of one empty text: the SHA-256 of eight zero bytes.
        assert_eq!(
            digest(&[b""]),
            "r1Vw9aGBC3r3jK9LxwpmDw31HkK6-R1N5bIyjeDoPfw"
        );
        assert_eq!(short_digest(&[b""]).len(), 22);
    }
}
