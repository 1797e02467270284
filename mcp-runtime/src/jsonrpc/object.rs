//! Reads the known members of a JSON object, borrowed, without ever failing on its shape.
//!
//! A derived `Deserialize` answers a wrong shape with a syntax error's type and takes arrays for structs;
//! the checks of a server need to know *which* rule was broken, in their own order.

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

/// Declares a struct of optional members and reads it from an object in one pass.
///
/// Unknown members are skipped. `duplicate` names the first member that came twice.
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
        }

        impl<$lifetime $(, $P: serde::Deserialize<$lifetime>)?> serde::Deserialize<$lifetime>
            for $crate::jsonrpc::Shape<$Name<$lifetime $(, $P)?>>
        {
            fn deserialize<D: serde::Deserializer<$lifetime>>(deserializer: D) -> Result<Self, D::Error> {
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

                struct ObjectVisitor<T>(std::marker::PhantomData<T>);
                impl<$lifetime $(, $P: serde::Deserialize<$lifetime>)?> serde::de::Visitor<$lifetime>
                    for ObjectVisitor<$Name<$lifetime $(, $P)?>>
                {
                    type Value = $crate::jsonrpc::Shape<$Name<$lifetime $(, $P)?>>;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a JSON value")
                    }
                    fn visit_map<A: serde::de::MapAccess<$lifetime>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut object = $Name { $( $field: None, )* duplicate: None };
                        while let Some(member) = map.next_key_seed(MemberVisitor)? {
                            match member {
                                $( Member::$field => {
                                    if object.$field.replace(map.next_value()?).is_some() {
                                        object.duplicate.get_or_insert($key);
                                    }
                                } )*
                                Member::Unknown => { map.next_value::<serde::de::IgnoredAny>()?; }
                            }
                        }
                        Ok($crate::jsonrpc::Shape::Object(object))
                    }
                    fn visit_seq<A: serde::de::SeqAccess<$lifetime>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                        Ok($crate::jsonrpc::Shape::Array)
                    }
                    fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($crate::jsonrpc::Shape::Null) }
                    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok($crate::jsonrpc::Shape::Scalar) }
                    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok($crate::jsonrpc::Shape::Scalar) }
                    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok($crate::jsonrpc::Shape::Scalar) }
                    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok($crate::jsonrpc::Shape::Scalar) }
                    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok($crate::jsonrpc::Shape::Scalar) }
                }

                deserializer.deserialize_any(ObjectVisitor(std::marker::PhantomData))
            }
        }
    };
}
pub(crate) use object;
