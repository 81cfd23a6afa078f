//! Which endless schedules are defects: those in which nothing is put off for ever that has to
//! happen at last.

use std::time::Duration;

use konklave::NodeId;
use konklave::election::{self, Id, Winner};
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::{Env, Never, Protocol};
use konklave_catalog::election::client::Voter;
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{
    Extremes, Liveness, Options, Pace, Schedule, SearchReport, System, Verdict, World, explore,
};
use serde::{Deserialize, Serialize};

/// Goes on for ever until its timer `Late` runs out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Busy {
    habit: Habit,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Habit {
    /// A short timer follows the other.
    Tick,
    /// The same, and each time `Late` begins anew.
    TickAndPutOff,
    /// Its message always comes back to it.
    Circulate,
    /// It ticks, or sends three messages at once and is done.
    TickOrTell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Busy,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Timer {
    Tick,
    Late,
}

impl Busy {
    fn go_on(&self, env: &mut impl Env<Self>) {
        match (self.state, self.habit) {
            (State::Done, _) => {}
            (_, Habit::Circulate) => env.send(NodeId(0), ()),
            (_, Habit::Tick | Habit::TickAndPutOff | Habit::TickOrTell) => {
                env.set_timer(Timer::Tick, Duration::from_millis(1));
            }
        }
    }
}

impl Protocol for Busy {
    type Msg = ();
    type Timer = Timer;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        if self.habit == Habit::TickOrTell && env.choose(2) == 1 {
            self.state = State::Done;
            return (0..3).for_each(|_| env.send(NodeId(0), ()));
        }
        env.set_timer(Timer::Late, Duration::from_millis(10));
        self.go_on(env);
    }

    fn on_command(&mut self, _command: Command, _env: &mut impl Env<Self>) {}

    fn on_message(&mut self, _from: NodeId, (): (), env: &mut impl Env<Self>) {
        self.go_on(env);
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        if timer == Timer::Late {
            self.state = State::Done;
        } else if self.habit == Habit::TickAndPutOff && self.state == State::Busy {
            env.set_timer(Timer::Late, Duration::from_millis(10));
        }
        self.go_on(env);
    }
}

fn report(habit: Habit, pace: Pace) -> SearchReport<Schedule<Busy>> {
    let make = |_| Busy { habit, state: State::Busy };
    let world = World { pace, ..World::new() };
    let system = System::new(make, vec![Visitor::new(0)], Monitor::new(1), world);
    let report = explore(system, Options::default(), &mut |_| true);
    assert_eq!(report.liveness, Some(Liveness::FairCycles), "{habit:?} never has to stop");
    report
}

fn verdict(habit: Habit, pace: Pace) -> Verdict {
    report(habit, pace).verdict
}

#[test]
fn a_timer_that_is_pending_all_the_time_runs_out() {
    assert_eq!(verdict(Habit::Tick, Pace::Patient), Verdict::Exhausted);
    assert_eq!(verdict(Habit::Tick, Pace::Free), Verdict::Exhausted);
}

#[test]
fn a_timer_that_begins_anew_again_and_again_need_not_run_out() {
    assert_eq!(verdict(Habit::TickAndPutOff, Pace::Patient), Verdict::Violated);
    assert_eq!(verdict(Habit::TickAndPutOff, Pace::Free), Verdict::Violated);
}

#[test]
fn a_patient_timer_waits_for_ever_if_something_is_always_in_transit() {
    assert_eq!(verdict(Habit::Circulate, Pace::Patient), Verdict::Violated);
    assert_eq!(verdict(Habit::Circulate, Pace::Free), Verdict::Exhausted);
}

#[test]
fn the_cheapest_schedule_may_lead_round_a_cycle() {
    let report = report(Habit::TickOrTell, Pace::Free);
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!(report.messages, Some(Extremes { min: 0, max: None }), "it may tick until late");
}

/// Its message comes back to it from the first start of an election to the second.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct UntilAgain(Round);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Round {
    None,
    First,
    Second,
}

impl Protocol for UntilAgain {
    type Msg = ();
    type Timer = Never;
    type Command = election::Command;
    type Event = election::Event;

    fn on_command(&mut self, _command: election::Command, env: &mut impl Env<Self>) {
        if self.0 == Round::None {
            self.0 = Round::First;
            env.emit(election::Event::Started);
            env.emit(election::Event::Elected);
            env.emit(election::Event::Knows(Id(1)));
            env.send(NodeId(0), ());
        } else {
            self.0 = Round::Second;
        }
    }

    fn on_message(&mut self, _from: NodeId, (): (), env: &mut impl Env<Self>) {
        if self.0 == Round::First {
            env.send(NodeId(0), ());
        }
    }
}

#[test]
fn nobody_has_to_call_another_election() {
    for starts in [1, 2] {
        let monitor = election::Monitor::new(vec![Id(1)], Winner::Largest);
        let make = |_| UntilAgain(Round::None);
        let system = System::new(make, vec![Voter::new(starts)], monitor, World::new());
        let report = explore(system, Options::default(), &mut |_| true);
        assert_eq!(report.verdict, Verdict::Violated, "{starts} starts");
        let found = report.counterexample().expect("a violation has a schedule");
        assert_eq!((found.broken.promise.as_str(), found.cycle), ("comes to rest", Some(1)));
    }
}
