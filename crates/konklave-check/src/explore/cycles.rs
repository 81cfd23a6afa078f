//! Infinite schedules. A cycle is a failure if it is weakly fair: if every input that is enabled
//! throughout the cycle happens in it. Then a fair run can repeat it for ever.
//!
//! Unless the search is hasty, a timer cannot expire while messages are in transit. But if it is
//! pending throughout the cycle, is never reset, and could expire in some state, then it does.

mod components;
mod maze;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use konklave::NodeId;
use konklave::protocol::Broken;
use konklave_stage::Status;

use super::path::{COMES_TO_REST, Way};
use super::{Space, Watch};
use crate::application::Standing;
use crate::lookup::BROKEN;
use crate::meaning::{Traits, ask};
use crate::report::{Bound, Counterexample};
use crate::seen::{NOBODY, Seen, StateId};
use crate::successors::{Action, Successor, Successors};
use maze::{Door, Maze, Room, Walk};

impl Space<'_> {
    /// A fair cycle, if there is one: in which a node waits, if nodes never rest, and else any.
    /// It need not be the shortest, which would be an instance of the travelling salesman problem.
    pub(super) fn fair_cycle(
        &self,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Counterexample<Way>>, Bound> {
        let mut successors = Successors::new(self.shared);
        let maze = self.maze(&mut successors, watch)?;
        let all: Vec<_> = (0..maze.rooms.len()).collect();
        if !self.world.perpetual {
            let Some(walk) = maze.fair_walk(&all, watch)? else { return Ok(None) };
            let detail = format!("the last {} steps can repeat for ever", walk.len());
            return self.endless(&maze, &walk, COMES_TO_REST, detail, &mut successors).map(Some);
        }
        let mut best: Option<(usize, Walk)> = None;
        for node in 0..self.shape.nodes {
            let waits = |room: &usize| maze.rooms[*room].waiting >> node & 1 == 1;
            let waiting: Vec<_> = all.iter().copied().filter(waits).collect();
            if let Some(walk) = maze.fair_walk(&waiting, watch)? {
                let is_shorter = |(_, best): &(usize, Walk)| maze.length(&walk) < maze.length(best);
                if best.as_ref().is_none_or(is_shorter) {
                    best = Some((node, walk));
                }
            }
        }
        let Some((node, walk)) = best else { return Ok(None) };
        let steps = walk.len();
        let detail = format!("node {node} waits while the last {steps} steps repeat for ever");
        self.endless(&maze, &walk, "no starvation", detail, &mut successors).map(Some)
    }

    /// The states that were not retraced, and the steps between them.
    fn maze(&self, successors: &mut Successors<'_>, watch: &mut Watch<'_>) -> Result<Maze, Bound> {
        let left: BTreeSet<StateId> = (0..Seen::SHARDS)
            .flat_map(|it| self.seen.shard(it).left().collect::<Vec<_>>())
            .collect();
        let mut maze = Maze::default();
        let mut places: BTreeMap<StateId, usize> = BTreeMap::new();
        let print = self.shape.print(&self.first);
        let first = self.seen.find(print, &self.first).ok_or(Bound::Collision)?;
        let mut known = BTreeSet::from([first]);
        let mut queue = VecDeque::from([(first, 0, self.first.clone())]);
        while let Some((id, depth, row)) = queue.pop_front() {
            let waiting = queue.len() * (size_of_val(&row[..]) + QUEUED);
            watch.look(known.len() - queue.len(), maze.bytes + waiting + known.len() * KNOWN)?;
            let mut doors = Vec::new();
            for (successor, next) in self.steps(&row, successors) {
                let to = self.seen.find(successor.print, &next).ok_or(Bound::Collision)?;
                if known.insert(to) {
                    queue.push_back((to, depth + 1, next));
                }
                if left.contains(&id) && left.contains(&to) {
                    let fresh = places.len();
                    let to = *places.entry(to).or_insert(fresh);
                    doors.push(self.door(&row, to, successor, successors));
                }
            }
            if left.contains(&id) {
                let fresh = places.len();
                let place = *places.entry(id).or_insert(fresh);
                let mut duties = self.pending(&row, successors);
                duties.extend(doors.iter().filter_map(|door| door.duty));
                let waiting = self.waiting(&row, successors);
                let room = Room { id, depth, row, doors, duties, waiting };
                maze.bytes += room.bytes();
                if maze.rooms.len() <= place {
                    maze.rooms.resize_with(place + 1, empty);
                }
                maze.rooms[place] = room;
            }
        }
        watch.look_now(known.len(), maze.bytes + known.len() * KNOWN)?;
        Ok(maze)
    }

    fn steps(&self, row: &[u32], successors: &mut Successors<'_>) -> Vec<(Successor, Vec<u32>)> {
        let mut all = Vec::new();
        successors.of(row, self.shape.print(row), &mut |successor| all.push(successor));
        all.retain(|successor| successor.monitor != BROKEN);
        let write = |successor| {
            let mut next = Vec::new();
            successors.write(row, successor, &mut next);
            (successor, next)
        };
        all.into_iter().map(write).collect()
    }

    /// The nodes that wait, a bit for each.
    fn waiting(&self, row: &[u32], successors: &mut Successors<'_>) -> u64 {
        let locals = self.shape.locals(row).iter().enumerate();
        let bit = |(node, &local)| {
            let standing = successors.lookup.traits(self.shared, local).standing;
            u64::from(standing == Standing::Waiting) << node
        };
        locals.map(bit).sum()
    }

    fn door(
        &self,
        row: &[u32],
        to: usize,
        successor: Successor,
        successors: &mut Successors<'_>,
    ) -> Door {
        let Some((node, local, code)) = successors.input(row, successor.action) else {
            let duty = self.duty_of_network(row, successor.action);
            return Door { to, successor, duty, restarted: Vec::new() };
        };
        let reaction = successors.reaction(row, successor);
        let mut meaning = ask(self.shared);
        let duty = meaning.duty(node, local, code);
        Door { to, successor, duty, restarted: meaning.restarted(node, local, code, reaction) }
    }

    /// A message that reaches a node that is away has arrived, and every cut heals.
    fn duty_of_network(&self, row: &[u32], action: Action) -> Option<u32> {
        match action {
            Action::Miss { place } => {
                let packet = self.shape.packets(row)[usize::from(place)];
                let node = self.shape.codes.receiver(packet);
                ask(self.shared).duty(node, row[node.index()], packet)
            }
            Action::Heal => Some(HEAL),
            _ => None,
        }
    }

    /// The timers, notices and returns that wait for their moment.
    fn pending(&self, row: &[u32], successors: &mut Successors<'_>) -> BTreeSet<u32> {
        let mut duties = BTreeSet::new();
        for (node, &local) in NodeId::all(self.shape.nodes as u32).zip(self.shape.locals(row)) {
            let Traits { status, free, notices, timers, turns, .. } =
                successors.lookup.traits(self.shared, local);
            let all = free + notices + timers + turns;
            let codes = (free..all).map(|it| self.shape.codes.own(node, it));
            duties.extend(codes.filter_map(|code| ask(self.shared).duty(node, local, code)));
            if status == Status::Away {
                let returns = Action::Return { node: node.0 as u16 };
                let start = successors.input(row, returns);
                let duty = |(node, local, code)| ask(self.shared).duty(node, local, code);
                duties.extend(start.and_then(duty));
            }
        }
        duties
    }

    /// The way to a cycle and once round it, as a counterexample.
    fn endless(
        &self,
        maze: &Maze,
        walk: &Walk,
        promise: &str,
        detail: String,
        successors: &mut Successors<'_>,
    ) -> Result<Counterexample<Way>, Bound> {
        let first = &maze.rooms[walk[0].0];
        let (mut moves, mut row) = self.way_to(first.id, successors)?;
        let way = moves.len();
        for &(state, door) in walk {
            let room = &maze.rooms[state];
            if room.row != row {
                return Err(Bound::Collision);
            }
            let successor = room.doors[door].successor;
            moves.push(successors.a_move(room.row.clone(), successor));
            successors.write(&room.row, successor, &mut row);
        }
        if first.row != row {
            return Err(Bound::Collision);
        }
        let broken = Broken { promise: promise.to_owned(), detail, node: None };
        let schedule = Way { moves, repeats: Some(way), broken: Some(broken.clone()) };
        Ok(Counterexample { broken, schedule, cycle: Some(walk.len()) })
    }
}

/// The duty of a cut to heal, which is no node's.
const HEAL: u32 = u32::MAX;

/// Roughly how many bytes it takes to know a state by its number, in up to three trees.
const KNOWN: usize = 32;

/// Roughly how many bytes a state takes that waits, beside its row.
const QUEUED: usize = 56;

/// The place of a state that is yet to come.
fn empty() -> Room {
    let (row, doors, duties) = (Vec::new(), Vec::new(), BTreeSet::new());
    Room { id: NOBODY, depth: 0, row, doors, duties, waiting: 0 }
}
