use super::*;
use crate::Recorder;
use crate::object::Places;
use crate::overlay::ldb;
use crate::protocol::{Effect, Input, Monitor as _};
use crate::queue::Monitor;

/// Processes, and what is in transit between them.
struct System {
    nodes: Vec<Skueue>,
    mail: Vec<(NodeId, NodeId, Msg)>,
    monitor: Monitor,
    draw: Mixer,
    drawn: u64,
    returned: Vec<(NodeId, u32, Answer)>,
    waves: u64,
    wakes: u64,
    elements: u64,
}

impl System {
    fn new(processes: u32, seed: u64) -> Self {
        let mixer = Mixer::new(seed);
        let network = Ldb::hashed(mixer, NodeId::all(processes));
        Self {
            nodes: network.into_iter().map(|ldb| Skueue::new(ldb, mixer)).collect(),
            mail: Vec::new(),
            monitor: Monitor::new(Places::OfAll),
            draw: Mixer::new(seed),
            drawn: 0,
            returned: Vec::new(),
            waves: 0,
            wakes: 0,
            elements: 0,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        self.draw.mix(self.drawn, Salt(1000)) as usize % bound
    }

    fn happen(&mut self, node: NodeId, input: Input<Skueue>) {
        let mut env = Recorder::default();
        self.nodes[node.index()].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    assert_ne!(to, node, "steps inside a process are not messages: {msg:?}");
                    match msg {
                        Msg::Wave(waves::Msg::Wake { .. }) => self.wakes += 1,
                        Msg::Wave(_) => self.waves += 1,
                        _ => self.elements += 1,
                    }
                    self.mail.push((node, to, msg));
                }
                Effect::Emit(event) => {
                    self.monitor.on_event(node, &event).unwrap();
                    let Event::Returned { ticket, answer, .. } = event else { panic!("{event:?}") };
                    self.returned.push((node, ticket, answer));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn invoke(&mut self, node: u32, op: QueueOp) {
        let command = Command::Invoke(op);
        self.monitor.on_command(NodeId(node), &command).unwrap();
        self.happen(NodeId(node), Input::Command(command));
    }

    /// Everything that is in transit arrives, in one unit of time.
    fn round(&mut self) {
        for (from, to, msg) in std::mem::take(&mut self.mail) {
            self.happen(to, Input::Message { from, msg });
        }
    }

    /// One message arrives, any of them.
    fn deliver(&mut self) {
        let at = self.below(self.mail.len());
        let (from, to, msg) = self.mail.swap_remove(at);
        self.happen(to, Input::Message { from, msg });
    }

    fn settle(&mut self) {
        while !self.mail.is_empty() {
            self.deliver();
        }
        self.monitor.at_rest().unwrap();
    }

    fn anchor(&self) -> &Waves<Fifo> {
        let mut anchors = self.nodes.iter().filter(|it| it.waves().anchor().is_some());
        let anchor = anchors.next().expect("one process is the anchor");
        assert!(anchors.next().is_none());
        anchor.waves()
    }

    fn height(&self) -> u32 {
        ldb::height(&self.nodes.iter().map(Skueue::ldb).collect::<Vec<_>>())
    }
}

#[test]
fn a_process_alone_needs_no_messages() {
    let mut system = System::new(1, 3);
    for op in [QueueOp::Dequeue, QueueOp::Enqueue(7), QueueOp::Enqueue(8), QueueOp::Dequeue] {
        system.invoke(0, op);
    }
    assert!(system.mail.is_empty());
    let answers: Vec<_> = system.returned.iter().map(|it| it.2).collect();
    assert_eq!(answers, [None, None, None, Some(7)]);
    assert_eq!((system.nodes[0].held(), system.anchor().anchor().unwrap().held()), (1, 1));
}

#[test]
fn a_queue_that_nobody_uses_rests() {
    let mut system = System::new(20, 1);
    for node in NodeId::all(20) {
        system.happen(node, Input::Start);
    }
    assert!(system.mail.is_empty());
}

#[test]
fn one_operation_takes_two_waves_and_then_all_rest() {
    for (processes, seed) in [(2, 1), (3, 2), (10, 3), (50, 4)] {
        let mut system = System::new(processes, seed);
        for (times, node) in (1..).zip([processes - 1, 0, processes / 2]) {
            system.invoke(node, QueueOp::Enqueue(times));
            system.settle();
            assert_eq!(system.returned.len() as u64, times);
            // The empty wave that has slept, and the one that carries the operation.
            assert_eq!(u64::from(system.anchor().waves()), 2 * times);
            assert_eq!(system.waves, 2 * times * 2 * u64::from(processes - 1));
            assert!(system.wakes <= times * u64::from(system.height()));
        }
        let held: usize = system.nodes.iter().map(Skueue::held).sum();
        assert_eq!((held, system.anchor().anchor().unwrap().held()), (3, 3));
    }
}

#[test]
fn a_wave_takes_twice_the_height_and_two_messages_per_edge() {
    for (processes, seed) in [(2, 1), (3, 2), (16, 3), (100, 4)] {
        let mut system = System::new(processes, seed);
        let mut ends = Vec::new();
        for time in 0..600 {
            let (waves, sent) = (system.anchor().waves(), system.waves);
            // Everybody always has something to ask for.
            for node in 0..processes {
                system.invoke(node, QueueOp::Enqueue(time * 1000 + u64::from(node)));
            }
            system.round();
            if system.anchor().waves() > waves {
                ends.push((time, sent));
            }
        }
        let (period, edges) = (2 * u64::from(system.height()), u64::from(processes - 1));
        assert!(ends.len() > 5);
        // The first wave has slept.
        for pair in ends[2..].windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, period, "{processes} processes: {ends:?}");
        }
        while !system.mail.is_empty() {
            system.round();
        }
        assert_eq!(system.waves, 2 * edges * u64::from(system.anchor().waves()));
        system.monitor.at_rest().unwrap();
    }
}

#[test]
fn random_schedules_are_linearizable() {
    for seed in 0..300 {
        let processes = 1 + seed as u32 % 12;
        let mut system = System::new(processes, seed);
        let (burst, fill) = (1 + system.below(8), 1 + system.below(9));
        let mut next = 0;
        for _ in 0..30 {
            for _ in 0..system.below(burst + 1) {
                let node = system.below(processes as usize) as u32;
                next += 1;
                let op = match system.below(10) < fill {
                    true => QueueOp::Enqueue(next),
                    false => QueueOp::Dequeue,
                };
                system.invoke(node, op);
            }
            for _ in 0..system.below(60) {
                if !system.mail.is_empty() {
                    system.deliver();
                }
            }
        }
        system.settle();
        assert_eq!(system.returned.len() as u64, next, "seed {seed}");
        let edges = u64::from(processes - 1);
        assert_eq!(system.waves, 2 * edges * u64::from(system.anchor().waves()), "seed {seed}");
    }
}

#[test]
fn a_get_waits_for_its_put() {
    let mut system = System::new(1, 1);
    let mut env = Recorder::default();
    let task = |process, ticket| Task {
        process: NodeId(process),
        ticket,
        position: 0,
        way: system.nodes[0].ldb().set_out(),
    };
    let (get, put) = (Msg::Get(task(1, 4)), Msg::Put { task: task(2, 9), element: 7 });
    let node = &mut system.nodes[0];
    node.on_message(NodeId(1), get.clone(), &mut env);
    let waiting = node.clone();
    node.on_message(NodeId(1), get, &mut env);
    assert_eq!(*node, waiting, "a duplicate");
    assert!(env.lines().is_empty());
    node.on_message(NodeId(2), put, &mut env);
    let answers = ["-> 1 Element { ticket: 4, element: 7 }", "-> 2 Stored { ticket: 9 }"];
    assert_eq!(env.lines(), answers);
    assert_eq!(node.held(), 0);
}
