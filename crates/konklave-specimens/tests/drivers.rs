//! A message to a node that is not a neighbour breaks a promise, whichever driver runs the nodes.

use konklave::NodeId;
use konklave::protocol::Broken;
use konklave_catalog::catalog::Catalog;
use konklave_specimens::all;
use konklave_stage::script::Script;

#[track_caller]
fn expect(broken: Option<Broken>) {
    let broken = broken.expect("it was noticed");
    let expected = "node 0 sends a message to node 2, which is not its neighbour";
    assert_eq!((&broken.promise[..], &broken.detail[..]), ("sends to neighbours", expected));
    assert_eq!(broken.node, Some(NodeId(0)), "the culprit");
}

#[test]
fn a_message_past_the_neighbour_is_noticed_by_every_driver() {
    let catalog = Catalog::standard().with_specimens(all()).leak();
    let (entry, specimen) = catalog.find_specimen("chang-roberts-skips-a-node").unwrap();
    let setting = specimen.setting.options(&[("initiators", "list:0")]);
    let site = setting.site(entry).unwrap();
    let system = site.system().unwrap();

    let (simulated, lines) = setting.attempt(&site, 1).unwrap().expect("the simulator notices");
    assert_eq!(simulated, "sends to neighbours");
    let mut recorded = lines.iter().cloned().map(Ok);
    expect(system.replay(&mut recorded, &mut |_| {}).unwrap().broken);
    expect(Some(system.shrink(&lines, None, &mut || true).unwrap().broken));

    let checked = system.check(&setting.plan(false), &mut |_| true).unwrap();
    let is_listed = |name| checked.properties.iter().any(|it| it.name == name);
    assert!(is_listed("sends to neighbours") && is_listed("assertions hold"));
    expect(checked.counterexamples.into_iter().next().map(|found| found.broken));

    let played = system.play(&Script::parse("nodes 3\n\n0 start\n---\n").unwrap()).unwrap();
    assert!(played.contains("broken sends to neighbours: node 0 sends"), "{played}");
}
