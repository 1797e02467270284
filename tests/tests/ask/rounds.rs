//! One round after the other: what is asked, what is answered, and what is no answer.

use serde_json::{Value, json};

use super::client::{Request, accept, answers, asked, text};
use super::functions::server;

fn delete() -> Request {
    Request::call("delete", json!({"what": "the moon"}))
}

#[test]
fn a_question_ends_the_round_and_its_answer_the_call() {
    let server = server();
    let round = delete().send(&server);
    assert_eq!(
        round["inputRequests"],
        json!({"confirm": {
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": "Delete the moon?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "yes": {"type": "boolean", "title": "Yes", "description": "Is that so?"},
                    },
                    "required": ["yes"],
                },
            },
        }})
    );
    assert_eq!(asked(&round), ["confirm"]);
    assert_eq!(
        round.get("requestState"),
        None,
        "there is nothing to remember yet"
    );
    for (answer, expected) in [
        (accept(json!({"yes": true})), "the moon deleted"),
        (accept(json!({"yes": false})), "the moon kept"),
        (json!({"action": "decline"}), "declined"),
        (json!({"action": "cancel", "content": null}), "cancelled"),
    ] {
        let done = delete()
            .next(&round, answers([("confirm", answer)]))
            .send(&server);
        assert_eq!(text(&done), expected);
    }
}

#[test]
fn a_confirmation_is_a_form_without_fields() {
    let server = server();
    let agree = Request::call("agree", json!({}));
    let round = agree.send(&server);
    assert_eq!(
        round["inputRequests"]["sure"]["params"]["requestedSchema"],
        json!({"type": "object", "properties": {}})
    );
    for (answer, expected) in [
        (accept(json!({})), "true"),
        (json!({"action": "accept"}), "true"),
        (json!({"action": "decline"}), "false"),
        (json!({"action": "cancel"}), "false"),
    ] {
        let done = agree
            .next(&round, answers([("sure", answer)]))
            .send(&server);
        assert_eq!(text(&done), expected);
    }
    for none in [
        json!({"action": "perhaps"}),
        json!({"action": "accept", "content": 5}),
        json!({"action": "accept", "content": "no"}),
    ] {
        let again = agree.next(&round, answers([("sure", none)])).send(&server);
        assert_eq!(asked(&again), ["sure"]);
    }
}

#[test]
fn answers_of_earlier_rounds_come_back() {
    let server = server();
    let request = Request::call("introduce", json!({}));
    let first = request.send(&server);
    assert_eq!(asked(&first), ["name"]);
    let name = answers([("name", accept(json!({"name": "Ada"})))]);
    let second = request.next(&first, name).send(&server);
    assert_eq!(asked(&second), ["colour"]);
    let state = second["requestState"].as_str().unwrap();
    assert!(!state.contains("Ada"));
    let colour = answers([("colour", accept(json!({"colour": "blue"})))]);
    let done = request.next(&second, colour).send(&server);
    assert_eq!(
        text(&done),
        r#"Accepted(Name { name: "Ada" }) Accepted(Colour { colour: Some("blue") })"#
    );
}

#[test]
fn what_is_asked_at_one_time_is_asked_in_one_round() {
    let server = server();
    let request = Request::call("everything", json!({}));
    let first = request.send(&server);
    let bytes = {
        let mut out = Vec::new();
        server.handle_message_blocking(request.message().to_string().as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    };
    let places: Vec<_> = [
        "\"name\":{\"m",
        "\"visit\":{",
        "\"greeting\":{",
        "\"roots\":{",
    ]
    .map(|key| bytes.find(key).unwrap())
    .into();
    assert!(places.is_sorted(), "{bytes}");
    assert_eq!(
        first["inputRequests"]["visit"]["params"],
        json!({"mode": "url", "message": "Look at this.", "url": "https://example.com/"})
    );
    assert_eq!(
        first["inputRequests"]["greeting"],
        json!({
            "method": "sampling/createMessage",
            "params": {
                "messages": [{"role": "user", "content": {"type": "text", "text": "A greeting?"}}],
                "maxTokens": 50,
            },
        })
    );
    assert_eq!(
        first["inputRequests"]["roots"],
        json!({"method": "roots/list"})
    );
    // Two of the four now, the others later.
    let two = answers([
        (
            "roots",
            json!({"roots": [{"uri": "file:///home", "name": "Home"}]}),
        ),
        ("name", json!({"action": "decline"})),
    ]);
    let second = request.next(&first, two).send(&server);
    assert_eq!(asked(&second), ["greeting", "visit"]);
    let rest = answers([
        ("visit", json!({"action": "accept"})),
        (
            "greeting",
            json!({
                "role": "assistant",
                "content": [{"type": "text", "text": "Good "}, {"type": "text", "text": "day"}],
                "model": "m",
                "stopReason": "endTurn",
            }),
        ),
    ]);
    let done = request.next(&second, rest).send(&server);
    assert_eq!(text(&done), "None Accepted(()) Good day file:///home");
}

#[test]
fn a_key_that_is_given_again_gets_a_number() {
    let server = server();
    let request = Request::call("thrice", json!({}));
    let mut round = request.send(&server);
    for (key, name) in [("name", "a"), ("name#2", "b"), ("name#3", "c")] {
        assert_eq!(asked(&round), [key]);
        let answer = answers([(key, accept(json!({ "name": name })))]);
        round = request.next(&round, answer).send(&server);
    }
    assert_eq!(text(&round), "a b c");
}

#[test]
fn what_is_no_answer_is_asked_again_under_the_same_key() {
    let server = server();
    for odd in [
        json!(12345),
        json!(null),
        json!({}),
        json!({"action": "agree"}),
        json!({"action": "accept"}),
        accept(json!({"yes": "perhaps"})),
        accept(json!({})),
        json!({"roots": []}),
    ] {
        let round = delete()
            .with("inputResponses", answers([("confirm", odd.clone())]))
            .send(&server);
        assert_eq!(asked(&round), ["confirm"], "{odd}");
        assert!(round["requestState"].is_string(), "rounds are counted now");
        let answer = answers([("confirm", accept(json!({"yes": true})))]);
        let done = delete().next(&round, answer).send(&server);
        assert_eq!(text(&done), "the moon deleted");
    }
}

#[test]
fn what_is_no_answer_of_its_kind_is_asked_again_too() {
    let server = server();
    let request = Request::call("everything", json!({}));
    let good = |key| match key {
        "name" => accept(json!({"name": "Ada"})),
        "visit" => json!({"action": "accept"}),
        "greeting" => {
            json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"})
        }
        _ => json!({"roots": [{"uri": "file:///home"}]}),
    };
    let keys = ["name", "visit", "greeting", "roots"];
    for (key, odd) in [
        ("visit", json!("accept")),
        ("visit", json!({"action": "visited"})),
        ("visit", json!({"roots": []})),
        ("greeting", json!("Hi")),
        ("greeting", json!({"action": "accept"})),
        ("greeting", json!({"role": "assistant", "model": "m"})),
        (
            "greeting",
            json!({"role": "assistant", "content": {"type": "video"}, "model": "m"}),
        ),
        (
            "greeting",
            json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}}),
        ),
        ("roots", json!([])),
        ("roots", json!({})),
        ("roots", json!({"roots": [{"name": "Home"}]})),
        ("roots", json!({"roots": ["file:///home"]})),
    ] {
        let mut given = Value::Object(
            keys.map(|key| (key.to_owned(), good(key)))
                .into_iter()
                .collect(),
        );
        given[key] = odd.clone();
        let round = request.clone().with("inputResponses", given).send(&server);
        assert_eq!(asked(&round), [key], "{odd}");
        assert!(round["requestState"].is_string());
        let done = request.next(&round, answers([(key, good(key))]));
        assert_eq!(
            text(&done.send(&server)),
            r#"Some("Ada") Accepted(()) Hi file:///home"#,
            "{key}: {odd}"
        );
    }
}

#[test]
fn answers_to_what_nobody_asked_are_ignored() {
    let server = server();
    let answers = answers([
        ("other", json!({"ignored": true})),
        ("confirm", accept(json!({"yes": true}))),
        ("another", json!(1e300)),
    ]);
    let done = delete().with("inputResponses", answers).send(&server);
    assert_eq!(text(&done), "the moon deleted");
    let round = delete()
        .with("inputResponses", json!({"other": 1}))
        .send(&server);
    assert_eq!(asked(&round), ["confirm"]);
    assert_eq!(round.get("requestState"), None);
}

#[test]
fn responses_that_are_no_object_are_refused() {
    let server = server();
    for odd in [json!(null), json!([]), json!("x"), json!(5)] {
        let (code, message) = delete().with("inputResponses", odd).refused(&server);
        assert_eq!(code, -32602);
        assert!(message.contains("inputResponses"), "{message}");
    }
    let twice = delete().message().to_string().replace(
        r#""name":"delete""#,
        r#""name":"delete","inputResponses":{"confirm":1,"confirm":2}"#,
    );
    let mut out = Vec::new();
    server.handle_message_blocking(twice.as_bytes(), &mut out);
    let answer: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn only_what_the_client_can_do_is_asked_for() {
    let server = server();
    let everything = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    for (missing, required) in [
        ("/elicitation/form", json!({"elicitation": {"form": {}}})),
        ("/elicitation/url", json!({"elicitation": {"url": {}}})),
        ("/sampling", json!({"sampling": {}})),
        ("/roots", json!({"roots": {}})),
    ] {
        let mut capabilities = everything.clone();
        let (parent, member) = missing.rsplit_once('/').unwrap();
        let parent = capabilities.pointer_mut(parent).unwrap();
        parent.as_object_mut().unwrap().remove(member);
        let request = Request::call("everything", json!({})).capable_of(capabilities);
        let response = request.response(&server);
        assert_eq!(response["error"]["code"], -32021, "{missing}: {response}");
        assert_eq!(
            response["error"]["data"],
            json!({ "requiredCapabilities": required })
        );
    }
    let forms = delete().capable_of(json!({"elicitation": {}}));
    assert_eq!(asked(&forms.send(&server)), ["confirm"]);
}

#[test]
fn prompts_and_resources_ask_too() {
    let server = server();
    let name = || answers([("name", accept(json!({"name": "Ada"})))]);
    let prompt = Request::new(
        "prompts/get",
        json!({"name": "asking", "arguments": {"topic": "otters"}}),
    );
    let round = prompt.send(&server);
    assert_eq!(asked(&round), ["name"]);
    let done = prompt.next(&round, name()).send(&server);
    assert_eq!(
        done["messages"][0]["content"]["text"],
        r#"otters for Some(Name { name: "Ada" })"#
    );
    let resource = Request::new("resources/read", json!({"uri": "asking://7"}));
    let round = resource.send(&server);
    assert_eq!(asked(&round), ["name"]);
    let done = resource.next(&round, name()).send(&server);
    assert_eq!(
        done["contents"][0]["text"],
        r#"7 for Some(Name { name: "Ada" })"#
    );
}

#[test]
fn a_completion_cannot_ask() {
    let server = server();
    let request = Request::new(
        "completion/complete",
        json!({"ref": {"type": "ref/prompt", "name": "completed"}, "argument": {"name": "word", "value": "a"}}),
    );
    let (code, message) = request.refused(&server);
    assert_eq!(code, -32603);
    assert!(message.contains("asks the client for input"), "{message}");
}

#[test]
fn lists_do_not_ask() {
    let server = server();
    for method in ["tools/list", "prompts/list"] {
        let listed = Request::new(method, json!({})).send(&server);
        assert_eq!(listed["resultType"], "complete");
    }
}
