//! A search through the whole network finds the token, which returns along the path of the search.
//!
//! J.-M. Hélary, N. Plouzeau, M. Raynal: A distributed algorithm for mutual exclusion in an
//! arbitrary network. The Computer Journal 31 (4), 1988. Its bookkeeping: I. Suzuki, T. Kasami: A
//! distributed mutual exclusion algorithm. ACM Transactions on Computer Systems 3 (3), 1985.
//!
//! # Idea
//!
//! No node knows where the token is, so a node that wants it starts a search, which carries its
//! name and the number of its request to all nodes. Every node stores the neighbour from which it
//! first received the latest search of each node: the route back to that node. The token carries
//! the number of each node's last served request, and a queue of waiting nodes; its owner appends
//! the nodes of which it knows a later request.
//!
//! The option `--search` selects how a search reaches all nodes:
//! - `broadcast`: on a complete network the requester sends it to each node itself; on any other
//!   network every node forwards it to all its other neighbours, which is flooding;
//! - `echo`: as flooding, but a node that has heard from all neighbours sends an echo to the first
//!   of them. So the requester learns that all nodes know, which the algorithm does not need;
//! - `tree`: flooding along a spanning tree.
//!
//! # Cost
//!
//! Messages: 2m-(n-1) per search by flooding, echo 2m, tree n-1; d token hops. m is the number of
//! edges. On a complete network broadcast takes n-1, and d is 1; an owner that enters again needs
//! no message. Raymond's tree takes only d requests where this one takes n-1: that is the value of
//! knowing the direction. The token carries a number per node and the queue.
//!
//! - Time: coordination delay dT, waiting time 2dT on an idle system.
//! - State: two numbers per node.
//! - Fairness: each node overtakes a waiting one at most once: both enter the
//!   queue of the token at the same place, in cyclic order.
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost token blocks all nodes. A lost search blocks its requester, and all nodes if the
//!   requester is next at a node that the search did not reach. A lost echo is harmless. Safety
//!   holds.
//! - Duplication: a duplicate search is recognised by its number; a duplicate token can let two
//!   nodes in, and can starve one.
//! - Crash: a crash blocks the nodes that it disconnects, and all nodes if the token is there or
//!   has to pass there.
//!
//! # Differs from the paper
//!
//! The paper floods and needs FIFO channels: then the token is never at a node that does not know
//! the route to the next node in the queue. Here the token waits for the search in that case.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, Phase};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The search of this request for the token.
    Search(Request),
    /// The search of this request is complete behind the sender (`echo`).
    Echo(Request),
    /// The token, routed to this node.
    Token(NodeId, Box<Token>),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// One request of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Request {
    /// The node that wants the token.
    pub origin: NodeId,
    /// The number of requests it has made, including this one.
    pub number: u64,
}

/// The token: the node that has it may enter.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// The number of each node's last served request; 0 for absent nodes.
    served: BTreeMap<NodeId, u64>,
    /// The waiting nodes in FIFO order.
    queue: VecDeque<NodeId>,
}

/// How a search reaches all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// On a complete network: the requester sends it to every node.
    Direct,
    /// Every node forwards it to all its other neighbours.
    Flood,
    /// As flooding, with an echo back to the requester.
    Echo,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenSearch {
    me: NodeId,
    search: Search,
    neighbours: Vec<NodeId>,
    phase: Phase,
    /// The latest request of each node, including `me`, and the neighbour it first came from.
    requests: BTreeMap<NodeId, Heard>,
    /// The echo waves that are not complete here.
    waves: BTreeMap<Request, Wave>,
    token: Option<Box<Token>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Heard {
    number: u64,
    via: NodeId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wave {
    /// The neighbour that the search first came from; `me` at the origin.
    parent: NodeId,
    silent: NodeSet,
}

impl TokenSearch {
    /// Node `me` of a network, with its neighbours; the token starts at `first`.
    pub fn new(me: NodeId, neighbours: Vec<NodeId>, first: NodeId, search: Search) -> Self {
        Self {
            me,
            search,
            neighbours,
            phase: Phase::Idle,
            requests: BTreeMap::new(),
            waves: BTreeMap::new(),
            token: (me == first).then(Box::default),
        }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }
}

impl Protocol for TokenSearch {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Acquire, Phase::Idle) if self.token.is_some() => self.enter(env),
            (Command::Acquire, Phase::Idle) => {
                self.phase = Phase::Waiting;
                let number = self.number(self.me).saturating_add(1);
                self.pass_on_if_news(self.me, Request { origin: self.me, number }, env);
            }
            (Command::Release, Phase::Inside) => {
                self.phase = Phase::Idle;
                if let (Some(token), Some(mine)) = (&mut self.token, self.requests.get(&self.me)) {
                    token.served.insert(self.me, mine.number);
                }
                self.give_if_wanted(env);
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Search(request) => {
                self.pass_on_if_news(from, request, env);
                self.give_if_wanted(env);
            }
            Msg::Echo(request) => self.echo_if_all_heard(from, request, env),
            Msg::Token(to, token) if to == self.me => {
                self.token = Some(token);
                if self.phase == Phase::Waiting {
                    self.enter(env);
                }
            }
            Msg::Token(to, token) => {
                // The route exists: its sender learnt it from our search message.
                if let Some(next) = self.next_hop(to) {
                    env.send(next, Msg::Token(to, token));
                }
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match (self.phase, &self.token) {
            // The token can be anywhere, and arrives through one of the neighbours.
            (Phase::Waiting, _) => self.neighbours.iter().copied().collect(),
            // The token waits for the search of the next node in its queue.
            (Phase::Idle, Some(token)) => token.queue.front().copied().into_iter().collect(),
            (Phase::Idle, None) | (Phase::Inside, _) => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token(..))]
    }
}

impl TokenSearch {
    fn number(&self, node: NodeId) -> u64 {
        self.requests.get(&node).map_or(0, |heard| heard.number)
    }

    fn next_hop(&self, to: NodeId) -> Option<NodeId> {
        match self.search {
            Search::Direct => Some(to),
            Search::Flood | Search::Echo => self.requests.get(&to).map(|heard| heard.via),
        }
    }

    fn enter(&mut self, env: &mut impl Env<Self>) {
        self.phase = Phase::Inside;
        env.emit(Event::Granted);
    }

    /// Takes part in a search received from `from`, or started here if that is `me`.
    fn pass_on_if_news(&mut self, from: NodeId, request: Request, env: &mut impl Env<Self>) {
        let Request { origin, number } = request;
        let is_newest = number > self.number(origin);
        if is_newest {
            self.requests.insert(origin, Heard { number, via: from });
        }
        let is_told = match self.search {
            Search::Direct => from == self.me,
            Search::Flood => is_newest,
            // Also of an older request: its origin waits for the echo.
            Search::Echo => !self.waves.contains_key(&request) && (is_newest || origin != self.me),
        };
        if is_told {
            for &other in self.neighbours.iter().filter(|&&other| other != from) {
                env.send(other, Msg::Search(request));
            }
            if self.search == Search::Echo {
                let silent = self.neighbours.iter().copied().collect();
                self.waves.insert(request, Wave { parent: from, silent });
            }
        }
        self.echo_if_all_heard(from, request, env);
    }

    fn echo_if_all_heard(&mut self, from: NodeId, request: Request, env: &mut impl Env<Self>) {
        let Some(wave) = self.waves.get_mut(&request) else { return };
        wave.silent.remove(from);
        if wave.silent.is_empty() {
            let parent = wave.parent;
            self.waves.remove(&request);
            if parent != self.me {
                env.send(parent, Msg::Echo(request));
            }
        }
    }

    fn give_if_wanted(&mut self, env: &mut impl Env<Self>) {
        let Some(token) = self.token.as_mut().filter(|_| self.phase != Phase::Inside) else {
            return;
        };
        // In cyclic order from our successor on: fair to large numbers.
        let (before, after) = (self.requests.range(..self.me), self.requests.range(self.me..));
        for (&node, heard) in after.chain(before).filter(|(node, _)| **node != self.me) {
            let served = token.served.get(&node).copied().unwrap_or(0);
            if heard.number > served && !token.queue.contains(&node) {
                token.queue.push_back(node);
            }
        }
        let Some(&to) = token.queue.front() else { return };
        let Some(next) = self.next_hop(to) else { return }; // Waits for the search.
        let Some(mut token) = self.token.take() else { return };
        token.queue.pop_front();
        env.send(next, Msg::Token(to, token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node `me`, between nodes 0 and 2; the token is at node 0.
    fn between(me: u32, search: Search) -> (TokenSearch, Recorder<TokenSearch>) {
        let neighbours = vec![NodeId(0), NodeId(2)];
        (TokenSearch::new(NodeId(me), neighbours, NodeId(0), search), Recorder::default())
    }

    fn search(origin: u32, number: u64) -> Msg {
        Msg::Search(Request { origin: NodeId(origin), number })
    }

    fn token(to: u32, queue: &[u32]) -> Msg {
        let queue = queue.iter().copied().map(NodeId).collect();
        Msg::Token(NodeId(to), Box::new(Token { served: BTreeMap::new(), queue }))
    }

    #[test]
    fn a_search_is_passed_on_once() {
        let (mut node, mut env) = between(1, Search::Flood);
        node.on_message(NodeId(2), search(5, 1), &mut env);
        assert_eq!(env.lines(), ["-> 0 Search(Request { origin: 5, number: 1 })"]);
        node.on_message(NodeId(0), search(5, 1), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(0), token(5, &[]), &mut env);
        assert_eq!(env.lines(), ["-> 2 Token(5, Token { served: {}, queue: [] })"]);
    }

    #[test]
    fn a_direct_search_is_not_passed_on() {
        let (mut node, mut env) = between(1, Search::Direct);
        node.on_message(NodeId(2), search(2, 1), &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn an_echo_follows_when_all_neighbours_were_heard() {
        let (mut node, mut env) = between(1, Search::Echo);
        node.on_message(NodeId(2), search(5, 1), &mut env);
        env.lines();
        node.on_message(NodeId(0), search(5, 1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Echo(Request { origin: 5, number: 1 })"]);
        assert!(node.waves.is_empty());
    }

    #[test]
    fn an_idle_holder_gives_the_token_away() {
        let mut node = TokenSearch::new(NodeId(0), vec![NodeId(1)], NodeId(0), Search::Flood);
        let mut env = Recorder::default();
        node.on_message(NodeId(1), search(3, 1), &mut env);
        assert_eq!(env.lines(), ["-> 1 Token(3, Token { served: {}, queue: [] })"]);
    }

    #[test]
    fn the_token_waits_for_a_search_that_it_has_overtaken() {
        let (mut node, mut env) = between(1, Search::Flood);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), token(1, &[2]), &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["! Granted"], "node 2 is next, but the route is unknown");
        node.on_message(NodeId(2), search(2, 1), &mut env);
        let passed_on = "-> 0 Search(Request { origin: 2, number: 1 })";
        assert_eq!(env.lines(), [passed_on, "-> 2 Token(2, Token { served: {1: 1}, queue: [] })"]);
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = between(1, Search::Flood);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines().len(), 2, "one search, to both neighbours");
    }
}
