//! Schedules without an end. A cycle is a defect if it is fair: if everything that can happen all
//! the time in it does happen in it. Then nothing outside of the nodes' control keeps a run from
//! going round for ever.
//!
//! In a patient world, a timer cannot run out while messages are in transit. But if it is pending
//! all the time and never begins anew, and there are moments when it could run out, then it does.

mod components;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use konklave::NodeId;
use konklave::protocol::Broken;

use super::Space;
use super::path::{COMES_TO_REST, Way};
use crate::application::Standing;
use crate::lookup::BROKEN;
use crate::meaning::{Traits, ask};
use crate::report::Counterexample;
use crate::seen::{NOBODY, Seen, StateId};
use crate::successors::{Successor, Successors};

/// The part of the graph in which cycles can be.
struct Maze {
    states: Vec<Room>,
}

/// A state.
struct Room {
    id: StateId,
    row: Vec<u32>,
    doors: Vec<Door>,
    /// The numbers of what has to happen at last, even if it cannot at this moment.
    duties: BTreeSet<u32>,
    waiting: Vec<bool>,
}

/// A step from one state to another.
struct Door {
    to: usize,
    successor: Successor,
    /// The number of what has to happen at last, if this is it.
    duty: Option<u32>,
    /// The numbers of timers that begin anew.
    restarted: Vec<u32>,
}

impl Space<'_> {
    /// A fair cycle, if there is one: in which somebody waits, if nodes never rest, and else any.
    pub(super) fn fair_cycle(&self) -> Option<Counterexample<Way>> {
        let mut successors = Successors::new(self.shared);
        let maze = self.maze(&mut successors);
        if !self.world.perpetual {
            let all = vec![true; maze.states.len()];
            let walk = maze.fair_walk(&all)?;
            let detail = |steps| format!("the last {steps} steps can repeat for ever");
            return Some(self.endless(&maze, &walk, COMES_TO_REST, &detail, &mut successors));
        }
        (0..self.shape.nodes).find_map(|node| {
            let waits: Vec<_> = maze.states.iter().map(|room| room.waiting[node]).collect();
            let walk = maze.fair_walk(&waits)?;
            let detail =
                |steps| format!("node {node} waits while the last {steps} steps repeat for ever");
            Some(self.endless(&maze, &walk, "no starvation", &detail, &mut successors))
        })
    }

    /// The states that were not retraced, and the steps between them.
    fn maze(&self, successors: &mut Successors<'_>) -> Maze {
        let left: Vec<_> = (0..Seen::SHARDS)
            .flat_map(|it| self.seen.shard(it).left().collect::<Vec<_>>())
            .collect();
        let left: BTreeSet<StateId> = left.into_iter().collect();
        let mut maze = Maze { states: Vec::new() };
        let mut places: BTreeMap<StateId, usize> = BTreeMap::new();
        let print = self.shape.print(&self.first);
        let first = self.seen.find(print, &self.first).expect("the first state was seen");
        let mut known = BTreeSet::from([first]);
        let mut queue = VecDeque::from([(first, self.first.clone())]);
        while let Some((id, row)) = queue.pop_front() {
            let mut doors = Vec::new();
            for (successor, next) in self.steps(&row, successors) {
                let to = self.seen.find(successor.print, &next).expect("all states were seen");
                if known.insert(to) {
                    queue.push_back((to, next));
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
                let room = Room { id, row, doors, duties, waiting };
                if maze.states.len() <= place {
                    maze.states.resize_with(place + 1, Room::empty);
                }
                maze.states[place] = room;
            }
        }
        maze
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

    fn waiting(&self, row: &[u32], successors: &mut Successors<'_>) -> Vec<bool> {
        let locals = self.shape.locals(row).iter();
        let standing = |&local| successors.lookup.traits(self.shared, local).standing;
        locals.map(standing).map(|standing| standing == Standing::Waiting).collect()
    }

    fn door(
        &self,
        row: &[u32],
        to: usize,
        successor: Successor,
        successors: &mut Successors<'_>,
    ) -> Door {
        let Some((node, code)) = successors.input(row, successor.action) else {
            return Door { to, successor, duty: None, restarted: Vec::new() };
        };
        let local = row[node.index()];
        let reaction = successors.reaction(row, successor);
        let mut meaning = ask(self.shared);
        let duty = meaning.duty(node, local, code);
        Door { to, successor, duty, restarted: meaning.restarted(node, local, code, reaction) }
    }

    /// The timers and notices that wait for their moment.
    fn pending(&self, row: &[u32], successors: &mut Successors<'_>) -> BTreeSet<u32> {
        let mut duties = BTreeSet::new();
        for (node, &local) in NodeId::all(self.shape.nodes as u32).zip(self.shape.locals(row)) {
            let Traits { free, notices, timers, .. } = successors.lookup.traits(self.shared, local);
            let codes = (free..free + notices + timers).map(|it| self.shape.codes.own(node, it));
            duties.extend(codes.filter_map(|code| ask(self.shared).duty(node, local, code)));
        }
        duties
    }

    /// The way to a cycle and once round it, as a counterexample.
    fn endless(
        &self,
        maze: &Maze,
        walk: &[(usize, usize)],
        promise: &str,
        detail: &dyn Fn(usize) -> String,
        successors: &mut Successors<'_>,
    ) -> Counterexample<Way> {
        let (mut moves, _) = self.way_to(maze.states[walk[0].0].id, successors);
        let way = moves.len();
        moves.extend(walk.iter().map(|&(state, door)| {
            let room = &maze.states[state];
            successors.a_move(room.row.clone(), room.doors[door].successor)
        }));
        let broken = Broken { promise: promise.to_owned(), detail: detail(walk.len()) };
        let schedule = Way { moves, repeats: Some(way), broken: Some(broken.clone()) };
        Counterexample { broken, schedule, cycle: Some(walk.len()) }
    }
}

impl Room {
    fn empty() -> Self {
        Self {
            id: NOBODY,
            row: Vec::new(),
            doors: Vec::new(),
            duties: BTreeSet::new(),
            waiting: Vec::new(),
        }
    }
}

impl Maze {
    /// A closed walk through allowed states that is fair, as states and the doors taken.
    fn fair_walk(&self, allowed: &[bool]) -> Option<Vec<(usize, usize)>> {
        let doors = |(state, room): (usize, &Room)| -> Vec<usize> {
            let doors = room.doors.iter().map(|door| door.to);
            doors.filter(|&to| allowed[state] && allowed[to]).collect()
        };
        let edges: Vec<_> = self.states.iter().enumerate().map(doors).collect();
        let found = components::components(&edges);
        found.iter().find_map(|component| self.fair_walk_in(component))
    }

    /// A fair walk through all of a component, or through part of it.
    fn fair_walk_in(&self, component: &BTreeSet<usize>) -> Option<Vec<(usize, usize)>> {
        let inner = |state: usize| {
            let doors = self.states[state].doors.iter().enumerate();
            doors.filter(|(_, door)| component.contains(&door.to))
        };
        let start = *component.first()?;
        component.iter().find(|&&state| inner(state).next().is_some())?;
        // For each duty: a state that is free of it, or a step that fulfils it or puts it off.
        let mut stops = Vec::new();
        for &duty in &self.states[start].duties {
            let has_duty = |state: usize| self.states[state].duties.contains(&duty);
            if let Some(&free) = component.iter().find(|&&state| !has_duty(state)) {
                stops.push((free, None));
                continue;
            }
            let settles = |door: &Door| door.duty == Some(duty) || door.restarted.contains(&duty);
            let done = component.iter().find_map(|&state| {
                let door = inner(state).find(|(_, door)| settles(door))?.0;
                Some((state, Some(door)))
            });
            if let Some(done) = done {
                stops.push(done);
                continue;
            }
            let is_moment =
                |state: usize| self.states[state].doors.iter().any(|it| it.duty == Some(duty));
            if component.iter().any(|&state| is_moment(state)) {
                // A walk that leaves this undone must avoid every moment at which it can happen.
                let mut allowed = vec![false; self.states.len()];
                for &state in component {
                    allowed[state] = !is_moment(state);
                }
                return self.fair_walk(&allowed);
            }
        }
        let mut walk: Vec<(usize, usize)> = Vec::new();
        let mut here = start;
        for (state, door) in stops {
            let is_done =
                |step: &(usize, usize)| step.0 == state && door.is_none_or(|door| door == step.1);
            if walk.iter().any(is_done) || (door.is_none() && here == state) {
                continue;
            }
            walk.extend(self.shortest(here, state, component));
            here = state;
            if let Some(door) = door {
                walk.push((state, door));
                here = self.states[state].doors[door].to;
            }
        }
        if walk.is_empty() {
            let (door, it) = inner(start).next().expect("a component has steps");
            walk.push((start, door));
            here = it.to;
        }
        walk.extend(self.shortest(here, start, component));
        Some(walk)
    }

    /// The shortest way between two states of a component.
    fn shortest(&self, from: usize, to: usize, component: &BTreeSet<usize>) -> Vec<(usize, usize)> {
        let mut before: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            if state == to {
                break;
            }
            for (door, it) in self.states[state].doors.iter().enumerate() {
                if component.contains(&it.to) && it.to != from && !before.contains_key(&it.to) {
                    before.insert(it.to, (state, door));
                    queue.push_back(it.to);
                }
            }
        }
        let back = |step: &(usize, usize)| before.get(&step.0).copied();
        let mut way: Vec<_> = std::iter::successors(before.get(&to).copied(), back).collect();
        if from == to {
            way.clear();
        }
        way.reverse();
        way
    }
}
