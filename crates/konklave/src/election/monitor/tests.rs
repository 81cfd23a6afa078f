use super::*;
use crate::protocol::Monitor as _;

fn monitor(winner: Winner) -> Monitor {
    Monitor::new([Id(5), Id(9), Id(7)].to_vec(), winner)
}

fn tell(monitor: &mut Monitor, node: u32, event: Event) -> Result<(), Broken> {
    monitor.on_event(NodeId(node), &event)
}

/// An election that node 1 has won, and all nodes know it.
fn decided() -> Monitor {
    let mut monitor = monitor(Winner::Largest);
    tell(&mut monitor, 0, Event::Started).unwrap();
    tell(&mut monitor, 1, Event::Elected).unwrap();
    for node in 0..3 {
        assert_eq!(monitor.at_rest().unwrap_err().promise, "termination");
        tell(&mut monitor, node, Event::Knows(Id(9))).unwrap();
    }
    monitor.at_rest().unwrap();
    monitor
}

#[test]
fn the_largest_wins_and_all_learn_it() {
    assert_eq!(decided().leader(), Some(NodeId(1)));
}

#[test]
fn a_second_leader_is_noticed() {
    let mut monitor = monitor(Winner::Largest);
    tell(&mut monitor, 1, Event::Elected).unwrap();
    let broken = tell(&mut monitor, 2, Event::Elected).unwrap_err();
    assert_eq!(broken.to_string(), "one leader: node 2 is elected, and so is node 1");
    assert_eq!(broken.node, Some(NodeId(2)));
}

#[test]
fn the_wrong_winner_is_noticed() {
    let broken = tell(&mut monitor(Winner::Largest), 2, Event::Elected).unwrap_err();
    assert_eq!(broken.to_string(), "the right leader: 7 wins, not 9");
    assert_eq!(broken.node, Some(NodeId(2)));
    let broken = tell(&mut monitor(Winner::Largest), 0, Event::Knows(Id(7))).unwrap_err();
    assert_eq!(broken.to_string(), "the right leader: 7 wins, not 9");
    assert_eq!(broken.node, Some(NodeId(0)), "the node that is told");
}

#[test]
fn among_initiators_only_they_count() {
    let mut monitor = monitor(Winner::LargestInitiator);
    tell(&mut monitor, 0, Event::Started).unwrap();
    tell(&mut monitor, 2, Event::Started).unwrap();
    assert!(tell(&mut monitor.clone(), 1, Event::Elected).is_err());
    tell(&mut monitor, 2, Event::Elected).unwrap();
}

#[test]
fn disagreement_is_noticed() {
    let mut monitor = monitor(Winner::Largest);
    tell(&mut monitor, 0, Event::Knows(Id(9))).unwrap(); // The winner may learn it last.
    let broken = tell(&mut monitor, 0, Event::Knows(Id(7))).unwrap_err();
    assert_eq!(broken.to_string(), "agreement: node 0 hears of 7, not of 9");
    let broken = tell(&mut monitor, 2, Event::Elected).unwrap_err();
    assert_eq!(broken.to_string(), "agreement: node 2 is elected with id 7, not 9");
    assert_eq!(broken.node, Some(NodeId(2)));
}

#[test]
fn an_election_without_a_result_is_noticed() {
    let broken = monitor(Winner::Largest).at_rest().unwrap_err();
    assert_eq!(broken.to_string(), "termination: the election ended without a leader");
    assert_eq!(broken.node, None, "all nodes did");
}

#[test]
fn the_next_election_needs_a_result_of_its_own() {
    let mut monitor = decided();
    tell(&mut monitor, 2, Event::Started).unwrap();
    tell(&mut monitor, 0, Event::Knows(Id(9))).unwrap(); // A late report of the last election.
    assert!(tell(&mut monitor.clone(), 1, Event::Elected).is_err(), "it is still in office");
    tell(&mut monitor, 1, Event::SteppedDown).unwrap();
    assert_eq!(monitor.at_rest().unwrap_err().promise, "termination");
    tell(&mut monitor, 1, Event::Elected).unwrap();
    let broken = monitor.at_rest().unwrap_err();
    assert_eq!(broken.to_string(), "termination: node 1 never learns who is the leader");
}

#[test]
fn the_winner_may_hear_of_it_when_the_next_election_has_begun() {
    let mut monitor = monitor(Winner::LargestInitiator);
    tell(&mut monitor, 2, Event::Started).unwrap();
    tell(&mut monitor, 0, Event::Knows(Id(7))).unwrap();
    tell(&mut monitor, 0, Event::Started).unwrap();
    assert!(tell(&mut monitor.clone(), 1, Event::Elected).is_err(), "it did not start");
    tell(&mut monitor, 2, Event::Elected).unwrap();
    tell(&mut monitor, 2, Event::SteppedDown).unwrap();
    assert!(tell(&mut monitor.clone(), 2, Event::Elected).is_err(), "it was told before");
    tell(&mut monitor, 0, Event::Elected).unwrap();
}

#[test]
fn only_a_leader_can_step_down() {
    let broken = tell(&mut decided(), 0, Event::SteppedDown).unwrap_err();
    assert_eq!(broken.to_string(), "one leader: node 0 steps down, but is not the leader");
}

#[test]
fn after_the_leader_has_crashed_the_largest_survivor_must_win() {
    let mut monitor = decided();
    monitor.on_crash(NodeId(1)).unwrap();
    monitor.at_rest().expect("nobody has asked for a new leader");
    tell(&mut monitor, 0, Event::Started).unwrap();
    assert!(monitor.at_rest().is_err());
    let mut wrong = monitor.clone();
    tell(&mut wrong, 0, Event::Elected).unwrap();
    for node in [0, 2] {
        tell(&mut wrong, node, Event::Knows(Id(5))).unwrap();
    }
    let broken = wrong.at_rest().unwrap_err();
    assert_eq!(broken.to_string(), "the right leader: 5 leads eventually, not 7");
    tell(&mut monitor, 2, Event::Knows(Id(9))).unwrap(); // A late report of the crashed leader.
    tell(&mut monitor, 2, Event::Elected).unwrap();
    for node in [0, 2] {
        tell(&mut monitor, node, Event::Knows(Id(7))).unwrap();
    }
    monitor.at_rest().unwrap();
}

#[test]
fn leaders_of_different_elections_may_overlap_where_that_is_allowed() {
    let mut monitor = Monitor { handover: Handover::Overlapping, ..decided() };
    monitor.on_crash(NodeId(1)).unwrap();
    tell(&mut monitor, 2, Event::Started).unwrap();
    tell(&mut monitor, 2, Event::Elected).unwrap();
    tell(&mut monitor, 1, Event::Started).unwrap(); // It has restarted.
    tell(&mut monitor, 1, Event::Elected).expect("node 2 has not heard of it");
    for node in 0..3 {
        tell(&mut monitor, node, Event::Knows(Id(9))).unwrap();
    }
    let broken = monitor.at_rest().unwrap_err();
    assert_eq!(broken.to_string(), "one leader: node 2 never steps down for node 1");
    tell(&mut monitor, 2, Event::SteppedDown).unwrap();
    monitor.at_rest().unwrap();
    tell(&mut monitor, 0, Event::Started).unwrap(); // All nodes are up.
    for node in 0..3 {
        tell(&mut monitor, node, Event::Knows(Id(9))).unwrap();
    }
    monitor.at_rest().expect("node 1 stays in office");
}

#[test]
fn leaders_of_the_same_election_may_not_overlap_anywhere() {
    let mut monitor = monitor(Winner::Anyone).overlapping();
    tell(&mut monitor, 0, Event::Started).unwrap();
    tell(&mut monitor, 1, Event::Elected).unwrap();
    let broken = tell(&mut monitor, 2, Event::Elected).unwrap_err();
    assert_eq!(broken.to_string(), "one leader: node 2 is elected, and so is node 1");
}

#[test]
fn an_election_may_end_with_its_initiators() {
    let mut monitor = monitor(Winner::Largest);
    tell(&mut monitor, 0, Event::Started).unwrap();
    monitor.on_crash(NodeId(1)).unwrap();
    assert!(monitor.at_rest().is_err());
    monitor.on_crash(NodeId(0)).unwrap();
    monitor.at_rest().unwrap();
}

#[test]
fn presumptions_must_agree_at_rest() {
    let mut monitor = monitor(Winner::Largest);
    for (node, id) in [(0, 5), (1, 9), (2, 9)] {
        tell(&mut monitor, node, Event::Presumes(Id(id))).unwrap();
    }
    let broken = monitor.at_rest().unwrap_err();
    assert_eq!(broken.to_string(), "agreement: node 0 presumes 5, not 9");
    tell(&mut monitor, 0, Event::Presumes(Id(9))).unwrap();
    monitor.at_rest().unwrap();
}

#[test]
fn a_start_after_a_presumption_is_the_same_election() {
    let mut monitor = monitor(Winner::LargestInitiator);
    for (node, id) in [(1, 9), (0, 5)] {
        tell(&mut monitor, node, Event::Started).unwrap();
        tell(&mut monitor, node, Event::Presumes(Id(id))).unwrap();
    }
    for node in [0, 2] {
        assert_eq!(monitor.at_rest().unwrap_err().promise, "agreement");
        tell(&mut monitor, node, Event::Presumes(Id(9))).unwrap();
    }
    monitor.at_rest().unwrap();
}

#[test]
fn a_second_report_of_the_same_winner_is_a_result() {
    let mut monitor = decided();
    tell(&mut monitor, 2, Event::Started).unwrap();
    tell(&mut monitor, 1, Event::SteppedDown).unwrap();
    tell(&mut monitor, 0, Event::Knows(Id(9))).unwrap(); // It has reported the last one before.
    tell(&mut monitor, 0, Event::Started).unwrap();
    let broken = tell(&mut monitor, 2, Event::Knows(Id(7))).unwrap_err();
    assert_eq!(broken.to_string(), "the right leader: 7 wins, not 9", "the third election");
}

/// Node 2 hears of the first result while the second election, which the same node wins, is under
/// way; so when the third has begun, the result of the second can still reach it.
#[test]
fn a_report_between_two_wins_of_a_node_may_be_about_the_first() {
    let mut monitor = monitor(Winner::LargestInitiator);
    for _ in 0..2 {
        tell(&mut monitor, 1, Event::Started).unwrap();
        tell(&mut monitor, 1, Event::Elected).unwrap();
        tell(&mut monitor, 1, Event::Knows(Id(9))).unwrap();
        if monitor.previous.is_none() {
            tell(&mut monitor, 1, Event::SteppedDown).unwrap();
        }
    }
    tell(&mut monitor, 2, Event::Knows(Id(9))).unwrap();
    tell(&mut monitor, 0, Event::Started).unwrap();
    tell(&mut monitor, 2, Event::Knows(Id(9))).unwrap();
    // But it has no third report of this winner to make, who has not even started.
    let broken = tell(&mut monitor, 2, Event::Knows(Id(9))).unwrap_err();
    assert_eq!(broken.to_string(), "the right leader: 9 wins, not 5");
}
