//! Finds a token by how it behaves.

use crate::account::{Account, Fate, Message, SpanKind};

/// Something of which there is one, and which nodes pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of the messages that carry it.
    pub name: String,
    /// Where it is at the end; none if it is in transit or lost.
    pub at: Option<usize>,
    /// Each node that had the token, and the node to which it passed it last. Followed from node to
    /// node, these pairs lead to the token.
    pub ways: Vec<(usize, usize)>,
}

impl Token {
    /// The kind of messages that behaves like a token, if there is one: a node that sends the next
    /// one has received the one before, and a node that is granted what it asked for has it.
    /// Nothing else is known about the algorithm. Of two nodes nothing can be said, because
    /// permissions go to and fro between them as well.
    pub(super) fn find(account: &Account) -> Option<Self> {
        let mut kinds: Vec<_> = account.messages.iter().map(|it| it.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        // A token can have passengers, and then its messages are of several kinds.
        let is_alike = |kind: &str, name: &str| kind.split('.').any(|part| part.starts_with(name));
        let found = |name: &&str| is_token(account, |it: &Message| is_alike(&it.kind, name));
        let name = kinds.into_iter().filter(|_| account.nodes > 2).find(found)?;
        let passed = account.messages.iter().filter(|it| is_alike(&it.kind, name));
        let passed: Vec<_> = passed.collect();
        let last = passed.last()?;
        let at = matches!(last.fate, Fate::Arrived(_)).then_some(last.to);
        let way = |node: usize| {
            let last = passed.iter().rfind(|it| it.from == node && at != Some(node))?;
            Some((node, last.to))
        };
        let ways = (0..account.nodes).filter_map(way).collect();
        Some(Self { name: name.to_owned(), at, ways })
    }
}

/// Whether these messages are one thing that goes from node to node.
fn is_token(account: &Account, is_meant: impl Fn(&Message) -> bool) -> bool {
    let passed: Vec<_> = account.messages.iter().filter(|it| is_meant(it)).collect();
    let Some(first) = passed.first() else { return false };
    let follows = |pair: &[&Message]| match pair[0].fate {
        Fate::Arrived(event) => pair[1].from == pair[0].to && Some(event) <= pair[1].sent,
        _ => false,
    };
    // Where it is when something happens.
    let holder = |event: usize| {
        let arrived = passed.iter().rfind(|it| matches!(it.fate, Fate::Arrived(at) if at <= event));
        arrived.map_or(first.from, |it| it.to)
    };
    let mut grants = account.spans.iter().filter(|span| span.kind == SpanKind::Held);
    let has_grants = grants.clone().next().is_some();
    has_grants
        && passed.windows(2).all(follows)
        && grants.all(|span| holder(span.from) == span.node)
}
