//! Keys pressed on the terminal while the ring is drawn.

/// The command of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Left,
    Right,
    Kill,
    Revive,
    Quit,
}

/// Parses the keys in input from a terminal.
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

    /// The settings of the terminal to restore.
    static BEFORE: OnceLock<Termios> = OnceLock::new();
    static IS_OVER: AtomicBool = AtomicBool::new(false);

    /// Calls `act` for every key from now on; returns whether standard input is a terminal.
    pub(in super::super) fn listen(mut act: impl FnMut(Key) + Send + 'static) -> bool {
        let keyboard = io::stdin();
        let Ok(before) = tcgetattr(&keyboard) else { return false };
        let mut single = before.clone();
        // Input is unbuffered and not echoed; Ctrl-C still interrupts. A read times out after a
        // fifth of a second, so that the thread notices the end of the ring.
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

    /// Restores the settings of the terminal.
    pub(in super::super) fn restore() {
        IS_OVER.store(true, Ordering::Relaxed);
        if let Some(before) = BEFORE.get() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before); // Nothing left to try.
        }
    }

    /// The columns and lines of the terminal.
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

    /// Keys are not supported on this platform.
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
