//! What a search comes to.

use super::finding::Findings;
use super::retrace::Retraced;
use super::{Costs, Progress, Space, Tally, Until, Watch, Way};
use crate::meaning::ask;
use crate::report::{Bound, Counterexample, Liveness, Property, SearchReport, Verdict};
use crate::system::COMES_TO_REST;

/// What is known in the end, beside what was counted.
#[derive(Default)]
struct Conclusion {
    counterexamples: Vec<Counterexample<Way>>,
    liveness: Option<Liveness>,
    retraced: Retraced,
    worst: Option<Way>,
}

impl Space<'_> {
    /// Finds out costs and cycles, if that is called for, and puts everything together.
    pub(super) fn conclude(
        &self,
        mut tally: Tally,
        findings: Findings,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> SearchReport<Way> {
        let cuts = findings.cuts();
        let mut known = Conclusion::default();
        let is_over = self.is_enough(&findings);
        if let Err(bound) = self.write_down(findings, &mut known) {
            tally.bound = Some(bound);
        } else if tally.is_whole && !is_over {
            tally.bound = self.look_again(&mut tally, &mut known, go_on).err();
        }
        if tally.bound == Some(Bound::Collision) {
            tally.is_whole = false; // At least one state was overlooked.
        }
        let is_decided = tally.is_whole && !is_over;
        let properties = self.properties(&known, &cuts, is_decided);
        let Conclusion { counterexamples, liveness, retraced, worst } = known;
        let verdict = match counterexamples.is_empty() {
            false => Verdict::Violated,
            true if !tally.is_whole => Verdict::Bounded,
            true if properties.iter().any(|it| it.holds.is_none()) => Verdict::Undecided,
            true => Verdict::Exhausted,
        };
        let unique = self.seen.len();
        SearchReport {
            verdict,
            bound: tally.bound,
            states: tally.states + 1,
            unique,
            depth: tally.depth,
            bytes: tally.bytes,
            seconds: self.begun.elapsed().as_secs_f64(),
            search_seconds: tally.search_time.as_secs_f64(),
            properties,
            cuts,
            reached: tally.reached,
            ends: tally.ends,
            liveness,
            messages: retraced.messages,
            awaited: retraced.awaited.filter(|_| ask(self.shared).takes_turns()),
            collision_probability: self.options.identity.collision_probability(unique),
            worst,
            counterexamples,
        }
    }

    /// Writes down a schedule for each finding, or for the first alone if that is enough.
    fn write_down(&self, findings: Findings, known: &mut Conclusion) -> Result<(), Bound> {
        let most = match self.options.until {
            Until::FirstBroken => 1,
            Until::AllDecided => findings.len(),
        };
        for finding in findings.in_order().into_iter().take(most) {
            known.counterexamples.push(self.counterexample(finding)?);
        }
        Ok(())
    }

    /// Finds out costs and cycles, now that every state was seen. What is known stays known if a
    /// limit is reached.
    fn look_again(
        &self,
        tally: &mut Tally,
        known: &mut Conclusion,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), Bound> {
        let is_broken = !known.counterexamples.is_empty();
        known.liveness = self.seen.is_graded().then_some(Liveness::Acyclic);
        if self.options.costs == Costs::Ignored || is_broken && known.liveness.is_some() {
            return Ok(());
        }
        let mut retraced = self.retrace(tally, go_on)?;
        let has_cycles = retraced.has_cycles;
        if !is_broken {
            // The cost of schedules that are cut short is unknown.
            known.worst = retraced.worst.take().map(|worst| self.worst(worst)).transpose()?;
            known.retraced = retraced;
        }
        if has_cycles {
            let watch = &mut Watch::new(self, tally, go_on);
            self.fair_cycles(&mut known.counterexamples, watch)?;
        }
        let watch = &mut Watch::new(self, tally, go_on);
        self.lost_chance(&mut known.counterexamples, watch)?;
        known.liveness = Some(match has_cycles {
            false => Liveness::Acyclic,
            true => Liveness::FairCycles,
        });
        Ok(())
    }

    /// What is known about each promise, where `is_decided` says whether all that the search alone
    /// can decide is.
    fn properties(&self, known: &Conclusion, cuts: &[String], is_decided: bool) -> Vec<Property> {
        // A cycle can break what was promised to happen eventually, if it had not happened in some
        // state.
        let open = ask(self.shared).open_promises();
        let needs_cycles = |name: &str| name == COMES_TO_REST || open.contains(name);
        let holds = |name: &str| match () {
            () if known.counterexamples.iter().any(|it| it.broken.promise == name) => Some(false),
            () if !is_decided => None,
            () if needs_cycles(name) && known.liveness.is_none() => None,
            () => Some(true),
        };
        let property = |name: &str| {
            let others = cuts.iter().filter(|cut| *cut != name && holds(name) == Some(true));
            Property { name: name.to_owned(), holds: holds(name), until: others.cloned().collect() }
        };
        let mut properties: Vec<_> = self.promises.iter().map(|name| property(name)).collect();
        // What no node may ever do is not worth a line, unless one does.
        let broken = known.counterexamples.iter().map(|found| found.broken.promise.as_str());
        properties.extend(broken.filter(|name| !self.promises.contains(name)).map(property));
        properties
    }
}
