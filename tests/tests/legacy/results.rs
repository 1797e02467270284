//! Lists and results in the form of each revision.

use serde_json::{Value, json};

use super::client::{Client, REVISIONS};

#[test]
fn a_tool_is_listed_with_the_members_of_the_revision() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        let list = client.ask("tools/list", json!({}));
        for member in ["resultType", "_meta", "ttlMs", "cacheScope"] {
            assert_eq!(list["result"].get(member), None, "{revision}: {list}");
        }
        let add = client.tool("add");
        assert!(add["inputSchema"].is_object(), "{add}");
        for (member, since) in [
            ("title", "2025-06-18"),
            ("icons", "2025-11-25"),
            ("annotations", "2025-03-26"),
        ] {
            let expected = revision >= since;
            assert_eq!(add.get(member).is_some(), expected, "{revision}: {add}");
        }
        let contact = client.tool("contact");
        let expected = revision >= "2025-06-18";
        assert_eq!(contact.get("outputSchema").is_some(), expected, "{contact}");
    }
}

#[test]
fn structured_content_that_is_no_object_is_wrapped_with_its_schema() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        let result = client.call("contacts", json!({}));
        let pairs = json!([{"first": {"name": "Ada", "boss": null}, "second": {"name": "Bob", "boss": null}}]);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), pairs);
        let schema = client.tool("contacts").get("outputSchema").cloned();
        if revision < "2025-06-18" {
            assert_eq!(result.get("structuredContent"), None, "{result}");
            assert_eq!(schema, None);
            continue;
        }
        assert_eq!(result["structuredContent"], json!({"result": pairs}));
        let schema = schema.unwrap();
        assert_eq!(schema["type"], "object", "{schema}");
        // A reference that points to nothing makes no validator.
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&result["structuredContent"]), "{schema}");
        assert!(!validator.is_valid(&json!({"result": [{"first": 1}]})));
        assert!(!validator.is_valid(&json!({})));
    }
}

#[test]
fn structured_content_that_is_an_object_stays_as_it_is() {
    for revision in REVISIONS {
        let result = Client::of(revision).call("contact", json!({}));
        let contact = json!({"name": "Ada", "boss": null});
        let expected = (revision >= "2025-06-18").then_some(&contact);
        assert_eq!(result.get("structuredContent"), expected, "{revision}");
    }
}

#[test]
fn content_that_a_revision_does_not_have_becomes_text() {
    for revision in REVISIONS {
        let result = Client::of(revision).call("content", json!({}));
        let kinds = result["content"].as_array().unwrap().iter();
        let kinds: Vec<_> = kinds.map(|block| block["type"].as_str().unwrap()).collect();
        let expected = match revision {
            "2024-11-05" => ["text", "text", "text"],
            "2025-03-26" => ["text", "audio", "text"],
            _ => ["text", "audio", "resource_link"],
        };
        assert_eq!(kinds, expected, "{revision}");
    }
    let result = Client::of("2024-11-05").call("content", json!({}));
    assert_eq!(result["content"][2]["text"], "here: legacy://here");
    let audio = result["content"][1]["text"].as_str().unwrap();
    assert!(audio.contains("audio/wav"), "{audio}");
}

#[test]
fn bad_arguments_and_failures_are_results_and_an_unknown_tool_is_an_error() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        for (tool, text) in [
            ("add", "Missing required argument: a"),
            ("fail", "Error: it does not work"),
        ] {
            let result = client.call(tool, json!({}));
            assert_eq!(result["isError"], true, "{result}");
            let told = result["content"][0]["text"].as_str().unwrap();
            assert!(told.starts_with(text), "{told}");
            assert_eq!(result.get("resultType"), None);
        }
        let unknown = client.ask("tools/call", json!({"name": "no_such"}));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

#[test]
fn doctor_names_the_tools_whose_results_are_wrapped() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_legacy-server"));
    let output = command.arg("doctor").output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let mut notes = report.lines().filter(|line| line.contains("`initialize`"));
    let note = notes.next().expect(&report);
    assert!(
        note.contains("`contacts`") && !note.contains("`contact`"),
        "{note}"
    );
}
