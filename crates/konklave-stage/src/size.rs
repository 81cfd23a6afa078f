//! How many bytes a message takes on the wire, in the format of `postcard`.
//!
//! `postcard` finds that out by writing the message to nowhere. Here the bytes are only added up,
//! which takes no branches for numbers: this is done for every message of a run.

use std::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{self, Serializer};

/// The size of `message`; nothing, if it does not fit the format.
#[inline]
pub fn size_on_wire(message: &impl Serialize) -> Option<u64> {
    message.serialize(Scale).ok()
}

/// Seven bits of a number go into each byte.
#[inline]
fn varint(number: u64) -> u64 {
    VARINT[(number | 1).leading_zeros() as usize].into()
}

/// The bytes of numbers with this many leading zeros: a table, because this is a hot path.
static VARINT: [u8; u64::BITS as usize] = {
    let mut bytes = [0; u64::BITS as usize];
    let mut zeros = 0;
    while zeros < bytes.len() {
        bytes[zeros] = (bytes.len() - zeros).div_ceil(7) as u8;
        zeros += 1;
    }
    bytes
};

/// Small negative numbers are as short as small positive ones.
#[inline]
fn zigzag(number: i64) -> u64 {
    varint(((number << 1) ^ (number >> 63)) as u64)
}

/// What has no size in the format: a sequence whose length is not known before.
#[derive(Debug)]
struct NoSize;

impl Display for NoSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no size")
    }
}

impl std::error::Error for NoSize {}

impl ser::Error for NoSize {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// A serializer that only adds up sizes.
struct Scale;

/// The size of something and of its parts so far.
struct Sum(u64);

macro_rules! sizes {
    ($($method:ident($value:ident: $type:ty) = $size:expr;)*) => {$(
        #[inline]
        fn $method(self, $value: $type) -> Result<u64, NoSize> {
            Ok($size)
        }
    )*};
}

impl Serializer for Scale {
    type Ok = u64;
    type Error = NoSize;
    type SerializeSeq = Sum;
    type SerializeTuple = Sum;
    type SerializeTupleStruct = Sum;
    type SerializeTupleVariant = Sum;
    type SerializeMap = Sum;
    type SerializeStruct = Sum;
    type SerializeStructVariant = Sum;

    sizes! {
        serialize_bool(_value: bool) = 1;
        serialize_i8(_value: i8) = 1;
        serialize_i16(value: i16) = zigzag(value.into());
        serialize_i32(value: i32) = zigzag(value.into());
        serialize_i64(value: i64) = zigzag(value);
        serialize_u8(_value: u8) = 1;
        serialize_u16(value: u16) = varint(value.into());
        serialize_u32(value: u32) = varint(value.into());
        serialize_u64(value: u64) = varint(value);
        serialize_f32(_value: f32) = 4;
        serialize_f64(_value: f64) = 8;
        serialize_char(value: char) = 1 + value.len_utf8() as u64;
        serialize_str(value: &str) = varint(value.len() as u64) + value.len() as u64;
        serialize_bytes(value: &[u8]) = varint(value.len() as u64) + value.len() as u64;
        serialize_unit_struct(_name: &'static str) = 0;
    }

    #[inline]
    fn serialize_none(self) -> Result<u64, NoSize> {
        Ok(1)
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<u64, NoSize> {
        Ok(1 + value.serialize(self)?)
    }

    #[inline]
    fn serialize_unit(self) -> Result<u64, NoSize> {
        Ok(0)
    }

    #[inline]
    fn serialize_unit_variant(self, _: &str, index: u32, _: &str) -> Result<u64, NoSize> {
        Ok(varint(index.into()))
    }

    #[inline]
    fn serialize_newtype_struct<T>(self, _: &'static str, value: &T) -> Result<u64, NoSize>
    where
        T: Serialize + ?Sized,
    {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<u64, NoSize>
    where
        T: Serialize + ?Sized,
    {
        Ok(varint(index.into()) + value.serialize(self)?)
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Sum, NoSize> {
        len.map(|len| Sum(varint(len as u64))).ok_or(NoSize)
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Sum, NoSize> {
        Ok(Sum(0))
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Sum, NoSize> {
        Ok(Sum(0))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Sum, NoSize> {
        Ok(Sum(varint(index.into())))
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Sum, NoSize> {
        self.serialize_seq(len)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Sum, NoSize> {
        Ok(Sum(0))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Sum, NoSize> {
        Ok(Sum(varint(index.into())))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The parts of what consists of parts.
macro_rules! parts {
    ($($kind:ident: $($method:ident($($name:ident: $type:ty),*)),+;)*) => {$(
        impl ser::$kind for Sum {
            type Ok = u64;
            type Error = NoSize;

            $(
                #[inline]
                fn $method<T>(&mut self, $($name: $type,)* part: &T) -> Result<(), NoSize>
                where
                    T: Serialize + ?Sized,
                {
                    self.0 += part.serialize(Scale)?;
                    Ok(())
                }
            )+

            #[inline]
            fn end(self) -> Result<u64, NoSize> {
                Ok(self.0)
            }
        }
    )*};
}

parts! {
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeMap: serialize_key(), serialize_value();
    SerializeStruct: serialize_field(_name: &'static str);
    SerializeStructVariant: serialize_field(_name: &'static str);
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[derive(Serialize)]
    enum Msg {
        Unit,
        New(u32),
        Tuple(u64, bool),
        Struct { id: i64, text: &'static str },
    }

    #[track_caller]
    fn same(message: &impl Serialize) {
        let expected = postcard::experimental::serialized_size(message).unwrap();
        assert_eq!(size_on_wire(message), Some(expected as u64));
    }

    #[test]
    fn the_size_is_that_of_the_wire_format() {
        let edges = (0..64).flat_map(|bits| [1_u64 << bits, (1 << bits) - 1]);
        for number in edges.chain([u64::MAX]) {
            same(&number);
            same(&(number as i64, (number as i64).wrapping_neg()));
            same(&(number as u32, number as i32, -(number as i16 as i32)));
            same(&(number as u16, number as i16, number as u8, number as i8));
            same(&Msg::New(number as u32));
            same(&Msg::Tuple(number, true));
            same(&Msg::Struct { id: number as i64, text: "größer" });
        }
        same(&Msg::Unit);
        same(&(1.5_f32, -2.5_f64, 'ß', (), Some(3_u8), None::<u8>));
        same(&vec![300_u16; 200]);
        same(&BTreeMap::from([(1_u8, "one".to_owned()), (2, String::new())]));
        same(&BTreeSet::from([[1_u32, 1 << 30], [5, 6]]));
        same(&std::time::Duration::from_millis(1_234_567));
    }
}
