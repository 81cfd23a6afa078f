//! What nodes with reliable links send each other.

use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

/// A message, or an answer to one.
///
/// In counts by kind, a message that is sent for the first time has the kind that it has without
/// reliable links: so the cost of the algorithm inside can be read beside that of the links. The
/// names of the others are long, because an algorithm may have acknowledgements of its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Packet<M> {
    /// A message that is sent for the first time.
    #[serde(rename = "data")]
    Data(Parcel<M>),
    /// A message that was not acknowledged in time.
    #[serde(rename = "LinkResend")]
    Resend(Parcel<M>),
    /// The message with this number has been handed over.
    #[serde(rename = "LinkAck")]
    Ack {
        /// Its number.
        number: u64,
    },
    /// The message with this number never will be: its receiver has left.
    #[serde(rename = "LinkRefusal")]
    Refused {
        /// Its number.
        number: u64,
    },
}

/// A message with its number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Parcel<M> {
    /// Its place among all messages of its sender to its receiver, from zero.
    pub number: u64,
    /// The first number that its receiver may have to wait for: those before it were acknowledged
    /// or given up.
    pub since: u64,
    /// What was sent.
    pub msg: M,
}

impl<M> Packet<M> {
    /// The message in it, if it is not an answer.
    pub fn msg(&self) -> Option<&M> {
        match self {
            Self::Data(parcel) | Self::Resend(parcel) => Some(&parcel.msg),
            Self::Ack { .. } | Self::Refused { .. } => None,
        }
    }

    /// The same with another message.
    ///
    /// # Errors
    ///
    /// That of `change`.
    pub fn try_map<N, E>(&self, change: impl FnOnce(&M) -> Result<N, E>) -> Result<Packet<N>, E> {
        let parcel = |parcel: &Parcel<M>| {
            let Parcel { number, since, ref msg } = *parcel;
            Ok(Parcel { number, since, msg: change(msg)? })
        };
        Ok(match self {
            Self::Data(it) => Packet::Data(parcel(it)?),
            Self::Resend(it) => Packet::Resend(parcel(it)?),
            &Self::Ack { number } => Packet::Ack { number },
            &Self::Refused { number } => Packet::Refused { number },
        })
    }
}

impl<M: Debug> Debug for Packet<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(Parcel { number, msg, .. }) => write!(f, "{msg:?} #{number}"),
            Self::Resend(Parcel { number, msg, .. }) => write!(f, "{msg:?} #{number} again"),
            Self::Ack { number } => write!(f, "LinkAck #{number}"),
            Self::Refused { number } => write!(f, "LinkRefusal #{number}"),
        }
    }
}
