//! Values as compact JSON on one line, straight into the output's buffer.
//!
//! It exists because `serde_json` writes NaN and the infinities as `null` without a word; here they
//! are an error that names its path. The path costs nothing while all is well: each level adds its
//! own step while the error passes through it. Deliberately not here: indentation, and any option.

use std::fmt::{self, Write as _};

use memchr::memchr2;
use serde::Serialize;
use serde::ser::{Error as _, Serializer};

use super::compound::{ArrayWriter, MapWriter, StructWriter};
use super::error::{Segment, WriteError, WriteFault};
use super::nesting::is_deeper_than;
use super::string::{write_str, write_str_contents};

/// Appends `value` as compact JSON without a line break.
///
/// The bytes are those of `serde_json`, except that line breaks between the tokens of a `RawValue`
/// are left out.
///
/// # Errors
///
/// A number that is not finite, a key that JSON cannot have, nesting beyond [`MAX_DEPTH`], or a
/// failure of the type's own `Serialize`. What was written until then stays in the buffer: the
/// caller notes its length before and truncates it.
pub(crate) fn write_value<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    value: &T,
) -> Result<(), WriteError> {
    let room = Room::default();
    value.serialize(ValueWriter { out, room })
}

/// Appends a value like [`write_value`], and drops it.
///
/// A value that is nested too deep is leaked instead: dropping it recurses as deep as it is nested,
/// which can exhaust the stack and end the process.
///
/// # Errors
///
/// Those of [`write_value`].
pub(crate) fn write_owned<T: Serialize>(out: &mut Vec<u8>, value: T) -> Result<(), WriteError> {
    let written = write_value(out, &value);
    if let Err(error) = &written {
        error.release(value);
    }
    written
}

/// Gives a value back that [`write_value`] can write, and leaks one that is nested too deep, like [`write_owned`].
///
/// # Errors
///
/// Those of [`write_value`].
pub(crate) fn bounded<T: Serialize>(value: T) -> Result<T, WriteError> {
    match write_value(&mut Vec::new(), &value) {
        Ok(()) => Ok(value),
        Err(error) => {
            error.release(value);
            Err(error)
        }
    }
}

/// The serializer of one value.
pub(super) struct ValueWriter<'a> {
    pub(super) out: &'a mut Vec<u8>,
    /// How much deeper the value may go.
    pub(super) room: Room,
}

/// How much deeper a value may go; its own frames on the stack are bounded by it.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Arrays and objects within each other.
    levels: usize,
    /// Calls within each other. Options and newtypes add no level, but a type can recurse by them alone.
    calls: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            levels: MAX_DEPTH,
            calls: MAX_CALLS,
        }
    }
}

impl Room {
    /// The room within an array or an object.
    #[inline]
    fn level(self) -> Result<Self, WriteError> {
        let levels = self.levels.checked_sub(1);
        let levels = levels.ok_or_else(too_deep)?;
        Self { levels, ..self }.call()
    }

    /// The room within an option or a newtype.
    #[inline]
    pub(super) fn call(self) -> Result<Self, WriteError> {
        let calls = self.calls.checked_sub(1);
        let calls = calls.ok_or_else(too_deep)?;
        Ok(Self { calls, ..self })
    }

    /// Accepts text that is JSON as a value at this place.
    pub(super) fn admit(self, json: &str) -> Result<(), WriteError> {
        if is_deeper_than(json.as_bytes(), self.levels) {
            return Err(too_deep());
        }
        Ok(())
    }
}

#[cold]
fn too_deep() -> WriteError {
    WriteError::new(WriteFault::TooDeep)
}

/// Arrays and objects within each other that a value may have.
pub(crate) const MAX_DEPTH: usize = 128;

/// Calls of the serializer within each other: a level of a value takes one, and mostly one more for an option.
const MAX_CALLS: usize = 4 * MAX_DEPTH;

/// `serde_json` hands over a `RawValue` as a struct of this name with one field, a string that is
/// JSON.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The same for a `Number` where some crate of the program has turned on
/// `serde_json/arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

macro_rules! integers {
    ($($method:ident($ty:ty);)*) => {$(
        #[inline]
        fn $method(self, value: $ty) -> Result<(), WriteError> {
            write_integer(self.out, value);
            Ok(())
        }
    )*};
}

impl<'a> Serializer for ValueWriter<'a> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = ArrayWriter<'a>;
    type SerializeTuple = ArrayWriter<'a>;
    type SerializeTupleStruct = ArrayWriter<'a>;
    type SerializeTupleVariant = ArrayWriter<'a>;
    type SerializeMap = MapWriter<'a>;
    type SerializeStruct = StructWriter<'a>;
    type SerializeStructVariant = StructWriter<'a>;

    integers! {
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), WriteError> {
        self.out
            .extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<(), WriteError> {
        if !value.is_finite() {
            return Err(WriteError::new(WriteFault::NotFinite(value.into())));
        }
        write_float(self.out, value);
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<(), WriteError> {
        if !value.is_finite() {
            return Err(WriteError::new(WriteFault::NotFinite(value)));
        }
        write_float(self.out, value);
        Ok(())
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<(), WriteError> {
        write_str(self.out, value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), WriteError> {
        write_str(self.out, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), WriteError> {
        self.out.push(b'[');
        for (index, &byte) in value.iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            write_integer(self.out, byte);
        }
        self.out.push(b']');
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> Result<(), WriteError> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WriteError> {
        let room = self.room.call()?;
        value.serialize(Self { room, ..self })
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), WriteError> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), WriteError> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), WriteError> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        let room = self.room.call()?;
        value.serialize(Self { room, ..self })
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        let room = self.room.level()?;
        begin_variant(self.out, variant);
        let out = &mut *self.out;
        value
            .serialize(ValueWriter { out, room })
            .map_err(|error| error.within(Segment::Field(variant)))?;
        self.out.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<ArrayWriter<'a>, WriteError> {
        Ok(ArrayWriter::new(self.out, self.room.level()?, None))
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<ArrayWriter<'a>, WriteError> {
        Ok(ArrayWriter::new(self.out, self.room.level()?, None))
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ArrayWriter<'a>, WriteError> {
        Ok(ArrayWriter::new(self.out, self.room.level()?, None))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ArrayWriter<'a>, WriteError> {
        let room = self.room.level()?.level()?;
        begin_variant(self.out, variant);
        Ok(ArrayWriter::new(self.out, room, Some(variant)))
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<MapWriter<'a>, WriteError> {
        Ok(MapWriter::new(self.out, self.room.level()?))
    }

    #[inline]
    fn serialize_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<StructWriter<'a>, WriteError> {
        if name == RAW_VALUE || name == NUMBER {
            return Ok(StructWriter::Raw(self));
        }
        Ok(StructWriter::new(self.out, self.room.level()?, None))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<StructWriter<'a>, WriteError> {
        let room = self.room.level()?.level()?;
        begin_variant(self.out, variant);
        Ok(StructWriter::new(self.out, room, Some(variant)))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), WriteError> {
        write_display(self.out, value)
    }
}

/// Opens the object around a variant that has content; the content follows, and then one closing
/// brace.
fn begin_variant(out: &mut Vec<u8>, variant: &str) {
    out.push(b'{');
    write_str(out, variant);
    out.push(b':');
}

/// Appends an integer in decimal digits.
#[inline]
pub(super) fn write_integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a number that is finite, with the fewest digits that read back as the same number.
#[inline]
pub(super) fn write_float(out: &mut Vec<u8>, value: impl zmij::Float) {
    out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
}

/// Appends text that is JSON as it is, but on one line.
pub(super) fn write_raw(out: &mut Vec<u8>, json: &str) {
    let mut rest = json.as_bytes();
    // A line break in JSON stands between two tokens, where nothing depends on it, never in a
    // string or a number.
    while let Some(at) = memchr2(b'\n', b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// Appends what a value displays as a JSON string, piece by piece as it comes.
pub(super) fn write_display(
    out: &mut Vec<u8>,
    value: &(impl fmt::Display + ?Sized),
) -> Result<(), WriteError> {
    struct Contents<'a>(&'a mut Vec<u8>);

    impl fmt::Write for Contents<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            write_str_contents(self.0, text);
            Ok(())
        }
    }

    out.push(b'"');
    // Writing to the buffer cannot fail, so a failure is the value's own.
    write!(Contents(out), "{value}")
        .map_err(|_| WriteError::custom("the value could not be displayed"))?;
    out.push(b'"');
    Ok(())
}

#[cfg(test)]
mod tests;
