//! The whole check: read, judge, explain.

use std::fmt::{self, Display};
use std::io::BufRead;

use serde::Serialize;
use serde_json::Value;

use super::read::{Malformed, read_header};
use super::search::search_among;
use super::{
    Answer, Complaint, Complaints, Consistency, Dictionary, Heap, History, Object, Obstacle,
};
use super::{Operation, Outcome, Queue, Register, Stack, check_witness, search, shrink};

/// How many words a search may remember, unless somebody knows better: some hundred megabytes.
pub const BUDGET: u64 = 20_000_000;

/// What there is to say about a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The object's name.
    pub object: &'static str,
    /// How many operations there are.
    pub operations: usize,
    /// How many of them have not returned.
    pub pending: usize,
    /// How many processes there are.
    pub processes: usize,
    /// What was found, for each consistency that was asked for.
    pub findings: Vec<Finding>,
}

/// Whether a history has one kind of consistency, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which kind.
    pub consistency: Consistency,
    /// Whether it has.
    pub verdict: Verdict,
    /// How that was found out.
    pub method: Method,
    /// What is wrong with the order that the witnesses give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_witness: Option<String>,
    /// An order that the search found. It leaves out pending operations without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<Shown>>,
    /// Why the search found none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// Whether a history is consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is.
    Consistent,
    /// It is not; or, if the method is the witness, it is not what the object claims it to be, and
    /// too long to find out whether another order explains it.
    Violated,
    /// The search ended without a result.
    Undecided,
}

/// How a verdict was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By the order that the witnesses give.
    Witness,
    /// By a search among all orders.
    Search,
}

/// Why no order explains a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Operations that no order explains, whatever the others did.
    pub core: Vec<Shown>,
    /// As many of them as can be explained, in order.
    pub explained: Vec<Shown>,
    /// Those that would have to go next, each with the reason why it cannot.
    pub stuck: Vec<(Shown, String)>,
}

/// An operation as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Who asked.
    pub process: u32,
    /// Its number among those of the process.
    pub seq: u32,
    /// What was asked and answered, such as `dequeue -> 5`.
    pub what: String,
    /// When it was asked.
    pub invoked: u64,
    /// When it was answered.
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
        name => unreachable!("{name} is no object"),
    })
}

fn judge<O: Object>(history: &History<O>, wanted: &[Consistency], budget: u64) -> Report {
    let complaints = history.has_witness().then(|| check_witness(history));
    let find = |&consistency: &Consistency| find(history, consistency, complaints.as_ref(), budget);
    Report {
        object: O::NAME,
        operations: history.operations().len(),
        pending: history.operations().iter().filter(|o| o.is_pending()).count(),
        processes: history.processes(),
        findings: wanted.iter().map(find).collect(),
    }
}

/// The witness decides if it can. If it is broken, another order may still explain the history.
fn find<O: Object>(
    history: &History<O>,
    consistency: Consistency,
    complaints: Option<&Complaints>,
    budget: u64,
) -> Finding {
    let finding = |verdict, method| Finding {
        consistency,
        verdict,
        method,
        broken_witness: None,
        order: None,
        explanation: None,
    };
    let broken = complaints.map(|complaints| complaints.about(consistency));
    if broken == Some(None) {
        return finding(Verdict::Consistent, Method::Witness);
    }
    let broken_witness = broken.flatten().map(|it| describe(history, it));
    let show = |order: &[usize]| order.iter().map(|&index| shown(history, index)).collect();
    match search(history, consistency, budget) {
        Outcome::Explained(order) => Finding {
            order: Some(show(&order)),
            broken_witness,
            ..finding(Verdict::Consistent, Method::Search)
        },
        Outcome::Unexplained(_) => Finding {
            explanation: Some(explain(history, consistency, budget)),
            broken_witness,
            ..finding(Verdict::Violated, Method::Search)
        },
        Outcome::Undecided if broken_witness.is_some() => {
            Finding { broken_witness, ..finding(Verdict::Violated, Method::Witness) }
        }
        Outcome::Undecided => finding(Verdict::Undecided, Method::Search),
    }
}

fn explain<O: Object>(history: &History<O>, consistency: Consistency, budget: u64) -> Explanation {
    let core = shrink(history, consistency, budget);
    let operations = history.operations();
    let outcome = search_among::<O>(operations, &core, consistency, &mut budget.clone());
    let Outcome::Unexplained(stuck) = outcome else {
        unreachable!("the core was unexplained before");
    };
    let show = |index: usize| shown(history, index);
    let reason = |obstacle| match obstacle {
        Obstacle::Answer(right) => format!("the answer would be {}", said(right)),
        Obstacle::After(first) => format!("only after {}", show(first)),
    };
    Explanation {
        core: core.iter().copied().map(show).collect(),
        explained: stuck.order.into_iter().map(show).collect(),
        stuck: stuck.next.into_iter().map(|(index, it)| (show(index), reason(it))).collect(),
    }
}

fn describe<O: Object>(history: &History<O>, complaint: Complaint) -> String {
    let show = |index| shown(history, index);
    match complaint {
        Complaint::SamePlace(one, other) => {
            format!("{} and {} have the same witness", show(one), show(other))
        }
        Complaint::WrongAnswer(index, right) => {
            format!("{}, where the answer would be {}", show(index), said(right))
        }
        Complaint::OutOfSequence(early, late) => {
            format!("{} stands before {}, which was issued earlier", show(early), show(late))
        }
        Complaint::AgainstTime(early, late) => {
            let (early, late) = (show(early), show(late));
            let returned = late.returned.unwrap_or_default();
            format!(
                "{early}, invoked at {}, stands before {late}, returned at {returned}",
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
