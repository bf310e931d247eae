//! Rename: it changes every place of a name, or says why it changes nothing.

mod common;

use common::{Client, TestWorld, abilities, apply, position};
use serde_json::{Value, json};

const URI: &str = "file:///project/a.trc";
const SWITCH: &str = "sched:sched_switch";

/// The files of a project: name and text. `|` marks the place in the first one.
type Project<'p> = &'p [(&'p str, &'p str)];

fn uri(name: &str) -> String {
    format!("file:///project/{name}")
}

/// Returns the texts of a project after a rename, in the same order, or the reason why it is refused. The files in `open`
/// are open.
fn renamed(project: Project<'_>, open: &[&str], new: &str) -> Result<Vec<String>, String> {
    let world = TestWorld::default();
    let plain: Vec<(String, String)> =
        project.iter().map(|(name, text)| ((*name).to_owned(), text.replacen('|', "", 1))).collect();
    for (name, text) in &plain {
        world.files.lock().expect("files").insert(format!("/project/{name}"), text.clone());
    }
    let mut client = Client::utf8(world);
    for (name, text) in plain.iter().filter(|(name, _)| open.contains(&name.as_str())) {
        client.open(&uri(name), 1, text);
    }
    let (first, marked) = project[0];
    let place = position(marked, marked.find('|').expect("a mark"), true);
    let edits = rename(&mut client, &uri(first), place, new);
    client.end();
    let edits = edits?;
    let texts = plain.iter().map(|(name, text)| {
        let own = edits["changes"][uri(name)].as_array().cloned().unwrap_or_default();
        apply(text, &own, true)
    });
    Ok(texts.collect())
}

fn rename(
    client: &mut Client,
    uri: &str,
    (line, character): (usize, usize),
    new: &str,
) -> Result<Value, String> {
    let position = json!({ "line": line, "character": character });
    let params = json!({ "textDocument": { "uri": uri }, "position": position, "newName": new });
    client.request("textDocument/rename", params)
}

/// Returns why a rename in one open file is refused.
fn refusal(marked: &str, new: &str) -> String {
    let outcome = renamed(&[("a.trc", &marked.replace("SWITCH", SWITCH))], &["a.trc"], new);
    outcome.expect_err("a refusal").replace("-32803: ", "")
}

#[test]
fn a_name_that_is_hidden_or_hides_another_is_refused() {
    for (text, new, why) in [
        // A parameter comes before a constant, also where both have the same value.
        (
            "const LOW = 3;\nsession a(m|: int = 3) { trace SWITCH if prev_prio > m && next_prio > LOW; }",
            "LOW",
            "`LOW` at a.trc:2:86 would be the parameter, and is the constant now",
        ),
        // A pseudo-field and a field come before both.
        (
            "const F|OO = 7;\nsession a { trace SWITCH if prev_pid == FOO; }",
            "cpu",
            "would be a field that no text declares, and is the constant now",
        ),
        (
            "const F|OO = 7;\nsession a { trace SWITCH if prev_pid == FOO; }",
            "prev_prio",
            "with the name `prev_prio` the text is wrong at",
        ),
        // A name without a meaning would get one.
        (
            "const F|OO = 7;\nsession a { trace SWITCH if prev_pid == FOO || next_pid == BAR; }",
            "BAR",
            "`BAR` at a.trc:2:72 would be the constant, and is a field that no text declares now",
        ),
        // Another type.
        (
            "use std::errno;\nenum S|t: u8 { A = 1 }\n\
             session a { trace SWITCH if prev_pid as St == A || next_pid as Errno == EIO; }",
            "Errno",
            "`Errno` at a.trc:3:79 would be the type of another declaration",
        ),
        // A session that another one includes.
        (
            "session ba|se { trace sched:sched_wakeup; }\nsession two { include base; trace SWITCH; }",
            "two",
            "with the name `two` the text is wrong at",
        ),
    ] {
        let said = refusal(text, new);
        assert!(said.contains(why), "{text} -> {new}: {said}");
    }
}

#[test]
fn a_name_that_only_current_has_is_refused() {
    let said = refusal(
        "const F|OO = 7;\nsession a { trace SWITCH if prev_pid == FOO && current.pid == 3; }",
        "current",
    );
    assert!(said.contains("`current`"), "{said}");
}

#[test]
fn a_member_of_one_of_two_enums_is_told_by_what_it_is_compared_with() {
    let text = "enum A: u8 { X| = 1, Y }\nenum B: u8 { X = 2, W }\n\
                session a { trace sched:sched_switch if prev_pid as B == X && next_pid as A in {X, Y}; }";
    let found = renamed(&[("a.trc", text)], &["a.trc"], "Q").expect("edits");
    let expected = "enum A: u8 { Q = 1, Y }\nenum B: u8 { X = 2, W }\n\
                    session a { trace sched:sched_switch if prev_pid as B == X && next_pid as A in {Q, Y}; }";
    assert_eq!(found, [expected]);
    let said = refusal(&text.replace(SWITCH, "SWITCH"), "Y");
    assert!(said.contains("with the name `Y`"), "{said}");
}

#[test]
fn names_in_comments_are_not_names() {
    let text = "const F|OO = 7;\nsession a { trace sched:sched_switch if (/* FOO */ FOO) == prev_pid; }";
    let found = renamed(&[("a.trc", text)], &["a.trc"], "BAR").expect("edits");
    let expected = "const BAR = 7;\nsession a { trace sched:sched_switch if (/* FOO */ BAR) == prev_pid; }";
    assert_eq!(found, [expected]);
}

const IMPORTER: &str = "use \"a.trc\";\nsession b { trace sched:sched_switch if prev_prio > a::LOW; }";

#[test]
fn files_that_are_not_open_are_changed_too() {
    let project: Project<'_> =
        &[("a.trc", "const L|OW = 3;\n"), ("b.trc", IMPORTER), ("sub/c.trc", "const LOW = 4;\n")];
    let found = renamed(project, &["a.trc"], "LEAST").expect("edits");
    assert_eq!(found, ["const LEAST = 3;\n", &IMPORTER.replace("LOW", "LEAST"), "const LOW = 4;\n"]);
}

#[test]
fn a_file_that_is_not_open_may_forbid_a_name() {
    // The importer has the new name, and not the old one.
    let other =
        "use \"a.trc\";\nconst LEAST = 1;\nsession b { trace sched:sched_switch if prev_prio > a::LEAST; }";
    let project: Project<'_> = &[("a.trc", "const L|OW = 3;\n"), ("b.trc", other)];
    let said = renamed(project, &["a.trc"], "LEAST").expect_err("a refusal");
    assert!(said.contains("b.trc:3"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_searched_is_the_reason() {
    let unsearched = Some("`/project` cannot be searched: it is gone".to_owned());
    let mut client = Client::utf8(TestWorld { unsearched, ..TestWorld::default() });
    client.open(URI, 1, "const LOW = 3;\n");
    let said = rename(&mut client, URI, (0, 7), "LEAST").expect_err("a refusal");
    assert!(said.contains("cannot be searched"), "{said}");
    client.end();
}

#[test]
fn the_library_and_files_outside_of_the_workspace_are_never_edited() {
    let world = TestWorld::default();
    let outside = "const LOW = 3;\n".to_owned();
    world.files.lock().expect("files").insert("/other/o.trc".to_owned(), outside);
    let mut client = Client::utf8(world);
    let text = "use std::errno;\nuse \"../other/o.trc\";\n\
                session a { trace sched:sched_switch if prev_prio > o::LOW || prev_pid == errno::EIO; }\n";
    client.open(URI, 1, text);
    let at = |word: &str| position(text, text.find(word).expect("a word") + 3, true);
    let said = rename(&mut client, URI, at("o::LOW"), "LEAST").expect_err("a refusal");
    assert!(said.contains("outside of the workspace"), "{said}");
    // The copy that a definition leads to is open, as any other file.
    let found = client.at("textDocument/definition", URI, at("::EIO"));
    let copy = found[0]["uri"].as_str().expect("a URI").to_owned();
    let module = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../stdlib/errno.trc"));
    client.open(&copy, 1, &module.expect("the module"));
    let start = &found[0]["range"]["start"];
    let place = (start["line"].as_u64().unwrap() as usize, start["character"].as_u64().unwrap() as usize);
    let said = rename(&mut client, &copy, place, "EIOX").expect_err("a refusal");
    assert!(said.contains("declared by the library"), "{said}");
    assert_eq!(client.at("textDocument/prepareRename", &copy, place), Value::Null);
    client.end();
}

#[test]
fn edits_name_the_versions_where_the_client_can_check_them() {
    let mut capabilities = abilities(&["utf-8"]);
    capabilities["workspace"] = json!({ "workspaceEdit": { "documentChanges": true } });
    let world = TestWorld::default();
    for (name, text) in [("a", "const LOW = 3;\n"), ("b", IMPORTER)] {
        world.files.lock().expect("files").insert(format!("/project/{name}.trc"), text.to_owned());
    }
    let mut client = Client::start(world, capabilities);
    client.open(URI, 7, "const LOW = 3;\n");
    let found = rename(&mut client, URI, (0, 7), "LEAST").expect("edits");
    let versions: Vec<&Value> = found["documentChanges"]
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| &edit["textDocument"]["version"])
        .collect();
    assert_eq!(versions, [&json!(7), &Value::Null]);
    client.end();
}
