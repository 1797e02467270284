//! Fills the parameters of a call: one pass over the arguments, no value in between.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Fill, ParamEntry, Sentences, ToolError};
use crate::schema::{Fault, InputSchema, SchemaProblems};

/// Why the parameters of a call could not be filled.
#[derive(Debug)]
pub struct Rejected(pub(crate) Rejection);

/// The kinds of rejection.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// The arguments break the schema.
    Arguments(Vec<Fault>),
    /// Texts are missing, unknown, or not what their types parse.
    Texts(Sentences),
    /// An injected parameter could not be made.
    Injection(ToolError),
    /// The schema of the tool cannot be used.
    Schema(SchemaProblems),
}

/// Decodes the arguments into their slots.
///
/// `positions` tells the slot of each property of the schema.
/// Slots of parameters with a default stay empty where the client sent nothing; the caller fills these.
/// The first pass checks and decodes each argument as it comes. Only if something is wrong does a second one
/// look at all of them: to report every fault at once, or to decode what is valid in an unusual form.
pub(crate) fn fill(
    params: &[ParamEntry],
    schema: &InputSchema,
    positions: &[usize],
    arguments: &str,
    slots: &mut [&mut dyn Fill],
) -> Result<(), Vec<Fault>> {
    let mut pass = Pass {
        params,
        schema,
        positions,
        slots,
        canonical: false,
        clean: true,
        faults: Vec::new(),
    };
    if pass.run(arguments) {
        return Ok(());
    }
    let mut faults = schema.faults(arguments);
    pass.canonical = true;
    pass.clean = true;
    let is_clean = pass.run(arguments);
    if is_clean && faults.is_empty() {
        return Ok(());
    }
    Fault::append(&mut faults, pass.faults);
    Err(faults)
}

/// One pass over the arguments.
struct Pass<'p, 's, 'f> {
    params: &'p [ParamEntry],
    schema: &'p InputSchema,
    positions: &'p [usize],
    slots: &'p mut [&'s mut (dyn Fill + 'f)],
    /// Those arguments that are valid are decoded in their usual form; what is wrong with the others is known.
    canonical: bool,
    clean: bool,
    faults: Vec<Fault>,
}

impl Pass<'_, '_, '_> {
    /// Runs the pass; tells whether every argument was valid and decoded.
    fn run(&mut self, arguments: &str) -> bool {
        let mut deserializer = serde_json::Deserializer::from_str(arguments);
        if deserializer.deserialize_map(&mut *self).is_err() {
            return false;
        }
        for &position in self.positions {
            let slot = &mut self.slots[position];
            if !slot.is_filled() && self.params[position].default.is_none() && !slot.absent() {
                self.clean = false;
            }
        }
        self.clean
    }

    fn argument(&mut self, index: usize, raw: &RawValue) {
        let slot = &mut self.slots[self.positions[index]];
        if raw.get() == "null" && self.schema.is_absent_if_null(index) {
            return;
        }
        if self.canonical {
            if !self.schema.accepts(index, raw) {
                self.clean = false;
                return;
            }
            let canonical = self.schema.canonical(index, raw.get());
            let json = canonical.as_deref().unwrap_or(raw.get());
            // A type with a schema that says nothing may take what a `Value` cannot hold.
            let decoded = slot
                .decode(json)
                .or_else(|error| slot.decode(raw.get()).map_err(|_| error));
            if let Err(error) = decoded {
                self.clean = false;
                let fault = self
                    .schema
                    .undecodable(index, json, &error, &mut |json| slot.decode(json).err());
                slot.clear();
                self.faults.push(fault);
            }
        } else if slot.is_filled()
            || !self.schema.accepts(index, raw)
            || self.schema.is_rounded(index, raw)
            || slot.decode(raw.get()).is_err()
        {
            self.clean = false;
        }
    }
}

impl<'de> Visitor<'de> for &mut Pass<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arguments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name)? {
            let raw: &RawValue = map.next_value()?;
            match self.schema.property(&name) {
                Some(index) => self.argument(index, raw),
                None => self.clean = false,
            }
        }
        Ok(())
    }
}

/// Reads a member's name, borrowed unless it has escapes.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
