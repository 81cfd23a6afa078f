//! What lectures teach about elections on networks, where it is wrong.

use konklave::NodeId;
use konklave::election::adoption::{self, Adoption};
use konklave::election::dfs_token::{self, DfsToken};
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::graph::Topology;
use konklave::protocol::{Effect, Input, Protocol};
use konklave_sim::workload::election::{Ballot, ElectionReport, Plan};
use konklave_sim::{Delay, Options, Report, Simulation};

use super::flawed::{Flaw, Flawed, Flawless, verdict};

/// An election between nodes with these ids; those with the ids of `initiators` start.
fn elect<P, F>(
    options: Options,
    (topology, ids, initiators): (&str, &[u32], &[u32]),
    winner: Winner,
    flaw: &F,
    make: impl Fn(Id, Vec<NodeId>) -> P,
) -> Report<ElectionReport>
where
    P: Protocol<Command = Command, Event = Event>,
    F: Flaw<P>,
{
    let nodes = ids.len() as u32;
    let topology: Topology = topology.parse().unwrap();
    let graph = topology.build(nodes, &mut || 0).unwrap();
    let starts = |node: &NodeId| initiators.contains(&ids[node.index()]);
    let plan = Plan::once(NodeId::all(nodes).filter(starts).collect(), 0);
    let ids: Vec<_> = ids.iter().copied().map(Id).collect();
    let make = |me: NodeId| {
        let right = make(ids[me.index()], graph.neighbours(me).collect());
        Flawed::new(right, flaw.clone())
    };
    let monitor = Monitor::new(ids.clone(), winner);
    let ballot = Ballot::new(ids.clone(), plan);
    Simulation::new(options, nodes, make, ballot, monitor).run(&mut |_| true).unwrap()
}

/// The initiator decides as soon as the token is back over the edge on which it has left first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum StopsAtFirstReturn {
    Asleep,
    Initiator,
    Stopped,
}

impl Flaw<DfsToken> for StopsAtFirstReturn {
    fn inputs(&mut self, _: &DfsToken, input: Input<DfsToken>) -> Vec<Input<DfsToken>> {
        if input == Input::Command(Command::Start) {
            *self = Self::Initiator;
        }
        vec![input]
    }

    fn effects(
        &mut self,
        input: &Input<DfsToken>,
        effects: Vec<Effect<DfsToken>>,
    ) -> Vec<Effect<DfsToken>> {
        match input {
            Input::Message { from, msg: dfs_token::Msg::Back(token) }
                if *self == Self::Initiator =>
            {
                *self = Self::Stopped;
                let announce = dfs_token::Msg::Elected(token.largest);
                vec![
                    Effect::Emit(Event::Knows(token.largest)),
                    Effect::Send { to: *from, msg: announce },
                ]
            }
            _ => effects,
        }
    }
}

#[test]
fn a_token_that_stops_at_its_first_return_forgets_what_lies_behind_a_cut_vertex() {
    let path = ("line", &[3, 1, 4][..], &[1][..]);
    let judge = |flaw: &StopsAtFirstReturn| {
        verdict(&elect(Options::default(), path, Winner::Largest, flaw, DfsToken::new))
    };
    assert_eq!(judge(&StopsAtFirstReturn::Asleep), "the right leader: 3 wins, not 4");
    let right = elect(Options::default(), path, Winner::Largest, &Flawless, DfsToken::new);
    assert_eq!(verdict(&right), "kept");
}

#[test]
fn on_a_ring_that_token_has_been_everywhere() {
    let ring = ("ring", &[3, 1, 4][..], &[1][..]);
    let flaw = StopsAtFirstReturn::Asleep;
    let report = elect(Options::default(), ring, Winner::Largest, &flaw, DfsToken::new);
    assert_eq!(verdict(&report), "kept", "the initiator is no cut vertex");
}

/// Case 3 as on the slide: an explorer is sent back as it came, even if we know of a larger wave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AnswersWithX;

impl Flaw<Adoption> for AnswersWithX {
    fn effects(
        &mut self,
        input: &Input<Adoption>,
        effects: Vec<Effect<Adoption>>,
    ) -> Vec<Effect<Adoption>> {
        let answer = |effect| match (input, effect) {
            (
                Input::Message { from, msg: adoption::Msg::Explore(x) },
                Effect::Send { to, msg: adoption::Msg::Explore(_) },
            ) if *from == to => Effect::Send { to, msg: adoption::Msg::Explore(*x) },
            (_, effect) => effect,
        };
        effects.into_iter().map(answer).collect()
    }
}

#[test]
fn adoption_that_answers_with_x_elects_a_smaller_initiator() {
    let path = ("line", &[2, 1, 3][..], &[1, 2, 3][..]);
    let judge = |seed, flaw: &dyn Fn(Options) -> Report<ElectionReport>| {
        let options = Options { seed, delay: Delay::Uniform(1, 9), ..Options::default() };
        verdict(&flaw(options))
    };
    let winner = Winner::LargestInitiator;
    let wrong = |options| elect(options, path, winner, &AnswersWithX, Adoption::new);
    let right = |options| elect(options, path, winner, &Flawless, Adoption::new);
    let verdicts: Vec<_> = (1..=50).map(|seed| judge(seed, &wrong)).collect();
    let expected = "the right leader: 2 wins, not 3";
    assert!(verdicts.iter().any(|verdict| verdict == expected), "{verdicts:?}");
    assert!((1..=50).all(|seed| judge(seed, &right) == "kept"));
}
