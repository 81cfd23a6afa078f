//! The explorer finds every specimen in its smallest system, and nothing wrong with the right
//! algorithm there.

use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::{Input, Monitor, Protocol};
use konklave::trace::Line;
use konklave::NodeId;
use konklave_check::application::{Application, Visitor, Voter};
use konklave_check::{Faults, Options, Order, Pace, Report, System, World, explore};
use konklave_specimens::{Flaw, Flawed, Ground, Setting, Visit, all, visit};

struct Found { verdict: konklave_check::Verdict, broken: Option<(String,String)>, steps: usize, unique: u64, cycle: Option<usize>, text: Vec<String>, seconds: f64 }

struct Explore<'a> { setting: Setting, ground: &'a Ground, right: bool }

fn world(setting: &Setting) -> World {
    World {
        order: if setting.fifo { Order::Fifo } else { Order::Any },
        pace: Pace::Free,
        perpetual: setting.perpetual,
        faults: Faults { losses: 0, duplicates: setting.duplicates, crashes: setting.crashes },
    }
}

fn run<P, A, M>(setting: &Setting, make: impl Fn(NodeId) -> P, apps: Vec<A>, monitor: M) -> Found
where P: Protocol, A: Application<Command=P::Command, Event=P::Event>, M: Monitor<Command=P::Command, Event=P::Event> {
    let report = explore(System::new(make, apps, monitor, world(setting)), Options { limits: konklave_check::Limits { states: Some(3_000_000), ..Default::default() }, ..Options::default() }, &mut |_| true);
    let Report { verdict, counterexample, unique, seconds, .. } = report;
    let (mut broken, mut steps, mut cycle, mut text) = (None, 0, None, vec![]);
    if let Some(c) = counterexample {
        broken = Some((c.broken.promise, c.broken.detail));
        cycle = c.cycle;
        steps = c.schedule.iter().filter(|l| match l { Line::Step(s) => s.input != Input::Start, Line::Fault{..} => true, _ => false }).count();
        text = c.schedule.iter().map(|l| match l { Line::Step(s) => format!("{} {:?} => {:?}", s.node, s.input, s.effects.iter().map(|e| e.to_string()).collect::<Vec<_>>()), other => format!("{other:?}") }).collect();
    }
    Found { verdict, broken, steps, unique, cycle, text, seconds }
}

impl Visit for Explore<'_> {
    type Out = Found;
    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Found
    where P: Protocol<Command = mutex::Command, Event = mutex::Event>, F: Flaw<P> {
        let apps = self.setting.budget.iter().copied().map(Visitor::new).collect();
        let monitor = mutex::Monitor::new(self.setting.nodes());
        if self.right { run(&self.setting, right, apps, monitor) } else { run(&self.setting, |me| Flawed::new(right(me), flaw(me)), apps, monitor) }
    }
    fn election<P, F>(self, winner: Winner, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Found
    where P: Protocol<Command = election::Command, Event = election::Event>, F: Flaw<P> {
        let apps = self.setting.budget.iter().copied().map(Voter::new).collect();
        let monitor = election::Monitor::new(self.ground.ids().to_vec(), winner);
        if self.right { run(&self.setting, right, apps, monitor) } else { run(&self.setting, |me| Flawed::new(right(me), flaw(me)), apps, monitor) }
    }
}

#[test]
fn discover() {
    std::panic::set_hook(Box::new(|_| {}));
    let only = std::env::var("ONLY").unwrap_or_default();
    for specimen in all().filter(|s| s.name.contains(&only)) {
        if !matches!(specimen.found_by, konklave_specimens::Tool::Check) && only.is_empty() { continue; }
        let ground = specimen.setting.ground();
        let f = visit(specimen.name, &ground, Explore { setting: specimen.setting, ground: &ground, right: false }).unwrap();
        println!("{}: {:?} {:?} steps {} cycle {:?} states {} {:.2}s  EXPECTED {}", specimen.name, f.verdict, f.broken, f.steps, f.cycle, f.unique, f.seconds, specimen.promise);
        if !only.is_empty() { for l in &f.text { println!("    {l}"); } }
        if !specimen.is_forbidden_setting {
            let f = visit(specimen.name, &ground, Explore { setting: specimen.setting, ground: &ground, right: true }).unwrap();
            println!("      right: {:?} {:?} states {} {:.2}s", f.verdict, f.broken, f.unique, f.seconds);
        }
    }
}
