//! The anchor cuts off what cannot be the wanted element, until so few are left that it can see
//! them.
//!
//! M. Feldmann, C. Scheideler: Skeap & Seap: Scalable Distributed Priority Queues for Constant and
//! Arbitrary Priorities. SPAA, 2019.
//!
//! # Idea
//!
//! The anchor of the aggregation tree asks all processes in rounds: a question goes down the tree,
//! and replies are combined on the way up. At first all elements are active.
//!
//! Phase 1: if elements are spread evenly, the k-th smallest of all is about the k/n-th smallest of
//! each process. A process tells its elements of the ranks ⌊k/n⌋ and ⌈k/n⌉, and everything below
//! the smallest and above the largest of these is deactivated. Lemma 6.7: the wanted element stays
//! active. Lemma 6.8: with high probability, O(√(n m log n)) elements stay, so after ⌈log2 q⌉ + 1
//! cuts of m = n^q elements O(n^3/2 log n) are left.
//!
//! Phase 2: each active element becomes a splitter with a probability that makes about S of them.
//! The wanted one is expected to be the k s/m-th of s splitters, and what is beyond the splitters
//! at some distance on either side is deactivated. Lemma 6.9: with high probability, the wanted
//! element stays active, and the others become fewer by a factor that is a power of n. The anchor
//! counts before it deactivates anything, so a bad sample costs time only, and the result is always
//! right.
//!
//! Phase 3: when no more than S elements are active, the anchor asks for all of them.
//!
//! # Cost
//!
//! Messages: 2(n-1) per round, with O(log n) rounds with high probability.
//!
//! - Time: twice the height of the tree per round, so O(log² n) in all.
//! - State: the elements of the process, and a window of them.
//!
//! # Assumes
//!
//! Reliable channels in any order between all processes; members and elements do not change.
//! Phase 1 is quick if elements are spread evenly, and right if they are not.
//!
//! - Loss: a lost message stops the selection, and all that wait behind it. Safety holds.
//! - Duplication: a duplicate is harmless: questions and replies carry the number of their round,
//!   and a duplicate request is one more selection, whose answer nobody waits for.
//! - Crash: the crash of a process stops all selections.
//!
//! # Differs from the paper
//!
//! Splitters travel as a list to the anchor instead of being sorted by all processes. There are 8√n
//! of them, the distance follows from their standard deviation, and a sample that cuts nothing is
//! followed by a larger one. With √n of them at a distance of n^1/4 (ln n)^1/2, as the theorem has
//! it (`--variant classical`), the limits are nearly as far apart as all splitters: with 16 to 1024
//! processes a hundred samples are not enough, and with 4096 there are about thirty.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::candidates::{Ask, Candidates, Questions, Reply};
use super::search::{Account, Plan, Search, Step};
use super::{Command, Event, Key};
use crate::overlay::ldb::Ldb;
use crate::protocol::{Env, Hosts, Invariant, Never, Protocol, Snapshot};
use crate::rounds::{self, Rounds};
use crate::{NodeId, NodeSet};

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About a round.
    Round(rounds::Msg<Ask, Reply>),
    /// Towards the anchor: a process asks for an element.
    Request {
        /// The process.
        process: NodeId,
        /// The rank of the element.
        rank: u64,
    },
    /// To a process: this element has the rank.
    Answer {
        /// The rank.
        rank: u64,
        /// The priority of the element, if there is one.
        value: Option<u64>,
    },
}

const _: () = assert!(size_of::<Msg>() <= 72);

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KSelect {
    me: NodeId,
    plan: Plan,
    rounds: Rounds<Questions>,
    /// The elements of this process, sorted.
    elements: Arc<[Key]>,
    candidates: Candidates,
    /// The ranks that its application waits for.
    asked: Vec<u64>,
    /// At the anchor: who has asked for which rank. The first selection is under way.
    requests: VecDeque<(NodeId, u64)>,
    /// At the anchor: the selection that is under way, once all elements are active.
    search: Option<Box<Search>>,
    /// At the anchor: how the last selection went, and with which result.
    last: Option<Box<(Account, Option<u64>)>>,
}

impl KSelect {
    /// A process at its place in the network, with these elements.
    pub fn new(ldb: &Ldb, plan: Plan, mut elements: Vec<Key>) -> Self {
        elements.sort_unstable();
        Self {
            me: ldb.me(),
            plan,
            rounds: Rounds::new(ldb.parent(), ldb.children()),
            elements: elements.into(),
            candidates: Candidates::default(),
            asked: Vec::new(),
            requests: VecDeque::new(),
            search: None,
            last: None,
        }
    }

    /// How the last selection went, and with which result, at the anchor.
    pub fn last(&self) -> Option<&(Account, Option<u64>)> {
        self.last.as_deref()
    }

    /// How many rounds have begun here.
    pub fn rounds(&self) -> u32 {
        self.rounds.count()
    }

    /// A request on its way to the anchor.
    fn request(&mut self, process: NodeId, rank: u64, env: &mut impl Env<Self>) {
        if let Some(parent) = self.rounds.parent() {
            return env.send(parent, Msg::Request { process, rank });
        }
        self.requests.push_back((process, rank));
        if self.requests.len() == 1 {
            self.ask(Ask::Activate, env);
        }
    }

    /// The anchor asks all processes.
    fn ask(&mut self, ask: Ask, env: &mut impl Env<Self>) {
        self.run(env, |rounds, env| rounds.on_command(rounds::Command::Ask(ask), env));
    }

    /// All processes have replied to the anchor.
    fn go_on(&mut self, reply: Reply, env: &mut impl Env<Self>) {
        let Some(&(_, rank)) = self.requests.front() else { return };
        let step = match (&mut self.search, reply) {
            (Some(search), reply) => search.next(reply, &mut |bound| env.choose(bound)),
            (None, Reply::Number(elements)) if (1..=elements).contains(&rank) => {
                let search = self.search.insert(Box::new(Search::new(self.plan, rank, elements)));
                Step::Ask(search.ask(&mut |bound| env.choose(bound)))
            }
            (None, _) => Step::Found(None), // There are fewer elements.
        };
        match step {
            Step::Ask(ask) => self.ask(ask, env),
            Step::Found(key) => self.finish(key.map(|key| key.priority), env),
        }
    }

    /// The anchor tells the process that has asked, and begins the next selection.
    fn finish(&mut self, value: Option<u64>, env: &mut impl Env<Self>) {
        let Some((process, rank)) = self.requests.pop_front() else { return };
        let search = self.search.take();
        self.last = search.map(|search| Box::new((search.account().clone(), value)));
        match process == self.me {
            true => self.tell(rank, value, env),
            false => env.send(process, Msg::Answer { rank, value }),
        }
        if !self.requests.is_empty() {
            self.ask(Ask::Activate, env);
        }
    }

    /// Tells the application, if it waits: otherwise this is a duplicate.
    fn tell(&mut self, rank: u64, value: Option<u64>, env: &mut impl Env<Self>) {
        if let Some(place) = self.asked.iter().position(|asked| *asked == rank) {
            self.asked.swap_remove(place);
            env.emit(Event::Selected { rank, value });
        }
    }
}

impl Protocol for KSelect {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let Command::Select { rank } = command;
        self.asked.push(rank);
        self.request(self.me, rank, env);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Round(msg) => self.run(env, |rounds, env| rounds.on_message(from, msg, env)),
            Msg::Request { process, rank } => self.request(process, rank, env),
            Msg::Answer { rank, value } => self.tell(rank, value, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.rounds.waits_for()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("the wanted element is active", wanted_is_active)]
    }
}

/// Lemma 6.7, and what the check of phase 2 is for.
fn wanted_is_active(system: &Snapshot<'_, KSelect>) -> Result<(), String> {
    let mut anchors = system.nodes.iter().filter(|node| node.search.is_some());
    let request = anchors.next().and_then(|anchor| anchor.requests.front());
    let Some(&(_, rank)) = request else { return Ok(()) };
    let elements = system.nodes.iter().flat_map(|node| &node.elements[..]);
    let mut sorted: Vec<&Key> = elements.collect();
    sorted.sort_unstable();
    let wanted = sorted[rank as usize - 1];
    let holds = |node: &&KSelect| node.candidates.of(&node.elements).contains(wanted);
    match system.nodes.iter().any(holds) {
        true => Ok(()),
        false => Err(format!("the element of rank {rank} is not active any more: {wanted:?}")),
    }
}

impl Hosts<Rounds<Questions>> for KSelect {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Rounds<Questions>> {
        Some(&mut self.rounds)
    }

    fn wrap_msg((): &(), msg: rounds::Msg<Ask, Reply>) -> Msg {
        Msg::Round(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), event: rounds::Event<Ask, Reply>, env: &mut impl Env<Self>) {
        match event {
            rounds::Event::Asked(ask) => {
                let reply = self.candidates.reply(&self.elements, &ask);
                let command = rounds::Command::Reply(reply);
                self.run(env, |rounds, env| rounds.on_command(command, env));
            }
            rounds::Event::Complete(reply) => self.go_on(reply, env),
            rounds::Event::Woken => {} // Requests travel to the anchor themselves.
        }
    }
}

#[cfg(test)]
mod tests;
