//! Templates that are registered at run time, with parts of their own.

use std::borrow::Cow;

use super::grammar::{self, Part, Reach as Written};
use super::{Reach, UriPart};

/// A template that was read from a text.
#[derive(Debug)]
pub(crate) struct Template {
    parts: Box<[Part]>,
    /// The variables, by their positions.
    variables: Box<[Box<str>]>,
}

/// Checks that a text is a URI without variables; the error is a sentence for the author.
pub(crate) fn check_fixed(text: &str) -> Result<(), Cow<'static, str>> {
    let template = grammar::Template::read(text)?;
    if template.is_fixed() {
        Ok(())
    } else {
        Err("it has variables; register it as a template".into())
    }
}

impl Template {
    /// Reads a template; the error is a sentence for the author.
    pub(crate) fn read(text: &str) -> Result<Self, Cow<'static, str>> {
        let template = grammar::Template::read(text)?;
        if template.is_fixed() {
            return Err("it has no variables; register it as a resource".into());
        }
        Ok(Self {
            parts: template.parts().into(),
            variables: template.variables().into_iter().map(Into::into).collect(),
        })
    }

    /// The name of the variable at a position.
    pub(crate) fn variable(&self, position: usize) -> &str {
        &self.variables[position]
    }

    /// Whether there is a variable of a name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| **variable == *name)
    }

    /// Gives the parts in the form in which URIs are matched.
    pub(crate) fn with_parts<R>(&self, run: impl FnOnce(&[UriPart<'_>]) -> R) -> R {
        // A query stands at the end and nowhere else, so its variables are behind those of the path.
        let in_path = |part: &&Part| matches!(part, Part::Variable { .. });
        let before = self.parts.iter().filter(in_path).count();
        let names: Vec<_> = match self.parts.last() {
            Some(Part::Query { names, .. }) => {
                let positions = before..;
                names.iter().map(String::as_str).zip(positions).collect()
            }
            _ => Vec::new(),
        };
        let mut position = 0;
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            parts.push(match part {
                Part::Literal(text) => UriPart::Literal(text),
                Part::Variable {
                    reach, separator, ..
                } => {
                    position += 1;
                    UriPart::Variable {
                        param: position - 1,
                        reach: match reach {
                            Written::Segment => Reach::Segment,
                            Written::Segments => Reach::Segments,
                            Written::Rest => Reach::Rest,
                        },
                        separator: *separator,
                    }
                }
                Part::Query { opener, .. } => UriPart::Query {
                    opener: *opener,
                    names: &names,
                },
            });
        }
        run(&parts)
    }
}
