use super::*;
use crate::Recorder;
use crate::protocol::Effect;

/// How many operations a process has; then each gets an interval of as many places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Places;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Ask {
    Count,
    Other,
    Give { first: u32 },
}

impl Inquiry for Places {
    type Ask = Ask;
    type Reply = u32;
    type Topic = ();

    fn combine(reply: &mut u32, next: &u32) {
        *reply += next;
    }

    fn begins(ask: &Ask) -> bool {
        *ask == Ask::Count
    }

    fn keeps(ask: &Ask) -> Option<()> {
        (*ask == Ask::Count).then_some(())
    }

    fn splits(ask: &Ask) -> Option<()> {
        matches!(ask, Ask::Give { .. }).then_some(())
    }

    fn split(ask: &mut Ask, replied: &u32) -> Ask {
        let part = ask.clone();
        if let Ask::Give { first } = ask {
            *first += replied;
        }
        part
    }
}

type Node = Rounds<Places>;
type Sent = (NodeId, NodeId, <Node as Protocol>::Msg);

/// A tree of processes, and what is in transit between them.
struct Tree {
    nodes: Vec<Node>,
    mail: Vec<Sent>,
    /// What each process has been asked and has not replied.
    asked: Vec<Option<Ask>>,
    complete: Option<u32>,
    woken: u32,
    sent: u32,
}

impl Tree {
    /// The tree with this parent of each process but the first; children are in ascending order.
    fn new(parents: &[usize]) -> Self {
        let count = parents.len() + 1;
        let children = |me: usize| {
            (1..count).filter(move |child| parents[child - 1] == me).map(|it| NodeId(it as u32))
        };
        let parent = |me: usize| me.checked_sub(1).map(|at| NodeId(parents[at] as u32));
        Self {
            nodes: (0..count).map(|me| Rounds::new(parent(me), children(me))).collect(),
            mail: Vec::new(),
            asked: vec![None; count],
            complete: None,
            woken: 0,
            sent: 0,
        }
    }

    fn happen(&mut self, node: usize, input: impl FnOnce(&mut Node, &mut Recorder<Node>)) {
        let mut env = Recorder::default();
        input(&mut self.nodes[node], &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    self.sent += 1;
                    self.mail.push((NodeId(node as u32), to, msg));
                }
                Effect::Emit(Event::Asked(ask)) => self.asked[node] = Some(ask),
                Effect::Emit(Event::Complete(reply)) => self.complete = Some(reply),
                Effect::Emit(Event::Woken) => self.woken += 1,
                other => panic!("{other:?}"),
            }
        }
    }

    fn command(&mut self, node: usize, command: Command<Ask, u32>) {
        self.happen(node, |it, env| it.on_command(command, env));
    }

    /// The last message that was sent arrives, or the first.
    fn deliver(&mut self, is_last: bool) {
        let at = if is_last { self.mail.len() - 1 } else { 0 };
        let (from, to, msg) = self.mail.remove(at);
        self.happen(to.index(), |it, env| it.on_message(from, msg, env));
    }

    /// A round in which processes reply these numbers, in the order of time or against it. Returns
    /// what they were asked and what the anchor is told.
    fn round(&mut self, ask: Ask, replies: &[u32], is_last: bool) -> (Vec<Ask>, u32) {
        let sent = self.sent;
        self.command(0, Command::Ask(ask));
        let mut asked = vec![None; self.nodes.len()];
        loop {
            for node in 0..self.nodes.len() {
                if let Some(ask) = self.asked[node].take() {
                    asked[node] = Some(ask);
                    self.command(node, Command::Reply(replies[node]));
                }
            }
            if self.mail.is_empty() {
                break;
            }
            self.deliver(is_last);
        }
        assert_eq!((self.sent - sent) as usize, 2 * (self.nodes.len() - 1), "2(n-1) messages");
        let asked = asked.into_iter().map(|ask| ask.expect("all are asked")).collect();
        (asked, self.complete.take().expect("all have replied"))
    }
}

/// The parents of all trees of up to five processes in which a parent has a smaller number.
fn trees() -> impl Iterator<Item = Vec<usize>> {
    let all = |size: usize| {
        (0..(1..size).product::<usize>()).map(move |mut code| {
            let digit = |child: usize| {
                let parent = code % child;
                code /= child;
                parent
            };
            (1..size).map(digit).collect()
        })
    };
    (1..=5).flat_map(all)
}

/// The places of each process, by the order of the tree: the process, then its children.
fn in_tree_order(
    parents: &[usize],
    counts: &[u32],
    me: usize,
    next: &mut u32,
) -> Vec<(usize, u32)> {
    let mut places = vec![(me, *next)];
    *next += counts[me];
    for child in (1..counts.len()).filter(|child| parents[child - 1] == me) {
        places.extend(in_tree_order(parents, counts, child, next));
    }
    places
}

#[test]
fn replies_are_combined_and_remembered_in_every_small_tree() {
    assert_eq!(trees().count(), 1 + 1 + 2 + 6 + 24);
    for parents in trees() {
        for is_last in [false, true] {
            let mut tree = Tree::new(&parents);
            let counts = &[3, 0, 5, 1, 7][..=parents.len()];
            let (asked, sum) = tree.round(Ask::Count, counts, is_last);
            assert_eq!(asked, vec![Ask::Count; counts.len()]);
            assert_eq!(sum, counts.iter().sum::<u32>(), "{parents:?}");
            // Another round in between does not touch what is remembered.
            let (asked, sum) = tree.round(Ask::Other, &[1, 1, 1, 1, 1], is_last);
            assert_eq!((asked, sum as usize), (vec![Ask::Other; counts.len()], counts.len()));
            let (asked, _) = tree.round(Ask::Give { first: 10 }, counts, is_last);
            for (node, first) in in_tree_order(&parents, counts, 0, &mut 10) {
                assert_eq!(asked[node], Ask::Give { first }, "{parents:?}");
            }
        }
    }
}

#[test]
fn a_cycle_is_woken_once() {
    // 0 above 1 above 2 and 3.
    let mut tree = Tree::new(&[0, 1, 1]);
    tree.command(2, Command::Wake);
    tree.command(3, Command::Wake);
    tree.command(3, Command::Wake);
    while !tree.mail.is_empty() {
        tree.deliver(false);
    }
    assert_eq!((tree.woken, tree.sent), (1, 3), "process 1 sends one for both");
    tree.round(Ask::Count, &[0; 4], false);
    tree.round(Ask::Other, &[0; 4], false);
    tree.command(3, Command::Wake);
    while !tree.mail.is_empty() {
        tree.deliver(false);
    }
    assert_eq!(tree.woken, 2);
}

/// A wake-up of the last cycle is late: the cycle that has begun asks its process anyway.
#[test]
fn a_late_wake_up_and_duplicates_are_ignored() {
    let mut tree = Tree::new(&[0]);
    tree.command(1, Command::Wake);
    let late = tree.mail.pop().unwrap();
    tree.round(Ask::Count, &[1, 1], false);
    let before = tree.nodes.clone();
    tree.mail.push(late);
    tree.deliver(false);
    let duplicates = [
        (NodeId(0), NodeId(1), Msg::Ask { round: 1, ask: Ask::Count }),
        (NodeId(1), NodeId(0), Msg::Reply { round: 1, reply: 4 }),
        (NodeId(0), NodeId(0), Msg::Ask { round: 2, ask: Ask::Count }),
        (NodeId(0), NodeId(1), Msg::Ask { round: 9, ask: Ask::Count }),
    ];
    for duplicate in duplicates {
        tree.mail.push(duplicate);
        tree.deliver(false);
    }
    assert_eq!(tree.nodes, before);
    assert_eq!(tree.woken, 0);
}

#[test]
fn a_process_waits_for_missing_replies_and_after_a_wake_up_for_its_parent() {
    let mut tree = Tree::new(&[0, 0]);
    tree.command(0, Command::Ask(Ask::Count));
    tree.command(0, Command::Reply(1));
    assert_eq!(tree.nodes[0].waits_for().iter().collect::<Vec<_>>(), [NodeId(1), NodeId(2)]);
    tree.deliver(false);
    tree.command(1, Command::Reply(1));
    tree.deliver(true);
    assert_eq!(tree.nodes[0].waits_for().iter().collect::<Vec<_>>(), [NodeId(2)]);
    assert!(tree.nodes[1].waits_for().iter().next().is_none());
    tree.command(1, Command::Wake);
    assert_eq!(tree.nodes[1].waits_for().iter().collect::<Vec<_>>(), [NodeId(0)]);
}
