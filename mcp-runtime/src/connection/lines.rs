//! Bytes from the client, cut into lines.

use std::ops::Range;

use memchr::memchr;

use crate::jsonrpc::IdScanner;

/// What is read at once, and the size of the buffer between large messages.
pub(crate) const CHUNK: usize = 64 * 1024;

/// How many small fills a buffer that has grown stays large for.
const SMALL_FILLS: u8 = 16;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The client's bytes that have been read and not yet been taken.
#[derive(Debug)]
pub(crate) struct LineReader {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// How far there is no newline.
    searched: usize,
    /// Where the bytes end that have been read.
    end: usize,
    max_line: usize,
    /// Nothing has been looked at, so a byte order mark may come.
    at_start: bool,
    /// Looks for the id of a line that is too long, and is not kept.
    too_long: Option<IdScanner>,
    ended: bool,
    small_fills: u8,
}

/// What comes next in the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A line that is not blank, as a place in the buffer.
    Line(Range<usize>),
    /// The end of a line longer than a message may be, and the id in it, as JSON.
    TooLong(Option<Box<str>>),
    /// Nothing until the buffer is filled.
    Fill,
    /// Nothing any more.
    End,
}

impl LineReader {
    pub(crate) fn new(max_line: usize) -> Self {
        Self {
            buffer: vec![0; CHUNK],
            start: 0,
            searched: 0,
            end: 0,
            max_line,
            at_start: true,
            too_long: None,
            ended: false,
            small_fills: 0,
        }
    }

    /// The line at a place that [`next`](Self::next) gave, until the buffer is filled again.
    pub(crate) fn line(&self, place: Range<usize>) -> &[u8] {
        &self.buffer[place]
    }

    /// Takes the next line.
    pub(crate) fn next(&mut self) -> Next {
        if self.at_start && !self.skip_byte_order_mark() {
            return Next::Fill;
        }
        loop {
            let newline = memchr(b'\n', &self.buffer[self.searched..self.end])
                .map(|distance| self.searched + distance);
            let (mut line, next) = match newline {
                Some(newline) => (self.start..newline, newline + 1),
                None if !self.ended => {
                    self.searched = self.end;
                    return self.unfinished();
                }
                None if self.start == self.end && self.too_long.is_none() => return Next::End,
                None => (self.start..self.end, self.end),
            };
            self.start = next;
            self.searched = next;
            if let Some(scanner) = self.too_long.take() {
                return Self::too_long(scanner, &self.buffer[line]);
            }
            if self.buffer[line.clone()].ends_with(b"\r") {
                line.end -= 1;
            }
            if line.len() > self.max_line {
                return Self::too_long(IdScanner::new(), &self.buffer[line]);
            }
            if !self.buffer[line.clone()]
                .iter()
                .all(u8::is_ascii_whitespace)
            {
                return Next::Line(line);
            }
        }
    }

    /// Tells whether enough has been read to know that no mark comes, or no more of it.
    fn skip_byte_order_mark(&mut self) -> bool {
        let read = &self.buffer[self.start..self.end];
        if !self.ended && read.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(read) {
            return false;
        }
        self.at_start = false;
        if read.starts_with(BYTE_ORDER_MARK) {
            self.start += BYTE_ORDER_MARK.len();
            self.searched = self.start;
        }
        true
    }

    /// What comes next when the buffer ends within a line.
    fn unfinished(&mut self) -> Next {
        // The last byte may be a carriage return, which does not count.
        if self.end - self.start > self.max_line.saturating_add(1) {
            self.too_long.get_or_insert_with(IdScanner::new);
        }
        if let Some(scanner) = &mut self.too_long {
            scanner.feed(&self.buffer[self.start..self.end]);
            self.start = self.end;
        }
        Next::Fill
    }

    /// The end of a line that is too long.
    fn too_long(mut scanner: IdScanner, rest: &[u8]) -> Next {
        scanner.feed(rest);
        Next::TooLong(scanner.finish())
    }

    /// Reads more with a function that returns 0 at the end of input; tells how much.
    ///
    /// To be called when [`next`](Self::next) says so.
    pub(crate) fn fill<E>(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        self.make_room();
        let end = self.end;
        let count = read(&mut self.buffer[end..])?;
        self.ended = count == 0;
        self.end += count;
        Ok(count)
    }

    /// Moves the unfinished line to the beginning of a buffer that has room behind it.
    fn make_room(&mut self) {
        let unfinished = self.end - self.start;
        let size = self.fitting_size(unfinished);
        if size == self.buffer.len() && unfinished > 0 && self.end < size {
            return;
        }
        if size < self.buffer.len() {
            let mut buffer = vec![0; size];
            buffer[..unfinished].copy_from_slice(&self.buffer[self.start..self.end]);
            self.buffer = buffer;
        } else {
            self.buffer.copy_within(self.start..self.end, 0);
            self.buffer.resize(size, 0);
        }
        self.searched -= self.start;
        self.start = 0;
        self.end = unfinished;
    }

    /// The size that the buffer is to have, so that a line as long as this one has room to grow.
    fn fitting_size(&mut self, unfinished: usize) -> usize {
        let size = self.buffer.len();
        if unfinished < CHUNK {
            self.small_fills = self.small_fills.saturating_add(1);
            if self.small_fills > SMALL_FILLS {
                return CHUNK;
            }
        } else {
            self.small_fills = 0;
        }
        if unfinished == size { size * 2 } else { size }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Feeds the pieces one after the other and gives all lines, and `!` with the id for one that is too long.
    fn lines(max_line: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut input = LineReader::new(max_line);
        let mut pieces = pieces.iter();
        let mut lines = Vec::new();
        loop {
            match input.next() {
                Next::Line(place) => {
                    lines.push(String::from_utf8_lossy(&input.buffer[place]).into_owned());
                }
                Next::TooLong(id) => lines.push(format!("!{}", id.unwrap_or_default())),
                Next::Fill => {
                    let piece = pieces.next().copied().unwrap_or_default();
                    let filled = input.fill(|room| {
                        room[..piece.len()].copy_from_slice(piece);
                        Ok::<_, Infallible>(piece.len())
                    });
                    assert_eq!(filled, Ok(piece.len()));
                }
                Next::End => return lines,
            }
        }
    }

    #[test]
    fn lines_end_in_any_way_and_blank_ones_are_skipped() {
        assert_eq!(
            lines(100, &[b"a\r\n\n \t\r\nb\nc"]),
            ["a", "b", "c"],
            "carriage returns, blank lines, no newline at the end"
        );
        assert!(lines(100, &[]).is_empty());
        assert!(lines(100, &[b"\n\n", b"\r\n"]).is_empty());
    }

    #[test]
    fn lines_come_in_pieces() {
        assert_eq!(
            lines(100, &[b"a", b"b", b"c\nd", b"\n", b"e\n"]),
            ["abc", "d", "e"]
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_start_alone() {
        assert_eq!(lines(100, &[b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n"])[0], "a");
        assert_eq!(lines(100, &[b"\xEF", b"\xBB", b"\xBFa\n"]), ["a"]);
        assert_eq!(
            lines(100, &[b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n"])[1],
            "\u{feff}b"
        );
        assert_eq!(lines(100, &[b"1", b"\n"]), ["1"]);
    }

    #[test]
    fn a_line_too_long_is_told_once_and_skipped() {
        assert_eq!(
            lines(4, &[b"abcd\nabcde\nabcd\r\nx"]),
            ["abcd", "!", "abcd", "x"]
        );
        assert_eq!(lines(4, &[b"abc", b"def", b"ghi", b"\nok\n"]), ["!", "ok"]);
        assert_eq!(lines(4, &[b"abcdef", b"ghi"]), ["!"]);
        assert_eq!(lines(4, &[b"abcdef"]), ["!"]);
        assert_eq!(
            lines(
                6,
                &[
                    b"{\"x\":1,",
                    b"\"i",
                    b"d\":7",
                    b"8}\r\n{\"id\":1}\n{\"a\":1\n"
                ]
            ),
            ["!78", "!1", "{\"a\":1"]
        );
    }

    #[test]
    fn a_long_line_grows_the_buffer_and_small_ones_shrink_it() {
        let mut input = LineReader::new(usize::MAX);
        let mut left = 300_000;
        while input.next() == Next::Fill {
            let filled = input.fill(|room| {
                let count = left.min(room.len());
                room[..count].fill(b'x');
                if count < room.len() {
                    room[count] = b'\n';
                    left = 0;
                    return Ok::<_, Infallible>(count + 1);
                }
                left -= count;
                Ok(count)
            });
            assert!(filled.is_ok());
        }
        assert!(input.buffer.len() > 300_000);
        for _ in 0..=SMALL_FILLS {
            let filled = input.fill(|room| {
                room[..2].copy_from_slice(b"y\n");
                Ok::<_, Infallible>(2)
            });
            assert_eq!(filled, Ok(2));
            assert!(matches!(input.next(), Next::Line(_)));
        }
        assert_eq!(input.buffer.len(), CHUNK);
    }
}
