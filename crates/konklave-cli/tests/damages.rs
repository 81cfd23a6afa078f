//! Damages that algorithms have names for: what a run does to all nodes, and how they recover.

mod user;

use user::{json, refused};

/// What is invoked once the queue is legal again has to follow from some content: the monitor
/// judges it, and the clients go on with as many operations as before.
#[test]
fn the_queue_recovers_from_each_damage() {
    for damage in ["twins", "holes", "anchors", "ends", "traces", "gets"] {
        let run = json(&format!(
            "run skueue --nodes 8 --ops 10 --stabilising --max-delay 1 \
             --corrupt queue:{damage}@15 --json"
        ));
        assert_eq!(run["verdict"], "ok", "{damage}: {run}");
        assert!(run["stabilisation"]["recovered_after_rounds"].is_u64(), "{damage}: {run}");
        assert_eq!(run["stabilisation"]["closure"], true, "{damage}");
        assert_eq!(run["queue"]["operations"], 160, "{damage}");
        let resets = run["queue"]["resets"].as_u64().expect("it is counted");
        assert_eq!(resets > 0, damage == "anchors", "{damage}: {resets}");
    }
}

#[test]
fn a_damage_has_to_be_one_of_the_algorithm() {
    let told = refused("run skueue --nodes 4 --stabilising --corrupt queue:dreams@9");
    assert!(told.contains("queue:twins, queue:holes, queue:anchors"), "{told}");
    let told = refused("run skueue --nodes 4 --corrupt queue:anchors@9");
    assert!(told.contains("write state:NODE@TIME or channel:FROM-TO@TIME"), "{told}");
    let told = refused("run skueue --nodes 4 --start tree");
    assert!(told.contains("add --stabilising"), "{told}");
}

#[test]
fn every_schedule_of_two_processes_keeps_the_queue_legal() {
    let check = json("check skueue --nodes 2 --ops 1 --stabilising --json");
    assert_eq!(check["verdict"], "exhausted", "{check}");
}
