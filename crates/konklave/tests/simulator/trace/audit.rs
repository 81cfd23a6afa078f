//! Checks a trace from the lines alone, knowing nothing of the simulator.

use std::collections::BTreeMap;

use konklave::protocol::{Effect, Input, Protocol};
use konklave::trace::{Ended, Fault, Line, Step};
use konklave::{NodeId, Recorder};

/// The lines of a trace.
pub(super) fn parse<P: Protocol>(bytes: &[u8]) -> Vec<Line<P>> {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.ends_with('\n'));
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(read).collect()
}

/// What the trace says about one message.
struct Sent<P: Protocol> {
    at: u64,
    from: NodeId,
    to: NodeId,
    msg: P::Msg,
    /// How many copies of it are still to be accounted for.
    copies: u32,
}

/// Asserts that steps are in order, that every message arrives as often as it should, and that
/// fresh nodes do the same if the same happens to them.
pub(super) fn audit<P: Protocol>(
    lines: &[Line<P>],
    nodes: u32,
    make: &impl Fn(NodeId) -> P,
    fifo: bool,
    context: &str,
) {
    let mut sent: Vec<Sent<P>> = Vec::new();
    let mut states: Vec<P> = NodeId::all(nodes).map(make).collect();
    let mut latest = BTreeMap::new();
    let (mut now, mut steps, mut forged) = (0, 0, 0);
    let [lines @ .., Line::End(end)] = lines else { panic!("{context}: no end") };
    for line in lines {
        let at = match line {
            Line::Step(step) => step.at,
            Line::Fault { at, .. } => *at,
            Line::Loop { .. } => panic!("{context}: the simulator knows no loops"),
            Line::End(_) => panic!("{context}: two ends"),
        };
        assert!(now <= at, "{context}: time goes backwards at {line:?}");
        now = at;
        match line {
            Line::Step(step) => {
                steps += 1;
                arrive(step, &mut sent, &mut forged, context);
                if let (true, Some(number)) = (fifo, step.number) {
                    let channel = (sent[number as usize].from, step.node);
                    let before = latest.insert(channel, number);
                    assert!(before <= Some(number), "{context}: {number} is overtaken");
                }
                replay(step, &mut states[step.node.index()], context);
                for effect in &step.effects {
                    if let Effect::Send { to, msg } = effect {
                        let (from, to, msg) = (step.node, *to, msg.clone());
                        sent.push(Sent { at, from, to, msg, copies: 1 });
                    }
                }
            }
            Line::Fault { what, .. } => match what {
                Fault::Lost(number) | Fault::Missed(number) => {
                    let copies = &mut sent[*number as usize].copies;
                    *copies =
                        copies.checked_sub(1).unwrap_or_else(|| panic!("{context}: {what:?}"));
                }
                Fault::Doubled(number) => sent[*number as usize].copies += 1,
                Fault::Restart(node) => states[node.index()] = make(*node),
                Fault::Forged { .. } => forged += 1,
                Fault::Garbage { node, messages } => {
                    let mut nowhere = Recorder::default();
                    for (from, msg) in messages {
                        states[node.index()].on_message(*from, msg.clone(), &mut nowhere);
                    }
                }
                _ => {}
            },
            Line::Loop { .. } | Line::End(_) => {}
        }
    }
    assert_eq!((end.steps, end.time >= now), (steps, true), "{context}");
    if end.ended == Ended::Quiescence {
        let astray = sent.iter().position(|message| message.copies > 0);
        assert_eq!(astray, None, "{context}: what became of this message?");
        assert_eq!(forged, 0, "{context}: a forged message did not arrive");
    }
}

/// A message that arrives was sent, by that node to this one, earlier, and not received already.
fn arrive<P: Protocol>(step: &Step<P>, sent: &mut [Sent<P>], forged: &mut u32, context: &str) {
    match (&step.input, step.number) {
        (Input::Message { from, msg }, Some(number)) => {
            let message = &mut sent[number as usize];
            assert_eq!((*from, step.node), (message.from, message.to), "{context}: {number}");
            assert_eq!(*msg, message.msg, "{context}: message {number}");
            assert!(message.at < step.at, "{context}: message {number} took no time");
            assert!(message.copies > 0, "{context}: message {number} arrives too often");
            message.copies -= 1;
        }
        (Input::Message { .. }, None) => {
            assert!(*forged > 0, "{context}: nobody sent this, and nobody forged it: {step:?}");
            *forged -= 1;
        }
        (_, number) => assert_eq!(number, None, "{context}: {step:?}"),
    }
}

/// The node does the same again and comes to the same state.
fn replay<P: Protocol>(step: &Step<P>, node: &mut P, context: &str) {
    let choices: Vec<_> = step
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Choose { value, .. } => Some(*value),
            _ => None,
        })
        .collect();
    let mut recorder = Recorder::choosing(&choices);
    node.on(step.input.clone(), &mut recorder);
    assert_eq!(recorder.take(), step.effects, "{context}: {:?}", step.input);
    if let Some(state) = &step.state {
        assert_eq!(*state, format!("{node:?}"), "{context}: {:?}", step.input);
    }
}
