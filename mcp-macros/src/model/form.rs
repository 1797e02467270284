//! A form or a choice, checked as far as the types of its fields need not be known.
//!
//! What takes a type is kept as [`Question`]s, which the compiler answers in the expansion.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, GenericParam, Generics, LitStr, Path, Type};

use super::constraint::{Constraints, Number, UNSAFE_DEFAULT};
use super::{description, json_name, text};
use crate::attr::form::{FORM, FieldAttr, FormAttr, VariantAttr};
use crate::attr::nearest;
use crate::diag::Diagnostics;
use crate::doc::{self, Doc};

/// The formats of the protocol's `StringSchema`, and their names in the runtime.
const FORMATS: [(&str, &str); 4] = [
    ("email", "Email"),
    ("uri", "Uri"),
    ("date", "Date"),
    ("date-time", "DateTime"),
];

/// A checked type under `#[derive(ElicitForm)]`.
pub(crate) struct Form {
    pub(crate) krate: Option<Path>,
    pub(crate) name: Ident,
    pub(crate) allows_deprecated: bool,
    pub(crate) shape: Shape,
}

/// What the type is.
pub(crate) enum Shape {
    /// A struct: a form.
    Fields(Vec<Field>),
    /// An enum: a choice within forms.
    Choices(Vec<Choice>),
}

/// A checked field.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The name in JSON.
    pub(crate) name: String,
    pub(crate) title: String,
    /// Empty if there is none.
    pub(crate) description: String,
    pub(crate) default: Option<Expr>,
    pub(crate) constraints: Constraints,
    /// The name of the variant of `Format`.
    pub(crate) format: Option<&'static str>,
    pub(crate) questions: Vec<Question>,
}

/// A checked variant.
pub(crate) struct Choice {
    pub(crate) ident: Ident,
    /// The value in JSON.
    pub(crate) value: String,
    /// Empty if no variant has a title.
    pub(crate) title: String,
}

/// A condition on a field's type or default, and the sentence for one that breaks it.
pub(crate) struct Question {
    pub(crate) asked: Asked,
    pub(crate) span: Span,
    pub(crate) sentence: String,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    /// The type is a number.
    TakesRange,
    /// The type holds both ends of the range.
    HoldsRange,
    /// The number before an excluded end can be named.
    TakesHalfOpen,
    /// The type is a text.
    TakesLength,
    /// The type is a list.
    TakesItems,
    /// The type has no value for absence of its own.
    TakesDefault,
    /// The default keeps the bounds and the format.
    DefaultFits,
    /// The default is a number that hosts keep, if it is a number.
    DefaultIsSafe,
    /// The type is at most one `Option` deep.
    IsOptionalOnce,
}

impl Form {
    /// Checks the type, and reports all mistakes.
    pub(crate) fn new(attr: &FormAttr, input: DeriveInput, diag: &mut Diagnostics) -> Option<Self> {
        // A schema is one text, and an answer outlives what it was read from.
        refuse_generics(&input.generics, diag);
        let mut allows_deprecated = is_deprecated(&input.attrs);
        let shape = match input.data {
            Data::Struct(data) => match data.fields {
                Fields::Named(fields) => {
                    allows_deprecated |=
                        fields.named.iter().any(|field| is_deprecated(&field.attrs));
                    Shape::Fields(self::fields(fields.named, diag))
                }
                Fields::Unnamed(fields) => {
                    diag.error_over(
                        &fields,
                        format!(
                            "the fields of a form have names, which people see; write `struct {} {{ … }}`",
                            input.ident
                        ),
                    );
                    return None;
                }
                Fields::Unit => {
                    diag.error(
                        input.ident.span(),
                        format!(
                            "a form that only asks for consent has braces without fields; write `struct {} {{}}`",
                            input.ident
                        ),
                    );
                    return None;
                }
            },
            Data::Enum(data) => {
                allows_deprecated |= data
                    .variants
                    .iter()
                    .any(|variant| is_deprecated(&variant.attrs));
                if data.variants.is_empty() {
                    diag.error(
                        input.ident.span(),
                        format!(
                            "nobody can choose from nothing; give `{}` variants",
                            input.ident
                        ),
                    );
                }
                Shape::Choices(choices(data.variants, diag))
            }
            Data::Union(data) => {
                diag.error(
                    data.union_token.span(),
                    "a form is a struct with named fields; make this a struct",
                );
                return None;
            }
        };
        (!diag.has_errors()).then(|| Self {
            krate: attr.krate.get().cloned(),
            name: input.ident,
            allows_deprecated,
            shape,
        })
    }
}

fn is_deprecated(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("deprecated"))
}

fn refuse_generics(generics: &Generics, diag: &mut Diagnostics) {
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(lifetime) => diag.error_over(
                lifetime,
                "a form owns its values; take `String` instead of `&str`, and remove this",
            ),
            GenericParam::Type(_) | GenericParam::Const(_) => diag.error_over(
                param,
                "a form has one schema, so it cannot be generic; write the type itself, and remove this",
            ),
        }
    }
}

fn fields(fields: impl IntoIterator<Item = syn::Field>, diag: &mut Diagnostics) -> Vec<Field> {
    let mut checked: Vec<Field> = Vec::new();
    for field in fields {
        // Named fields, so there is an identifier.
        let Some(ident) = field.ident.clone() else {
            continue;
        };
        let attr = FieldAttr::parse(&field.attrs, diag);
        let (name, span) = json_name(attr.rename.get(), &ident, ("a field", "", FORM), diag);
        let is_renamed = attr.rename.get().is_some();
        // Two fields of one name in Rust as well are the compiler's to report.
        if checked
            .iter()
            .any(|other| other.name == name && (is_renamed || other.ident.unraw() != name))
        {
            diag.error(
                span,
                format!(
                    "two fields are called `{name}`; write another name in `#[form(rename = \"…\")]`"
                ),
            );
        }
        checked.push(Field::new(field, ident, name, &attr, diag));
    }
    checked
}

impl Field {
    fn new(
        field: syn::Field,
        ident: Ident,
        name: String,
        attr: &FieldAttr,
        diag: &mut Diagnostics,
    ) -> Self {
        let constraints = Constraints::of_field(attr, diag);
        refuse_excluded_float(attr, &constraints, diag);
        Self {
            title: attr
                .title
                .get()
                .map_or_else(|| doc::words(&name), |title| text(title, "title", diag)),
            description: description(attr.description.get(), &Doc::read(&field.attrs), FORM, diag),
            questions: questions(attr, &constraints, &name, &field.ty),
            default: attr.default.get().cloned(),
            format: attr
                .format
                .get()
                .and_then(|format| format_name(format, diag)),
            constraints,
            ident,
            ty: field.ty,
            name,
        }
    }
}

/// Before `1.0` there is no last number, and forms have no `exclusiveMaximum`.
fn refuse_excluded_float(attr: &FieldAttr, constraints: &Constraints, diag: &mut Diagnostics) {
    if let Some(range) = attr.range.get()
        && constraints.excludes_maximum
        && matches!(constraints.maximum, Some(Number::Float(_)))
    {
        diag.error_over(
            &range.whole,
            "a form's range includes its end; write `..=` and the greatest number that is allowed",
        );
    }
}

fn format_name(literal: &LitStr, diag: &mut Diagnostics) -> Option<&'static str> {
    let name = literal.value();
    let known = FORMATS.map(|(known, _)| known);
    let found = FORMATS.iter().find(|(known, _)| *known == name);
    if found.is_none() {
        let hint = match nearest(&name, &known) {
            Some(found) => format!("did you mean `{found}`? "),
            None => String::new(),
        };
        diag.error(
            literal.span(),
            format!(
                "a form has no format `{name}`; {hint}formats: `{}`",
                known.join("`, `")
            ),
        );
    }
    found.map(|(_, variant)| *variant)
}

fn questions(attr: &FieldAttr, constraints: &Constraints, name: &str, ty: &Type) -> Vec<Question> {
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
        Asked::IsOptionalOnce,
        Some(ty.span()),
        format!("`{name}` is either there or not; take one `Option`"),
    );
    ask(
        Asked::TakesRange,
        attr.range.span(),
        format!(
            "`range` bounds numbers, and `{name}` is none; write `length(…)` for texts and `items(…)` for lists"
        ),
    );
    ask(
        Asked::HoldsRange,
        attr.range.span(),
        format!(
            "the type of `{name}` does not hold all of this `range`; write bounds that it holds"
        ),
    );
    ask(
        Asked::TakesHalfOpen,
        attr.range.span().filter(|_| constraints.excludes_maximum),
        "a form's range includes its end; write `..=` and the greatest number that is allowed"
            .to_owned(),
    );
    ask(
        Asked::TakesLength,
        attr.length.span(),
        format!(
            "`length` counts the characters of texts, and `{name}` is none; write `range(…)` for numbers and `items(…)` for lists"
        ),
    );
    ask(
        Asked::TakesItems,
        attr.items.span(),
        format!(
            "`items` counts the values of lists, and `{name}` is none; write `range(…)` for numbers and `length(…)` for texts"
        ),
    );
    ask(
        Asked::TakesLength,
        attr.format.span(),
        format!("`format` describes texts, and `{name}` is none; remove it"),
    );
    ask(
        Asked::TakesDefault,
        attr.default.span(),
        format!("`{name}` is `None` when it is absent; remove `default`, or take the plain type"),
    );
    ask(
        Asked::DefaultFits,
        attr.default.get().map(Expr::span),
        unfit_default(attr),
    );
    ask(
        Asked::DefaultIsSafe,
        attr.default.get().map(Expr::span),
        UNSAFE_DEFAULT.to_owned(),
    );
    questions
}

fn unfit_default(attr: &FieldAttr) -> String {
    let keys: Vec<&str> = [
        ("`range`", attr.range.span()),
        ("`length`", attr.length.span()),
        ("`items`", attr.items.span()),
        ("`format`", attr.format.span()),
    ]
    .into_iter()
    .filter_map(|(key, span)| span.map(|_| key))
    .collect();
    if keys.is_empty() {
        "JSON has no such number; write another default".to_owned()
    } else {
        format!(
            "this default does not keep to its own {}; change one of them",
            keys.join(" and ")
        )
    }
}

fn choices(
    variants: impl IntoIterator<Item = syn::Variant>,
    diag: &mut Diagnostics,
) -> Vec<Choice> {
    let mut checked: Vec<Choice> = Vec::new();
    for variant in variants {
        let attr = VariantAttr::parse(&variant.attrs, diag);
        if !matches!(variant.fields, Fields::Unit) {
            diag.error_over(
                &variant.fields,
                "a choice in a form has no data; remove this, and ask for it in a field of its own",
            );
        }
        let (value, span) = match attr.rename.get() {
            Some(rename) => (text(rename, "rename", diag), rename.span()),
            None => (variant.ident.unraw().to_string(), variant.ident.span()),
        };
        let is_renamed = attr.rename.get().is_some();
        // Two variants of one name in Rust as well are the compiler's to report.
        if checked
            .iter()
            .any(|other| other.value == value && (is_renamed || other.ident.unraw() != value))
        {
            diag.error(
                span,
                format!("two variants are called `{value}`; write another name"),
            );
        }
        checked.push(Choice {
            title: variant_title(&attr, &variant.attrs, diag),
            ident: variant.ident,
            value,
        });
    }
    // The protocol has enumerations with titles for all values, and without any.
    if checked.iter().any(|choice| !choice.title.is_empty()) {
        for choice in &mut checked {
            if choice.title.is_empty() {
                choice.title = doc::words(&choice.ident.unraw().to_string());
            }
        }
    }
    checked
}

/// What `title` says, or else the doc comment in one line.
fn variant_title(attr: &VariantAttr, attrs: &[Attribute], diag: &mut Diagnostics) -> String {
    if let Some(title) = attr.title.get() {
        return text(title, "title", diag);
    }
    let doc = Doc::read(attrs);
    if let Some(computed) = &doc.computed {
        diag.error_over(
            computed,
            "the text of this comment is not known yet; write `#[form(title = \"…\")]`",
        );
    }
    let paragraph = doc.text.split("\n\n").next().unwrap_or_default();
    let line = paragraph
        .lines()
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    line.strip_suffix('.').unwrap_or(&line).to_owned()
}
