use super::*;
use crate::Recorder;
use crate::protocol::{Effect, Input, Never};

/// Sends what it is told to, says what it hears, and leaves at a zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Teller;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Event {
    Heard(u32),
    Returned(u32),
}

impl Protocol for Teller {
    type Msg = u32;
    type Timer = Never;
    type Command = u32;
    type Event = Event;

    fn on_command(&mut self, number: u32, env: &mut impl Env<Self>) {
        env.send(NodeId(1), number);
    }

    fn on_message(&mut self, _from: NodeId, number: u32, env: &mut impl Env<Self>) {
        env.emit(Event::Heard(number));
        if number == 0 {
            env.leave();
        }
    }

    fn on_returned(&mut self, _to: NodeId, number: u32, env: &mut impl Env<Self>) {
        env.emit(Event::Returned(number));
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        Some(vec![NodeId(5)])
    }

    /// A number is an address, too.
    fn tells(&self, number: &u32) -> Vec<NodeId> {
        vec![NodeId(*number)]
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("silence", |system| match system.messages {
            [] => Ok(()),
            some => Err(format!("{some:?}")),
        })]
    }
}

type Node = Reliable<Teller>;
type Message = Packet<u32>;

const PERIOD: Duration = Duration::from_millis(4);
const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);

fn node(order: Order) -> Node {
    Reliable::new(Teller, order, PERIOD)
}

fn told(node: &mut Node, input: Input<Node>) -> Vec<String> {
    let mut env = Recorder::default();
    node.on(input, &mut env);
    env.lines()
}

fn gets(node: &mut Node, from: NodeId, msg: Message) -> Vec<String> {
    told(node, Input::Message { from, msg })
}

fn parcel(number: u64, since: u64, msg: u32) -> Parcel<u32> {
    Parcel { number, since, msg }
}

#[test]
fn a_message_is_kept_until_it_is_acknowledged() {
    let mut a = node(Order::Any);
    assert_eq!(told(&mut a, Input::Command(7)), ["-> 1 7 #0", "set Resend 4ms"]);
    assert_eq!(told(&mut a, Input::Command(8)), ["-> 1 8 #1"], "there is one timer");
    assert!(gets(&mut a, B, Packet::Ack { number: 0 }).is_empty());
    assert!(gets(&mut a, B, Packet::Ack { number: 0 }).is_empty(), "an acknowledgement again");
    assert_eq!(
        told(&mut a, Input::Timer(Timer::Resend)),
        ["set Resend 4ms"],
        "it may be on its way"
    );
    let again = ["-> 1 8 #1 again", "set Resend 4ms"];
    assert_eq!(told(&mut a, Input::Timer(Timer::Resend)), again);
    assert_eq!(gets(&mut a, B, Packet::Ack { number: 1 }), ["cancel Resend"]);
    assert!(told(&mut a, Input::Timer(Timer::Resend)).is_empty(), "nothing is left to be done");
    assert!(gets(&mut a, B, Packet::Ack { number: 9 }).is_empty(), "it was never sent");
}

#[test]
fn every_copy_is_acknowledged_and_one_is_handed_over() {
    let mut b = node(Order::Any);
    let heard = ["-> 0 LinkAck #0", "! Heard(7)"];
    assert_eq!(gets(&mut b, A, Packet::Data(parcel(0, 0, 7))), heard);
    for copy in [Packet::Data(parcel(0, 0, 7)), Packet::Resend(parcel(0, 0, 7))] {
        assert_eq!(gets(&mut b, A, copy), ["-> 0 LinkAck #0"]);
    }
}

#[test]
fn a_silent_receiver_is_sent_less_and_less_and_given_up() {
    let mut a = node(Order::Any);
    told(&mut a, Input::Command(7));
    let mut sent = Vec::new();
    let mut period = 0;
    while a.outstanding > 0 {
        period += 1;
        let lines = told(&mut a, Input::Timer(Timer::Resend));
        sent.extend(lines.contains(&"-> 1 7 #0 again".to_owned()).then_some(period));
        assert_eq!(lines.contains(&"set Resend 4ms".to_owned()), a.outstanding > 0);
    }
    assert_eq!(sent[..6], [2, 4, 8, 16, 24, 32]);
    assert_eq!((sent.len(), sent.last(), period), (42, Some(&PATIENCE), PATIENCE + 1));
    // The next message says that the first one will not come.
    assert_eq!(told(&mut a, Input::Command(8)), ["-> 1 8 #1", "set Resend 4ms"]);
    assert_eq!(a.links[&B].outstanding().count(), 1);
}

/// A node knows whom its messages are about as long as they are not acknowledged, refused or given
/// up.
#[test]
fn what_is_not_acknowledged_is_known() {
    let mut a = node(Order::Any);
    let known = |a: &Node| a.knows().unwrap().iter().map(|node| node.0).collect::<Vec<_>>();
    assert_eq!(known(&a), [5]);
    for number in [7, 7, 8, 9] {
        told(&mut a, Input::Command(number));
    }
    assert_eq!(known(&a), [1, 5, 7, 8, 9]);
    gets(&mut a, B, Packet::Ack { number: 0 });
    assert_eq!(known(&a), [1, 5, 7, 8, 9], "the second message tells of it, too");
    gets(&mut a, B, Packet::Ack { number: 1 });
    gets(&mut a, B, Packet::Ack { number: 1 });
    assert_eq!(known(&a), [1, 5, 8, 9]);
    gets(&mut a, B, Packet::Refused { number: 3 });
    assert_eq!(known(&a), [1, 5, 8]);
    (0..=PATIENCE).for_each(|_| drop(told(&mut a, Input::Timer(Timer::Resend))));
    assert_eq!(known(&a), [5]);
}

#[test]
fn early_messages_wait_if_order_is_asked_for() {
    let early = || Packet::Data(parcel(1, 0, 8));
    let mut any = node(Order::Any);
    assert_eq!(gets(&mut any, A, early()), ["-> 0 LinkAck #1", "! Heard(8)"]);
    let mut fifo = node(Order::Fifo);
    assert!(gets(&mut fifo, A, early()).is_empty());
    assert!(gets(&mut fifo, A, early()).is_empty(), "it waits already");
    let both = ["-> 0 LinkAck #0", "! Heard(7)", "-> 0 LinkAck #1", "! Heard(8)"];
    assert_eq!(gets(&mut fifo, A, Packet::Data(parcel(0, 0, 7))), both);
}

#[test]
fn a_gap_of_messages_that_were_given_up_is_skipped() {
    for order in [Order::Any, Order::Fifo] {
        let mut b = node(order);
        gets(&mut b, A, Packet::Data(parcel(3, 0, 7)));
        let lines = gets(&mut b, A, Packet::Resend(parcel(3, 3, 7)));
        let expected: &[_] = match order {
            Order::Any => &["-> 0 LinkAck #3"],
            Order::Fifo => &["-> 0 LinkAck #3", "! Heard(7)"],
        };
        assert_eq!(lines, expected);
        assert_eq!(
            gets(&mut b, A, Packet::Data(parcel(4, 4, 8))),
            ["-> 0 LinkAck #4", "! Heard(8)"]
        );
        let mut rested = Link::default();
        rested.skip_to(5);
        assert_eq!(b.links[&A], rested, "only numbers are left");
    }
}

#[test]
fn a_stub_refuses_what_its_node_has_not_heard() {
    let mut b = node(Order::Fifo);
    gets(&mut b, A, Packet::Data(parcel(2, 0, 9)));
    let zero = ["-> 0 LinkAck #0", "! Heard(0)"];
    assert_eq!(gets(&mut b, A, Packet::Data(parcel(0, 0, 0))), zero);
    assert_eq!(gets(&mut b, A, Packet::Data(parcel(1, 0, 8))), ["-> 0 LinkRefusal #1"]);
    assert_eq!(gets(&mut b, A, Packet::Resend(parcel(2, 0, 9))), ["-> 0 LinkRefusal #2"]);
    assert_eq!(
        gets(&mut b, A, Packet::Resend(parcel(0, 0, 0))),
        ["-> 0 LinkAck #0"],
        "it was heard"
    );
    assert!(told(&mut b, Input::Command(1)).is_empty());

    let mut a = node(Order::Any);
    told(&mut a, Input::Command(8));
    let back = ["cancel Resend", "! Returned(8)"];
    assert_eq!(gets(&mut a, B, Packet::Refused { number: 0 }), back);
    assert!(gets(&mut a, B, Packet::Refused { number: 0 }).is_empty(), "it comes back once");
}

#[test]
fn lemmas_see_a_message_until_it_is_handed_over() {
    let [mut a, mut b] = [node(Order::Any), node(Order::Any)];
    let silence = a.invariants().remove(0);
    let is_silent =
        |a: &Node, b: &Node| silence.judge(&Snapshot { nodes: &[a, b], messages: &[] }).is_ok();
    told(&mut a, Input::Command(7));
    assert!(!is_silent(&a, &b), "it may be lost, and is still to come");
    gets(&mut b, A, Packet::Data(parcel(0, 0, 7)));
    assert!(is_silent(&a, &b), "it is not acknowledged, but was handed over");
}

/// The next number of a stream, by xorshift.
fn draw(random: &mut u64, bound: usize) -> usize {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    (*random >> 32) as usize % bound
}

/// What the other node hears of a hundred messages, if four in ten are lost on each way, two in ten
/// duplicated, and those in transit arrive in any order, though seldom later than a timer.
fn heard_over_a_bad_network(order: Order, seed: u64) -> (Vec<u32>, [Node; 2]) {
    let mut random = seed;
    let mut nodes = [node(order), node(order)];
    let mut transit: Vec<(usize, Message)> = Vec::new();
    let mut heard = Vec::new();
    let mut next = 1..=100;
    while !next.is_empty() || nodes[0].outstanding > 0 {
        let (place, input) = match draw(&mut random, 12) {
            0 => (0, next.next().map(Input::Command)),
            2.. if !transit.is_empty() => {
                let (to, msg) = transit.swap_remove(draw(&mut random, transit.len()));
                (to, Some(Input::Message { from: NodeId(1 - to as u32), msg }))
            }
            _ => (0, (nodes[0].outstanding > 0).then_some(Input::Timer(Timer::Resend))),
        };
        let Some(input) = input else { continue };
        let mut env = Recorder::default();
        nodes[place].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    let copies = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2][draw(&mut random, 10)];
                    transit.extend(vec![(to.index(), msg); copies]);
                }
                Effect::Emit(Event::Heard(number)) => heard.push(number),
                _ => {}
            }
        }
    }
    (heard, nodes)
}

#[test]
fn each_message_is_handed_over_once_whatever_the_network_does() {
    for seed in 1..=100 {
        for order in [Order::Any, Order::Fifo] {
            let (mut heard, [a, b]) = heard_over_a_bad_network(order, seed);
            if order == Order::Any {
                heard.sort_unstable();
            }
            assert_eq!(heard, (1..=100).collect::<Vec<_>>(), "{order:?}, seed {seed}");
            let mut rested = [Link::default(), Link::default()];
            rested[0].skip_sends(100);
            rested[1].skip_to(100);
            assert_eq!([&a.links[&B], &b.links[&A]], [&rested[0], &rested[1]], "seed {seed}");
        }
    }
}
