//! The same semantics once more, written down directly: whole states, no numbers, no memory of
//! steps.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};

use konklave::protocol::{Effect, Input, Monitor, Protocol};
use konklave::{NodeId, Recorder};
use konklave_check::application::{Application, Standing};
use konklave_check::{Faults, Order, Pace, System};

/// A system as a model.
#[derive(Clone)]
pub(crate) struct Direct<P, A, M>(pub(crate) System<P, A, M>);

/// A whole state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State<P: Protocol, A, M> {
    nodes: Vec<Node<P, A>>,
    monitor: M,
    /// What is in transit. If order does not matter, every channel is sorted.
    channels: BTreeMap<(NodeId, NodeId), VecDeque<P::Msg>>,
    faults: Faults,
    /// The nodes that cannot reach the others at present, nor be reached by them.
    cut_off: BTreeSet<NodeId>,
    pub(crate) is_broken: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node<P: Protocol, A> {
    state: P,
    application: A,
    timers: Vec<P::Timer>,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Status {
    Asleep,
    Up,
    Down,
    /// Down, but it will return.
    Away,
}

/// Something that can happen, and the choices of the node to which it does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action<P: Protocol> {
    what: What<P>,
    choices: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
enum What<P: Protocol> {
    Happen(NodeId, Input<P>),
    Deliver {
        channel: (NodeId, NodeId),
        place: usize,
        again: bool,
    },
    Lose {
        channel: (NodeId, NodeId),
        place: usize,
    },
    /// A message reaches a node that is away.
    Miss {
        channel: (NodeId, NodeId),
        place: usize,
    },
    Crash(NodeId),
    Leave(NodeId),
    Return(NodeId),
    CutOff(BTreeSet<NodeId>),
    Heal,
}

impl<P, A, M> Direct<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    fn react(&self, state: &mut State<P, A, M>, node: NodeId, input: Input<P>, choices: &[u32]) {
        let place = &mut state.nodes[node.index()];
        let mut verdict = Ok(());
        match &input {
            Input::Start => place.status = Status::Up,
            Input::Command(command) => {
                place.application.on_command(command);
                verdict = state.monitor.on_command(node, command);
            }
            Input::Timer(timer) => place.timers.retain(|other| other != timer),
            Input::Message { .. } | Input::Tick | Input::Returned { .. } => {}
        }
        let mut recorder = Recorder::choosing(choices);
        let node_state = &mut place.state;
        let happen = AssertUnwindSafe(|| node_state.on(input, &mut recorder));
        let is_panic = catch_unwind(happen).is_err();
        for effect in recorder.take() {
            let place = &mut state.nodes[node.index()];
            match effect {
                Effect::Send { to, msg } => {
                    let is_across = state.cut_off.contains(&node) != state.cut_off.contains(&to);
                    if state.nodes[to.index()].status == Status::Down || is_across {
                        continue;
                    }
                    let channel = state.channels.entry((node, to)).or_default();
                    channel.push_back(msg);
                    if self.0.world.order == Order::Any {
                        channel.make_contiguous().sort();
                    }
                }
                Effect::SetTimer { timer, .. } => {
                    place.timers.retain(|other| *other != timer);
                    place.timers.push(timer);
                    place.timers.sort();
                }
                Effect::CancelTimer(timer) => place.timers.retain(|other| *other != timer),
                Effect::Emit(event) => {
                    place.application.on_event(&event);
                    verdict = verdict.and_then(|()| state.monitor.on_event(node, &event));
                }
                Effect::Choose { .. } | Effect::Leave => {}
            }
        }
        state.is_broken |= verdict.is_err() || is_panic;
    }

    fn take(state: &mut State<P, A, M>, channel: (NodeId, NodeId), place: usize) -> P::Msg {
        let messages = state.channels.get_mut(&channel).expect("something is in transit");
        let msg = messages.remove(place).expect("it is in transit");
        if messages.is_empty() {
            state.channels.remove(&channel);
        }
        msg
    }

    pub(crate) fn first(&self) -> State<P, A, M> {
        let System { nodes, applications, monitor, world } = self.0.clone();
        let nodes = nodes.into_iter().zip(applications).map(|(state, application)| Node {
            state,
            application,
            timers: Vec::new(),
            status: Status::Asleep,
        });
        State {
            nodes: nodes.collect(),
            monitor,
            channels: BTreeMap::new(),
            faults: world.faults,
            cut_off: BTreeSet::new(),
            is_broken: false,
        }
    }

    /// Everything that can happen, with every choice that a node may make then.
    pub(crate) fn actions(&self, state: &State<P, A, M>) -> Vec<Action<P>> {
        let with_choices = |what: What<P>| {
            let choices = self.choices(state, &what);
            choices.into_iter().map(move |choices| Action { what: what.clone(), choices })
        };
        self.happenings(state).into_iter().flat_map(with_choices).collect()
    }

    /// All sequences of choices: each is put off until it is known how many there are.
    fn choices(&self, state: &State<P, A, M>, what: &What<P>) -> Vec<Vec<u32>> {
        let (node, input) = match what {
            What::Happen(node, input) => (*node, input.clone()),
            What::Return(node) => (*node, Input::Start), // It is as if it were new.
            What::Deliver { channel, place, .. } => {
                let msg = state.channels[channel][*place].clone();
                (channel.1, Input::Message { from: channel.0, msg })
            }
            _ => return vec![Vec::new()],
        };
        let mut whole = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            let mut recorder = Recorder::choosing(&choices);
            let mut node = state.nodes[node.index()].state.clone();
            let happen = AssertUnwindSafe(|| node.on(input.clone(), &mut recorder));
            let _ = catch_unwind(happen); // Is a result, but not ours.
            let bounds: Vec<u32> = recorder
                .take()
                .into_iter()
                .filter_map(|effect| match effect {
                    Effect::Choose { bound, .. } => Some(bound),
                    _ => None,
                })
                .collect();
            match bounds.get(choices.len()) {
                None => whole.push(choices),
                Some(&bound) => {
                    open.extend((0..bound).map(|next| [choices.clone(), vec![next]].concat()));
                }
            }
        }
        whole
    }

    fn happenings(&self, state: &State<P, A, M>) -> Vec<What<P>> {
        let mut actions = Vec::new();
        if state.is_broken {
            return actions;
        }
        let all = NodeId::all(state.nodes.len() as u32);
        let asleep = all.clone().find(|it| state.nodes[it.index()].status == Status::Asleep);
        if let Some(node) = asleep {
            return vec![What::Happen(node, Input::Start)];
        }
        let is_free = self.0.world.pace == Pace::Free;
        let is_up = |id: NodeId| state.nodes[id.index()].status == Status::Up;
        let is_quiet = all.clone().filter(|&id| is_up(id)).all(|id| {
            let application = &state.nodes[id.index()].application;
            application.notices().is_empty()
        });
        for id in all {
            let node = &state.nodes[id.index()];
            match node.status {
                Status::Down => continue,
                Status::Away if is_free || is_quiet => {
                    actions.push(What::Return(id));
                    continue;
                }
                Status::Away => continue,
                Status::Up | Status::Asleep => {}
            }
            let mut happen = |input| actions.push(What::Happen(id, input));
            node.application.commands().into_iter().map(Input::Command).for_each(&mut happen);
            if is_free || state.channels.is_empty() {
                node.application.notices().into_iter().map(Input::Command).for_each(&mut happen);
            }
            if is_free || state.channels.is_empty() && is_quiet {
                node.timers.iter().cloned().map(Input::Timer).for_each(&mut happen);
                if node.state.ticks() && !is_idle_turn(&node.state) {
                    happen(Input::Tick);
                }
            }
            if state.faults.crashes > 0 {
                actions.push(What::Crash(id));
            }
            if state.faults.restarts > 0 {
                actions.push(What::Leave(id));
            }
        }
        actions.extend(Self::cuts(state));
        actions.extend(self.arrivals(state));
        actions
    }

    /// What becomes of the network as a whole.
    fn cuts(state: &State<P, A, M>) -> Vec<What<P>> {
        if !state.cut_off.is_empty() {
            return vec![What::Heal];
        }
        if state.faults.partitions == 0 {
            return Vec::new();
        }
        // Every set of nodes but the first, so that no cut comes twice.
        let mut sides = vec![BTreeSet::new()];
        for id in NodeId::all(state.nodes.len() as u32).skip(1) {
            let with = |side: &BTreeSet<NodeId>| side.iter().copied().chain([id]).collect();
            sides.extend(sides.iter().map(with).collect::<Vec<_>>());
        }
        sides.into_iter().skip(1).map(What::CutOff).collect()
    }

    /// What becomes of messages.
    fn arrivals(&self, state: &State<P, A, M>) -> Vec<What<P>> {
        let mut actions = Vec::new();
        for (&channel, messages) in &state.channels {
            for place in 0..messages.len() {
                let is_copy = place > 0 && messages[place] == messages[place - 1];
                match self.0.world.order {
                    Order::Any if is_copy => continue,
                    Order::Fifo if place > 0 => continue,
                    _ => {}
                }
                if state.nodes[channel.1.index()].status == Status::Away {
                    actions.push(What::Miss { channel, place });
                    continue;
                }
                actions.push(What::Deliver { channel, place, again: false });
                if state.faults.duplicates > 0 {
                    actions.push(What::Deliver { channel, place, again: true });
                }
                if state.faults.losses > 0 {
                    actions.push(What::Lose { channel, place });
                }
            }
        }
        actions
    }

    pub(crate) fn next(&self, last: &State<P, A, M>, action: Action<P>) -> State<P, A, M> {
        let mut state = last.clone();
        let Action { what, choices } = action;
        match what {
            What::Happen(node, input) => self.react(&mut state, node, input, &choices),
            What::Deliver { channel: (from, to), place, again } => {
                let msg = match again {
                    true => {
                        state.faults.duplicates -= 1;
                        state.channels[&(from, to)][place].clone()
                    }
                    false => Self::take(&mut state, (from, to), place),
                };
                self.react(&mut state, to, Input::Message { from, msg }, &choices);
            }
            What::Lose { channel, place } => {
                state.faults.losses -= 1;
                Self::take(&mut state, channel, place);
            }
            What::Miss { channel, place } => {
                Self::take(&mut state, channel, place);
            }
            What::Crash(node) => {
                state.faults.crashes -= 1;
                self.crash(&mut state, node, Status::Down);
                state.channels.retain(|(_, to), _| *to != node);
            }
            What::Leave(node) => {
                state.faults.restarts -= 1;
                let mut application = state.nodes[node.index()].application.clone();
                application.revive();
                self.crash(&mut state, node, Status::Away);
                state.nodes[node.index()].application = application;
            }
            What::Return(node) => self.restart(&mut state, node, &choices),
            What::CutOff(nodes) => {
                state.faults.partitions -= 1;
                state.cut_off = nodes;
            }
            What::Heal => state.cut_off.clear(),
        }
        state
    }

    fn crash(&self, state: &mut State<P, A, M>, node: NodeId, status: Status) {
        let fresh = self.first().nodes.swap_remove(node.index());
        state.nodes[node.index()] = Node { status, ..fresh };
        for other in &mut state.nodes {
            if other.status == Status::Up {
                other.application.on_crash(node);
            }
        }
        state.is_broken |= state.monitor.on_crash(node).is_err();
    }

    /// It learns who else is down, the others learn that it is back, and it starts.
    fn restart(&self, state: &mut State<P, A, M>, node: NodeId, choices: &[u32]) {
        for other in NodeId::all(state.nodes.len() as u32).filter(|other| *other != node) {
            match state.nodes[other.index()].status {
                Status::Up => state.nodes[other.index()].application.on_restart(node),
                _ => state.nodes[node.index()].application.on_crash(other),
            }
        }
        state.is_broken |= state.monitor.on_restart(node).is_err();
        self.react(state, node, Input::Start, choices);
    }

    /// Whether nothing is wrong with a state.
    pub(crate) fn is_good(&self, state: &State<P, A, M>) -> bool {
        !state.is_broken && (state.monitor.at_rest().is_ok() || !self.can_stay(state))
    }

    /// Whether a state can be the last: nothing has to go wrong, and no application has to ask. But
    /// if none has asked for anything, those that can will be patient for ever.
    fn can_stay(&self, state: &State<P, A, M>) -> bool {
        let actions = self.happenings(state);
        let is_fault =
            |what: &What<P>| matches!(what, What::Crash(_) | What::Leave(_) | What::CutOff(_));
        let is_question = |what: &What<P>| {
            let What::Happen(node, Input::Command(command)) = what else { return false };
            let application = &state.nodes[node.index()].application;
            let is_leaving = A::TAKES_TURNS && application.standing() == Standing::Served;
            !is_leaving && !application.notices().contains(command)
        };
        let was_asked =
            state.nodes.iter().any(|node| node.application.standing() != Standing::Idle);
        actions.iter().all(|it| is_fault(it) || was_asked && is_question(it))
    }
}

/// Whether a turn of this node would leave everything as it is.
fn is_idle_turn<P: Protocol>(node: &P) -> bool {
    let (mut after, mut recorder) = (node.clone(), Recorder::default());
    let turn = AssertUnwindSafe(|| after.on_tick(&mut recorder));
    catch_unwind(turn).is_ok() && recorder.take().is_empty() && after == *node
}
