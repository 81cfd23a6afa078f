//! A live picture of the ring in the terminal.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use konklave::NodeId;
use konklave::election::Id;
use konklave_ring::{Kind, Notice, What};

/// The minimum time between two pictures.
const PICTURE_TIME: Duration = Duration::from_millis(40);

/// The legend of the marks.
const LEGEND: &str = ". idle  ? votes  * leads  x dead  <id proposed  =id elected";

/// The state of the picture.
#[derive(Debug)]
pub(super) struct View {
    workers: Vec<Worker>,
    election: u64,
    messages: u64,
    selected: usize,
    /// A hint about the keys, or why one had no effect.
    hint: String,
    /// The number of lines of the picture on the screen.
    height: usize,
    drawn: Option<Instant>,
    size: fn() -> (usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct Worker {
    id: Id,
    state: State,
    /// The message in its mailbox.
    mail: Option<(Kind, Id)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Voting,
    Leading,
    Dead,
}

impl View {
    /// `size` gives the columns and lines of the terminal.
    pub(super) fn new(ids: &[Id], hint: &str, size: fn() -> (usize, usize)) -> Self {
        let worker = |&id: &Id| Worker { id, state: State::Idle, mail: None };
        Self {
            workers: ids.iter().map(worker).collect(),
            election: 0,
            messages: 0,
            selected: 0,
            hint: hint.to_owned(),
            height: 0,
            drawn: None,
            size,
        }
    }

    pub(super) fn selected(&self) -> NodeId {
        NodeId(self.selected as u32)
    }

    /// Selects the worker this many positions further on.
    pub(super) fn select(&mut self, steps: isize) {
        let size = self.workers.len() as isize;
        self.selected = (self.selected as isize + steps).rem_euclid(size) as usize;
    }

    pub(super) fn say(&mut self, hint: &str) {
        self.hint = hint.to_owned();
    }

    /// Updates the picture by an event, and shows `line` above it.
    pub(super) fn see(
        &mut self,
        notice: &Notice,
        line: Option<String>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.learn(notice);
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= PICTURE_TIME);
        match line {
            Some(line) => self.print(&line, out),
            None if is_due => self.redraw(out),
            None => Ok(()),
        }
    }

    fn learn(&mut self, notice: &Notice) {
        if let What::ElectionStarted { election, .. } = notice.what {
            (self.election, self.messages) = (election, 0);
        }
        let Some(worker) = notice.worker.and_then(|node| self.workers.get_mut(node.index())) else {
            return;
        };
        match &notice.what {
            What::Entered => worker.state = State::Voting,
            What::Left if worker.state == State::Voting => worker.state = State::Idle,
            What::Elected => worker.state = State::Leading,
            What::SteppedDown | What::Revived => worker.state = State::Idle,
            What::Killed => worker.state = State::Dead,
            What::Taken { .. } => worker.mail = None,
            What::Sent { to, vote } => {
                self.messages += 1;
                self.workers[to.index()].mail = Some((vote.message, vote.candidate));
            }
            What::Timeout { to, .. } => self.workers[to.index()].mail = None,
            _ => {}
        }
    }

    /// Prints a line above the picture.
    pub(super) fn print(&mut self, line: &str, out: &mut impl Write) -> io::Result<()> {
        self.clear(out)?;
        writeln!(out, "{line}")?;
        self.redraw(out)
    }

    /// Erases the picture.
    pub(super) fn clear(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.height > 0 {
            write!(out, "\x1b[{}A\r\x1b[J", self.height)?;
        }
        self.height = 0;
        out.flush()
    }

    pub(super) fn redraw(&mut self, out: &mut impl Write) -> io::Result<()> {
        let picture = self.picture();
        if self.height > 0 {
            write!(out, "\x1b[{}A\r", self.height)?;
        }
        for line in &picture {
            writeln!(out, "{line}\x1b[K")?;
        }
        write!(out, "\x1b[J")?;
        self.height = picture.len();
        self.drawn = Some(Instant::now());
        out.flush()
    }

    /// The lines of the picture, cut to the size of the terminal.
    fn picture(&self) -> Vec<String> {
        let (columns, lines) = (self.size)();
        let columns = columns.saturating_sub(1); // What fills a line to its end may wrap.
        let id_width = self.workers.iter().map(|worker| worker.id.to_string().len()).max();
        let id_width = id_width.unwrap_or(1);
        let cell_width = 2 * id_width + 6;
        let per_line = (columns / cell_width).max(1);
        let shown = per_line * lines.saturating_sub(4).max(1);
        let cells: Vec<String> = self
            .workers
            .iter()
            .enumerate()
            .take(shown)
            .map(|(place, worker)| {
                let mark = match worker.state {
                    State::Idle => '.',
                    State::Voting => '?',
                    State::Leading => '*',
                    State::Dead => 'x',
                };
                let mail = match worker.mail {
                    None => String::new(),
                    Some((Kind::Proposal, id)) => format!("<{id}"),
                    Some((Kind::Elected, id)) => format!("={id}"),
                };
                let cell = format!(
                    "{mark}{:>id_width$} {mail:<mail_width$}",
                    worker.id,
                    mail_width = id_width + 1
                );
                let (open, close) = if place == self.selected { ("[", "]") } else { (" ", " ") };
                format!("{open}{}{close}", painted(worker.state, &cell))
            })
            .collect();
        let mut picture: Vec<String> = cells.chunks(per_line).map(<[_]>::concat).collect();
        if shown < self.workers.len() {
            picture.push(format!(" and {} more", self.workers.len() - shown));
        }
        let head = format!(" election {}, {} messages   {LEGEND}", self.election, self.messages);
        picture.insert(0, head.chars().take(columns).collect());
        picture.push(format!(" {}", self.hint).chars().take(columns).collect());
        picture
    }
}

fn painted(state: State, text: &str) -> String {
    match state {
        State::Idle => text.to_owned(),
        State::Voting => crate::output::bold(text),
        State::Leading => crate::output::green(text),
        State::Dead => crate::output::red(text),
    }
}

#[cfg(test)]
mod tests {
    use konklave_ring::Vote;

    use super::*;

    fn notice(worker: Option<u32>, what: What) -> Notice {
        Notice { t: 0, seq: 0, worker: worker.map(NodeId), id: None, what }
    }

    #[test]
    fn the_picture_follows_the_ring() {
        let mut view = View::new(&[7, 12, 3].map(Id), "keys", || (33, 24));
        let vote = Vote { message: Kind::Proposal, round: None, candidate: Id(12) };
        view.learn(&notice(None, What::ElectionStarted { election: 2, initiators: Vec::new() }));
        view.learn(&notice(Some(0), What::Entered));
        view.learn(&notice(Some(1), What::Elected));
        view.learn(&notice(Some(2), What::Killed));
        view.learn(&notice(Some(1), What::Sent { to: NodeId(0), vote }));
        view.select(-1);
        let picture = view.picture();
        assert!(picture[0].starts_with(" election 2, 1 messages"), "{picture:?}");
        assert_eq!(picture[0].chars().count(), 32);
        assert_eq!(picture[1], " ? 7 <12  *12     [x 3    ]");
        assert_eq!(picture.last().unwrap(), " keys");
        view.learn(&notice(Some(0), What::Taken { from: NodeId(1), vote }));
        assert!(!view.picture()[1].contains('<'));
    }

    #[test]
    fn it_never_has_more_lines_than_the_terminal() {
        let ids: Vec<_> = (0..1000).map(Id).collect();
        for size in [|| (80, 24), || (20, 10), || (1, 1)] as [fn() -> (usize, usize); 3] {
            let picture = View::new(&ids, "keys", size).picture();
            assert!(picture.len() <= size().1.max(4), "{} lines", picture.len());
        }
        let mut out = Vec::new();
        let mut view = View::new(&ids[..4], "keys", || (80, 24));
        view.redraw(&mut out).unwrap();
        view.print("hello", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\x1b[3A\r\x1b[Jhello\n"), "{text:?}");
    }
}
