//! Search the whole network for the token; it comes back the way the search came.
//!
//! J.-M. Hélary, N. Plouzeau, M. Raynal: A distributed algorithm for mutual exclusion in an
//! arbitrary network. The Computer Journal 31 (4), 1988. Its bookkeeping: I. Suzuki, T. Kasami: A
//! distributed mutual exclusion algorithm. ACM Transactions on Computer Systems 3 (3), 1985.
//!
//! # Idea
//!
//! Nobody knows where the token is, so a node that wants it tells everybody: the search carries its
//! name and the number of its request. Every node remembers from which neighbour it first heard of
//! the newest search of each node: the way back to it. The token knows the number of the last
//! request that was served, of each node, and a queue of who is next; whoever holds it appends
//! those of whom it has heard a newer request.
//!
//! How everybody is told is the option `--search`:
//! - `broadcast`: on a complete network the requester tells each one itself; on any other everyone
//!   passes the search on to all other neighbours, which is flooding;
//! - `echo`: as flooding, but who has heard from all neighbours echoes to the first of them. So the
//!   requester learns that everybody knows, which the algorithm does not need;
//! - `tree`: flooding along a spanning tree.
//!
//! # Cost
//!
//! Messages: 2m-(n-1) per search by flooding, echo 2m, tree n-1; d token hops. m is the number of
//! edges. On a complete network broadcast takes n-1, and d is 1; a holder that enters again needs
//! no message. Raymond's tree takes only d requests where this one takes n-1: what it is worth to
//! know the direction. Coordination delay dT, waiting time 2dT on an idle system. State: two
//! numbers per node. Token: a number per node and the queue.
//!
//! # Assumes
//!
//! A connected network with reliable channels in any order. A lost token blocks everyone. A lost
//! search blocks its requester; and everyone, if the requester is next where the search was not
//! heard. A lost echo does not matter. A crash blocks whoever lies behind it; and everyone, if the
//! token is there or has to pass. A doubled search is recognised by its number; a doubled token
//! lets two nodes in together.
//!
//! # Differs from the paper
//!
//! The paper floods and needs channels that keep the order: there the token never is at a node that
//! has not heard yet of the next in the queue. Here the token waits for the search in that case.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, Phase};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What neighbours send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// This request wants the token.
    Search(Request),
    /// Everyone behind me knows of this request (`echo`).
    Echo(Request),
    /// The token, on its way to this node.
    Token(NodeId, Box<Token>),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// One request of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Request {
    /// The node that wants the token.
    pub origin: NodeId,
    /// How many requests it has made, with this one.
    pub number: u64,
}

/// The right to enter.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// The latest request of each node that was served; none of those that are missing.
    served: BTreeMap<NodeId, u64>,
    /// Who is next.
    queue: VecDeque<NodeId>,
}

/// How a search reaches everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// The neighbours of everyone are all others: no need to pass it on.
    Direct,
    /// Everyone passes it on to all other neighbours.
    Flood,
    /// As flooding, with an echo.
    Echo,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenSearch {
    me: NodeId,
    search: Search,
    neighbours: Vec<NodeId>,
    phase: Phase,
    /// The newest request of each node, `me` too, and the neighbour that told us first.
    requests: BTreeMap<NodeId, Heard>,
    /// The waves that have not passed yet, and who has not told us of them.
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
    /// Who told us first; `me` at the origin.
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
                // There is one: else its sender had no reason to send it here.
                if let Some(next) = self.next_hop(to) {
                    env.send(next, Msg::Token(to, token));
                }
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match (self.phase, &self.token) {
            // The token can be anywhere, and comes through one of them.
            (Phase::Waiting, _) => self.neighbours.iter().copied().collect(),
            // The token is to go to one of whom we have not heard.
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

    /// Takes part in a search: `from` is who told us, or `me` if it starts here.
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
        // From our successor on, so that small numbers have no advantage.
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
        assert_eq!(env.lines(), ["! Granted"], "node 2 is next, but where is it?");
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
