//! The six problems, as faults: what each does to the state of a process.

use std::fmt::{self, Display};

use super::cells::Cell;
use super::orders::{Part, Request};
use super::{Anchor, Mended, Stabilising, Ticket};
use crate::overlay::Overlay;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Problem {
    /// 1: There are several elements with one key.
    Twins,
    /// 2: There are keys without elements.
    Holes,
    /// 3: Several processes believe to be the anchor.
    Anchors,
    /// 4: The anchor has a wrong state.
    Ends,
    /// 5: Requests are forgotten, and others remembered that nobody has sent.
    Traces,
    /// 6: Operations wait where no element will come.
    Gets,
}

impl Problem {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Twins, Self::Holes, Self::Anchors, Self::Ends, Self::Traces, Self::Gets];
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Twins => "twins",
            Self::Holes => "holes",
            Self::Anchors => "anchors",
            Self::Ends => "ends",
            Self::Traces => "traces",
            Self::Gets => "gets",
        })
    }
}

impl<S: Mended> Stabilising<S> {
    /// The same process, which begins with this problem.
    #[must_use]
    pub fn beginning_with(self, problem: Problem) -> Self {
        Self { opening: Some(problem), ..self }
    }

    /// This goes wrong, in a way that is chosen.
    pub fn corrupt(&mut self, problem: Problem, choose: &mut dyn FnMut(u32) -> u32) {
        match problem {
            Problem::Twins => {
                let (key, op) = S::any(choose);
                self.cells.insert(key, Cell::Element(op));
            }
            Problem::Holes => self.cells.retain(|_, cell| match cell {
                Cell::Element(_) => choose(2) == 0,
                Cell::Awaited { .. } | Cell::Marker(_) => true,
            }),
            Problem::Anchors => self.anchor = Anchor::State(S::garbled(choose)),
            Problem::Ends => {
                if let Anchor::State(service) = &mut self.anchor {
                    *service = S::garbled(choose);
                }
            }
            Problem::Traces => {
                self.requests.clear();
                self.collected.clear();
                let known = self.member.overlay().known();
                let [to, process] =
                    [(); 2].map(|()| known.get(choose(known.len() as u32 + 1) as usize));
                if let (Some(&to), Some(&process)) = (to, process) {
                    let batch = S::build(std::iter::once(S::any(choose).1));
                    let parts = vec![Part::Of { process, id: choose(2), batch }];
                    self.requests.insert(choose(2), Request::to(to, parts));
                }
            }
            Problem::Gets => {
                self.cells.retain(|_, cell| !matches!(cell, Cell::Awaited { .. }));
                let (key, _) = S::any(choose);
                let waiting = Cell::Awaited { process: self.me(), ticket: Ticket::Of(0), age: 0 };
                self.cells.entry(key).or_insert(waiting);
            }
        }
    }
}
