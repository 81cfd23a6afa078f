//! An environment that is chosen at run time: it is told where in the algorithm an effect stands.

use std::panic::Location;
use std::time::Duration;

use super::{Env, NodeId, Protocol};

impl<P: Protocol> Env<P> for &mut dyn Env<P> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        (**self).at(Location::caller());
        (**self).send(to, msg);
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        (**self).at(Location::caller());
        (**self).set_timer(timer, after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        (**self).at(Location::caller());
        (**self).cancel_timer(timer);
    }

    fn emit(&mut self, event: P::Event) {
        (**self).at(Location::caller());
        (**self).emit(event);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        (**self).at(Location::caller());
        (**self).choose(bound)
    }

    fn leave(&mut self) {
        (**self).at(Location::caller());
        (**self).leave();
    }

    fn at(&mut self, statement: &'static Location<'static>) {
        (**self).at(statement);
    }
}
