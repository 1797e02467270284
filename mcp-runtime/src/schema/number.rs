//! Exact decimal numbers, compared digit by digit as they stand in JSON text.
//!
//! This is not arithmetic and never rounds: a bound is what the schema's text says, an argument is what the client wrote, and
//! no binary float stands between the two.

use std::cmp::Ordering;

/// The largest integer up to which a double holds every integer: 2^53 − 1.
pub(crate) const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// A decimal number of any size: `0.digits × 10^point`, with no zeros at either end of the digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// Reads a JSON number; `None` if the text is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() || (mantissa.contains('.') && fraction.is_empty()) {
            return None;
        }
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut point = exponent.saturating_add(i64::try_from(whole.len()).ok()?);
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..leading);
        point = point.saturating_sub(i64::try_from(leading).ok()?);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self {
                negative: false,
                digits,
                point: 0,
            });
        }
        Some(Self {
            negative,
            digits,
            point,
        })
    }

    /// Whether hosts that read numbers as doubles keep it: within ±(2^53 − 1).
    pub(crate) fn is_safe(&self) -> bool {
        let magnitude = Self {
            negative: false,
            ..self.clone()
        };
        magnitude <= Bound::from(MAX_SAFE_INTEGER.unsigned_abs()).value
    }

    /// The number as an integer from the type system of JSON Schema: no digits after the decimal point.
    pub(crate) fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.point >= i64::try_from(self.digits.len()).unwrap_or(i64::MAX)
    }

    /// Plain digits of an integer, such as serde reads: `5` for `5.0`; `None` for fractions and for more than 64 digits.
    pub(crate) fn integer_text(&self) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        if !self.is_integer() || self.point > 64 {
            return None;
        }
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.extend(self.digits.iter().map(|digit| char::from(*digit)));
        let zeros = usize::try_from(self.point)
            .ok()?
            .checked_sub(self.digits.len())?;
        text.extend(std::iter::repeat_n('0', zeros));
        Some(text)
    }

    /// A text that is the same for equal numbers and differs for others.
    pub(crate) fn identity(&self) -> String {
        let digits: String = self.digits.iter().map(|digit| char::from(*digit)).collect();
        format!(
            "{}{digits}e{}",
            if self.negative { "-" } else { "" },
            self.point
        )
    }

    /// Whether this is a whole multiple of `step`: exact, by long division of the digits.
    ///
    /// Numbers that differ by more than 10^400 in scale are said not to be multiples, which bounds the work.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let Ok(divisor) = String::from_utf8_lossy(&step.digits).parse::<u64>() else {
            return false;
        };
        if divisor == 0 {
            return false;
        }
        let scale = |number: &Self| {
            number
                .point
                .saturating_sub(i64::try_from(number.digits.len()).unwrap_or(i64::MAX))
        };
        let zeros = scale(self).saturating_sub(scale(step));
        let remainder = |digits: &mut dyn Iterator<Item = u8>| {
            digits.fold(0_u128, |rest, digit| {
                (rest * 10 + u128::from(digit - b'0')) % u128::from(divisor)
            })
        };
        match usize::try_from(zeros) {
            Ok(zeros) if zeros <= 400 => {
                remainder(
                    &mut self
                        .digits
                        .iter()
                        .copied()
                        .chain(std::iter::repeat_n(b'0', zeros)),
                ) == 0
            }
            // Our last digit is not zero, so a finer step than ours divides only if it takes up the missing places itself.
            Ok(_) | Err(_) => false,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let (ours, theirs) = (sign(self), sign(other));
        if ours != theirs || ours == 0 {
            return ours.cmp(&theirs);
        }
        let magnitude = self
            .point
            .cmp(&other.point)
            .then_with(|| self.digits.cmp(&other.digits));
        if ours < 0 {
            magnitude.reverse()
        } else {
            magnitude
        }
    }
}

/// The exponent of a number, clamped where it is too large to matter.
fn exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // A number of a billion places is beyond every bound that a schema states, whatever the rest of its exponent.
    let size = digits
        .parse::<i64>()
        .map_or(1_000_000_000_000, |size| size.min(1_000_000_000_000));
    Some(if negative { -size } else { size })
}

/// One bound of a number: the text that the schema shows, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    /// What `tools/list` shows.
    pub(crate) text: String,
    /// What is compared.
    pub(crate) value: Decimal,
}

impl Bound {
    /// A bound from JSON text; `None` if that is not a number.
    pub(crate) fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        Decimal::parse(&text).map(|value| Self { text, value })
    }
}

impl From<u64> for Bound {
    fn from(number: u64) -> Self {
        let digits = number.to_string();
        let trimmed = digits.trim_end_matches('0');
        Self {
            value: Decimal {
                negative: false,
                point: if number == 0 { 0 } else { digits.len() as i64 },
                digits: trimmed.bytes().collect(),
            },
            text: digits,
        }
    }
}

/// What a schema says about a number, with the common case made ready.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NumberRules {
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) exclusive_minimum: Option<Bound>,
    pub(crate) exclusive_maximum: Option<Bound>,
    pub(crate) multiple_of: Option<Bound>,
    /// Whether the value is read into a 32-bit float, so that only what is finite there can be accepted.
    pub(crate) single: bool,
    /// Plain integers within these two satisfy all of the above: most arguments need no more than two comparisons.
    certain: Option<(i64, i64)>,
}

impl NumberRules {
    /// Works out `certain`; to be called when the rules are complete.
    pub(crate) fn prepare(&mut self) {
        let edge = |bound: &Option<Bound>, fallback: i64| match bound {
            None => Some(fallback),
            Some(bound) => bound.text.parse::<i64>().ok(),
        };
        let exact = self.exclusive_minimum.is_none()
            && self.exclusive_maximum.is_none()
            && self.multiple_of.is_none();
        // An upper bound beyond i64 leaves all of i64 certain; other bounds that are no i64 leave nothing certain.
        let low = edge(&self.minimum, i64::MIN);
        let high = edge(&self.maximum, i64::MAX).or_else(|| {
            let beyond = Bound::new(i64::MAX.to_string())?;
            (self.maximum.as_ref()?.value > beyond.value).then_some(i64::MAX)
        });
        self.certain = if exact { low.zip(high) } else { None };
    }

    /// Whether a JSON number satisfies the rules; `integral` asks for an integer.
    pub(crate) fn accept(&self, text: &str, integral: bool) -> bool {
        if let (Some((low, high)), Some(value)) = (self.certain, plain(text))
            && low <= value
            && value <= high
        {
            return true;
        }
        if !integral && self.bounds().all(|bound| bound.is_none()) && self.multiple_of.is_none() {
            return self.is_finite(text);
        }
        let Some(value) = Decimal::parse(text) else {
            return false;
        };
        (!integral || value.is_integer())
            && self.within(&value)
            && (integral || (self.is_finite(text) && self.rounded_outside(text).is_none()))
    }

    /// The float that receives the number, if rounding has moved it onto a bound that is excluded.
    ///
    /// Rounding keeps the order of numbers, so no other bound can be passed by it.
    pub(crate) fn rounded_outside(&self, text: &str) -> Option<f64> {
        let value = self.rounded(text)?;
        let bound = |bound: &Option<Bound>| self.rounded(&bound.as_ref()?.text);
        let outside = bound(&self.exclusive_minimum).is_some_and(|bound| value <= bound)
            || bound(&self.exclusive_maximum).is_some_and(|bound| value >= bound);
        outside.then_some(value)
    }

    /// The float that receives a number, rounded as serde does.
    fn rounded(&self, text: &str) -> Option<f64> {
        let value = text.parse::<f64>().ok()?;
        Some(if self.single {
            f64::from(value as f32)
        } else {
            value
        })
    }

    /// Whether the value lies between the bounds and is a multiple, whatever its type.
    pub(crate) fn within(&self, value: &Decimal) -> bool {
        self.minimum
            .as_ref()
            .is_none_or(|bound| *value >= bound.value)
            && self
                .maximum
                .as_ref()
                .is_none_or(|bound| *value <= bound.value)
            && self
                .exclusive_minimum
                .as_ref()
                .is_none_or(|bound| *value > bound.value)
            && self
                .exclusive_maximum
                .as_ref()
                .is_none_or(|bound| *value < bound.value)
            && self
                .multiple_of
                .as_ref()
                .is_none_or(|step| value.is_multiple_of(&step.value))
    }

    /// Whether the float that receives the number can hold it: JSON's own limit of interoperable numbers (RFC 8259, section 6).
    pub(crate) fn is_finite(&self, text: &str) -> bool {
        if self.single {
            // Rounded as serde does, so that the largest float can be sent in the digits in which it is shown.
            self.rounded(text).is_some_and(f64::is_finite)
        } else {
            // Fewer than 300 characters without an exponent cannot leave the range of a double.
            (text.len() < 300 && !text.bytes().any(|byte| byte | 0x20 == b'e'))
                || text.parse::<f64>().is_ok_and(f64::is_finite)
        }
    }

    /// The four bounds, lowest first.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = Option<&Bound>> {
        [
            &self.minimum,
            &self.exclusive_minimum,
            &self.maximum,
            &self.exclusive_maximum,
        ]
        .into_iter()
        .map(Option::as_ref)
    }

    /// The rules that hold where both hold.
    pub(crate) fn merge(&mut self, other: Self) {
        narrow(&mut self.minimum, other.minimum, Ordering::Greater);
        narrow(
            &mut self.exclusive_minimum,
            other.exclusive_minimum,
            Ordering::Greater,
        );
        narrow(&mut self.maximum, other.maximum, Ordering::Less);
        narrow(
            &mut self.exclusive_maximum,
            other.exclusive_maximum,
            Ordering::Less,
        );
        if self.multiple_of.is_none() {
            self.multiple_of = other.multiple_of;
        }
        self.single |= other.single;
    }
}

/// Keeps the tighter of two bounds: the one that compares as `tighter` to the other.
pub(crate) fn narrow(bound: &mut Option<Bound>, other: Option<Bound>, tighter: Ordering) {
    match (&bound, other) {
        (Some(ours), Some(theirs)) if theirs.value.cmp(&ours.value) == tighter => {
            *bound = Some(theirs)
        }
        (None, Some(theirs)) => *bound = Some(theirs),
        _ => {}
    }
}

/// Whether a text is an integer in plain digits that a 64-bit float may not hold exactly.
///
/// Readers of JSON that know only such floats cannot send it as a number, so it may come as a string.
pub(crate) fn is_large_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = digits.len() >= 16
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Seventeen digits are always more; of sixteen the value decides.
    canonical
        && (digits.len() > 16
            || digits
                .parse::<i64>()
                .is_ok_and(|value| value > MAX_SAFE_INTEGER))
}

/// The value of digits that need no more than an i64 and no exponent or fraction.
fn plain(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let (negative, digits) = match bytes.split_first()? {
        (b'-', digits) => (true, digits),
        _ => (false, bytes),
    };
    // Eighteen digits always fit; nineteen may not, and the slow path knows.
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        for (one, other) in [
            ("5", "5.0"),
            ("1e0", "1"),
            ("-0", "0.00"),
            ("1E+2", "100"),
            ("0.10", "1e-1"),
        ] {
            assert_eq!(decimal(one), decimal(other), "{one} and {other}");
            assert_eq!(decimal(one).identity(), decimal(other).identity());
        }
    }

    #[test]
    fn neighbours_beyond_the_precision_of_a_double_differ() {
        assert!(decimal("9223372036854775807") < decimal("9223372036854775808"));
        assert!(decimal("18446744073709551615") < decimal("18446744073709551616"));
        assert!(decimal("-9223372036854775809") < decimal("-9223372036854775808"));
        assert!(decimal("1e400") > decimal("340282366920938463463374607431768211455"));
        assert!(decimal("1e-400") > decimal("0"));
    }

    #[test]
    fn integers_are_told_by_value() {
        for (text, integer) in [
            ("5.0", true),
            ("1e0", true),
            ("0.1", false),
            ("12e-1", false),
            ("120e-1", true),
            ("-0.0", true),
        ] {
            assert_eq!(decimal(text).is_integer(), integer, "{text}");
        }
        assert_eq!(decimal("-120e-1").integer_text().as_deref(), Some("-12"));
        assert_eq!(decimal("-0").integer_text().as_deref(), Some("0"));
        assert_eq!(decimal("1e400").integer_text(), None);
    }

    #[test]
    fn only_json_numbers_are_read() {
        for text in [
            "", "-", "1.", ".5", "1e", "1e+", "0x1", "1 ", "+1", "NaN", "1_0",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (value, step, multiple) in [
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("1e3", "7", false),
            ("49", "7", true),
            ("5", "0.5", true),
            ("0", "3", true),
        ] {
            assert_eq!(
                decimal(value).is_multiple_of(&decimal(step)),
                multiple,
                "{value} of {step}"
            );
        }
    }

    #[test]
    fn the_largest_float_is_one_in_its_own_digits() {
        let rules = NumberRules {
            single: true,
            ..NumberRules::default()
        };
        for (text, accepted) in [
            (f32::MAX.to_string(), true),
            ("3.4028235e38".to_owned(), true),
            ("-3.4028235e38".to_owned(), true),
            ("3.4028236e38".to_owned(), false),
            ("1e39".to_owned(), false),
        ] {
            assert_eq!(rules.accept(&text, false), accepted, "{text}");
            let decoded = serde_json::from_str::<f32>(&text);
            assert_eq!(decoded.is_ok_and(f32::is_finite), accepted, "{text}");
        }
    }

    #[test]
    fn certain_bounds_decide_like_the_slow_path() {
        let mut rules = NumberRules {
            minimum: Bound::new("0"),
            maximum: Bound::new("18446744073709551615"),
            ..NumberRules::default()
        };
        rules.prepare();
        for (text, accepted) in [
            ("0", true),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("-1", false),
            ("-0", true),
        ] {
            assert_eq!(rules.accept(text, true), accepted, "{text}");
        }
    }
}
