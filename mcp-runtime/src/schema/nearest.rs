//! The known name that a misspelt one most likely means.

/// The candidate that is closest to `name`, if it is close enough to be what was meant.
///
/// Distance counts insertions, deletions, replacements and swaps of neighbours; case, `-` and `_` do not matter. A third of
/// the name may differ. Of equally near candidates the first one is returned.
pub(crate) fn nearest<'n>(
    name: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    // Names are short; a longer text is no misspelt name, and the table would grow with it.
    if name.len() > 128 {
        return None;
    }
    let wanted = folded(name);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let known = folded(candidate);
        let allowed = (wanted.len().max(known.len()) / 3).max(1);
        let length_differs = wanted.len().abs_diff(known.len());
        if length_differs > allowed || known.len() > 128 {
            continue;
        }
        let distance = distance(&wanted, &known);
        // A name of one or two characters has every other short name as its neighbour.
        let close = distance == 0 || (distance <= allowed && wanted.len().max(known.len()) > 2);
        if close && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Optimal string alignment distance, with the three rows it needs.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, ours) in one.iter().enumerate() {
        let mut current = Vec::with_capacity(last.len());
        current.push(row + 1);
        for (column, theirs) in other.iter().enumerate() {
            let mut least = (last[column] + usize::from(ours != theirs))
                .min(last[column + 1] + 1)
                .min(current[column] + 1);
            if row > 0 && column > 0 && *ours == other[column - 1] && one[row - 1] == *theirs {
                least = least.min(before[column - 1] + 1);
            }
            current.push(least);
        }
        before = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn misspelt_names_find_what_they_mean() {
        for (name, meant) in [
            ("lmit", Some("limit")),
            ("limti", Some("limit")),
            ("maxResults", Some("max_results")),
            ("LIMIT", Some("limit")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(
                nearest(name, ["limit", "max_results", "y"]),
                meant,
                "{name:?}"
            );
        }
    }

    #[test]
    fn long_texts_are_not_compared() {
        assert_eq!(nearest(&"l".repeat(100_000), ["limit"]), None);
    }
}
