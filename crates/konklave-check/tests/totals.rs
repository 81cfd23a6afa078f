//! The least and the most messages over all schedules, against numbers that were found elsewhere.

use konklave::NodeId;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;
use konklave_check::application::Visitor;
use konklave_check::{Options, Report, Schedule, System, Verdict, World, explore};

fn check<P>(budgets: &[u32], world: World, make: impl Fn(NodeId) -> P) -> Report<Schedule<P>>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let visitors = budgets.iter().copied().map(Visitor::new).collect();
    let monitor = Monitor::new(budgets.len() as u32);
    explore(System::new(make, visitors, monitor, world), Options::default(), &mut |_| true)
}

#[test]
fn first() {
    let world = World::new().fifo();
    let report = check(&[1, 1, 1], world, |me| RicartAgrawala::new(me, 3));
    println!("{report:#?}");
    assert_eq!(report.verdict, Verdict::Exhausted);
    let report = check(&[2, 2, 2], world, |me| RicartAgrawala::new(me, 3));
    println!("{report:#?}");
    let report = check(&[1, 1, 1], world, |me| RicartAgrawalaToken::new(me, 3));
    println!("{report:#?}");
    let report = check(&[2, 2, 2], world, |me| SuzukiKasami::new(me, 3));
    println!("{report:#?}");
}
