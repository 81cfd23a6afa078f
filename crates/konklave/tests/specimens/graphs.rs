//! What lectures teach about elections on networks, where it is wrong.

use konklave::NodeId;
use konklave::election::adoption::Adoption;
use konklave::election::dfs_token::DfsToken;
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::graph::Topology;
use konklave::protocol::Protocol;
use konklave_catalog::election::workload::{Ballot, ElectionReport, Plan};
use konklave_sim::{Delay, Options, RunReport, Simulation};
use konklave_specimens::flaws::adoption::AnswersWithX;
use konklave_specimens::flaws::dfs_token::StopsAtFirstReturn;
use konklave_specimens::{Flaw, Flawed, Flawless};

use super::verdict::verdict;

/// An election between nodes with these ids; those with the ids of `initiators` start.
fn elect<P, F>(
    options: Options,
    (topology, ids, initiators): (&str, &[u32], &[u32]),
    winner: Winner,
    flaw: &F,
    make: impl Fn(Id, Vec<NodeId>) -> P,
) -> RunReport<ElectionReport>
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

#[test]
fn adoption_that_answers_with_x_elects_a_smaller_initiator() {
    let path = ("line", &[2, 1, 3][..], &[1, 2, 3][..]);
    let judge = |seed, flaw: &dyn Fn(Options) -> RunReport<ElectionReport>| {
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
