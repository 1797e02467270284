//! Values with parts: arrays, maps and structs, written part by part.
//!
//! Deliberately not here: scalars, and the decision which shape a value has.

use std::ops::Range;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::error::{Segment, WriteError};
use super::key::TextWriter;
use super::serializer::{Room, ValueWriter};
use super::string::write_str;

/// An array whose opening bracket is written.
pub(super) struct ArrayWriter<'a> {
    out: &'a mut Vec<u8>,
    room: Room,
    /// The place of the next element.
    index: usize,
    /// The enum's variant whose content this is, within an object of its own.
    variant: Option<&'static str>,
}

impl<'a> ArrayWriter<'a> {
    #[inline]
    pub(super) fn new(out: &'a mut Vec<u8>, room: Room, variant: Option<&'static str>) -> Self {
        out.push(b'[');
        Self {
            out,
            room,
            index: 0,
            variant,
        }
    }

    #[inline]
    fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        let index = self.index;
        if index > 0 {
            self.out.push(b',');
        }
        self.index += 1;
        let (out, room) = (&mut *self.out, self.room);
        value
            .serialize(ValueWriter { out, room })
            .map_err(|error| in_variant(error.within(Segment::Index(index)), self.variant))
    }

    #[inline]
    fn finish(self) {
        self.out.push(b']');
        if self.variant.is_some() {
            self.out.push(b'}');
        }
    }
}

/// The traits of serde that mean an array, each under its own names.
macro_rules! array {
    ($($shape:ident: $method:ident;)*) => {$(
        impl $shape for ArrayWriter<'_> {
            type Ok = ();
            type Error = WriteError;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
                self.write(value)
            }

            #[inline]
            fn end(self) -> Result<(), WriteError> {
                self.finish();
                Ok(())
            }
        }
    )*};
}

array! {
    SerializeSeq: serialize_element;
    SerializeTuple: serialize_element;
    SerializeTupleStruct: serialize_field;
    SerializeTupleVariant: serialize_field;
}

/// A map whose opening brace is written.
pub(super) struct MapWriter<'a> {
    out: &'a mut Vec<u8>,
    room: Room,
    is_first: bool,
    /// Where the last key stands in the buffer, with its quotes.
    key: Range<usize>,
}

impl<'a> MapWriter<'a> {
    #[inline]
    pub(super) fn new(out: &'a mut Vec<u8>, room: Room) -> Self {
        out.push(b'{');
        Self {
            out,
            room,
            is_first: true,
            key: 0..0,
        }
    }

    /// Adds the last key to an error's path, read back from the buffer so that success need not
    /// keep a copy.
    #[cold]
    fn at_key(&self, error: WriteError) -> WriteError {
        match serde_json::from_slice(&self.out[self.key.clone()]) {
            Ok(key) => error.within(Segment::Key(key)),
            // Every key is written as a JSON string, so this is a `Serialize` that gave a value
            // before any key.
            Err(_) => error,
        }
    }
}

impl SerializeMap for MapWriter<'_> {
    type Ok = ();
    type Error = WriteError;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), WriteError> {
        if !self.is_first {
            self.out.push(b',');
        }
        self.is_first = false;
        let start = self.out.len();
        key.serialize(TextWriter {
            out: self.out,
            room: self.room,
            is_raw: false,
        })?;
        self.key = start..self.out.len();
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteError> {
        self.out.push(b':');
        let (out, room) = (&mut *self.out, self.room);
        value
            .serialize(ValueWriter { out, room })
            .map_err(|error| self.at_key(error))
    }

    #[inline]
    fn end(self) -> Result<(), WriteError> {
        self.out.push(b'}');
        Ok(())
    }
}

/// A struct, or one of the two that stand for text which is JSON already.
pub(super) enum StructWriter<'a> {
    /// An object whose opening brace is written.
    Fields {
        out: &'a mut Vec<u8>,
        room: Room,
        is_first: bool,
        /// The enum's variant whose content this is, within an object of its own.
        variant: Option<&'static str>,
    },
    /// No object: the one field's text is all there is to write.
    Raw(ValueWriter<'a>),
}

impl<'a> StructWriter<'a> {
    #[inline]
    pub(super) fn new(out: &'a mut Vec<u8>, room: Room, variant: Option<&'static str>) -> Self {
        out.push(b'{');
        Self::Fields {
            out,
            room,
            is_first: true,
            variant,
        }
    }

    #[inline]
    fn write<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), WriteError> {
        match self {
            Self::Fields {
                out,
                room,
                is_first,
                variant,
            } => {
                let room = *room;
                if !*is_first {
                    out.push(b',');
                }
                *is_first = false;
                write_str(out, key);
                out.push(b':');
                value
                    .serialize(ValueWriter { out, room })
                    .map_err(|error| in_variant(error.within(Segment::Field(key)), *variant))
            }
            Self::Raw(ValueWriter { out, room }) => value.serialize(TextWriter {
                out,
                room: *room,
                is_raw: true,
            }),
        }
    }

    #[inline]
    fn finish(self) {
        if let Self::Fields { out, variant, .. } = self {
            out.push(b'}');
            if variant.is_some() {
                out.push(b'}');
            }
        }
    }
}

/// The traits of serde that mean an object with fields.
macro_rules! object {
    ($($shape:ident),*) => {$(
        impl $shape for StructWriter<'_> {
            type Ok = ();
            type Error = WriteError;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), WriteError> {
                self.write(key, value)
            }

            #[inline]
            fn end(self) -> Result<(), WriteError> {
                self.finish();
                Ok(())
            }
        }
    )*};
}

object!(SerializeStruct, SerializeStructVariant);

/// Adds the variant to the path of an error in its content.
#[cold]
fn in_variant(error: WriteError, variant: Option<&'static str>) -> WriteError {
    match variant {
        Some(variant) => error.within(Segment::Field(variant)),
        None => error,
    }
}
