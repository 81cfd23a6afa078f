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

use super::{Move, Space, Watch, Way};
use crate::application::Standing;
use crate::lookup::BROKEN;
use crate::meaning::{Traits, ask};
use crate::report::{Bound, Counterexample};
use crate::seen::{NOBODY, Seen, StateId};
use crate::successors::{Action, Successor, Successors};
use crate::system::{COMES_TO_REST, CONVERGENCE};
use maze::{Door, Maze, NOWHERE, Room, Walk};

impl Space<'_> {
    /// Adds a fair cycle for each promise that one breaks: that nodes come to rest, if they should,
    /// is broken by any; what was promised to happen eventually, by one in which it is open in
    /// every state. A cycle need not be the shortest, which would be an instance of the travelling
    /// salesman problem.
    pub(super) fn fair_cycles(
        &self,
        found: &mut Vec<Counterexample<Way>>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Bound> {
        let mut successors = Successors::new(self.shared);
        let maze = self.maze(&mut successors, watch)?;
        if self.is_wanted(COMES_TO_REST) && !self.world.perpetual {
            let all: Vec<_> = (0..maze.rooms.len()).collect();
            let Some(walk) = maze.fair_walk(&all, watch)? else { return Ok(()) };
            let detail = format!("the last {} can repeat for ever", steps(&walk));
            let broken = Broken { promise: COMES_TO_REST.to_owned(), detail, node: None };
            found.push(self.endless(&maze, &walk, broken, &mut successors)?);
        }
        let mut is_any = false;
        for complaint in 0..maze.complaints.len() {
            let rooms = maze.rooms_with(|room| room.complaint == Some(complaint));
            if let Some(walk) = maze.fair_walk(&rooms, watch)? {
                is_any = true;
                self.complain(&maze, &walk, found, &mut successors)?;
            }
        }
        if !is_any {
            // Now this is open, now that, and something always.
            let rooms = maze.rooms_with(|room| room.complaint.is_some());
            if let Some(walk) = maze.fair_walk(&rooms, watch)? {
                self.complain(&maze, &walk, found, &mut successors)?;
            }
        }
        Ok(())
    }

    /// Adds a cycle that breaks the promise which is open in its first state, if that is wanted and
    /// not known to be broken.
    fn complain(
        &self,
        maze: &Maze,
        walk: &Walk,
        found: &mut Vec<Counterexample<Way>>,
        successors: &mut Successors<'_>,
    ) -> Result<(), Bound> {
        let row = &maze.rooms[walk[0].0].row;
        let illegality = self.illegality(row, successors).map_or(Ok(()), Err);
        let verdict = illegality.and_then(|()| ask(self.shared).at_rest(self.shape.monitor(row)));
        let Err(mut broken) = verdict else { return Ok(()) };
        let is_known = found.iter().any(|other| other.broken.promise == broken.promise);
        if self.is_wanted(&broken.promise) && !is_known {
            let repeat = if walk.len() == 1 { "repeats" } else { "repeat" };
            broken.detail += &format!(", while the last {} {repeat}", steps(walk));
            found.push(self.endless(maze, walk, broken, successors)?);
        }
        Ok(())
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
                if successor.monitor == BROKEN {
                    if left.contains(&id) {
                        doors.push(self.door(&row, NOWHERE, successor, successors));
                    }
                    continue;
                }
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
                let complaint = self.complaint(&row, successors).map(|it| maze.complaint(it));
                let room = Room { id, depth, row, doors, duties, complaint };
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

    pub(super) fn steps(
        &self,
        row: &[u32],
        successors: &mut Successors<'_>,
    ) -> Vec<(Successor, Vec<u32>)> {
        let mut all = Vec::new();
        successors.of(row, self.shape.print(row), &mut |successor| all.push(successor));
        let write = |successor| {
            let mut next = Vec::new();
            successors.write(row, successor, &mut next);
            (successor, next)
        };
        all.into_iter().map(write).collect()
    }

    /// What a state lacks that is not legal, though all nodes are awake and connected.
    fn illegality(&self, row: &[u32], successors: &mut Successors<'_>) -> Option<Broken> {
        if !successors.stabilises || !successors.are_awake(row) || !successors.is_connected(row) {
            return None;
        }
        let (locals, packets) = (self.shape.locals(row), self.shape.packets(row));
        let meaning = ask(self.shared);
        if meaning.converges_by_chance() {
            return None; // Cycles are bad luck.
        }
        let Broken { detail, .. } = meaning.illegality(locals, packets)?;
        Some(Broken { promise: CONVERGENCE.to_owned(), detail, node: None })
    }

    /// The promise that would be broken if nothing more happened, once an application has asked.
    fn complaint(&self, row: &[u32], successors: &mut Successors<'_>) -> Option<String> {
        if self.illegality(row, successors).is_some() {
            return Some(CONVERGENCE.to_owned());
        }
        let locals = self.shape.locals(row).iter();
        let traits = |&local| successors.lookup.traits(self.shared, local);
        if locals.map(traits).all(|traits| traits.standing == Standing::Idle) {
            return None;
        }
        let verdict = ask(self.shared).at_rest(self.shape.monitor(row));
        verdict.err().map(|broken| broken.promise)
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
        mut broken: Broken,
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
        broken.node = broken.node.or(self.only_actor(&moves[way..], successors));
        let schedule = Way { moves, repeats: Some(way), broken: Some(broken.clone()) };
        Ok(Counterexample { broken, schedule, cycle: Some(walk.len()) })
    }

    /// The node that takes all of these steps, if it is one alone.
    fn only_actor(&self, moves: &[Move], successors: &mut Successors<'_>) -> Option<NodeId> {
        let mut actor = |it: &Move| successors.input(&it.row, it.action).map(|(node, ..)| node);
        let first = actor(moves.first()?)?;
        moves.iter().all(|it| actor(it) == Some(first)).then_some(first)
    }
}

/// How long a walk is, in words.
fn steps(walk: &Walk) -> String {
    match walk.len() {
        1 => "step".to_owned(),
        more => format!("{more} steps"),
    }
}

/// The duty of a cut to heal, which does not belong to a node.
const HEAL: u32 = u32::MAX;

/// Roughly how many bytes it takes to know a state by its number, in up to three trees.
const KNOWN: usize = 32;

/// Roughly how many bytes a state takes that waits, beside its row.
const QUEUED: usize = 56;

/// The place of a state that is yet to come.
fn empty() -> Room {
    let (row, doors, duties) = (Vec::new(), Vec::new(), BTreeSet::new());
    Room { id: NOBODY, depth: 0, row, doors, duties, complaint: None }
}
