//! Content that is read from files: pictures, sound, and contents of resources.

use std::fs;
use std::io;
use std::path::Path;

use crate::protocol::{ContentBlock, ResourceContents};

/// Extensions of files in lower case, and the types of their contents.
const TYPES: [(&str, &str); 42] = [
    ("aac", "audio/aac"),
    ("aif", "audio/aiff"),
    ("aiff", "audio/aiff"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("flac", "audio/flac"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("heic", "image/heic"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ico", "image/vnd.microsoft.icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jxl", "image/jxl"),
    ("m4a", "audio/mp4"),
    ("md", "text/markdown"),
    ("mid", "audio/midi"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("oga", "audio/ogg"),
    ("ogg", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("sql", "application/sql"),
    ("svg", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("txt", "text/plain"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("weba", "audio/webm"),
    ("webp", "image/webp"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("zip", "application/zip"),
];

impl ContentBlock {
    /// A picture that is read from a file; its type is told by the extension, such as `.png` or `.jpg`.
    ///
    /// It waits for the disk: call it where a function may block.
    ///
    /// ```no_run
    /// # use mcp_runtime::prelude::*;
    /// /// Show the chart of a year.
    /// #[mcp_tool]
    /// fn chart(year: u16) -> Result<ContentBlock, std::io::Error> {
    ///     ContentBlock::image_file(format!("charts/{year}.png"))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its extension is not that of a picture: then [`ContentBlock::image`] takes the type, too.
    pub fn image_file(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let mime_type = media_type(path, "image/", "picture", "ContentBlock::image")?;
        Ok(Self::image(fs::read(path)?, mime_type))
    }

    /// Sound that is read from a file; its type is told by the extension, such as `.wav` or `.mp3`.
    ///
    /// It waits for the disk: call it where a function may block.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its extension is not that of sound: then [`ContentBlock::audio`] takes the type, too.
    pub fn audio_file(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let mime_type = media_type(path, "audio/", "sound", "ContentBlock::audio")?;
        Ok(Self::audio(fs::read(path)?, mime_type))
    }

    /// A resource whose contents are read from a file, as [`ResourceContents::file`] does.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn resource_file(uri: impl Into<String>, path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self::resource(ResourceContents::file(uri, path)?))
    }
}

impl ResourceContents {
    /// Contents that are read from a file: text if it is UTF-8, else bytes. Where the extension is known, it tells the type.
    ///
    /// It waits for the disk: call it where a function may block.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn file(uri: impl Into<String>, path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let contents = match String::from_utf8(fs::read(path)?) {
            Ok(text) => Self::text(uri, text),
            Err(error) => Self::blob(uri, error.into_bytes()),
        };
        Ok(match type_of(path) {
            Some(mime_type) => contents.mime_type(mime_type),
            None => contents,
        })
    }
}

/// The type that an extension tells, in capitals or not.
fn type_of(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    TYPES
        .iter()
        .find(|(known, _)| *known == extension)
        .map(|(_, mime_type)| *mime_type)
}

fn media_type(path: &Path, family: &str, noun: &str, instead: &str) -> io::Result<&'static str> {
    type_of(path)
        .filter(|mime_type| mime_type.starts_with(family))
        .ok_or_else(|| {
            let text = match path.extension() {
                Some(extension) => format!(
                    "the extension `{}` is not known as one of {noun}; give the type to `{instead}`",
                    extension.display()
                ),
                None => format!("without an extension the type of {noun} is not known; give it to `{instead}`"),
            };
            io::Error::new(io::ErrorKind::InvalidInput, text)
        })
}
