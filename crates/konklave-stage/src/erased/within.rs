//! Erased messages and timers inside others: a node with reliable links around an erased node.

use std::any::Any;
use std::convert::Infallible;

use konklave::protocol::Data;
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

/// Lets the erased parts of a message of this node be as their own types write and print them.
pub(super) fn normalise_message<C: Data, E: Data>(
    node: &dyn Any,
    msg: &mut dyn Any,
) -> Result<(), Error> {
    if let Some((node, value)) = erased::<C, E>(node).zip(msg.downcast_mut::<Value>()) {
        *value = node.node.normalise_message(value)?;
    } else if let Some((node, packet)) = reliable::<C, E>(node).zip(msg.downcast_mut()) {
        let packet: &mut Packet<Value> = packet;
        *packet = packet.try_map(|msg| node.node.normalise_message(msg))?;
    }
    Ok(())
}

/// The same for a timer.
pub(super) fn normalise_timer<C: Data, E: Data>(
    node: &dyn Any,
    timer: &mut dyn Any,
) -> Result<(), Error> {
    if let Some((node, value)) = erased::<C, E>(node).zip(timer.downcast_mut::<Value>()) {
        *value = node.node.normalise_timer(value)?;
    } else if let Some((node, Timer::Node(value))) =
        reliable::<C, E>(node).zip(timer.downcast_mut())
    {
        *value = node.node.normalise_timer(value)?;
    }
    Ok(())
}

/// The node itself, if it is an erased one.
fn erased<C: Data, E: Data>(node: &dyn Any) -> Option<&AnyNode<C, E>> {
    node.downcast_ref()
}

/// The erased node inside one with reliable links.
fn reliable<C: Data, E: Data>(node: &dyn Any) -> Option<&AnyNode<C, E>> {
    let node: Option<&Reliable<AnyNode<C, E>>> = node.downcast_ref();
    node.map(Reliable::node)
}
