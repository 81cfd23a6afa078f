//! Erased messages and timers inside others: a node with reliable links around an erased node.

use std::any::Any;
use std::convert::Infallible;

use konklave::protocol::Protocol;
use konklave::reliable::{Packet, Reliable, Timer};
use serde_json::Error;

use super::{AnyNode, Value};
use crate::kind::Kind;
use crate::size::size_on_wire;

/// The kind and the bytes of a packet with an erased message, which knows its own.
pub(super) fn weight(value: &dyn Any) -> Option<(Kind, u64)> {
    let packet = value.downcast_ref::<Packet<Value>>()?;
    let (kind, bytes) = packet.msg().map_or_else(Default::default, Value::weight);
    let Ok(empty) = packet.try_map(|_| Ok::<_, Infallible>(()));
    let kind = match packet {
        Packet::Data(_) => kind.inside(0),
        _ => Kind::of(&empty),
    };
    Some((kind, bytes + size_on_wire(&empty).unwrap_or(0)))
}

/// A message of this node whose erased parts are as their own types write and print them.
pub(super) fn normalise_message<P: Protocol>(node: &P, mut msg: P::Msg) -> Result<P::Msg, Error> {
    let any: &mut dyn Any = &mut msg;
    if let Some((node, value)) = erased(node).zip(any.downcast_mut::<Value>()) {
        *value = node.node.normalise_message(value)?;
    } else if let Some((node, packet)) = reliable(node).zip(any.downcast_mut::<Packet<Value>>()) {
        *packet = packet.try_map(|msg| node.node.normalise_message(msg))?;
    }
    Ok(msg)
}

/// The same for a timer.
pub(super) fn normalise_timer<P: Protocol>(
    node: &P,
    mut timer: P::Timer,
) -> Result<P::Timer, Error> {
    let any: &mut dyn Any = &mut timer;
    if let Some((node, value)) = erased(node).zip(any.downcast_mut::<Value>()) {
        *value = node.node.normalise_timer(value)?;
    } else if let Some((node, Timer::Node(value))) = reliable(node).zip(any.downcast_mut()) {
        *value = node.node.normalise_timer(value)?;
    }
    Ok(timer)
}

/// The node itself, if it is an erased one.
fn erased<P: Protocol>(node: &P) -> Option<&AnyNode<P::Command, P::Event>> {
    (node as &dyn Any).downcast_ref()
}

/// The erased node inside one with reliable links.
fn reliable<P: Protocol>(node: &P) -> Option<&AnyNode<P::Command, P::Event>> {
    let node: Option<&Reliable<AnyNode<_, _>>> = (node as &dyn Any).downcast_ref();
    node.map(Reliable::node)
}
