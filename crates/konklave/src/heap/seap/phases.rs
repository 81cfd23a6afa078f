//! What the anchor of a heap asks, phase by phase.

use serde::{Deserialize, Serialize};

use crate::circle::Salt;
use crate::heap::store::ends;
use crate::rounds::Inquiry;
use crate::selection::Key;
use crate::selection::candidates::{self, Limit, Questions};
use crate::selection::search::{Plan, Search, Step};

/// What the anchor asks all processes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ask {
    /// The insert phase: let your elements travel. How many are there?
    Inserts,
    /// The delete phase: how many elements do you want, and how many have you?
    Deletes {
        /// The place in the order of your first insert of this cycle.
        witness: u64,
    },
    /// Of the selection of the largest element that is taken out.
    Select(candidates::Ask),
    /// Which of your elements up to a limit divide buckets?
    Sample {
        /// The limit.
        most: Limit,
        /// Decides about each of them.
        salt: u64,
        /// How probable it is, in units of 2^-64.
        share: u64,
    },
    /// Let your elements up to a limit travel to their buckets. How many are in each?
    Place {
        /// The number of the cycle.
        cycle: u32,
        /// The limit.
        most: Limit,
        /// The last elements of all buckets but the last.
        dividers: Vec<Key>,
    },
    /// Take as many elements out as you want.
    Give(Given),
}

/// The elements that processes get, by their ranks among those that are taken out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Given {
    /// The number of the cycle.
    pub cycle: u32,
    /// The rank of the first element, from 0.
    pub rank: u64,
    /// How many elements are taken out: what would have this rank or a higher one is not there.
    pub found: u64,
    /// The place of the first delete in the order.
    pub witness: u64,
    /// The ranks at which buckets end.
    pub ends: Vec<u64>,
}

/// What a process replies, or a part of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reply {
    /// So many elements are inserted, and at their places.
    Inserted(u64),
    /// So many elements are wanted, of so many that are there.
    Wanted {
        /// The number of deletes.
        deletes: u64,
        /// The number of elements.
        elements: u64,
    },
    /// To a question of the selection, or for dividers.
    Select(candidates::Reply),
    /// So many elements are in each bucket.
    Placed(Vec<u64>),
    /// All deletes have returned.
    Given,
}

/// What replies are remembered under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// How many elements are inserted.
    Inserts,
    /// How many elements are wanted.
    Deletes,
}

/// The questions of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phases;

impl Inquiry for Phases {
    type Ask = Ask;
    type Reply = Reply;
    type Topic = Topic;

    fn combine(reply: &mut Reply, next: &Reply) {
        match (reply, next) {
            (Reply::Inserted(sum), Reply::Inserted(more)) => *sum = sum.saturating_add(*more),
            (
                Reply::Wanted { deletes, elements },
                Reply::Wanted { deletes: more_deletes, elements: more_elements },
            ) => {
                *deletes = deletes.saturating_add(*more_deletes);
                *elements = elements.saturating_add(*more_elements);
            }
            (Reply::Select(reply), Reply::Select(next)) => Questions::combine(reply, next),
            (Reply::Placed(sums), Reply::Placed(more)) => {
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
            }
            _ => {} // Both are done, or these are not replies to the same question.
        }
    }

    fn begins(ask: &Ask) -> bool {
        *ask == Ask::Inserts
    }

    fn keeps(ask: &Ask) -> Option<Topic> {
        match ask {
            Ask::Inserts => Some(Topic::Inserts),
            Ask::Deletes { .. } => Some(Topic::Deletes),
            _ => None,
        }
    }

    fn splits(ask: &Ask) -> Option<Topic> {
        match ask {
            Ask::Deletes { .. } => Some(Topic::Inserts),
            Ask::Give(_) => Some(Topic::Deletes),
            _ => None,
        }
    }

    fn split(ask: &mut Ask, replied: &Reply) -> Ask {
        let part = ask.clone();
        match (ask, replied) {
            (Ask::Deletes { witness }, Reply::Inserted(count)) => {
                *witness = witness.saturating_add(*count)
            }
            (Ask::Give(given), Reply::Wanted { deletes, .. }) => {
                given.rank = given.rank.saturating_add(*deletes);
                given.witness = given.witness.saturating_add(*deletes);
            }
            _ => {}
        }
        part
    }
}

/// What the anchor knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Anchor {
    plan: Plan,
    stage: Stage,
    /// How many operations have a place in the order.
    done: u64,
    /// How many cycles have begun.
    cycle: u32,
    /// Whether somebody has something for the next one.
    is_woken: bool,
    /// How many selections there were.
    selections: u32,
}

/// What the anchor has asked in this cycle, and what it knows by then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    Asleep,
    Inserting,
    Deleting { inserted: u64 },
    Selecting(Wanted, Box<Search>),
    Sampling(Wanted, Limit),
    Placing(Wanted),
    Giving(Wanted),
}

/// How many elements are wanted, and how many of these are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Wanted {
    deletes: u64,
    found: u64,
}

type Choose<'a> = &'a mut dyn FnMut(u32) -> u32;

/// Draws the dividers of buckets.
const DIVIDER: Salt = Salt(33);

impl Anchor {
    /// Nobody has asked for anything.
    pub fn new(plan: Plan) -> Self {
        Self { plan, stage: Stage::Asleep, done: 0, cycle: 0, is_woken: false, selections: 0 }
    }

    /// How many cycles have begun.
    pub fn cycles(&self) -> u32 {
        self.cycle
    }

    /// How many selections there were.
    pub fn selections(&self) -> u32 {
        self.selections
    }

    /// Somebody has something for the next cycle. Returns the first question, if it can begin.
    pub fn wake(&mut self) -> Option<Ask> {
        if self.stage != Stage::Asleep {
            self.is_woken = true;
            return None;
        }
        self.is_woken = false;
        self.cycle += 1;
        self.stage = Stage::Inserting;
        Some(Ask::Inserts)
    }

    /// What it asks next, when all processes have replied; nothing if it sleeps.
    pub fn next(&mut self, reply: Reply, choose: Choose<'_>) -> Option<Ask> {
        match (std::mem::replace(&mut self.stage, Stage::Asleep), reply) {
            (Stage::Inserting, Reply::Inserted(inserted)) => {
                let witness = self.done;
                self.done = self.done.saturating_add(inserted);
                self.stage = Stage::Deleting { inserted };
                Some(Ask::Deletes { witness })
            }
            (Stage::Deleting { inserted }, Reply::Wanted { deletes: 0, .. }) => {
                let is_next = inserted > 0 || self.is_woken;
                if is_next { self.wake() } else { None }
            }
            (Stage::Deleting { .. }, Reply::Wanted { deletes, elements }) => {
                Some(self.find(deletes, elements, choose))
            }
            (Stage::Selecting(wanted, mut search), Reply::Select(reply)) => {
                Some(match search.next(reply, choose) {
                    Step::Ask(ask) => {
                        self.stage = Stage::Selecting(wanted, search);
                        Ask::Select(ask)
                    }
                    Step::Found(key) => self.sample(wanted, key.map_or(Limit::Below, Limit::At)),
                })
            }
            (Stage::Sampling(wanted, most), Reply::Select(candidates::Reply::Keys(dividers))) => {
                Some(self.place(wanted, most, dividers))
            }
            (Stage::Placing(wanted), Reply::Placed(counts)) => Some(self.give(wanted, &counts)),
            (Stage::Giving(wanted), Reply::Given) => {
                self.done = self.done.saturating_add(wanted.deletes);
                self.wake()
            }
            _ => None, // Not a reply to this question.
        }
    }

    /// Looks for the largest element that is taken out, if not all are.
    fn find(&mut self, deletes: u64, elements: u64, choose: Choose<'_>) -> Ask {
        let wanted = Wanted { deletes, found: deletes.min(elements) };
        if wanted.found == 0 {
            return self.give(wanted, &[]);
        }
        if wanted.found == elements {
            return self.sample(wanted, Limit::Above);
        }
        self.selections += 1;
        let mut search = Box::new(Search::new(self.plan, wanted.found, elements));
        let ask = search.ask(choose);
        self.stage = Stage::Selecting(wanted, search);
        Ask::Select(ask)
    }

    /// Divides elements into buckets: with about √j of j dividers, neither a bucket nor a list of
    /// all buckets is long.
    fn sample(&mut self, wanted: Wanted, most: Limit) -> Ask {
        let dividers = wanted.found.isqrt();
        if dividers <= 1 {
            return self.place(wanted, most, Vec::new());
        }
        let salt = self.plan.mixer.mix(self.cycle.into(), DIVIDER);
        let share = (u128::from(dividers) << 64) / u128::from(wanted.found);
        self.stage = Stage::Sampling(wanted, most);
        Ask::Sample { most, salt, share: share as u64 } // Below 2^64: the root is smaller.
    }

    fn place(&mut self, wanted: Wanted, most: Limit, mut dividers: Vec<Key>) -> Ask {
        dividers.sort_unstable();
        self.stage = Stage::Placing(wanted);
        Ask::Place { cycle: self.cycle, most, dividers }
    }

    fn give(&mut self, wanted: Wanted, counts: &[u64]) -> Ask {
        let ends = ends(counts.iter().copied());
        self.stage = Stage::Giving(wanted);
        let Wanted { found, .. } = wanted;
        Ask::Give(Given { cycle: self.cycle, rank: 0, found, witness: self.done, ends })
    }
}
