//! Searching for an order that explains a history. The problem is NP-complete, so this is for short
//! histories, and for longer ones in which little overlaps; a budget bounds the search.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::lanes::{Ties, chains, first_to_return, merge, parts, processes};
use super::sources::has_source;
use super::{Answer, Consistency, History, Nature, Object, Operation};

/// The result of a search. Operations are named by their places in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchedOrder {
    /// An order that explains the history; it leaves out pending operations that had no effect.
    Explained(Vec<usize>),
    /// There is no such order.
    Unexplained(Stuck),
    /// The budget was spent before a verdict.
    Undecided,
}

/// A longest valid prefix, and its obstacles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// A longest valid prefix.
    pub order: Vec<usize>,
    /// The candidates for the next operation, and their obstacles.
    pub next: Vec<(usize, Obstacle)>,
}

/// The obstacle to an operation as the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Its result would have been this.
    Answer(Answer),
    /// This one had returned before it was invoked.
    After(usize),
    /// No operation inserts its result.
    NoSource,
}

/// Looks for an order that explains the history. The budget is the number of words that may be
/// remembered about visited states.
pub fn search<O: Object>(
    history: &History<O>,
    consistency: Consistency,
    mut budget: u64,
) -> SearchedOrder {
    let all: Vec<usize> = (0..history.operations().len()).collect();
    search_among::<O>(history.operations(), &all, consistency, &mut budget)
}

/// Searches for an order of some of the operations.
///
/// Linearizability is local: each key has an order, and then there is one for all; but keys whose
/// operations are tied to each other need one order. With program order it is not local.
pub(super) fn search_among<O: Object>(
    operations: &[Operation<O::Op>],
    among: &[usize],
    consistency: Consistency,
    budget: &mut u64,
) -> SearchedOrder {
    let among = relevant::<O>(operations, among);
    if consistency.keeps_program_order() {
        let lanes = processes(operations, &among);
        let ties = Ties::default(); // Program order implies them.
        return Search::<O>::new(operations, consistency, lanes, &ties).run(budget);
    }
    let ties = Ties::new(operations, &among);
    let mut parts = parts::<O>(operations, &among, &ties);
    parts.sort_by_key(Vec::len); // The hard ones last: they may spend what is left.
    let mut orders = Vec::new();
    let mut is_decided = true;
    for part in parts {
        let lanes = chains(operations, part);
        match Search::<O>::new(operations, consistency, lanes, &ties).run(budget) {
            SearchedOrder::Explained(order) => orders.push(order),
            SearchedOrder::Undecided => is_decided = false,
            stuck @ SearchedOrder::Unexplained(_) => return stuck,
        }
    }
    match is_decided {
        true => SearchedOrder::Explained(merge(operations, orders)),
        false => SearchedOrder::Undecided,
    }
}

/// All operations but pending ones that cannot help to explain an answer: those that put something
/// there which nobody has found, those that would only have found something, and removals if
/// everything that was inserted is in other hands.
pub(super) fn relevant<O: Object>(operations: &[Operation<O::Op>], among: &[usize]) -> Vec<usize> {
    let found = found::<O>(operations, among);
    let are_loose = !loose::<O>(operations, among).is_empty();
    let helps = |operation: &Operation<O::Op>| match O::nature(operation.op) {
        Nature::Remove => are_loose,
        Nature::Read(_) | Nature::Look => false,
        // Without the key, another may be the nearest.
        Nature::Discard(_) => true,
        nature => found.contains(&(nature.part(), nature.value(None))),
    };
    let keep = |&index: &usize| !operations[index].is_pending() || helps(&operations[index]);
    among.iter().copied().filter(keep).collect()
}

/// What answers say that was found, with its key.
pub(super) fn found<O: Object>(
    operations: &[Operation<O::Op>],
    among: &[usize],
) -> HashSet<(u64, Answer)> {
    let answered = among.iter().map(|&index| &operations[index]).filter(|o| !o.is_pending());
    answered
        .filter(|operation| O::nature(operation.op).asks())
        .map(|operation| (O::nature(operation.op).part(), operation.answer()))
        .collect()
}

/// The elements that are surely inserted, but were given to no process.
fn loose<O: Object>(operations: &[Operation<O::Op>], among: &[usize]) -> Vec<u64> {
    let found = found::<O>(operations, among);
    let inserted = among.iter().filter_map(|&index| match O::nature(operations[index].op) {
        Nature::Insert(id) if !operations[index].is_pending() => Some(id),
        _ => None,
    });
    inserted.filter(|&id| !found.contains(&(0, Some(id)))).collect()
}

/// A step of an attempt: what becomes of the next operation of a lane.
#[derive(Clone, Copy)]
struct Move {
    lane: usize,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// It is carried out, with this answer.
    Carry(Answer),
    /// It is pending and has had no effect.
    Skip,
}

/// A point of the current attempt: the object, the moves not tried yet, and the one that led on.
struct Point<O> {
    object: O,
    moves: Vec<Move>,
    taken: Option<Move>,
}

/// Depth-first search over how far each lane has come. Where it has come to the same heads with the
/// same object before, it does not look again.
struct Search<'a, O: Object> {
    operations: &'a [Operation<O::Op>],
    /// Lists of operations whose order is given.
    lanes: Vec<Vec<usize>>,
    /// If time matters: of each operation of a lane and those behind it, the one that returned
    /// first. In a lane of a process that pipelines it need not be the next.
    first: Vec<Vec<usize>>,
    /// What else has to be done before an operation, and where it stands.
    ties: &'a Ties,
    /// The lane of each operation, and its place there, if there are ties.
    places: HashMap<usize, (usize, usize)>,
    /// What pending removals may have taken.
    loose: Vec<u64>,
    /// How much of each lane is done.
    heads: Vec<u32>,
    /// How many answers are still unexplained.
    left: usize,
    seen: HashSet<(Box<[u32]>, O)>,
}

impl<'a, O: Object> Search<'a, O> {
    fn new(
        operations: &'a [Operation<O::Op>],
        consistency: Consistency,
        lanes: Vec<Vec<usize>>,
        ties: &'a Ties,
    ) -> Self {
        let all = lanes.concat();
        let left = all.iter().filter(|&&index| !operations[index].is_pending()).count();
        let loose = loose::<O>(operations, &all);
        let heads = vec![0; lanes.len()];
        let first = match consistency.keeps_time() {
            true => lanes.iter().map(|lane| first_to_return(operations, lane)).collect(),
            false => Vec::new(),
        };
        let mut places = HashMap::new();
        if !ties.is_empty() {
            for (lane, list) in lanes.iter().enumerate() {
                places.extend(list.iter().enumerate().map(|(at, &index)| (index, (lane, at))));
            }
        }
        let seen = HashSet::new();
        Self { operations, lanes, first, ties, places, loose, heads, left, seen }
    }

    fn run(mut self, budget: &mut u64) -> SearchedOrder {
        let mut path = vec![self.point(O::default())];
        let mut furthest: Vec<Move> = Vec::new();
        while self.left > 0 {
            let depth = path.len();
            let Some(point) = path.last_mut() else {
                return SearchedOrder::Unexplained(self.stuck(&furthest));
            };
            let Some(chosen) = point.moves.pop() else {
                if depth > furthest.len() + 1 {
                    furthest = path.iter().filter_map(|point| point.taken).collect();
                }
                path.pop();
                if let Some(taken) = path.last_mut().and_then(|point| point.taken.take()) {
                    self.undo(taken);
                }
                continue;
            };
            let Some(object) = self.after(&point.object, chosen) else { continue };
            self.advance(chosen);
            if !self.seen.insert((self.heads.clone().into(), object.clone())) {
                self.undo(chosen);
                continue;
            }
            point.taken = Some(chosen);
            let cost = 4 + self.heads.len() + object.size();
            match budget.checked_sub(cost as u64) {
                Some(rest) => *budget = rest,
                None => return SearchedOrder::Undecided,
            }
            path.push(self.point(object));
        }
        let moves = path.iter().filter_map(|point| point.taken).collect::<Vec<_>>();
        SearchedOrder::Explained(self.order(&moves))
    }

    fn point(&self, object: O) -> Point<O> {
        Point { moves: self.moves(&object), object, taken: None }
    }

    /// The operation that is next in its lane.
    fn head(&self, lane: usize) -> Option<usize> {
        self.lanes[lane].get(self.heads[lane] as usize).copied()
    }

    /// What may be tried next, the best last. An answer that is right now may as well be given now,
    /// and then no other move has to be tried: a read changes nothing, and an element that is the
    /// right one to remove stands in the way of others, if at all, until it is removed.
    fn moves(&self, object: &O) -> Vec<Move> {
        let first = self.first_to_return();
        let mut moves = Vec::new();
        for lane in 0..self.lanes.len() {
            let Some(index) = self.head(lane) else { continue };
            let operation = &self.operations[index];
            if self.earlier(index, first).is_some() {
                continue;
            }
            let carry = |answer| Move { lane, step: Step::Carry(answer) };
            let nature = O::nature(operation.op);
            if !operation.is_pending() {
                let chosen = carry(operation.answer());
                if nature.asks() && self.after(object, chosen).is_some() {
                    return vec![chosen];
                }
                moves.push(chosen);
                continue;
            }
            if self.heads[lane] as usize + 1 < self.lanes[lane].len() {
                moves.push(Move { lane, step: Step::Skip });
            }
            match nature {
                Nature::Remove => moves.extend(self.loose.iter().map(|&id| carry(Some(id)))),
                _ => moves.push(carry(None)),
            }
        }
        let returned = |chosen: &Move| {
            self.head(chosen.lane).and_then(|index| self.operations[index].returned)
        };
        moves.sort_by_key(|chosen| Reverse(returned(chosen).unwrap_or(u64::MAX)));
        moves
    }

    /// If time matters: of all that is not done, the operation that returned first.
    fn first_to_return(&self) -> Option<usize> {
        let first = self.first.iter().zip(&self.heads);
        first
            .filter_map(|(lane, &head)| lane.get(head as usize).copied())
            .min_by_key(|&index| self.operations[index].returned.unwrap_or(u64::MAX))
    }

    /// An operation that is not done and has to be done before this one, if time matters. Besides
    /// those tied to it, the first to return is the one to compare with.
    fn earlier(&self, index: usize, first: Option<usize>) -> Option<usize> {
        let operation = &self.operations[index];
        let is_open = |tied: &usize| {
            self.places.get(tied).is_some_and(|&(lane, at)| self.heads[lane] as usize <= at)
        };
        let tied = self.ties.before(index).iter().copied().find(is_open);
        first.filter(|&first| self.operations[first].precedes(operation)).or(tied)
    }

    /// The object after a move, if its answer is right.
    fn after(&self, object: &O, chosen: Move) -> Option<O> {
        let mut object = object.clone();
        if let Step::Carry(answer) = chosen.step {
            let index = self.head(chosen.lane)?;
            object.accept(self.operations[index].op, answer).ok()?;
        }
        Some(object)
    }

    fn advance(&mut self, chosen: Move) {
        let index = self.head(chosen.lane).expect("a move is about a next operation");
        self.left -= usize::from(!self.operations[index].is_pending());
        self.heads[chosen.lane] += 1;
    }

    fn undo(&mut self, chosen: Move) {
        self.heads[chosen.lane] -= 1;
        let index = self.head(chosen.lane).expect("a move was about this operation");
        self.left += usize::from(!self.operations[index].is_pending());
    }

    /// The operations that these moves carry out.
    fn order(&self, moves: &[Move]) -> Vec<usize> {
        let mut heads = vec![0; self.lanes.len()];
        let mut order = Vec::new();
        for chosen in moves {
            if let Step::Carry(_) = chosen.step {
                order.push(self.lanes[chosen.lane][heads[chosen.lane]]);
            }
            heads[chosen.lane] += 1;
        }
        order
    }

    /// Why nothing goes on after these moves. All heads are at the beginning.
    fn stuck(mut self, moves: &[Move]) -> Stuck {
        let order = self.order(moves);
        let mut object = O::default();
        for &chosen in moves {
            object = self.after(&object, chosen).expect("it was right before");
            self.advance(chosen);
        }
        let first = self.first_to_return();
        let mut next = Vec::new();
        for index in (0..self.lanes.len()).filter_map(|lane| self.head(lane)) {
            let operation = &self.operations[index];
            if let Some(earlier) = self.earlier(index, first) {
                next.push((index, Obstacle::After(earlier)));
            } else if !operation.is_pending()
                && let Err(right) = object.clone().accept(operation.op, operation.answer())
            {
                next.push(match has_source::<O>(self.operations, operation) {
                    true => (index, Obstacle::Answer(right)),
                    false => (index, Obstacle::NoSource),
                });
            }
        }
        Stuck { order, next }
    }
}
