//! Reads the known members of a JSON object, borrowed, without ever failing on its shape.
//!
//! A derived `Deserialize` answers a wrong shape with a syntax error's type and takes arrays for structs;
//! the checks of a server need to know *which* rule was broken, in their own order.
//!
//! Objects are read into a place that the reader was given: they are large, and handing them up from one function
//! to the next would cost more than reading some of their members.

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::value::RawValue;

/// What stood where an object may stand.
#[derive(Debug, Clone)]
pub(crate) enum Shape<T> {
    /// An object.
    Object(T),
    /// JSON `null`.
    Null,
    /// An array.
    Array,
    /// A string, number or boolean.
    Scalar,
}

impl<T> Shape<T> {
    /// Makes it an object, and gives that.
    pub(crate) fn insert(&mut self, object: T) -> &mut T {
        *self = Self::Object(object);
        match self {
            Self::Object(object) => object,
            Self::Null | Self::Array | Self::Scalar => unreachable!("it was made an object above"),
        }
    }
}

/// What is read from JSON in the place where it stands.
pub(crate) trait Read<'de> {
    /// Reads it; what stood there before is lost.
    fn read<D: Deserializer<'de>>(&mut self, deserializer: D) -> Result<(), D::Error>;
}

impl<'de> Read<'de> for Option<&'de RawValue> {
    fn read<D: Deserializer<'de>>(&mut self, deserializer: D) -> Result<(), D::Error> {
        *self = Some(Deserialize::deserialize(deserializer)?);
        Ok(())
    }
}

impl<'de, T> Read<'de> for Option<Shape<T>>
where
    Shape<T>: Read<'de>,
{
    fn read<D: Deserializer<'de>>(&mut self, deserializer: D) -> Result<(), D::Error> {
        self.insert(Shape::Null).read(deserializer)
    }
}

/// A place to read into.
pub(crate) struct Place<'p, T>(pub(crate) &'p mut T);

impl<'de, T: Read<'de>> DeserializeSeed<'de> for Place<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.read(deserializer)
    }
}

/// Reads a whole text.
pub(crate) fn read_text<'de>(
    text: &'de str,
    place: &mut impl Read<'de>,
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    place.read(&mut deserializer)?;
    deserializer.end()
}

/// Declares a struct of optional members and reads it from an object in one pass.
///
/// Unknown members are skipped, and `unknown` tells that there were some. `duplicate` names the first member that came twice.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Name:ident<$lifetime:lifetime $(, $P:ident)?> {
            $( $(#[$field_meta:meta])* $field:ident: $ty:ty = $key:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        $vis struct $Name<$lifetime $(, $P)?> {
            $( $(#[$field_meta])* $vis $field: Option<$ty>, )*
            /// The first member that came twice.
            $vis duplicate: Option<&'static str>,
            /// Whether there were members that are not declared.
            $vis unknown: bool,
        }

        impl<$lifetime $(, $P)?> $Name<$lifetime $(, $P)?> {
            /// The names of all declared members.
            #[allow(dead_code, reason = "most objects are asked for no more than their members' values")]
            $vis const MEMBERS: &'static [&'static str] = &[$($key),*];

            /// An object without members.
            $vis const EMPTY: Self = Self { $( $field: None, )* duplicate: None, unknown: false };
        }

        impl<$lifetime $(, $P)?> $crate::jsonrpc::Read<$lifetime> for $crate::jsonrpc::Shape<$Name<$lifetime $(, $P)?>>
        $(where Option<$P>: $crate::jsonrpc::Read<$lifetime>)?
        {
            fn read<D: serde::Deserializer<$lifetime>>(&mut self, deserializer: D) -> Result<(), D::Error> {
                #[allow(non_camel_case_types, reason = "the variants are the fields' names")]
                enum Member { $( $field, )* Unknown }

                struct MemberVisitor;
                impl serde::de::Visitor<'_> for MemberVisitor {
                    type Value = Member;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a member's name")
                    }
                    fn visit_str<E>(self, name: &str) -> Result<Member, E> {
                        Ok(match name { $( $key => Member::$field, )* _ => Member::Unknown })
                    }
                }
                impl<'de> serde::de::DeserializeSeed<'de> for MemberVisitor {
                    type Value = Member;
                    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Member, D::Error> {
                        deserializer.deserialize_identifier(self)
                    }
                }

                struct ObjectVisitor<'p, T>(&'p mut $crate::jsonrpc::Shape<T>);
                impl<T> ObjectVisitor<'_, T> {
                    fn is<E>(self, shape: $crate::jsonrpc::Shape<T>) -> Result<(), E> {
                        *self.0 = shape;
                        Ok(())
                    }
                }
                impl<$lifetime $(, $P)?> serde::de::Visitor<$lifetime> for ObjectVisitor<'_, $Name<$lifetime $(, $P)?>>
                $(where Option<$P>: $crate::jsonrpc::Read<$lifetime>)?
                {
                    type Value = ();
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a JSON value")
                    }
                    fn visit_map<A: serde::de::MapAccess<$lifetime>>(self, mut map: A) -> Result<(), A::Error> {
                        let object = self.0.insert($Name::EMPTY);
                        while let Some(member) = map.next_key_seed(MemberVisitor)? {
                            match member {
                                $( Member::$field => {
                                    if object.$field.is_some() {
                                        object.duplicate.get_or_insert($key);
                                    }
                                    map.next_value_seed($crate::jsonrpc::Place(&mut object.$field))?;
                                } )*
                                Member::Unknown => {
                                    object.unknown = true;
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(())
                    }
                    fn visit_seq<A: serde::de::SeqAccess<$lifetime>>(self, mut seq: A) -> Result<(), A::Error> {
                        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                        self.is($crate::jsonrpc::Shape::Array)
                    }
                    fn visit_unit<E>(self) -> Result<(), E> { self.is($crate::jsonrpc::Shape::Null) }
                    fn visit_bool<E>(self, _: bool) -> Result<(), E> { self.is($crate::jsonrpc::Shape::Scalar) }
                    fn visit_i64<E>(self, _: i64) -> Result<(), E> { self.is($crate::jsonrpc::Shape::Scalar) }
                    fn visit_u64<E>(self, _: u64) -> Result<(), E> { self.is($crate::jsonrpc::Shape::Scalar) }
                    fn visit_f64<E>(self, _: f64) -> Result<(), E> { self.is($crate::jsonrpc::Shape::Scalar) }
                    fn visit_str<E>(self, _: &str) -> Result<(), E> { self.is($crate::jsonrpc::Shape::Scalar) }
                }

                deserializer.deserialize_any(ObjectVisitor(self))
            }
        }
    };
}
pub(crate) use object;
