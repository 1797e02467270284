//! Every public wire type survives a round trip, with all members that the specification gives it.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use mcp_runtime::content::{
    Annotations, ContentBlock, Icon, ImageContent, Implementation, ResourceContents, Role,
};
use serde_json::{Value, json};

/// The value read as `T` and written again.
fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &Value) -> Value {
    let read: T = serde_json::from_value(value.clone()).unwrap();
    serde_json::to_value(read).unwrap()
}

#[test]
fn content_blocks_of_all_kinds_keep_every_member() {
    let annotations = json!({
        "audience": ["user", "assistant"],
        "priority": 0.25,
        "lastModified": "2026-07-28T12:00:00Z",
    });
    let blocks = [
        json!({"type": "text", "text": "a<b && c>d \u{1f980}", "annotations": annotations, "_meta": {"com.example/n": 1}}),
        json!({"type": "image", "data": "/9j/4A==", "mimeType": "image/jpeg", "annotations": annotations, "_meta": {}}),
        json!({"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav", "annotations": annotations, "_meta": {}}),
        json!({
            "type": "resource_link",
            "uri": "file:///project/src/main.rs",
            "name": "main.rs",
            "title": "Entry point",
            "description": "Where it begins.",
            "mimeType": "text/x-rust",
            "size": 4096,
            "icons": [{"src": "https://example.com/rs.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
            "annotations": annotations,
            "_meta": {"com.example/n": null},
        }),
        json!({
            "type": "resource",
            "resource": {"uri": "file:///a.md", "mimeType": "text/markdown", "text": "# A", "_meta": {}},
            "annotations": annotations,
            "_meta": {},
        }),
        json!({"type": "resource", "resource": {"uri": "file:///a.png", "mimeType": "image/png", "blob": "iVBORw=="}}),
    ];
    for block in blocks {
        assert_eq!(round_trip::<ContentBlock>(&block), block);
    }
}

#[test]
fn the_server_is_described_with_every_member() {
    let info = json!({
        "name": "shop",
        "version": "1.2.0",
        "title": "The shop",
        "description": "Sells otters.",
        "websiteUrl": "https://example.com",
        "icons": [{"src": "data:image/png;base64,iVBORw=="}],
    });
    assert_eq!(round_trip::<Implementation>(&info), info);
    assert_eq!(
        serde_json::to_value(Icon::new("https://example.com/a.svg")).unwrap(),
        json!({"src": "https://example.com/a.svg"})
    );
}

#[test]
fn members_that_are_not_set_are_absent() {
    let block = serde_json::to_value(ContentBlock::resource_link("file:///a", "a")).unwrap();
    assert_eq!(
        block,
        json!({"type": "resource_link", "uri": "file:///a", "name": "a"})
    );
}

#[test]
fn base64_with_escaped_slashes_is_read() {
    let block: ContentBlock =
        serde_json::from_str(r#"{"type":"image","data":"\/9j\/4A==","mimeType":"image/jpeg"}"#)
            .unwrap();
    assert_eq!(
        block,
        ContentBlock::image([0xff, 0xd8, 0xff, 0xe0], "image/jpeg")
    );
}

#[test]
fn bytes_of_every_size_become_base64_with_padding() {
    /// The decoder of the standard alphabet, written here so that the encoder is not its own witness.
    fn decode(text: &str) -> Vec<u8> {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        assert_eq!(text.len() % 4, 0);
        let mut bytes = Vec::new();
        for chunk in text.as_bytes().chunks(4) {
            let padding = chunk.iter().filter(|byte| **byte == b'=').count();
            let bits = chunk.iter().fold(0_u32, |bits, byte| {
                let digit = ALPHABET.iter().position(|known| known == byte).unwrap_or(0);
                bits << 6 | u32::try_from(digit).unwrap()
            });
            bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
        }
        bytes
    }

    for size in [0, 1, 2, 3, 99, 100, 101, 1 << 20] {
        let bytes: Vec<u8> = (0..size).map(|n: usize| (n * 37 % 256) as u8).collect();
        assert_eq!(
            decode(&ImageContent::new(&bytes, "image/png").data),
            bytes,
            "{size}"
        );
    }
}

#[test]
fn annotations_and_contents_are_built_as_they_are_written() {
    let annotations = Annotations::for_audience([Role::User]).priority(1.0);
    assert_eq!(
        serde_json::to_value(annotations).unwrap(),
        json!({"audience": ["user"], "priority": 1.0})
    );
    let contents = ResourceContents::text("file:///a.md", "# A").mime_type("text/markdown");
    assert_eq!(
        serde_json::to_value(contents).unwrap(),
        json!({"uri": "file:///a.md", "mimeType": "text/markdown", "text": "# A"})
    );
}
