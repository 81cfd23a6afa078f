use super::*;

#[test]
fn choices_allow_their_values_and_no_others() {
    let choice = Choice::new("quorum", &["auto", SETS, FILE, NUMBER], "");
    for value in ["auto", "list:0,1/1", "file:q.txt", "7"] {
        assert!(choice.allows(value), "{value}");
    }
    for value in ["", "file:", "0", "-1", "grid"] {
        assert!(!choice.allows(value), "{value}");
    }
}

#[test]
fn an_option_has_a_default_where_it_is_taken() {
    assert!(matches!(IDS.usual(Verb::Check), Some(Usual::Is("random"))));
    assert!(NOTICE.usual(Verb::Check).is_none());
}

#[test]
fn a_default_can_follow_from_the_rest_of_the_setup() {
    let usual = &[(Verb::Run, Usual::Of(|setup, _| (2 * setup.nodes).to_string(), "twice n"))];
    let option = Opt { name: "entries", ..IDS.usually(usual) };
    let setup = Setup { nodes: 4, ..Setup::default() };
    let get = |setup: &Setup, verb| option.get::<u32>(setup, verb, Delay::Constant(1));
    assert_eq!(get(&setup, Verb::Run), Some(8));
    assert_eq!(get(&setup, Verb::Check), None, "it is not taken there");
    assert_eq!(get(&setup.with("entries", 3), Verb::Run), Some(3));
}
