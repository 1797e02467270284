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

    /// The symbol of a tool, which is all that the compiler will say of two: a sentence, then the name.
    ///
    /// `one` ends the sentence: `tool_per_name`.
    ///
    /// Letters, digits and underscores only, since others break shared libraries.
    pub(super) fn symbol(&self, one: &str, group: &str, name: &str) -> Option<String> {
        let parts = self.parts.as_ref()?;
        Some(format!(
            "__mcp_one_{one}__{}__{}__{}",
            escaped(name),
            escaped(group),
            escaped(parts)
        ))
    }
}

/// Keeps letters and digits, and writes everything else as `_` and two hexadecimal digits, so that no two texts meet.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("_{byte:02x}"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_give_different_symbols() {
        let unit = Unit::named("shop 0.1");
        let names = ["a_b", "a-b", "a.b", "a_2d_b", "ab"];
        let symbols: std::collections::HashSet<_> = names
            .iter()
            .filter_map(|name| unit.symbol("tool_per_name", "", name))
            .collect();
        assert_eq!(symbols.len(), names.len());
        assert_eq!(
            unit.symbol("tool_per_name", "g", "a_b").unwrap(),
            "__mcp_one_tool_per_name__a_5fb__g__shop_200_2e1"
        );
        assert!(symbols.iter().all(|symbol| {
            symbol
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
        }));
    }

    #[test]
    fn an_unknown_crate_has_no_symbol() {
        assert_eq!(Unit::default().symbol("tool_per_name", "", "a"), None);
    }
}
