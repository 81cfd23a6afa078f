//! What was computed for a link and may be asked for again: the server keeps nothing else.

use std::rc::Rc;

use crate::moves::Move;
use crate::play::Play;
use crate::trunk::{MOMENTS, Trunk};

/// How many trunks are kept.
const TRUNKS: usize = 16;
/// How many plays are kept.
const PLAYS: usize = 64;

/// Trunks and plays, the one that was used last at the end.
#[derive(Default)]
pub(crate) struct Cache {
    trunks: Vec<(String, Rc<Trunk>)>,
    plays: Vec<(Way, Play)>,
}

/// How a play came about.
#[derive(Clone, PartialEq, Eq)]
struct Way {
    trunk: String,
    cut: usize,
    moves: Vec<Move>,
}

/// A schedule that stops being possible.
pub(crate) struct Stuck {
    /// How many of the moves could happen.
    pub(crate) moves: usize,
    /// Why the next one cannot.
    pub(crate) why: String,
}

impl Cache {
    /// The trunk with this name, built if it is not known.
    ///
    /// # Errors
    ///
    /// If it cannot be built.
    pub(crate) fn trunk(
        &mut self,
        name: &str,
        build: impl FnOnce() -> Result<Trunk, String>,
    ) -> Result<Rc<Trunk>, String> {
        let known = self.trunks.iter().position(|(known, _)| known == name);
        let kept = match known {
            Some(place) => self.trunks.remove(place),
            None => (name.to_owned(), Rc::new(build()?)),
        };
        let trunk = Rc::clone(&kept.1);
        self.trunks.push(kept);
        if self.trunks.len() > TRUNKS {
            let (forgotten, _) = self.trunks.remove(0);
            self.plays.retain(|(way, _)| way.trunk != forgotten);
        }
        Ok(trunk)
    }

    /// What has become of a trunk after these moves, from this moment on. If one of the moves
    /// cannot happen, what has become of it before.
    ///
    /// # Errors
    ///
    /// If the trunk is not that long.
    pub(crate) fn play(
        &mut self,
        name: &str,
        trunk: &Trunk,
        cut: usize,
        moves: &[Move],
    ) -> Result<(&Play, Option<Stuck>), String> {
        let is_on_the_way =
            |way: &Way| way.trunk == name && way.cut == cut && moves.starts_with(&way.moves);
        let nearest = self.plays.iter().filter(|(way, _)| is_on_the_way(way));
        let nearest = nearest.max_by_key(|(way, _)| way.moves.len());
        let (done, mut play) = match nearest {
            Some((way, play)) => (way.moves.len(), play.copy()),
            None => (0, trunk.play(cut)?),
        };
        let mut stuck = None;
        let mut performed = done;
        for step in &moves[done..] {
            let most = MOMENTS.saturating_sub(cut);
            match play.perform(step, trunk, most) {
                Ok(()) => performed += 1,
                Err(why) => {
                    stuck = Some(Stuck { moves: performed, why });
                    break;
                }
            }
        }
        let way = Way { trunk: name.to_owned(), cut, moves: moves[..performed].to_vec() };
        self.plays.retain(|(known, _)| *known != way);
        self.plays.push((way, play));
        if self.plays.len() > PLAYS {
            self.plays.remove(0);
        }
        let (_, play) = self.plays.last().expect("it was just put there");
        Ok((play, stuck))
    }
}
