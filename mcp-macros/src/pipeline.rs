//! The stages of each attribute, one under the other.
//!
//! The annotated item always comes back, also when something was wrong with it: only the registration is left out.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::DeriveInput;

use crate::attr::form::FormAttr;
use crate::attr::prompt::PromptAttr;
use crate::attr::resource::ResourceAttr;
use crate::attr::tool::ToolAttr;
use crate::attr::types::TypeAttr;
use crate::diag::{Diagnostics, compile_errors};
use crate::expand;
use crate::model::form::Form;
use crate::model::guard::Unit;
use crate::model::prompt::Prompt;
use crate::model::resource::Resource;
use crate::model::tool::Tool;
use crate::model::types::Type;
use crate::signature::{Function, Signature};
use crate::subject::Subject;

/// `#[mcp_tool(args)] item`.
pub(crate) fn tool(
    args: TokenStream,
    item: TokenStream,
    unit: &Unit,
) -> Result<TokenStream, Failure> {
    let mut diag = Diagnostics::default();
    let attr = ToolAttr::parse(args, &mut diag);
    function(
        item,
        Subject::Tool,
        diag,
        expand::tool::tool,
        |signature, diag| Tool::new(&attr, signature, unit, diag),
    )
}

/// `#[mcp_prompt(args)] item`.
pub(crate) fn prompt(
    args: TokenStream,
    item: TokenStream,
    unit: &Unit,
) -> Result<TokenStream, Failure> {
    let mut diag = Diagnostics::default();
    let attr = PromptAttr::parse(args, &mut diag);
    function(
        item,
        Subject::Prompt,
        diag,
        expand::prompt::prompt,
        |signature, diag| Prompt::new(&attr, signature, unit, diag),
    )
}

/// `#[mcp_resource(args)] item`.
pub(crate) fn resource(
    args: TokenStream,
    item: TokenStream,
    unit: &Unit,
) -> Result<TokenStream, Failure> {
    let mut diag = Diagnostics::default();
    let attr = ResourceAttr::parse(args, &mut diag);
    function(
        item,
        Subject::Resource,
        diag,
        expand::resource::resource,
        |signature, diag| Resource::new(&attr, signature, unit, diag),
    )
}

/// The stages that are the same for all attributes on functions.
fn function<M>(
    item: TokenStream,
    subject: Subject,
    mut diag: Diagnostics,
    expand: impl FnOnce(&M) -> TokenStream,
    model: impl FnOnce(Signature, &mut Diagnostics) -> Option<M>,
) -> Result<TokenStream, Failure> {
    let Ok(function) = syn::parse2::<Function>(item.clone()) else {
        diag.error(
            first_span(&item),
            format!(
                "`#[{}]` goes on a function with a body",
                subject.attribute()
            ),
        );
        return Err(Failure {
            item,
            errors: diag.finish(),
        });
    };
    let (item, signature) = function.read(subject, &mut diag);
    let model = model(signature, &mut diag);
    finish(item, model, diag, |item, model| {
        let registration = expand(model);
        quote!(#item #registration)
    })
}

/// `#[mcp_type(args)] item`.
pub(crate) fn types(args: TokenStream, item: TokenStream) -> Result<TokenStream, Failure> {
    let mut diag = Diagnostics::default();
    let attr = TypeAttr::parse(args, &mut diag);
    let ty = Type::new(&attr, item.clone(), &mut diag);
    let errors = diag.finish();
    let item = ty.map_or(item, |ty| {
        let (head, item) = (expand::types::head(&ty), &ty.item);
        quote!(#head #item)
    });
    if errors.is_empty() {
        Ok(item)
    } else {
        Err(Failure { item, errors })
    }
}

/// `#[derive(ElicitForm)] item`, whose item the compiler keeps.
pub(crate) fn form(item: TokenStream) -> Result<TokenStream, Failure> {
    let input = syn::parse2::<DeriveInput>(item).map_err(|error| Failure {
        item: TokenStream::new(),
        errors: vec![error],
    })?;
    let mut diag = Diagnostics::default();
    let attr = FormAttr::parse(&input.attrs, &mut diag);
    let substitute = expand::form::substitute(&attr, &input);
    let form = Form::new(&attr, input, &mut diag);
    finish(substitute, form, diag, |_, form| expand::form::form(form))
}

/// An item that could not be expanded.
#[derive(Debug)]
pub(crate) struct Failure {
    item: TokenStream,
    /// What was wrong, in the order in which it was found.
    pub(crate) errors: Vec<syn::Error>,
}

impl Failure {
    /// The item as it is, with its errors.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let Self { item, errors } = self;
        let errors = compile_errors(&errors);
        quote!(#item #errors)
    }
}

fn finish<M>(
    item: TokenStream,
    model: Option<M>,
    diag: Diagnostics,
    expand: impl FnOnce(&TokenStream, &M) -> TokenStream,
) -> Result<TokenStream, Failure> {
    let errors = diag.finish();
    match model {
        Some(model) if errors.is_empty() => Ok(expand(&item, &model)),
        _ => Err(Failure { item, errors }),
    }
}

/// The item's first token behind its attributes.
fn first_span(item: &TokenStream) -> Span {
    let mut tokens = item.clone().into_iter().peekable();
    while tokens.next_if(|token| token.to_string() == "#").is_some() {
        tokens.next();
    }
    tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}
