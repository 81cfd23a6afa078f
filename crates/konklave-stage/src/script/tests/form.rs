use super::*;

#[test]
fn settings_are_the_first_block() {
    let text = "# Title.\n\n# More.\nnodes 3\n\t ids  27 4   42 \nquiet\n# End.\n\n0 shout\n---\n";
    let settings = Script::parse(text).unwrap().settings;
    let expected = [("nodes", "3"), ("ids", "27 4   42"), ("quiet", "")];
    assert_eq!(settings, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

#[test]
fn only_output_is_replaced() {
    let head = "# Title.\n\nnodes 3\n\n\n# A comment.\n  0   shout \n # Inside.\n1 shout\n --- \n";
    let tail = "\n\n# End.\n";
    let output = "0 ! Shouted\n1 ! Shouted\nbroken silence: node 1 shouts again\n";
    let expected = format!("{head}{output}{tail}");
    assert_eq!(play(&format!("{head}{tail}")).unwrap(), expected);
    assert_eq!(play(&format!("{head}wrong\nlines\n{tail}")).unwrap(), expected);
    assert_eq!(play(&expected).unwrap(), expected);
}

#[test]
fn each_block_has_its_own_output() {
    let text = "nodes 3\n\n0 shout\n---\n0 ! Shouted\n\nsettle\n---\n\n\
                0 tell-all [1]\n---\n0 -> 1 Note(1)\n";
    assert_eq!(play(text).unwrap(), text);
}

#[test]
fn a_script_can_be_empty() {
    for text in ["", "\n", "# Nothing.\n", "nodes 3\n", "nodes 3\n\n# Nothing.\n"] {
        assert_eq!(play(text).unwrap(), text);
    }
}

#[test]
fn lines_have_their_place() {
    assert_eq!(
        malformed("nodes 3\n0 shout\n---\n"),
        "line 3: settings, such as `nodes 3`, come first and end with a blank line"
    );
    assert_eq!(malformed("nodes 3\n\n---\n"), "line 3: `---` belongs below commands");
    assert_eq!(
        malformed("nodes 3\n\n0 shout\n\n---\n"),
        "line 4: `---` is missing between the commands and this blank line"
    );
    assert_eq!(
        malformed("nodes 3\n\n0 shout\n# End.\n"),
        "line 4: `---` is missing below the last commands"
    );
    assert_eq!(
        malformed("nodes 3\n\n0 shout\n---\n0 ! Shouted\n1 shout\n---\n"),
        "line 7: a blank line is missing above these commands"
    );
    assert_eq!(
        malformed("nodes 3\n\n0 shout\n---\n# Lost.\n"),
        "line 5: a comment below `---` would be lost: it goes above a command"
    );
}

#[test]
fn a_line_number_counts_the_expected_output() {
    let error = play("nodes 3\n\n0 shout\n---\n0 ! Shouted\n\n7 shout\n---\n").unwrap_err();
    assert_eq!(error.line, 7);
}

#[test]
fn an_unknown_word_is_answered_by_all_forms() {
    let problem = problem("wait 3");
    let (start, forms) = problem.split_once("; right would be ").unwrap();
    assert_eq!(start, "`wait 3` is not understood");
    assert_eq!(forms.split(" or ").count(), 16);
    assert!(forms.starts_with("`NODE COMMAND [JSON]` or `deliver [all]` or "), "{forms}");
    assert!(super::problem("0").starts_with("`0` is not understood"));
    assert!(super::problem("4294967296 shout").contains("is not understood"));
}

#[test]
fn a_known_word_is_answered_by_its_forms() {
    let forms = [
        ("deliver", "`deliver [all]` or `deliver A -> B [K]`"),
        ("lose", "`lose A -> B [K]`"),
        ("duplicate", "`duplicate A -> B [K]`"),
        ("timer", "`timer NODE [NAME]`"),
        ("choose", "`choose NUMBER...`"),
        ("crash", "`crash NODE`"),
        ("state", "`state NODE`"),
        ("watch", "`watch all|NODE`"),
        ("settle", "`settle`"),
        ("rest", "`rest`"),
        ("flight", "`flight`"),
        ("count", "`count`"),
        ("start", "`start`"),
    ];
    for (word, right) in forms {
        let line = format!("{word} x -> 1");
        let expected = format!("`{line}` is not understood; right would be {right}");
        assert_eq!(problem(&line), expected);
    }
    for line in ["deliver 0 -> 1 0", "lose 0 -> 1 -1", "duplicate 0 1", "crash", "choose"] {
        assert!(problem(line).contains("right would be"), "{line}");
    }
}

#[test]
fn no_text_panics() {
    let words = ["0", "->", "1", "deliver", "all", "---", "#", "\n", "\n\n", "{", "[1", "é", "-"];
    for first in words {
        for second in words {
            for third in words {
                let text = format!("{first} {second} {third}");
                let _ = play(&text);
                let _ = play(&format!("nodes 3\n\n{text}\n---\n{text}"));
            }
        }
    }
    let _ = play(&format!("nodes 3\n\n0 tell-all {}\n---\n", "[".repeat(100_000)));
}
