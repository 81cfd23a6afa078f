//! Whether one order explains the operations on several objects. Each object may have an order of
//! its own without one for all, unless linearizability decides.

use std::collections::{HashMap, HashSet};

use super::case::{obstacle_in_words, shown};
use super::lanes::Ties;
use super::report::{Explanation, Shown};
use super::{
    Answer, Consistency, History, Nature, Object, Obstacle, Operation, SearchedOrder, Stuck,
};

/// The operations on one of the objects. Its states have numbers, the first one zero, so that a
/// search over several objects need not know what they are.
pub(super) trait Part {
    /// The operations without what they ask for.
    fn times(&self) -> Vec<Operation<()>>;

    fn nature(&self, index: usize) -> Nature;

    /// Carries an operation out: the next state, or the right answer.
    fn step(&mut self, state: u32, index: usize, answer: Answer) -> Result<u32, Answer>;

    fn shown(&self, index: usize) -> Shown;
}

pub(super) struct Numbered<O: Object> {
    history: History<O>,
    states: Vec<O>,
    numbers: HashMap<O, u32>,
}

impl<O: Object> Numbered<O> {
    pub(super) fn new(history: History<O>) -> Self {
        let numbers = HashMap::from([(O::default(), 0)]);
        Self { history, states: vec![O::default()], numbers }
    }
}

impl<O: Object> Part for Numbered<O> {
    fn times(&self) -> Vec<Operation<()>> {
        let without = |operation: &Operation<O::Op>| {
            let Operation { process, seq, result, invoked, returned, .. } = *operation;
            Operation { process, seq, op: (), result, invoked, returned, witness: None }
        };
        self.history.operations().iter().map(without).collect()
    }

    fn nature(&self, index: usize) -> Nature {
        O::nature(self.history.operations()[index].op)
    }

    fn step(&mut self, state: u32, index: usize, answer: Answer) -> Result<u32, Answer> {
        let mut object = self.states[state as usize].clone();
        object.accept(self.history.operations()[index].op, answer)?;
        if let Some(&number) = self.numbers.get(&object) {
            return Ok(number);
        }
        let number = self.states.len() as u32;
        self.states.push(object.clone());
        self.numbers.insert(object, number);
        Ok(number)
    }

    fn shown(&self, index: usize) -> Shown {
        shown(&self.history, index)
    }
}

/// The operations on all objects.
pub(super) struct Joint {
    names: Vec<String>,
    parts: Vec<Box<dyn Part>>,
    /// All operations, and of each the object and its place there.
    operations: Vec<Operation<()>>,
    places: Vec<(usize, usize)>,
}

/// What is known where nothing but these operations is done.
struct Frontier {
    /// Of those that have returned and are not done, the one that returned first.
    first: Option<usize>,
    /// The same for each process, and the one that it invoked first.
    own: HashMap<u32, (usize, usize)>,
    /// The last operation of each process that is done.
    last: HashMap<u32, u32>,
}

/// A point of the current attempt.
struct Point {
    states: Vec<u32>,
    moves: Vec<(usize, Answer)>,
    taken: Option<usize>,
}

impl Joint {
    pub(super) fn new(objects: Vec<(String, Box<dyn Part>)>) -> Self {
        let (names, parts): (Vec<_>, Vec<_>) = objects.into_iter().unzip();
        let mut joint = Self { names, parts, operations: Vec::new(), places: Vec::new() };
        for (number, part) in joint.parts.iter().enumerate() {
            for (index, operation) in part.times().into_iter().enumerate() {
                joint.operations.push(operation);
                joint.places.push((number, index));
            }
        }
        joint
    }

    pub(super) fn operations(&self) -> &[Operation<()>] {
        &self.operations
    }

    /// Whether a process has invoked an operation on one object at the very tick at which one on
    /// another had returned: then linearizability is not local.
    pub(super) fn has_ties(&self) -> bool {
        let all: Vec<usize> = (0..self.operations.len()).collect();
        let ties = Ties::new(&self.operations, &all);
        let object = |index: usize| self.places[index].0;
        all.iter().any(|&late| ties.before(late).iter().any(|&it| object(it) != object(late)))
    }

    /// Looks for one order of all operations. Each step costs as much of the budget as there are
    /// operations, because it looks at all of them.
    pub(super) fn search(&mut self, consistency: Consistency, budget: u64) -> SearchedOrder {
        let all: Vec<usize> = (0..self.operations.len()).collect();
        self.search_among(&all, consistency, &mut budget.clone())
    }

    fn search_among(
        &mut self,
        among: &[usize],
        consistency: Consistency,
        budget: &mut u64,
    ) -> SearchedOrder {
        let mut is_done = vec![false; self.operations.len()];
        let mut left = among.iter().filter(|&&it| !self.operations[it].is_pending()).count();
        let mut seen = HashSet::new();
        let mut furthest = Vec::new();
        let states = vec![0; self.parts.len()];
        let moves = self.moves(among, &is_done, &states, consistency);
        let mut path = vec![Point { states, moves, taken: None }];
        let order = |path: &[Point]| path.iter().filter_map(|it| it.taken).collect::<Vec<_>>();
        while left > 0 {
            let Some(point) = path.last_mut() else {
                let stuck = self.stuck(among, furthest, consistency);
                return SearchedOrder::Unexplained(stuck);
            };
            let Some((index, answer)) = point.moves.pop() else {
                if path.len() > furthest.len() + 1 {
                    furthest = order(&path);
                }
                path.pop();
                if let Some(undone) = path.last_mut().and_then(|point| point.taken.take()) {
                    is_done[undone] = false;
                    left += usize::from(!self.operations[undone].is_pending());
                }
                continue;
            };
            let Some(states) = self.after(&point.states, index, answer) else { continue };
            is_done[index] = true;
            if !seen.insert((is_done.clone(), states.clone())) {
                is_done[index] = false;
                continue;
            }
            point.taken = Some(index);
            left -= usize::from(!self.operations[index].is_pending());
            match budget.checked_sub(4 + self.operations.len() as u64) {
                Some(rest) => *budget = rest,
                None => return SearchedOrder::Undecided,
            }
            let moves = self.moves(among, &is_done, &states, consistency);
            path.push(Point { states, moves, taken: None });
        }
        SearchedOrder::Explained(order(&path))
    }

    /// What may be tried next, the first to return last. A question whose answer is right now may
    /// as well be answered now, if it changes nothing: then nothing else has to be tried.
    fn moves(
        &mut self,
        among: &[usize],
        is_done: &[bool],
        states: &[u32],
        consistency: Consistency,
    ) -> Vec<(usize, Answer)> {
        let frontier = self.frontier(among, is_done);
        let mut moves = Vec::new();
        for &index in among {
            if is_done[index] || self.earlier(index, &frontier, consistency).is_some() {
                continue;
            }
            let (object, place) = self.places[index];
            let nature = self.parts[object].nature(place);
            let answer = self.operations[index].answer();
            match (self.operations[index].is_pending(), nature) {
                (false, Nature::Read(_) | Nature::Look) => {
                    match self.after(states, index, answer) {
                        Some(_) if !self.passes_over(index, among, is_done, consistency) => {
                            return vec![(index, answer)];
                        }
                        Some(_) => moves.push((index, answer)),
                        None => {}
                    }
                }
                (false, _) => moves.push((index, answer)),
                (true, Nature::Read(_) | Nature::Look) => {}
                (true, Nature::Remove) => {
                    // It takes what is there, or one of those that are as good.
                    let inserted = among.iter().filter(|&&it| self.places[it].0 == object);
                    let ids = inserted.filter_map(|&it| {
                        match self.parts[object].nature(self.places[it].1) {
                            Nature::Insert(id) => Some((index, Some(id))),
                            _ => None,
                        }
                    });
                    moves.extend(ids);
                }
                (true, _) => moves.push((index, None)),
            }
        }
        let returned = |index: usize| self.operations[index].returned.unwrap_or(u64::MAX);
        moves.sort_by_key(|&(index, _)| std::cmp::Reverse(returned(index)));
        moves
    }

    /// Whether this operation rules out a pending one that its process invoked before it.
    fn passes_over(
        &self,
        index: usize,
        among: &[usize],
        is_done: &[bool],
        consistency: Consistency,
    ) -> bool {
        let Operation { process, seq, .. } = self.operations[index];
        consistency.keeps_program_order()
            && among.iter().filter(|&&it| !is_done[it]).any(|&it| {
                let other = &self.operations[it];
                other.is_pending() && other.process == process && other.seq < seq
            })
    }

    fn frontier(&self, among: &[usize], is_done: &[bool]) -> Frontier {
        let mut frontier = Frontier { first: None, own: HashMap::new(), last: HashMap::new() };
        let operation = |index: usize| &self.operations[index];
        let end = |index: usize| (operation(index).returned, operation(index).seq);
        for &index in among {
            let Operation { process, seq, .. } = *operation(index);
            if is_done[index] {
                let last = frontier.last.entry(process).or_insert(seq);
                *last = seq.max(*last);
            } else if !operation(index).is_pending() {
                if frontier.first.is_none_or(|first| end(index) < end(first)) {
                    frontier.first = Some(index);
                }
                let (returned, invoked) = frontier.own.entry(process).or_insert((index, index));
                if end(index) < end(*returned) {
                    *returned = index;
                }
                if seq < operation(*invoked).seq {
                    *invoked = index;
                }
            }
        }
        frontier
    }

    /// An operation that has to stand before this one and is not done, or after it and is.
    fn earlier(
        &self,
        index: usize,
        frontier: &Frontier,
        consistency: Consistency,
    ) -> Option<usize> {
        let Operation { process, seq, .. } = self.operations[index];
        let own = frontier.own.get(&process);
        if consistency.keeps_program_order() {
            if frontier.last.get(&process).is_some_and(|&last| last > seq) {
                return Some(index); // It was passed over, so it had no effect.
            }
            if let Some(&(_, first)) = own.filter(|own| self.operations[own.1].seq < seq) {
                return Some(first);
            }
        }
        if !consistency.keeps_time() {
            return None;
        }
        let ended = frontier.first.into_iter().chain(own.map(|&(returned, _)| returned));
        ended.into_iter().find(|&it| self.operations[it].precedes(&self.operations[index]))
    }

    fn after(&mut self, states: &[u32], index: usize, answer: Answer) -> Option<Vec<u32>> {
        let (object, place) = self.places[index];
        let next = self.parts[object].step(states[object], place, answer).ok()?;
        let mut states = states.to_vec();
        states[object] = next;
        Some(states)
    }

    /// Why nothing goes on after these operations.
    fn stuck(&mut self, among: &[usize], order: Vec<usize>, consistency: Consistency) -> Stuck {
        let mut is_done = vec![false; self.operations.len()];
        let mut states = vec![0; self.parts.len()];
        for &index in &order {
            is_done[index] = true;
            // What a pending removal took is not told again: then the states are not known.
            let answer = self.operations[index].answer();
            states = self.after(&states, index, answer).unwrap_or(states);
        }
        let frontier = self.frontier(among, &is_done);
        let mut next = Vec::new();
        for &index in among.iter().filter(|&&it| !is_done[it] && !self.operations[it].is_pending())
        {
            let (object, place) = self.places[index];
            let answer = self.operations[index].answer();
            match self.earlier(index, &frontier, consistency) {
                // One obstacle for each process is enough.
                Some(_) if consistency.keeps_program_order() => {}
                Some(earlier) => next.push((index, Obstacle::After(earlier))),
                None => {
                    if let Err(right) = self.parts[object].step(states[object], place, answer) {
                        next.push((index, Obstacle::Answer(right)));
                    }
                }
            }
        }
        Stuck { order, next }
    }

    /// Few of the operations that no order explains: whole objects are left out, and questions
    /// that change nothing. Without them all others keep their answers.
    pub(super) fn explain(&mut self, consistency: Consistency, mut budget: u64) -> Explanation {
        let mut core: Vec<usize> = (0..self.operations.len()).collect();
        let objects = (0..self.parts.len()).map(|object| {
            let of_it = |&it: &usize| self.places[it].0 == object;
            core.iter().copied().filter(of_it).collect::<Vec<_>>()
        });
        let changes_nothing = |&it: &usize| {
            let (object, place) = self.places[it];
            matches!(self.parts[object].nature(place), Nature::Read(_) | Nature::Look)
        };
        let questions = core.iter().copied().filter(changes_nothing).map(|it| vec![it]);
        let units: Vec<Vec<usize>> = objects.chain(questions).collect();
        for unit in units {
            let rest: Vec<_> = core.iter().copied().filter(|it| !unit.contains(it)).collect();
            let found = self.search_among(&rest, consistency, &mut budget);
            if matches!(found, SearchedOrder::Unexplained(_)) {
                core = rest;
            }
        }
        let found = self.search_among(&core, consistency, &mut u64::MAX.clone());
        let SearchedOrder::Unexplained(stuck) = found else {
            unreachable!("the core was unexplained before");
        };
        let words = |(index, obstacle): (usize, Obstacle)| {
            let answer = self.operations[index].answer();
            (self.shown(index), obstacle_in_words(obstacle, answer, |it| self.shown(it)))
        };
        Explanation {
            core: core.iter().map(|&it| self.shown(it)).collect(),
            explained: stuck.order.iter().map(|&it| self.shown(it)).collect(),
            stuck: stuck.next.into_iter().map(words).collect(),
        }
    }

    /// An operation as text, with the name of its object.
    pub(super) fn shown(&self, index: usize) -> Shown {
        let (object, place) = self.places[index];
        let shown = self.parts[object].shown(place);
        Shown { what: format!("{} {}", self.names[object], shown.what), ..shown }
    }
}
