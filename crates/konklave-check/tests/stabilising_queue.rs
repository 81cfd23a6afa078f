//! A self-stabilising queue of two processes, with each of the six problems at the beginning, in
//! every schedule: it becomes legal, it stays legal whatever is invoked, and everything returns.

use konklave::NodeId;
use konklave::batched::stabilising::Stabilising;
use konklave::batched::stabilising::problem::Problem;
use konklave::circle::Mixer;
use konklave::object::Places;
use konklave::overlay::place::sorted;
use konklave::overlay::skip_plus::SkipPlus;
use konklave::overlay::{Member, Overlay, Place, Start};
use konklave::queue::skueue::Fifo;
use konklave::queue::{Command, Monitor, Queue, QueueOp};
use konklave_catalog::object::client::User;
use konklave_check::{Options, Pace, System, Verdict, World, explore};

/// Two processes that begin with a problem and invoke these operations, `e` for enqueue and `d` for
/// dequeue: in how many states every promise is kept.
fn stabilises(scripts: [&str; 2], problem: Option<Problem>) -> u64 {
    let mixer = Mixer::new(1);
    let order = sorted(mixer, NodeId::all(2));
    let ideal: Vec<_> = SkipPlus::ideal(mixer, &order).collect();
    let make = |me: NodeId| {
        let place = usize::from(order[1] == me);
        let (held, end) = (ideal[place].clone(), Some(order[1 - place]));
        let start = Start::Knowing { held, end, mail: Vec::new() };
        let member = Member::new(Place::new(me, mixer), start, 0);
        // Nothing is in transit when a process has its turn, so one turn is patience enough.
        let node = Stabilising::<Fifo>::new(member, 1, place == 0);
        match problem {
            Some(problem) => node.beginning_with(problem),
            None => node,
        }
    };
    let mut fresh = 0;
    let users = scripts.map(|script| {
        let mut operation = |letter| match letter {
            'e' => {
                fresh += 1;
                Command::Invoke(QueueOp::Enqueue(fresh))
            }
            _ => Command::Invoke(QueueOp::Dequeue),
        };
        User::<Queue>::new(script.chars().map(&mut operation).collect(), 3)
    });
    let monitor = Monitor::new(Places::OfAll);
    let monitor = if problem.is_some() { monitor.damaged() } else { monitor };
    let world = World { pace: Pace::Patient, perpetual: true, ..World::new() };
    let system = System::new(make, users.to_vec(), monitor, world);
    let report = explore(system, Options { threads: 2, ..Options::default() }, &mut |_| true);
    for found in &report.counterexamples {
        println!("{scripts:?}, {problem:?}: {}", found.broken);
    }
    assert_eq!(report.verdict, Verdict::Exhausted, "{scripts:?}, {problem:?}");
    for name in ["connected", "closure", "convergence", "every operation returns"] {
        let decided = report.properties.iter().find(|it| it.name == name).expect(name);
        assert_eq!(decided.holds, Some(true), "{name}, {scripts:?}, {problem:?}");
    }
    report.unique
}

#[test]
fn a_legal_queue_stays_legal() {
    let scripts = [["", ""], ["e", "d"], ["ed", "d"], ["ed", "de"]];
    let states = scripts.map(|scripts| stabilises(scripts, None));
    assert_eq!(states, [16, 514, 2_688, 9_838]);
}

#[test]
fn it_recovers_from_each_problem() {
    let states = Problem::ALL.map(|problem| stabilises(["", ""], Some(problem)));
    assert_eq!(states, [32_307, 16, 1_325, 128, 5_712, 39_959]);
}

#[test]
fn it_recovers_while_operations_are_invoked() {
    let problems = [Problem::Anchors, Problem::Ends];
    let states = problems.map(|problem| stabilises(["e", "d"], Some(problem)));
    assert_eq!(states, [20_877, 8_184]);
}
