//! The attributes of [`mcp-runtime`](https://docs.rs/mcp-runtime): a plain function becomes a tool that an AI model can call.
//!
//! They are used through `mcp_runtime::prelude`, and work in a crate that depends on `mcp-runtime` alone.

mod attr;
mod diag;
mod doc;
mod expand;
mod model;
mod paths;
mod pipeline;
mod signature;
mod subject;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

use crate::model::guard::Unit;

/// Serves a function as a tool.
///
/// The function stays what it is and can be called as before. Its doc comment is the description from which a model
/// chooses the tool, and the doc comments of its parameters describe the arguments.
///
/// ```standalone_crate
/// use mcp_runtime::prelude::*;
///
/// struct Catalogue(Vec<String>);
///
/// /// Search the catalogue.
/// #[mcp_tool(title = "Catalogue search", read_only, timeout = "10s")]
/// async fn search(
///     /// Words to look for.
///     query: &str,
///     /// How many hits to return.
///     #[arg(default = 10, range(1..=100))]
///     limit: usize,
///     catalogue: State<Catalogue>,
/// ) -> Result<Vec<String>, ToolError> {
///     Ok(catalogue.0.iter().filter(|title| title.contains(query)).take(limit).cloned().collect())
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let catalogue = Catalogue(vec!["red shoes".into(), "red hat".into()]);
/// let server = mcp_runtime::server!().state(catalogue).build()?;
/// let result = server.call_blocking("search", serde_json::json!({"query": "red", "limit": 1}));
/// assert_eq!(result.text(), r#"["red shoes"]"#);
/// # Ok(())
/// # }
/// ```
///
/// A parameter is an argument if its type implements `serde::Deserialize` and `schemars::JsonSchema`; `&T` is taken
/// from an owned value. `State<T>`, `&Context` and every other type that implements `FromContext` is made by the server.
/// An `Option<T>` may be left out.
///
/// # Where a function runs, and what it may do there
///
/// | | `inline` | `fn` | `async fn` |
/// |---|---|---|---|
/// | it runs | where its request was read | on a thread that may block | on the async runtime |
/// | `tokio::spawn`, `Handle::current()` | yes | yes | yes |
/// | `Handle::block_on` | no | yes | no, `.await` instead |
/// | a runtime of its own, as `reqwest::blocking` has | no | yes | no, only within `spawn_blocking` |
/// | sleep | no, it delays all other calls | `std::thread::sleep` | `tokio::time::sleep` |
/// | hold a lock over a wait | no | yes | a lock of `tokio::sync`; the guard of a `std` lock does not compile |
/// | `tokio::task::spawn_blocking` | yes, without a wait for its end | yes, with `Handle::block_on` | yes, with `.await` |
/// | panic | one failed call | one failed call | one failed call |
///
/// This holds for tools, prompts, resources and completion functions, over stdio and HTTP, in a router of your own, on the
/// command line, for calls in process, and for an `async fn` also in a task. What an `async fn` may not do panics in tokio,
/// which is one failed call. What an inline function may not do fails in the same way, or holds up other calls.
///
/// # Keys
///
/// | key | value | default | example |
/// |---|---|---|---|
/// | `name` | text of 1 to 128 of `A-Z a-z 0-9 _ - .` | the function's name | `name = "catalogue.search"` |
/// | `title` | text | the name in words | `title = "Catalogue search"` |
/// | `description` | text | the doc comment | `description = "Search the catalogue."` |
/// | `read_only` | nothing, `true` or `false` | not sent | `read_only` |
/// | `destructive` | nothing, `true` or `false` | not sent | `destructive = false` |
/// | `idempotent` | nothing, `true` or `false` | not sent | `idempotent` |
/// | `open_world` | nothing, `true` or `false` | not sent | `open_world = false` |
/// | `task` | nothing, `"required"` or `"deferred"` | no task | `task` |
/// | `icons` | icons with `src` (`https:` or `data:`), `mime_type`, `sizes`, `theme` | none | `icons(icon(src = "https://example.com/a.png", sizes = ["48x48"]))` |
/// | `meta` | `_meta` keys with JSON literals | none | `meta("com.example/team" = "search")` |
/// | `group` | text of `A-Z a-z 0-9 _ - .` | none | `group = "admin"` |
/// | `timeout` | number with `ms`, `s`, `m` or `h` | the server's | `timeout = "10s"` |
/// | `inline` | flag | a thread that may block | `inline`: a plain function that takes microseconds and never waits runs where its request was read |
/// | `crate` | path of `mcp_runtime` | `::mcp_runtime` | `crate = my_framework::mcp_runtime` |
///
/// # Keys of `#[arg(…)]` on a parameter
///
/// | key | value | meaning | example |
/// |---|---|---|---|
/// | `default` | nothing or an expression | the value of an absent argument; alone, the type's own default | `default = 10` |
/// | `range` | range of numbers | smallest and largest number | `range(1..=100)` |
/// | `length` | range or number | characters of a text, items of a list | `length(..=80)` |
/// | `pattern` | text | regular expression that the text has to match somewhere | `pattern = "^[a-z]+$"` |
/// | `format` | text | format of JSON Schema; `date-time`, `date`, `time`, `email`, `uri`, `uuid`, `ipv4` and `ipv6` are enforced, the others are shown and not enforced | `format = "date"` |
/// | `example`, `examples` | an expression; several | values for the model to see | `examples("red", "blue")` |
/// | `rename` | text of 1 to 64 of `A-Z a-z 0-9 _ - .` | the argument's name in JSON | `rename = "from"` |
/// | `description` | text | instead of the doc comment | `description = "Words to look for."` |
/// | `header` | text | HTTP header `Mcp-Param-…` that mirrors the argument | `header = "Region"` |
///
/// A text literal as a default or an example is converted by `From<&str>`; everything else has the parameter's type.
#[proc_macro_attribute]
pub fn mcp_tool(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::tool(args.into(), item.into(), &Unit::compiled_now())
        .unwrap_or_else(pipeline::Failure::into_tokens)
        .into()
}

/// Serves a function as a prompt: a template of messages that a person chooses, such as a command of a chat.
///
/// The function stays what it is and can be called as before. Its doc comment is the description that people see, and the
/// doc comments of its parameters describe the arguments.
///
/// ```standalone_crate
/// use mcp_runtime::prelude::*;
///
/// /// Summarise an order.
/// #[mcp_prompt(title = "Order summary")]
/// fn summarize_order(
///     /// The order's id.
///     id: u32,
///     /// How it should sound.
///     tone: Option<String>,
/// ) -> String {
///     format!("Summarise order {id} in a {} tone.", tone.as_deref().unwrap_or("friendly"))
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let result = server.get_prompt_blocking("summarize_order", serde_json::json!({"id": "7"}));
/// assert_eq!(result["messages"][0]["content"]["text"], "Summarise order 7 in a friendly tone.");
/// # Ok(())
/// # }
/// ```
///
/// A parameter is an argument if its type implements `std::str::FromStr` with an error that can be displayed; `&T` is
/// taken from an owned value. An `Option<T>` may be left out. `State<T>`, `&Context` and every other type that implements
/// `FromContext` is made by the server. What it may return is said at `IntoPromptResult`; the error of a `Result` fails the
/// request.
///
/// # Keys
///
/// | key | value | default | example |
/// |---|---|---|---|
/// | `name` | text of 1 to 128 of `A-Z a-z 0-9 _ - .` | the function's name | `name = "summarize-order"` |
/// | `title` | text | the name in words | `title = "Order summary"` |
/// | `description` | text | the doc comment | `description = "Summarise an order."` |
/// | `allow_unknown` | nothing, `true` or `false` | `false` | `allow_unknown` |
/// | `icons` | icons with `src` (`https:` or `data:`), `mime_type`, `sizes`, `theme` | none | `icons(icon(src = "https://example.com/a.png"))` |
/// | `meta` | `_meta` keys with JSON literals | none | `meta("com.example/team" = "orders")` |
/// | `group` | text of `A-Z a-z 0-9 _ - .` | none | `group = "admin"` |
/// | `timeout` | number with `ms`, `s`, `m` or `h` | the server's | `timeout = "10s"` |
/// | `inline` | flag | a thread that may block | `inline`: a plain function that takes microseconds and never waits runs where its request was read |
/// | `crate` | path of `mcp_runtime` | `::mcp_runtime` | `crate = my_framework::mcp_runtime` |
///
/// Arguments that the prompt does not know are refused unless `allow_unknown` is set.
///
/// # Keys of `#[arg(…)]` on a parameter
///
/// | key | value | meaning | example |
/// |---|---|---|---|
/// | `default` | nothing or an expression | the value of an absent argument; alone, the type's own default | `default = 10` |
/// | `rename` | text of 1 to 64 of `A-Z a-z 0-9 _ - .` | the argument's name | `rename = "from"` |
/// | `description` | text | instead of the doc comment | `description = "The order's id."` |
/// | `complete` | a function, or `(function, inline)` | completes what a person has typed so far, see `CompletionContext`; it runs as `async fn`, `fn` or `inline` says | `complete = ids`, `complete(ids, inline)` |
#[proc_macro_attribute]
pub fn mcp_prompt(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::prompt(args.into(), item.into(), &Unit::compiled_now())
        .unwrap_or_else(pipeline::Failure::into_tokens)
        .into()
}

/// Serves a function as a resource, or as a template of resources.
///
/// A resource is something that a host can read, such as a file or a record; its URI names it. A URI with variables in
/// braces is a template, and each variable fills the parameter of its name. The function stays what it is and can be called
/// as before; its doc comment is the description.
///
/// ```standalone_crate
/// use mcp_runtime::prelude::*;
///
/// /// The shop's opening hours.
/// #[mcp_resource("shop://hours", mime_type = "text/plain")]
/// fn hours() -> &'static str {
///     "9 to 5"
/// }
///
/// /// One order.
/// #[mcp_resource("orders://{id}")]
/// async fn order(id: u32) -> Result<Json<Vec<String>>, ResourceError> {
///     if id == 7 { Ok(Json(vec!["otter".into()])) } else { Err(ResourceError::not_found()) }
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let result = server.read_resource_blocking("orders://7");
/// assert_eq!(result["contents"][0]["text"], r#"["otter"]"#);
/// assert_eq!(server.read_resource_blocking("orders://8")["code"], -32602);
/// # Ok(())
/// # }
/// ```
///
/// A parameter is a variable's if its type implements `std::str::FromStr` with an error that can be displayed; `&T` is
/// taken from an owned value. `State<T>`, `&Context` and every other type that implements `FromContext` is made by the
/// server. What it may return is said at `IntoResourceResult`.
///
/// # Variables (RFC 6570)
///
/// | form | stands for |
/// |---|---|
/// | `{x}`, `{x,y}` | a value within a segment; values with a `,` between them |
/// | `{/x}`, `{.x}` | the same with `/` or `.` before it |
/// | `{x*}` | a value across slashes; a `Vec<T>` takes its parts between `,` |
/// | `{+x}`, `{#x}` | the rest of the URI; `#` stands before the second |
/// | `{?x,y}`, `{&x,y}` | `?x=…&y=…`, each of which may be missing if its type is an `Option` or it has a default |
///
/// Values are percent-decoded, once, and not empty. A `String` or a `PathBuf`, also within `Option` and `Vec`, does not take
/// `..` between separators, an absolute path or a NUL, however often they are encoded, unless `#[arg(raw)]` says so; other
/// types judge for themselves. Fixed URIs go before templates, and two templates that can match one URI are refused when the
/// server is built.
///
/// # Keys, after the URI
///
/// | key | value | default | example |
/// |---|---|---|---|
/// | `name` | text of 1 to 128 of `A-Z a-z 0-9 _ - .` | the function's name | `name = "order"` |
/// | `title` | text | the name in words | `title = "Order"` |
/// | `description` | text | the doc comment | `description = "One order."` |
/// | `mime_type` | MIME type | that of the result's type: `Json`, bytes | `mime_type = "text/markdown"` |
/// | `size` | bytes, before base64 | not sent | `size = 1024` |
/// | `annotations` | `audience`, `priority` (0.0 to 1.0), `last_modified` | none | `annotations(audience = ["user"], priority = 0.5)` |
/// | `ttl` | number with `ms`, `s`, `m` or `h`: how long clients may keep the contents | `0s` | `ttl = "5m"` |
/// | `cache` | `public` or `private`: who may keep them | `private` | `cache = "public"` |
/// | `icons` | icons with `src` (`https:` or `data:`), `mime_type`, `sizes`, `theme` | none | `icons(icon(src = "https://example.com/a.png"))` |
/// | `meta` | `_meta` keys with JSON literals | none | `meta("com.example/team" = "orders")` |
/// | `group` | text of `A-Z a-z 0-9 _ - .` | none | `group = "admin"` |
/// | `timeout` | number with `ms`, `s`, `m` or `h` | the server's | `timeout = "10s"` |
/// | `inline` | flag | a thread that may block | `inline`: a plain function that takes microseconds and never waits runs where its request was read |
/// | `crate` | path of `mcp_runtime` | `::mcp_runtime` | `crate = my_framework::mcp_runtime` |
///
/// # Keys of `#[arg(…)]` on a parameter
///
/// | key | value | meaning | example |
/// |---|---|---|---|
/// | `default` | nothing or an expression | the value of an absent `{?x}`; alone, the type's own default | `default = 10` |
/// | `rename` | text | the variable's name | `rename = "from"` |
/// | `raw` | nothing, `true` or `false` | paths out of the tree are taken too | `raw` |
/// | `complete` | a function, or `(function, inline)` | completes what a person has typed so far, see `CompletionContext`; it runs as `async fn`, `fn` or `inline` says | `complete = ids`, `complete(ids, inline)` |
#[proc_macro_attribute]
pub fn mcp_resource(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::resource(args.into(), item.into(), &Unit::compiled_now())
        .unwrap_or_else(pipeline::Failure::into_tokens)
        .into()
}

/// Makes a struct or an enum an argument or a result of tools.
///
/// It derives `serde::Serialize`, `serde::Deserialize` and `schemars::JsonSchema`, which need not be dependencies of your
/// crate. Doc comments of fields and variants become descriptions, and the `#[serde(…)]` attributes work, all but `alias`: the
/// schema shows a field by its name alone, so what a client sends under another is refused as unknown.
///
/// ```standalone_crate
/// use mcp_runtime::prelude::*;
///
/// /// A place on a map.
/// #[mcp_type]
/// #[derive(Clone, Debug)]
/// struct Place {
///     /// Degrees north of the equator.
///     latitude: f64,
///     /// Degrees east of Greenwich.
///     longitude: f64,
/// }
///
/// /// Go to the other end of the world.
/// #[mcp_tool]
/// fn antipode(place: Place) -> Place {
///     Place { latitude: -place.latitude, longitude: place.longitude - 180.0 }
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let result = server.call_blocking("antipode", serde_json::json!({"place": {"latitude": 10, "longitude": 20}}));
/// assert_eq!(result.text(), r#"{"latitude":-10.0,"longitude":-160.0}"#);
/// # Ok(())
/// # }
/// ```
///
/// # Keys
///
/// | key | value | default | example |
/// |---|---|---|---|
/// | `crate` | path of `mcp_runtime` | `::mcp_runtime` | `crate = my_framework::mcp_runtime` |
#[proc_macro_attribute]
pub fn mcp_type(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::types(args.into(), item.into())
        .unwrap_or_else(pipeline::Failure::into_tokens)
        .into()
}

/// Makes a form of a struct, or of an enum a choice that forms can have.
///
/// A form is what a person fills in when a function asks in the middle of a call. The struct needs no other derive: the schema
/// that the client shows and the decoder of what it sends back are made of one description, so serde and its attributes have
/// no say. Doc comments of fields are their descriptions.
///
/// ```standalone_crate
/// use mcp_runtime::prelude::*;
///
/// #[derive(ElicitForm)]
/// enum Delivery {
///     Post,
///     /// On a bicycle, in the city only.
///     #[form(rename = "bike")]
///     Bicycle,
/// }
///
/// #[derive(ElicitForm)]
/// struct Address {
///     /// As it stands on the door.
///     #[form(length(1..=80))]
///     name: String,
///     #[form(format = "email", title = "Where the bill goes")]
///     email: Option<String>,
///     #[form(range(1..=20), default = 1)]
///     parcels: u8,
///     #[form(default = Delivery::Post)]
///     delivery: Delivery,
/// }
///
/// let answer = serde_json::value::RawValue::from_string(r#"{"name": "Ada", "delivery": "bike"}"#.into())?;
/// let address = Address::from_content(&answer).map_err(|faults| faults[0].to_string())?;
/// assert_eq!((address.name.as_str(), address.parcels), ("Ada", 1));
/// assert!(matches!(address.delivery, Delivery::Bicycle));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | type of a field | what the client shows |
/// |---|---|
/// | `String`, `Box<str>`, `Arc<str>`, `Cow<'static, str>` | a line of text |
/// | `char` | a text of one character |
/// | integers of up to 64 bits | an integer between the bounds of the type |
/// | `f32`, `f64` | a number |
/// | `bool` | a box to tick |
/// | an enum without data that derives `ElicitForm` | a choice of one variant |
/// | `Vec` of such an enum | a choice of several |
/// | `Option` of any of these | the same, and it may be left out |
///
/// Everything else, nested structs and lists of free texts among it, is what the protocol's forms cannot have, and the compiler
/// refuses it. A struct without fields, `struct Consent {}`, only asks whether the person agrees. Do not ask for passwords,
/// keys or payment data in a form: the protocol forbids it.
///
/// # Keys of `#[form(…)]` on a field
///
/// | key | value | meaning | example |
/// |---|---|---|---|
/// | `title` | text | what the client shows; the name in words unless given | `title = "Your age"` |
/// | `description` | text | instead of the doc comment | `description = "In years."` |
/// | `default` | a constant expression | what the client shows at first, and the value of a field that is left out | `default = 18` |
/// | `range` | range of numbers | smallest and largest number | `range(18..=130)` |
/// | `length` | range or number | characters of a text | `length(1..=80)` |
/// | `items` | range or number | how many values of a list | `items(1..=3)` |
/// | `format` | `email`, `uri`, `date` or `date-time` | what a text is; answers are held against it | `format = "email"` |
/// | `rename` | text of 1 to 64 of `A-Z a-z 0-9 _ - .` | the name in JSON | `rename = "from"` |
///
/// A default of a text is a text literal or a `&'static str`, that of a list an array, as in
/// `default = [Colour::Red, Colour::Blue]`. The compiler holds it against the field's own bounds and format.
///
/// # Keys of `#[form(…)]` on a variant
///
/// | key | value | meaning | example |
/// |---|---|---|---|
/// | `title` | text | what the client shows; the first paragraph of the doc comment unless given | `title = "Next day"` |
/// | `rename` | text | the value in JSON; the variant's name unless given | `rename = "next-day"` |
///
/// If one variant has a title, those without show their name in words; if none has, the client shows the values.
///
/// # Key of `#[form(…)]` on the type
///
/// | key | value | default | example |
/// |---|---|---|---|
/// | `crate` | path of `mcp_runtime` | `::mcp_runtime` | `crate = my_framework::mcp_runtime` |
#[proc_macro_derive(ElicitForm, attributes(form))]
pub fn elicit_form(item: TokenStream) -> TokenStream {
    pipeline::form(item.into())
        .unwrap_or_else(pipeline::Failure::into_tokens)
        .into()
}
