//! What `Hosts` promises: effects of a part get out at once and wrapped, its events wait until its
//! transition has ended, come in order, and may enter the part again.

use std::time::Duration;

use konklave::protocol::{Effect, Env, Hosts, Input, Protocol};
use konklave::{NodeId, Recorder};
use serde::{Deserialize, Serialize};

/// A part that says words: each to a neighbour, and to its host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Speaker {
    /// In the middle of a transition.
    busy: bool,
}

impl Protocol for Speaker {
    type Msg = u32;
    type Timer = ();
    type Command = Vec<u32>;
    type Event = u32;

    fn on_command(&mut self, words: Vec<u32>, env: &mut impl Env<Self>) {
        assert!(!self.busy, "entered again while it is busy");
        self.busy = true;
        env.cancel_timer(());
        for word in words {
            env.send(NodeId(7), word);
            env.emit(word);
        }
        if env.choose(9) == 5 {
            env.set_timer((), Duration::from_millis(3));
        }
        self.busy = false;
    }

    fn on_message(&mut self, _from: NodeId, word: u32, env: &mut impl Env<Self>) {
        env.emit(word);
    }

    fn on_timer(&mut self, _timer: (), env: &mut impl Env<Self>) {
        env.emit(0);
    }
}

/// Repeats what its speaker says. A short word makes it speak again: 1 is followed by 10 and 11.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Echo {
    speaker: Speaker,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Wrapped<T> {
    Part(T),
}

impl Protocol for Echo {
    type Msg = Wrapped<u32>;
    type Timer = Wrapped<()>;
    type Command = Vec<u32>;
    type Event = u32;

    fn on_command(&mut self, words: Vec<u32>, env: &mut impl Env<Self>) {
        self.run(env, |speaker, env| speaker.on_command(words, env));
    }

    fn on_message(&mut self, from: NodeId, msg: Wrapped<u32>, env: &mut impl Env<Self>) {
        let Wrapped::Part(msg) = msg;
        self.run(env, |speaker, env| speaker.on_message(from, msg, env));
    }

    fn on_timer(&mut self, timer: Wrapped<()>, env: &mut impl Env<Self>) {
        let Wrapped::Part(timer) = timer;
        self.run(env, |speaker, env| speaker.on_timer(timer, env));
    }
}

impl Hosts<Speaker> for Echo {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Speaker> {
        Some(&mut self.speaker)
    }

    fn wrap_msg((): &(), msg: u32) -> Wrapped<u32> {
        Wrapped::Part(msg)
    }

    fn wrap_timer((): &(), timer: ()) -> Wrapped<()> {
        Wrapped::Part(timer)
    }

    fn on_part(&mut self, (): &(), word: u32, env: &mut impl Env<Self>) {
        assert!(!self.speaker.busy, "told while the part is busy");
        env.emit(word);
        if word == 1 {
            self.run(env, |speaker, env| speaker.on_command(vec![10, 11], env));
        }
    }
}

/// Writes down what an echo says, and adds nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Listener {
    echo: Echo,
    heard: Vec<u32>,
}

impl Protocol for Listener {
    type Msg = Wrapped<Wrapped<u32>>;
    type Timer = Wrapped<Wrapped<()>>;
    type Command = Vec<u32>;
    type Event = u32;

    fn on_command(&mut self, words: Vec<u32>, env: &mut impl Env<Self>) {
        self.run(env, |echo, env| echo.on_command(words, env));
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        let Wrapped::Part(msg) = msg;
        self.run(env, |echo, env| echo.on_message(from, msg, env));
    }

    fn on_timer(&mut self, timer: Self::Timer, env: &mut impl Env<Self>) {
        let Wrapped::Part(timer) = timer;
        self.run(env, |echo, env| echo.on_timer(timer, env));
    }
}

impl Hosts<Echo> for Listener {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Echo> {
        Some(&mut self.echo)
    }

    fn wrap_msg((): &(), msg: Wrapped<u32>) -> Self::Msg {
        Wrapped::Part(msg)
    }

    fn wrap_timer((): &(), timer: Wrapped<()>) -> Self::Timer {
        Wrapped::Part(timer)
    }

    fn on_part(&mut self, (): &(), word: u32, env: &mut impl Env<Self>) {
        self.heard.push(word);
        env.emit(word);
    }
}

#[test]
fn effects_get_out_at_once_and_events_come_in_order() {
    let (mut echo, mut env) = (Echo::default(), Recorder::choosing(&[5]));
    echo.on_command(vec![2, 3, 4, 5], &mut env);
    let expected = [
        "cancel Part(())",
        "-> 7 Part(2)",
        "-> 7 Part(3)",
        "-> 7 Part(4)",
        "-> 7 Part(5)",
        "choose 5 of 9",
        "set Part(()) 3ms",
        "! 2",
        "! 3",
        "! 4",
        "! 5",
    ];
    assert_eq!(env.lines(), expected);
}

#[test]
fn an_event_that_enters_the_part_again_is_dealt_with_before_the_next() {
    let (mut echo, mut env) = (Echo::default(), Recorder::default());
    echo.on_command(vec![1, 2], &mut env);
    let expected = [
        "cancel Part(())",
        "-> 7 Part(1)",
        "-> 7 Part(2)",
        "choose 0 of 9",
        "! 1",
        "cancel Part(())",
        "-> 7 Part(10)",
        "-> 7 Part(11)",
        "choose 0 of 9",
        "! 10",
        "! 11",
        "! 2",
    ];
    assert_eq!(env.lines(), expected);
    assert!(!echo.speaker.busy);
}

#[test]
fn the_outermost_host_is_told_when_all_inside_is_done() {
    let (mut listener, mut env) = (Listener::default(), Recorder::default());
    listener.on_command(vec![1, 2], &mut env);
    let expected = [
        "cancel Part(Part(()))",
        "-> 7 Part(Part(1))",
        "-> 7 Part(Part(2))",
        "choose 0 of 9",
        "cancel Part(Part(()))",
        "-> 7 Part(Part(10))",
        "-> 7 Part(Part(11))",
        "choose 0 of 9",
        "! 1",
        "! 10",
        "! 11",
        "! 2",
    ];
    assert_eq!(env.lines(), expected);
    assert_eq!(listener.heard, [1, 10, 11, 2]);
}

#[test]
fn messages_and_timers_find_their_way_down() {
    let (mut listener, mut env) = (Listener::default(), Recorder::default());
    listener.on_message(NodeId(3), Wrapped::Part(Wrapped::Part(6)), &mut env);
    listener.on_timer(Wrapped::Part(Wrapped::Part(())), &mut env);
    assert_eq!(env.lines(), ["! 6", "! 0"]);
}

#[test]
fn held_effects_wait_until_they_are_released_but_choices_are_made() {
    let (mut echo, mut env) = (Echo::default(), Recorder::choosing(&[5]));
    let mut effects = echo.hold(&(), Input::Command(vec![2, 3]), &mut env);
    assert_eq!(env.lines(), ["choose 5 of 9"]);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Choose { .. })));
    effects.reverse();
    effects.push(Effect::Choose { bound: 9, value: 5 });
    for effect in effects {
        echo.release(&(), effect, &mut env);
    }
    let expected =
        ["set Part(()) 3ms", "! 3", "-> 7 Part(3)", "! 2", "-> 7 Part(2)", "cancel Part(())"];
    assert_eq!(env.lines(), expected);
}
