//! What all rules have in common: random samples, lies, and when nodes agree.

use std::collections::BTreeMap;

use super::Value;
use crate::protocol::{Invariant, Protocol, Snapshot};

/// The question that a node has put to random nodes, and what was answered so far.
///
/// Answers have no number: one that is late or a duplicate is a value that its sender has held, and
/// serves as well as any other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Question<T> {
    /// Nothing was asked, or everything was answered.
    #[default]
    Answered,
    /// Answers are missing.
    Open {
        /// How many.
        missing: u8,
        /// How many turns have passed since.
        waited: u8,
        /// The first answer, if it is there.
        first: Option<T>,
    },
}

/// After how many turns a node asks other nodes instead: then an answer is probably lost.
const PATIENCE: u8 = 8;

impl<T> Question<T> {
    /// A question to this many nodes.
    pub(super) fn to(nodes: u8) -> Self {
        Self::Open { missing: nodes, waited: 0, first: None }
    }

    /// Whether the next question is due at this turn: no answer is missing, or for too long.
    pub(super) fn is_over(&mut self) -> bool {
        match self {
            Self::Answered => true,
            Self::Open { waited, .. } => {
                *waited += 1;
                *waited > PATIENCE
            }
        }
    }

    /// Takes an answer. If it was the last: the first, if there were two, and this one.
    pub(super) fn answer(&mut self, told: T) -> Option<(Option<T>, T)> {
        match self {
            Self::Answered => None, // A late answer, or a duplicate.
            Self::Open { missing: 2.., first, .. } if first.is_none() => {
                *first = Some(told);
                None
            }
            Self::Open { first, .. } => {
                let first = first.take();
                *self = Self::Answered;
                Some((first, told))
            }
        }
    }

    /// The first answer, while others are missing.
    pub(super) fn heard(&self) -> Option<&T> {
        match self {
            Self::Answered => None,
            Self::Open { first, .. } => first.as_ref(),
        }
    }
}

/// The system that a node lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// The number of nodes.
    pub nodes: u32,
    /// How many values an adversary changes in a round: so many liars, or so many writes.
    pub adversary: u32,
    /// If this node lies: a value above those of all nodes, which are above zero.
    pub liar: Option<Value>,
}

/// A liar lies in two of this many answers, so that it is not found out at once.
const ANSWERS: u32 = 64;

impl Surroundings {
    /// A system of this many honest nodes.
    pub fn honest(nodes: u32) -> Self {
        Self { nodes, adversary: 0, liar: None }
    }

    /// What the node answers instead of its value, given one of [`Surroundings::mood`].
    pub(super) fn told(self, value: Value, mood: u32) -> Value {
        match (self.liar, mood) {
            (Some(_), 0) => Value::MIN,
            (Some(above), 1) => above,
            _ => value,
        }
    }

    /// How many moods there are to choose from when a liar answers; an honest node has one.
    pub(super) fn moods(self) -> Option<u32> {
        self.liar.map(|_| ANSWERS)
    }

    /// Agreement. Without an adversary, honest nodes hold the same, and nothing else was told: no
    /// step leads out of that. With one, all but twice as many as it can change hold the same.
    ///
    /// `held` is what an honest node holds, `heard` what it was told, and `told` what a message
    /// tells.
    pub(super) fn agreement<P: Protocol, K: Ord + 'static>(
        self,
        held: fn(&P) -> Option<&K>,
        heard: fn(&P) -> Option<&K>,
        told: fn(&P::Msg) -> Option<&K>,
    ) -> Invariant<P> {
        Invariant::new("agreement", move |system: &Snapshot<'_, P>| {
            let nodes = || system.nodes.iter().copied();
            if self.adversary == 0 {
                let messages = system.messages.iter().filter_map(|(_, _, msg)| told(msg));
                let mut all = nodes().filter_map(held).chain(nodes().filter_map(heard));
                let first = all.next();
                return match all.chain(messages).all(|other| Some(other) == first) {
                    true => Ok(()),
                    false => Err("nodes disagree".to_owned()),
                };
            }
            let mut counts: BTreeMap<&K, u32> = BTreeMap::new();
            nodes().filter_map(held).for_each(|value| *counts.entry(value).or_default() += 1);
            let all: u32 = counts.values().sum();
            let minority = all - counts.values().max().unwrap_or(&0);
            match minority <= 2 * self.adversary {
                true => Ok(()),
                false => Err(format!("{minority} of {all} nodes disagree with the others")),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_until_none_is_missing() {
        let mut question = Question::to(2);
        assert_eq!(question.answer(5), None);
        assert_eq!(question.heard(), Some(&5));
        assert_eq!(question.answer(7), Some((Some(5), 7)));
        assert_eq!(question.answer(9), None, "nobody asked");
        assert_eq!(Question::to(1).answer(5), Some((None, 5)));
    }

    #[test]
    fn a_question_is_over_when_it_is_answered_or_hopeless() {
        let mut question: Question<Value> = Question::to(1);
        assert_eq!((0..PATIENCE).find(|_| question.is_over()), None);
        assert!(question.is_over());
        assert!(Question::<Value>::Answered.is_over());
    }
}
