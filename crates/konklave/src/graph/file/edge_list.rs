use std::borrow::Cow;

use smallvec::SmallVec;

use super::{Draft, bad, numeral};
use crate::graph::{Graph, GraphError};

pub(super) fn read(text: &str) -> Result<Graph, GraphError> {
    let mut draft = Draft::default();
    let mut announced = None;
    let mut is_first = true;
    for (line, content) in (1..).zip(text.lines()) {
        let words = content.split(|c: char| c.is_whitespace() || c == ',');
        let words = words.filter(|word| !word.is_empty());
        let words: SmallVec<[&str; 4]> =
            words.take_while(|word| !word.starts_with(['#', '%'])).collect();
        match words[..] {
            [] => continue,
            ["nodes", count] if is_first => {
                let count = count.parse().ok().filter(|&count: &u32| count > 0);
                let problem = || format!("`{}` is not a number of nodes", words[1]);
                announced = Some((count.ok_or_else(|| bad(line, problem()))?, line));
            }
            [from, to] => {
                let from = draft.node(Cow::Borrowed(from), line);
                let to = draft.node(Cow::Borrowed(to), line);
                draft.edge(from, to, line, false)?;
            }
            [word] => return Err(bad(line, format!("two nodes are needed, found only `{word}`"))),
            _ => {
                let problem = format!("two nodes are needed, found {} words", words.len());
                return Err(bad(line, problem));
            }
        }
        is_first = false;
    }
    if let Some((count, line)) = announced {
        check_announced(&mut draft, count, line)?;
    }
    draft.finish()
}

/// Nodes are known by their edges, so an announced node that does not appear would be isolated,
/// which is allowed for a single node only.
fn check_announced(draft: &mut Draft<'_>, count: u32, line: u32) -> Result<(), GraphError> {
    if count == 1 && draft.nodes.is_empty() {
        draft.node(Cow::Borrowed("0"), line);
    }
    if let Some((name, first_seen)) = draft.nodes.get(count as usize) {
        let problem = format!("node `{name}` is one more than the {count} of line {line}");
        return Err(bad(*first_seen, problem));
    }
    let found = draft.nodes.len() as u32;
    if found == count {
        return Ok(());
    }
    let numbered = draft.nodes.iter().all(|(name, _)| numeral(name).is_some_and(|n| n < count));
    let missing = (0..count).find(|number| !draft.numbers.contains_key(&*number.to_string()));
    Err(match missing {
        Some(number) if numbered => bad(line, format!("node `{number}` has no edge")),
        _ => bad(line, format!("{count} nodes are announced, but only {found} have edges")),
    })
}
