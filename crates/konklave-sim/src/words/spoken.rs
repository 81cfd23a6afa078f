//! A protocol that can be any of those that solve a problem.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::time::Duration;

use konklave::protocol::{Data, Env, Input, Invariant, Protocol, Snapshot};
use konklave::trace::Line;
use konklave::{NodeId, NodeSet};
use serde_json::Error;

use super::actor::{Actor, Lemma};
use super::{Word, Words, translate};

/// A node of any algorithm for a problem with these commands and events. Its messages and timers
/// are words. What it can do takes longer, but is compiled only once for all of them.
pub struct Spoken<C, E> {
    pub(crate) actor: Box<dyn Actor>,
    problem: PhantomData<fn() -> (C, E)>,
}

impl<C: Data, E: Data> Spoken<C, E> {
    /// This node.
    pub fn new(node: impl Protocol<Command = C, Event = E>) -> Self {
        Self::from_actor(Box::new(node))
    }

    fn from_actor(actor: Box<dyn Actor>) -> Self {
        Self { actor, problem: PhantomData }
    }

    /// The line of a trace that this text is.
    ///
    /// # Errors
    ///
    /// If it is none of this algorithm.
    pub fn read(&self, text: &str) -> Result<Line<Self>, Error> {
        let mut line: Line<Words> = serde_json::from_str(text)?;
        self.actor.respell_line(&mut line)?;
        translate(&line)
    }

    /// A line of a trace in words.
    pub fn in_words(line: &Line<Self>) -> Line<Words> {
        translate(line).expect("there are words for everything")
    }

    fn happen(&mut self, input: Input<Words>, env: &mut impl Env<Self>) {
        let understood = self.actor.act(&input, &mut Listener(env, PhantomData));
        understood.expect("nodes are spoken to in words of their own algorithm");
    }
}

impl<C: Data, E: Data> Protocol for Spoken<C, E> {
    type Msg = Word;
    type Timer = Word;
    type Command = C;
    type Event = E;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.happen(Input::Start, env);
    }

    fn on_command(&mut self, command: C, env: &mut impl Env<Self>) {
        self.happen(Input::Command(Word::spoken(&command)), env);
    }

    fn on_message(&mut self, from: NodeId, msg: Word, env: &mut impl Env<Self>) {
        self.happen(Input::Message { from, msg }, env);
    }

    fn on_timer(&mut self, timer: Word, env: &mut impl Env<Self>) {
        self.happen(Input::Timer(timer), env);
    }

    fn waits_for(&self) -> NodeSet {
        self.actor.whom()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let lemmas = self.actor.lemmas().into_iter();
        let invariant = |lemma: Lemma| {
            Invariant::new(lemma.name, move |system: &Snapshot<'_, Self>| {
                let nodes: Vec<_> = system.nodes.iter().map(|node| node.actor.as_ref()).collect();
                (lemma.judge)(&nodes, system.messages).map_err(|broken| broken.detail)
            })
        };
        lemmas.map(invariant).collect()
    }
}

/// Understands the events that a node tells in words.
struct Listener<'a, N, P>(&'a mut N, PhantomData<P>);

impl<P: Protocol<Msg = Word, Timer = Word>, N: Env<P>> Env<Words> for Listener<'_, N, P> {
    fn send(&mut self, to: NodeId, msg: Word) {
        self.0.send(to, msg);
    }

    fn set_timer(&mut self, timer: Word, after: Duration) {
        self.0.set_timer(timer, after);
    }

    fn cancel_timer(&mut self, timer: Word) {
        self.0.cancel_timer(timer);
    }

    fn emit(&mut self, event: Word) {
        self.0.emit(event.read().expect("it was an event when it was put into words"));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }
}

impl<C: Data, E: Data> Clone for Spoken<C, E> {
    fn clone(&self) -> Self {
        Self::from_actor(self.actor.double())
    }
}

impl<C, E> Debug for Spoken<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.actor.state())
    }
}

impl<C, E> PartialEq for Spoken<C, E> {
    fn eq(&self, other: &Self) -> bool {
        self.actor.resembles(other.actor.as_ref())
    }
}

impl<C, E> Eq for Spoken<C, E> {}

impl<C, E> Hash for Spoken<C, E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.actor.feed(state);
    }
}
