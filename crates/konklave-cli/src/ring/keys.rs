//! Single keys from the terminal, while the ring is drawn.

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Left,
    Right,
    Kill,
    Revive,
    Quit,
}

/// The keys in what was read from a terminal.
fn keys(bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (0x1b, [b'[', arrow, after @ ..]) => {
                rest = after;
                match arrow {
                    b'C' | b'B' => keys.push(Key::Right),
                    b'D' | b'A' => keys.push(Key::Left),
                    _ => {}
                }
            }
            (b'k' | b'K', _) => keys.push(Key::Kill),
            (b'r' | b'R', _) => keys.push(Key::Revive),
            (b'q' | b'Q', _) => keys.push(Key::Quit),
            _ => {}
        }
    }
    keys
}

#[cfg(unix)]
mod terminal {
    use std::io::{self, IsTerminal, Read};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
    };

    use super::Key;

    /// How the terminal was before.
    static BEFORE: OnceLock<Termios> = OnceLock::new();
    static IS_OVER: AtomicBool = AtomicBool::new(false);

    /// Calls `act` for every key from now on. Whether there is a keyboard.
    pub(in super::super) fn listen(mut act: impl FnMut(Key) + Send + 'static) -> bool {
        let keyboard = io::stdin();
        let Ok(before) = tcgetattr(&keyboard) else { return false };
        let mut single = before.clone();
        // Keys come one by one and are not shown; Ctrl-C stays what it is. A read ends after a
        // fifth of a second, so that the thread sees when it is over.
        single.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        single.special_codes[SpecialCodeIndex::VMIN] = 0;
        single.special_codes[SpecialCodeIndex::VTIME] = 2;
        if !keyboard.is_terminal()
            || tcsetattr(&keyboard, OptionalActions::Now, &single).is_err()
            || BEFORE.set(before).is_err()
        {
            return false;
        }
        std::thread::spawn(move || {
            let mut bytes = [0; 64];
            while !IS_OVER.load(Ordering::Relaxed) {
                match keyboard.lock().read(&mut bytes) {
                    Ok(count) => super::keys(&bytes[..count]).into_iter().for_each(&mut act),
                    Err(_) => return,
                }
            }
        });
        true
    }

    /// The terminal is as it was before.
    pub(in super::super) fn restore() {
        IS_OVER.store(true, Ordering::Relaxed);
        if let Some(before) = BEFORE.get() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before); // Nothing left to try.
        }
    }

    /// Columns and lines.
    pub(in super::super) fn size() -> (usize, usize) {
        match tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col > 0 => (size.ws_col.into(), size.ws_row.into()),
            _ => (80, 24),
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    use super::Key;

    /// Nobody listens to keys here.
    pub(in super::super) fn listen(_act: impl FnMut(Key) + Send + 'static) -> bool {
        false
    }

    pub(in super::super) fn restore() {}

    pub(in super::super) fn size() -> (usize, usize) {
        (80, 24)
    }
}

pub(super) use terminal::{listen, restore, size};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_recognised() {
        assert_eq!(
            keys(b"k\x1b[CRx\x1b[D\x1b[Zq"),
            [Key::Kill, Key::Right, Key::Revive, Key::Left, Key::Quit]
        );
        assert_eq!(keys(b"\x1b"), []);
        assert_eq!(keys(b"\x1b["), []);
    }
}
