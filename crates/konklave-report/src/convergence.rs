//! The way of a self-stabilising system to a legal state, round by round.

use konklave_draw::Axis;
use konklave_draw::chart::{Plot, Point};
use konklave_sim::Round;

use crate::table::{Cell, Table};

/// The rounds as a table, from the first on.
pub fn table(rounds: &[Round]) -> Table {
    let mut table = Table::new(["round", "known", "messages", "legal"]);
    for (number, round) in (1_u64..).zip(rounds) {
        let legal = u64::from(round.legal);
        table.push([Cell::from(number), round.known.into(), round.messages.into(), legal.into()]);
    }
    table
}

/// How many nodes a node knows, and how many messages it sends, round by round; and since when the
/// system is legal.
pub fn picture(title: &str, rounds: &[Round]) -> String {
    let points = |value: fn(&Round) -> f64| {
        let along = (1_u32..).zip(rounds);
        along.map(|(number, round)| Point::new(number.into(), value(round))).collect::<Vec<_>>()
    };
    let mut plot = Plot::new(title).x("round", Axis::Linear).y("per node, on average", Axis::Auto);
    // Nodes that can reach all others by nature do not learn to know them.
    if rounds.iter().any(|round| round.known > 0.0) {
        plot = plot.measured("nodes known", points(|round| round.known));
    }
    plot.measured("messages sent", points(|round| round.messages)).note(verdict(rounds)).svg()
}

/// Since when the system is legal, as a sentence.
fn verdict(rounds: &[Round]) -> String {
    let legal = rounds.iter().rev().take_while(|round| round.legal).count();
    match rounds.len() - legal {
        last if last == rounds.len() => "The system was not legal at the end.".to_owned(),
        last => format!("The system is legal from the end of round {} on.", last + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(legal: &[bool]) -> Vec<Round> {
        legal.iter().map(|&legal| Round { known: 2.5, messages: 4.0, legal }).collect()
    }

    #[test]
    fn what_no_node_knows_is_no_curve() {
        let round = |known| Round { known, messages: 4.0, legal: true };
        assert!(picture("list", &[round(0.0), round(2.0)]).contains("nodes known"));
        let rule = picture("rule", &[round(0.0), round(0.0)]);
        assert!(!rule.contains("nodes known") && rule.contains("messages sent"));
    }

    #[test]
    fn a_system_is_legal_since_the_last_round_in_which_it_was_not() {
        let says = |legal: &[bool]| verdict(&rounds(legal));
        assert_eq!(
            says(&[false, true, false, true, true]),
            "The system is legal from the end of round 4 on."
        );
        assert_eq!(says(&[true]), "The system is legal from the end of round 1 on.");
        assert_eq!(says(&[true, false]), "The system was not legal at the end.");
        assert_eq!(says(&[]), "The system was not legal at the end.");
    }

    #[test]
    fn the_table_has_a_row_for_each_round() {
        let csv = table(&rounds(&[false, true])).csv();
        assert_eq!(csv, "round,known,messages,legal\r\n1,2.5,4,0\r\n2,2.5,4,1\r\n");
    }
}
