//! What a person looks at first: a recorded run, or a system that has only just started.

use konklave::NodeId;
use konklave::trace::Line;
use konklave_catalog::site::Site;
use konklave_catalog::stage::{AnyStage, Seen};
use konklave_catalog::system::{CheckPlan, Watch};
use konklave_check::{Order, Pace, World};
use konklave_sim::{Options, Recording};
use konklave_stage::Action;
use konklave_stage::erased::Erased;

use crate::moves::{choices, is_idle_start};
use crate::play::{Moment, Play};

/// A system that can be watched: where it is built, what it is called, and what has happened in it.
pub struct Trunk {
    /// The system.
    pub site: Site,
    /// Its name, in a sentence.
    pub title: String,
    /// The command that does the same.
    pub command: String,
    /// What has happened.
    pub moments: Vec<Moment>,
    /// How it ended: the last line of a trace, if there is one.
    pub end: Option<Line<Erased>>,
    /// The stage after every so many moments, beginning with none.
    snapshots: Vec<Box<dyn AnyStage>>,
    /// Where each node lies on a circle, from 0 to 1, if that is what the network is made of.
    pub ring: Vec<Option<f64>>,
    /// Whether what happened later was left out, because it is too much.
    pub is_cut: bool,
}

/// A snapshot is kept after this many moments.
const INTERVAL: usize = 64;

/// The largest number of moments of a trunk.
pub(crate) const MOMENTS: usize = 10_000;

impl Trunk {
    /// A simulated run, recorded until its end or until it is too long to be shown.
    ///
    /// # Errors
    ///
    /// If the options do not suit the system.
    pub fn run(
        site: Site,
        title: String,
        command: String,
        options: &Options,
    ) -> Result<Self, String> {
        let most = MOMENTS as u64 + u64::from(site.nodes());
        let event_limit = Some(options.event_limit.unwrap_or(most).min(most));
        let options = Options { event_limit, ..options.clone() };
        let mut trace = Vec::new();
        let watch = Watch { trace: Some(Recording::new(&mut trace, false)), ..Watch::default() };
        let system = site.system().map_err(|refusal| refusal.to_string())?;
        let ran = system.run(&options, watch, &mut |_| true);
        let ran = ran.map_err(|refusal| refusal.to_string())?;
        drop(system);
        let text = String::from_utf8_lossy(&trace).into_owned();
        let nodes = site.nodes() as usize;
        let mut trunk = Self::recorded(site, title, command, text.lines(), &plan_of(&options))?;
        if let Some(formation) = ran.problem.formation {
            trunk.ring = vec![None; nodes];
            formation.places.iter().for_each(|(node, at)| trunk.ring[node.index()] = Some(*at));
        }
        Ok(trunk)
    }

    /// The lines of a trace after its header.
    ///
    /// # Errors
    ///
    /// If they are not such lines, or what they tell cannot happen.
    pub fn recorded<'a>(
        site: Site,
        title: String,
        command: String,
        lines: impl Iterator<Item = &'a str>,
        plan: &CheckPlan,
    ) -> Result<Self, String> {
        let mut recorded = Vec::new();
        let refused = |refusal: konklave_catalog::refusal::Refusal| refusal.to_string();
        let mut text = lines.map(|line| Ok(line.to_owned()));
        let system = site.system().map_err(refused)?;
        // Replaying it gives messages and timers the types that the trace does not have, and makes
        // sure that the nodes do what it says.
        let mut keep = |line: &Line<Erased>| recorded.push(line.clone());
        system.replay(&mut text, &mut keep).map_err(refused)?;
        let stage = system.stage(plan).map_err(refused)?;
        drop(system);
        let mut trunk = Self::new(site, title, command, stage);
        trunk.follow(recorded)?;
        Ok(trunk)
    }

    /// A system in which all nodes have started, and nothing else has happened.
    ///
    /// # Errors
    ///
    /// If it cannot be built.
    pub fn started(
        site: Site,
        title: String,
        command: String,
        plan: &CheckPlan,
    ) -> Result<Self, String> {
        let stage = site.system().and_then(|system| system.stage(plan));
        let stage = stage.map_err(|refusal| refusal.to_string())?;
        let starts: Vec<_> = NodeId::all(site.nodes()).map(Action::<Erased>::Start).collect();
        let mut trunk = Self::new(site, title, command, stage);
        let mut play = trunk.play(0)?;
        for start in starts {
            play.follow(&start, &[])?;
        }
        let (moments, stage) = play.finish();
        match moments.is_empty() {
            true => trunk.snapshots = vec![stage], // Nobody sees that they have started.
            false => trunk.moments = moments,
        }
        Ok(trunk)
    }

    fn new(site: Site, title: String, command: String, stage: Box<dyn AnyStage>) -> Self {
        let (moments, snapshots) = (Vec::new(), vec![stage]);
        let (end, ring) = (None, Vec::new());
        Self { site, title, command, moments, end, ring, snapshots, is_cut: false }
    }

    fn follow(&mut self, lines: Vec<Line<Erased>>) -> Result<(), String> {
        let mut play = self.play(0)?;
        let mut quiet: Vec<Action<Erased>> = Vec::new();
        for line in lines {
            if matches!(line, Line::End(_)) {
                self.end = Some(line);
                break;
            }
            if play.moments().len() == MOMENTS {
                self.is_cut = true;
                break;
            }
            match Action::of(&line) {
                Some(action) if is_idle_start(&line) => quiet.push(action),
                Some(action) => {
                    play.pass_until(&line);
                    play.follow(&action, &choices(&line))?;
                }
                None => play.note(line),
            }
            for start in quiet.drain(..) {
                play.redo(&start, &[])?;
            }
            if play.moments().len() == self.snapshots.len() * INTERVAL {
                self.snapshots.push(play.stage().copy());
            } else if play.moments().is_empty() {
                self.snapshots[0] = play.stage().copy();
            }
        }
        self.moments = play.finish().0;
        Ok(())
    }

    /// The nodes before the first moment.
    ///
    /// # Errors
    ///
    /// If the system cannot be built.
    pub fn first(&self) -> Result<Vec<Seen>, String> {
        let play = self.play(0)?;
        let nodes = NodeId::all(play.stage().size() as u32);
        Ok(nodes.filter_map(|node| play.stage().node(node)).collect())
    }

    /// The system after this many moments, ready for something else to happen.
    ///
    /// # Errors
    ///
    /// If there are not so many moments.
    pub fn play(&self, cut: usize) -> Result<Play, String> {
        if cut > self.moments.len() {
            let last = self.moments.len();
            return Err(format!("there are {last} moments, so nothing can branch off at {cut}"));
        }
        let snapshot = (cut / INTERVAL).min(self.snapshots.len() - 1);
        let mut play = Play::new(self.snapshots[snapshot].copy(), self, cut);
        for moment in &self.moments[snapshot * INTERVAL..cut] {
            if let Some(action) = Action::of(&moment.line) {
                play.pass_until(&moment.line);
                play.redo(&action, &choices(&moment.line))?;
            }
        }
        Ok(play)
    }
}

/// What may happen to a system beyond its recording: what could happen in a run with these options.
pub(crate) fn plan_of(options: &Options) -> CheckPlan {
    let order = if options.fifo { Order::Fifo } else { Order::Any };
    let world = World { order, pace: Pace::Free, perpetual: options.perpetual, ..World::new() };
    CheckPlan { world, ..CheckPlan::default() }
}

/// The same for a system of which only a trace is known.
pub(crate) fn plan_at(site: &Site) -> CheckPlan {
    let perpetual = site.entry().needs.perpetual;
    plan_of(&Options { fifo: site.needs_fifo(), perpetual, ..Options::default() })
}
