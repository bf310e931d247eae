//! Rename: it changes every place of a name, or says why it changes nothing.

mod common;

use std::collections::BTreeMap;

use common::{Client, TestWorld, abilities, apply, examples, position};
use serde_json::{Value, json};
use tracec_grammar::parse;
use tracec_grammar::syntax::{DeclarationKind, EventBody, EventForm, Name};

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

/// A field and the argument that it is made of are one name; another event's field is another one.
#[test]
fn a_field_is_renamed_with_its_argument_and_its_uses() {
    let text = "subsystem s;\n\
                event e { proto (n|: u32, m: u32) entry { n: u32; k: u32 = n + m; } print \"{n} {k}\" }\n\
                event f { proto (n: u32) entry { n: u32; } print \"{n}\" }\n\
                session a { trace s:e if n > 1 && k < 9 { redact n; } trace s:f if n == 2; trace {s:e, s:f} if common_pid > 1; }";
    let found = renamed(&[("a.trc", text)], &["a.trc"], "size").expect("edits");
    let expected = "subsystem s;\n\
                    event e { proto (size: u32, m: u32) entry { size: u32; k: u32 = size + m; } print \"{size} {k}\" }\n\
                    event f { proto (n: u32) entry { n: u32; } print \"{n}\" }\n\
                    session a { trace s:e if size > 1 && k < 9 { redact size; } trace s:f if n == 2; trace {s:e, s:f} if common_pid > 1; }";
    assert_eq!(found, [expected]);
    // Of two events that have the name from two definitions.
    let both = refusal(&text.replace("common_pid > 1", "n > 1"), "size");
    assert!(both.contains("not every use of `n` is understood: see a.trc:4:"), "{both}");
    // C is not read.
    let assigned = "subsystem s;\nevent e { proto (n|: u32) entry { n: u32; } assign `__entry->n = n;` print \"{n}\" }\n";
    let said = refusal(assigned, "size");
    assert_eq!(said, "`n` stands in C code of `event e` too, which is not read: change it by hand");
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

/// What a `use` imports has its name elsewhere; what `as` gives it is a name of the text.
#[test]
fn the_name_of_an_import_is_renamed_only_where_the_text_gives_it() {
    let text = "use std::errno;\nuse std::signal as sig;\n\
                session a { trace sched:sched_switch if prev_pid == errno::EIO || next_pid == sig::SIGHUP; }\n";
    let mut client = Client::utf8(TestWorld::default());
    client.open(URI, 1, text);
    for (word, can) in [
        ("std::errno", false),
        ("errno;", false),
        ("errno::EIO", false),
        ("EIO", false),
        ("signal as", false),
        ("sig;", true),
        ("sig::SIGHUP", true),
    ] {
        let place = position(text, text.find(word).expect("a word") + 1, true);
        let range = client.at("textDocument/prepareRename", URI, place);
        assert_eq!(!range.is_null(), can, "{word}: {range}");
        let renamed = rename(&mut client, URI, place, "other");
        assert_eq!(renamed.is_ok(), can, "{word}: {renamed:?}");
    }
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

/// Returns the names that a text declares, by parts of the language in which each is one name.
fn declared(text: &str) -> Vec<Name> {
    let parsed = parse(text);
    let mut all = Vec::new();
    for declaration in &parsed.file.declarations {
        match &declaration.kind {
            DeclarationKind::Use(import) => all.extend(import.alias.clone()),
            DeclarationKind::Const(constant) => all.push(constant.name.clone()),
            DeclarationKind::Enum(ty) | DeclarationKind::Flags(ty) => {
                all.push(ty.name.clone());
                all.extend(ty.members.iter().map(|member| member.name.clone()));
            }
            DeclarationKind::Subsystem(name) => all.push(name.clone()),
            DeclarationKind::Class(class) => all.push(class.name.clone()),
            DeclarationKind::Event(event) => all.push(event.name.clone()),
            DeclarationKind::Session(session) => {
                all.extend(session.name.clone());
                all.extend(session.params.iter().map(|param| param.name.clone()));
            }
            DeclarationKind::Header(_) | DeclarationKind::Lint(_) => {}
        }
    }
    all
}

/// Returns the names of arguments and fields that a text declares, each where it stands first.
fn fields(text: &str) -> Vec<Name> {
    let first = |names: Vec<Name>| -> Vec<Name> {
        let is_first = |(at, name): &(usize, &Name)| !names[..*at].iter().any(|one| one.value == name.value);
        names.iter().enumerate().filter(is_first).map(|(_, name)| name.clone()).collect()
    };
    let of_body = |body: &EventBody| {
        let params = body.proto.iter().flat_map(|proto| &proto.value).map(|param| param.name.clone());
        let fields = body.entry.iter().flat_map(|entry| &entry.value).map(|field| field.name.clone());
        first(params.chain(fields).collect())
    };
    let declarations = parse(text).file.declarations;
    let each = declarations.iter().map(|declaration| match &declaration.kind {
        DeclarationKind::Class(class) => of_body(&class.body),
        DeclarationKind::Event(event) => match &event.form {
            EventForm::Whole { body, .. } => of_body(body),
            EventForm::At(probe) => {
                let params = probe.params.iter().flat_map(|params| &params.value);
                let fields = probe.fields.iter().flat_map(|fields| &fields.value);
                let names = fields.filter_map(|field| field.name.clone());
                first(params.map(|param| param.name.clone()).chain(names).collect())
            }
            EventForm::OfClass { .. } => Vec::new(),
        },
        _ => Vec::new(),
    });
    each.flatten().collect()
}

/// A text that declares several names of each kind, and uses each.
const EVERYTHING: &str = "\
use std::errno as codes;
use std::signal as sig_names;
use \"limits.trc\" as limits;
subsystem disk;
const LOW = 3;
const HIGH = LOW + 6;
const Mid = HIGH - LOW;
enum State: u8 { Idle = 0 \"idle\", Busy, Dead = 4 }
enum Kind: u8 { Idle = 2, Other = 5 }
flags Mode: u32 { READ = 1, WRITE, BOTH = READ | WRITE }
class request {
    proto (state: u8, mode: u32)
    entry { state: State; mode: Mode; }
    print \"{state} {mode}\"
}
class answer { proto (state: u8) entry { state: u8 = state; } print \"{state}\" }
event begun: request;
event done: request;
event also: answer;
event alone { proto (state: u8) entry { state: State; } print \"{state}\" }
event opened at kprobe do_sys_openat2(dfd: s32, path: *user char) { dfd; path: user string }
session base(least: int = LOW, most: int = HIGH) {
    trace sched:sched_switch if prev_prio > least && prev_prio < most;
}
session over(at: int = Mid) { include base(least = at, most = HIGH); trace opened if dfd > limits::TOP; }
session all { trace disk:* if common_pid != LOW; }
session some(of: int) {
    trace {disk:begun, disk:done} if state == State::Busy || mode & Mode::WRITE != 0 || state in {State::Idle, State::Dead};
    trace alone if state == State::Idle && common_pid > of;
    trace block:block_rq_complete if error in {-codes::EIO, -codes::ENOSPC} && nr_sector as u8 as Kind == Idle;
    trace signal:signal_generate if sig == sig_names::SIGKILL || sig == limits::Level::Top;
    include limits::base(width = Mid);
}
";

const LIMITS: &str = "\
const TOP = 7;
enum Level: u32 { Top = 9, Bottom }
session base(width: int = TOP) { trace sched:sched_wakeup if prio < width; }
";

/// Open documents: the version and the text of each by its URI.
struct Opened {
    client: Client,
    version: i32,
    texts: BTreeMap<String, String>,
}

impl Opened {
    fn open(texts: &[(String, String)]) -> Self {
        let client = Client::utf8(TestWorld::default());
        let texts = texts.iter().map(|(name, text)| (uri(name), text.clone())).collect();
        let opened = Opened { client, version: 1, texts };
        opened.texts.iter().for_each(|(uri, text)| opened.client.open(uri, 1, text));
        opened
    }

    /// Renames what is declared at an offset of a document, everywhere. Panics if that is refused.
    fn rename(&mut self, uri: &str, at: usize, new: &str) {
        let place = position(&self.texts[uri], at, true);
        let found = rename(&mut self.client, uri, place, new);
        let found = found.unwrap_or_else(|why| panic!("{uri}: byte {at} to `{new}`: {why}"));
        self.version += 1;
        for (changed, edits) in found["changes"].as_object().expect("changes") {
            let text = self.texts.get_mut(changed).expect("an open document");
            *text = apply(text, edits.as_array().expect("edits"), true);
            self.client.replace(changed, self.version, text);
        }
    }

    /// Returns the severities and codes of what is said of a document that was changed last.
    fn said(&mut self, uri: &str) -> Vec<(Value, Value)> {
        let said = self.client.newest(uri, self.version);
        said.iter().map(|said| (said["severity"].clone(), said["code"].clone())).collect()
    }
}

/// A name has no place in an order: each can become the first one or the last one of all, and what it was before.
#[test]
fn every_name_that_a_text_declares_gets_any_free_name_and_its_own_again() {
    let own = [("everything.trc", EVERYTHING), ("limits.trc", LIMITS)];
    let own: Vec<(String, String)> =
        own.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let examples = examples()
        .into_iter()
        .map(|(path, text)| vec![(path.rsplit('/').next().unwrap_or_default().to_owned(), text)]);
    let mut names = 0;
    for project in examples.chain([own]) {
        let mut opened = Opened::open(&project);
        let before = opened.texts.clone();
        for (uri, text) in &before {
            opened.version += 1;
            opened.client.replace(uri, opened.version, text);
            let said = opened.said(uri);
            assert!(
                !uri.contains("everything") || said.iter().all(|(severity, _)| *severity == 2),
                "{said:?}"
            );
            let fields = if uri.contains("everything") { fields(text) } else { Vec::new() };
            for declared in declared(text).into_iter().chain(fields) {
                names += 1;
                let start = declared.span.range().start;
                // In front of all others, and behind all others with the same number of letters.
                for new in ["A0".to_owned(), format!("z{}", "0".repeat(declared.value.len() - 1))] {
                    opened.rename(uri, start, &new);
                    assert_ne!(opened.texts, before, "{uri}: `{}` to `{new}`", declared.value);
                    assert_eq!(opened.said(uri), said, "{uri}: `{}` to `{new}`", declared.value);
                    opened.rename(uri, start, &declared.value);
                    assert_eq!(opened.texts, before, "{uri}: `{}` to `{new}` and back", declared.value);
                }
            }
        }
        opened.client.end();
    }
    assert!(names > 85, "{names}");
}

/// What an open document says is not known once an edit of it was not made: a name may stand elsewhere in it.
#[test]
fn nothing_is_renamed_or_found_while_a_text_is_not_known() {
    let (other, text) = (uri("b.trc"), IMPORTER);
    let mut client = Client::utf8(TestWorld::default());
    client.open(URI, 1, "const LOW = 3;\n");
    client.open(&other, 1, text);
    let references = json!({
        "textDocument": { "uri": URI },
        "position": { "line": 0, "character": 7 },
        "context": { "includeDeclaration": true },
    });
    // An edit of a version that is not newer.
    client.replace(&other, 1, "// a line\n");
    for outcome in [
        rename(&mut client, URI, (0, 7), "LEAST"),
        client.request("textDocument/references", references.clone()),
    ] {
        let said = outcome.expect_err("a refusal");
        assert!(said.contains("`b.trc`") && said.contains("not known"), "{said}");
    }
    client.replace(&other, 2, text);
    assert!(rename(&mut client, URI, (0, 7), "LEAST").is_ok());
    let found = client.request("textDocument/references", references.clone()).expect("references");
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
    // One that is closed is read from its file again.
    client.replace(&other, 2, "// a line\n");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": other } }));
    assert!(client.request("textDocument/references", references).is_ok());
    client.end();
}

/// A field that a kernel has would take the new name.
#[test]
fn rename_keeps_the_meaning_for_each_kernel() {
    let text = "const least = 1;\nsession a { trace sched:sched_stat_runtime if runtime > least; }\n";
    for kernels in [vec!["6.1"], vec!["6.12", "6.1"], vec!["6.1", "6.12"]] {
        let mut client = Client::utf8(TestWorld { kernels: kernels.clone(), ..TestWorld::default() });
        client.open(URI, 1, text);
        assert!(rename(&mut client, URI, (0, 7), "vruntime").is_err(), "{kernels:?}");
        assert!(rename(&mut client, URI, (0, 7), "most").is_ok(), "{kernels:?}");
        client.end();
    }
}
