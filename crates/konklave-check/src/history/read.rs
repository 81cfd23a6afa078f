//! Reading and writing histories, with errors for malformed ones.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};
use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Dictionary, Heap, History, Nature, Object, Operation};
use super::{OrderedSet, Queue, Register, Stack};

/// The version of the format. A reader refuses others.
pub const VERSION: u32 = 1;

/// The objects whose histories can be checked.
pub const OBJECTS: [&str; 6] =
    [Register::NAME, Dictionary::NAME, OrderedSet::NAME, Queue::NAME, Stack::NAME, Heap::NAME];

/// A kind of object, one of [`OBJECTS`].
#[derive(Clone, Copy)]
pub(super) struct Kind(&'static str);

/// Something that is done with a kind of object.
pub(super) trait Visitor {
    type Output;

    fn visit<O: Object>(self) -> Self::Output;
}

impl Kind {
    fn find(name: &str) -> Option<Self> {
        OBJECTS.into_iter().find(|known| *known == name).map(Self)
    }

    pub(super) fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        match self.0 {
            Register::NAME => visitor.visit::<Register>(),
            Dictionary::NAME => visitor.visit::<Dictionary>(),
            OrderedSet::NAME => visitor.visit::<OrderedSet>(),
            Queue::NAME => visitor.visit::<Queue>(),
            Stack::NAME => visitor.visit::<Stack>(),
            Heap::NAME => visitor.visit::<Heap>(),
            name => unreachable!("{name} is not an object"),
        }
    }
}

/// What a history is about.
pub(super) enum Subject {
    One(Kind),
    /// Objects by their names.
    Several(BTreeMap<String, Kind>),
}

/// The first line of a history.
#[derive(Serialize, Deserialize)]
struct Header {
    konklave_history: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    objects: Option<BTreeMap<String, String>>,
}

/// The operations on one of several objects, each with its line.
pub(super) type Lines = Vec<(usize, Operation<Value>)>;

/// An error in a history: the line and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Counted from one.
    pub line: usize,
    /// The problem, and what is valid.
    pub problem: String,
}

impl Malformed {
    /// Operations begin on the second line.
    fn operation(index: usize, problem: impl Into<String>) -> Self {
        Self { line: index + 2, problem: problem.into() }
    }
}

impl Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for Malformed {}

/// Reads the first line.
pub(super) fn read_header(input: &mut impl BufRead) -> Result<Subject, Malformed> {
    let wrong = |problem: String| Malformed { line: 1, problem };
    let form = format!(r#"{{"konklave_history":{VERSION},"object":"queue"}}"#);
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| wrong(error.to_string()))?;
    if line.is_empty() {
        return Err(wrong(format!("the file is empty; it has to begin with {form}")));
    }
    let header: Header = serde_json::from_str(&line).map_err(|error| {
        wrong(format!("this is not a history, which begins with {form}: {}", explain(&error)))
    })?;
    if header.konklave_history != VERSION {
        let theirs = header.konklave_history;
        let problem = format!("version {theirs} of the format; only {VERSION} can be read");
        return Err(wrong(problem));
    }
    let kind = |name: &str| {
        Kind::find(name).ok_or_else(|| {
            let known = OBJECTS.join(", ");
            wrong(format!("there is no object '{name}': valid objects are {known}"))
        })
    };
    match (header.object, header.objects) {
        (Some(name), None) => kind(&name).map(Subject::One),
        (None, Some(objects)) if !objects.is_empty() => {
            let named = objects.into_iter().map(|(name, of)| Ok((name, kind(&of)?)));
            named.collect::<Result<_, _>>().map(Subject::Several)
        }
        _ => Err(wrong(format!(
            "it names no object, or both 'object' and 'objects': write {form}, or name several as \
             in {{\"konklave_history\":{VERSION},\"objects\":{{\"jobs\":\"queue\"}}}}"
        ))),
    }
}

/// Reads what stands below the first line, each operation with the name of its object. Returns the
/// operations on each object.
pub(super) fn read_several(
    input: impl BufRead,
    objects: BTreeMap<String, Kind>,
) -> Result<Vec<(String, Kind, Lines)>, Malformed> {
    let mut all: Vec<Operation<Value>> = Vec::new();
    let mut parts: BTreeMap<String, Lines> = BTreeMap::new();
    for (index, line) in input.lines().enumerate() {
        let wrong = |problem: String| Malformed::operation(index, problem);
        let line = line.map_err(|error| wrong(error.to_string()))?;
        let mut fields: serde_json::Map<String, Value> =
            serde_json::from_str(&line).map_err(|error| wrong(explain(&error)))?;
        let name = match fields.remove("object") {
            Some(Value::String(name)) if objects.contains_key(&name) => name,
            other => {
                let named = other.map_or("no object".to_owned(), |it| format!("the object {it}"));
                let known = objects.keys().cloned().collect::<Vec<_>>().join(", ");
                return Err(wrong(format!("it is about {named}; the first line names {known}")));
            }
        };
        let operation = serde_json::from_value(Value::Object(fields));
        let operation: Operation<Value> = operation.map_err(|error| wrong(error.to_string()))?;
        all.push(operation.clone());
        parts.entry(name).or_default().push((index + 2, operation));
    }
    in_sequence(&all)?;
    let part = |(name, kind)| {
        let lines = parts.remove(&name).unwrap_or_default();
        (name, kind, lines)
    };
    Ok(objects.into_iter().map(part).collect())
}

/// What the parser says, without its idea of line numbers.
fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("{text}, at column {}", error.column())
}

impl<O: Object> History<O> {
    /// Reads everything below the first line.
    pub(super) fn read(mut input: impl BufRead) -> Result<Self, Malformed> {
        let mut operations = Vec::new();
        let mut line = String::new();
        loop {
            let wrong = |problem| Malformed::operation(operations.len(), problem);
            line.clear();
            match input.read_line(&mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return Err(wrong(error.to_string())),
            }
            let operation = serde_json::from_str(&line);
            operations.push(operation.map_err(|error| wrong(explain(&error)))?);
        }
        if operations.is_empty() {
            let problem = "the history has no operations, so there is nothing to check";
            return Err(Malformed::operation(0, problem));
        }
        Self::new(operations)
    }

    /// The operations on one of several objects.
    pub(super) fn part(lines: Lines) -> Result<Self, Malformed> {
        let mut operations = Vec::new();
        let mut at = Vec::new();
        for (line, Operation { process, seq, op, result, invoked, returned, witness }) in lines {
            let op = serde_json::from_value(op)
                .map_err(|error| Malformed { line, problem: error.to_string() })?;
            operations.push(Operation { process, seq, op, result, invoked, returned, witness });
            at.push(line);
        }
        Self::of(operations, |index| at[index])
    }

    /// The history of these operations, unless they contradict each other.
    pub fn new(operations: Vec<Operation<O::Op>>) -> Result<Self, Malformed> {
        in_sequence(&operations)?;
        Self::of(operations, |index| index + 2)
    }

    /// The same for some of the operations of each process, and the line of each.
    fn of(
        operations: Vec<Operation<O::Op>>,
        line: impl Fn(usize) -> usize,
    ) -> Result<Self, Malformed> {
        for (index, operation) in operations.iter().enumerate() {
            well_formed::<O>(operation)
                .map_err(|problem| Malformed { line: line(index), problem })?;
        }
        inserted_once::<O>(&operations, &line)?;
        witnessed(&operations, &line)?;
        Ok(Self { operations })
    }
}

/// Validates one operation.
fn well_formed<O: Object>(operation: &Operation<O::Op>) -> Result<(), String> {
    let asks = O::nature(operation.op).asks();
    match (operation.returned, operation.result) {
        (Some(returned), _) if returned < operation.invoked => {
            let invoked = operation.invoked;
            Err(format!("it returned at {returned}, before it was invoked at {invoked}"))
        }
        (None, Some(_)) => Err("it has a result, so it needs a time 'returned'".to_owned()),
        (Some(_), None) if asks => {
            Err("it returned, so it needs a 'result': a number, or null for no value".to_owned())
        }
        (Some(_), Some(Some(_))) if !asks => {
            Err("this operation has no 'result': leave it out".to_owned())
        }
        _ => Ok(()),
    }
}

/// Each process issues its operations 0, 1, 2, ... one after the other.
fn in_sequence<Op>(operations: &[Operation<Op>]) -> Result<(), Malformed> {
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.sort_by_key(|&index| (operations[index].process, operations[index].seq));
    let mut before: Option<&Operation<Op>> = None;
    for index in order {
        let this = &operations[index];
        let (process, seq) = (this.process, this.seq);
        let before = before.replace(this).filter(|before| before.process == process);
        let expected = before.map_or(0, |before| u64::from(before.seq) + 1);
        if u64::from(seq) < expected {
            let problem = format!("process {process} has two operations with seq {seq}");
            return Err(Malformed::operation(index, problem));
        }
        if u64::from(seq) > expected {
            let problem = format!("seq {seq} of process {process}, but seq {expected} is missing");
            return Err(Malformed::operation(index, problem));
        }
        if before.is_some_and(|before| before.invoked > this.invoked) {
            let problem = format!(
                "seq {seq} of process {process} is invoked at {}, before seq {}",
                this.invoked,
                seq - 1
            );
            return Err(Malformed::operation(index, problem));
        }
    }
    Ok(())
}

/// No element is inserted twice: one could not tell which of them was removed. That one is removed
/// twice, or was never inserted, makes sense as a history: it cannot be explained, and the check
/// will say so.
fn inserted_once<O: Object>(
    operations: &[Operation<O::Op>],
    line: impl Fn(usize) -> usize,
) -> Result<(), Malformed> {
    let mut inserted = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        if let Nature::Insert(id) = O::nature(operation.op)
            && let Some(first) = inserted.insert(id, index)
        {
            let problem = format!("{id} is inserted a second time, after line {}", line(first));
            return Err(Malformed { line: line(index), problem });
        }
    }
    Ok(())
}

/// A history has a witness for every operation that has returned, or no witness at all.
fn witnessed<Op: Copy>(
    operations: &[Operation<Op>],
    line: impl Fn(usize) -> usize,
) -> Result<(), Malformed> {
    let Some(with) = operations.iter().position(|operation| operation.witness.is_some()) else {
        return Ok(());
    };
    let is_without = |o: &Operation<Op>| o.witness.is_none() && !o.is_pending();
    match operations.iter().position(is_without) {
        Some(without) => {
            let problem = format!(
                "it has no witness, but line {} has one: give all of them a witness, or none",
                line(with)
            );
            Err(Malformed { line: line(without), problem })
        }
        None => Ok(()),
    }
}

/// Writes a history in the form that is read.
pub fn write<O: Object>(history: &History<O>, mut out: impl Write) -> io::Result<()> {
    let object = Some(O::NAME.to_owned());
    let header = Header { konklave_history: VERSION, object, objects: None };
    serde_json::to_writer(&mut out, &header)?;
    writeln!(out)?;
    for operation in history.operations() {
        serde_json::to_writer(&mut out, operation)?;
        writeln!(out)?;
    }
    out.flush()
}
