//! The part of the graph in which cycles can be, and fair walks in it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::Watch;
use super::components::components;
use crate::report::Bound;
use crate::seen::StateId;
use crate::successors::Successor;

/// The part of the graph in which cycles can be.
#[derive(Default)]
pub(super) struct Maze {
    pub(super) rooms: Vec<Room>,
    /// The promises that are open in some of them.
    pub(super) complaints: Vec<String>,
    /// How many bytes it takes.
    pub(super) bytes: usize,
}

/// A state.
pub(super) struct Room {
    pub(super) id: StateId,
    /// How many steps lead to it at least.
    pub(super) depth: usize,
    pub(super) row: Vec<u32>,
    pub(super) doors: Vec<Door>,
    /// The numbers of inputs that must eventually happen, even if they are not enabled here.
    pub(super) duties: BTreeSet<u32>,
    /// The place of the promise that would be broken if nothing more happened.
    pub(super) complaint: Option<usize>,
}

/// Where a step leads that breaks a promise: it has to be taken some time, but not on a cycle.
pub(super) const NOWHERE: usize = usize::MAX;

/// A step from one state to another.
pub(super) struct Door {
    pub(super) to: usize,
    pub(super) successor: Successor,
    /// The number of the input, if it must eventually happen.
    pub(super) duty: Option<u32>,
    /// The numbers of timers that are reset.
    pub(super) restarted: Vec<u32>,
}

/// A closed walk: states, and the doors taken there.
pub(super) type Walk = Vec<(usize, usize)>;

impl Room {
    /// Roughly how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let doors = self.doors.iter().map(|door| 2 * size_of::<u32>() * door.restarted.len());
        size_of::<Self>()
            + self.row.capacity() * size_of::<u32>()
            + self.doors.capacity() * size_of::<Door>()
            + doors.sum::<usize>()
            + self.duties.len() * 2 * size_of::<u32>()
    }
}

impl Door {
    /// Whether what has this number is done by this step, or begins anew.
    fn settles(&self, duty: u32) -> bool {
        self.duty == Some(duty) || self.restarted.contains(&duty)
    }
}

impl Maze {
    /// The place of a promise that is open.
    pub(super) fn complaint(&mut self, promise: String) -> usize {
        let known = self.complaints.iter().position(|other| *other == promise);
        known.unwrap_or_else(|| {
            self.complaints.push(promise);
            self.complaints.len() - 1
        })
    }

    /// The states with this trait, in ascending order.
    pub(super) fn rooms_with(&self, is_such: impl Fn(&Room) -> bool) -> Vec<usize> {
        (0..self.rooms.len()).filter(|&room| is_such(&self.rooms[room])).collect()
    }

    /// How many steps it takes to get to a walk and once round it.
    pub(super) fn length(&self, walk: &Walk) -> usize {
        self.rooms[walk[0].0].depth + walk.len()
    }

    /// A fair closed walk through some of these states, in ascending order. Of every component in
    /// which there is one, one is found; this is the shortest of those.
    pub(super) fn fair_walk(
        &self,
        states: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Walk>, Bound> {
        watch.look(self.rooms.len(), self.bytes)?;
        let inside = |state: &usize| -> Vec<usize> {
            let doors = self.rooms[*state].doors.iter();
            doors.filter_map(|door| states.binary_search(&door.to).ok()).collect()
        };
        let edges: Vec<_> = states.iter().map(inside).collect();
        let mut found: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for component in components(&edges) {
            let component: BTreeSet<_> = component.into_iter().map(|it| states[it]).collect();
            found.push((self.entrance(&component), component));
        }
        found.sort_by_key(|(entrance, _)| (self.rooms[*entrance].depth, *entrance));
        let mut best: Option<Walk> = None;
        for (entrance, component) in &found {
            let most = best.as_ref().map_or(usize::MAX, |best| self.length(best));
            if self.rooms[*entrance].depth + 1 >= most {
                break; // No walk from here on can be shorter.
            }
            let walk = self.fair_walk_in(component, *entrance, watch)?;
            best = walk.filter(|walk| self.length(walk) < most).or(best);
        }
        Ok(best)
    }

    /// The state of a component that is the least steps away.
    fn entrance(&self, component: &BTreeSet<usize>) -> usize {
        let nearest = component.iter().min_by_key(|&&state| (self.rooms[state].depth, state));
        *nearest.expect("a component has states")
    }

    /// A fair walk from here through all of a component, or one through part of it.
    fn fair_walk_in(
        &self,
        component: &BTreeSet<usize>,
        start: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Walk>, Bound> {
        watch.look(self.rooms.len(), self.bytes)?;
        let mut walk = Walk::new();
        let mut here = start;
        // Each duty is left behind in a state that is free of it, or settled by a step.
        for &duty in &self.rooms[start].duties {
            let is_free = |state: usize| !self.rooms[state].duties.contains(&duty);
            let settling = |state: usize| {
                let mut doors = self.rooms[state].doors.iter();
                doors.position(|door| component.contains(&door.to) && door.settles(duty))
            };
            let is_done = |&(state, door): &(usize, usize)| {
                is_free(state) || self.rooms[state].doors[door].settles(duty)
            };
            if walk.iter().any(is_done) {
                continue;
            }
            let is_goal = |state| is_free(state) || settling(state).is_some();
            if let Some((way, goal)) = self.shortest(here, component, is_goal) {
                walk.extend(way);
                here = goal;
                if let Some(door) = settling(goal).filter(|_| !is_free(goal)) {
                    walk.push((goal, door));
                    here = self.rooms[goal].doors[door].to;
                }
                continue;
            }
            let is_moment =
                |state: usize| self.rooms[state].doors.iter().any(|it| it.duty == Some(duty));
            if component.iter().any(|&state| is_moment(state)) {
                // A walk that leaves this undone must avoid every moment at which it can happen.
                let rest: Vec<_> =
                    component.iter().copied().filter(|&state| !is_moment(state)).collect();
                return self.fair_walk(&rest, watch);
            }
        }
        let back = match walk.is_empty() {
            true => self.round(start, component),
            false => self.shortest(here, component, |state| state == start).map(|(way, _)| way),
        };
        walk.extend(back.expect("every state of a component can be reached from every other"));
        Ok(Some(walk))
    }

    /// The shortest walk from a state of a component back to it.
    fn round(&self, start: usize, component: &BTreeSet<usize>) -> Option<Walk> {
        let doors = self.rooms[start].doors.iter().enumerate();
        let inner = doors.filter(|(_, door)| component.contains(&door.to));
        let rounds = inner.filter_map(|(number, door)| {
            let (way, _) = self.shortest(door.to, component, |state| state == start)?;
            Some([vec![(start, number)], way].concat())
        });
        rounds.min_by_key(Vec::len)
    }

    /// The shortest way from a state of a component to a goal in it, and which that is.
    fn shortest(
        &self,
        from: usize,
        component: &BTreeSet<usize>,
        is_goal: impl Fn(usize) -> bool,
    ) -> Option<(Walk, usize)> {
        let mut before: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            if is_goal(state) {
                let back = |step: &(usize, usize)| before.get(&step.0).copied();
                let way = std::iter::successors(before.get(&state).copied(), back);
                let mut way: Walk = way.collect();
                way.reverse();
                return Some((way, state));
            }
            for (door, it) in self.rooms[state].doors.iter().enumerate() {
                if component.contains(&it.to) && it.to != from && !before.contains_key(&it.to) {
                    before.insert(it.to, (state, door));
                    queue.push_back(it.to);
                }
            }
        }
        None
    }
}
