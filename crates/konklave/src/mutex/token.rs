//! The invariant that all token algorithms share: exactly one token exists.

/// The invariant that exactly one token exists: at a node, or in transit in a message of this form.
macro_rules! one_token {
    ($token:pat) => {
        $crate::protocol::Invariant::new(
            "one token",
            |system: &$crate::protocol::Snapshot<'_, Self>| {
                let held = system.nodes.iter().filter(|node| node.has_token()).count();
                let sent = system.messages.iter().filter(|it| matches!(it.2, $token)).count();
                $crate::mutex::token::count(held + sent)
            },
        )
    };
}

pub(super) use one_token;

pub(super) fn count(tokens: usize) -> Result<(), String> {
    match tokens {
        1 => Ok(()),
        0 => Err("the token is gone".to_owned()),
        _ => Err(format!("there are {tokens} tokens")),
    }
}
