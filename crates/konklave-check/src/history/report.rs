//! The check of a history: read, judge, explain.

use std::fmt::{self, Display};
use std::io::BufRead;

use serde::Serialize;

use super::case::Case;
use super::joint::{Joint, Numbered, Part};
use super::read::{Lines, Malformed, Subject, Visitor, read_header, read_several};
use super::{Condition, Consistency, History, Object, SearchedOrder, check_conditions};
use super::{pipelining, processes};

/// The default budget of a search, in words of memory: some hundred megabytes.
pub const BUDGET: u64 = 20_000_000;

/// The report about a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryReport {
    /// The name of the object, if the history is about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What kind of object it is.
    pub object: &'static str,
    /// The number of operations.
    pub operations: usize,
    /// The number of pending operations.
    pub pending: usize,
    /// The number of processes.
    pub processes: usize,
    /// The number of processes that pipeline: they invoke an operation before the last one has
    /// returned.
    pub pipelining: usize,
    /// A finding for each consistency condition requested. If a process pipelines and the history
    /// is both sequentially consistent and linearizable, also whether one order proves both.
    pub findings: Vec<Finding>,
    /// Of a queue, a stack or a heap with a witness: what a second judge says, who looks at
    /// conditions on the witness order instead of replaying it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Judged>,
}

/// Whether the witness order meets a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The condition.
    pub condition: Condition,
    /// What it demands.
    pub demand: &'static str,
    /// Whether the order meets it.
    pub holds: bool,
}

/// The verdict about one consistency condition, and its justification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The consistency condition.
    pub consistency: Consistency,
    /// The verdict.
    pub verdict: HistoryVerdict,
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
pub enum HistoryVerdict {
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
    /// Of several objects: what was found about each of them decides.
    Objects,
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

/// What was found out about a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// A report for each object.
    pub objects: Vec<HistoryReport>,
    /// If there are several: whether one order explains all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<HistoryReport>,
}

/// Reads a history and judges it. The budget is that of [`search`](super::search()), for each
/// search that turns out to be necessary.
pub fn check(
    mut input: impl BufRead,
    wanted: &[Consistency],
    budget: u64,
) -> Result<Judgement, Malformed> {
    let judge = Judge { wanted, budget };
    match read_header(&mut input)? {
        Subject::One(kind) => {
            let objects = vec![kind.visit(Alone { judge, input })?];
            Ok(Judgement { objects, together: None })
        }
        Subject::Several(objects) => {
            let parts = read_several(input, objects)?;
            let (mut reports, mut histories) = (Vec::new(), Vec::new());
            for (name, kind, part) in parts {
                let (report, history) = kind.visit(Several { judge, part })?;
                reports.push(HistoryReport { name: Some(name.clone()), ..report });
                histories.push((name, history));
            }
            let together = judge.together(Joint::new(histories), &reports);
            Ok(Judgement { objects: reports, together: Some(together) })
        }
    }
}

/// What is to be found out.
#[derive(Clone, Copy)]
struct Judge<'a> {
    wanted: &'a [Consistency],
    budget: u64,
}

/// A history of one object, to be read.
struct Alone<'a, R> {
    judge: Judge<'a>,
    input: R,
}

impl<R: BufRead> Visitor for Alone<'_, R> {
    type Output = Result<HistoryReport, Malformed>;

    fn visit<O: Object>(self) -> Self::Output {
        Ok(self.judge.report(&History::<O>::read(self.input)?))
    }
}

/// The operations on one of several objects.
struct Several<'a> {
    judge: Judge<'a>,
    part: Lines,
}

impl Visitor for Several<'_> {
    type Output = Result<(HistoryReport, Box<dyn Part>), Malformed>;

    fn visit<O: Object>(self) -> Self::Output {
        let history = History::<O>::part(self.part)?;
        Ok((self.judge.report(&history), Box::new(Numbered::new(history))))
    }
}

impl Judge<'_> {
    fn report<O: Object>(self, history: &History<O>) -> HistoryReport {
        let case = Case::new(history, self.budget);
        let find = |&consistency| case.find(consistency);
        let mut findings: Vec<Finding> = self.wanted.iter().map(find).collect();
        if self.asks_for_both(case.pipelining, &findings) {
            findings.push(case.find(Consistency::LinearizableInProgramOrder));
        }
        HistoryReport {
            name: None,
            object: O::NAME,
            operations: history.operations().len(),
            pending: history.operations().iter().filter(|o| o.is_pending()).count(),
            processes: history.processes(),
            pipelining: case.pipelining,
            findings,
            conditions: check_conditions(history)
                .into_iter()
                .map(|(condition, holds)| Judged { condition, demand: condition.demand(), holds })
                .collect(),
        }
    }

    /// Whether one order explains all objects.
    fn together(self, mut joint: Joint, reports: &[HistoryReport]) -> HistoryReport {
        let pipelining = pipelining(joint.operations());
        let is_local = !joint.has_ties();
        let mut find = |wanted: Consistency| {
            let finding = Finding {
                consistency: wanted,
                verdict: HistoryVerdict::Consistent,
                method: Method::Objects,
                broken_witness: None,
                order: None,
                explanation: None,
            };
            let found = |kind: Consistency, verdict| {
                let is_it = |it: &Finding| it.consistency == kind && it.verdict == verdict;
                reports.iter().map(|report| report.findings.iter().any(is_it)).collect::<Vec<_>>()
            };
            if found(wanted, HistoryVerdict::Violated).contains(&true) {
                return Finding { verdict: HistoryVerdict::Violated, ..finding };
            }
            // If every process waits, an order that keeps real time keeps program order, too.
            let is_enough = wanted == Consistency::Linearizable || pipelining == 0;
            let are_linearizable =
                !found(Consistency::Linearizable, HistoryVerdict::Consistent).contains(&false);
            if is_local && is_enough && are_linearizable {
                return finding;
            }
            let finding = Finding { method: Method::Search, ..finding };
            match joint.search(wanted, self.budget) {
                SearchedOrder::Explained(order) => {
                    let order = order.iter().map(|&index| joint.shown(index)).collect();
                    Finding { order: Some(order), ..finding }
                }
                SearchedOrder::Unexplained(_) => Finding {
                    verdict: HistoryVerdict::Violated,
                    explanation: Some(joint.explain(wanted, self.budget)),
                    ..finding
                },
                SearchedOrder::Undecided => {
                    Finding { verdict: HistoryVerdict::Undecided, ..finding }
                }
            }
        };
        let mut findings: Vec<Finding> = self.wanted.iter().copied().map(&mut find).collect();
        if self.asks_for_both(pipelining, &findings) {
            findings.push(find(Consistency::LinearizableInProgramOrder));
        }
        let pending = joint.operations().iter().filter(|it| it.is_pending()).count();
        HistoryReport {
            name: None,
            object: "all together",
            operations: joint.operations().len(),
            pending,
            processes: processes(joint.operations()),
            pipelining,
            findings,
            conditions: Vec::new(),
        }
    }

    /// Orders for each of two conditions need not be the same.
    fn asks_for_both(self, pipelining: usize, findings: &[Finding]) -> bool {
        let both = [Consistency::Sequential, Consistency::Linearizable];
        let holds = |finding: &Finding| finding.verdict == HistoryVerdict::Consistent;
        self.wanted == both && pipelining > 0 && findings.iter().all(holds)
    }
}
