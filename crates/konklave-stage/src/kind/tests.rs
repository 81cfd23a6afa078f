use serde_json::{Value as Json, json};

use super::*;

#[derive(Serialize)]
enum Inner {
    Put { _key: u32, _side: Side },
    Get(u32, u32),
    Turn(Side),
    Perhaps(Option<Side>),
}

#[derive(Serialize)]
enum Side {
    Left,
}

#[derive(Serialize)]
enum Outer {
    Ping,
    Count(u32),
    Dict(Inner),
    Step(Step),
    Deep(Box<Self>),
    #[serde(rename = "plain")]
    Plain(Step),
}

/// A message of its own, or part of one.
#[derive(Serialize)]
struct Step {
    round: u32,
    inner: Inner,
}

/// Messages of all forms, and their kinds.
fn messages() -> Vec<(Outer, &'static str)> {
    let deep = |message| Outer::Deep(Box::new(message));
    let put = || Inner::Put { _key: 1, _side: Side::Left };
    vec![
        (Outer::Ping, "Ping"),
        (Outer::Count(3), "Count"),
        (Outer::Dict(put()), "Dict.Put"),
        (Outer::Dict(Inner::Get(1, 2)), "Dict.Get"),
        (Outer::Dict(Inner::Turn(Side::Left)), "Dict.Turn.Left"),
        (Outer::Dict(Inner::Perhaps(Some(Side::Left))), "Dict.Perhaps.Left"),
        (Outer::Dict(Inner::Perhaps(None)), "Dict.Perhaps"),
        (Outer::Step(Step { round: 1, inner: put() }), "Step"),
        (Outer::Plain(Step { round: 1, inner: put() }), "Put"),
        (deep(Outer::Plain(Step { round: 1, inner: put() })), "Deep"),
        (deep(deep(deep(deep(Outer::Ping)))), "Deep.Deep.Deep.Deep"),
    ]
}

#[test]
fn kinds_are_named_by_their_variants() {
    for (message, kind) in messages() {
        assert_eq!(Kind::of(&message).to_string(), kind);
    }
    assert_eq!(Kind::of(&7_u32).to_string(), "message");
    assert_eq!(Kind::of(&Step { round: 1, inner: Inner::Get(1, 2) }).to_string(), "Get");
}

#[test]
fn json_has_the_same_kinds() {
    let kind = |message: &Json| name(&variants(message));
    for (message, expected) in messages() {
        assert_eq!(kind(&json!(message)), expected);
    }
    assert_eq!(kind(&json!(7)), "message");
    assert_eq!(kind(&json!([{"Ping": 3}])), "message");
    assert_eq!(kind(&json!(Step { round: 1, inner: Inner::Get(1, 2) })), "Get");
}

#[test]
fn variants_come_with_all_that_is_in_them() {
    let json = json!({"election": 2, "msg": {"Wave": {"Explore": [1, 2]}}});
    let [outer, inner] = [json!({"Wave": {"Explore": [1, 2]}}), json!({"Explore": [1, 2]})];
    assert_eq!(variants(&json), [("Wave", &outer), ("Explore", &inner)]);
}

#[test]
fn keys_tell_kinds_apart_and_nothing_else() {
    let mut kinds: Vec<_> = messages().iter().map(|(message, _)| Kind::of(message)).collect();
    kinds.sort_by_key(|kind| kind.key());
    for pair in kinds.windows(2) {
        assert_ne!(pair[0].key(), pair[1].key(), "{} and {}", pair[0], pair[1]);
    }
    assert_eq!(Kind::of(&Outer::Count(1)).key(), Kind::of(&Outer::Count(2)).key());
}
