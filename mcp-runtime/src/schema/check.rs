//! Checking a value against a schema: one pass over its JSON text, with no tree of values in between.
//!
//! The same code answers yes or no, without allocating for most values, and collects the faults when the answer was no: the two
//! cannot disagree.

use super::cursor::{Cursor, Kind, Text};
use super::fault::{self, Fault, LISTED, Path};
use super::identity::{equals, identity};
use super::node::{Additional, ArrayRules, Node, ObjectRules, StringRules, Types};
use super::number::is_large_integer;
use super::parse::Definitions;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Schemas that are applied within each other: mostly one to three for each level of a value.
const DEPTH: usize = 512;

/// Checking has ended early: with the first fault if only the answer counts, or because it would have taken too long.
#[derive(Debug)]
pub(crate) struct Stop;

/// What becomes of faults.
pub(crate) trait Report {
    /// Whether faults are wanted, or only whether there are any.
    const COLLECTS: bool;

    /// Takes a fault; `Err` ends the check.
    fn fault(&mut self, fault: impl FnOnce() -> Fault) -> Result<(), Stop>;
}

/// Ends at the first fault, which is never made.
#[derive(Debug)]
pub(crate) struct Silent;

impl Report for Silent {
    const COLLECTS: bool = false;

    fn fault(&mut self, _: impl FnOnce() -> Fault) -> Result<(), Stop> {
        Err(Stop)
    }
}

/// Collects what is wrong; after [`LISTED`] faults, one more says that there are others.
#[derive(Debug, Default)]
pub(crate) struct Collected(pub(crate) Vec<Fault>);

impl Report for Collected {
    const COLLECTS: bool = true;

    fn fault(&mut self, fault: impl FnOnce() -> Fault) -> Result<(), Stop> {
        if self.0.len() == LISTED {
            self.0.push(Fault::whole(fault::MORE));
            return Err(Stop);
        }
        self.0.push(fault());
        Ok(())
    }
}

/// Whether a string may stand for an integer that a 64-bit float cannot hold: clients that read numbers as such floats have no
/// other way to send it exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntegerStrings {
    /// It may, in what clients send.
    Accepted,
    /// It may not, in what is sent to them.
    Refused,
}

/// The digits of the string at the cursor, if it holds a large integer and the schema takes integers but no strings.
pub(crate) fn integer_string<'t>(
    node: &Node,
    definitions: &Definitions,
    mut cursor: Cursor<'t>,
) -> Option<Cow<'t, str>> {
    if !node.types.contains(Types::INTEGER) || cursor.kind() != Some(Kind::String) {
        return None;
    }
    let text = cursor.string()?;
    if !text
        .inner
        .starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '\\'))
    {
        return None;
    }
    let digits = text.decode().filter(|text| is_large_integer(text))?;
    let types = fault::accepted(node, definitions, 0);
    (types.contains(Types::INTEGER) && !types.contains(Types::STRING)).then_some(digits)
}

/// Whether a JSON value satisfies a schema.
pub(crate) fn accepts(
    node: &Node,
    definitions: &Definitions,
    text: &str,
    strings: IntegerStrings,
) -> bool {
    Checker::new(definitions, text, strings, Silent)
        .value(node, &mut Cursor::new(text), &Path::Value)
        .is_ok()
}

/// All that is wrong with a JSON value.
pub(crate) fn faults(
    node: &Node,
    definitions: &Definitions,
    text: &str,
    strings: IntegerStrings,
    path: &Path<'_>,
) -> Vec<Fault> {
    let mut checker = Checker::new(definitions, text, strings, Collected::default());
    let end = checker.value(node, &mut Cursor::new(text), path);
    let mut faults = checker.report.0;
    if end.is_err() && faults.is_empty() {
        faults.push(Fault::whole(
            "nested too deep, or too many alternatives fit in part: a simpler value is needed",
        ));
    }
    faults.sort_by_key(|fault| fault.missing_position().unwrap_or(usize::MAX));
    faults
}

/// A check under way.
pub(crate) struct Checker<'s, R> {
    pub(super) definitions: &'s Definitions,
    /// Steps left. Alternatives inside alternatives are tried again and again; this bounds the work to a multiple of the text.
    pub(super) steps: usize,
    /// Calls within each other that are left, which bounds the stack.
    pub(super) depth: usize,
    pub(super) report: R,
    pub(super) strings: IntegerStrings,
    /// Whether a string was refused that may stand for an integer.
    refused_string: bool,
}

impl<'s, R: Report> Checker<'s, R> {
    fn new(definitions: &'s Definitions, text: &str, strings: IntegerStrings, report: R) -> Self {
        Self {
            definitions,
            steps: text.len().saturating_mul(64).saturating_add(100_000),
            depth: DEPTH,
            report,
            strings,
            refused_string: false,
        }
    }

    /// A check of the same value by another schema, which spends the same steps.
    pub(super) fn inner<I: Report>(&self, strings: IntegerStrings, report: I) -> Checker<'s, I> {
        Checker {
            definitions: self.definitions,
            steps: self.steps,
            depth: self.depth,
            report,
            strings,
            refused_string: false,
        }
    }

    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Stop)
    }

    /// Checks the value at the cursor and passes over it.
    pub(super) fn value(
        &mut self,
        node: &Node,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        let Some(depth) = self.depth.checked_sub(1) else {
            // Like any other check that would take too much: it has no answer, whoever asked for it.
            self.steps = 0;
            return Err(Stop);
        };
        self.depth = depth;
        let checked = self.applied(node, cursor, path);
        self.depth += 1;
        checked
    }

    fn applied(
        &mut self,
        node: &Node,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        self.spend(1)?;
        let start = *cursor;
        let kind = cursor.kind().ok_or(Stop)?;
        if kind == Kind::String
            && let Some(digits) = integer_string(node, self.definitions, start)
        {
            match self.strings {
                IntegerStrings::Accepted => {
                    cursor.skip().ok_or(Stop)?;
                    return self.value(node, &mut Cursor::new(&digits), path);
                }
                IntegerStrings::Refused => self.refused_string = true,
            }
        }
        if !node.types.contains(lenient(kind)) {
            return self.mismatch(node, cursor, path);
        }
        if let Some(values) = &node.values {
            let text = cursor.skip().ok_or(Stop)?;
            if !values.iter().any(|value| equals(text, value)) {
                self.report
                    .fault(|| Fault::unlisted(node, self.definitions, text, path))?;
                return Ok(());
            }
            *cursor = start;
        }
        match kind {
            Kind::Null | Kind::Boolean => {
                cursor.word().ok_or(Stop)?;
            }
            Kind::Number => {
                let text = cursor.word().ok_or(Stop)?;
                let integral = !node.types.contains(Types::NUMBER);
                if !node.number.accept(text, integral) {
                    self.report
                        .fault(|| Fault::out_of_range(node, self.definitions, text, path))?;
                }
            }
            Kind::String => {
                let text = cursor.string().ok_or(Stop)?;
                self.string(&node.string, text, path)?;
            }
            Kind::Array => match &node.array {
                Some(rules) => self.array(rules, cursor, path)?,
                None => self.unruled(node, cursor, path)?,
            },
            Kind::Object => match &node.object {
                Some(rules) => self.object(rules, cursor, path)?,
                None => self.unruled(node, cursor, path)?,
            },
        }
        if node.is_compound() {
            self.in_place(node, start, path)
        } else {
            Ok(())
        }
    }

    pub(super) fn mismatch(
        &mut self,
        node: &Node,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        // Told apart before the value is passed over, so that a refusal costs nothing when only the answer counts.
        let mut ahead = *cursor;
        let definitions = self.definitions;
        self.report.fault(|| {
            let text = ahead.skip().unwrap_or_default();
            let mut sentence = format!(
                "expected {}, found {}",
                fault::expected(node, definitions, false),
                fault::found(text)
            );
            if path.is_in_result() && text == "null" && node.types.contains(Types::NUMBER) {
                sentence.push_str(" (NaN and the infinities are not JSON)");
            }
            if let Some(fix) = fault::unquoted(node, definitions, text) {
                sentence.push_str("; ");
                sentence.push_str(&fix);
            }
            Fault::at(path, sentence)
        })?;
        cursor.skip().ok_or(Stop)?;
        Ok(())
    }

    fn string(&mut self, rules: &StringRules, text: Text<'_>, path: &Path<'_>) -> Result<(), Stop> {
        if (rules.minimum.is_some() || rules.maximum.is_some())
            && !text.fits(
                rules.minimum.unwrap_or(0),
                rules.maximum.unwrap_or(u64::MAX),
            )
        {
            self.report.fault(|| {
                let limits = fault::amount(rules.minimum, rules.maximum, "character");
                Fault::at(
                    path,
                    format_args!("expected {limits}, found {}", text.length()),
                )
            })?;
        }
        if let Some(pattern) = &rules.pattern {
            let content = text.decode().ok_or(Stop)?;
            if !pattern.regex.is_match(&content) {
                self.report.fault(|| {
                    let found = fault::found(text.quoted);
                    Fault::at(
                        path,
                        format_args!(
                            "expected a string that matches the pattern `{}`, found {found}",
                            pattern.source
                        ),
                    )
                })?;
            }
        }
        if let Some(format) = rules.enforced {
            let content = text.decode().ok_or(Stop)?;
            if !format.accepts(&content) {
                self.report.fault(|| {
                    let found = fault::found(text.quoted);
                    Fault::at(
                        path,
                        format_args!("expected {}, found {found}", format.noun()),
                    )
                })?;
            }
        }
        Ok(())
    }

    fn array(
        &mut self,
        rules: &ArrayRules,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        cursor.enter(b'[').ok_or(Stop)?;
        let mut first = true;
        let mut length = 0_usize;
        let mut seen = BTreeSet::new();
        while cursor.next(&mut first, b']').ok_or(Stop)? {
            let place = Path::Item(path, length);
            if rules.unique {
                let mut ahead = *cursor;
                let text = ahead.skip().ok_or(Stop)?;
                let items = rules.prefix.get(length).or(rules.items.as_ref());
                let digits = items.and_then(|node| integer_string(node, self.definitions, *cursor));
                let text = digits.as_deref().unwrap_or(text);
                if !seen.insert(identity(text).ok_or(Stop)?) {
                    self.report.fault(|| {
                        Fault::at(&place, "each element may stand in the array only once")
                    })?;
                }
            }
            match rules.prefix.get(length).or(rules.items.as_ref()) {
                Some(node) => self.value(node, cursor, &place)?,
                None => self.free(cursor, &place)?,
            }
            length += 1;
        }
        self.size(rules.minimum, rules.maximum, length, "element", path)
    }

    fn size(
        &mut self,
        minimum: Option<u64>,
        maximum: Option<u64>,
        size: usize,
        noun: &str,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        let found = size as u64;
        if minimum.is_some_and(|minimum| found < minimum)
            || maximum.is_some_and(|maximum| found > maximum)
        {
            self.report.fault(|| {
                Fault::at(
                    path,
                    format_args!(
                        "expected {}, found {found}",
                        fault::amount(minimum, maximum, noun)
                    ),
                )
            })?;
        }
        Ok(())
    }

    fn object(
        &mut self,
        rules: &ObjectRules,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        cursor.enter(b'{').ok_or(Stop)?;
        let mut first = true;
        let mut count = 0_usize;
        let mut hint = 0;
        let mut seen = Seen::default();
        let mut others = BTreeSet::new();
        while cursor.next(&mut first, b'}').ok_or(Stop)? {
            let key = cursor.key().ok_or(Stop)?.decode().ok_or(Stop)?;
            count += 1;
            let index = rules.find(&key, hint);
            let place = match index.and_then(|index| rules.members.get(index)) {
                Some(member) if !member.required => Path::Optional(path, &key),
                _ => Path::Member(path, &key),
            };
            if let Some(index) = index {
                let member = &rules.members[index];
                hint = index + 1;
                if !seen.insert(index) {
                    self.report
                        .fault(|| Fault::excess(&place, "given more than once"))?;
                }
                if member.nullable && cursor.kind() == Some(Kind::Null) {
                    cursor.skip().ok_or(Stop)?;
                    count -= 1;
                } else {
                    self.value(&member.node, cursor, &place)?;
                }
                continue;
            }
            self.other(rules, &key, cursor, path, &place)?;
            if !others.insert(key.clone()) {
                self.report
                    .fault(|| Fault::excess(&place, "given more than once"))?;
            }
        }
        for (index, member) in rules.members.iter().enumerate() {
            if member.required && !seen.contains(index) {
                self.report
                    .fault(|| Fault::missing(path, &member.name, index))?;
            }
        }
        self.size(rules.minimum, rules.maximum, count, "member", path)
    }

    /// Checks a member that the schema does not name.
    fn other(
        &mut self,
        rules: &ObjectRules,
        key: &str,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
        place: &Path<'_>,
    ) -> Result<(), Stop> {
        if let Some(names) = &rules.names
            && !names.regex.is_match(key)
        {
            self.report.fault(|| {
                Fault::excess(
                    place,
                    format_args!("the name has to match the pattern `{}`", names.source),
                )
            })?;
        }
        let start = *cursor;
        let mut matched = false;
        for (pattern, node) in &rules.patterns {
            if pattern.regex.is_match(key) {
                matched = true;
                self.value(node, &mut start.clone(), place)?;
            }
        }
        match &rules.additional {
            Additional::Schema(node) if !matched => self.value(node, cursor, place),
            Additional::Refused if !matched => {
                let known = rules.members.iter().map(|member| member.name.as_str());
                self.report.fault(|| Fault::unknown(path, key, known))?;
                cursor.skip().ok_or(Stop)?;
                Ok(())
            }
            // The patterns' own schemas have looked at it.
            _ if matched => {
                cursor.skip().ok_or(Stop)?;
                Ok(())
            }
            _ => self.free(cursor, place),
        }
    }

    /// Passes over a value for whose kind a schema has no rules of its own; other schemas may apply to it.
    fn unruled(
        &mut self,
        node: &Node,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        if node.is_compound() {
            cursor.skip().ok_or(Stop)?;
            return Ok(());
        }
        self.free(cursor, path)
    }

    /// Passes over a value of which no schema says anything; only members that are given twice are faults, in what clients
    /// send.
    fn free(&mut self, cursor: &mut Cursor<'_>, path: &Path<'_>) -> Result<(), Stop> {
        let kind = cursor.kind().ok_or(Stop)?;
        if !matches!(kind, Kind::Array | Kind::Object) || self.strings == IntegerStrings::Refused {
            cursor.skip().ok_or(Stop)?;
            return Ok(());
        }
        self.spend(1)?;
        self.depth = self.depth.checked_sub(1).ok_or(Stop)?;
        let mut first = true;
        if kind == Kind::Array {
            cursor.enter(b'[').ok_or(Stop)?;
            let mut length = 0_usize;
            while cursor.next(&mut first, b']').ok_or(Stop)? {
                self.free(cursor, &Path::Item(path, length))?;
                length += 1;
            }
        } else {
            cursor.enter(b'{').ok_or(Stop)?;
            let mut seen = BTreeSet::new();
            while cursor.next(&mut first, b'}').ok_or(Stop)? {
                let key = cursor.key().ok_or(Stop)?.decode().ok_or(Stop)?;
                let place = Path::Member(path, &key);
                self.free(cursor, &place)?;
                if !seen.insert(key.clone()) {
                    self.report
                        .fault(|| Fault::excess(&place, "given more than once"))?;
                }
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Checks the value at `start` against the other schemas that apply to it.
    fn in_place(&mut self, node: &Node, start: Cursor<'_>, path: &Path<'_>) -> Result<(), Stop> {
        if let Some(index) = node.reference {
            let definitions = self.definitions;
            let (_, target) = definitions.get(index).ok_or(Stop)?;
            self.value(target, &mut start.clone(), path)?;
        }
        for part in &node.all_of {
            self.value(part, &mut start.clone(), path)?;
        }
        if !node.any_of.is_empty() && self.fitting(&node.any_of, start, 1)? == 0 {
            self.explain(&node.any_of, start, path)?;
        }
        if !node.one_of.is_empty() {
            match self.fitting(&node.one_of, start, 2)? {
                0 => self.explain(&node.one_of, start, path)?,
                1 => {}
                _ => self
                    .report
                    .fault(|| Fault::at(path, "more than one of the alternatives fits"))?,
            }
        }
        if let Some(not) = &node.not
            && self.fits(not, start, IntegerStrings::Refused)?
        {
            let text = start.clone().skip().ok_or(Stop)?;
            self.report.fault(|| {
                Fault::at(
                    path,
                    format_args!("this value is excluded: {}", fault::found(text)),
                )
            })?;
        }
        Ok(())
    }

    /// How many alternatives accept the value, counted up to `enough`.
    ///
    /// A string is what it is if an alternative accepts it so; only otherwise may it stand for an integer.
    fn fitting(
        &mut self,
        alternatives: &[Node],
        start: Cursor<'_>,
        enough: usize,
    ) -> Result<usize, Stop> {
        let before = std::mem::replace(&mut self.refused_string, false);
        let mut fitting = self.count(alternatives, start, enough, IntegerStrings::Refused)?;
        if fitting == 0 && self.refused_string && self.strings == IntegerStrings::Accepted {
            fitting = self.count(alternatives, start, enough, IntegerStrings::Accepted)?;
        }
        self.refused_string |= before;
        Ok(fitting)
    }

    fn count(
        &mut self,
        alternatives: &[Node],
        start: Cursor<'_>,
        enough: usize,
        strings: IntegerStrings,
    ) -> Result<usize, Stop> {
        let mut fitting = 0;
        for alternative in alternatives {
            fitting += usize::from(self.fits(alternative, start, strings)?);
            if fitting == enough {
                break;
            }
        }
        Ok(fitting)
    }

    /// Whether one alternative accepts the value, told without a word about it.
    fn fits(
        &mut self,
        node: &Node,
        start: Cursor<'_>,
        strings: IntegerStrings,
    ) -> Result<bool, Stop> {
        let mut checker = self.inner(strings, Silent);
        let mut end = start;
        let fits = checker.value(node, &mut end, &Path::Value).is_ok();
        self.steps = checker.steps;
        self.refused_string |= checker.refused_string;
        self.spend(end.distance(&start))?;
        // A check that ran out of steps has no answer, not a negative one.
        if !fits && self.steps == 0 {
            Err(Stop)
        } else {
            Ok(fits)
        }
    }
}

/// The type that a set must have for a value of this kind to be in it; numbers are looked at more closely later.
pub(super) fn lenient(kind: Kind) -> Types {
    match kind {
        Kind::Null => Types::NULL,
        Kind::Boolean => Types::BOOLEAN,
        Kind::Number => Types::INTEGER,
        Kind::String => Types::STRING,
        Kind::Array => Types::ARRAY,
        Kind::Object => Types::OBJECT,
    }
}

/// Which members have been met.
#[derive(Default)]
struct Seen {
    first: u64,
    others: Vec<u64>,
}

impl Seen {
    /// Adds a member; `false` if it was there.
    fn insert(&mut self, index: usize) -> bool {
        let bit = 1_u64 << (index % 64);
        let word = match index / 64 {
            0 => &mut self.first,
            word => {
                if self.others.len() < word {
                    self.others.resize(word, 0);
                }
                &mut self.others[word - 1]
            }
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn contains(&self, index: usize) -> bool {
        let word = match index / 64 {
            0 => self.first,
            word => self.others.get(word - 1).copied().unwrap_or(0),
        };
        word & (1_u64 << (index % 64)) != 0
    }
}
