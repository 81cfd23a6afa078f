//! Rounds of questions: the anchor of a tree asks all processes, and combines what they reply.
//!
//! A question goes down a tree of processes. A process may take its time to reply. When its own
//! reply and those of its children are there, they go up as one, combined in the order of the tree:
//! the process itself, then its children. So the anchor handles one message per child and round.
//! At most one round is under way.
//!
//! A process can remember which part of the tree has replied what, and split a later question
//! accordingly: if the parts have replied how many operations they have, an interval
//! of positions falls into one for each operation.
//!
//! Rounds form cycles, and between two cycles everything may rest. A process that has something for
//! the next cycle [wakes](Command::Wake) the anchor, with at most one message per process and
//! cycle. A wake-up that arrives in a later cycle is out of date: that cycle asks its process
//! anyway.
//!
//! What is asked, an [`Inquiry`] says.

use std::fmt::Debug;
use std::hash::Hash;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::protocol::{Data, Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What is asked in rounds.
pub trait Inquiry: Clone + Eq + Hash + Debug + Send + 'static {
    /// A question.
    type Ask: Data;
    /// A reply.
    type Reply: Data;
    /// What replies are remembered under.
    type Topic: Copy + Eq + Hash + Debug + Send + 'static;

    /// Adds what the next part of the tree replies.
    fn combine(reply: &mut Self::Reply, next: &Self::Reply);

    /// Whether a question is the first of a cycle.
    fn begins(_ask: &Self::Ask) -> bool {
        false
    }

    /// What the replies to a question are remembered under, if they are.
    fn keeps(_ask: &Self::Ask) -> Option<Self::Topic> {
        None
    }

    /// Under what the replies are remembered that a question is split by, if it is.
    fn splits(_ask: &Self::Ask) -> Option<Self::Topic> {
        None
    }

    /// Takes the question to the first part of the tree, which has replied this before, out of one
    /// that is [split](Self::splits).
    fn split(ask: &mut Self::Ask, _replied: &Self::Reply) -> Self::Ask {
        ask.clone()
    }
}

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<Ask, Reply> {
    /// To a child: a question.
    Ask {
        /// The number of the round.
        round: u32,
        /// The question.
        ask: Ask,
    },
    /// To the parent: what the sender and all processes below it reply.
    Reply {
        /// The number of the round.
        round: u32,
        /// The reply.
        reply: Reply,
    },
    /// To the parent: there is something for the next cycle.
    Wake {
        /// The number of the first round of this one.
        cycle: u32,
    },
}

/// What a host asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command<Ask, Reply> {
    /// At the anchor, after the last round: ask all processes.
    Ask(Ask),
    /// This process replies.
    Reply(Reply),
    /// There is something for the next cycle.
    Wake,
}

/// What a host is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event<Ask, Reply> {
    /// This process has to reply.
    Asked(Ask),
    /// At the anchor: all processes have replied.
    Complete(Reply),
    /// At the anchor: there is something for the next cycle.
    Woken,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rounds<I: Inquiry> {
    /// The process above this one; `None` at the anchor.
    parent: Option<NodeId>,
    /// Each child with its reply in this round, in the order of the tree.
    children: SmallVec<[(NodeId, Option<I::Reply>); 2]>,
    /// How many rounds have begun here.
    round: u32,
    /// The first round of this cycle.
    cycle: u32,
    /// Whether the parent knows that there is something for the next one.
    is_awake: bool,
    phase: Phase<I>,
    /// Replies of this process and of its children to earlier questions.
    memos: SmallVec<[Memo<I>; 1]>,
}

type Memo<I> = (<I as Inquiry>::Topic, Vec<<I as Inquiry>::Reply>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase<I: Inquiry> {
    /// Its reply is gone.
    Idle,
    /// Replies are missing.
    Asked {
        own: Option<I::Reply>,
        /// What the replies are remembered under.
        keeps: Option<I::Topic>,
    },
}

impl<I: Inquiry> Rounds<I> {
    /// A process with this parent, or the anchor, and these children in the order of the tree.
    pub fn new(parent: Option<NodeId>, children: impl Iterator<Item = NodeId>) -> Self {
        Self {
            parent,
            children: children.map(|child| (child, None)).collect(),
            round: 0,
            cycle: 0,
            is_awake: false,
            phase: Phase::Idle,
            memos: SmallVec::new(),
        }
    }

    /// The process above this one; `None` if it is the anchor.
    pub fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// How many rounds have begun here.
    pub fn count(&self) -> u32 {
        self.round
    }

    /// A round begins here: every part of the tree gets its question.
    fn begin(&mut self, mut ask: I::Ask, env: &mut impl Env<Self>) {
        self.round += 1;
        if I::begins(&ask) {
            self.cycle = self.round;
            self.is_awake = false;
        }
        let (keeps, splits) = (I::keeps(&ask), I::splits(&ask));
        let memo = self.memos.iter().find(|(topic, _)| splits == Some(*topic));
        let replied = memo.map_or(&[][..], |(_, replied)| replied);
        let mut part = |place: usize| match replied.get(place) {
            Some(replied) => I::split(&mut ask, replied),
            None => ask.clone(),
        };
        let own = part(0);
        for (place, (child, reply)) in (1..).zip(&mut self.children) {
            *reply = None;
            env.send(*child, Msg::Ask { round: self.round, ask: part(place) });
        }
        self.phase = Phase::Asked { own: None, keeps };
        env.emit(Event::Asked(own));
    }

    fn reply_if_complete(&mut self, env: &mut impl Env<Self>) {
        let Phase::Asked { own: Some(own), keeps } = &self.phase else { return };
        let below = self.children.iter().map(|(_, reply)| reply.as_ref());
        let parts = std::iter::once(Some(own)).chain(below);
        let Some(parts) = parts.collect::<Option<Vec<_>>>() else { return };
        let mut reply = own.clone();
        parts[1..].iter().for_each(|next| I::combine(&mut reply, next));
        if let Some(topic) = *keeps {
            let replied = parts.into_iter().cloned().collect();
            self.memos.retain(|(other, _)| *other != topic);
            self.memos.push((topic, replied));
        }
        self.phase = Phase::Idle;
        match self.parent {
            Some(parent) => env.send(parent, Msg::Reply { round: self.round, reply }),
            None => env.emit(Event::Complete(reply)),
        }
    }

    fn wake(&mut self, env: &mut impl Env<Self>) {
        if std::mem::replace(&mut self.is_awake, true) {
            return;
        }
        match self.parent {
            Some(parent) => env.send(parent, Msg::Wake { cycle: self.cycle }),
            None => env.emit(Event::Woken),
        }
    }
}

impl<I: Inquiry> Protocol for Rounds<I> {
    type Msg = Msg<I::Ask, I::Reply>;
    type Timer = Never;
    type Command = Command<I::Ask, I::Reply>;
    type Event = Event<I::Ask, I::Reply>;

    fn on_command(&mut self, command: Self::Command, env: &mut impl Env<Self>) {
        match command {
            Command::Ask(ask) => {
                assert!(self.parent.is_none(), "only the anchor asks");
                assert_eq!(self.phase, Phase::Idle, "one round after the other");
                self.begin(ask, env);
            }
            Command::Reply(reply) => {
                let Phase::Asked { own: own @ None, .. } = &mut self.phase else {
                    unreachable!("a process replies once, when it is asked");
                };
                *own = Some(reply);
                self.reply_if_complete(env);
            }
            Command::Wake => self.wake(env),
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Ask { round, ask } => {
                let is_next = round == self.round + 1 && self.phase == Phase::Idle;
                if is_next && self.parent == Some(from) {
                    self.begin(ask, env);
                } // Else a duplicate.
            }
            Msg::Reply { round, reply } => {
                let is_asking = self.phase != Phase::Idle && round == self.round;
                let mut children = self.children.iter_mut().filter(|_| is_asking);
                let Some((_, slot)) = children.find(|(child, _)| *child == from) else { return };
                slot.get_or_insert(reply); // A second one is a duplicate.
                self.reply_if_complete(env);
            }
            Msg::Wake { cycle } if cycle == self.cycle => self.wake(env),
            Msg::Wake { .. } => {}
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.phase {
            Phase::Asked { .. } => {
                let missing = self.children.iter().filter(|(_, reply)| reply.is_none());
                missing.map(|(child, _)| *child).collect()
            }
            Phase::Idle => self.parent.filter(|_| self.is_awake).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
