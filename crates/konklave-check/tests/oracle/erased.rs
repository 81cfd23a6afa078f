//! Any system as a model of the crate `stateright`, behind one type: that crate is compiled once.

use std::fmt::{self, Debug};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use konklave::protocol::{Monitor, Protocol};
use konklave_check::System;
use konklave_check::application::Application;
use stateright::{Model, Property};

use super::model::{Direct, State};

/// A state that knows its system.
trait Explorable: Send + Sync {
    fn actions(&self) -> usize;
    fn next(&self, action: usize) -> AnyState;
    fn is_good(&self) -> bool;
}

/// Nodes need not be shareable, so both are locked.
struct Explored<P: Protocol, A, M> {
    system: Arc<Mutex<Direct<P, A, M>>>,
    state: Mutex<State<P, A, M>>,
}

impl<P, A, M> Explored<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    fn ask<T>(&self, question: impl FnOnce(&Direct<P, A, M>, &State<P, A, M>) -> T) -> T {
        let system = self.system.lock().expect("nobody panics meanwhile");
        let state = self.state.lock().expect("nobody panics meanwhile");
        question(&system, &state)
    }
}

impl<P, A, M> Explorable for Explored<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    fn actions(&self) -> usize {
        self.ask(|system, state| system.actions(state).len())
    }

    fn next(&self, action: usize) -> AnyState {
        let next = self.ask(|system, state| {
            let action = system.actions(state).swap_remove(action);
            system.next(state, action)
        });
        AnyState::new(Arc::clone(&self.system), next)
    }

    fn is_good(&self) -> bool {
        self.ask(Direct::is_good)
    }
}

/// A state of any system. Two are equal if their hashes of 128 bits are.
#[derive(Clone)]
pub(crate) struct AnyState {
    state: Arc<dyn Explorable>,
    hash: [u64; 2],
}

impl AnyState {
    fn new<P, A, M>(system: Arc<Mutex<Direct<P, A, M>>>, state: State<P, A, M>) -> Self
    where
        P: Protocol,
        A: Application<Command = P::Command, Event = P::Event>,
        M: Monitor<Command = P::Command, Event = P::Event>,
    {
        let hash = [1_u8, 2].map(|salt| {
            let mut hasher = DefaultHasher::new();
            (salt, &state).hash(&mut hasher);
            hasher.finish()
        });
        Self { state: Arc::new(Explored { system, state: Mutex::new(state) }), hash }
    }
}

impl PartialEq for AnyState {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for AnyState {}

impl Hash for AnyState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.hash.hash(hasher);
    }
}

impl Debug for AnyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x?}", self.hash)
    }
}

/// A model that stateright can explore.
pub(crate) struct AnyModel(AnyState);

impl AnyModel {
    pub(crate) fn new<P, A, M>(system: System<P, A, M>) -> Self
    where
        P: Protocol,
        A: Application<Command = P::Command, Event = P::Event>,
        M: Monitor<Command = P::Command, Event = P::Event>,
    {
        let system = Direct(system);
        let first = system.first();
        Self(AnyState::new(Arc::new(Mutex::new(system)), first))
    }
}

impl Model for AnyModel {
    type State = AnyState;
    type Action = usize;

    fn init_states(&self) -> Vec<AnyState> {
        vec![self.0.clone()]
    }

    fn actions(&self, state: &AnyState, actions: &mut Vec<usize>) {
        actions.extend(0..state.state.actions());
    }

    fn next_state(&self, last: &AnyState, action: usize) -> Option<AnyState> {
        Some(last.state.next(action))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("every promise is kept", |_, state: &AnyState| state.state.is_good())]
    }
}
