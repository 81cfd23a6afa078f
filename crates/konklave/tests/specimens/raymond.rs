//! Raymond gone wrong.

use konklave::mutex::raymond::{Msg, Raymond};
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input};
use konklave_sim::Options;
use konklave_sim::workload::mutex::Demand;

use super::flawed::{Flaw, promise, verdict};
use super::lock::{raymond, wild};

type Effects = Vec<Effect<Raymond>>;

fn is_token(effect: &Effect<Raymond>) -> bool {
    matches!(effect, Effect::Send { msg: Msg::Token, .. })
}

fn is_request(effect: &Effect<Raymond>) -> bool {
    matches!(effect, Effect::Send { msg: Msg::Request, .. })
}

/// Looks at requests only when it leaves: with the token here and nobody inside, they wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct IdleHolder {
    inside: bool,
    waiting: Vec<u32>,
}

impl Flaw<Raymond> for IdleHolder {
    fn inputs(&mut self, node: &Raymond, input: Input<Raymond>) -> Vec<Input<Raymond>> {
        match input {
            Input::Message { from, msg: Msg::Request } if node.has_token() && !self.inside => {
                self.waiting.push(from.0);
                vec![]
            }
            Input::Command(Command::Release) => {
                self.inside = false;
                let late = std::mem::take(&mut self.waiting).into_iter().map(konklave::NodeId);
                let late = late.map(|from| Input::Message { from, msg: Msg::Request });
                std::iter::once(input).chain(late).collect()
            }
            _ => vec![input],
        }
    }

    fn effects(&mut self, _: &Input<Raymond>, effects: Effects) -> Effects {
        self.inside |= effects.contains(&Effect::Emit(Event::Granted));
        effects
    }
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

/// Sends no request behind the token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NoRequestBehind;

impl Flaw<Raymond> for NoRequestBehind {
    fn effects(&mut self, _: &Input<Raymond>, mut effects: Effects) -> Effects {
        if effects.iter().any(is_token) {
            effects.retain(|effect| !is_request(effect));
        }
        effects
    }
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
    fn effects(&mut self, _: &Input<Raymond>, mut effects: Effects) -> Effects {
        effects.retain(|effect| !is_token(effect));
        effects
    }
}

#[test]
fn a_lost_token_is_caught() {
    let report = raymond(&Options::default(), 4, Demand::Heavy, &Careless);
    assert_eq!(verdict(&report), "no starvation: node 0 and 3 others wait for ever");
}

/// Sends the token on and lets its application in all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Forger {
    asked: bool,
}

impl Flaw<Raymond> for Forger {
    fn effects(&mut self, input: &Input<Raymond>, mut effects: Effects) -> Effects {
        if matches!(input, Input::Command(Command::Acquire)) {
            self.asked = true;
        }
        if effects.contains(&Effect::Emit(Event::Granted)) {
            self.asked = false;
        } else if self.asked && effects.iter().any(is_token) {
            self.asked = false;
            effects.push(Effect::Emit(Event::Granted));
        }
        effects
    }
}

#[test]
fn a_copied_token_is_caught() {
    let report = raymond(&Options::default(), 3, Demand::Heavy, &Forger::default());
    assert_eq!(promise(&report), "mutual exclusion", "{}", verdict(&report));
    for seed in 1..=10 {
        let light = raymond(&wild(seed), 3, Demand::Light, &Forger::default());
        assert_eq!(verdict(&light), "kept", "seed {seed}: who passes it on has not asked");
    }
}
