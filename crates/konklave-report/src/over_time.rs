//! A run over time: what happens in windows of equal length.

use konklave_draw::Axis;
use konklave_draw::chart::{Plot, Point};

use crate::account::{Account, Fate, SpanKind};
use crate::table::{Cell, Table};

/// What happens from one tick up to another, which is not included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The first tick.
    pub from: u64,
    /// The first tick after it.
    pub to: u64,
    /// The number of messages sent.
    pub sent: u64,
    /// The number of messages in transit, averaged over the ticks.
    pub in_transit: f64,
    /// The number of requests granted.
    pub granted: u64,
    /// The number of nodes that wait, averaged over the ticks.
    pub waiting: f64,
}

/// At most this many windows, which cover all ticks of a run, also the last: of equal length, but
/// that the last one may be shorter.
pub fn windows(account: &Account, most: u64) -> Vec<Window> {
    let last = account.end.as_ref().map(|end| end.time);
    let last = last.max(account.events.last().map(|event| event.at)).unwrap_or(0);
    let length = (last + 1).div_ceil(most.max(1));
    let count = (last + 1).div_ceil(length);
    let window = |place: u64| Window {
        from: place * length,
        to: ((place + 1) * length).min(last + 1),
        sent: 0,
        in_transit: 0.0,
        granted: 0,
        waiting: 0.0,
    };
    let mut windows: Vec<Window> = (0..count).map(window).collect();
    let at = |event: usize| account.events[event].at;
    for message in &account.messages {
        let Some(sent) = message.sent.map(at) else { continue };
        windows[(sent / length) as usize].sent += 1;
        let arrived = match message.fate {
            Fate::Arrived(event) | Fate::Missed(event) => at(event),
            Fate::Lost => continue,
            Fate::InFlight => last + 1,
        };
        spread(&mut windows, (sent, arrived), |window| &mut window.in_transit);
    }
    for span in &account.spans {
        let (from, to) = (at(span.from), span.to.map_or(last + 1, at));
        match span.kind {
            SpanKind::Held => windows[(from / length) as usize].granted += 1,
            SpanKind::Waiting => {
                spread(&mut windows, (from, to), |window| &mut window.waiting);
            }
            SpanKind::Crashed | SpanKind::Paused => {}
        }
    }
    windows
}

/// Adds one from one tick up to another, as an average over each window.
fn spread(
    windows: &mut [Window],
    (from, to): (u64, u64),
    quantity: impl Fn(&mut Window) -> &mut f64,
) {
    let first = windows.partition_point(|window| window.to <= from);
    for window in windows.iter_mut().skip(first) {
        if window.from >= to {
            break;
        }
        let ticks = to.min(window.to) - from.max(window.from);
        *quantity(window) += ticks as f64 / (window.to - window.from) as f64;
    }
}

/// The windows as a table. T is the mean delay of a message, in ticks.
pub fn table(windows: &[Window], t: f64) -> Table {
    let mut table =
        Table::new(["from", "to", "sent", "in_transit", "granted", "granted_per_t", "waiting"]);
    for window in windows {
        table.push([
            Cell::from(window.from),
            window.to.into(),
            window.sent.into(),
            window.in_transit.into(),
            window.granted.into(),
            per_t(window, t).into(),
            window.waiting.into(),
        ]);
    }
    table
}

fn per_t(window: &Window, t: f64) -> f64 {
    window.granted as f64 * t / (window.to - window.from) as f64
}

/// Messages in transit and nodes that wait, over time.
pub fn crowd(title: &str, windows: &[Window]) -> String {
    let plot = Plot::new(title).x("time, in ticks", Axis::Auto).y("on average", Axis::Auto);
    plot.measured("messages in transit", points(windows, |window| window.in_transit))
        .measured("nodes that wait", points(windows, |window| window.waiting))
        .svg()
}

/// A quantity as it developed, step by step from zero.
pub fn series(title: &str, (x, y): (&str, &str), values: &[f64]) -> String {
    let plot = Plot::new(title).x(x, Axis::Auto).y(y, Axis::Auto);
    let points = (0..).map(f64::from).zip(values).map(|(x, y)| Point::new(x, *y));
    plot.measured(y, points.collect::<Vec<_>>()).svg()
}

/// Requests granted per T, over time.
pub fn rate(title: &str, windows: &[Window], t: f64) -> String {
    let plot = Plot::new(title).x("time, in ticks", Axis::Auto).y("granted per T", Axis::Auto);
    plot.measured("granted", points(windows, |window| per_t(window, t))).svg()
}

/// A point in the middle of each window.
fn points(windows: &[Window], quantity: impl Fn(&Window) -> f64) -> Vec<Point> {
    let middle = |window: &Window| (window.from + window.to) as f64 / 2.0;
    windows.iter().map(|window| Point::new(middle(window), quantity(window))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_spread_over_the_windows_that_it_touches() {
        let window = |from| Window {
            from,
            to: from + 10,
            sent: 0,
            in_transit: 0.0,
            granted: 0,
            waiting: 0.0,
        };
        let mut windows = [0, 10, 20].map(window);
        windows[2].to = 25; // The last one may be shorter.
        spread(&mut windows, (8, 21), |window| &mut window.waiting);
        assert_eq!(windows.map(|window| window.waiting), [0.2, 1.0, 0.2]);
        spread(&mut windows, (5, 5), |window| &mut window.waiting);
        assert_eq!(windows[0].waiting, 0.2, "what takes no time is no crowd");
    }
}
