//! Collects the mistakes of one annotated item so that all of them are reported at once.
//!
//! Knows spans and sentences only; no check lives here.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The mistakes found so far. It must be finished: dropping it with its errors unread is a bug of ours and panics.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: Vec<syn::Error>,
    finished: bool,
}

impl Diagnostics {
    /// Reports one mistake at `span`. The sentence says what is wrong, then what to write.
    pub(crate) fn error(&mut self, span: Span, sentence: impl Display) {
        self.errors.push(syn::Error::new(span, sentence));
    }

    /// Reports one mistake that all of `tokens` make.
    pub(crate) fn error_over(&mut self, tokens: &impl ToTokens, sentence: impl Display) {
        self.errors.push(syn::Error::new_spanned(tokens, sentence));
    }

    /// Takes over what syn found while parsing.
    pub(crate) fn absorb(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether anything was reported.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Gives the mistakes back in the order in which they were found.
    #[must_use]
    pub(crate) fn finish(mut self) -> Vec<syn::Error> {
        self.finished = true;
        std::mem::take(&mut self.errors)
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        // A panic in a test must not become an abort.
        if !self.finished && !std::thread::panicking() {
            panic!("diagnostics were dropped without being finished");
        }
    }
}

/// The `compile_error!` items that show `errors` to the user.
pub(crate) fn compile_errors(errors: &[syn::Error]) -> TokenStream {
    errors.iter().map(syn::Error::to_compile_error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_error_in_order() {
        let mut diag = Diagnostics::default();
        assert!(!diag.has_errors());
        diag.error(Span::call_site(), "first");
        diag.absorb(syn::Error::new(Span::call_site(), "second"));
        assert!(diag.has_errors());
        let sentences: Vec<String> = diag.finish().iter().map(ToString::to_string).collect();
        assert_eq!(sentences, ["first", "second"]);
    }

    #[test]
    #[should_panic(expected = "without being finished")]
    fn unread_errors_panic() {
        let mut diag = Diagnostics::default();
        diag.error(Span::call_site(), "nobody reads this");
    }
}
