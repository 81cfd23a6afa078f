//! Raymond gone wrong.

use konklave::mutex::raymond::{Msg, Raymond};
use konklave::protocol::{Effect, Input};
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::Options;
use konklave_specimens::Flaw;
use konklave_specimens::flaws::raymond::{CopiesToken, IdleHolder, NoRequestBehind};

use super::lock::{raymond, wild};
use super::verdict::{promise, verdict};

type Effects = Vec<Effect<Raymond>>;

fn is_token(effect: &Effect<Raymond>) -> bool {
    matches!(effect, Effect::Send { msg: Msg::Token, .. })
}

#[test]
fn a_holder_that_ignores_requests_while_idle_is_caught() {
    // Unless the holder enters once more itself and then remembers.
    let judge = |seed| {
        let options = Options { seed, ..Options::default() };
        verdict(&raymond(&options, 2, Demand::Light, &IdleHolder::default()))
    };
    let verdicts: Vec<_> = (1..=20).map(judge).collect();
    let starved = "no starvation: node 1 waits for ever".to_owned();
    assert!(verdicts.contains(&starved), "seeds 1 to 20: {verdicts:?}");
    let known = |verdict: &String| verdict == "kept" || verdict.starts_with("no starvation");
    assert!(verdicts.iter().all(known), "seeds 1 to 20: {verdicts:?}");
}

#[test]
fn a_missing_request_behind_the_token_is_caught() {
    let report = raymond(&Options::default(), 3, Demand::Heavy, &NoRequestBehind);
    assert_eq!(promise(&report), "no starvation");
    let light = raymond(&Options::default(), 3, Demand::Light, &NoRequestBehind);
    assert_eq!(verdict(&light), "kept", "one at a time, nobody waits behind the token");
}

/// Loses the token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Careless;

impl Flaw<Raymond> for Careless {
    fn effects(&mut self, _: &Raymond, _: &Input<Raymond>, mut effects: Effects) -> Effects {
        effects.retain(|effect| !is_token(effect));
        effects
    }
}

#[test]
fn a_lost_token_is_caught() {
    let report = raymond(&Options::default(), 4, Demand::Heavy, &Careless);
    assert_eq!(verdict(&report), "no starvation: node 0 and 3 others wait for ever");
}

#[test]
fn a_copied_token_is_caught() {
    let report = raymond(&Options::default(), 3, Demand::Heavy, &CopiesToken::default());
    assert_eq!(promise(&report), "mutual exclusion", "{}", verdict(&report));
    for seed in 1..=10 {
        let light = raymond(&wild(seed), 3, Demand::Light, &CopiesToken::default());
        assert_eq!(verdict(&light), "kept", "seed {seed}: who passes it on has not asked");
    }
}
