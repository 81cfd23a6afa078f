use super::problem::Problem;
use super::*;
use crate::Recorder;
use crate::circle::{Mixer, Salt};
use crate::object::{Answer, Command, QueueOp};
use crate::overlay::place::sorted;
use crate::overlay::{Place, Start};
use crate::protocol::{Effect, Input, Snapshot};
use crate::queue::skueue::Fifo;

type Node = Stabilising<Fifo>;

/// No message takes more rounds than this, in which every node has one turn.
const SLOWEST: u32 = 3;
/// Longer than the way of an answer and of an element, for a few nodes.
const PATIENCE: u32 = 40;

/// An operation of the queue, and what has come of it.
#[derive(Clone, Copy, Debug)]
struct Done {
    node: NodeId,
    ticket: u32,
    op: QueueOp,
    answer: Answer,
    witness: u64,
}

/// Processes, and what is in transit between them, with its age.
struct System {
    nodes: Vec<Node>,
    mail: Vec<(u32, NodeId, NodeId, Msg<Fifo>)>,
    invoked: Vec<Vec<QueueOp>>,
    done: Vec<Done>,
    seed: u64,
    drawn: u64,
    fresh: u64,
}

impl System {
    /// A legal overlay, with a new queue.
    fn new(nodes: u32, seed: u64) -> Self {
        Self::starting(nodes, seed, |_, held| held)
    }

    /// Nodes that hold some addresses instead of those that they should.
    fn starting(nodes: u32, seed: u64, held: impl Fn(NodeId, Vec<NodeId>) -> Vec<NodeId>) -> Self {
        let mixer = Mixer::new(seed);
        let all = sorted(mixer, NodeId::all(nodes));
        let ends = [(all[0], all[nodes as usize - 1]), (all[nodes as usize - 1], all[0])];
        let mut system = Self {
            nodes: Vec::new(),
            mail: Vec::new(),
            invoked: vec![Vec::new(); nodes as usize],
            done: Vec::new(),
            seed,
            drawn: 0,
            fresh: 0,
        };
        let mut made: Vec<_> = all
            .iter()
            .zip(SkipPlus::ideal(mixer, &all))
            .map(|(&me, ideal)| {
                let held = held(me, ideal);
                let end = ends.iter().find(|(one, other)| *one == me && one != other);
                let start = Start::Knowing { held, end: end.map(|it| it.1), mail: Vec::new() };
                let member = Member::new(Place::new(me, mixer), start, 0);
                (me, Stabilising::new(member, PATIENCE, me == all[0]))
            })
            .collect();
        made.sort_by_key(|it| it.0);
        system.nodes = made.into_iter().map(|it| it.1).collect();
        NodeId::all(nodes).for_each(|node| system.happen(node, Input::Start));
        system
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.drawn += 1;
        (Mixer::new(self.seed).mix(self.drawn, Salt(1000)) % u64::from(bound.max(1))) as u32
    }

    fn happen(&mut self, node: NodeId, input: Input<Node>) {
        let mut env = Recorder::default();
        self.nodes[node.index()].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => self.mail.push((0, node, to, msg)),
                Effect::Emit(Event::Returned { ticket, answer, witness }) => {
                    let op = self.invoked[node.index()][ticket as usize];
                    let witness = witness.expect("an operation has a place");
                    self.done.push(Done { node, ticket, op, answer, witness });
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Messages arrive in any order, some of them later; then every node has its turn.
    fn round(&mut self) {
        let mut due = Vec::new();
        for mut letter in std::mem::take(&mut self.mail) {
            letter.0 += 1;
            let is_late = letter.0 < SLOWEST && self.below(3) == 0;
            if is_late { self.mail.push(letter) } else { due.push(letter) }
        }
        while !due.is_empty() {
            let at = self.below(due.len() as u32) as usize;
            let (_, from, to, msg) = due.swap_remove(at);
            self.happen(to, Input::Message { from, msg });
        }
        for node in NodeId::all(self.nodes.len() as u32) {
            self.happen(node, Input::Tick);
        }
    }

    fn fault(&self) -> Result<(), String> {
        let nodes: Vec<&Node> = self.nodes.iter().collect();
        let messages: Vec<_> = self.mail.iter().map(|it| (it.1, it.2, &it.3)).collect();
        let legality = self.nodes[0].legality().expect("it is self-stabilising");
        let verdict = legality.judge(&Snapshot { nodes: &nodes, messages: &messages });
        verdict.map_err(|broken| broken.detail)
    }

    fn outstanding(&self) -> usize {
        self.invoked.iter().map(Vec::len).sum::<usize>() - self.done.len()
    }

    /// Some operations, in some rounds.
    fn work(&mut self, rounds: u32, enqueues: u32) {
        for _ in 0..rounds {
            for _ in 0..self.below(3) {
                let node = self.below(self.nodes.len() as u32);
                self.fresh += 1;
                let op = match self.below(10) < enqueues {
                    true => QueueOp::Enqueue(self.fresh),
                    false => QueueOp::Dequeue,
                };
                self.invoked[node as usize].push(op);
                self.happen(NodeId(node), Input::Command(Command::Invoke(op)));
            }
            self.round();
        }
    }

    /// Until the system is legal and all operations have returned; in how many rounds.
    fn recover(&mut self) -> u32 {
        for rounds in 0..3000 {
            if self.fault().is_ok() && self.outstanding() == 0 {
                return rounds;
            }
            self.round();
        }
        panic!("seed {}: {:?}, {} outstanding", self.seed, self.fault(), self.outstanding());
    }

    /// Works in a legal system, which stays legal; what is invoked is sequentially consistent,
    /// beginning with some content.
    fn prove(&mut self) {
        let (seed, before) = (self.seed, self.done.len());
        for _ in 0..60 {
            let enqueues = 3 + self.below(5);
            self.work(1, enqueues);
            assert_eq!(self.fault(), Ok(()), "seed {seed}: legal stays legal");
        }
        self.recover();
        explain(self.done.split_off(before)).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }

    fn corrupt(&mut self, problem: Problem) {
        let seed = self.seed;
        let mut drawn = self.drawn;
        for node in &mut self.nodes {
            node.corrupt(problem, &mut |bound| {
                drawn += 1;
                (Mixer::new(seed).mix(drawn, Salt(1001)) % u64::from(bound)) as u32
            });
        }
        self.drawn = drawn;
    }

    fn repairs(&self) -> Repairs {
        self.nodes.iter().map(Stabilising::repairs).fold(Repairs::default(), |sum, it| Repairs {
            resets: sum.resets + it.resets,
            anew: sum.anew + it.anew,
            empty: sum.empty + it.empty,
        })
    }
}

/// Whether the order of witnesses is that of a queue with some content at first, in which elements
/// may be empty, and keeps the program order.
fn explain(mut done: Vec<Done>) -> Result<(), String> {
    done.sort_by_key(|it| it.witness);
    if let Some(pair) = done.windows(2).find(|it| it[0].witness + 1 != it[1].witness) {
        return Err(format!("not dense: {pair:?}"));
    }
    let mut last: BTreeMap<NodeId, u32> = BTreeMap::new();
    let (mut known, mut is_content_over) = (VecDeque::new(), false);
    for it in done {
        if last.insert(it.node, it.ticket).is_some_and(|earlier| earlier > it.ticket) {
            return Err(format!("not in program order: {it:?}"));
        }
        match (it.op, it.answer) {
            (QueueOp::Enqueue(element), _) => known.push_back(element),
            (QueueOp::Dequeue, Some(element)) if known.front() == Some(&element) => {
                is_content_over = true;
                known.pop_front();
            }
            (QueueOp::Dequeue, answer) => {
                let is_known = answer.is_some_and(|element| known.contains(&element));
                if is_known || is_content_over && (answer.is_some() || !known.is_empty()) {
                    return Err(format!("not the first of {known:?}: {it:?}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn without_faults_it_stays_legal_and_repairs_nothing() {
    for seed in 0..40 {
        let mut system = System::new(1 + seed as u32 % 8, seed);
        assert_eq!(system.fault(), Ok(()), "seed {seed}");
        for _ in 0..80 {
            system.work(1, 5);
            assert_eq!(system.fault(), Ok(()), "seed {seed}");
        }
        system.recover();
        let Repairs { resets, anew, empty } = system.repairs();
        assert_eq!((resets, anew, empty), (0, 0, 0), "seed {seed}");
        let done = std::mem::take(&mut system.done);
        explain(done).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

/// While operations are under way, and when all is quiet.
fn recovers_from(problem: Problem) -> Repairs {
    let mut sum = Repairs::default();
    for seed in 0..60 {
        let mut system = System::new(2 + seed as u32 % 7, 100 + seed);
        system.work(12, 8);
        if seed % 3 == 0 {
            system.recover();
        }
        system.corrupt(problem);
        system.recover();
        let before = system.repairs();
        system.prove();
        let after = system.repairs();
        assert_eq!((after.resets, after.anew), (before.resets, before.anew), "seed {seed}");
        sum.resets += after.resets;
        sum.anew += after.anew;
        sum.empty += after.empty;
    }
    sum
}

/// A star, in which processes do not find the anchor, with everything wrong.
#[test]
fn it_recovers_from_all_problems_at_once_in_any_network() {
    for seed in 0..60 {
        let star = |me: NodeId, _| if me.0 == 0 { vec![] } else { vec![NodeId(0)] };
        let mut system = System::starting(2 + seed as u32 % 7, seed, star);
        system.work(8, 8);
        Problem::ALL.into_iter().for_each(|problem| system.corrupt(problem));
        system.work(8, 5);
        system.recover();
        system.prove();
    }
}

/// However late it arrives.
#[test]
fn what_is_left_of_an_earlier_epoch_is_ignored() {
    let mut held_back = 0;
    for seed in 0..40 {
        let mut system = System::new(2 + seed as u32 % 7, 200 + seed);
        system.work(10, 7);
        system.corrupt(Problem::Anchors);
        let late = std::mem::take(&mut system.mail);
        held_back += late.len();
        system.recover();
        if system.repairs().resets > 0 {
            system.mail.extend(late);
            assert_eq!(system.fault(), Ok(()), "seed {seed}");
        }
        system.prove();
    }
    assert!(held_back > 100);
}

#[test]
fn it_recovers_from_several_elements_with_one_key() {
    assert!(recovers_from(Problem::Twins).anew > 0);
}

#[test]
fn it_recovers_from_keys_without_elements() {
    assert!(recovers_from(Problem::Holes).empty > 0);
}

#[test]
fn it_recovers_from_several_anchors() {
    assert!(recovers_from(Problem::Anchors).resets > 0);
}

#[test]
fn it_recovers_from_an_anchor_with_a_wrong_state() {
    assert!(recovers_from(Problem::Ends).anew > 0);
}

#[test]
fn it_recovers_from_forgotten_requests() {
    recovers_from(Problem::Traces);
}

#[test]
fn it_recovers_from_operations_that_wait_for_nothing() {
    recovers_from(Problem::Gets);
}
