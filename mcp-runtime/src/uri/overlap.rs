//! Whether two templates can match one URI: a walk through both at once.
//!
//! A template is a row of atoms, each of which takes bytes of some class; two templates meet if some text leads through
//! both rows. The pairs of positions are finite, so the walk ends.

use super::{Reach, UriPart};

/// Something that takes bytes of a URI.
#[derive(Debug, Clone, Copy)]
enum Atom {
    /// This byte, once.
    Byte(u8),
    /// One byte or more that a value may contain.
    Value(Reach),
    /// This byte, if anything follows.
    Opener(u8),
    /// Any number of any bytes.
    Any,
}

/// The bytes that lead from one position to the next.
#[derive(Debug, Clone, Copy)]
enum Class {
    Byte(u8),
    Value(Reach),
}

impl Class {
    /// Whether some byte is in both.
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Byte(a), Self::Byte(b)) => a == b,
            (Self::Byte(byte), Self::Value(reach)) | (Self::Value(reach), Self::Byte(byte)) => {
                reach.takes(byte)
            }
            // All values may contain letters.
            (Self::Value(_), Self::Value(_)) => true,
        }
    }
}

/// Whether some URI is matched by both templates.
pub(crate) fn overlap(a: &[UriPart<'_>], b: &[UriPart<'_>]) -> bool {
    let (a, b) = (atoms(a), atoms(b));
    let width = b.len() + 1;
    let mut seen = vec![false; (a.len() + 1) * width];
    let mut waiting = vec![(0, 0)];
    while let Some((i, j)) = waiting.pop() {
        if std::mem::replace(&mut seen[i * width + j], true) {
            continue;
        }
        if may_end(&a[i..]) && may_end(&b[j..]) {
            return true;
        }
        for (class, next_i) in steps(&a, i) {
            for (other, next_j) in steps(&b, j) {
                if class.meets(other) {
                    waiting.push((next_i, next_j));
                }
            }
        }
    }
    false
}

fn atoms(parts: &[UriPart<'_>]) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for part in parts {
        match *part {
            UriPart::Literal(text) => atoms.extend(text.bytes().map(Atom::Byte)),
            UriPart::Variable { reach, .. } => atoms.push(Atom::Value(reach)),
            // Which names follow is not looked at: without any, both end here.
            UriPart::Query { opener, .. } => {
                atoms.push(Atom::Opener(opener as u8));
                atoms.push(Atom::Any);
            }
        }
    }
    atoms
}

/// Whether a URI may end before these atoms.
fn may_end(atoms: &[Atom]) -> bool {
    matches!(atoms, [] | [Atom::Opener(_) | Atom::Any, ..])
}

/// Where one byte leads, and which bytes do so.
fn steps(atoms: &[Atom], at: usize) -> Vec<(Class, usize)> {
    match atoms.get(at) {
        None => Vec::new(),
        Some(Atom::Byte(byte) | Atom::Opener(byte)) => vec![(Class::Byte(*byte), at + 1)],
        Some(Atom::Value(reach)) => {
            vec![(Class::Value(*reach), at), (Class::Value(*reach), at + 1)]
        }
        Some(Atom::Any) => vec![(Class::Value(Reach::Rest), at)],
    }
}
