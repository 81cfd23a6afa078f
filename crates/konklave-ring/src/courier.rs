//! The courier of a worker: delivers its messages one at a time, and detects crashed neighbours.

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
    /// The mailbox of the worker, for suspicions about neighbours.
    pub(crate) own: Arc<Mailbox<Post<P>>>,
    pub(crate) shared: Arc<Shared<P>>,
    /// The mailboxes of suspected workers. A restarted worker has a new mailbox, which voids the
    /// old suspicion.
    pub(crate) suspects: Vec<Arc<Mailbox<Post<P>>>>,
}

impl<P: Protocol> Courier<P> {
    /// Runs until the worker has stopped. Messages not delivered by then are lost.
    pub(crate) fn run(mut self, outbox: &Receiver<(NodeId, Post<P>)>) {
        for (to, letter) in outbox {
            if self.own.is_open() {
                self.deliver(to, letter);
            }
        }
    }

    /// Delivers a letter to `to`, or to the next worker on the ring that takes it, eventually this
    /// one.
    fn deliver(&mut self, to: NodeId, mut letter: Post<P>) {
        let mut to = to;
        loop {
            if to == self.me {
                let _ = self.own.send(letter); // Refused once the worker has stopped.
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
                Delivery::TimedOut(_) if !self.own.is_open() => return, // Lost with us.
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
                    letter = back; // Restarted, with a new mailbox.
                }
            }
        }
    }

    /// Tells the worker, unless the neighbour has restarted meanwhile: a worker that learns first
    /// of the restart and then of the loss would suspect it for ever.
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
