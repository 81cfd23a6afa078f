use super::*;
use crate::Recorder;
use crate::object::{Object, OrderedSet};
use crate::protocol::{Effect, Never};

/// A dictionary that answers at once, from a map of its own: for a trie of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Local(dictionary::Dictionary, u32);

impl Protocol for Local {
    type Msg = Never;
    type Timer = Never;
    type Command = dictionary::Command;
    type Event = Event;

    fn on_command(&mut self, command: dictionary::Command, env: &mut impl Env<Self>) {
        let dictionary::Command::Invoke(op) = command else { return };
        let (ticket, answer) = (self.1, self.0.apply(op));
        self.1 += 1;
        env.emit(Event::Returned { ticket, answer, witness: None });
    }

    fn on_message(&mut self, _: NodeId, msg: Never, _: &mut impl Env<Self>) {
        match msg {}
    }
}

fn plan(form: Form, width: u32) -> Plan {
    Plan { form, width, sequencer: NodeId(0), mixer: Mixer::new(3) }
}

/// The operations of one process, against a set; and with the right witnesses.
#[test]
fn a_process_alone_answers_as_a_set_does() {
    for (form, width) in
        [(Form::HASHED, 6), (Form::PATRICIA, 6), (Form::TRIE, 6), (Form::HASHED, 64)]
    {
        let mut node = Patricia::new(NodeId(0), plan(form, width), Local::default());
        let mut env = Recorder::default();
        let (mut set, mut updates) = (OrderedSet::default(), 0);
        for number in 0..400_u64 {
            let word = Mixer::new(width.into()).mix(number, crate::circle::Salt(4));
            let key = word >> (64 - width);
            let op = match word % 9 {
                0..3 => OrderedSetOp::Insert(key),
                3 => OrderedSetOp::Delete(key),
                4 => OrderedSetOp::Contains(key),
                5 => OrderedSetOp::Successor(key),
                6 => OrderedSetOp::Predecessor(key),
                7 => OrderedSetOp::Count { key, free: (word >> 8) as u8 % 6 },
                _ => OrderedSetOp::LongestPrefix(key),
            };
            node.on_command(Command::Invoke(op), &mut env);
            let effects = env.take();
            let [Effect::Emit(Event::Returned { ticket, answer, witness })] = effects[..] else {
                panic!("{op:?}: {effects:?}");
            };
            assert_eq!((u64::from(ticket), witness), (number, Some(updates)), "{op:?}");
            assert_eq!(set.accept(op, answer), Ok(()), "{op:?} is answered {answer:?}");
            updates += u64::from(matches!(op, OrderedSetOp::Insert(_) | OrderedSetOp::Delete(_)));
        }
        assert!(node.reads().count > 20 && node.repeats() == 0);
    }
}

/// A question that meets a change waits for its end, and then begins again.
#[test]
fn a_question_waits_for_an_update() {
    let mut node = Patricia::new(NodeId(1), plan(Form::HASHED, 6), Local::default());
    let mut env = Recorder::default();
    let version = node.version_key();
    node.dictionary.0.apply(DictionaryOp::Put { key: version, value: 5 });
    node.on_command(Command::Invoke(OrderedSetOp::LongestPrefix(9)), &mut env);
    assert_eq!(env.lines(), ["-> 0 Await { version: 5 }"]);
    node.dictionary.0.apply(DictionaryOp::Put { key: version, value: 6 });
    node.on_message(NodeId(0), Msg::Settled { version: 6 }, &mut env);
    let returned = "! Returned { ticket: 0, answer: None, witness: Some(3) }";
    assert_eq!(env.lines(), [returned]);
    node.on_message(NodeId(0), Msg::Settled { version: 6 }, &mut env);
    assert!(env.lines().is_empty(), "a duplicate");
}

#[test]
fn the_sequencer_answers_when_a_version_is_complete() {
    let mut node = Patricia::new(NodeId(0), plan(Form::HASHED, 6), Local::default());
    let mut env = Recorder::default();
    let (update, client) = (OrderedSetOp::Insert(9), NodeId(1));
    node.on_message(client, Msg::Await { version: 0 }, &mut env);
    assert!(env.lines().is_empty(), "nothing has happened yet");
    node.on_message(client, Msg::Update { ticket: 4, op: update }, &mut env);
    let lines = ["-> 1 Settled { version: 2 }", "-> 1 Updated { ticket: 4, witness: 0 }"];
    assert_eq!(env.lines(), lines);
    let mut other = Patricia::new(NodeId(2), plan(Form::HASHED, 6), Local::default());
    other.on_message(client, Msg::Update { ticket: 4, op: update }, &mut env);
    assert!(env.lines().is_empty(), "only the sequencer carries updates out");
}
