//! The options of the ring, on the command line or in a config file.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use konklave::NodeId;
use konklave_ring::{Initiator, Level, Moment};

use super::mode::Mode;

/// Options of `ring`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave ring 8 -n 3 --sleep 200 --worker-sleep 20 --log --log-level 1
  konklave ring 12 -n 5 --sleep 500 --worker-sleep 50 --kill 3@2 --revive 3@4
  konklave ring 6 -n 1 --worker-sleep 0 --initiator all --events json
  konklave ring --config ring.toml

A config file in TOML has the same options: size = 8, worker-sleep = 20, and so
on; or, in tables, [ring] size, number_of_elections, sleeptime; [ring.worker]
sleeptime; [log] enabled, file, include_date, level, no_config_log. The command
line overrides the file.

On a terminal the ring is drawn: the arrow keys select a worker, k kills it, r
revives it, q quits.

Exit codes: 0 fine, 1 a promise was broken, 2 bad usage or input, 3 an election
was abandoned, 130 interrupted.")]
pub struct RingArgs {
    /// Read options from this file
    #[arg(long, short, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The options that a config file may contain
    #[command(flatten)]
    pub choices: Choices,
}

/// The options that a config file may contain.
#[derive(Clone, Debug, Default, Args)]
pub struct Choices {
    /// Number of workers, unless the config file has it
    #[arg(value_parser = size, allow_negative_numbers = true)]
    pub size: Option<u32>,
    /// Stop after this many elections; 0 means no limit [default: 0]
    #[arg(long, short, value_name = "COUNT", value_parser = count, allow_negative_numbers = true)]
    pub number_of_elections: Option<u64>,
    /// Pause after an election [default: 5000]
    #[arg(long, value_name = "MS", value_parser = millis, allow_negative_numbers = true)]
    pub sleep: Option<Duration>,
    /// Pause of a worker before it handles a message [default: 500]
    #[arg(long, value_name = "MS", value_parser = millis, allow_negative_numbers = true)]
    pub worker_sleep: Option<Duration>,

    /// chang-roberts, or chang-roberts-numbered, which tolerates crashes of workers
    /// [default: chang-roberts-numbered]
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<Mode>,
    /// The initiator of an election: random, all, or a position from 0 [default: random]
    #[arg(long, value_name = "POS", value_parser = initiator)]
    pub initiator: Option<Initiator>,
    /// Seed of ids and initiators [default: random, and printed]
    #[arg(long, value_parser = crate::args::count::<u64>)]
    pub seed: Option<u64>,
    /// Kill the worker at this position when this election begins; can be repeated
    #[arg(long, value_name = "POS@ELECTION", value_parser = moment)]
    pub kill: Vec<Moment>,
    /// Revive the worker at this position when this election begins; can be repeated
    #[arg(long, value_name = "POS@ELECTION", value_parser = moment)]
    pub revive: Vec<Moment>,
    /// Timeout after which a neighbour that does not acknowledge is suspected
    /// [default: 1000, or 2.5 worker sleeps]
    #[arg(long, value_name = "MS", value_parser = limit, allow_negative_numbers = true)]
    pub ack_timeout: Option<Duration>,
    /// Timeout after which an election is abandoned [default: long enough for several]
    #[arg(long, value_name = "MS", value_parser = limit, allow_negative_numbers = true)]
    pub election_timeout: Option<Duration>,

    /// Log to the console
    #[arg(long, help_heading = "Output")]
    pub log: bool,
    /// Log to this file; it is created, or appended to
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub log_file: Option<PathBuf>,
    /// Write the date as well as the time (UTC) to the log file
    #[arg(long, help_heading = "Output")]
    pub log_date: bool,
    /// Minimum level, which turns the log on: 0 trace, 1 debug, 2 info, 3 warn, 4 error or
    /// 5 critical [default: 2]
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true, help_heading = "Output")]
    pub log_level: Option<Level>,
    /// Do not log the configuration
    #[arg(long, help_heading = "Output")]
    pub no_config_log: bool,
    /// json: print every event as one JSON object per line, and nothing else
    #[arg(long, value_name = "FORMAT", value_parser = events, help_heading = "Output")]
    pub events: Option<Format>,
}

/// Machine-readable formats of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    Json,
}

impl Choices {
    /// These options, with defaults from the others.
    pub(super) fn or(self, file: Self) -> Self {
        let list = |mine: Vec<_>, theirs| if mine.is_empty() { theirs } else { mine };
        Self {
            size: self.size.or(file.size),
            number_of_elections: self.number_of_elections.or(file.number_of_elections),
            sleep: self.sleep.or(file.sleep),
            worker_sleep: self.worker_sleep.or(file.worker_sleep),
            algorithm: self.algorithm.or(file.algorithm),
            initiator: self.initiator.or(file.initiator),
            seed: self.seed.or(file.seed),
            kill: list(self.kill, file.kill),
            revive: list(self.revive, file.revive),
            ack_timeout: self.ack_timeout.or(file.ack_timeout),
            election_timeout: self.election_timeout.or(file.election_timeout),
            log: self.log || file.log,
            log_file: self.log_file.or(file.log_file),
            log_date: self.log_date || file.log_date,
            log_level: self.log_level.or(file.log_level),
            no_config_log: self.no_config_log || file.no_config_log,
            events: self.events.or(file.events),
        }
    }

    /// Sets the option of this name to a value as on the command line. The name must be known.
    pub(super) fn set(&mut self, option: &str, text: &str) -> Result<(), String> {
        let flag = |text: &str| text == "true";
        match option {
            "size" => self.size = Some(size(text)?),
            "number-of-elections" => self.number_of_elections = Some(count(text)?),
            "sleep" => self.sleep = Some(millis(text)?),
            "worker-sleep" => self.worker_sleep = Some(millis(text)?),
            "algorithm" => self.algorithm = Some(text.parse()?),
            "initiator" => self.initiator = Some(initiator(text)?),
            "seed" => self.seed = Some(count(text)?),
            "kill" => self.kill.push(moment(text)?),
            "revive" => self.revive.push(moment(text)?),
            "ack-timeout" => self.ack_timeout = Some(limit(text)?),
            "election-timeout" => self.election_timeout = Some(limit(text)?),
            "log" => self.log = flag(text),
            "log-file" => self.log_file = Some(text.into()),
            "log-date" => self.log_date = flag(text),
            "log-level" => self.log_level = Some(text.parse()?),
            "no-config-log" => self.no_config_log = flag(text),
            "events" => self.events = Some(events(text)?),
            _ => return Err(format!("there is no option '{option}'")),
        }
        Ok(())
    }
}

/// Each worker has two threads, and the operating system limits their number.
const SIZE_MAX: u32 = 10_000;
/// A day.
const MILLIS_MAX: u64 = 24 * 60 * 60 * 1000;

fn size(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(size) if (1..=SIZE_MAX).contains(&size) => Ok(size),
        _ => Err(format!("a ring has 1 to {SIZE_MAX} workers")),
    }
}

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "write a whole number from 0".to_owned())
}

fn millis(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(millis) if millis <= MILLIS_MAX => Ok(Duration::from_millis(millis)),
        _ => Err(format!("write milliseconds, from 0 to {MILLIS_MAX}")),
    }
}

fn limit(text: &str) -> Result<Duration, String> {
    let millis = millis(text).ok().filter(|limit| !limit.is_zero());
    millis.ok_or_else(|| format!("write milliseconds, from 1 to {MILLIS_MAX}"))
}

fn initiator(text: &str) -> Result<Initiator, String> {
    match text {
        "random" => Ok(Initiator::Random),
        "all" => Ok(Initiator::All),
        _ => match text.parse() {
            Ok(position) => Ok(Initiator::At(NodeId(position))),
            Err(_) => Err("write random, all or the position of a worker, from 0".to_owned()),
        },
    }
}

fn moment(text: &str) -> Result<Moment, String> {
    let parsed = || {
        let (node, election) = text.split_once('@')?;
        let (node, election) = (NodeId(node.parse().ok()?), election.parse().ok()?);
        (election > 0).then_some(Moment { election, node })
    };
    parsed().ok_or_else(|| {
        "write POS@ELECTION, such as 3@2: the worker at position 3, in election 2".to_owned()
    })
}

fn events(text: &str) -> Result<Format, String> {
    match text {
        "json" => Ok(Format::Json),
        _ => Err("the only format is json".to_owned()),
    }
}
