use super::*;
use crate::Recorder;
use crate::circle::{Mixer, Salt};
use crate::object::QueueOp;
use crate::overlay::ldb::Ldb;
use crate::protocol::{Effect, Input};
use crate::queue::skueue::Fifo;

type Node = Combining<Fifo>;

const ENQUEUE: QueueOp = QueueOp::Enqueue(5);
const DEQUEUE: QueueOp = QueueOp::Dequeue;
const PERIOD: Duration = Duration::from_millis(1);

/// A process below process 0.
fn inner() -> (Node, Recorder<Node>) {
    (Combining::new(Some(NodeId(0)), PERIOD), Recorder::default())
}

fn request(id: u32, runs: &[u32]) -> <Node as Protocol>::Msg {
    Msg::Request { id, batch: runs.to_vec() }
}

fn answer(anchor: &mut Fifo, id: u32, runs: &[u32]) -> <Node as Protocol>::Msg {
    Msg::Answer { id, assignment: anchor.assign(&runs.to_vec()) }
}

#[test]
fn what_arrives_before_the_timeout_goes_on_as_one() {
    let (mut node, mut env) = inner();
    node.on_message(NodeId(2), request(7, &[2, 1]), &mut env);
    assert_eq!(env.lines(), ["set Timeout 1ms"]);
    node.on_command(ENQUEUE, &mut env);
    node.on_message(NodeId(3), request(0, &[0, 4]), &mut env);
    assert!(env.lines().is_empty(), "its timer runs already");
    node.on_timer(Timeout, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request { id: 0, batch: [3, 5] }"]);
    let mut anchor = Fifo::default();
    node.on_message(NodeId(0), answer(&mut anchor, 0, &[3, 5]), &mut env);
    let lines = env.lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("! Placed { ticket: 0, op: Enqueue(5)"), "its own come first");
    assert!(lines[1].starts_with("-> 2 Answer { id: 7,"));
    assert!(lines[2].starts_with("-> 3 Answer { id: 0,"));
    assert_eq!(node, Combining { placed: 1, count: 1, ..inner().0 }, "it remembers nothing");
}

#[test]
fn requests_do_not_wait_for_each_other_but_its_own_operations_do() {
    let (mut node, mut env) = inner();
    node.on_command(ENQUEUE, &mut env);
    node.on_timer(Timeout, &mut env);
    env.take();
    node.on_command(DEQUEUE, &mut env);
    node.on_command(ENQUEUE, &mut env);
    assert!(env.lines().is_empty(), "one batch of its own is under way");
    node.on_message(NodeId(2), request(0, &[1]), &mut env);
    node.on_timer(Timeout, &mut env);
    assert_eq!(env.lines(), ["set Timeout 1ms", "-> 0 Request { id: 1, batch: [1] }"]);
    let mut anchor = Fifo::default();
    // Answers overtake each other.
    node.on_message(NodeId(0), answer(&mut anchor, 1, &[1]), &mut env);
    assert_eq!(env.lines().len(), 1);
    node.on_message(NodeId(0), answer(&mut anchor, 0, &[1]), &mut env);
    let lines = env.lines();
    assert_eq!(lines[1..], ["set Timeout 1ms"], "{lines:?}");
    node.on_timer(Timeout, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request { id: 2, batch: [0, 1, 1] }"]);
}

#[test]
fn a_duplicate_answer_is_ignored() {
    let (mut node, mut env) = inner();
    node.on_command(ENQUEUE, &mut env);
    node.on_timer(Timeout, &mut env);
    let answer = answer(&mut Fifo::default(), 0, &[1]);
    node.on_message(NodeId(0), answer.clone(), &mut env);
    env.take();
    let before = node.clone();
    node.on_message(NodeId(0), answer, &mut env);
    assert_eq!(node, before);
    assert!(env.lines().is_empty());
}

#[test]
fn the_anchor_answers_at_once() {
    let (mut node, mut env) = (Node::new(None, PERIOD), Recorder::default());
    node.on_command(DEQUEUE, &mut env);
    node.on_message(NodeId(4), request(3, &[1]), &mut env);
    let lines = env.lines();
    assert!(lines[0].starts_with("! Placed { ticket: 0, op: Dequeue, place: Place { key: None"));
    assert!(lines[1].starts_with("-> 4 Answer { id: 3,"), "{lines:?}");
    assert_eq!(node.anchor().map(Fifo::held), Some(1));
}

/// Processes of a linearised de Bruijn network, their timers, and what is in transit between them.
struct System {
    nodes: Vec<Node>,
    /// When each message arrives, and each timer runs out.
    mail: Vec<(u64, NodeId, NodeId, <Node as Protocol>::Msg)>,
    timers: Vec<(u64, NodeId)>,
    now: u64,
    sent: u64,
    placed: Vec<(NodeId, Placed<QueueOp, u64>)>,
    invoked: Vec<u32>,
    /// For each operation the places that had been told before it was invoked: the highest.
    floors: BTreeMap<(NodeId, u32), Option<u64>>,
}

impl System {
    fn new(parents: &[Option<NodeId>]) -> Self {
        Self {
            nodes: parents.iter().map(|parent| Node::new(*parent, PERIOD)).collect(),
            mail: Vec::new(),
            timers: Vec::new(),
            now: 0,
            sent: 0,
            placed: Vec::new(),
            invoked: vec![0; parents.len()],
            floors: BTreeMap::new(),
        }
    }

    fn happen(&mut self, node: NodeId, input: Input<Node>) {
        let mut env = Recorder::default();
        self.nodes[node.index()].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    self.sent += 1;
                    self.mail.push((self.now + 1, node, to, msg));
                }
                Effect::SetTimer { after, .. } => {
                    self.timers.push((self.now + after.as_millis() as u64, node));
                }
                Effect::Emit(placed) => self.placed.push((node, placed)),
                other => panic!("{other:?}"),
            }
        }
    }

    fn invoke(&mut self, node: NodeId, op: QueueOp) {
        let floor = self.placed.iter().map(|it| it.1.place.witness).max();
        self.floors.insert((node, self.invoked[node.index()]), floor);
        self.invoked[node.index()] += 1;
        self.happen(node, Input::Command(op));
    }

    /// A message arrives, or a timer runs out: the first ones that are due, or any of them.
    fn step(&mut self, any: Option<u64>) -> bool {
        let count = self.mail.len() + self.timers.len();
        let due = |at: usize| match at.checked_sub(self.mail.len()) {
            None => (self.mail[at].0, at),
            Some(at) => (self.timers[at].0, usize::MAX),
        };
        let place = match any {
            Some(draw) if count > 0 => Some(draw as usize % count),
            _ => (0..count).min_by_key(|at| due(*at)),
        };
        let Some(place) = place else { return false };
        match place.checked_sub(self.mail.len()) {
            None => {
                let (time, from, to, msg) = self.mail.remove(place);
                self.now = self.now.max(time);
                self.happen(to, Input::Message { from, msg });
            }
            Some(place) => {
                let (time, node) = self.timers.remove(place);
                self.now = self.now.max(time);
                self.happen(node, Input::Timer(Timeout));
            }
        }
        true
    }

    /// All operations have places, in one order that explains them.
    fn explain(&self) {
        let mut placed = self.placed.clone();
        placed.sort_by_key(|it| it.1.place.witness);
        let (mut first, mut next, mut progress) = (0, 0, vec![0; self.nodes.len()]);
        for (place, (node, it)) in (0..).zip(placed) {
            assert_eq!(it.place.witness, place, "dense");
            assert_eq!(it.ticket, progress[node.index()], "program order of node {node}");
            progress[node.index()] += 1;
            let floor = self.floors[&(node, it.ticket)];
            assert!(floor.is_none_or(|floor| floor < place), "real time");
            let right = match it.op {
                QueueOp::Enqueue(_) => {
                    next += 1;
                    Some(next - 1)
                }
                QueueOp::Dequeue if first < next => {
                    first += 1;
                    Some(first - 1)
                }
                QueueOp::Dequeue => None,
            };
            assert_eq!(it.place.key, right);
        }
        assert_eq!(progress, self.invoked);
        assert!(self.nodes.iter().all(|node| node.requests.is_empty() && !node.has_work()));
    }
}

/// The way of each process to the anchor, in a random network.
fn parents(processes: u32, seed: u64) -> Vec<Option<NodeId>> {
    let network = Ldb::hashed(Mixer::new(seed), NodeId::all(processes));
    network.iter().map(Ldb::parent).collect()
}

#[test]
fn a_lone_operation_costs_two_messages_per_step_of_its_way() {
    for seed in 0..20 {
        let parents = parents(40, seed);
        let mut system = System::new(&parents);
        for node in NodeId::all(40) {
            let way = std::iter::successors(parents[node.index()], |at| parents[at.index()]);
            let before = system.sent;
            system.invoke(node, ENQUEUE);
            while system.step(None) {}
            assert_eq!(system.sent - before, 2 * way.count() as u64);
        }
        system.explain();
    }
}

/// A process sends a request for each level of its subtree: those of one level arrive together.
#[test]
fn requests_of_one_depth_meet_and_those_of_several_do_not() {
    for seed in 0..20 {
        let parents = parents(60, seed);
        // How many levels there are below each process, itself included.
        let mut levels = vec![0; parents.len()];
        for node in NodeId::all(60) {
            let way = std::iter::successors(Some(node), |at| parents[at.index()]);
            for (level, at) in (1..).zip(way) {
                levels[at.index()] = levels[at.index()].max(level);
            }
        }
        let mut system = System::new(&parents);
        NodeId::all(60).for_each(|node| system.invoke(node, ENQUEUE));
        while system.step(None) {}
        let below = levels.iter().zip(&parents).filter(|(_, parent)| parent.is_some());
        assert_eq!(system.sent, 2 * below.map(|(levels, _)| levels).sum::<u64>(), "seed {seed}");
        system.explain();
    }
}

#[test]
fn random_schedules_keep_program_order_and_real_time() {
    for seed in 0..300 {
        let processes = 1 + seed as u32 % 12;
        let mut system = System::new(&parents(processes, seed));
        let mut drawn = 0;
        let mut draw = || {
            drawn += 1;
            Mixer::new(seed).mix(drawn, Salt(1000))
        };
        for _ in 0..200 {
            if draw() % 3 == 0 {
                let node = NodeId((draw() % u64::from(processes)) as u32);
                system.invoke(node, if draw() % 2 == 0 { ENQUEUE } else { DEQUEUE });
            } else {
                system.step(Some(draw()));
            }
        }
        while system.step(Some(draw())) {}
        system.explain();
    }
}
