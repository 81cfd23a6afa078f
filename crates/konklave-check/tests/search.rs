//! Tries, in every schedule of small systems.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::Table;
use konklave::dictionary::server_dht::ServerDht;
use konklave::object::Places;
use konklave::search::patricia::{Patricia, Plan};
use konklave::search::{Command, Form, Monitor, OrderedSet, OrderedSetOp};
use konklave_catalog::object::client::User;
use konklave_check::{
    Faults, Options, Schedule, SearchReport, System, Until, Verdict, World, explore,
};

use OrderedSetOp::{Delete, Insert, LongestPrefix, Successor};

type Searched = SearchReport<Schedule<Patricia<ServerDht>>>;

/// Two members beside the server, with keys of three bits: the first is the sequencer.
fn search(form: Form, scripts: [&[OrderedSetOp]; 2], world: World) -> Searched {
    let mixer = Mixer::new(1);
    let table = Table::new(mixer, [1, 2].map(NodeId));
    let plan = Plan { form, width: 3, sequencer: NodeId(1), mixer };
    let make = |me| Patricia::new(me, plan, ServerDht::new(me, &table, 1));
    let user = |script: &[OrderedSetOp]| {
        User::<OrderedSet>::new(script.iter().map(|op| Command::Invoke(*op)).collect(), 1)
    };
    let users = [&[], scripts[0], scripts[1]].map(user).into();
    let system = System::new(make, users, Monitor::new(Places::OfChanges), world);
    let options = Options { threads: 2, until: Until::AllDecided, ..Options::default() };
    explore(system, options, &mut |_| true)
}

/// Questions beside inserts and deletes that move support nodes and the keys that nodes hold.
#[test]
fn every_schedule_of_two_clients_is_linearizable_and_rests() {
    let cases: [(&[OrderedSetOp], &[OrderedSetOp], u64); 4] = [
        (&[Insert(5)], &[LongestPrefix(4)], 2_674),
        (&[Insert(2), Insert(5)], &[LongestPrefix(4)], 65_246),
        (&[Insert(2), Delete(2)], &[Insert(3), Successor(1)], 425_842),
        (&[LongestPrefix(1), Insert(0)], &[Insert(3), LongestPrefix(2)], 51_064),
    ];
    for (one, other, states) in cases {
        let report = search(Form::HASHED, [one, other], World::new());
        assert_eq!(report.verdict, Verdict::Exhausted, "{one:?} {other:?}");
        assert_eq!(report.unique, states, "{one:?} {other:?}");
    }
}

#[test]
fn a_lost_message_blocks_but_no_answer_is_wrong() {
    let world = World::new().faults(Faults { losses: 1, ..Faults::NONE });
    let report = search(Form::PATRICIA, [&[Insert(5)], &[LongestPrefix(4)]], world);
    for (promise, holds) in [
        ("sequentially consistent", true),
        ("linearizable", true),
        ("every operation returns", false),
    ] {
        let mut properties = report.properties.iter();
        let property = properties.find(|it| it.name == promise).expect("it is decided");
        assert_eq!(property.holds, Some(holds), "{promise}");
    }
}
