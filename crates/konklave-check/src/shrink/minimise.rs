//! Delta debugging: takes away chunks of a list, then single elements, until nothing more can go.

/// Tries a list, given as its beginning, which was tried before, and the rest. If it still does
/// what it should: which of the rest had a part in it.
pub(super) type Attempt<'a> = dyn FnMut(&[u32], &[u32]) -> Option<Vec<u32>> + 'a;

/// Up to this length, the shortest beginning that suffices is looked for one by one.
const SHORT: usize = 2000;

/// A list from which no element can be taken away, nor any of the chunks that were tried.
///
/// It is what it was if nothing could be taken away before: rounds go on until one changes nothing.
pub(super) fn minimise(mut list: Vec<u32>, attempt: &mut Attempt<'_>) -> Vec<u32> {
    loop {
        let before = list.len();
        list = shortest_beginning(list, attempt);
        let mut size = list.len().div_ceil(2).max(1);
        loop {
            list = without_chunks(list, size, attempt);
            if size == 1 {
                break;
            }
            size = size.div_ceil(2).min(list.len().div_ceil(2)).max(1);
        }
        if list.len() == before {
            return list;
        }
    }
}

/// Takes away as many as possible at the end.
fn shortest_beginning(mut list: Vec<u32>, attempt: &mut Attempt<'_>) -> Vec<u32> {
    let mut size = list.len() / 2;
    while list.len() > SHORT && size > 0 {
        let beginning = list.len().saturating_sub(size);
        match attempt(&list[..beginning], &[]) {
            Some(_) => list.truncate(beginning),
            None => size /= 2,
        }
    }
    if list.len() <= SHORT {
        let suffices = |length: &usize| attempt(&list[..*length], &[]).is_some();
        if let Some(length) = (0..list.len()).find(suffices) {
            list.truncate(length);
        }
    }
    list
}

/// Takes away each chunk of this size that can go.
fn without_chunks(list: Vec<u32>, size: usize, attempt: &mut Attempt<'_>) -> Vec<u32> {
    let mut kept = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let after = rest.split_off(size.min(rest.len()));
        match attempt(&kept, &after) {
            Some(used) => rest = used,
            None => {
                kept.append(&mut rest);
                rest = after;
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimises 0..length; whatever satisfies `suffices` will do.
    fn minimal(length: u32, suffices: impl Fn(&[u32]) -> bool) -> Vec<u32> {
        minimise((0..length).collect(), &mut |beginning, rest| {
            let whole = [beginning, rest].concat();
            suffices(&whole).then(|| rest.to_vec())
        })
    }

    #[test]
    fn what_matters_stays_and_nothing_else() {
        let needed = [3, 17, 18, 62];
        let has_all = |list: &[u32]| needed.iter().all(|it| list.contains(it));
        for length in [63, 64, 100, 5000] {
            assert_eq!(minimal(length, has_all), needed, "of {length}");
        }
        assert_eq!(minimal(10, |_| true), [0; 0]);
        assert_eq!(minimal(10, |list| list.len() == 10), (0..10).collect::<Vec<_>>());
        assert_eq!(minimal(1, |list| !list.is_empty()), [0]);
    }

    #[test]
    fn elements_that_only_go_together_go_together() {
        // An even number of the first eight, and the last.
        let suffices = |list: &[u32]| {
            list.contains(&20) && list.iter().filter(|it| **it < 8).count().is_multiple_of(2)
        };
        assert_eq!(minimal(21, suffices), [20]);
    }
}
