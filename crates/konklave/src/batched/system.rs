//! Small systems of processes, for the tests of services.

use super::*;
use crate::Recorder;
use crate::circle::Salt;
use crate::object::{Command, Monitor};
use crate::overlay::ldb;
use crate::protocol::{Effect, Input, Monitor as _};

/// Processes, and what is in transit between them.
pub(crate) struct System<S: Service> {
    pub(crate) nodes: Vec<Batched<S>>,
    pub(crate) mail: Vec<(NodeId, NodeId, <Batched<S> as Protocol>::Msg)>,
    pub(crate) monitor: Monitor<S::Object>,
    pub(crate) draw: Mixer,
    pub(crate) drawn: u64,
    pub(crate) returned: Vec<(NodeId, u32, Answer)>,
    pub(crate) waves: u64,
    pub(crate) wakes: u64,
    pub(crate) elements: u64,
}

impl<S: Service> System<S> {
    pub(crate) fn new(processes: u32, seed: u64) -> Self {
        Self::with_outsiders(processes, 0, seed)
    }

    pub(crate) fn with_outsiders(processes: u32, outsiders: u32, seed: u64) -> Self {
        let mixer = Mixer::new(seed);
        let network = Ldb::hashed(mixer, NodeId::all(processes));
        let members = network.into_iter().map(|ldb| Batched::new(ldb, mixer));
        let others = (processes..processes + outsiders).map(NodeId);
        Self {
            nodes: members.chain(others.map(|me| Batched::outside(me, mixer))).collect(),
            mail: Vec::new(),
            monitor: Monitor::new(S::PLACES),
            draw: Mixer::new(seed),
            drawn: 0,
            returned: Vec::new(),
            waves: 0,
            wakes: 0,
            elements: 0,
        }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        self.draw.mix(self.drawn, Salt(1000)) as usize % bound
    }

    pub(crate) fn happen(&mut self, node: NodeId, input: Input<Batched<S>>) {
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
                    if let Event::Returned { ticket, answer, .. } = event {
                        self.returned.push((node, ticket, answer));
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }

    pub(crate) fn invoke(&mut self, node: u32, op: Op<S>) {
        self.command(node, Command::Invoke(op));
    }

    pub(crate) fn command(&mut self, node: u32, command: Command<Op<S>>) {
        self.monitor.on_command(NodeId(node), &command).unwrap();
        self.happen(NodeId(node), Input::Command(command));
    }

    /// What an operation of a process has returned.
    pub(crate) fn answer(&self, node: u32, ticket: u32) -> Answer {
        let mut returned = self.returned.iter();
        let is_it = |it: &&(NodeId, u32, Answer)| (it.0, it.1) == (NodeId(node), ticket);
        returned.find(is_it).expect("it has returned").2
    }

    /// Everything that is in transit arrives, in one unit of time.
    pub(crate) fn round(&mut self) {
        for (from, to, msg) in std::mem::take(&mut self.mail) {
            self.happen(to, Input::Message { from, msg });
        }
    }

    /// One message arrives, any of them.
    pub(crate) fn deliver(&mut self) {
        let at = self.below(self.mail.len());
        let (from, to, msg) = self.mail.swap_remove(at);
        self.happen(to, Input::Message { from, msg });
    }

    pub(crate) fn settle(&mut self) {
        while !self.mail.is_empty() {
            self.deliver();
        }
        self.monitor.at_rest().unwrap();
    }

    pub(crate) fn anchor(&self) -> &Waves<S> {
        let mut anchors =
            self.nodes.iter().filter(|it| it.is_member() && it.waves().anchor().is_some());
        let anchor = anchors.next().expect("one process is the anchor");
        assert!(anchors.next().is_none());
        anchor.waves()
    }

    pub(crate) fn height(&self) -> u32 {
        ldb::height(&self.nodes.iter().map(Batched::ldb).collect::<Vec<_>>())
    }

    /// Bursts of operations in any schedule: some insert elements, others remove them.
    pub(crate) fn check_at_random(insert: fn(u64) -> Op<S>, remove: Op<S>) {
        for seed in 0..300 {
            let processes = 1 + seed as u32 % 12;
            let mut system = Self::new(processes, seed);
            let (burst, fill) = (1 + system.below(8), 1 + system.below(9));
            let mut next = 0;
            for _ in 0..30 {
                for _ in 0..system.below(burst + 1) {
                    let node = system.below(processes as usize) as u32;
                    next += 1;
                    let op = if system.below(10) < fill { insert(next) } else { remove };
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
            let (edges, waves) = (u64::from(processes - 1), u64::from(system.anchor().waves()));
            let traversals = if S::BARRIER { 4 } else { 2 };
            assert_eq!(system.waves, traversals * edges * waves, "seed {seed}");
        }
    }
}
