//! Ricart and Agrawala gone wrong.

use konklave::mutex::ricart_agrawala::{Msg, RicartAgrawala};
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input};
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Delay, Options};
use konklave_specimens::flaws::ricart_agrawala::{Forgetful, NoClockUpdate, NoTieBreak};
use konklave_specimens::{Flaw, Flawless};

use super::lock::{ricart_agrawala, wild};
use super::verdict::{promise, verdict};

type Effects = Vec<Effect<RicartAgrawala>>;

const GRANT: Effect<RicartAgrawala> = Effect::Emit(Event::Granted);

fn is_reply(effect: &Effect<RicartAgrawala>) -> bool {
    matches!(effect, Effect::Send { msg: Msg::Reply, .. })
}

/// Enters without waiting for replies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Hasty;

impl Flaw<RicartAgrawala> for Hasty {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        input: &Input<RicartAgrawala>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Command(Command::Acquire)) {
            effects.push(GRANT);
        }
        effects
    }
}

#[test]
fn entering_at_once_is_caught() {
    let report = ricart_agrawala(&Options::default(), 3, Demand::Heavy, &Hasty);
    assert_eq!(verdict(&report), "mutual exclusion: node 1 enters while node 0 is inside");
}

/// Enters once more with each entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stuttering;

impl Flaw<RicartAgrawala> for Stuttering {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        _: &Input<RicartAgrawala>,
        effects: Effects,
    ) -> Effects {
        effects.into_iter().flat_map(|effect| vec![effect.clone(); 1 + copies(&effect)]).collect()
    }
}

fn copies(effect: &Effect<RicartAgrawala>) -> usize {
    usize::from(*effect == GRANT)
}

#[test]
fn a_second_grant_is_caught() {
    let report = ricart_agrawala(&Options::default(), 1, Demand::Light, &Stuttering);
    assert_eq!(verdict(&report), "mutual exclusion: node 0 enters while node 0 is inside");
}

/// Enters when somebody else asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Presumptuous;

impl Flaw<RicartAgrawala> for Presumptuous {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        input: &Input<RicartAgrawala>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Message { msg: Msg::Request(_), .. }) {
            effects.push(GRANT);
        }
        effects
    }
}

#[test]
fn a_grant_that_nobody_asked_for_is_caught() {
    for seed in 1..=10 {
        let options = Options { seed, ..Options::default() };
        let report = ricart_agrawala(&options, 2, Demand::Light, &Presumptuous);
        assert_eq!(promise(&report), "grants on demand", "seed {seed}: {}", verdict(&report));
    }
}

/// Never replies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Silent;

impl Flaw<RicartAgrawala> for Silent {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        _: &Input<RicartAgrawala>,
        mut effects: Effects,
    ) -> Effects {
        effects.retain(|effect| !is_reply(effect));
        effects
    }
}

#[test]
fn a_missing_reply_is_caught() {
    let report = ricart_agrawala(&Options::default(), 2, Demand::Light, &Silent);
    assert_eq!(promise(&report), "no starvation");
    let report = ricart_agrawala(&Options::default(), 4, Demand::Heavy, &Silent);
    assert_eq!(verdict(&report), "no starvation: node 0 and 3 others wait for ever");
    let alone = ricart_agrawala(&Options::default(), 1, Demand::Heavy, &Silent);
    assert_eq!(verdict(&alone), "kept", "nobody has to reply");
}

#[test]
fn a_forgotten_reply_is_caught_under_heavy_load() {
    let report = ricart_agrawala(&Options::default(), 3, Demand::Heavy, &Forgetful);
    assert_eq!(promise(&report), "no starvation");
    let light = ricart_agrawala(&Options::default(), 3, Demand::Light, &Forgetful);
    assert_eq!(verdict(&light), "kept", "under light load there is nothing to forget");
}

#[test]
fn ties_in_which_everyone_yields_are_caught() {
    let polite = NoTieBreak::everyone_yields();
    let report = ricart_agrawala(&Options::default(), 2, Demand::Heavy, &polite);
    // Node 0 asks first, so node 1 is the first to yield, and node 0 the first to enter.
    assert_eq!(verdict(&report), "mutual exclusion: node 1 enters while node 0 is inside");
    let light = ricart_agrawala(&Options::default(), 2, Demand::Light, &polite);
    assert_eq!(verdict(&light), "kept", "one at a time, there are no ties");
}

#[test]
fn ties_in_which_nobody_yields_are_caught() {
    let stubborn = NoTieBreak::nobody_yields();
    let report = ricart_agrawala(&Options::default(), 2, Demand::Heavy, &stubborn);
    assert_eq!(verdict(&report), "no starvation: node 0 and one other wait for ever");
    let light = ricart_agrawala(&Options::default(), 2, Demand::Light, &stubborn);
    assert_eq!(verdict(&light), "kept", "one at a time, there are no ties");
}

/// For each seed, what comes of it.
fn verdicts(seeds: u64, nodes: u32, fifo: bool, flaw: &impl Flaw<RicartAgrawala>) -> Vec<String> {
    let run = |seed| {
        let options = Options { fifo, ..wild(seed) };
        promise(&ricart_agrawala(&options, nodes, Demand::Poisson(2.0), flaw))
    };
    (1..=seeds).map(run).collect()
}

#[test]
fn a_clock_that_is_not_updated_is_caught() {
    let caught = "mutual exclusion".to_owned();
    // Two nodes, a request that overtakes a reply; or three nodes and no overtaking at all.
    for (nodes, fifo) in [(2, false), (3, true), (3, false)] {
        let wrong = verdicts(200, nodes, fifo, &NoClockUpdate::default());
        let context = format!("{nodes} nodes, fifo {fifo}, seeds 1 to 200");
        assert!(wrong.contains(&caught), "{context}: {wrong:?}");
        let right = verdicts(200, nodes, fifo, &Flawless);
        assert!(right.iter().all(|verdict| verdict == "kept"), "{context}: {right:?}");
    }
    // With two nodes and channels in order it does no harm.
    let harmless = verdicts(200, 2, true, &NoClockUpdate::default());
    assert!(!harmless.contains(&caught), "seeds 1 to 200: {harmless:?}");
}

#[test]
fn delays_matter_for_what_is_found() {
    // With all messages equally fast, the missing update is never noticed.
    for seed in 1..=100 {
        let options = Options { seed, delay: Delay::Constant(7), ..Options::default() };
        let flaw = NoClockUpdate::default();
        let report = ricart_agrawala(&options, 2, Demand::Poisson(2.0), &flaw);
        assert_eq!(verdict(&report), "kept", "seed {seed}");
    }
}
