//! Entries of a trie as words of a dictionary of numbers.

use super::Label;
use super::record::{Inner, Leaf, Record};
use super::task::Change;
use crate::circle::{Mixer, Salt};
use crate::dictionary::DictionaryOp;

/// The lengths that stand for no label, and for infinity.
const NONE: u64 = 127;
const INFINITY: u64 = 126;
/// The number of bits of a length.
const SIZE: u32 = 7;
/// The keys of words.
const WORD: Salt = Salt(73);

/// Writes the entry of a node as several words: a header, with the kind of the node and the lengths
/// of the labels in it, and one word for each label that is not a prefix of the node's own. Labels
/// have at most 65 bits, of which the first is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Words {
    mixer: Mixer,
}

impl Words {
    /// Words whose keys are drawn by these functions.
    pub fn new(mixer: Mixer) -> Self {
        Self { mixer }
    }

    /// The key of a word of an entry: labels are hashed with their lengths.
    pub fn key(self, label: &Label, place: usize) -> u64 {
        self.mixer.mix_pair(label.tail(), size(Some(label)) << 8 | place as u64, WORD)
    }

    /// The key of the number of the version.
    pub fn version(self) -> u64 {
        self.mixer.mix_pair(0, NONE << 8, WORD)
    }

    /// The entry of a node, if it is there, in a dictionary that answers at once.
    pub(super) fn find(self, label: &Label, get: impl Fn(u64) -> Option<u64>) -> Option<Record> {
        let header = get(self.key(label, 0))?;
        let words = (0..count(header)).map(|place| get(self.key(label, place)).unwrap_or(0));
        Some(decode(label, &words.collect::<Vec<_>>()))
    }

    /// What has to be put and deleted so that an entry changes: only words that differ.
    pub(super) fn changes(self, change: &Change, is_linked: bool) -> Vec<DictionaryOp> {
        let Change { label, before, after } = change;
        // The entries of an empty trie need not be there.
        let initial = Record::initial(label, is_linked);
        let stored = before.as_ref().filter(|it| initial.as_ref() != Some(*it));
        let [old, new] = [stored, after.as_ref()].map(|it| it.map_or(Vec::new(), encode));
        let puts = new.iter().enumerate().filter(|(place, word)| old.get(*place) != Some(word));
        let puts = puts
            .map(|(place, value)| DictionaryOp::Put { key: self.key(label, place), value: *value });
        let deletes = (new.len()..old.len()).map(|it| DictionaryOp::Delete(self.key(label, it)));
        puts.chain(deletes).collect()
    }
}

fn size(label: Option<&Label>) -> u64 {
    match label {
        None => NONE,
        Some(label) if label.is_infinity() => INFINITY,
        Some(label) => label.len().into(),
    }
}

/// The words of an entry, the header first.
pub(super) fn encode(record: &Record) -> Vec<u64> {
    let (kind, far, near) = match record {
        Record::Inner(Inner { children: [zero, one], parent, key, ends }) => {
            let [first, last] = ends.as_ref().map_or([None, None], |it| it.each_ref().map(Some));
            let far = vec![zero.as_ref(), one.as_ref(), key.as_ref(), first, last];
            (0, far, [parent.as_ref(), None])
        }
        Record::Support { child, parent } => (1, vec![Some(child)], [Some(parent), None]),
        Record::Leaf(Leaf { holder, parent, beside }) => {
            (2, beside.iter().map(Option::as_ref).collect(), [Some(parent), holder.as_ref()])
        }
    };
    let sizes = near.iter().chain(&far).enumerate();
    let header = sizes
        .fold(kind, |header, (place, label)| header | size(*label) << (2 + SIZE * place as u32));
    let tails = far.into_iter().flatten().filter(|label| !label.is_infinity()).map(Label::tail);
    [header].into_iter().chain(tails).collect()
}

/// The lengths in a header: those of the two labels that are prefixes, and those of the others.
fn sizes(header: u64) -> ([u64; 2], Vec<u64>) {
    let size = |place: u32| header >> (2 + SIZE * place) & NONE;
    let far = match header & 3 {
        0 => 5,
        1 => 1,
        _ => 2,
    };
    ([size(0), size(1)], (2..2 + far).map(size).collect())
}

/// The number of words of an entry with this header.
pub(super) fn count(header: u64) -> usize {
    1 + sizes(header).1.iter().filter(|size| **size < INFINITY).count()
}

/// The entry of a node. Whatever the words are, there is one: words of different versions may have
/// met.
pub(super) fn decode(own: &Label, words: &[u64]) -> Record {
    let (header, mut tails) = (words[0], words[1..].iter());
    let ([parent, holder], far) = sizes(header);
    let near = |size: u64| (size < INFINITY).then(|| own.prefix(own.len().min(size as u32)));
    let mut label = |size: u64| match size {
        NONE => None,
        INFINITY => Some(Label::infinity()),
        0 => tails.next().map(|_| Label::root()),
        size => tails.next().map(|tail| Label::number(*tail, (size as u32 - 1).min(64))),
    };
    let far: Vec<Option<Label>> = far.into_iter().map(&mut label).collect();
    let parent = near(parent);
    match far.as_slice() {
        [zero, one, key, first, last] => Record::Inner(Inner {
            children: [zero.clone(), one.clone()],
            parent,
            key: key.clone(),
            ends: first.clone().zip(last.clone()).map(|(first, last)| [first, last]),
        }),
        [before, behind] => Record::Leaf(Leaf {
            holder: near(holder),
            parent: parent.unwrap_or_default(),
            beside: [before.clone(), behind.clone()],
        }),
        // A node that would be its own child is seen to be wrong.
        other => Record::Support {
            child: other.first().cloned().flatten().unwrap_or_else(|| own.clone()),
            parent: parent.unwrap_or_default(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Form, Trie};

    /// All entries of tries, and headers that say anything.
    #[test]
    fn entries_are_read_as_they_were_written() {
        let mixer = Mixer::new(5);
        for (form, width) in [(Form::TRIE, 5), (Form::HASHED, 64), (Form::PATRICIA, 33)] {
            let mut trie = Trie::new(form);
            for number in 0..40 {
                trie.insert(&Label::number(mixer.mix(number, WORD), width));
            }
            for (label, record) in trie.records() {
                let words = encode(record);
                assert_eq!(words.len(), count(words[0]));
                assert_eq!(decode(label, &words), *record, "{label}");
            }
        }
        let own = Label::number(9, 12);
        for number in 0..10_000 {
            let words: Vec<u64> = (0..6).map(|it| mixer.mix_pair(number, it, WORD)).collect();
            decode(&own, &words[..count(words[0])]);
        }
    }

    #[test]
    fn only_words_that_differ_are_put() {
        let words = Words::new(Mixer::new(5));
        let label = Label::number(5, 4);
        let support =
            |child: u64| Record::Support { child: Label::number(child, 8), parent: Label::root() };
        let change = |before: Option<u64>, after: Option<u64>| {
            let [before, after] = [before, after].map(|it| it.map(support));
            words.changes(&Change { label: label.clone(), before, after }, true)
        };
        assert_eq!(change(Some(80), Some(80)), []);
        let put = DictionaryOp::Put { key: words.key(&label, 1), value: 81 };
        assert_eq!(change(Some(80), Some(81)), [put]);
        assert_eq!(change(None, Some(81)).len(), 2);
        let gone = [0, 1].map(|place| DictionaryOp::Delete(words.key(&label, place)));
        assert_eq!(change(Some(81), None), gone);
    }
}
