//! What JSON takes only as text: the keys of maps, and text that is JSON already.
//!
//! Deliberately not here: any value with parts; each is refused.

use std::fmt;

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use super::error::{WriteError, WriteFault};
use super::serializer::{Room, write_display, write_float, write_integer, write_raw};
use super::string::write_str;

/// Writes a scalar as a JSON string, or text that is JSON as it is.
pub(super) struct TextWriter<'a> {
    pub(super) out: &'a mut Vec<u8>,
    /// How much deeper the value may go.
    pub(super) room: Room,
    /// Whether a string is JSON text that goes out without quotes and escapes.
    pub(super) is_raw: bool,
}

/// The scalars that are the same but for their type.
macro_rules! quoted {
    ($($method:ident($ty:ty) with $write:path;)*) => {$(
        #[inline]
        fn $method(self, value: $ty) -> Result<(), WriteError> {
            self.out.push(b'"');
            $write(self.out, value);
            self.out.push(b'"');
            Ok(())
        }
    )*};
}

impl Serializer for TextWriter<'_> {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = Impossible<(), WriteError>;
    type SerializeTuple = Impossible<(), WriteError>;
    type SerializeTupleStruct = Impossible<(), WriteError>;
    type SerializeTupleVariant = Impossible<(), WriteError>;
    type SerializeMap = Impossible<(), WriteError>;
    type SerializeStruct = Impossible<(), WriteError>;
    type SerializeStructVariant = Impossible<(), WriteError>;

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), WriteError> {
        if self.is_raw {
            self.room.admit(value)?;
            write_raw(self.out, value);
        } else {
            write_str(self.out, value);
        }
        Ok(())
    }

    quoted! {
        serialize_i8(i8) with write_integer;
        serialize_i16(i16) with write_integer;
        serialize_i32(i32) with write_integer;
        serialize_i64(i64) with write_integer;
        serialize_i128(i128) with write_integer;
        serialize_u8(u8) with write_integer;
        serialize_u16(u16) with write_integer;
        serialize_u32(u32) with write_integer;
        serialize_u64(u64) with write_integer;
        serialize_u128(u128) with write_integer;
    }

    fn serialize_bool(self, value: bool) -> Result<(), WriteError> {
        write_str(self.out, if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), WriteError> {
        if !value.is_finite() {
            return Err(WriteError::new(WriteFault::NotFiniteKey(value.into())));
        }
        self.out.push(b'"');
        write_float(self.out, value);
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), WriteError> {
        if !value.is_finite() {
            return Err(WriteError::new(WriteFault::NotFiniteKey(value)));
        }
        self.out.push(b'"');
        write_float(self.out, value);
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), WriteError> {
        write_str(self.out, value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), WriteError> {
        write_str(self.out, variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        let room = self.room.call()?;
        value.serialize(Self { room, ..self })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WriteError> {
        let room = self.room.call()?;
        value.serialize(Self { room, ..self })
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), WriteError> {
        write_display(self.out, value)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), WriteError> {
        Err(not_a_key())
    }

    fn serialize_none(self) -> Result<(), WriteError> {
        Err(not_a_key())
    }

    fn serialize_unit(self) -> Result<(), WriteError> {
        Err(not_a_key())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), WriteError> {
        Err(not_a_key())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), WriteError> {
        Err(not_a_key())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, WriteError> {
        Err(not_a_key())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, WriteError> {
        Err(not_a_key())
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, WriteError> {
        Err(not_a_key())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, WriteError> {
        Err(not_a_key())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, WriteError> {
        Err(not_a_key())
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStruct, WriteError> {
        Err(not_a_key())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, WriteError> {
        Err(not_a_key())
    }
}

#[cold]
fn not_a_key() -> WriteError {
    WriteError::new(WriteFault::NotAKey)
}
