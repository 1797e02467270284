//! `completion/complete`: functions of all shapes, types that complete by themselves, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "a test ends where something is not as it should be, and prompts take what clients send"
)]

use std::str::FromStr;

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

struct Shop(&'static str);

fn tones(value: &str) -> Vec<&'static str> {
    let tones = ["terse", "warm", "tense"].into_iter();
    tones.filter(|tone| tone.starts_with(value)).collect()
}

fn cities(value: &str, completing: &CompletionContext) -> Vec<String> {
    let country = completing.argument("country").unwrap_or("nowhere");
    let shop = completing.state::<Shop>().unwrap();
    vec![format!("{value} {country} {}", shop.0)]
}

async fn later(value: &str) -> Result<Vec<String>, String> {
    std::future::ready(()).await;
    if value == "bad" {
        return Err("none of that".to_owned());
    }
    Ok(vec![value.to_owned()])
}

async fn later_with_others(_: &str, completing: &CompletionContext) -> [String; 1] {
    let mut polled = false;
    std::future::poll_fn(|context| {
        if polled {
            return std::task::Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
    [format!("{:?}", completing.argument("country"))]
}

fn own(value: &str, completing: &CompletionContext) -> [String; 1] {
    let country = completing.argument("country").unwrap_or("nowhere");
    [format!(
        "{value} {:?} {country}",
        completing.argument("own")
    )]
}

fn many(_: &str) -> Vec<String> {
    (0..250).map(|number| number.to_string()).collect()
}

fn some_of_many(_: &str) -> Completion {
    Completion::new(["a", "b"]).total(9)
}

mod elsewhere {
    pub(super) fn panics(_: &str) -> Vec<String> {
        panic!("a secret")
    }
}

/// How loud it is.
#[mcp_type]
#[derive(Debug)]
#[serde(rename_all = "kebab-case")]
enum Volume {
    /// Not loud.
    Quiet,
    VeryLoud,
    /// Is listed, and not parsed.
    Unheard,
}

impl FromStr for Volume {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "quiet" => Ok(Self::Quiet),
            "very-loud" => Ok(Self::VeryLoud),
            _ => Err(format!("`{text}` is no volume")),
        }
    }
}

/// Say something.
#[mcp_prompt]
fn say(
    #[arg(complete = tones)] tone: String,
    #[arg(complete = cities)] city: Option<String>,
    #[arg(complete = later, rename = "name")] who: Option<String>,
    #[arg(complete = later_with_others)] other: Option<String>,
    #[arg(complete = own)] own: Option<String>,
    #[arg(complete = many)] number: Option<u8>,
    #[arg(complete = some_of_many)] few: Option<String>,
    #[arg(complete = elsewhere::panics)] bad: Option<String>,
    volume: Option<Volume>,
    loudness: Volume,
    plain: Option<String>,
    shop: State<Shop>,
) -> String {
    let _ = shop;
    format!(
        "{tone}{city:?}{who:?}{other:?}{own:?}{number:?}{few:?}{bad:?}{volume:?}{loudness:?}{plain:?}"
    )
}

/// A shelf.
#[mcp_resource("shop://{tone}/{row}{?volume}")]
fn shelf(#[arg(complete = tones)] tone: String, row: u8, volume: Option<Volume>) -> String {
    format!("{tone}{row}{volume:?}")
}

/// Nothing that completes.
#[mcp_prompt(group = "plain")]
fn plain(text: String) -> String {
    text
}

fn server() -> Server {
    mcp_runtime::server!()
        .state(Shop("otters"))
        .build()
        .unwrap()
}

fn ask(server: &Server, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": params});
    server.handle_request(&request).unwrap()
}

fn of_prompt(name: &str, value: &str) -> Value {
    ask(
        &server(),
        json!({
            "ref": {"type": "ref/prompt", "name": "say"},
            "argument": {"name": name, "value": value},
            "context": {"arguments": {"country": "fr"}},
        }),
    )
}

fn completion(answer: &Value) -> Value {
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"]["completion"].clone()
}

#[test]
fn functions_of_all_shapes_complete() {
    for (name, value, expected) in [
        (
            "tone",
            "te",
            json!({"values": ["terse", "tense"], "total": 2, "hasMore": false}),
        ),
        (
            "tone",
            "x",
            json!({"values": [], "total": 0, "hasMore": false}),
        ),
        (
            "city",
            "P",
            json!({"values": ["P fr otters"], "total": 1, "hasMore": false}),
        ),
        (
            "name",
            "ada",
            json!({"values": ["ada"], "total": 1, "hasMore": false}),
        ),
        (
            "other",
            "",
            json!({"values": ["Some(\"fr\")"], "total": 1, "hasMore": false}),
        ),
        (
            "few",
            "",
            json!({"values": ["a", "b"], "total": 9, "hasMore": true}),
        ),
        (
            "plain",
            "x",
            json!({"values": [], "total": 0, "hasMore": false}),
        ),
    ] {
        assert_eq!(completion(&of_prompt(name, value)), expected, "{name}");
    }
}

#[test]
fn functions_get_what_was_typed_and_the_other_arguments_alone() {
    let asked = |name: &str, value: &str, others: Value| {
        completion(&ask(
            &server(),
            json!({
                "ref": {"type": "ref/prompt", "name": "say"},
                "argument": {"name": name, "value": value},
                "context": {"arguments": others},
            }),
        ))["values"]
            .clone()
    };
    for value in ["", "Lu", "\u{e9}\"\\"] {
        let expected = json!([format!("{value} lu otters")]);
        assert_eq!(asked("city", value, json!({"country": "lu"})), expected);
        assert_eq!(asked("name", value, json!({})), json!([value]));
    }
    // The argument that is completed is none of the others.
    let same = json!({"own": "an earlier value", "country": "fr"});
    assert_eq!(asked("own", "typed", same), json!(["typed None fr"]));
}

#[test]
fn a_hundred_values_are_sent_at_most() {
    let found = completion(&of_prompt("number", ""));
    assert_eq!(found["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&found["total"], &found["hasMore"]),
        (&json!(250), &json!(true))
    );
}

#[test]
fn enums_complete_by_themselves_with_what_they_parse() {
    for name in ["volume", "loudness"] {
        assert_eq!(
            completion(&of_prompt(name, ""))["values"],
            json!(["quiet", "very-loud"])
        );
        assert_eq!(
            completion(&of_prompt(name, "VE"))["values"],
            json!(["very-loud"])
        );
    }
}

#[test]
fn templates_are_meant_by_themselves_or_by_one_of_their_uris() {
    for uri in ["shop://{tone}/{row}{?volume}", "shop://warm/1"] {
        let asked = |name: &str, value: &str| {
            completion(&ask(
                &server(),
                json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": name, "value": value}}),
            ))["values"]
                .clone()
        };
        assert_eq!(asked("tone", "w"), json!(["warm"]));
        assert_eq!(asked("volume", "q"), json!(["quiet"]));
        assert_eq!(asked("row", "1"), json!([]));
    }
}

#[test]
fn failures_are_errors_of_the_request() {
    let error = |answer: Value| answer["error"].clone();
    let failed = error(of_prompt("name", "bad"));
    assert_eq!(
        (&failed["code"], &failed["message"]),
        (&json!(-32603), &json!("none of that"))
    );
    let panicked = error(of_prompt("bad", ""));
    assert_eq!(
        (&panicked["code"], &panicked["message"]),
        (&json!(-32603), &json!("the completion failed"))
    );
    assert_eq!(error(of_prompt("shop", ""))["code"], -32602);
    let argument = json!({"name": "tone", "value": ""});
    for params in [
        json!({"argument": argument}),
        json!({"ref": {"type": "ref/prompt", "name": "say"}}),
        json!({"ref": {"type": "ref/prompt", "name": "nobody"}, "argument": argument}),
        json!({"ref": {"type": "ref/prompt"}, "argument": argument}),
        json!({"ref": {"type": "ref/other", "name": "say"}, "argument": argument}),
        json!({"ref": "say", "argument": argument}),
        json!({"ref": {"type": "ref/resource", "uri": "no://where"}, "argument": argument}),
        json!({"ref": {"type": "ref/prompt", "name": "say"}, "argument": {"name": "tone", "value": 1}}),
        json!({"ref": {"type": "ref/prompt", "name": "say"}, "argument": argument, "context": {"arguments": []}}),
    ] {
        assert_eq!(
            error(ask(&server(), params.clone()))["code"],
            -32602,
            "{params}"
        );
    }
}

#[test]
fn the_capability_is_there_if_something_completes() {
    let capabilities = |server: &Server| {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }}});
        server.handle_request(&request).unwrap()["result"]["capabilities"].clone()
    };
    assert_eq!(capabilities(&server())["completions"], json!({}));
    let plain = mcp_runtime::server!().groups(["plain"]).build().unwrap();
    assert!(capabilities(&plain).get("completions").is_none());
    let argument = json!({"name": "text", "value": ""});
    let answer = ask(
        &plain,
        json!({"ref": {"type": "ref/prompt", "name": "plain"}, "argument": argument}),
    );
    assert_eq!(answer["error"]["code"], -32601);
}
