//! The courier of a worker: hands its messages over, one at a time, and notices who is dead.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use konklave::NodeId;
use konklave::election::Command;
use konklave::protocol::Protocol;

use crate::mailbox::{Delivery, Mailbox};
use crate::notice::What;
use crate::ring::Shared;
use crate::worker::Post;

pub(crate) struct Courier<P: Protocol> {
    pub(crate) me: NodeId,
    /// The mailbox of the worker, for news about neighbours.
    pub(crate) own: Arc<Mailbox<Post<P>>>,
    pub(crate) shared: Arc<Shared<P>>,
    /// The mailboxes that nobody seems to empty. Who comes back has a new one, and with it the old
    /// suspicion is void.
    pub(crate) suspects: Vec<Arc<Mailbox<Post<P>>>>,
}

impl<P: Protocol> Courier<P> {
    /// Works until the worker has stopped. What it has not handed over then is lost.
    pub(crate) fn run(mut self, outbox: &Receiver<(NodeId, Post<P>)>) {
        for (to, letter) in outbox {
            if self.own.is_open() {
                self.deliver(to, letter);
            }
        }
    }

    /// Brings a letter to `to`, or to the next one on the ring that takes it; at last to ourselves.
    fn deliver(&mut self, to: NodeId, mut letter: Post<P>) {
        let mut to = to;
        loop {
            if to == self.me {
                let _ = self.own.send(letter); // It comes back when we have stopped.
                return;
            }
            let mailbox = self.shared.mailbox(to);
            if self.suspects.iter().any(|suspect| Arc::ptr_eq(suspect, &mailbox)) {
                to = self.shared.after(to);
                continue;
            }
            let vote = self.shared.vote(&letter);
            if let Some(vote) = vote {
                self.shared.journal.note(self.me, What::Sent { to, vote });
            }
            match mailbox.send_and_wait(letter, self.shared.ack_timeout) {
                Delivery::Taken => return,
                Delivery::TimedOut(_) if !self.own.is_open() => return, // It died with us.
                Delivery::TimedOut(back) => {
                    letter = back;
                    if let Some(vote) = vote {
                        self.shared.journal.note(self.me, What::Timeout { to, vote });
                    }
                    self.suspect(to, mailbox);
                }
                Delivery::Closed(back) => {
                    if Arc::ptr_eq(&mailbox, &self.shared.mailbox(to)) {
                        return; // The ring is closing.
                    }
                    letter = back; // It is back, with a new mailbox.
                }
            }
        }
    }

    /// Tells the worker, unless the neighbour came back in the meantime: who hears first that it
    /// is back and then that it is lost would never trust it again.
    fn suspect(&mut self, neighbour: NodeId, mailbox: Arc<Mailbox<Post<P>>>) {
        self.shared.with_mailbox(neighbour, |current| {
            if Arc::ptr_eq(current, &mailbox) {
                self.shared.journal.note(self.me, What::Suspected { neighbour });
                let lost = Command::Lost(neighbour);
                self.own.tell(Post::Order(lost, self.shared.rest.busy()));
            }
        });
        self.suspects.push(mailbox);
    }
}
