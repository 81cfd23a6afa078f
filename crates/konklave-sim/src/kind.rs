//! The kind of a message: the names of its enum variants, found through `serde`.
//!
//! A probe serializer looks at nothing but variants, so the compiler reduces it to a match on the
//! message's tag. A wrapped message of a hosted protocol has a longer path: `Dict.Put`. A struct
//! has the kind of its first field that has one.

use std::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{self, Impossible, Serializer};

/// How many nested variants are told apart.
const DEPTH: usize = 4;

/// The path of variants that a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Variant indices, one byte per level from the lowest on, each plus one.
    key: u32,
    names: [&'static str; DEPTH],
}

impl Kind {
    /// The kind of `message`.
    #[inline]
    pub(crate) fn of(message: &impl Serialize) -> Self {
        message.serialize(Probe).unwrap_or_default()
    }

    /// A number that differs between the kinds of one message type.
    pub(crate) fn key(self) -> u32 {
        self.key
    }

    #[inline]
    fn outer(index: u32, name: &'static str) -> Self {
        Self { key: (index + 1) & 0xff, names: [name, "", "", ""] }
    }

    #[inline]
    fn around(self, index: u32, name: &'static str) -> Self {
        let [first, second, third, _] = self.names;
        let key = (self.key << 8) | Self::outer(index, name).key;
        Self { key, names: [name, first, second, third] }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.into_iter().filter(|name| !name.is_empty()).collect();
        f.write_str(&if names.is_empty() { "message".to_owned() } else { names.join(".") })
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

struct Probe;

/// The fields of a variant, which are not looked at.
struct Fields(Kind);

/// The fields of a struct, the first enum of which tells the kind.
struct Content(Option<Kind>);

impl ser::SerializeStruct for Content {
    type Ok = Kind;
    type Error = NoVariant;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), NoVariant> {
        self.0 = self.0.or_else(|| value.serialize(Probe).ok());
        Ok(())
    }

    fn end(self) -> Result<Kind, NoVariant> {
        self.0.ok_or(NoVariant)
    }
}

macro_rules! no_variant {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<$ok, NoVariant> { Err(NoVariant) })*
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
    type SerializeStruct = Content;
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

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Content, NoVariant> {
        Ok(Content(None))
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<Kind, NoVariant> {
        Err(NoVariant)
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
        Ok(match value.serialize(self) {
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

    fn end(self) -> Result<Kind, NoVariant> {
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    enum Inner {
        Put { _key: u32 },
        Get(u32, u32),
    }

    #[derive(Serialize)]
    enum Outer {
        Ping,
        Count(u32),
        Dict(Inner),
    }

    #[test]
    fn kinds_are_named_by_their_variants() {
        let name = |message: &Outer| Kind::of(message).to_string();
        assert_eq!(name(&Outer::Ping), "Ping");
        assert_eq!(name(&Outer::Count(3)), "Count");
        assert_eq!(name(&Outer::Dict(Inner::Put { _key: 1 })), "Dict.Put");
        assert_eq!(name(&Outer::Dict(Inner::Get(1, 2))), "Dict.Get");
        assert_eq!(Kind::of(&7_u32).to_string(), "message");
    }

    #[test]
    fn keys_tell_kinds_apart_and_nothing_else() {
        let messages = [
            Outer::Ping,
            Outer::Count(1),
            Outer::Dict(Inner::Put { _key: 1 }),
            Outer::Dict(Inner::Get(1, 2)),
        ];
        let keys = messages.each_ref().map(|message| Kind::of(message).key());
        for (place, key) in keys.iter().enumerate() {
            assert_eq!(keys.iter().position(|other| other == key), Some(place), "{keys:?}");
        }
        assert_eq!(Kind::of(&Outer::Count(1)).key(), Kind::of(&Outer::Count(2)).key());
    }
}
