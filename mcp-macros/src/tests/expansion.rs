use std::path::PathBuf;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::guard::Unit;
use crate::pipeline;

/// Compares an expansion with `golden/<name>.rs`.
fn golden(name: &str, expansion: Result<TokenStream, pipeline::Failure>) {
    let tokens = expansion.unwrap_or_else(|failure| panic!("{:?}", failure.errors));
    let file = syn::parse2(tokens).expect("the expansion is a list of items");
    let actual = prettyplease::unparse(&file);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("src/tests/golden")
        .join(name)
        .with_extension("rs");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &actual).expect("the golden files can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("a golden file for each test");
    assert!(
        expected == actual,
        "{} has changed:\n{actual}",
        path.display()
    );
}

fn tool(args: TokenStream, item: TokenStream) -> Result<TokenStream, pipeline::Failure> {
    pipeline::tool(args, item, &Unit::named("shop 0.1.0"))
}

#[test]
fn plain_function() {
    let item = quote! {
        /// Add two integers.
        fn add(
            /// First addend.
            a: i64,
            /// Second addend.
            b: i64,
        ) -> i64 {
            a + b
        }
    };
    golden("plain_function", tool(quote!(read_only), item));
}

#[test]
fn async_function_with_keys_of_every_kind() {
    let args = quote! {
        name = "catalogue.search", title = "Catalogue search", timeout = "10s", read_only, open_world = false, task = "required",
        group = "public", meta("com.example/team" = {"name": "search"}),
        icons(icon(src = "https://example.com/a.png", mime_type = "image/png", sizes = ["48x48"], theme = "light")),
    };
    let item = quote! {
        /// Search the catalogue.
        ///
        /// All words have to match.
        #[tracing::instrument]
        pub(crate) async fn search(
            /** Words. */
            #[arg(length(1..=80), pattern = "^[a-z ]+$", examples("red shoes", "hat"))]
            query: &str,
            /// Hits.
            #[arg(default = 10, range(1..=100))]
            limit: u32,
            #[arg(header = "Region", format = "uuid")] region: Option<String>,
            #[arg(range(0.0..), rename = "minScore", default)] min_score: f64,
            #[allow(unused)] r#type: Kind,
            #[arg(default = "new", description = "Sort order.")] order: Order,
            catalogue: State<Catalogue>,
            ctx: &Context,
        ) -> Result<Vec<Hit>, SearchError> {
            unreachable!()
        }
    };
    golden("async_function", tool(args, item));
}

#[test]
fn function_without_parameters_or_result() {
    let item = quote! {
        /// Do nothing.
        #[deprecated]
        pub fn r#try() {}
    };
    golden("no_parameters", tool(quote!(crate = framework::mcp), item));
}

#[test]
fn prompt() {
    let item = quote! {
        /// Summarise an order.
        fn summarize(
            /// The order's id.
            id: &str,
            #[arg(complete = tones, default)] tone: String,
            #[arg(complete(cities, inline))] city: Option<String>,
            shop: State<Shop>,
        ) -> Vec<PromptMessage> {
            unreachable!()
        }
    };
    let args = quote!(name = "summarize-order", allow_unknown);
    golden(
        "prompt",
        pipeline::prompt(args, item, &Unit::named("shop 0.1.0")),
    );
}

#[test]
fn resource() {
    let item = quote! {
        /// A line of an order.
        async fn line(id: OrderId, #[arg(raw)] path: PathBuf, words: Option<String>) -> Result<Json<Line>, ResourceError> {
            unreachable!()
        }
    };
    let args = quote! {
        "orders://{id}/lines/{path*}{?words}", mime_type = "application/json", ttl = "5m", cache = "public",
        annotations(audience = ["user"], priority = 0.5),
    };
    golden(
        "resource",
        pipeline::resource(args, item, &Unit::named("shop 0.1.0")),
    );
}

#[test]
fn derived_type() {
    let item = quote! {
        /// A place.
        #[derive(Debug)]
        pub struct Place {
            /// North.
            latitude: f64,
        }
    };
    golden("derived_type", pipeline::types(quote!(), item));
}

#[test]
fn form() {
    let item = quote! {
        /// What a shop asks.
        #[derive(ElicitForm)]
        pub struct Order {
            /// Your name.
            #[form(length(1..=40))]
            pub name: String,
            #[form(format = "email", title = "Bill to")]
            email: Option<Box<str>>,
            #[form(range(1..10), default = 1)]
            r#type: u8,
            #[form(items(..=2), default = [Delivery::Post], rename = "ways")]
            deliveries: Vec<Delivery>,
        }
    };
    golden("form", pipeline::form(item));
}

#[test]
fn form_without_fields() {
    let item = quote! {
        #[deprecated]
        #[form(crate = framework::mcp)]
        struct Consent {}
    };
    golden("consent", pipeline::form(item));
}

#[test]
fn choice() {
    let item = quote! {
        enum Delivery {
            Post,
            /// On a bicycle.
            #[form(rename = "bike")]
            Bicycle = 7,
        }
    };
    golden("choice", pipeline::form(item));
}
