//! The verdict about one history, and how it is explained.

use std::cell::OnceCell;

use serde_json::Value;

use super::report::{Explanation, Finding, HistoryVerdict, Method, Shown};
use super::search::search_among;
use super::shrink::{concerned, shrink_among};
use super::sources::without_source;
use super::witness::{against_time, out_of_sequence};
use super::{Answer, Complaint, Complaints, Consistency, History, Object, Obstacle};
use super::{Operation, SearchedOrder, check_witness, search, shrink};

/// A history, and what has been found out about it.
pub(super) struct Case<'a, O: Object> {
    history: &'a History<O>,
    budget: u64,
    /// The number of processes that pipeline.
    pub(super) pipelining: usize,
    complaints: Option<Complaints>,
    sequential: OnceCell<SearchedOrder>,
    linearizable: OnceCell<SearchedOrder>,
    in_program_order: OnceCell<SearchedOrder>,
}

impl<'a, O: Object> Case<'a, O> {
    pub(super) fn new(history: &'a History<O>, budget: u64) -> Self {
        Self {
            history,
            budget,
            pipelining: history.pipelining(),
            complaints: history.has_witness().then(|| check_witness(history)),
            sequential: OnceCell::new(),
            linearizable: OnceCell::new(),
            in_program_order: OnceCell::new(),
        }
    }

    /// The verdict about a kind of consistency. If every process waits, its operations follow each
    /// other also where one is invoked at the very tick at which the last returned.
    pub(super) fn find(&self, wanted: Consistency) -> Finding {
        let meant = match wanted {
            Consistency::Linearizable if self.pipelining == 0 => {
                Consistency::LinearizableInProgramOrder
            }
            wanted => wanted,
        };
        Finding { consistency: wanted, ..self.find_exactly(meant) }
    }

    /// The witness order decides if it is valid. If it fails, another order may still be valid.
    fn find_exactly(&self, consistency: Consistency) -> Finding {
        let broken = self.complaints.as_ref().map(|complaints| complaints.about(consistency));
        let finding = Finding {
            consistency,
            verdict: HistoryVerdict::Undecided,
            method: Method::Search,
            broken_witness: broken.flatten().map(|it| describe(self.history, it)),
            order: None,
            explanation: None,
        };
        if broken == Some(None) {
            return Finding {
                verdict: HistoryVerdict::Consistent,
                method: Method::Witness,
                ..finding
            };
        }
        if let Some(core) = &without_source::<O>(self.history.operations(), consistency) {
            return Finding {
                verdict: HistoryVerdict::Violated,
                method: Method::Sources,
                explanation: Some(self.explain(core, consistency)),
                ..finding
            };
        }
        match self.decide(consistency) {
            (_, SearchedOrder::Explained(order)) => Finding {
                verdict: HistoryVerdict::Consistent,
                order: Some(order.iter().map(|&index| shown(self.history, index)).collect()),
                ..finding
            },
            (searched, SearchedOrder::Unexplained(_)) => {
                let core = shrink(self.history, searched, self.budget);
                Finding {
                    verdict: HistoryVerdict::Violated,
                    explanation: Some(self.explain(&core, searched)),
                    ..finding
                }
            }
            (_, SearchedOrder::Undecided) => match broken.flatten() {
                Some(complaint) => self.suspect(finding, complaint),
                None => finding,
            },
        }
    }

    /// If all is too much to be searched, what the witness is wrong about may be little enough.
    fn suspect(&self, finding: Finding, complaint: Complaint) -> Finding {
        let operations = self.history.operations();
        let part = concerned::<O>(operations, complaint);
        let consistency = finding.consistency;
        match search_among::<O>(operations, &part, consistency, &mut self.budget.clone()) {
            SearchedOrder::Unexplained(_) => {
                let core = shrink_among::<O>(operations, &part, consistency, self.budget);
                Finding {
                    verdict: HistoryVerdict::Violated,
                    explanation: Some(self.explain(&core, consistency)),
                    ..finding
                }
            }
            SearchedOrder::Explained(_) | SearchedOrder::Undecided => finding,
        }
    }

    /// What a search says, and for which consistency it was made: where it is given up for one,
    /// that for another may know.
    fn decide(&self, wanted: Consistency) -> (Consistency, &SearchedOrder) {
        let found = self.searched(wanted);
        if *found != SearchedOrder::Undecided {
            return (wanted, found);
        }
        let others = [Consistency::Sequential, Consistency::Linearizable];
        let others = others.into_iter().filter(|other| *other != wanted);
        let knows = |other: &Consistency| match self.searched(*other) {
            SearchedOrder::Explained(order) => self.also_proves(order, wanted),
            SearchedOrder::Unexplained(_) => Self::implies(wanted, *other),
            SearchedOrder::Undecided => false,
        };
        let known = others.into_iter().find(knows).unwrap_or(wanted);
        (known, self.searched(known))
    }

    /// Whether an order that a search has found is an explanation of this kind, too.
    fn also_proves(&self, order: &[usize], wanted: Consistency) -> bool {
        let operations = self.history.operations();
        let is_in_sequence = || out_of_sequence(operations, order).is_none();
        let is_in_time = || against_time(operations, order).is_none();
        (!wanted.keeps_program_order() || is_in_sequence())
            && (!wanted.keeps_time() || is_in_time())
    }

    /// Whether each history of the one kind is of the other.
    fn implies(one: Consistency, other: Consistency) -> bool {
        (!other.keeps_program_order() || one.keeps_program_order())
            && (!other.keeps_time() || one.keeps_time())
    }

    fn searched(&self, consistency: Consistency) -> &SearchedOrder {
        let outcome = match consistency {
            Consistency::Sequential => &self.sequential,
            Consistency::Linearizable => &self.linearizable,
            Consistency::LinearizableInProgramOrder => &self.in_program_order,
        };
        outcome.get_or_init(|| search(self.history, consistency, self.budget))
    }

    /// The reason why no order of these operations is valid.
    fn explain(&self, core: &[usize], consistency: Consistency) -> Explanation {
        let operations = self.history.operations();
        let outcome = search_among::<O>(operations, core, consistency, &mut self.budget.clone());
        let SearchedOrder::Unexplained(stuck) = outcome else {
            unreachable!("the core was unexplained before");
        };
        let show = |index: usize| shown(self.history, index);
        let stopped = |(index, it): (usize, Obstacle)| {
            let answer = operations[index].answer();
            (show(index), obstacle_in_words(it, answer, show))
        };
        Explanation {
            core: core.iter().copied().map(show).collect(),
            explained: stuck.order.into_iter().map(show).collect(),
            stuck: stuck.next.into_iter().map(stopped).collect(),
        }
    }
}

fn describe<O: Object>(history: &History<O>, complaint: Complaint) -> String {
    let show = |index| shown(history, index);
    match complaint {
        Complaint::SamePlace(one, other) => {
            format!("{} and {} have the same witness", show(one), show(other))
        }
        Complaint::WrongAnswer(index, right) => {
            format!("{}, where the result would be {}", show(index), said(right))
        }
        Complaint::OutOfSequence(early, late) => {
            format!("{} precedes {}, which its process invoked earlier", show(early), show(late))
        }
        Complaint::AgainstTime(early, late) => {
            let (early, late) = (show(early), show(late));
            let returned = late.returned.unwrap_or_default();
            format!(
                "{early}, invoked at {}, precedes {late}, which returned at {returned}",
                early.invoked
            )
        }
    }
}

/// The reason why an operation with this answer is not the next.
pub(super) fn obstacle_in_words(
    obstacle: Obstacle,
    answer: Answer,
    show: impl Fn(usize) -> Shown,
) -> String {
    match obstacle {
        Obstacle::Answer(right) => format!("the result would be {}", said(right)),
        Obstacle::After(first) => format!("only after {}", show(first)),
        Obstacle::NoSource => format!("no operation inserts {}", said(answer)),
    }
}

pub(super) fn shown<O: Object>(history: &History<O>, index: usize) -> Shown {
    let Operation { process, seq, op, invoked, returned, .. } = history.operations()[index];
    let mut what = words(&serde_json::to_value(op).unwrap_or_default());
    match returned {
        None => what.push_str(" (pending)"),
        Some(_) if O::nature(op).asks() => {
            what = format!("{what} -> {}", said(history.operations()[index].answer()));
        }
        Some(_) => {}
    }
    Shown { process, seq, what, invoked, returned }
}

fn said(answer: Answer) -> String {
    answer.map_or("nothing".to_owned(), |id| id.to_string())
}

/// `{"put":{"key":1,"value":2}}` as `put key 1 value 2`.
fn words(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} {}", words(value)));
            fields.collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
