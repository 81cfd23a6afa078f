//! The kind of a message, by one rule for reports, scripts and pictures: the names of its enum
//! variants, from the outermost on, joined by dots.
//!
//! A message of a hosted protocol is wrapped, so its kind has several parts: `Dict.Put`. The fields
//! of a variant say nothing about its kind, unless a variant is all that is in it. A message that
//! is a struct has the kind of the field that has one, and so has one whose variant is written with
//! a small letter, as a field would be. What has no variants is a `message`.
//!
//! The rule exists twice, because a trace does not know the types of its messages: [`Kind::of`]
//! asks `serde`, and [`variants`] looks at JSON, where variants are names with a capital letter.

mod json;

use std::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{self, Impossible, Serializer};

pub use json::{name, variant, variants};

/// How many nested variants are told apart.
const DEPTH: usize = 4;

/// The kind of what has no variants.
const NONE: &str = "message";

/// The variants that a message consists of. To find them takes no longer than a look at its tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// Variant indices, one byte per level from the lowest on, each plus one.
    key: u32,
    names: [&'static str; DEPTH],
}

impl Kind {
    /// The kind of `message`.
    #[inline]
    pub fn of(message: &impl Serialize) -> Self {
        message.serialize(Probe::Message).unwrap_or_default()
    }

    /// A number that differs between the kinds of one message type.
    #[inline]
    pub fn key(self) -> u32 {
        self.key
    }

    #[inline]
    fn outer(index: u32, name: &'static str) -> Self {
        Self { key: (index + 1) & 0xff, names: [name, "", "", ""] }
    }

    #[inline]
    fn around(self, index: u32, name: &'static str) -> Self {
        let [first, second, third, _] = self.names;
        Self { names: [name, first, second, third], ..self.inside(index) }
    }

    /// The kind of a message inside a variant that has no say in it.
    #[inline]
    pub(crate) fn inside(self, index: u32) -> Self {
        Self { key: (self.key << 8) | Self::outer(index, "").key, ..self }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.into_iter().filter(|name| !name.is_empty()).collect();
        f.write_str(&if names.is_empty() { NONE.to_owned() } else { names.join(".") })
    }
}

/// Ends the probing: what was reached is not an enum.
#[derive(Debug)]
struct NoVariant;

impl Display for NoVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an enum")
    }
}

impl std::error::Error for NoVariant {}

impl ser::Error for NoVariant {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// A serializer that looks at nothing but variants: the compiler reduces it to a match on tags.
enum Probe {
    /// It looks at a message, or at a field of one that is a struct.
    Message,
    /// It looks at what is in a variant.
    Content,
}

/// The fields of a variant, which are not looked at.
struct Fields(Kind);

/// The fields of a message that is a struct, and the kind of the first that has one.
struct Message(Option<Kind>);

impl ser::SerializeStruct for Message {
    type Ok = Kind;
    type Error = NoVariant;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), NoVariant> {
        self.0 = self.0.or_else(|| value.serialize(Probe::Message).ok());
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<Kind, NoVariant> {
        self.0.ok_or(NoVariant)
    }
}

macro_rules! no_variant {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {
        $(#[inline]
        fn $method(self, $(_: $argument),*) -> Result<$ok, NoVariant> {
            Err(NoVariant)
        })*
    };
}

impl Serializer for Probe {
    type Ok = Kind;
    type Error = NoVariant;
    type SerializeSeq = Impossible<Kind, NoVariant>;
    type SerializeTuple = Impossible<Kind, NoVariant>;
    type SerializeTupleStruct = Impossible<Kind, NoVariant>;
    type SerializeTupleVariant = Fields;
    type SerializeMap = Impossible<Kind, NoVariant>;
    type SerializeStruct = Message;
    type SerializeStructVariant = Fields;

    no_variant! {
        serialize_bool(bool) -> Kind;
        serialize_i8(i8) -> Kind;
        serialize_i16(i16) -> Kind;
        serialize_i32(i32) -> Kind;
        serialize_i64(i64) -> Kind;
        serialize_u8(u8) -> Kind;
        serialize_u16(u16) -> Kind;
        serialize_u32(u32) -> Kind;
        serialize_u64(u64) -> Kind;
        serialize_f32(f32) -> Kind;
        serialize_f64(f64) -> Kind;
        serialize_char(char) -> Kind;
        serialize_str(&str) -> Kind;
        serialize_bytes(&[u8]) -> Kind;
        serialize_none() -> Kind;
        serialize_unit() -> Kind;
        serialize_unit_struct(&'static str) -> Kind;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_map(Option<usize>) -> Self::SerializeMap;
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Message, NoVariant> {
        match self {
            Self::Message => Ok(Message(None)),
            Self::Content => Err(NoVariant),
        }
    }

    /// JSON does not tell it from its content either.
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<Kind, NoVariant> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Kind, NoVariant> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<Kind, NoVariant> {
        Ok(Kind::outer(index, variant))
    }

    #[inline]
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Kind, NoVariant> {
        if variant.starts_with(char::is_lowercase) {
            return match self {
                Self::Message => value.serialize(self).map(|kind| kind.inside(index)),
                Self::Content => Err(NoVariant),
            };
        }
        Ok(match value.serialize(Self::Content) {
            Ok(inner) => inner.around(index, variant),
            Err(NoVariant) => Kind::outer(index, variant),
        })
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Fields, NoVariant> {
        Ok(Fields(Kind::outer(index, variant)))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Fields, NoVariant> {
        Ok(Fields(Kind::outer(index, variant)))
    }
}

impl ser::SerializeTupleVariant for Fields {
    type Ok = Kind;
    type Error = NoVariant;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, _: &T) -> Result<(), NoVariant> {
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<Kind, NoVariant> {
        Ok(self.0)
    }
}

impl ser::SerializeStructVariant for Fields {
    type Ok = Kind;
    type Error = NoVariant;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        _: &'static str,
        _: &T,
    ) -> Result<(), NoVariant> {
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<Kind, NoVariant> {
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests;
