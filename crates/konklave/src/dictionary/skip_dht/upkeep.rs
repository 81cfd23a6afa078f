//! The overlay as a part of the dictionary: a node has its turn in it only if it has news.
//!
//! What a node says in its turn depends on nothing but what it knows. If that has not changed, the
//! neighbours have heard all of it, and what they have dropped since, they would drop again. Only
//! the ends of the network know of each other by what others say; so they go on until they do.

use super::{Msg, Phase, SkipDht};
use crate::NodeId;
use crate::dictionary::Event;
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Member, Overlay, Shape, Side};
use crate::protocol::{Env, Hosts, Lifts, Never, Protocol};

impl SkipDht {
    /// Its turn in the overlay, if it has news. An end that does not know the other one goes on
    /// until it does: what it has sent may have come to a node that was about to leave.
    pub(super) fn tell_news(&mut self, env: &mut impl Env<Self>) {
        let overlay = self.member.overlay();
        // Whether there is one is all that most nodes need to look at.
        let [has_left, has_right] =
            Side::BOTH.map(|side| overlay.neighbours(side).next().is_some());
        match (has_left, has_right, overlay.ring()) {
            (false, true, None) => self.has_news = true,
            (true, false, None) => {
                let first = overlay.neighbours(Side::Left).last();
                first.into_iter().for_each(|first| env.send(first, Msg::Seek));
            }
            _ => {}
        }
        if std::mem::take(&mut self.has_news) {
            self.observe(env, |it, env| it.run(env, |part, env| part.on_tick(env)));
        }
    }

    /// The largest node looks for the smallest, which then looks for the largest in its turn.
    pub(super) fn seek(&mut self, env: &mut impl Env<Self>) {
        match self.member.overlay().neighbours(Side::Left).last() {
            Some(first) => env.send(first, Msg::Seek),
            None => self.has_news = true,
        }
    }

    /// Something happens that may change what it knows of the overlay.
    pub(super) fn observe<E: Env<Self>>(
        &mut self,
        env: &mut E,
        happens: impl FnOnce(&mut Self, &mut E),
    ) {
        let (before, first) = (self.member.overlay().clone(), self.first_if_last());
        happens(self, env);
        if *self.member.overlay() == before {
            return;
        }
        self.has_news = true;
        // A node that was the largest tells a larger one of the smallest.
        let largest = self.member.overlay().neighbours(Side::Right).last();
        if let (Some(first), Some(largest)) = (first, largest) {
            env.send(largest, Msg::Overlay(overlay::Msg::Shape(Shape::Probe(first))));
        }
        self.settle(env);
    }

    /// The smallest node, if this one believes to be the largest.
    fn first_if_last(&self) -> Option<NodeId> {
        let is_last = self.member.overlay().neighbours(Side::Right).next().is_none();
        self.member.overlay().ring().filter(|_| is_last)
    }
}

impl Hosts<Member<SkipPlus>> for SkipDht {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Member<SkipPlus>> {
        Some(&mut self.member)
    }

    fn wrap_msg((): &(), msg: overlay::Msg) -> Msg {
        Msg::Overlay(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    /// A node that has left tells nothing any more, so this is told as it happens.
    fn wrap_event((): &(), event: &overlay::Event) -> Option<Event> {
        (*event == overlay::Event::Left).then_some(Event::Left)
    }

    fn on_part(&mut self, (): &(), event: overlay::Event, _env: &mut impl Env<Self>) {
        if event == overlay::Event::Left {
            self.phase = Phase::Gone;
        }
    }
}

impl Lifts<Member<SkipPlus>> for SkipDht {
    fn slots(_nodes: &[&Self]) -> Vec<()> {
        vec![()]
    }

    fn seen(&self, (): &()) -> Option<&Member<SkipPlus>> {
        Some(&self.member)
    }

    fn unwrap_msg(msg: &Msg) -> Option<((), &overlay::Msg)> {
        match msg {
            Msg::Overlay(msg) => Some(((), msg)),
            _ => None,
        }
    }
}
