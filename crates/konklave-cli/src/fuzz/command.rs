//! A run as the command line that reproduces it.

use crate::args::RunArgs;

/// The words of the command that reproduces this run, without its output options.
pub fn words(args: &RunArgs) -> Vec<String> {
    let mut words: Vec<String> = ["konklave", "run", &args.algorithm].map(str::to_owned).into();
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push(format!("--{name}"));
            words.push(value);
        }
    };
    option("nodes", args.nodes.map(|it| it.to_string()));
    option("topology", args.topology.clone());
    option("seed", Some(args.seed.to_string()));
    option("delay", Some(args.delay.to_string()));
    for (name, value) in &args.options {
        option(name, Some(value.clone()));
    }
    let faults = &args.faults;
    option("loss", faults.loss.map(|it| it.to_string()));
    option("duplicate", faults.duplicate.map(|it| it.to_string()));
    option("reorder", faults.reorder.map(|it| it.to_string()));
    faults.crash.iter().for_each(|it| option("crash", Some(it.to_string())));
    faults.pause.iter().for_each(|it| option("pause", Some(it.to_string())));
    faults.partition.iter().for_each(|it| option("partition", Some(it.to_string())));
    faults.corrupt.iter().for_each(|it| option("corrupt", Some(it.to_string())));
    args.turns.given().for_each(|(name, it)| option(name, Some(it.to_string())));
    option("time-limit", args.time_limit.map(|it| it.to_string()));
    option("event-limit", args.event_limit.map(|it| it.to_string()));
    for (flag, is_set) in
        [("--fifo", args.fifo), ("--reliable", args.reliable), ("--beyond", args.beyond)]
    {
        words.extend(is_set.then(|| flag.to_owned()));
    }
    words
}
