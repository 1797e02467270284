//! The symbol that makes two tools of one name in one crate an error of the build, and so for prompts and resources.
//!
//! Names only: whether two symbols are equal is for the compiler's back end to find.

/// The crate that is being compiled.
#[derive(Default)]
pub(crate) struct Unit {
    /// Its name, version, and binary; none if the build does not tell.
    parts: Option<String>,
}

impl Unit {
    /// Asks the environment that Cargo gives to the compiler.
    ///
    /// Without it, and in doc tests, nothing is known that would keep symbols of different crates apart.
    pub(crate) fn compiled_now() -> Self {
        let variable = |name| std::env::var(name).ok();
        if variable("UNSTABLE_RUSTDOC_TEST_PATH").is_some() {
            return Self::default();
        }
        let parts = variable("CARGO_CRATE_NAME").map(|name| {
            let version = variable("CARGO_PKG_VERSION").unwrap_or_default();
            // A package's library and binary may have one name.
            let kind = if variable("CARGO_BIN_NAME").is_some() {
                "bin"
            } else {
                "lib"
            };
            format!("{kind} {name} {version}")
        });
        Self { parts }
    }

    /// A crate of this name, for tests.
    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Self {
        Self {
            parts: Some(name.to_owned()),
        }
    }

    /// The symbol of a tool, which is all that the compiler will say of two: what is wrong, what to do, and where.
    ///
    /// `wrong` and `fix` stand around the name: `two_tools_are_called`, `write_another_name_on_one_of_them`.
    ///
    /// Letters, digits and underscores only, since others break shared libraries.
    pub(super) fn symbol(
        &self,
        (wrong, fix): (&str, &str),
        group: &str,
        name: &str,
    ) -> Option<String> {
        let parts = self.parts.as_ref()?;
        let mut symbol = format!("__mcp_{wrong}__{}__{fix}", escaped(name));
        if !group.is_empty() {
            symbol.push_str(&format!("__in_the_group__{}", escaped(group)));
        }
        for part in parts.replace('.', "_").split(' ') {
            symbol.push_str(&format!("__{}", escaped(part)));
        }
        Some(symbol)
    }
}

/// Keeps letters, digits and `_`, and writes everything else as `_x`, its hexadecimal digits, and `_`.
///
/// A `_` before an `x` is written in this way, too, so that no two texts meet.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        let is_plain = byte == b'_' && bytes.peek() != Some(&b'x');
        if byte.is_ascii_alphanumeric() || is_plain {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("_x{byte:02x}_"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: (&str, &str) = ("two_tools_are_called", "write_another_name_on_one_of_them");

    #[test]
    fn different_names_give_different_symbols() {
        let unit = Unit::named("lib shop 0.1");
        let names = [
            "a_b", "a-b", "a.b", "a_x2d_b", "a_2d_b", "ab", "a_xb", "a_x5f_xb",
        ];
        let symbols: std::collections::HashSet<_> = names
            .iter()
            .filter_map(|name| unit.symbol(WORDS, "", name))
            .collect();
        assert_eq!(symbols.len(), names.len());
        assert_eq!(
            unit.symbol(WORDS, "g", "a-b").unwrap(),
            "__mcp_two_tools_are_called__a_x2d_b__write_another_name_on_one_of_them__in_the_group__g__lib__shop__0_1"
        );
        assert!(symbols.iter().all(|symbol| {
            symbol
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
        }));
    }

    #[test]
    fn an_unknown_crate_has_no_symbol() {
        assert_eq!(Unit::default().symbol(WORDS, "", "a"), None);
    }
}
