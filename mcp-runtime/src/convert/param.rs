//! What a parameter is: an argument that the client sends, or something that the server injects.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::Value;

use super::{Completer, FromContext, Needs, ToolError};
use crate::dispatch::Context;
use crate::schema::{Constraints, SchemaFn};

/// A type that can be a parameter of a tool.
///
/// There are two ways to be one, and the compiler finds out which applies (`Via`):
/// every `DeserializeOwned + JsonSchema` type is an argument, and every [`FromContext`] type is injected.
/// It is not implemented by hand: derive the two traits (or put `#[mcp_type]` on the type), or implement [`FromContext`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "neither an argument nor something that the server can inject",
    note = "put `#[mcp_type]` on the type, or derive `serde::Deserialize` and `schemars::JsonSchema` for it",
    note = "shared state is taken as `State<T>`, whose `T` is `Send` and `Sync`; a value made of the request implements `FromContext`"
)]
pub trait Param<Via>: Sized {
    /// How the parameter gets its value; known at compile time.
    const KIND: ParamKind;

    /// Decodes the JSON text of an argument.
    #[doc(hidden)]
    fn decode(json: &str) -> Result<Self, serde_json::Error>;

    /// The value of an argument that the client left out, if its type has one.
    #[doc(hidden)]
    fn absent() -> Option<Self>;

    /// Makes the value of an injected parameter.
    #[doc(hidden)]
    fn inject(context: &Context) -> Result<Self, ToolError>;
}

/// How a parameter gets its value.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ParamKind {
    /// The client sends it.
    #[non_exhaustive]
    Argument {
        /// Makes the schema of the type.
        schema: SchemaFn,
        /// Tells whether the type has a value for absence, as `Option` does.
        optional: fn() -> bool,
    },
    /// The client sends a text, which the type parses.
    #[non_exhaustive]
    Text {
        /// Whether the type has a value for absence, as `Option` does.
        optional: bool,
        /// Whether it takes any number of texts.
        many: bool,
    },
    /// The server makes it.
    Injected(Needs),
}

/// Marks types that are arguments.
#[derive(Debug)]
#[non_exhaustive]
pub struct ViaArgument;

/// Marks types that are injected.
#[derive(Debug)]
#[non_exhaustive]
pub struct ViaContext;

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Param<ViaArgument> for T {
    const KIND: ParamKind = ParamKind::Argument {
        schema: |generator| generator.subschema_for::<T>(),
        optional: || <T as Param<ViaArgument>>::absent().is_some(),
    };

    fn decode(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    fn absent() -> Option<Self> {
        T::deserialize(Absent).ok()
    }

    fn inject(_: &Context) -> Result<Self, ToolError> {
        Err(ToolError::new("an argument cannot be injected"))
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> Param<ViaContext> for T {
    const KIND: ParamKind = ParamKind::Injected(T::NEEDS);

    fn decode(_: &str) -> Result<Self, serde_json::Error> {
        Err(serde::de::Error::custom(
            "an injected parameter has no JSON form",
        ))
    }

    fn absent() -> Option<Self> {
        None
    }

    fn inject(context: &Context) -> Result<Self, ToolError> {
        T::from_context(context)
    }
}

/// A member that is not there: only types with a value for absence can be read from it.
///
/// This is how serde's derive treats missing fields, and it sees through aliases and wrappers.
struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ValueError> {
        Err(serde::de::Error::custom("absent"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The place of one parameter's value during a call.
pub struct Slot<T, Via> {
    pub(super) value: Option<T>,
    via: PhantomData<fn() -> Via>,
}

impl<T, Via> fmt::Debug for Slot<T, Via> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("filled", &self.value.is_some())
            .finish()
    }
}

impl<T, Via> Slot<T, Via> {
    /// An empty place.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            value: None,
            via: PhantomData,
        }
    }

    /// Puts the default where the client sent nothing.
    pub fn or_default(&mut self, default: impl FnOnce() -> T) {
        if self.value.is_none() {
            self.value = Some(default());
        }
    }

    /// Takes the value out.
    ///
    /// Generated code calls this once, after [`fill`](super::fill) has succeeded, which leaves no place empty
    /// but those of parameters with a default, and these have been filled by [`Self::or_default`].
    pub fn take(&mut self) -> T {
        match self.value.take() {
            Some(value) => value,
            None => unreachable!("a parameter is filled before it is taken"),
        }
    }

    /// Looks at the value, under the conditions of [`Self::take`].
    pub fn peek(&self) -> &T {
        match &self.value {
            Some(value) => value,
            None => unreachable!("a parameter is filled before it is lent"),
        }
    }
}

/// A slot whose type is forgotten, so that one function fills the parameters of all tools.
pub trait Fill {
    /// Decodes the JSON text of an argument.
    fn decode(&mut self, json: &str) -> Result<(), serde_json::Error>;
    /// Takes the type's value for absence, if it has one.
    fn absent(&mut self) -> bool;
    /// Injects the value.
    fn inject(&mut self, context: &Context) -> Result<(), ToolError>;
    /// Tells whether the value is there.
    fn is_filled(&self) -> bool;
    /// Empties the slot.
    fn clear(&mut self);
}

impl<T: Param<Via>, Via> Fill for Slot<T, Via> {
    fn decode(&mut self, json: &str) -> Result<(), serde_json::Error> {
        self.value = Some(T::decode(json)?);
        Ok(())
    }

    fn absent(&mut self) -> bool {
        self.value = T::absent();
        self.value.is_some()
    }

    fn inject(&mut self, context: &Context) -> Result<(), ToolError> {
        self.value = Some(T::inject(context)?);
        Ok(())
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }

    fn clear(&mut self) {
        self.value = None;
    }
}

/// One parameter of an annotated function, as generated code describes it.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "generated code fills it in")]
pub struct ParamEntry {
    /// The name in JSON.
    pub name: &'static str,
    /// The description, or an empty string.
    pub description: &'static str,
    /// How it gets its value.
    pub kind: ParamKind,
    /// Whether the function has a value for its absence, and the JSON form of that value, if it has one.
    pub default: Option<fn() -> Option<Value>>,
    /// Rules beyond those of the type.
    pub constraints: Constraints,
    /// Examples in JSON.
    pub examples: Option<fn() -> Vec<Value>>,
    /// The `Mcp-Param-*` header that mirrors it, or an empty string.
    pub header: &'static str,
    /// A text that must not lead out of a tree, taken as a path.
    pub is_guarded: bool,
    /// Completes what a person has typed so far.
    pub complete: Option<Completer>,
    /// The values of a type that has few.
    pub choices: Option<fn() -> Vec<String>>,
}

impl ParamEntry {
    /// Whether what a person types into it is completed.
    pub(crate) fn completes(&self) -> bool {
        self.complete.is_some() || self.choices.is_some_and(|choices| !choices().is_empty())
    }

    /// Whether it is made of a text that may be left out; a list of texts in a path may not.
    pub(crate) fn is_optional_text(&self) -> bool {
        matches!(self.kind, ParamKind::Text { optional, many } if (optional && !many) || self.default.is_some())
    }

    /// Whether it is made of the context: it is the context itself, or an extractor that may keep it.
    pub(crate) fn takes_context(&self) -> bool {
        matches!(
            self.kind,
            ParamKind::Injected(Needs::Context | Needs::Nothing)
        )
    }

    /// A parameter with a name and a kind, and nothing else.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str, kind: ParamKind) -> Self {
        Self {
            name,
            description,
            kind,
            default: None,
            constraints: Constraints::NONE,
            examples: None,
            header: "",
            is_guarded: false,
            complete: None,
            choices: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn optional<T: Param<ViaArgument>>() -> bool {
        let ParamKind::Argument { optional, .. } = T::KIND else {
            unreachable!("arguments are arguments");
        };
        optional()
    }

    #[test]
    fn optional_is_a_property_of_the_type_not_of_its_spelling() {
        type Maybe = Option<u8>;
        #[derive(serde::Deserialize, JsonSchema)]
        #[serde(transparent)]
        struct Wrapped(#[allow(dead_code, reason = "only its type matters")] Option<u8>);

        assert!(optional::<Option<String>>());
        assert!(optional::<Maybe>());
        assert!(!optional::<String>());
        assert!(!optional::<Value>());
        assert!(!optional::<Vec<Option<u8>>>());
        assert!(optional::<Wrapped>());
    }
}
