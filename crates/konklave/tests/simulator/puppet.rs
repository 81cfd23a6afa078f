//! A protocol that does what it is told and tells what it sees, and what is needed to run it.

use std::time::Duration;

use konklave::NodeId;
use konklave::protocol::{self, Broken, Env, Protocol};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};
use konklave_sim::{Options, RunReport, Simulation};
use serde::{Deserialize, Serialize};

/// Something that a puppet does when it is told to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Act {
    /// It sends the number to this node, and what the node is to do about it.
    Send(u32, u32, Vec<Self>),
    /// It starts the timer of this name, which runs so many ticks.
    Set(u8, u64),
    /// It stops the timer of this name.
    Cancel(u8),
    /// It chooses among so many.
    Choose(u32),
    /// It sends the number back to where it came from, and so for ever.
    Bounce,
    /// It fails an assertion.
    Fail,
}

/// A number, and what the receiver is to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Msg {
    pub(super) number: u32,
    pub(super) acts: Vec<Act>,
}

/// What a puppet sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Event {
    Started,
    Got { from: NodeId, number: u32 },
    Rang(u8),
    Chose(u32),
}

/// One puppet. It remembers the numbers it got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Puppet {
    pub(super) got: Vec<u32>,
}

impl Protocol for Puppet {
    type Msg = Msg;
    type Timer = u8;
    type Command = Act;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        env.emit(Event::Started);
    }

    fn on_command(&mut self, command: Act, env: &mut impl Env<Self>) {
        self.act(command, env);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Msg { number, acts } = msg;
        self.got.push(number);
        env.emit(Event::Got { from, number });
        for act in acts {
            match act {
                Act::Bounce => env.send(from, Msg { number, acts: vec![Act::Bounce] }),
                act => self.act(act, env),
            }
        }
    }

    fn on_timer(&mut self, timer: u8, env: &mut impl Env<Self>) {
        env.emit(Event::Rang(timer));
    }
}

impl Puppet {
    fn act(&self, act: Act, env: &mut impl Env<Self>) {
        match act {
            Act::Send(to, number, acts) => env.send(NodeId(to), Msg { number, acts }),
            Act::Set(timer, ticks) => env.set_timer(timer, Duration::from_millis(ticks)),
            Act::Cancel(timer) => env.cancel_timer(timer),
            Act::Choose(bound) => {
                let value = env.choose(bound);
                env.emit(Event::Chose(value));
            }
            Act::Bounce => {} // There is nowhere to send it back to.
            Act::Fail => assert!(self.got.len() > 1_000_000, "the puppet was told to fail"),
        }
    }
}

/// Sends a number, and nothing more is to be done about it.
pub(super) fn send(to: u32, number: u32) -> Act {
    Act::Send(to, number, vec![])
}

/// When, to whom, what.
pub(super) type Order = (u64, u32, Act);

/// Gives orders and writes down what happens.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    orders: Vec<Order>,
    /// Orders that wait until nothing else happens; their time is the pause before them.
    at_rest: Vec<Order>,
    /// How many random numbers it draws, for no purpose.
    draws: u32,
    log: Vec<String>,
}

impl Script {
    pub(super) fn new(orders: &[Order]) -> Self {
        Self { orders: orders.to_vec(), ..Self::default() }
    }

    /// The same, with one more order each time the run comes to rest.
    pub(super) fn then(self, at_rest: &[Order]) -> Self {
        Self { at_rest: at_rest.iter().rev().cloned().collect(), ..self }
    }

    /// The same, after so many random numbers were drawn for no purpose.
    pub(super) fn drawing(self, draws: u32) -> Self {
        Self { draws, ..self }
    }

    fn write(&mut self, time: u64, node: NodeId, what: &str) {
        self.log.push(format!("{time}: {node} {what}"));
    }
}

impl Workload for Script {
    type Command = Act;
    type Event = Event;
    type Report = Vec<String>;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Act>) {
        for _ in 0..self.draws {
            agenda.random().word();
        }
        for (time, node, act) in self.orders.clone() {
            agenda.after(time, NodeId(node), act);
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Act>) {
        let what = match event {
            Event::Started => "starts".to_owned(),
            Event::Got { from, number } => format!("gets {number} from {from}"),
            Event::Rang(timer) => format!("rings {timer}"),
            Event::Chose(value) => format!("chooses {value}"),
        };
        self.write(agenda.now(), node, &what);
    }

    fn on_rest(&mut self, agenda: &mut Agenda<'_, Act>) {
        if let Some((pause, node, act)) = self.at_rest.pop() {
            agenda.after(pause, NodeId(node), act);
        }
    }

    fn on_crash(&mut self, node: NodeId, agenda: &mut Agenda<'_, Act>) {
        self.write(agenda.now(), node, "crashes");
    }

    fn on_restart(&mut self, node: NodeId, agenda: &mut Agenda<'_, Act>) {
        self.write(agenda.now(), node, "is back");
    }

    /// As soon as something was got.
    fn is_done(&self) -> bool {
        self.log.iter().any(|line| line.contains("gets"))
    }

    fn report(&self, _messages: &Messages, _time: u64, _unit: f64) -> Vec<String> {
        self.log.clone()
    }
}

/// The number that nobody may get.
pub(super) const UNLUCKY: u32 = 1313;

/// Minds nothing but the unlucky number and, if asked to, rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Superstition {
    pub(super) minds_rest: bool,
}

impl protocol::Monitor for Superstition {
    type Command = Act;
    type Event = Event;

    fn on_command(&mut self, _node: NodeId, _command: &Act) -> Result<(), Broken> {
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        match event {
            Event::Got { number: UNLUCKY, .. } => Broken::promise("luck", format!("node {node}")),
            _ => Ok(()),
        }
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn at_rest(&self) -> Result<(), Broken> {
        if self.minds_rest { Broken::promise("unrest", "it rests") } else { Ok(()) }
    }
}

/// A system of puppets.
pub(super) type Theatre<'a> = Simulation<'a, Puppet, Script, Superstition>;

pub(super) fn theatre<'a>(options: Options, nodes: u32, script: Script) -> Theatre<'a> {
    let make = |_| Puppet::default();
    Simulation::new(options, nodes, make, script, Superstition::default())
}

/// Runs puppets to the end. The report leaves out what happens at time zero.
pub(super) fn play(options: Options, nodes: u32, orders: &[Order]) -> RunReport<Vec<String>> {
    play_script(options, nodes, Script::new(orders))
}

pub(super) fn play_script(options: Options, nodes: u32, script: Script) -> RunReport<Vec<String>> {
    let mut report =
        theatre(options, nodes, script).run(&mut |_| true).expect("nothing is written");
    report.problem.retain(|line| !line.starts_with("0: "));
    report
}
