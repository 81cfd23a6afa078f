//! The check of a history: read, judge, explain.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::io::BufRead;

use serde::Serialize;
use serde_json::Value;

use super::read::{Malformed, read_header};
use super::search::search_among;
use super::shrink::{concerned, shrink_among};
use super::sources::without_source;
use super::witness::out_of_sequence;
use super::{
    Answer, Complaint, Complaints, Consistency, Dictionary, Heap, History, Object, Obstacle,
};
use super::{Operation, Outcome, Queue, Register, Stack, check_witness, search, shrink};

/// The default budget of a search, in words of memory: some hundred megabytes.
pub const BUDGET: u64 = 20_000_000;

/// The report about a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The object's name.
    pub object: &'static str,
    /// The number of operations.
    pub operations: usize,
    /// The number of pending operations.
    pub pending: usize,
    /// The number of processes.
    pub processes: usize,
    /// A finding for each consistency condition requested.
    pub findings: Vec<Finding>,
}

/// The verdict about one consistency condition, and its justification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The consistency condition.
    pub consistency: Consistency,
    /// The verdict.
    pub verdict: Verdict,
    /// The method of the verdict.
    pub method: Method,
    /// The flaw of the witness order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_witness: Option<String>,
    /// An order that the search found. It leaves out pending operations without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<Shown>>,
    /// The reason why no order is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// The verdict about a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The history is consistent.
    Consistent,
    /// The history is not consistent.
    Violated,
    /// The search hit its limit. If the witness order fails, the object has not followed the order
    /// that it claims, but another order may still be valid.
    Undecided,
}

/// The method of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A check of the witness order.
    Witness,
    /// A search among all orders.
    Search,
    /// A check of sources: some result was never inserted, or was removed before.
    Sources,
}

/// The reason why no order of a history is valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Operations without a valid order, whatever the others did.
    pub core: Vec<Shown>,
    /// A longest valid prefix of them.
    pub explained: Vec<Shown>,
    /// The candidates for the next operation, each with the reason why it is impossible.
    pub stuck: Vec<(Shown, String)>,
}

/// An operation as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// The process that invoked it.
    pub process: u32,
    /// Its number among those of the process.
    pub seq: u32,
    /// The operation and its result, such as `dequeue -> 5`.
    pub what: String,
    /// The time of invocation.
    pub invoked: u64,
    /// The time of return; `None` if pending.
    pub returned: Option<u64>,
}

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} #{}: {}", self.process, self.seq, self.what)
    }
}

/// Reads a history and judges it. The budget is that of [`search`](super::search()), for each
/// search that turns out to be necessary.
pub fn check(
    mut input: impl BufRead,
    wanted: &[Consistency],
    budget: u64,
) -> Result<Report, Malformed> {
    Ok(match read_header(&mut input)? {
        Register::NAME => judge(&History::<Register>::read(input)?, wanted, budget),
        Dictionary::NAME => judge(&History::<Dictionary>::read(input)?, wanted, budget),
        Queue::NAME => judge(&History::<Queue>::read(input)?, wanted, budget),
        Stack::NAME => judge(&History::<Stack>::read(input)?, wanted, budget),
        Heap::NAME => judge(&History::<Heap>::read(input)?, wanted, budget),
        name => unreachable!("{name} is not an object"),
    })
}

fn judge<O: Object>(history: &History<O>, wanted: &[Consistency], budget: u64) -> Report {
    let case = Case {
        history,
        budget,
        complaints: history.has_witness().then(|| check_witness(history)),
        without_source: without_source::<O>(history.operations()),
        sequential: OnceCell::new(),
        linearizable: OnceCell::new(),
    };
    Report {
        object: O::NAME,
        operations: history.operations().len(),
        pending: history.operations().iter().filter(|o| o.is_pending()).count(),
        processes: history.processes(),
        findings: wanted.iter().map(|&consistency| case.find(consistency)).collect(),
    }
}

/// A history, and what has been found out about it.
struct Case<'a, O: Object> {
    history: &'a History<O>,
    budget: u64,
    complaints: Option<Complaints>,
    without_source: Option<Vec<usize>>,
    sequential: OnceCell<Outcome>,
    linearizable: OnceCell<Outcome>,
}

impl<O: Object> Case<'_, O> {
    /// The witness order decides if it is valid. If it fails, another order may still be valid.
    fn find(&self, consistency: Consistency) -> Finding {
        let broken = self.complaints.as_ref().map(|complaints| complaints.about(consistency));
        let finding = Finding {
            consistency,
            verdict: Verdict::Undecided,
            method: Method::Search,
            broken_witness: broken.flatten().map(|it| describe(self.history, it)),
            order: None,
            explanation: None,
        };
        if broken == Some(None) {
            return Finding { verdict: Verdict::Consistent, method: Method::Witness, ..finding };
        }
        if let Some(core) = &self.without_source {
            return Finding {
                verdict: Verdict::Violated,
                method: Method::Sources,
                explanation: Some(self.explain(core, consistency)),
                ..finding
            };
        }
        match self.decide(consistency) {
            (_, Outcome::Explained(order)) => Finding {
                verdict: Verdict::Consistent,
                order: Some(order.iter().map(|&index| shown(self.history, index)).collect()),
                ..finding
            },
            (searched, Outcome::Unexplained(_)) => {
                let core = shrink(self.history, searched, self.budget);
                Finding {
                    verdict: Verdict::Violated,
                    explanation: Some(self.explain(&core, searched)),
                    ..finding
                }
            }
            (_, Outcome::Undecided) => match broken.flatten() {
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
            Outcome::Unexplained(_) => {
                let core = shrink_among::<O>(operations, &part, consistency, self.budget);
                Finding {
                    verdict: Verdict::Violated,
                    explanation: Some(self.explain(&core, consistency)),
                    ..finding
                }
            }
            Outcome::Explained(_) | Outcome::Undecided => finding,
        }
    }

    /// What a search says, and for which consistency it was made: where it is given up for one,
    /// that for the other may know.
    fn decide(&self, wanted: Consistency) -> (Consistency, &Outcome) {
        let (sequential, linearizable) = (Consistency::Sequential, Consistency::Linearizable);
        let operations = self.history.operations();
        match (wanted, self.searched(wanted)) {
            (Consistency::Sequential, Outcome::Undecided) => match self.searched(linearizable) {
                // As long as it leaves each process its order, one that respects time will do.
                found @ Outcome::Explained(order)
                    if out_of_sequence(operations, order).is_none() =>
                {
                    (linearizable, found)
                }
                _ => (wanted, &Outcome::Undecided),
            },
            // To respect time is to leave each process its order, if it does one after the other.
            (Consistency::Linearizable, Outcome::Undecided) if one_at_a_time(operations) => {
                match self.searched(sequential) {
                    found @ Outcome::Unexplained(_) => (sequential, found),
                    _ => (wanted, &Outcome::Undecided),
                }
            }
            (_, found) => (wanted, found),
        }
    }

    fn searched(&self, consistency: Consistency) -> &Outcome {
        let outcome = match consistency {
            Consistency::Sequential => &self.sequential,
            Consistency::Linearizable => &self.linearizable,
        };
        outcome.get_or_init(|| search(self.history, consistency, self.budget))
    }

    /// The reason why no order of these operations is valid.
    fn explain(&self, core: &[usize], consistency: Consistency) -> Explanation {
        let operations = self.history.operations();
        let outcome = search_among::<O>(operations, core, consistency, &mut self.budget.clone());
        let Outcome::Unexplained(stuck) = outcome else {
            unreachable!("the core was unexplained before");
        };
        let show = |index: usize| shown(self.history, index);
        let reason = |index: usize, obstacle| match obstacle {
            Obstacle::Answer(right) => format!("the result would be {}", said(right)),
            Obstacle::After(first) => format!("only after {}", show(first)),
            Obstacle::NoSource => {
                let found = said(operations[index].answer());
                format!("no operation inserts {found}")
            }
        };
        let stopped = |(index, it)| (show(index), reason(index, it));
        Explanation {
            core: core.iter().copied().map(show).collect(),
            explained: stuck.order.into_iter().map(show).collect(),
            stuck: stuck.next.into_iter().map(stopped).collect(),
        }
    }
}

/// Whether no process asks before it has the answer to its last question.
fn one_at_a_time<Op: Copy>(operations: &[Operation<Op>]) -> bool {
    let place = |operation: &Operation<Op>| (operation.process, operation.seq);
    let placed: HashMap<_, _> = operations.iter().map(|it| (place(it), it)).collect();
    operations.iter().all(|operation| {
        let next = placed.get(&(operation.process, operation.seq + 1));
        next.is_none_or(|next| operation.precedes(next))
    })
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

fn shown<O: Object>(history: &History<O>, index: usize) -> Shown {
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
