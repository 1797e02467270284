//! The annotated function: what of it is ours to remove, and the signature that generated code can call.
//!
//! Refuses the shapes that generated code cannot call. Types are taken as tokens: what they mean is for the compiler.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Pat, PatTupleStruct, Path, PathArguments,
    ReturnType, Safety, Type, TypeReference, Visibility,
};

use crate::attr::elsewhere;
use crate::attr::param::{ARG, ArgAttr};
use crate::diag::Diagnostics;
use crate::doc::Doc;
use crate::subject::Subject;

/// A function item whose body is left unread: it is the user's.
pub(crate) struct Function {
    attrs: Vec<Attribute>,
    vis: Visibility,
    sig: syn::Signature,
    body: TokenTree,
}

/// What the model needs to know of the function.
pub(crate) struct Signature {
    pub(crate) name: Ident,
    pub(crate) is_async: bool,
    pub(crate) doc: Doc,
    pub(crate) params: Vec<Param>,
    /// `None` where the function has no `->`.
    pub(crate) output: Option<Type>,
    /// The function's own attributes or lint levels speak of deprecation, so ours must allow it.
    pub(crate) mentions_deprecation: bool,
}

/// One parameter.
pub(crate) struct Param {
    pub(crate) name: Ident,
    /// The type that is owned: for `&T` it stands behind `<T as Borrowed>::Owned`.
    pub(crate) ty: Type,
    /// The parameter is written `&T`.
    pub(crate) is_lent: bool,
    pub(crate) doc: Doc,
    pub(crate) arg: ArgAttr,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let sig = input.parse()?;
        let body = input.parse()?;
        Ok(Self {
            attrs,
            vis,
            sig,
            body,
        })
    }
}

impl Function {
    /// Takes our attributes and the doc comments off the parameters, and reads them with the signature.
    ///
    /// What is left is the function as the compiler is to see it, whatever was wrong with it.
    pub(crate) fn read(
        mut self,
        subject: Subject,
        diag: &mut Diagnostics,
    ) -> (TokenStream, Signature) {
        let attribute = subject.attribute();
        self.attrs.retain(|attr| {
            let is_repeated = attr
                .path()
                .segments
                .last()
                .is_some_and(|last| last.ident == attribute);
            if is_repeated {
                diag.error(
                    attr.path().span(),
                    format!("`#[{attribute}]` is set twice; remove this one"),
                );
            }
            !is_repeated
        });
        self.refuse_shapes(subject, diag);
        let lifetimes = self.lifetimes();
        let params = self
            .sig
            .inputs
            .iter_mut()
            .filter_map(|input| param(input, &lifetimes, subject, diag))
            .collect();
        let output = match &self.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        };
        if let Some(ty) = &output {
            refuse_output(ty, subject, diag);
        }
        let signature = Signature {
            name: self.sig.ident.clone(),
            is_async: self.sig.asyncness.is_some(),
            doc: Doc::read(&self.attrs),
            params,
            output,
            mentions_deprecation: self.attrs.iter().any(mentions_deprecation),
        };
        let Self {
            attrs,
            vis,
            sig,
            body,
        } = self;
        (quote!(#(#attrs)* #vis #sig #body), signature)
    }

    /// The lifetimes that the function is generic over, if it is over nothing else.
    fn lifetimes(&self) -> Vec<Ident> {
        let params = &self.sig.generics.params;
        let lifetimes = params.iter().map_while(|param| match param {
            GenericParam::Lifetime(param) => Some(param.lifetime.ident.clone()),
            _ => None,
        });
        let lifetimes: Vec<Ident> = lifetimes.collect();
        if lifetimes.len() == params.len() {
            lifetimes
        } else {
            Vec::new()
        }
    }

    fn refuse_shapes(&self, subject: Subject, diag: &mut Diagnostics) {
        let sig = &self.sig;
        let (attribute, noun) = (subject.attribute(), subject.noun());
        if let Some(receiver) = sig.receiver() {
            diag.error(
                receiver.self_token.span,
                format!(
                    "`#[{attribute}]` works on free functions; move `{}` out of the impl block and take the state as \
                     `State<T>`",
                    sig.ident
                ),
            );
        }
        if !self.lifetimes().is_empty() {
            diag.error_over(&sig.generics.params, lifetimes_sentence(sig));
        } else if !sig.generics.params.is_empty() {
            diag.error_over(&sig.generics.params,
                format!("a {noun} cannot be generic, since nobody chooses its types; write one function for each type"),
            );
        } else if let Some(clause) = &sig.generics.where_clause {
            diag.error(
                clause.where_token.span,
                format!("a {noun} has no generic types to bound; remove the `where` clause"),
            );
        }
        if let Safety::Unsafe(keyword) = &sig.safety {
            diag.error(
                keyword.span,
                format!(
                    "a {} can call a {noun} with any arguments, so it has to be safe; remove `unsafe` and check them in the body",
                    subject.caller()
                ),
            );
        }
        if let Some(abi) = &sig.abi {
            diag.error(
                abi.extern_token.span,
                format!("a {noun} is called from Rust; remove the `extern` ABI"),
            );
        }
        if let Some(variadic) = &sig.variadic {
            diag.error_over(
                variadic,
                format!("a {noun} names all of its parameters; take the rest as a `Vec<T>`"),
            );
        }
    }
}

/// What to write instead of lifetimes of the function's own, with the first parameter that has one.
fn lifetimes_sentence(sig: &syn::Signature) -> String {
    let generics = spelled(&sig.generics.params);
    let example = sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) => match &*typed.ty {
            Type::Reference(reference) if reference.lifetime.is_some() => Some(reference),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let fix = example.map_or_else(String::new, |reference| {
        let elided = Type::Reference(TypeReference {
            lifetime: None,
            ..reference.clone()
        });
        format!(" and write `{}`", spelled(&elided))
    });
    format!(
        "an argument lives as long as the call, which needs no name; remove `<{generics}>`{fix}"
    )
}

/// `lifetimes` are those that have been refused already.
fn param(
    input: &mut FnArg,
    lifetimes: &[Ident],
    subject: Subject,
    diag: &mut Diagnostics,
) -> Option<Param> {
    let FnArg::Typed(typed) = input else {
        return None;
    };
    let doc = Doc::read(&typed.attrs);
    let arg = ArgAttr::parse(&typed.attrs, diag);
    let is_foreign =
        |attr: &Attribute| attr.path().is_ident("serde") || attr.path().is_ident("schemars");
    for attr in typed.attrs.iter().filter(|attr| is_foreign(attr)) {
        diag.error(
            attr.path().span(),
            format!(
                "a parameter is no field of a type; {}",
                elsewhere::on_parameter(attr)
            ),
        );
    }
    typed.attrs.retain(|attr| {
        !attr.path().is_ident("doc") && !attr.path().is_ident(ARG) && !is_foreign(attr)
    });
    for attr in &typed.attrs {
        if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            diag.error(
                attr.path().span(),
                format!(
                    "`#[{}]` cannot see whether this parameter exists; put the condition on the function and \
                     write it twice",
                    subject.attribute()
                ),
            );
        }
    }
    let name = plain_name(&typed.pat);
    if name.is_none() {
        diag.error_over(&typed.pat, pattern_sentence(&typed.pat, &typed.ty, subject));
    }
    let (ty, is_lent) = refuse_borrows(&typed.ty, lifetimes, subject, diag)?;
    Some(Param {
        name: name?,
        ty,
        is_lent,
        doc,
        arg,
    })
}

/// The name of a pattern that is only a name; `mut` is the body's business.
fn plain_name(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        _ => None,
    }
}

fn pattern_sentence(pat: &Pat, whole: &Type, subject: Subject) -> String {
    let ty = spelled(whole);
    match pat {
        Pat::Wild(_) => format!(
            "an argument has a name that the {} sees; write `_unused: {ty}` or remove it",
            subject.caller()
        ),
        Pat::TupleStruct(wrapper) if is_called(&wrapper.path, "State") => format!(
            "a state is not taken apart; write `{}: {ty}`, which dereferences to the value",
            first_name(wrapper)
        ),
        Pat::TupleStruct(wrapper) if is_called(&wrapper.path, "Json") => {
            let ty = inner(whole, "Json").map_or(ty, spelled);
            format!(
                "arguments need no wrapper; write `{}: {ty}`",
                first_name(wrapper)
            )
        }
        _ => format!(
            "{} parameters need a plain name; write `name: {ty}` and destructure it in the body",
            subject.noun()
        ),
    }
}

/// Whether the last word of `path` is `name`.
pub(crate) fn is_called(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// The name in a pattern such as `State(db)`.
fn first_name(wrapper: &PatTupleStruct) -> String {
    let name = wrapper.elems.first().and_then(plain_name);
    name.map_or_else(|| "name".to_owned(), |name| name.to_string())
}

/// The `T` of a type that is spelled `name<T>`.
pub(crate) fn inner<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path
        .path
        .segments
        .last()
        .filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
        _ => None,
    }
}

/// Splits `&T`, and refuses what an argument, which is owned for the time of the call, cannot be.
fn refuse_borrows(
    ty: &Type,
    lifetimes: &[Ident],
    subject: Subject,
    diag: &mut Diagnostics,
) -> Option<(Type, bool)> {
    let mut whole = ty;
    while let Type::Group(group) = whole {
        whole = &group.elem;
    }
    let Type::Reference(reference) = whole else {
        return refuse_inside(whole, subject, diag).then(|| (whole.clone(), false));
    };
    let lent = &*reference.elem;
    if let Some(lifetime) = &reference.lifetime
        && !lifetimes.contains(&lifetime.ident)
    {
        diag.error(
            lifetime.span(),
            format!(
                "an argument lives as long as the call; write `&{}`",
                spelled(lent)
            ),
        );
        return None;
    }
    if let Some(mutability) = &reference.mutability {
        diag.error(
            mutability.span,
            format!(
                "an argument belongs to the function; write `mut name: {}`",
                spelled(lent)
            ),
        );
        return None;
    }
    refuse_inside(lent, subject, diag).then(|| (lent.clone(), true))
}

/// Refuses `impl Trait`, lifetimes and references anywhere in `ty`; false if there was one.
fn refuse_inside(ty: &Type, subject: Subject, diag: &mut Diagnostics) -> bool {
    let Some((span, token)) = find(ty.to_token_stream(), &["impl", "'", "&"]) else {
        return true;
    };
    let sentence = match token {
        "impl" => format!(
            "a {} has to name its types; write the type instead of `impl Trait`",
            subject.noun()
        ),
        "'" => "an argument owns what it holds; write a type without a lifetime".to_owned(),
        _ => "only a whole parameter can be borrowed; write an owned type, such as `Vec<String>` for `Vec<&str>`"
            .to_owned(),
    };
    diag.error(span, sentence);
    false
}

fn refuse_output(ty: &Type, subject: Subject, diag: &mut Diagnostics) {
    let noun = subject.noun();
    if let Type::Never(never) = ty {
        diag.error(
            never.span(),
            format!("a {noun} has to answer; write the type of its result"),
        );
    } else if let Some((span, _)) = find(ty.to_token_stream(), &["impl"]) {
        diag.error(
            span,
            format!(
                "a {noun} has to name its result; write the type instead of `impl Trait`, and `async fn` for a future"
            ),
        );
    }
}

/// The first of `wanted` among the tokens, in groups as well.
pub(crate) fn find(tokens: TokenStream, wanted: &[&'static str]) -> Option<(Span, &'static str)> {
    tokens.into_iter().find_map(|token| {
        if let TokenTree::Group(group) = &token {
            return find(group.stream(), wanted);
        }
        let text = token.to_string();
        wanted
            .iter()
            .find(|wanted| **wanted == text)
            .map(|wanted| (token.span(), *wanted))
    })
}

/// A type as a user would write it.
pub(crate) fn spelled(ty: &impl ToTokens) -> String {
    let spaced = ty.to_token_stream().to_string();
    let mut text = String::with_capacity(spaced.len());
    for word in spaced.split(' ') {
        // Rust's printer puts a blank around every token.
        let joins = text.is_empty()
            || text.ends_with(['<', '(', '[', '&', ':'])
            || word.starts_with(['>', ')', ']', ',', ':', '<', ';']);
        if !joins {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn mentions_deprecation(attr: &Attribute) -> bool {
    attr.path().is_ident("deprecated")
        || ((attr.path().is_ident("allow") || attr.path().is_ident("expect"))
            && find(attr.meta.to_token_stream(), &["deprecated"]).is_some())
}
