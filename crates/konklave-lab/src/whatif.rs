//! What if: the same schedule again and again, with one message lost each time.

use konklave::trace::Line;
use serde_json::{Value as Json, json};

use crate::moves::{Move, What};
use crate::play::Play;
use crate::trunk::Trunk;

/// The longest schedule that is tried with every loss.
const MOMENTS: usize = 400;

/// For each message of the trunk: how the schedule ends if this message is lost, and everything
/// else happens as before as far as it still can.
pub(crate) fn strip(trunk: &Trunk) -> Json {
    let moments = &trunk.moments[..trunk.moments.len().min(MOMENTS)];
    let mut losses = Vec::new();
    for (cut, moment) in moments.iter().enumerate() {
        let Line::Step(step) = &moment.line else { continue };
        let (konklave::protocol::Input::Message { .. }, Some(number)) = (&step.input, step.number)
        else {
            continue;
        };
        let Ok(mut play) = trunk.play(cut) else { continue };
        let most = 2 * trunk.moments.len() + 100;
        let lost = play.perform(&Move::new(What::Lose(number)), trunk, most);
        let gone_on = lost.and_then(|()| {
            let rest = Move::new(What::AsBefore(most as u32));
            play.perform(&rest, trunk, most)
        });
        if gone_on.is_ok() {
            losses.push(ending(cut, number, &play));
        }
    }
    json!({ "losses": losses, "is_cut": moments.len() < trunk.moments.len() })
}

fn ending(cut: usize, number: u32, play: &Play) -> Json {
    let stage = play.stage();
    let broken = stage.broken().cloned();
    let is_open = stage.is_at_rest().then(|| stage.open()).flatten();
    json!({
        "cut": cut,
        "message": number,
        "broken": broken.or(is_open),
        "steps": play.moments().len(),
        "rests": stage.is_at_rest(),
    })
}
