//! Dictionaries without a server: all nodes are alike, and find each other by an overlay.

use konklave::NodeId;
use konklave::circle::{Arc, Arcs, Mixer};
use konklave::dictionary::Opening;
use konklave::dictionary::combine_split::{CombineSplit, Variant};
use konklave::dictionary::prefix_dht::{Classes, PrefixDht, Responsible, bridges};
use konklave::dictionary::skip_dht::SkipDht;
use konklave::dictionary::skip_dht::copied::CopiedDht;
use konklave::overlay::build_list::BuildList;
use konklave::overlay::place::sorted;
use konklave::overlay::skip_plus::SkipPlus;
use konklave::overlay::{Member, Overlay, Place, Start};

use super::{Keyed, dictionary};
use crate::entry::{Entry, line};
use crate::needs::{Needs, Network};
use crate::object::options::{JOINS, LEAVES};
use crate::object::{Shared, others};
use crate::option::{Choice, MAX_DELAY, Verb};
use crate::overlay::grace;
use crate::overlay::start::{Family, starts};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::System;

/// Nodes act by themselves for ever, and can talk to every node whose address they hold.
const PEERS: Needs = Needs::network(Network::Complete).perpetual();

const PLACEMENT: Choice = Choice::new(
    "placement",
    &["owned", "copied"],
    "Where the data are: ranges have owners, or records move by themselves (self-stabilising)",
);

/// Random runs begin legal: a node that leaves a network that is not can cut it in two.
pub(crate) const START: Choice = Choice {
    draw: |_, _| None,
    ..Choice::new(
        "start",
        &["legal", "tree", "path", "star", "sorted", "dense", "lists", "any"],
        "What nodes know of each other at the beginning",
    )
};

const RESPONSIBLE: Choice = Choice::new(
    "responsible",
    &["smallest", "agreed"],
    "Which of several equally good matches has a key: the smallest, or the one they agree on",
);

/// A network that does not change, in which nodes rest.
const STATIC: Needs = Needs::network(Network::Complete).no_changes();

/// Random runs are strict: the others answer wrongly while somebody writes, which is no failure.
const VARIANT: Choice =
    Choice { draw: |_, _| None, ..Choice::variant(&["strict", "eager", "kept"]) };

const NETWORK: Choice =
    Choice::new("network", &["skip-plus", "list"], "The network that requests meet in");

/// All algorithms.
pub(super) fn entries() -> Vec<Entry> {
    let lines = [
        line!(dictionary::skip_dht, PEERS, &[PLACEMENT, START, MAX_DELAY], |_, _| None, skip_dht),
        line!(
            dictionary::prefix_dht,
            PEERS.no_leaves(),
            &[RESPONSIBLE, START],
            |_, _| None,
            prefix_dht
        ),
        line!(dictionary::combine_split, STATIC, &[VARIANT, NETWORK], |_, _| None, combine_split),
    ];
    lines.into_iter().map(|it| Entry { others: |setup| others(0, setup), ..it }).collect()
}

/// The overlay that nodes begin with.
pub(crate) struct Peers {
    pub(crate) mixer: Mixer,
    members: Vec<NodeId>,
    pub(crate) family: Family,
    starts: Vec<Start>,
    grace: u32,
}

impl Peers {
    /// Those of a site that has a choice of starts.
    ///
    /// # Errors
    ///
    /// If there is no member, or members leave a network that is not legal.
    pub(crate) fn of(site: &Site) -> Result<Self, Refusal> {
        let shared = Shared::<Keyed>::new(0);
        shared.refuse_empty(site)?;
        let family = site.choice(START.name).parse().map_err(Refusal::new)?;
        if family != Family::Legal && site.get::<u32>(&LEAVES).unwrap_or(0) > 0 {
            return Err(Refusal::new(format!(
                "--start {family} --leaves: a node that leaves a network that is not legal can cut \
                 it in two; leave one of them out"
            )));
        }
        let mixer = Mixer::new(site.setup().seed);
        let members: Vec<NodeId> = shared.members(site).collect();
        let starts = starts::<SkipPlus>(site, family, members.len() as u32, mixer)?;
        Ok(Self { mixer, members, family, starts, grace: grace(site) })
    }

    /// The part of a node in the overlay.
    pub(crate) fn member(&self, me: NodeId) -> Member<SkipPlus> {
        Member::new(Place::new(me, self.mixer), self.starts[me.index()].clone(), self.grace)
    }

    fn has(&self, node: NodeId) -> bool {
        node.index() < self.members.len()
    }

    /// The node that follows each member around the circle.
    fn successors(&self) -> Vec<NodeId> {
        let order = sorted(self.mixer, self.members.iter().copied());
        let mut successors = order.clone();
        for (node, next) in order.iter().zip(order.iter().cycle().skip(1)) {
            successors[node.index()] = *next;
        }
        successors
    }

    /// What a member owns: in a legal network its own part, otherwise node 0 owns everything.
    fn owned(&self, me: NodeId, successors: &[NodeId]) -> Option<Arcs> {
        let next = successors.get(me.index())?;
        Some(match self.family {
            Family::Legal => Arc::up_to(self.mixer.node(me), self.mixer.node(*next)).into(),
            _ if me == NodeId(0) => Arc::WHOLE.into(),
            _ => Arcs::default(),
        })
    }
}

fn skip_dht(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let peers = Peers::of(site)?;
    let is_steady = [&JOINS, &LEAVES].iter().all(|it| site.get::<u32>(it) == Some(0));
    if site.choice(PLACEMENT.name) == "copied" {
        let opening = match peers.family {
            Family::Any => Opening::Any(1),
            Family::Legal if is_steady => Opening::Steady,
            _ => Opening::Changing,
        };
        let make = move |me| CopiedDht::new(peers.member(me), peers.has(me), opening);
        return dictionary(Shared::new(0).stabilising(), site, make);
    }
    if peers.family == Family::Any {
        return Err(Refusal::new(
            "--start any: with owned ranges nodes have to be connected, and own every position \
             once; write --placement copied, or --start tree",
        ));
    }
    let successors = peers.successors();
    let make = move |me: NodeId| {
        let has_news = peers.family != Family::Legal;
        SkipDht::new(peers.member(me), peers.owned(me, &successors), has_news)
    };
    dictionary(Shared::new(0), site, make)
}

fn prefix_dht(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    if site.get::<u32>(&LEAVES).unwrap_or(0) > 0 {
        return Err(Refusal::new(
            "--leaves: the nodes of prefix-dht stay, as ways lead over them for ever; skip-dht has \
             leaves",
        ));
    }
    let peers = Peers::of(site)?;
    let opening = match peers.family {
        Family::Any => Opening::Any(1),
        Family::Legal if site.get::<u32>(&JOINS) == Some(0) => Opening::Steady,
        _ => Opening::Changing,
    };
    let classes = (site.choice(RESPONSIBLE.name) == "agreed")
        .then(|| Classes::new(peers.mixer, peers.members.iter().copied()));
    let make = move |me: NodeId| {
        let known = match &peers.starts[me.index()] {
            Start::Knowing { held, .. } if peers.family == Family::Legal => &held[..],
            _ => &[],
        };
        let (bridges, responsible) = match &classes {
            None => (bridges(Place::new(me, peers.mixer), known), Responsible::Smallest),
            Some(classes) => {
                let (bridges, opinions) = classes.agreed(me, known);
                (bridges, Responsible::Agreed(opinions))
            }
        };
        let bridges = peers.has(me).then_some(bridges);
        PrefixDht::new(peers.member(me), bridges, responsible, opening)
    };
    dictionary(Shared::new(0).stabilising().monotone(), site, make)
}

fn combine_split(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let changes = [&JOINS, &LEAVES].into_iter().find(|it| site.get::<u32>(it).unwrap_or(0) > 0);
    if let Some(option) = changes {
        return Err(Refusal::new(format!(
            "--{}: the network of combine-split does not change; skip-dht has joins and leaves",
            option.name
        )));
    }
    match site.choice(NETWORK.name) {
        "list" => combined::<BuildList>(site),
        _ => combined::<SkipPlus>(site),
    }
}

fn combined<O: Overlay>(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let variant = match site.choice(VARIANT.name) {
        "eager" => Variant::Eager,
        "kept" => Variant::Kept,
        _ => Variant::Strict,
    };
    // A search shows that eager answers cannot be explained; in a run, nobody promises that.
    let problem = match (variant, site.verb()) {
        (Variant::Eager | Variant::Kept, Verb::Check) => Shared::new(0).explaining(),
        _ => Shared::new(0),
    };
    let mixer = Mixer::new(site.setup().seed);
    let starts = starts::<O>(site, Family::Legal, site.nodes(), mixer)?;
    let make = move |me: NodeId| {
        let overlay = starts[me.index()].legal(Place::new(me, mixer));
        CombineSplit::<O>::new(overlay, variant)
    };
    dictionary(problem, site, make)
}
