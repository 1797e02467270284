//! One parameter of a function, checked as far as its type need not be known.
//!
//! What takes the type is kept as [`Question`]s, which the compiler answers in the expansion.

use proc_macro2::Span;
use syn::{Expr, LitStr, Type};

use super::constraint::Constraints;
use super::{description, json_name};
use crate::attr::param::{ARG, Complete};
use crate::diag::Diagnostics;
use crate::signature::{self, inner, is_called};
use crate::subject::{Subject, Wire};

/// A checked parameter.
pub(crate) struct Param {
    /// The name in JSON.
    pub(crate) name: String,
    /// Where the name is written.
    pub(crate) name_span: Span,
    /// The name is not the one in Rust.
    pub(crate) is_renamed: bool,
    pub(crate) description: String,
    /// The type that is owned: for `&T` it stands behind `<T as Borrowed>::Owned`.
    pub(crate) ty: Type,
    pub(crate) is_lent: bool,
    /// What the spelling of the type makes one expect.
    pub(crate) mistaken: Option<Mistaken>,
    /// What the absent argument becomes.
    pub(crate) default: Option<DefaultValue>,
    /// Where its key stands.
    pub(crate) default_span: Option<Span>,
    pub(crate) constraints: Constraints,
    pub(crate) examples: Vec<Expr>,
    /// The name of the mirroring header, or an empty text.
    pub(crate) header: String,
    /// A text that must not lead out of a tree, if its type is one that keeps it as it is.
    pub(crate) is_guarded: bool,
    /// The function that completes what a person has typed so far.
    pub(crate) complete: Option<Complete>,
    pub(crate) questions: Vec<Question>,
}

/// A type that people take for a parameter, by its spelling; whether it is one is for the compiler to find out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mistaken {
    /// `Json<T>`
    Json,
    /// `Principal` or `Option<Principal>`
    Principal,
    /// `Option<State<T>>`
    OptionalState,
}

/// The value of an absent argument.
pub(crate) enum DefaultValue {
    /// `Default::default()`.
    OfType(Span),
    /// An expression.
    Given(Expr),
}

/// A condition on a parameter's type, and the sentence for a type that breaks it.
pub(crate) struct Question {
    pub(crate) asked: Asked,
    pub(crate) span: Span,
    pub(crate) sentence: String,
}

/// What is asked of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    /// It is sent by the client.
    IsArgument,
    /// It has no value for absence of its own.
    TakesDefault,
    /// It is a number.
    TakesRange,
    /// It has this value.
    Holds(i128),
    /// It is a text or a list.
    TakesLength,
    /// It is a text.
    TakesPattern,
    /// It can stand in a header.
    TakesHeader,
    /// It is made by the server.
    IsInjected,
    /// It is no `Option`.
    IsPlain,
}

impl Param {
    /// Checks one parameter.
    pub(super) fn new(param: &signature::Param, subject: Subject, diag: &mut Diagnostics) -> Self {
        let arg = &param.arg;
        refuse_foreign_keys(param, subject, diag);
        let (name, name_span) = json_name(
            arg.rename.get(),
            &param.name,
            ("an argument", ", or hosts refuse the whole server", ARG),
            diag,
        );
        let constraints = Constraints::new(arg, diag);
        if let Some(Some(default)) = arg.default.get() {
            constraints.check(default, "default", diag);
            if subject == Subject::Tool {
                Constraints::check_safe(default, diag);
            }
        }
        let examples: Vec<Expr> = arg
            .example
            .get()
            .into_iter()
            .chain(arg.examples.get().into_iter().flatten())
            .cloned()
            .collect();
        for example in &examples {
            constraints.check(example, "example", diag);
        }
        let refuses_default = refuse_default_of_option(param, &name, diag);
        Self {
            questions: questions(param, &name, &constraints),
            name,
            name_span,
            is_renamed: arg.rename.get().is_some(),
            description: description(arg.description.get(), &param.doc, ARG, diag),
            ty: param.ty.clone(),
            is_lent: param.is_lent,
            mistaken: mistaken(&param.ty),
            default: arg
                .default
                .get()
                .filter(|_| !refuses_default)
                .map(|default| match default {
                    Some(expr) => DefaultValue::Given(expr.clone()),
                    None => {
                        DefaultValue::OfType(arg.default.span().unwrap_or_else(Span::call_site))
                    }
                }),
            default_span: arg.default.span().filter(|_| !refuses_default),
            constraints,
            examples,
            header: arg
                .header
                .get()
                .map(|header| header_name(header, diag))
                .unwrap_or_default(),
            complete: arg.complete.get().cloned(),
            is_guarded: subject == Subject::Resource && !arg.raw.get().copied().unwrap_or(false),
        }
    }
}

/// Refuses a default where the type is spelled `Option<T>`, before the compiler asks for a `Some` in it.
fn refuse_default_of_option(param: &signature::Param, name: &str, diag: &mut Diagnostics) -> bool {
    let (Some(span), Some(plain)) = (param.arg.default.span(), inner(&param.ty, "Option")) else {
        return false;
    };
    diag.error(
        span,
        format!(
            "`{name}` is `None` when it is absent; write `{}: {}` for a default, or remove `default`",
            param.name,
            signature::spelled(plain)
        ),
    );
    true
}

fn mistaken(ty: &Type) -> Option<Mistaken> {
    let plain = inner(ty, "Option");
    if inner(ty, "Json").is_some() {
        Some(Mistaken::Json)
    } else if plain.is_some_and(|plain| inner(plain, "State").is_some()) {
        Some(Mistaken::OptionalState)
    } else {
        let is_principal =
            matches!(plain.unwrap_or(ty), Type::Path(path) if is_called(&path.path, "Principal"));
        is_principal.then_some(Mistaken::Principal)
    }
}

/// Refuses keys that say nothing where they stand.
fn refuse_foreign_keys(param: &signature::Param, subject: Subject, diag: &mut Diagnostics) {
    let arg = &param.arg;
    let noun = subject.noun();
    if subject.wire() == Wire::Text {
        let schema_keys = [
            ("range", arg.range.span()),
            ("length", arg.length.span()),
            ("pattern", arg.pattern.span()),
            ("format", arg.format.span()),
            ("example", arg.example.span()),
            ("examples", arg.examples.span()),
            ("header", arg.header.span()),
        ];
        for (key, span) in schema_keys {
            if let Some(span) = span {
                diag.error(
                    span,
                    format!(
                        "`{key}` stands in the schemas of tools, and a {noun} has none; remove it and check the value in \
                         the `FromStr` of its type"
                    ),
                );
            }
        }
    } else if let Some(span) = arg.complete.span() {
        diag.error(
            span,
            "clients complete the arguments of prompts and resource templates only; remove `complete`",
        );
    }
    if let Some(span) = arg.raw.span()
        && subject != Subject::Resource
    {
        diag.error(
            span,
            "`raw` lets a variable of a resource template leave its tree; remove it",
        );
    }
}

fn header_name(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let name = literal.value();
    // `token` of RFC 9110, section 5.6.2.
    let is_token = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c));
    if !is_token {
        diag.error(
            literal.span(),
            "a header's name has letters, digits and `-` only; write `header = \"Region\"` for `Mcp-Param-Region`",
        );
    }
    name
}

fn questions(param: &signature::Param, name: &str, constraints: &Constraints) -> Vec<Question> {
    let arg = &param.arg;
    let mut questions = Vec::new();
    let mut ask = |asked, span: Option<Span>, sentence: String| {
        if let Some(span) = span {
            questions.push(Question {
                asked,
                span,
                sentence,
            });
        }
    };
    ask(
        Asked::IsArgument,
        arg.span,
        format!("`{name}` is made by the server and no argument; remove its `#[arg(…)]`"),
    );
    ask(
        Asked::TakesDefault,
        arg.default.span(),
        format!("`{name}` is `None` when it is absent; remove `default`, or take the plain type"),
    );
    ask(
        Asked::TakesRange,
        arg.range.span(),
        format!(
            "`range` bounds numbers, and `{name}` is none; write `length(…)` for texts and lists"
        ),
    );
    for bound in constraints.far_bounds() {
        ask(
            Asked::Holds(bound),
            arg.range.span(),
            format!(
                "the type of `{name}` does not hold all of this `range`; write bounds that it holds"
            ),
        );
    }
    ask(
        Asked::TakesLength,
        arg.length.span(),
        format!(
            "`length` counts texts and lists, and `{name}` is neither; write `range(…)` for numbers"
        ),
    );
    ask(
        Asked::TakesPattern,
        arg.pattern.span(),
        format!("`pattern` is matched against texts, and `{name}` is none; remove it"),
    );
    ask(
        Asked::TakesPattern,
        arg.format.span(),
        format!("`format` describes texts, and `{name}` is none; remove it"),
    );
    ask(
        Asked::TakesHeader,
        arg.header.get().map(|header| header.span()),
        format!(
            "only texts, integers and booleans can be mirrored in a header; remove it from `{name}`"
        ),
    );
    questions
}
