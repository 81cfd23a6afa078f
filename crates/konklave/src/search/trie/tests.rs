use std::collections::BTreeSet;

use super::*;
use crate::circle::{Mixer, Salt};
use crate::search::record::{Inner, Leaf};
use crate::search::{Support, msd_length};

/// The hashed Patricia trie without the list of leaves.
const UNLINKED: Form = Form { support: Support::Msd, is_linked: false };
const FORMS: [Form; 4] = [Form::TRIE, Form::PATRICIA, UNLINKED, Form::HASHED];

fn bits(text: &str) -> Label {
    Label::number(u64::from_str_radix(text, 2).unwrap(), text.len() as u32)
}

fn trie(form: Form, keys: &[&str]) -> Trie {
    let mut trie = Trie::new(form);
    keys.iter().for_each(|key| trie.insert(&bits(key)));
    trie
}

/// The labels of all nodes by kind, from the set of keys alone: an inner node where two neighbours
/// separate, a support node on each edge where the definition says.
fn expected(keys: &BTreeSet<Label>, support: Support) -> [BTreeSet<Label>; 3] {
    let mut leaves = keys.clone();
    leaves.insert(Label::infinity());
    let sorted: Vec<&Label> = leaves.iter().collect();
    let split = |pair: &[&Label]| pair[0].prefix(pair[0].common(pair[1]));
    let mut inner: BTreeSet<Label> = sorted.windows(2).map(split).collect();
    inner.insert(Label::root());
    let mut supports = BTreeSet::new();
    for node in inner.iter().chain(&leaves).filter(|node| !node.is_empty()) {
        let above = (0..node.len()).rev().find(|len| inner.contains(&node.prefix(*len))).unwrap();
        match support {
            Support::Every => supports.extend((above + 1..node.len()).map(|it| node.prefix(it))),
            Support::None => {}
            Support::Msd => {
                let zeros = |len: &u32| len.trailing_zeros();
                let roundest = (above + 1..=node.len()).max_by_key(zeros).unwrap();
                supports.extend((roundest < node.len()).then(|| node.prefix(roundest)));
            }
        }
    }
    [inner, supports, leaves]
}

/// That the records are those of a trie with these keys: the labels, H1 to H4, and the links
/// between neighbours.
fn verify(trie: &Trie, keys: &BTreeSet<Label>) {
    let mut records = trie.records.clone();
    for label in [Label::root(), Label::infinity()] {
        let initial = Record::initial(&label, trie.form.is_linked).unwrap();
        records.entry(label).or_insert(initial);
    }
    let [inner, supports, leaves] = expected(keys, trie.form.support);
    let labels = |is_meant: fn(&Record) -> bool| -> BTreeSet<Label> {
        records.iter().filter(|(_, it)| is_meant(it)).map(|(label, _)| label.clone()).collect()
    };
    assert_eq!(labels(|it| matches!(it, Record::Inner(_))), inner);
    assert_eq!(labels(|it| matches!(it, Record::Support { .. })), supports, "H3");
    assert_eq!(labels(|it| matches!(it, Record::Leaf(_))), leaves);
    let is_child = |parent: &Label, child: &Label| match &records[parent] {
        Record::Inner(inner) => inner.children[child.bit(parent.len())].as_ref() == Some(child),
        Record::Support { child: only, .. } => only == child,
        Record::Leaf(_) => false,
    };
    let is_parent = |child: &Label, parent: &Label| match &records[child] {
        Record::Inner(inner) => inner.parent.as_ref() == Some(parent),
        Record::Support { parent: above, .. } => above == parent,
        Record::Leaf(leaf) => leaf.parent == *parent,
    };
    let mut held = BTreeSet::new();
    for (label, record) in &records {
        match record {
            Record::Inner(Inner { children, parent, key, ends }) => {
                assert_eq!(parent.is_none(), label.is_empty());
                assert!(parent.iter().all(|it| is_child(it, label)), "H4 at {label}");
                for (bit, child) in children.iter().enumerate() {
                    assert_eq!(child.is_none(), keys.is_empty() && label.is_empty() && bit == 0);
                    assert!(child.iter().all(|it| it.bit(label.len()) == bit), "{label}");
                    assert!(child.iter().all(|it| is_parent(it, label)), "H4 at {label}");
                }
                if let Some(key) = key {
                    assert!(key.starts_with(label), "H1 at {label}");
                    assert!(held.insert(key.clone()), "H2: {key} is held twice");
                    let Record::Leaf(leaf) = &records[key] else { panic!("{key} is not a leaf") };
                    assert_eq!(leaf.holder.as_ref(), Some(label), "H2");
                }
                let mut below = leaves.iter().filter(|key| key.starts_with(label));
                let first = below.next().unwrap();
                let both = [first.clone(), below.next_back().unwrap_or(first).clone()];
                assert_eq!(ends.as_ref(), trie.form.is_linked.then_some(&both), "{label}");
            }
            Record::Support { child, parent } => {
                assert!(is_child(parent, label) && is_parent(child, label), "H4 at {label}");
                assert!(child.starts_with(label) && label.starts_with(parent));
            }
            Record::Leaf(Leaf { holder, parent, beside }) => {
                assert!(is_child(parent, label), "H4 at {label}");
                assert_eq!(holder.is_none(), label.is_infinity());
                let before = leaves.range(..label.clone()).next_back();
                let behind = leaves.range(label.clone()..).nth(1);
                let neighbours = [before, behind].map(|it| it.filter(|_| trie.form.is_linked));
                assert_eq!(beside.each_ref().map(Option::as_ref), neighbours, "at {label}");
            }
        }
    }
    assert_eq!(&held, keys, "H2: each key is held");
}

/// Questions about `x`, against the set of keys.
fn question(trie: &mut Trie, keys: &BTreeSet<Label>, x: &Label) {
    let best = keys.iter().map(|key| key.common(x)).max();
    let found = trie.search(x);
    assert!(found.iter().all(|key| keys.contains(key)));
    assert_eq!(found.map(|key| key.common(x)), best, "search {x}");
    let search = trie.reads();
    let longest = keys.iter().chain([x]).map(Label::len).max();
    assert!(Some(search) <= longest.map(|len| trie.form.bound(len)));
    assert_eq!(trie.successor(x).as_ref(), keys.range(x.clone()..).next(), "successor {x}");
    assert!(!trie.form.is_linked || trie.reads() <= trie.form.bound(x.len()) + 1);
    assert!(!trie.form.is_linked || trie.reads() <= search + 1);
    assert_eq!(trie.predecessor(x).as_ref(), keys.range(..=x.clone()).next_back());
    assert!(!trie.form.is_linked || trie.reads() <= search + 1);
}

/// That an update has cost no more than is stated, without the links.
fn verify_cost(trie: &Trie) {
    if trie.form == UNLINKED {
        assert!(trie.writes() <= 10, "{} writes", trie.writes());
    }
}

/// Random keys of each kind: uniform, around powers of two, and small ones.
fn keys_of(width: u32, mixer: Mixer, number: u64) -> u64 {
    let word = mixer.mix(number, Salt(1));
    let power = 1_u64 << ((word >> 8) % u64::from(width));
    let key = match word % 4 {
        0 => mixer.mix(number, Salt(2)),
        1 => power,
        2 => power - 1,
        _ => mixer.mix(number, Salt(2)) % 16,
    };
    key & u64::MAX >> (64 - width)
}

fn exercise(form: Form, width: u32, seed: u64) {
    let mixer = Mixer::new(seed);
    let (mut trie, mut keys) = (Trie::new(form), BTreeSet::new());
    for step in 0..150 {
        let key = Label::number(keys_of(width, mixer, step), width);
        let is_growing = step % 60 < 35;
        match mixer.mix(step, Salt(3)) % 4 {
            0 => {}
            1 if is_growing => _ = (trie.delete(&key), keys.remove(&key)),
            _ if is_growing => _ = (trie.insert(&key), keys.insert(key)),
            _ => {
                // A key that is there, so that the trie shrinks again.
                let Some(key) = trie.successor(&key).or_else(|| keys.first().cloned()) else {
                    continue;
                };
                trie.delete(&key);
                assert!(keys.remove(&key));
                assert!(form != UNLINKED || trie.reads() <= 9, "{} reads", trie.reads());
            }
        }
        verify_cost(&trie);
        verify(&trie, &keys);
        let asked = Label::number(keys_of(width, mixer, step + 1_000), width);
        question(&mut trie, &keys, &asked);
        let prefix = asked.prefix(1 + (mixer.mix(step, Salt(4)) % u64::from(width + 1)) as u32);
        let with_prefix: Vec<_> =
            keys.iter().filter(|key| key.starts_with(&prefix)).cloned().collect();
        assert_eq!(trie.with_prefix(&prefix), with_prefix, "prefix {prefix}");
    }
}

#[test]
fn random_operations_are_those_of_a_sorted_set() {
    for width in [1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 64] {
        for form in FORMS {
            for seed in 0..6 {
                exercise(form, width, seed);
            }
        }
    }
}

/// All sets of keys of three bits, in an order of their own; then all are deleted again.
#[test]
fn every_small_set_is_right() {
    for form in FORMS {
        for set in 0_u32..1 << 8 {
            let (mut trie, mut keys) = (Trie::new(form), BTreeSet::new());
            let order = (0..8_u64).map(|place| place * 5 % 8);
            let members: Vec<_> = order.filter(|key| set >> key & 1 == 1).collect();
            for key in &members {
                trie.insert(&Label::number(*key, 3));
                keys.insert(Label::number(*key, 3));
                verify(&trie, &keys);
            }
            (0..8).for_each(|asked| question(&mut trie, &keys, &Label::number(asked, 3)));
            for key in members.iter().rev() {
                trie.delete(&Label::number(*key, 3));
                keys.remove(&Label::number(*key, 3));
                verify(&trie, &keys);
            }
        }
    }
}

#[test]
fn strings_of_any_length_are_keys() {
    let words = ["", "a", "trie", "tries", "tree", "treatise", "patricia", "pat", "paternoster"];
    for form in FORMS {
        let (mut trie, mut keys) = (Trie::new(form), BTreeSet::new());
        for word in words {
            trie.insert(&Label::text(word));
            keys.insert(Label::text(word));
            verify(&trie, &keys);
            words.iter().for_each(|asked| question(&mut trie, &keys, &Label::text(asked)));
            for asked in ["tr", "pat", "", "z", "treat"] {
                question(&mut trie, &keys, &Label::text(asked));
                let prefix = Label::opening(asked);
                let all: Vec<_> =
                    keys.iter().filter(|it| it.starts_with(&prefix)).cloned().collect();
                assert_eq!(trie.with_prefix(&prefix), all);
            }
        }
        for word in words {
            trie.delete(&Label::text(word));
            keys.remove(&Label::text(word));
            verify(&trie, &keys);
        }
    }
}

/// The example of the lecture.
#[test]
fn three_bits() {
    let mut trie = trie(Form::HASHED, &["000", "010", "011", "101", "110"]);
    let inner =
        |trie: &Trie, label: &str| match trie.records.iter().find(|it| it.0.to_string() == label) {
            Some((_, Record::Inner(inner))) => {
                let [zero, one] =
                    inner.children.each_ref().map(|it| it.as_ref().unwrap().to_string());
                format!("{} {zero} {one}", inner.key.as_ref().unwrap())
            }
            other => format!("{other:?}"),
        };
    let lines = [
        ("ε", "0000 0 ∞"),
        ("0", "0101 00 01"),
        ("00", "0010 0000 001"),
        ("01", "0110 0101 0110"),
        ("001", "0011 0010 0011"),
    ];
    lines.iter().for_each(|(label, line)| assert_eq!(inner(&trie, label), *line));
    assert!(trie.records.values().all(|it| !matches!(it, Record::Support { .. })));
    assert_eq!(trie.search(&bits("100")), Some(bits("101")));
    assert_eq!(trie.reads(), 4, "the probe for its full length is the first entry that it read");
    assert_eq!(trie.successor(&bits("100")), Some(bits("101")));
    assert_eq!(trie.successor(&bits("001")), Some(bits("010")));
    assert_eq!(trie.successor(&bits("111")), None);
    trie.insert(&bits("001"));
    assert_eq!(inner(&trie, "000"), "0001 0000 0001");
    trie.delete(&bits("001"));
    trie.delete(&bits("101"));
    assert_eq!(inner(&trie, "01"), "None");
    assert_eq!(inner(&trie, "0"), "0110 00 0110");
    trie.delete(&bits("000"));
    assert_eq!(inner(&trie, "ε"), "0010 0 ∞");
    let support = &trie.records[&Label::number(0, 1)];
    assert!(
        matches!(support, Record::Support { child, .. } if *child == bits("01")),
        "{support:?}"
    );
}

/// The example of the lecture for support nodes.
#[test]
fn ten_bits() {
    let mut trie = trie(Form::HASHED, &["1101001010"]);
    let labels = |trie: &Trie| trie.records.keys().map(Label::to_string).collect::<Vec<_>>();
    assert_eq!(labels(&trie), ["ε", "01101001", "01101001010", "∞"]);
    trie.insert(&bits("1101010000"));
    assert_eq!(
        labels(&trie),
        ["ε", "0110", "011010", "01101001", "01101001010", "01101010", "01101010000", "∞"]
    );
    assert_eq!(trie.search(&bits("1101001111")), Some(bits("1101001010")));
    assert_eq!(trie.successor(&bits("1101001111")), Some(bits("1101010000")));
    assert_eq!(trie.successor(&bits("1101011111")), None);
    trie.delete(&bits("1101001010"));
    assert_eq!(labels(&trie), ["ε", "01101010", "01101010000", "∞"]);
    let Record::Inner(root) = &trie.records[&Label::root()] else { panic!("the root is inner") };
    assert_eq!(root.key, Some(bits("1101010000")));
}

#[test]
fn msd_lengths_are_those_of_the_lecture() {
    let cases = [
        (6, 11, 8),
        (36, 43, 40),
        (0, 5, 4),
        (4, 5, 5),
        (5, 8, 8),
        (3, 9, 8),
        (8, 12, 12),
        (0, 64, 64),
        (5, 100, 64),
    ];
    cases.iter().for_each(|&(upper, lower, length)| assert_eq!(msd_length(upper, lower), length));
}
