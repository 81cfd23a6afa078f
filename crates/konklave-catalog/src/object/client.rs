//! The application of one process in a search.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::object::{Command, Event, Object};
use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};

use super::options::{CLIENTS, LEAVES, OPS, Ops};
use super::{Service, Shared};
use crate::budget::budgets;
use crate::refusal::Refusal;
use crate::site::Site;

/// Follows a script. Operations may overlap, up to a window; a join or leave begins when all that
/// was invoked before has returned, and what follows waits for its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct User<O: Object> {
    script: VecDeque<Command<O::Op>>,
    window: u32,
    outstanding: u32,
    /// Whether it waits to join or leave.
    is_changing: bool,
    standing: Standing,
}

impl<O: Object> User<O> {
    /// A process that does this, with up to this many outstanding operations.
    pub fn new(script: Vec<Command<O::Op>>, window: u32) -> Self {
        let (script, standing) = (script.into(), Standing::Idle);
        Self { script, window, outstanding: 0, is_changing: false, standing }
    }
}

impl<O: Object> Application for User<O> {
    type Command = Command<O::Op>;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Self::Command> {
        let room = match self.script.front() {
            _ if self.is_changing => 0,
            Some(Command::Invoke(_)) => self.window,
            Some(Command::Join { .. } | Command::Leave) => 1,
            None => 0,
        };
        let next = self.script.front().filter(|_| self.outstanding < room);
        next.copied().into_iter().collect()
    }

    fn on_command(&mut self, command: &Self::Command) {
        self.script.pop_front();
        match command {
            Command::Invoke(_) => self.outstanding += 1,
            Command::Join { .. } | Command::Leave => self.is_changing = true,
        }
        self.standing = Standing::Waiting;
    }

    fn on_event(&mut self, event: &Event) {
        match event {
            Event::Returned { .. } => self.outstanding = self.outstanding.saturating_sub(1),
            Event::Joined | Event::Left => self.is_changing = false,
        }
        if self.outstanding == 0 && !self.is_changing {
            self.standing = Standing::Served;
        }
    }

    fn revive(&mut self) {
        self.outstanding = 0;
        self.is_changing = false;
        self.standing = Standing::Idle;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Self::Command)]) -> Vec<Self> {
        let script = |node| of_node(node, commands).copied().collect();
        NodeId::all(nodes).map(|node| Self::new(script(node), u32::MAX)).collect()
    }

    fn renamed(
        command: &Self::Command,
        place: &dyn Fn(NodeId) -> Option<NodeId>,
    ) -> Option<Self::Command> {
        match *command {
            Command::Join { contact } => place(contact).map(|contact| Command::Join { contact }),
            command => Some(command),
        }
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}

type Scripts<S> = Vec<Vec<Command<<<S as Service>::Object as Object>::Op>>>;

/// What each node does in a search: --ops or --budget, joins and leaves.
pub(super) fn scripts<S: Service>(
    shared: &Shared<S>,
    site: &Site,
    mix: Vec<char>,
    budget: Option<&[u32]>,
) -> Result<Scripts<S>, Refusal> {
    let members: Vec<NodeId> = shared.members(site).collect();
    let clients = site.get::<u32>(&CLIENTS).unwrap_or(members.len() as u32) as usize;
    let leaves = site.get::<u32>(&LEAVES).unwrap_or(0) as usize;
    let steps = steps(site, members.len(), clients, &mix, budget)?;
    let mut fresh = 0;
    let among = S::keys(site);
    let mut operation = |&(letter, key): &(char, u64)| {
        fresh += 1;
        if let Some(among) = among.as_ref().filter(|among| key > 0 && !among.contains(&key)) {
            return Err(Refusal::new(format!(
                "--ops: {letter}{key} has {what} {key}, but here it is {} to {}",
                among.start(),
                among.end(),
                what = S::KEY
            )));
        }
        let unknown = || Refusal::new(format!("--ops: '{letter}' is not an operation here"));
        S::operation(letter, key, fresh).map(Command::Invoke).ok_or_else(unknown)
    };
    let mut scripts = vec![Vec::new(); site.nodes() as usize];
    for (node, steps) in members.iter().zip(&steps) {
        scripts[node.index()] = steps.iter().map(&mut operation).collect::<Result<_, _>>()?;
    }
    for node in shared.joiners(site) {
        scripts[node as usize].push(Command::Join { contact: members[0] });
    }
    // The last members leave; if these are too few, so do processes that have joined.
    let all = members.iter().copied().chain(shared.joiners(site).map(NodeId));
    let mut leavers: Vec<_> = all.collect();
    leavers[..members.len()].reverse();
    for node in leavers.into_iter().take(leaves) {
        scripts[node.index()].push(Command::Leave);
    }
    match budget {
        None => Ok(scripts),
        Some(budget) => {
            let cut = scripts.into_iter().zip(budget);
            Ok(cut
                .map(|(mut script, most)| {
                    script.truncate(*most as usize);
                    script
                })
                .collect())
        }
    }
}

/// The letters of each member.
fn steps(
    site: &Site,
    members: usize,
    clients: usize,
    mix: &[char],
    budget: Option<&[u32]>,
) -> Result<Vec<Vec<(char, u64)>>, Refusal> {
    let cycle = |count: u32| mix.iter().cycle().take(count as usize).map(|it| (*it, 0)).collect();
    let ops = site.value(&OPS);
    if budget.is_some() && !matches!(ops, Ops::Script(_)) {
        let budgets = budgets(site, budget, |_| 0)?;
        let servers = budgets.len() - members - site.value::<usize>(&super::JOINS);
        return Ok(budgets.into_iter().skip(servers).take(members).map(cycle).collect());
    }
    match ops {
        Ops::Count(count) => Ok(vec![cycle(count); clients.min(members)]),
        Ops::Script(script) if script.len() <= members => Ok(script),
        Ops::Script(script) => Err(Refusal::new(format!(
            "--ops has a script for {} clients, but there are {members} members: raise --nodes",
            script.len()
        ))),
    }
}
