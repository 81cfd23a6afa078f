//! Processes join and leave while others use the object.

use super::*;
use crate::object::Command;

impl<S: Service> System<S> {
    fn members(&self) -> Vec<NodeId> {
        let ids = NodeId::all(self.nodes.len() as u32);
        ids.filter(|node| self.nodes[node.index()].is_member()).collect()
    }

    /// Every process is where it would be in a network that was built of the members, there is one
    /// anchor, and every element lies where it is looked for.
    fn check_network(&self) {
        let members = self.members();
        let mixer = self.nodes[0].mixer;
        let built = Ldb::hashed(mixer, members.iter().copied());
        let grown: Vec<_> = members.iter().map(|it| self.nodes[it.index()].ldb.clone()).collect();
        assert_eq!(grown, built);
        self.anchor();
        for node in &self.nodes {
            for key in node.cells.keys() {
                assert!(node.is_member(), "what a process that has left stores is lost");
                assert!(node.ldb.is_responsible(S::point(mixer, *key)), "{key:?}");
            }
        }
    }
}

/// Operations, joins and leaves at random, in any order of messages.
fn churn<S: Service>(seed: u64, insert: fn(u64) -> Op<S>, remove: Op<S>) -> u32 {
    let (processes, outsiders) = (1 + seed as u32 % 5, (seed / 5) as u32 % 5);
    let mut system = System::<S>::with_outsiders(processes, outsiders, seed);
    let mut to_join: Vec<_> = (processes..processes + outsiders).collect();
    let mut asked = vec![0; (processes + outsiders) as usize];
    // As many as there are members may ask to leave, but for one.
    let mut to_leave = processes + outsiders - 1;
    let mut leaving = Vec::new();
    let mut next = 0;
    for _ in 0..60 {
        let members = system.members();
        let NodeId(node) = members[system.below(members.len())];
        let returned = system.returned.iter().filter(|it| it.0 == NodeId(node)).count();
        match system.below(8) {
            0 => {
                if let Some(joiner) = to_join.pop() {
                    let contact = NodeId(node);
                    system.command(joiner, Command::Join { contact });
                }
            }
            1 if to_leave > 0 && returned == asked[node as usize] && !leaving.contains(&node) => {
                to_leave -= 1;
                leaving.push(node);
                system.command(node, Command::Leave);
            }
            choice if !leaving.contains(&node) => {
                next += 1;
                asked[node as usize] += 1;
                let op = if choice % 2 == 0 { remove } else { insert(next) };
                system.invoke(node, op);
            }
            _ => {}
        }
        for _ in 0..system.below(30) {
            if !system.mail.is_empty() {
                system.deliver();
            }
        }
    }
    for joiner in to_join {
        let contact = system.members()[0];
        system.command(joiner, Command::Join { contact });
    }
    system.settle();
    assert_eq!(system.returned.len() as u64, next, "seed {seed}");
    let members = (processes + outsiders) as usize - leaving.len();
    assert_eq!(system.members().len(), members, "seed {seed}");
    system.check_network();
    system.nodes.iter().map(Batched::changes).max().unwrap_or(0)
}

#[test]
fn processes_join_and_leave_a_queue() {
    let changes: u32 =
        (0..2000).map(|seed| churn::<Fifo>(seed, QueueOp::Enqueue, QueueOp::Dequeue)).sum();
    assert!(changes > 2000, "{changes}");
}

#[test]
fn processes_join_and_leave_behind_a_barrier() {
    for seed in 0..500 {
        churn::<Barred>(seed, QueueOp::Enqueue, QueueOp::Dequeue);
    }
}
