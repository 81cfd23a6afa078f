//! What the anchor asks about a wave of operations.

use serde::{Deserialize, Serialize};

use super::offline::{Fate, Lot, Problem};
use crate::circle::{Mixer, Salt};
use crate::heap::store::ends;
use crate::rounds::Inquiry;
use crate::selection::Key;
use crate::selection::candidates::{Between, Limit};

/// What the anchor asks all processes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ask {
    /// Which operations do you have, and how many elements?
    Runs,
    /// Which of your elements in each of these ranges has the smallest hash?
    Pivots {
        /// The hash function.
        salt: u64,
        /// The ranges.
        ranges: Vec<Between>,
    },
    /// How many elements does each run insert in each range?
    Count {
        /// The number of runs of inserts.
        runs: u32,
        /// The ranges.
        ranges: Vec<Between>,
    },
    /// Let these elements travel to their buckets, and the other new ones into the heap.
    Place {
        /// The number of the wave.
        wave: u32,
        /// The elements of each bucket.
        lots: Vec<Lot>,
    },
    /// These are the places of your operations.
    Give(Given),
}

/// The places of operations, and the elements that they get.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Given {
    /// The number of the wave.
    pub wave: u32,
    /// Of each run.
    pub runs: Vec<Share>,
    /// The ranks at which buckets end, among all elements that are taken out.
    pub ends: Vec<u64>,
}

/// What the operations of a run get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Share {
    /// The place of the first operation in the order.
    pub witness: u64,
    /// The rank of the first element among all that are taken out.
    pub rank: u64,
    /// How many elements there are.
    pub found: u64,
}

impl Share {
    /// Takes what belongs to the first operations.
    pub fn take(&mut self, operations: u64) -> Self {
        let found = self.found.min(operations);
        let part = Self { found, ..*self };
        self.witness = self.witness.saturating_add(operations);
        self.rank = self.rank.saturating_add(found);
        self.found -= found;
        part
    }
}

/// What a process replies, or a part of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reply {
    /// The operations, and the elements that are there.
    Runs {
        /// The lengths of runs, of inserts and of deletes in turn.
        lengths: Vec<u64>,
        /// How many elements there are.
        elements: u64,
    },
    /// The element with the smallest hash in each range, and that hash.
    Pivots(Vec<Option<(u64, Key)>>),
    /// How many elements each run inserts in each range.
    Counts(Vec<Vec<u64>>),
    /// It is done.
    Done,
}

/// The questions of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Questions;

impl Inquiry for Questions {
    type Ask = Ask;
    type Reply = Reply;
    type Topic = ();

    fn combine(reply: &mut Reply, next: &Reply) {
        match (reply, next) {
            (
                Reply::Runs { lengths, elements },
                Reply::Runs { lengths: more, elements: more_elements },
            ) => {
                lengths.resize(lengths.len().max(more.len()), 0);
                add(lengths, more);
                *elements = elements.saturating_add(*more_elements);
            }
            (Reply::Pivots(all), Reply::Pivots(part)) => {
                let least = |a: Option<_>, b: Option<_>| a.into_iter().chain(b).min();
                all.iter_mut().zip(part).for_each(|(all, part)| *all = least(*all, *part));
            }
            (Reply::Counts(all), Reply::Counts(part)) => {
                all.iter_mut().zip(part).for_each(|(all, part)| add(all, part));
            }
            _ => {} // Both are done, or these are not replies to the same question.
        }
    }

    fn begins(ask: &Ask) -> bool {
        *ask == Ask::Runs
    }

    fn keeps(ask: &Ask) -> Option<()> {
        (*ask == Ask::Runs).then_some(())
    }

    fn splits(ask: &Ask) -> Option<()> {
        matches!(ask, Ask::Give(_)).then_some(())
    }

    fn split(ask: &mut Ask, replied: &Reply) -> Ask {
        let (Ask::Give(given), Reply::Runs { lengths, .. }) = (&mut *ask, replied) else {
            return ask.clone();
        };
        let runs = given.runs.iter_mut().zip(lengths).map(|(run, length)| run.take(*length));
        Ask::Give(Given { runs: runs.collect(), ..given.clone() })
    }
}

fn add(sums: &mut [u64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
}

/// What the anchor knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Anchor {
    mixer: Mixer,
    stage: Stage,
    /// How many operations have a place in the order.
    done: u64,
    /// How many waves have begun.
    wave: u32,
    /// Whether somebody has something for the next one.
    is_woken: bool,
    /// How many rounds of splits there were.
    splits: u32,
    /// The problems that have to be split.
    open: Vec<Problem>,
    /// The elements whose runs are known.
    lots: Vec<Lot>,
    /// The lengths of the runs of this wave.
    lengths: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    Asleep,
    Collecting,
    Drawing,
    Counting(Vec<Key>),
    Placing,
    Giving,
}

/// Draws pivots.
const PIVOT: Salt = Salt(34);

impl Anchor {
    /// Nobody has asked for anything.
    pub fn new(mixer: Mixer) -> Self {
        Self {
            mixer,
            stage: Stage::Asleep,
            done: 0,
            wave: 0,
            is_woken: false,
            splits: 0,
            open: Vec::new(),
            lots: Vec::new(),
            lengths: Vec::new(),
        }
    }

    /// How many waves have begun.
    pub fn waves(&self) -> u32 {
        self.wave
    }

    /// How many rounds of splits there were.
    pub fn splits(&self) -> u32 {
        self.splits
    }

    /// Somebody has something for the next wave. Returns the first question, if it can begin.
    pub fn wake(&mut self) -> Option<Ask> {
        if self.stage != Stage::Asleep {
            self.is_woken = true;
            return None;
        }
        self.is_woken = false;
        self.wave += 1;
        self.stage = Stage::Collecting;
        Some(Ask::Runs)
    }

    /// What it asks next, when all processes have replied; nothing if it sleeps.
    pub fn next(&mut self, reply: Reply) -> Option<Ask> {
        match (std::mem::replace(&mut self.stage, Stage::Asleep), reply) {
            (Stage::Collecting, Reply::Runs { lengths, .. }) if lengths.is_empty() => {
                if self.is_woken { self.wake() } else { None }
            }
            (Stage::Collecting, Reply::Runs { lengths, elements }) => {
                let mut arrivals: Vec<u64> = lengths.iter().copied().step_by(2).collect();
                let mut deletes: Vec<u64> = lengths.iter().copied().skip(1).step_by(2).collect();
                deletes.resize(arrivals.len(), 0);
                arrivals[0] = arrivals[0].saturating_add(elements); // They are there before.
                let range = Between { from: Limit::Below, to: Limit::Above };
                (self.lengths, self.lots) = (lengths, Vec::new());
                self.open = vec![Problem { range, arrivals, deletes }];
                Some(self.split_or_place())
            }
            (Stage::Drawing, Reply::Pivots(pivots)) => Some(self.count(&pivots)),
            (Stage::Counting(pivots), Reply::Counts(counts)) => {
                let parts = std::mem::take(&mut self.open).into_iter().zip(pivots).zip(&counts);
                self.open =
                    parts.flat_map(|((problem, pivot), low)| problem.split(pivot, low)).collect();
                Some(self.split_or_place())
            }
            (Stage::Placing, Reply::Done) => Some(self.give()),
            (Stage::Giving, Reply::Done) => self.wake(),
            _ => None, // Not a reply to this question.
        }
    }

    /// Sets problems aside whose fate is known, and draws pivots for the others.
    fn split_or_place(&mut self) -> Ask {
        let lots = &mut self.lots;
        self.open.retain(|problem| match problem.fate() {
            Fate::Stay => false,
            Fate::Run(run) => {
                lots.push(Lot { range: problem.range, run, count: problem.elements() });
                false
            }
            Fate::Open => true,
        });
        if self.open.is_empty() {
            // By the ranks of elements: run by run.
            self.lots.sort_unstable_by_key(|lot| (lot.run, lot.range));
            self.stage = Stage::Placing;
            return Ask::Place { wave: self.wave, lots: self.lots.clone() };
        }
        self.splits += 1;
        self.stage = Stage::Drawing;
        let salt = self.mixer.mix(self.splits.into(), PIVOT);
        Ask::Pivots { salt, ranges: self.open.iter().map(|problem| problem.range).collect() }
    }

    /// Asks how many elements are below the pivots.
    fn count(&mut self, pivots: &[Option<(u64, Key)>]) -> Ask {
        let drawn = std::mem::take(&mut self.open).into_iter().zip(pivots);
        // If nobody has an element, replies contradict each other.
        let drawn = drawn.filter_map(|(problem, pivot)| Some((problem, pivot.as_ref()?.1)));
        let (open, keys): (Vec<_>, Vec<Key>) = drawn.unzip();
        self.open = open;
        let low = |(problem, key): (&Problem, &Key)| Between {
            from: problem.range.from,
            to: Limit::At(*key),
        };
        let ranges = self.open.iter().zip(&keys).map(low).collect();
        self.stage = Stage::Counting(keys);
        Ask::Count { runs: self.lengths.len().div_ceil(2) as u32, ranges }
    }

    /// Gives every run its places, and its elements by their ranks.
    fn give(&mut self) -> Ask {
        let lots = &self.lots;
        let taken = |run: usize| {
            let own = lots.iter().filter(|lot| lot.run as usize == run);
            own.fold(0, |sum: u64, lot| sum.saturating_add(lot.count))
        };
        let mut rank = 0;
        let mut runs = Vec::new();
        for (index, length) in self.lengths.iter().enumerate() {
            let found = if index % 2 == 1 { taken(index / 2) } else { 0 };
            runs.push(Share { witness: self.done, rank, found });
            self.done = self.done.saturating_add(*length);
            rank = rank.saturating_add(found);
        }
        let ends = ends(self.lots.iter().map(|lot| lot.count));
        self.stage = Stage::Giving;
        Ask::Give(Given { wave: self.wave, runs, ends })
    }
}
