//! Content that is read from files.

use std::fs;
use std::path::PathBuf;

use mcp_runtime::content::{ContentBlock, ResourceContents};
use serde_json::{Value, json};

/// A directory of this test.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

fn block(block: ContentBlock) -> Value {
    serde_json::to_value(block).unwrap()
}

#[test]
fn the_extension_tells_the_type() {
    let directory = directory("content_types");
    for (name, kind, mime_type) in [
        ("a.png", "image", "image/png"),
        ("a.JPG", "image", "image/jpeg"),
        ("a.b.svg", "image", "image/svg+xml"),
        ("a.wav", "audio", "audio/wav"),
        ("a.Mp3", "audio", "audio/mpeg"),
    ] {
        let path = directory.join(name);
        fs::write(&path, [0, 255, 1]).unwrap();
        let read = match kind {
            "image" => ContentBlock::image_file(&path),
            _ => ContentBlock::audio_file(&path),
        };
        assert_eq!(
            block(read.unwrap()),
            json!({"type": kind, "data": "AP8B", "mimeType": mime_type})
        );
    }
}

#[test]
fn contents_of_resources_are_text_or_bytes() {
    let directory = directory("content_resources");
    let text = directory.join("notes.md");
    fs::write(&text, "# Otters\n").unwrap();
    let bytes = directory.join("otter.png");
    fs::write(&bytes, [0x89, 255]).unwrap();
    let plain = directory.join("LICENSE");
    fs::write(&plain, "MIT").unwrap();
    assert_eq!(
        block(ContentBlock::resource_file("notes://1", &text).unwrap()),
        json!({"type": "resource", "resource": {"uri": "notes://1", "mimeType": "text/markdown", "text": "# Otters\n"}})
    );
    let contents =
        |path| serde_json::to_value(ResourceContents::file("x://y", path).unwrap()).unwrap();
    assert_eq!(
        contents(&bytes),
        json!({"uri": "x://y", "mimeType": "image/png", "blob": "if8="})
    );
    assert_eq!(contents(&plain), json!({"uri": "x://y", "text": "MIT"}));
}

#[test]
fn what_cannot_be_read_or_has_another_type_is_an_error() {
    let directory = directory("content_errors");
    let wav = directory.join("a.wav");
    fs::write(&wav, "").unwrap();
    let error = ContentBlock::image_file(&wav).unwrap_err().to_string();
    assert!(
        error.contains("`wav`") && error.contains("ContentBlock::image"),
        "{error}"
    );
    let error = ContentBlock::audio_file(directory.join("a"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("ContentBlock::audio"), "{error}");
    let missing = directory.join("missing.png");
    let error = ContentBlock::image_file(&missing).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(
        !error.to_string().contains("missing.png"),
        "no path is told to a client: {error}"
    );
    assert!(ContentBlock::resource_file("x://y", &missing).is_err());
}
