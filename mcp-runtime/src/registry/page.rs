//! Lists as bytes that are made once: their pages, and the cursors between them.

use std::sync::Arc;

use super::hash::fnv;

/// Marks the place behind a page.
///
/// It names the list's contents and an offset, both checked when it comes back, so that it is valid on every replica
/// that has the same list and on no other. It is no secret: a list shows the same tools to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    digest: u64,
    offset: u32,
}

impl Cursor {
    fn to_text(self) -> String {
        format!("{:016x}{:08x}", self.digest, self.offset)
    }

    fn from_text(text: &str) -> Option<Self> {
        // `from_str_radix` takes a sign and capitals, which we never write.
        let plain = text.len() == 24
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !plain {
            return None;
        }
        Some(Self {
            digest: u64::from_str_radix(&text[..16], 16).ok()?,
            offset: u32::from_str_radix(&text[16..], 16).ok()?,
        })
    }
}

/// A cursor that this list has not issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageError;

/// A list in pages, each as the JSON text of its array and of the cursor behind it.
#[derive(Debug)]
pub(crate) struct Pages {
    digest: u64,
    page_size: usize,
    pages: Vec<Arc<[u8]>>,
}

impl Pages {
    /// Cuts the list: `items` are the JSON texts of its entries, `member` is the name of the array.
    pub(crate) fn new(member: &str, items: &[Vec<u8>], page_size: usize) -> Self {
        let page_size = page_size.max(1);
        let digest = digest(items);
        let mut pages: Vec<Arc<[u8]>> = Vec::new();
        let mut chunks = items.chunks(page_size).peekable();
        let mut offset = 0;
        loop {
            let chunk = chunks.next().unwrap_or(&[]);
            offset += chunk.len();
            let mut page = format!("\"{member}\":[").into_bytes();
            page.extend_from_slice(&chunk.join(&b","[..]));
            page.push(b']');
            let more = chunks.peek().is_some();
            if more && let Ok(offset) = u32::try_from(offset) {
                let cursor = Cursor { digest, offset }.to_text();
                page.extend_from_slice(format!(",\"nextCursor\":\"{cursor}\"").as_bytes());
            }
            pages.push(page.into());
            if !more {
                break;
            }
        }
        Self {
            digest,
            page_size,
            pages,
        }
    }

    /// The page behind a cursor, or the first one.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Result<&Arc<[u8]>, PageError> {
        let index = match cursor {
            None => 0,
            Some(text) => {
                let cursor = Cursor::from_text(text).ok_or(PageError)?;
                let offset = usize::try_from(cursor.offset).map_err(|_| PageError)?;
                let ours = cursor.digest == self.digest
                    && offset != 0
                    && offset.is_multiple_of(self.page_size);
                if !ours {
                    return Err(PageError);
                }
                offset / self.page_size
            }
        };
        self.pages.get(index).ok_or(PageError)
    }
}

/// Equal on every replica and in every build that has the same entries.
fn digest(items: &[Vec<u8>]) -> u64 {
    fnv(items.iter().flat_map(|item| item.iter().chain(b"\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(count: usize, size: usize) -> Pages {
        let items: Vec<_> = (0..count).map(|n| n.to_string().into_bytes()).collect();
        Pages::new("tools", &items, size)
    }

    fn cursor(page: &[u8]) -> Option<String> {
        let page: serde_json::Value =
            serde_json::from_str(&format!("{{{}}}", std::str::from_utf8(page).unwrap())).unwrap();
        page.get("nextCursor")
            .map(|cursor| cursor.as_str().unwrap().to_owned())
    }

    #[test]
    fn every_item_is_on_one_page_and_the_last_has_no_cursor() {
        let list = pages(7, 3);
        let mut seen = Vec::new();
        let mut at = None;
        loop {
            let page = list.page(at.as_deref()).unwrap();
            let json: serde_json::Value =
                serde_json::from_str(&format!("{{{}}}", std::str::from_utf8(page).unwrap()))
                    .unwrap();
            seen.extend(
                json["tools"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|n| n.as_u64().unwrap()),
            );
            at = cursor(page);
            if at.is_none() {
                break;
            }
        }
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
    }

    #[test]
    fn a_list_that_fits_has_one_page() {
        assert_eq!(cursor(pages(3, 3).page(None).unwrap()), None);
        assert_eq!(**pages(0, 3).page(None).unwrap(), *b"\"tools\":[]");
    }

    #[test]
    fn foreign_cursors_are_refused() {
        let list = pages(7, 3);
        let good = cursor(list.page(None).unwrap()).unwrap();
        assert!(list.page(Some(&good)).is_ok());
        let other = cursor(pages(8, 3).page(None).unwrap()).unwrap();
        let mut odd = good.clone();
        odd.replace_range(23.., "4");
        let mut past = good.clone();
        past.replace_range(22.., "ff");
        let mut zero = good.clone();
        zero.replace_range(23.., "0");
        for bad in [
            "",
            "x",
            &other,
            &odd,
            &past,
            &zero,
            &good.to_uppercase(),
            &good[1..],
        ] {
            assert_eq!(list.page(Some(bad)), Err(PageError), "{bad}");
        }
    }
}
