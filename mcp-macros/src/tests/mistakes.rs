use proc_macro2::TokenStream;
use quote::quote;

use crate::model::guard::Unit;
use crate::pipeline;

/// The sentences of all mistakes; the item comes back without our attributes.
fn mistakes(args: TokenStream, item: TokenStream) -> Vec<String> {
    let failure = pipeline::tool(args, item, &Unit::default()).expect_err("there are mistakes");
    let sentences = failure.errors.iter().map(ToString::to_string).collect();
    let tokens = failure.into_tokens().to_string();
    assert!(!tokens.contains("# [arg"), "{tokens}");
    assert!(tokens.contains("compile_error"), "{tokens}");
    assert!(!tokens.contains("__mcp"), "{tokens}");
    sentences
}

#[test]
fn all_mistakes_of_one_function_at_once() {
    let sentences = mistakes(
        quote!(
            name = "a b",
            timeout = "10",
            read_only,
            destructive,
            colour = 3
        ),
        quote! {
            /// Described.
            unsafe extern "C" fn f<T>(
                &self,
                (a, b): (i64, i64),
                #[arg(range(9..=1))] c: u8,
                #[arg(default = 200, range(1..=100))] d: u8,
                #[arg(rename = "c")] e: Vec<&str>,
                #[arg(rename = "c", header = "A B")] f: u8,
                #[cfg(windows)] g: impl Copy,
            ) -> impl Copy {
                1
            }
        },
    );
    let starts = [
        "unknown key `colour`",
        "`#[mcp_tool]` works on free functions",
        "a tool cannot be generic",
        "a model can call a tool with any arguments",
        "a tool is called from Rust",
        "tool parameters need a plain name; write `name: (i64, i64)`",
        "only a whole parameter can be borrowed",
        "`#[mcp_tool]` cannot see whether this parameter exists",
        "a tool has to name its types",
        "a tool has to name its result",
        "a tool that changes nothing destroys nothing",
        "a tool's name has 1 to 128 letters",
        "`10` is not a time that a call can take",
        "no number is in this `range`",
        "this default is outside its own `range`",
        "a header's name has",
        "two arguments are called `c`",
        "",
    ];
    for (sentence, start) in sentences.iter().zip(starts) {
        assert!(
            !start.is_empty() && sentence.starts_with(start),
            "{sentence}\n{start}"
        );
    }
    assert_eq!(sentences.len(), starts.len() - 1, "{sentences:#?}");
}

#[test]
fn variadic_functions_are_refused() {
    let item = quote! {
        /// Described.
        fn f(a: u8, ...) {}
    };
    assert_eq!(
        mistakes(quote!(), item),
        ["a tool names all of its parameters; take the rest as a `Vec<T>`"]
    );
}

#[test]
fn a_missing_icon_source_is_told_beside_other_mistakes() {
    let item = quote! {
        /// Described.
        fn f() {}
    };
    let sentences = mistakes(quote!(icons(icon(theme = "dark")), timeout = "1"), item);
    assert_eq!(sentences.len(), 2, "{sentences:#?}");
}

#[test]
fn a_missing_description_is_one_mistake() {
    let sentences = mistakes(
        quote!(),
        quote!(
            fn f() {}
        ),
    );
    assert_eq!(
        sentences,
        [
            "a model chooses a tool by its description, and `f` has none; write `/// What it does.` above the attribute"
        ]
    );
    let sentences = mistakes(
        quote!(descripton = "x"),
        quote!(
            fn f() {}
        ),
    );
    assert_eq!(
        sentences.len(),
        1,
        "a misspelt description is not a missing one: {sentences:?}"
    );
}

#[test]
fn items_that_are_no_functions_come_back() {
    let failure = pipeline::tool(
        quote!(),
        quote!(
            struct S;
        ),
        &Unit::default(),
    )
    .unwrap_err();
    assert_eq!(
        failure.errors[0].to_string(),
        "`#[mcp_tool]` goes on a function with a body"
    );
    assert!(failure.into_tokens().to_string().starts_with("struct S ;"));
}

#[test]
fn types_refuse_what_cannot_be_derived() {
    let sentences = |item| -> Vec<String> {
        let failure = pipeline::types(quote!(crat = x), item).unwrap_err();
        failure.errors.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        sentences(quote!(
            #[derive(Debug, serde::Serialize)]
            pub union U {
                a: u8,
            }
        )),
        [
            "unknown key `crat`; did you mean `crate`? keys: `crate`",
            "`#[mcp_type]` goes on a struct or an enum",
            "`#[mcp_type]` derives `Serialize` already; remove this one",
        ]
    );
}

#[test]
fn all_mistakes_of_one_form_at_once() {
    let failure = pipeline::form(quote! {
        #[form(colour = "red")]
        struct Person<'a, T> {
            #[form(range(9..=1), default)]
            age: u8,
            #[form(format = "mail", length(..))]
            name: &'a str,
            #[form(rename = "age", title = "")]
            other: T,
        }
    })
    .unwrap_err();
    let sentences: Vec<String> = failure.errors.iter().map(ToString::to_string).collect();
    let starts = [
        "unknown key `colour`",
        "a form owns its values",
        "a form has one schema",
        "`default` is written",
        "no number is in this `range`",
        "this bounds nothing",
        "a form has no format `mail`; did you mean `email`?",
        "two fields are called `age`",
        "`title` is empty",
    ];
    assert_eq!(sentences.len(), starts.len(), "{sentences:#?}");
    for (sentence, start) in sentences.iter().zip(starts) {
        assert!(sentence.starts_with(start), "{sentence}\n{start}");
    }
    let tokens = failure.into_tokens().to_string();
    assert!(
        !tokens.contains("struct"),
        "the compiler keeps the item: {tokens}"
    );
}

#[test]
fn a_refused_form_is_not_missed_elsewhere() {
    let tokens = |item| {
        let failure = pipeline::form(item).unwrap_err();
        assert_eq!(failure.errors.len(), 1);
        failure.into_tokens().to_string()
    };
    let form = tokens(quote!(
        struct Pair(u8, u8);
    ));
    assert!(form.contains("ElicitForm for Pair"), "{form}");
    let choice = tokens(quote!(
        #[form(crate = framework::mcp)]
        enum Nothing {}
    ));
    assert!(choice.contains("framework :: mcp :: __private"), "{choice}");
    assert!(choice.contains("FormChoice for Nothing"), "{choice}");
}

#[test]
fn what_is_no_type_is_no_form() {
    let failure = pipeline::form(quote!(
        fn f() {}
    ))
    .unwrap_err();
    assert_eq!(failure.errors.len(), 1);
}

#[test]
fn only_async_functions_are_tasks_and_of_three_kinds() {
    let item = quote! {
        /// Described.
        fn f() {}
    };
    assert_eq!(
        mistakes(quote!(task), item.clone()),
        [
            "a task has to be an `async fn`: it waits beside other calls and can be cancelled while it waits; \
             write `async fn` or remove `task`"
        ]
    );
    assert_eq!(
        mistakes(quote!(task = "always"), item),
        [
            "unknown kind of task `always`; write `task` (a task if the client can), `task = \"required\"` \
             (nothing but a task) or `task = \"deferred\"` (one from `ctx.into_task()` on)",
            "a task has to be an `async fn`: it waits beside other calls and can be cancelled while it waits; \
             write `async fn` or remove `task`",
        ]
    );
}
