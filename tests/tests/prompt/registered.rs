//! Prompts that are registered at run time, before and while the server runs.

use std::collections::BTreeMap;

use mcp_runtime::prelude::*;
use mcp_runtime::{RegisterError, prompt::PromptArgument};
use serde_json::{Value, json};

use super::{ask, bare};

type Arguments = BTreeMap<String, String>;

fn arguments() -> [PromptArgument; 2] {
    [
        PromptArgument::required("text", "What to review."),
        PromptArgument::optional("tone", ""),
    ]
}

fn review(arguments: Arguments) -> Result<String, ToolError> {
    let tone = arguments.get("tone").map_or("kind", String::as_str);
    Ok(format!("Be {tone}: {}", arguments["text"]))
}

fn get(server: &Server, name: &str, arguments: &Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    ask(server, "prompts/get", params)
}

fn text(answer: &Value) -> &str {
    let text = &answer["result"]["messages"][0]["content"]["text"];
    text.as_str().unwrap_or_else(|| panic!("{answer}"))
}

fn refusal(answer: &Value) -> &str {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    answer["error"]["message"].as_str().unwrap()
}

fn names(server: &Server) -> Vec<String> {
    let answer = ask(server, "prompts/list", json!({}));
    let prompts = answer["result"]["prompts"].as_array().unwrap();
    let names = prompts.iter().map(|prompt| prompt["name"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

#[test]
fn of_many_faults_some_are_told() {
    let server = bare();
    let many = (0..50).map(|number| PromptArgument::required(format!("a{number:02}"), ""));
    server
        .register_prompt("many", "Many.", many, |_: Arguments| {
            Ok::<_, ToolError>("x")
        })
        .unwrap();
    let missing = get(&server, "many", &json!({"a00": "", "a01": 1, "b": ""}));
    let told: Vec<_> = refusal(&missing).split("; ").collect();
    assert_eq!(told.len(), 33, "{told:?}");
    assert_eq!(told[32], "… and more of the same");
    let odd: Value = (0..50)
        .map(|number| (format!("a{number:02}"), json!(0)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let odd = get(&server, "many", &odd);
    let told: Vec<_> = refusal(&odd).split("; ").collect();
    assert_eq!(told.len(), 33, "{told:?}");
    assert_eq!(told[31], "`a31` must be a string");
}

#[test]
fn the_first_prompt_brings_the_capability_and_the_last_leaves_it() {
    let server = bare();
    let prompts = |server: &Server| {
        let answer = ask(server, "server/discover", json!({}));
        answer["result"]["capabilities"].get("prompts").cloned()
    };
    assert_eq!(prompts(&server), None);
    server
        .register_prompt("review", "Review.", arguments(), review)
        .unwrap();
    assert_eq!(prompts(&server), Some(json!({})));
    assert_eq!(
        ask(&server, "prompts/list", json!({}))["result"]["prompts"],
        json!([{
            "name": "review",
            "description": "Review.",
            "arguments": [
                {"name": "text", "description": "What to review.", "required": true},
                {"name": "tone", "required": false},
            ],
        }])
    );
    let answer = get(&server, "review", &json!({"text": "a"}));
    assert_eq!(text(&answer), "Be kind: a");
    assert_eq!(answer["result"]["description"], "Review.");
    assert!(server.remove_prompt("review"));
    assert!(!server.remove_prompt("review"));
    assert_eq!(names(&server), Vec::<String>::new());
    assert_eq!(prompts(&server), Some(json!({})));
    let gone = get(&server, "review", &json!({"text": "a"}));
    assert_eq!(refusal(&gone), "Unknown prompt: review");
}

#[test]
fn all_faults_of_the_arguments_are_told_together() {
    let server = bare();
    server
        .register_prompt("review", "Review.", arguments(), review)
        .unwrap();
    for (arguments, fault) in [
        (json!({}), "`text` is missing"),
        (json!({"text": 1}), "`text` must be a string"),
        (
            json!({"txt": "a"}),
            "`txt` is not an argument; did you mean `text`?; `text` is missing",
        ),
    ] {
        let answer = get(&server, "review", &arguments);
        assert_eq!(refusal(&answer), format!("Invalid params: {fault}"));
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"review","arguments":{"text":"a","text":"b"}}}"#;
    let mut out = Vec::new();
    server.handle_message_blocking(twice.as_bytes(), &mut out);
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("`text` stands twice"), "{out}");
}

#[test]
fn handlers_may_wait_fail_panic_and_take_the_context() {
    let server = bare();
    let plain: [PromptArgument; 0] = [];
    server
        .register_prompt("waits", "Wait.", plain.clone(), |_: Arguments| async {
            Ok::<_, ToolError>(vec![
                PromptMessage::user("one"),
                PromptMessage::assistant("two"),
            ])
        })
        .unwrap();
    server
        .register_prompt("fails", "Fail.", plain.clone(), |_: Arguments| {
            Err::<String, _>(ToolError::new("no paper"))
        })
        .unwrap();
    server
        .register_prompt(
            "panics",
            "Panic.",
            plain.clone(),
            |_: Arguments| -> Result<String, ToolError> { panic!("a secret") },
        )
        .unwrap();
    server
        .register_prompt("knows", "Know.", plain, |_: Arguments, context: Context| {
            Ok::<_, ToolError>(format!("{:?}", context.request_id()))
        })
        .unwrap();
    let waited = get(&server, "waits", &json!({}));
    assert_eq!(waited["result"]["messages"][1]["role"], "assistant");
    let failed = get(&server, "fails", &json!({}));
    assert_eq!(failed["error"]["message"], "no paper");
    let panicked = get(&server, "panics", &json!({}));
    assert_eq!(panicked["error"]["message"], "the prompt failed");
    let knew = get(&server, "knows", &json!({}));
    assert_eq!(text(&knew), "Some(RequestId(1))");
}

#[test]
fn an_argument_completes_to_nothing() {
    let server = super::server();
    server
        .register_prompt("review", "Review.", arguments(), review)
        .unwrap();
    let complete = |name: &str| {
        let reference = json!({"type": "ref/prompt", "name": "review"});
        let argument = json!({"name": name, "value": "a"});
        let params = json!({"ref": reference, "argument": argument});
        ask(&server, "completion/complete", params)
    };
    // The method is there if any argument of the program completes.
    let answer = complete("text");
    if answer["error"]["code"] != -32601 {
        assert_eq!(
            answer["result"]["completion"]["values"],
            json!([]),
            "{answer}"
        );
        refusal(&complete("txt"));
    }
}

#[test]
fn names_are_unique_and_plain() {
    let server = super::server();
    let register = |name: &str, arguments: Vec<PromptArgument>| {
        server.register_prompt(name, "Review.", arguments, review)
    };
    assert_eq!(
        register("simple", Vec::new()),
        Err(RegisterError::PromptTaken("simple".into()))
    );
    assert_eq!(
        register("not mine", Vec::new()),
        Err(RegisterError::BadName("not mine".into()))
    );
    let twice = vec![
        PromptArgument::required("a", ""),
        PromptArgument::optional("a", ""),
    ];
    assert_eq!(
        register("twice", twice),
        Err(RegisterError::ArgumentTaken("twice".into(), "a".into()))
    );
    let built = mcp_runtime::server!()
        .state(super::Shop("otters"))
        .register_prompt("simple", "Review.", arguments(), review)
        .build();
    let problems = built.unwrap_err().to_string();
    assert!(
        problems.starts_with("2 prompts are called `simple`"),
        "{problems}"
    );
    // An annotated prompt can be removed, and its name taken.
    assert!(server.remove_prompt("simple"));
    register("simple", arguments().into()).unwrap();
}
