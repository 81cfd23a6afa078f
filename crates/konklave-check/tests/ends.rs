//! What is judged as the end of a schedule: an application need not ask, even if it may.

use konklave::NodeId;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::{Env, Never, Protocol};
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{Options, System, Verdict, World, explore};

/// Node 0 is let in only after node 1 has left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AfterYou {
    me: NodeId,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Barred,
    Waiting,
    Free,
}

impl Protocol for AfterYou {
    type Msg = ();
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.me, self.state) {
            (Command::Acquire, NodeId(0), State::Barred) => self.state = State::Waiting,
            (Command::Acquire, ..) => env.emit(Event::Granted),
            (Command::Release, NodeId(0), _) => {}
            (Command::Release, ..) => env.send(NodeId(0), ()),
        }
    }

    fn on_message(&mut self, _from: NodeId, (): (), env: &mut impl Env<Self>) {
        if self.state == State::Waiting {
            env.emit(Event::Granted);
        }
        self.state = State::Free;
    }
}

#[test]
fn nobody_may_wait_for_another_to_ask() {
    for entries in [0, 1] {
        let visitors = [1, entries].map(Visitor::new).to_vec();
        let make = |me| AfterYou { me, state: State::Barred };
        let system = System::new(make, visitors, Monitor::new(2), World::new());
        let report = explore(system, Options::default(), &mut |_| true);
        assert_eq!(report.verdict, Verdict::Violated, "node 1 may enter {entries} times");
        let found = report.counterexample().expect("a violation has a schedule");
        assert_eq!(found.broken.promise, "no starvation");
        // The start of both nodes, the request of node 0, and the end.
        assert_eq!(found.schedule.len(), 4, "{:?}", found.schedule);
    }
}
