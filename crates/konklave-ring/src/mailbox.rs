//! The mailbox of a worker: one slot, which holds a letter until it is taken.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A one-slot mailbox. A letter is either taken exactly once or returned to its sender; a sender is
/// acknowledged only if its own letter was taken; senders are served in FIFO order.
#[derive(Debug)]
pub struct Mailbox<M> {
    state: Mutex<State<M>>,
    /// Signals every change. Few threads wait, so all are woken.
    changed: Condvar,
}

#[derive(Debug)]
struct State<M> {
    life: Life,
    slot: Option<Letter<M>>,
    /// The tickets of the senders that wait for the slot, in FIFO order.
    line: VecDeque<u64>,
    /// The last ticket drawn. Tickets reach the slot in ascending order.
    drawn: u64,
    /// The last ticket whose letter was taken.
    taken: u64,
    /// Commands and reports, which bypass the slot.
    news: VecDeque<M>,
}

#[derive(Debug)]
struct Letter<M> {
    ticket: u64,
    content: M,
    since: Instant,
    receipt: Receipt,
}

/// Whether a sender waits until its letter is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receipt {
    Wanted,
    Unwanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Open,
    /// The worker has crashed: senders time out.
    Dead,
    /// The worker has stopped: senders get their letters back at once.
    Closed,
}

/// The outcome of a delivery.
#[derive(Debug, PartialEq, Eq)]
pub enum Delivery<M> {
    /// The letter was taken.
    Taken,
    /// The letter was not taken in time and is returned.
    TimedOut(M),
    /// The mailbox is closed, and the letter is returned.
    Closed(M),
}

/// The result of taking from a mailbox.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<M> {
    /// A letter, or news.
    Item(M),
    /// The time is up, and nothing arrived.
    TimeUp,
    /// The mailbox is closed, and nothing will arrive.
    Closed,
}

impl<M> Default for Mailbox<M> {
    fn default() -> Self {
        let state = State {
            life: Life::Open,
            slot: None,
            line: VecDeque::new(),
            drawn: 0,
            taken: 0,
            news: VecDeque::new(),
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl<M> Mailbox<M> {
    /// Waits until the slot is free and puts a letter there. The letter is returned if the worker
    /// takes no more letters.
    pub fn send(&self, content: M) -> Result<(), M> {
        let mut state = self.state();
        let ticket = state.draw_ticket();
        loop {
            if state.life != Life::Open {
                state.line.retain(|&other| other != ticket);
                return Err(content);
            }
            if state.is_turn_of(ticket) {
                state.put(ticket, content, Receipt::Unwanted);
                self.changed.notify_all();
                return Ok(());
            }
            state = self.wait(state, None);
        }
    }

    /// Waits until the slot is free, puts a letter there and waits until it is taken. The limit
    /// covers both waits; a letter that was not taken in time is withdrawn.
    pub fn send_and_wait(&self, content: M, limit: Duration) -> Delivery<M> {
        let deadline = Instant::now().checked_add(limit);
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut state = self.state();
        let ticket = state.draw_ticket();
        let mut content = Some(content);
        loop {
            if state.taken >= ticket {
                return Delivery::Taken;
            }
            let is_closed = state.life == Life::Closed;
            if is_closed || is_late() {
                let letter = content.take().or_else(|| state.withdraw(ticket));
                state.line.retain(|&other| other != ticket);
                self.changed.notify_all(); // The slot or the place in the queue is free.
                let letter = letter.expect("a letter is with its sender, in the slot or taken");
                return match is_closed {
                    true => Delivery::Closed(letter),
                    false => Delivery::TimedOut(letter),
                };
            }
            if state.is_turn_of(ticket)
                && let Some(letter) = content.take()
            {
                state.put(ticket, letter, Receipt::Wanted);
                self.changed.notify_all();
            }
            state = self.wait(state, deadline);
        }
    }

    /// Adds news, which bypass the slot, without waiting.
    pub fn tell(&self, news: M) {
        let mut state = self.state();
        if state.life == Life::Open {
            state.news.push_back(news);
            self.changed.notify_all();
        }
    }

    /// Waits for news, or for a letter that has been in the slot for `pause`, and takes it.
    pub fn take(&self, pause: Duration, until: Option<Instant>) -> Next<M> {
        let mut state = self.state();
        loop {
            if let Some(news) = state.news.pop_front() {
                return Next::Item(news);
            }
            let now = Instant::now();
            let ripe = state.slot.as_ref().and_then(|letter| letter.since.checked_add(pause));
            if ripe.is_some_and(|ripe| ripe <= now)
                && let Some(letter) = state.slot.take()
            {
                state.taken = letter.ticket;
                self.changed.notify_all();
                return Next::Item(letter.content);
            }
            if state.life != Life::Open {
                return Next::Closed;
            }
            if until.is_some_and(|until| until <= now) {
                return Next::TimeUp;
            }
            let deadline = [ripe, until].into_iter().flatten().min();
            state = self.wait(state, deadline);
        }
    }

    /// The worker has crashed. Letters without a waiting sender are lost; waiting senders time out.
    pub fn bury(&self) {
        let mut state = self.state();
        state.life = Life::Dead;
        state.news.clear();
        state.slot.take_if(|letter| letter.receipt == Receipt::Unwanted);
        self.changed.notify_all();
    }

    /// The worker has stopped. Waiting senders get their letters back at once.
    pub fn close(&self) {
        let mut state = self.state();
        state.life = Life::Closed;
        state.news.clear();
        state.slot.take_if(|letter| letter.receipt == Receipt::Unwanted);
        self.changed.notify_all();
    }

    /// Whether the worker still takes letters.
    pub fn is_open(&self) -> bool {
        self.state().life == Life::Open
    }

    fn state(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State<M>>,
        deadline: Option<Instant>,
    ) -> MutexGuard<'a, State<M>> {
        match deadline {
            None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(deadline) => {
                let rest = deadline.saturating_duration_since(Instant::now());
                let woken = self.changed.wait_timeout(state, rest);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }
}

impl<M> State<M> {
    fn draw_ticket(&mut self) -> u64 {
        self.drawn += 1;
        self.line.push_back(self.drawn);
        self.drawn
    }

    fn is_turn_of(&self, ticket: u64) -> bool {
        self.slot.is_none() && self.line.front() == Some(&ticket)
    }

    fn put(&mut self, ticket: u64, content: M, receipt: Receipt) {
        self.line.pop_front();
        self.slot = Some(Letter { ticket, content, since: Instant::now(), receipt });
    }

    fn withdraw(&mut self, ticket: u64) -> Option<M> {
        Some(self.slot.take_if(|letter| letter.ticket == ticket)?.content)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    const SHORT: Duration = Duration::from_millis(30);
    /// Long enough for the busiest machine; it only passes if a test fails.
    const LONG: Duration = Duration::from_secs(20);

    fn take(mailbox: &Mailbox<u32>) -> Next<u32> {
        mailbox.take(Duration::ZERO, Instant::now().checked_add(LONG))
    }

    /// Waits until this number of senders are in the queue or have their letter in the slot.
    fn until_drawn(mailbox: &Mailbox<u32>, tickets: u64) {
        while mailbox.state().drawn < tickets {
            thread::yield_now();
        }
    }

    /// Election.md 10.5, 1: taking another letter is not an acknowledgement.
    #[test]
    fn nobody_is_told_taken_because_of_another_letter() {
        let mailbox = Mailbox::default();
        mailbox.send(1).unwrap();
        let (told, hears) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| told.send(mailbox.send_and_wait(2, LONG)));
            until_drawn(&mailbox, 2);
            assert_eq!(take(&mailbox), Next::Item(1));
            // A false acknowledgement can only come before the sender's own letter is taken.
            while mailbox.state().slot.is_none() {
                assert!(hears.try_recv().is_err(), "its letter is not even in the slot");
                thread::yield_now();
            }
            assert!(hears.recv_timeout(SHORT).is_err(), "it is still in the slot");
            assert_eq!(take(&mailbox), Next::Item(2));
            assert_eq!(hears.recv_timeout(LONG), Ok(Delivery::Taken));
        });
    }

    /// Election.md 10.5, 2: the slot of a crashed worker blocks no sender.
    #[test]
    fn a_letter_that_is_not_taken_in_time_is_withdrawn() {
        let mailbox = Mailbox::default();
        assert_eq!(mailbox.send_and_wait(1, SHORT), Delivery::TimedOut(1));
        assert_eq!(mailbox.send_and_wait(2, SHORT), Delivery::TimedOut(2));
        assert_eq!(mailbox.take(Duration::ZERO, Some(Instant::now())), Next::TimeUp);
        mailbox.send(3).unwrap();
        assert_eq!(take(&mailbox), Next::Item(3));
    }

    /// Election.md 10.5, 2: the limit also covers the wait for the slot.
    #[test]
    fn a_full_slot_is_not_waited_for_longer_than_the_limit() {
        let mailbox = Mailbox::default();
        mailbox.send(1).unwrap();
        assert_eq!(mailbox.send_and_wait(2, SHORT), Delivery::TimedOut(2));
        assert_eq!(take(&mailbox), Next::Item(1));
        assert_eq!(mailbox.take(Duration::ZERO, Some(Instant::now())), Next::TimeUp);
    }

    #[test]
    fn senders_are_served_in_the_order_of_their_arrival() {
        let mailbox = Mailbox::default();
        thread::scope(|scope| {
            for number in 1..=8 {
                scope.spawn({
                    let mailbox = &mailbox;
                    move || match number % 2 {
                        0 => mailbox.send(number).is_ok(),
                        _ => mailbox.send_and_wait(number, LONG) == Delivery::Taken,
                    }
                });
                until_drawn(&mailbox, u64::from(number));
            }
            for number in 1..=8 {
                assert_eq!(take(&mailbox), Next::Item(number));
            }
        });
    }

    #[test]
    fn every_letter_is_taken_once_or_comes_back() {
        let mailbox = Mailbox::default();
        let (senders, letters) = (4, 200);
        let (back, taken) = thread::scope(|scope| {
            let send = |first: u32| {
                let all = first * letters..(first + 1) * letters;
                let is_back = |&letter: &u32| {
                    let limit = Duration::from_micros(u64::from(letter % 7) * 20);
                    mailbox.send_and_wait(letter, limit) != Delivery::Taken
                };
                all.filter(is_back).collect::<Vec<_>>()
            };
            let receiver = scope.spawn(|| {
                let mut taken = Vec::new();
                while let Next::Item(letter) = take(&mailbox) {
                    taken.push(letter);
                }
                taken
            });
            let threads: Vec<_> =
                (0..senders).map(|first| scope.spawn(move || send(first))).collect();
            let back: Vec<_> = threads.into_iter().flat_map(|one| one.join().unwrap()).collect();
            mailbox.close();
            (back, receiver.join().unwrap())
        });
        let mut all = [back, taken].concat();
        all.sort_unstable();
        assert_eq!(all, (0..senders * letters).collect::<Vec<_>>());
    }

    #[test]
    fn letters_lie_for_the_pause_and_news_do_not() {
        let mailbox = Mailbox::default();
        mailbox.send(1).unwrap();
        mailbox.tell(2);
        assert_eq!(mailbox.take(LONG, None), Next::Item(2));
        assert_eq!(mailbox.take(LONG, Some(Instant::now())), Next::TimeUp);
        assert_eq!(take(&mailbox), Next::Item(1));
    }

    #[test]
    fn a_closed_mailbox_gives_letters_back_at_once_and_a_dead_one_does_not() {
        let mailbox = Mailbox::default();
        mailbox.send(1).unwrap();
        mailbox.bury();
        assert_eq!(mailbox.send(2), Err(2));
        assert_eq!(mailbox.send_and_wait(3, SHORT), Delivery::TimedOut(3));
        mailbox.close();
        assert_eq!(mailbox.send_and_wait(4, LONG), Delivery::Closed(4));
        assert_eq!(take(&mailbox), Next::Closed);
    }
}
