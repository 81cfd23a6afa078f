use konklave::NodeId;
use serde_json::Value;

/// How each command is written. The error for a line that is not understood shows them.
const FORMS: [&str; 16] = [
    "NODE COMMAND [JSON]",
    "deliver [all]",
    "deliver A -> B [K]",
    "settle",
    "lose A -> B [K]",
    "duplicate A -> B [K]",
    "timer NODE [NAME]",
    "tick all|NODE",
    "choose NUMBER...",
    "crash NODE",
    "rest",
    "state NODE",
    "watch all|NODE",
    "flight",
    "count",
    "start",
];

/// One line above `---`.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// The application gives a command, here in serde's form.
    Ask {
        node: NodeId,
        command: Value,
    },
    Round,
    Settle,
    Deliver(Pick),
    Lose(Pick),
    Duplicate(Pick),
    /// The pending timer whose name starts so; any name starts with the empty one.
    Timer {
        node: NodeId,
        name: String,
    },
    Tick(NodeId),
    TickAll,
    Choose(Vec<u32>),
    Crash(NodeId),
    Rest,
    State(NodeId),
    Watch(NodeId),
    WatchAll,
    Flight,
    Count,
    Start,
}

/// A message in transit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// How many older ones from `from` to `to` there are.
    pub(super) older: usize,
}

impl Command {
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let understood = match words[..] {
            ["deliver"] => Some(Self::Round),
            ["deliver", "all"] | ["settle"] => Some(Self::Settle),
            ["deliver", ref pick @ ..] => Pick::parse(pick).map(Self::Deliver),
            ["lose", ref pick @ ..] => Pick::parse(pick).map(Self::Lose),
            ["duplicate", ref pick @ ..] => Pick::parse(pick).map(Self::Duplicate),
            ["timer", node, ..] => {
                let name = after_two_words(line).to_owned();
                node_id(node).map(|node| Self::Timer { node, name })
            }
            ["tick", "all"] => Some(Self::TickAll),
            ["tick", node] => node_id(node).map(Self::Tick),
            ["choose", _, ..] => {
                let values = words[1..].iter().map(|value| value.parse().ok());
                values.collect::<Option<_>>().map(Self::Choose)
            }
            ["crash", node] => node_id(node).map(Self::Crash),
            ["rest"] => Some(Self::Rest),
            ["state", node] => node_id(node).map(Self::State),
            ["watch", "all"] => Some(Self::WatchAll),
            ["watch", node] => node_id(node).map(Self::Watch),
            ["flight"] => Some(Self::Flight),
            ["count"] => Some(Self::Count),
            ["start"] => Some(Self::Start),
            [node, name, ..] => match node_id(node) {
                Some(node) => {
                    let command = application_command(name, after_two_words(line))?;
                    Some(Self::Ask { node, command })
                }
                None => None,
            },
            _ => None,
        };
        understood.ok_or_else(|| not_understood(line, words.first()))
    }
}

impl Pick {
    fn parse(words: &[&str]) -> Option<Self> {
        let (from, to, place) = match words {
            [from, "->", to] => (from, to, 1),
            [from, "->", to, place] => (from, to, place.parse().ok()?),
            _ => return None,
        };
        let older = usize::checked_sub(place, 1)?;
        Some(Self { from: node_id(from)?, to: node_id(to)?, older })
    }
}

fn node_id(word: &str) -> Option<NodeId> {
    word.parse().ok().map(NodeId)
}

fn after_two_words(line: &str) -> &str {
    after_word(after_word(line)).trim()
}

fn after_word(text: &str) -> &str {
    text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
}

fn application_command(name: &str, argument: &str) -> Result<Value, String> {
    let variant = pascal_case(name);
    if argument.is_empty() {
        return Ok(Value::String(variant));
    }
    match serde_json::from_str(argument) {
        Ok(argument) => Ok(Value::Object([(variant, argument)].into_iter().collect())),
        Err(error) => Err(format!("the argument `{argument}` is no JSON: {error}")),
    }
}

/// `put-all` is `PutAll`.
fn pascal_case(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split('-').map(capital).collect()
}

fn not_understood(line: &str, keyword: Option<&&str>) -> String {
    let is_form = |form: &&str| form.split(' ').next() == keyword.copied();
    let forms: Vec<_> = FORMS.into_iter().filter(is_form).collect();
    let forms = if forms.is_empty() { &FORMS[..] } else { &forms[..] };
    let forms: Vec<_> = forms.iter().map(|form| format!("`{form}`")).collect();
    format!("`{line}` is not understood; right would be {}", forms.join(" or "))
}
