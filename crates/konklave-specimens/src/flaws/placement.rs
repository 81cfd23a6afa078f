//! Flaws of dictionaries that place data evenly: rules that place keys wrongly, and members that
//! move keys when they should not, or do not when they should.

use konklave::NodeId;
use konklave::circle::Salt;
use konklave::dictionary::Capacities;
use konklave::dictionary::bounded_loads::{self, BoundedLoads};
use konklave::dictionary::placed::Placement;
use konklave::dictionary::server_dht::SERVER;
use konklave::dictionary::share_dht::{Rule, Share};
use konklave::dictionary::two_choices::{self, Return, TwoChoices};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// SHARE with arcs that end at zero instead of going past it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unwrapped(Share);

impl Placement for Unwrapped {
    type Rule = Rule;

    fn new(rule: Rule, members: Capacities) -> Self {
        Self(Share::new(rule, members))
    }

    fn rule(&self) -> Rule {
        self.0.rule()
    }

    fn members(&self) -> &Capacities {
        self.0.members()
    }

    fn place(&self, key: u64) -> NodeId {
        let mixer = self.rule().mixer;
        let point = mixer.key(key);
        let mut copies = self.0.multiset(point);
        copies.retain(|(node, _)| mixer.node(*node) <= point);
        self.0.pick(key, &copies).unwrap_or_else(|| self.0.next_member(point))
    }

    fn claim(&self, key: u64, node: NodeId) -> u64 {
        self.0.claim(key, node)
    }
}

/// SHARE with functions of the second stage that differ from multiset to multiset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PerMultiset(Share);

impl Placement for PerMultiset {
    type Rule = Rule;

    fn new(rule: Rule, members: Capacities) -> Self {
        Self(Share::new(rule, members))
    }

    fn rule(&self) -> Rule {
        self.0.rule()
    }

    fn members(&self) -> &Capacities {
        self.0.members()
    }

    fn place(&self, key: u64) -> NodeId {
        let mixer = self.rule().mixer;
        let point = mixer.key(key);
        let copies = self.0.multiset(point);
        let add = |sum: u64, copy: &(NodeId, u32)| {
            let (node, number) = (u64::from(copy.0.0), u64::from(copy.1));
            sum.wrapping_mul(31).wrapping_add(node + 1000 * number)
        };
        let salted = key ^ mixer.mix(copies.iter().fold(0, add), Salt(0x99));
        self.0.pick(salted, &copies).unwrap_or_else(|| self.0.next_member(point))
    }

    fn claim(&self, key: u64, node: NodeId) -> u64 {
        self.0.claim(key, node)
    }
}

/// Leaves a hole as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NeverPulls;

impl Flaw<BoundedLoads> for NeverPulls {
    fn effects(
        &mut self,
        _node: &BoundedLoads,
        input: &Input<BoundedLoads>,
        effects: Vec<Effect<BoundedLoads>>,
    ) -> Vec<Effect<BoundedLoads>> {
        use bounded_loads::Msg;
        let is_settling = matches!(input, Input::Message { msg: Msg::Settle { .. }, .. });
        let leave = |effect| match effect {
            Effect::Send { msg: Msg::Pull { moved, .. }, .. } if is_settling => {
                Effect::Send { to: SERVER, msg: Msg::Settled { moved } }
            }
            effect => effect,
        };
        effects.into_iter().map(leave).collect()
    }
}

/// The server allows a member to return a key, and does not ask its home.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MovesWithoutHome;

impl Flaw<TwoChoices> for MovesWithoutHome {
    fn effects(
        &mut self,
        _node: &TwoChoices,
        input: &Input<TwoChoices>,
        effects: Vec<Effect<TwoChoices>>,
    ) -> Vec<Effect<TwoChoices>> {
        use two_choices::Msg;
        let is_passed_on = matches!(input, Input::Message { msg: Msg::WantMove(_), .. });
        let allow = |effect| match effect {
            Effect::Send { to: home, msg: Msg::WantMove(Return { key, holder, .. }) }
                if is_passed_on =>
            {
                Effect::Send { to: holder, msg: Msg::MayMove { key, home } }
            }
            effect => effect,
        };
        effects.into_iter().map(allow).collect()
    }
}

/// Moves a key to a member that stores one key less.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoHysteresis;

impl Flaw<TwoChoices> for NoHysteresis {
    fn effects(
        &mut self,
        _node: &TwoChoices,
        input: &Input<TwoChoices>,
        effects: Vec<Effect<TwoChoices>>,
    ) -> Vec<Effect<TwoChoices>> {
        use two_choices::Msg;
        let is_passed_on = matches!(input, Input::Message { msg: Msg::WantMove(_), .. });
        let exaggerate = |effect| match effect {
            Effect::Send { to, msg: Msg::Offer { key, value, load } } => {
                Effect::Send { to, msg: Msg::Offer { key, value, load: load + 1 } }
            }
            Effect::Send { to, msg: Msg::WantMove(Return { key, holder, load: Some(load) }) }
                if !is_passed_on =>
            {
                let order = Return { key, holder, load: Some(load + 1) };
                Effect::Send { to, msg: Msg::WantMove(order) }
            }
            effect => effect,
        };
        effects.into_iter().map(exaggerate).collect()
    }
}
