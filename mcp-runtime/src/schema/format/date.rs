//! Dates and times of RFC 3339, section 5.6.
//!
//! No arithmetic on dates: only whether a text names a day of the calendar and a moment of it.

use super::part;

/// `full-date`.
pub(super) const fn is_date(text: &[u8]) -> bool {
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) =
        (digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10))
    else {
        return false;
    };
    1 <= day && day <= days(year, month)
}

/// `date-time`: a day and a time of it with a `T` in between.
pub(super) const fn is_date_time(text: &[u8]) -> bool {
    text.len() > 11
        && is_date(part(text, 0, 10))
        && matches!(text[10], b'T' | b't')
        && is_time(part(text, 11, text.len()))
}

/// `full-time`: a second that may have a fraction, and `Z` or an offset.
pub(super) const fn is_time(text: &[u8]) -> bool {
    if text.len() < 9 || text[2] != b':' || text[5] != b':' {
        return false;
    }
    let (Some(hour), Some(minute), Some(second)) =
        (digits(text, 0, 2), digits(text, 3, 5), digits(text, 6, 8))
    else {
        return false;
    };
    let mut at = 8;
    if text[at] == b'.' {
        at += 1;
        let start = at;
        while at < text.len() && text[at].is_ascii_digit() {
            at += 1;
        }
        if at == start {
            return false;
        }
    }
    let Some(offset) = offset(part(text, at, text.len())) else {
        return false;
    };
    if hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    // A leap second is the last one of a day in UTC.
    let minute_of_day = (hour * 60 + minute + DAY - offset) % DAY;
    second < 60 || minute_of_day == DAY - 1
}

/// Minutes of a day.
const DAY: u32 = 24 * 60;

/// Minutes that the local time is ahead of UTC, from 0 to before a day and round the clock; `None` for what is no offset.
const fn offset(text: &[u8]) -> Option<u32> {
    if text.len() == 1 && matches!(text[0], b'Z' | b'z') {
        return Some(0);
    }
    if text.len() != 6 || text[3] != b':' {
        return None;
    }
    let (Some(hours), Some(minutes)) = (digits(text, 1, 3), digits(text, 4, 6)) else {
        return None;
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    match text[0] {
        b'+' => Some(hours * 60 + minutes),
        b'-' => Some((DAY - hours * 60 - minutes) % DAY),
        _ => None,
    }
}

/// The number that the digits from `start` to before `end` stand for; there are at most four.
const fn digits(text: &[u8], start: usize, end: usize) -> Option<u32> {
    let mut number = 0;
    let mut at = start;
    while at < end {
        if !text[at].is_ascii_digit() {
            return None;
        }
        number = number * 10 + (text[at] - b'0') as u32;
        at += 1;
    }
    Some(number)
}

/// How many days a month has; 0 for a month that is none.
const fn days(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar_are_dates() {
        for date in [
            "2026-07-28",
            "2024-02-29",
            "2000-02-29",
            "0000-01-01",
            "9999-12-31",
        ] {
            assert!(is_date(date.as_bytes()), "{date}");
        }
        for text in [
            "",
            "2026-7-28",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "2026/01/01",
            "2026-01-011",
            "20260101",
            "२०२६-०१-०१",
            " 2026-01-01",
        ] {
            assert!(!is_date(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn moments_need_their_offset() {
        for moment in [
            "2026-07-28T09:30:00Z",
            "2026-07-28t09:30:00.123456789z",
            "2026-07-28T23:59:59+23:59",
            "2026-12-31T23:59:60Z",
            "2027-01-01T00:59:60+01:00",
            "2026-12-31T15:59:60.5-08:00",
        ] {
            assert!(is_date_time(moment.as_bytes()), "{moment}");
        }
        for text in [
            "2026-07-28",
            "2026-07-28T09:30:00",
            "2026-07-28 09:30:00Z",
            "2026-07-28T24:00:00Z",
            "2026-07-28T09:60:00Z",
            "2026-07-28T09:30:61Z",
            "2026-07-28T09:30:60Z",
            "2026-12-31T23:59:60+01:00",
            "2026-07-28T09:30Z",
            "2026-07-28T09:30:00.Z",
            "2026-07-28T09:30:00+1:00",
            "2026-07-28T09:30:00+24:00",
            "2026-07-28T09:30:00+00:60",
            "2026-02-30T09:30:00Z",
            "2026-07-28T09:30:00ZZ",
            "2026-07-28T09:30:00é",
        ] {
            assert!(!is_date_time(text.as_bytes()), "{text}");
        }
    }
}
