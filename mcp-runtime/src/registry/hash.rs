//! FNV-1a: a hash that is the same on every replica and in every build, which std's hasher does not promise.
//!
//! It is no defence against names that were chosen to collide; names of tools are their authors' choice.

/// The hash of some bytes.
pub(super) fn fnv<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
