//! The lemmas of proofs can fail: each is shown a system in which it holds, and one in which it
//! does not.

use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::hierarchical::{self, Hierarchical};
use konklave::mutex::naimi_trehel::{self, NaimiTrehel};
use konklave::mutex::perpetuum::{self, Perpetuum};
use konklave::mutex::raymond::{self, Raymond, Variant};
use konklave::mutex::ricart_agrawala::{self, RicartAgrawala};
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};
use konklave::mutex::{Command, Stamp};
use konklave::protocol::{Protocol, Snapshot};
use konklave::{NodeId, Recorder};

const ZERO: NodeId = NodeId(0);
const ONE: NodeId = NodeId(1);

/// What this lemma complains about; nothing, if it holds.
fn complaint<P: Protocol>(
    name: &str,
    nodes: &[P],
    messages: &[(NodeId, NodeId, P::Msg)],
) -> Option<String> {
    let nodes: Vec<_> = nodes.iter().collect();
    let messages: Vec<_> = messages.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
    let lemmas = nodes[0].invariants();
    let lemma = lemmas.iter().find(|it| it.name() == name).expect("there is such a lemma");
    let broken = lemma.judge(&Snapshot { nodes: &nodes, messages: &messages }).err()?;
    assert_eq!(broken.promise, name);
    Some(broken.detail)
}

/// Whoever has the token twice, or nobody at all, breaks the lemma; node 0 alone does not.
fn one_token<P: Protocol>(make: impl Fn(NodeId) -> P) {
    let (first, second) = (make(ZERO), make(ONE));
    let judge = |nodes: &[P]| complaint("one token", nodes, &[]);
    assert_eq!(judge(&[first.clone(), second.clone()]), None);
    assert_eq!(judge(&[second.clone(), second]).as_deref(), Some("the token is gone"));
    assert_eq!(judge(&[first.clone(), first]).as_deref(), Some("there are 2 tokens"));
}

fn beside(me: NodeId) -> (NodeId, NodeId) {
    (NodeId(1 - me.0), NodeId(1 - me.0))
}

#[test]
fn a_lost_or_copied_token_is_noticed() {
    one_token(|me| Hierarchical::new(me, 2, 1, |me| NaimiTrehel::new(me, ZERO)));
    one_token(|me| NaimiTrehel::new(me, ZERO));
    one_token(|me| Perpetuum::new(me, beside(me), ZERO, std::time::Duration::ZERO));
    one_token(|me| Raymond::new(me, ZERO, Variant::Plain));
    one_token(|me| RicartAgrawalaToken::new(me, 2));
    one_token(|me| RingChase::new(me, beside(me), me.0, 2, ring_chase::Variant::Hop));
    one_token(|me| Singhal::new(me, 2));
    one_token(|me| SuzukiKasami::new(me, 2));
    one_token(|me| TokenGraph::new(me, vec![beside(me).0], ZERO, token_graph::Variant::All));
    one_token(|me| TokenSearch::new(me, vec![beside(me).0], ZERO, Search::Direct));
}

#[test]
fn a_token_on_its_way_counts() {
    let token = (ZERO, ONE, perpetuum::Msg::Token);
    let node = |me| Perpetuum::new(me, beside(me), NodeId(9), std::time::Duration::ZERO);
    let nodes = [node(ZERO), node(ONE)];
    assert_eq!(complaint("one token", &nodes, &[token]), None);
    assert!(complaint("one token", &nodes, &[token, token]).is_some());
    let raymond =
        [Raymond::new(ZERO, ONE, Variant::Plain), Raymond::new(ONE, ZERO, Variant::Plain)];
    for msg in [raymond::Msg::Token, raymond::Msg::TokenAndRequest] {
        assert_eq!(complaint("one token", &raymond, &[(ZERO, ONE, msg)]), None);
    }
    let request = (ZERO, ONE, raymond::Msg::Request);
    assert!(complaint("one token", &raymond, &[request]).is_some());
    // Node 2 is a client, and the representatives' token is on its way between them.
    let node = |me| Hierarchical::new(NodeId(me), 2, 1, |me| NaimiTrehel::new(me, NodeId(9)));
    let token = hierarchical::Msg::Global(naimi_trehel::Msg::Token);
    let system = [node(0), node(1), node(2)];
    assert_eq!(complaint("one token", &system, &[(ZERO, ONE, token)]), None);
    let grant = (ZERO, NodeId(2), hierarchical::Msg::Grant);
    assert!(complaint("one token", &system, &[grant]).is_some());
}

#[test]
fn pointers_that_miss_the_token_are_noticed() {
    let name = "pointers lead to the token";
    let node = |me, holder| Raymond::new(NodeId(me), NodeId(holder), Variant::Plain);
    let right = [node(0, 0), node(1, 0), node(2, 1)];
    assert_eq!(complaint(name, &right, &[]), None);
    // The token is at node 0, but nodes 1 and 2 send each other to look for it.
    let wrong = [node(0, 0), node(1, 2), node(2, 1)];
    assert!(complaint(name, &wrong, &[]).is_some());
    // It is on its way from 1 to 2: either end will do.
    let token = (NodeId(1), NodeId(2), raymond::Msg::Token);
    assert_eq!(complaint(name, &[node(0, 1), node(1, 2), node(2, 1)], &[token]), None);
}

#[test]
fn a_root_too_many_is_noticed() {
    let name = "roots exceed requests by one";
    let request = (ONE, ZERO, naimi_trehel::Msg::Request(ONE));
    let nodes = [NaimiTrehel::new(ZERO, ZERO), NaimiTrehel::new(ONE, ZERO)];
    assert_eq!(complaint(name, &nodes, &[]), None);
    assert!(complaint(name, &nodes, std::slice::from_ref(&request)).is_some(), "it has a father");
    let mut asking = nodes.clone();
    asking[1].on_command(Command::Acquire, &mut Recorder::default());
    assert_eq!(complaint(name, &asking, &[request]), None);
    assert!(complaint(name, &asking, &[]).is_some(), "its request is gone");
}

#[test]
fn a_reply_that_nobody_owes_is_noticed() {
    let name = "a node inside defers replies";
    let mut env = Recorder::default();
    let mut nodes = [RicartAgrawala::new(ZERO, 2), RicartAgrawala::new(ONE, 2)];
    nodes[0].on_command(Command::Acquire, &mut env);
    nodes[0].on_message(ONE, ricart_agrawala::Msg::Reply, &mut env);
    assert_eq!(complaint(name, &nodes, &[]), None, "nobody waits");
    nodes[1].on_command(Command::Acquire, &mut env);
    let request = ricart_agrawala::Msg::Request(Stamp { time: 1, node: ONE });
    assert_eq!(complaint(name, &nodes, &[(ONE, ZERO, request.clone())]), None, "it is on its way");
    assert!(complaint(name, &nodes, &[]).is_some(), "the request is gone");
    nodes[0].on_message(ONE, request, &mut env);
    assert_eq!(complaint(name, &nodes, &[]), None, "the reply is deferred");
}

#[test]
fn a_permission_at_both_is_noticed() {
    let name = "one permission per pair";
    let mut env = Recorder::default();
    let mut nodes = [
        CarvalhoRoucairol::new(ZERO, 2, carvalho_roucairol::Variant::Symmetric),
        CarvalhoRoucairol::new(ONE, 2, carvalho_roucairol::Variant::Symmetric),
    ];
    assert_eq!(complaint(name, &nodes, &[]), None);
    for (node, other) in [(0, ONE), (1, ZERO)] {
        nodes[node].on_command(Command::Acquire, &mut env);
        nodes[node].on_message(other, carvalho_roucairol::Msg::Reply, &mut env);
    }
    assert!(complaint(name, &nodes, &[]).is_some());
}

#[test]
fn pointers_in_a_circle_are_noticed() {
    let name = "pointers are acyclic";
    let node =
        |me, first| TokenGraph::new(me, vec![beside(me).0], first, token_graph::Variant::All);
    let mut env = Recorder::default();
    let mut second = node(ONE, ZERO);
    second.on_message(ZERO, token_graph::Msg::Explore(0), &mut env);
    assert_eq!(complaint(name, &[node(ZERO, ZERO), second.clone()], &[]), None);
    // The first node was told of a wave that the second one had started.
    let mut first = node(ZERO, ONE);
    first.on_message(ONE, token_graph::Msg::Explore(0), &mut env);
    assert!(complaint(name, &[first, second], &[]).is_some());
}
