//! What algorithms with a token have in common.

use crate::protocol::{Broken, Verdict};

/// The invariant that there is exactly one token, at a node or in a message of this form.
macro_rules! one_token {
    ($token:pat) => {
        $crate::protocol::Invariant {
            name: $crate::mutex::token::ONE_TOKEN,
            check: |system| {
                let held = system.nodes.iter().filter(|node| node.has_token()).count();
                let sent = system.messages.iter().filter(|it| matches!(it.2, $token)).count();
                $crate::mutex::token::count(held + sent)
            },
        }
    };
}

pub(super) use one_token;

pub(super) const ONE_TOKEN: &str = "one token";

pub(super) fn count(tokens: usize) -> Verdict {
    match tokens {
        1 => Ok(()),
        0 => Broken::promise(ONE_TOKEN, "the token is gone"),
        _ => Broken::promise(ONE_TOKEN, format!("there are {tokens} tokens")),
    }
}
