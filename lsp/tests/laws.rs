//! The law of edits: after any of them the diagnostics are those of a fresh check.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use common::{Client, Files, Shipped, TestWorld, abilities, position};
use serde_json::{Value, json};
use tracec_compiler::diagnostic::merge::merge;
use tracec_compiler::{Choice, Diagnostic, Input, SourceText, analyse};
use tracec_grammar::changed;
use tracec_lsp::World;
use tracec_lsp::diagnostics::{Encoding, render};

const URI: &str = "file:///project/a.trc";

/// A generator of numbers (splitmix64): the same seed leads to the same edits.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

const PIECES: &[&str] = &[
    " ",
    "\n",
    ";",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "&&",
    "==",
    "if ",
    "trace ",
    "sched:sched_switch",
    "prev_prio",
    "x",
    "7",
    "\u{1f980}",
    "\u{e4}",
    "//",
    "/*",
    "*/",
    ",",
    "in {1}",
    "session b { ",
    "}\nsession c {\n    clock mono;\n",
    "\nsession d { trace sched:sched_switch if prev_prio < 7; }\n",
    "session ",
    "\n/// About it.\n",
    "const A = 1;",
    "const LOW = 5;\n",
    "LOW",
    "include settings;",
    "include s1;\n",
    "lint allow contradiction;",
    "s1",
    "`",
    "!",
    "::",
    "..",
    "\n\n",
    "\n// A note.\n",
    "/* A note. */",
];

/// The texts that are edited: the examples.
fn seeds() -> Vec<String> {
    let read = |path: &str| {
        std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).expect("a text")
    };
    [
        "examples/quickstart.trc",
        "examples/disk_stalls.trc",
        "examples/probes.trc",
        "examples/tasks/switches.trc",
    ]
    .map(read)
    .to_vec()
}

/// Each edit is sent as a change of a range; the text that it leads to is known here. `TRACEC_LSP_EDITS` says how many,
/// `TRACEC_LSP_SEED` chooses others.
#[test]
fn after_random_edits_the_diagnostics_are_those_of_a_fresh_check() {
    edit(&seeds(), 40, false, &["6.12"]);
}

/// The same for texts of many sessions, of which one is checked by itself after most edits. Hints and hovers are those of a
/// fresh check too.
#[test]
fn after_random_edits_of_many_sessions_the_diagnostics_are_those_of_a_fresh_check() {
    edit(&[many_sessions(false), many_sessions(true)], 12, true, &["6.12"]);
}

/// The same for sessions that depend on each other: they include some, have levels of lints, and use constants that are made
/// of others.
#[test]
fn after_random_edits_of_connected_sessions_the_diagnostics_are_those_of_a_fresh_check() {
    edit(&[connected_sessions(false), connected_sessions(true)], 12, true, &["6.12"]);
}

/// The same for one long session, most of whose conditions are not typed again.
#[test]
fn after_random_edits_of_one_long_session_the_diagnostics_are_those_of_a_fresh_check() {
    edit(&[long_session(false), long_session(true)], 12, true, &["6.1", "6.12"]);
}

/// The same for two kernels, of which the older one lacks some of what the sessions name.
#[test]
fn after_random_edits_for_two_kernels_the_diagnostics_are_those_of_a_fresh_check() {
    edit(&[many_sessions(true), connected_sessions(true)], 12, true, &["6.1", "6.12"]);
}

/// What the text of many sessions imports.
const COMMON: &str = "const LIMIT = 100;\nenum Kind: u32 { FIRST = 1, SECOND = 2 }\n";

/// Returns a text of many sessions, of some declarations, and with one import. It is long enough that fixes are not tried.
/// `wrong` makes a few mistakes in some of the sessions, and has characters of several bytes.
fn many_sessions(wrong: bool) -> String {
    const DECLARATIONS: &str = "//! Many sessions.\n\nuse \"common.trc\";\nuse std::errno;\n\nsubsystem many;\n\n\
        const LOW = 10;\nconst HIGH = LOW * 10;\n\n/// A probe.\nevent reads at kprobe vfs_read(count: u64);\n\n";
    const CLAUSES: &[&str] = &[
        "trace sched:sched_switch if prev_prio < HIGH && next_comm == \"bash\";",
        "trace sched:sched_waking if prio < common::LIMIT && (pid > 1000 || target_cpu != 0);",
        "trace sched:sched_process_exec if filename ~ \"/usr/*/python3*\" && pid != 0;",
        "trace sched:sched_migrate_task if orig_cpu < 2 && dest_cpu >= 2 { trigger stacktrace count 5; }",
        "trace signal:signal_generate if sig >= 9 && (code == 0 || code == -6) { trigger traceoff once; }",
        "trace syscalls:sys_enter_openat if dfd == -100 && flags & 0x241 != 0;",
        "trace syscalls:sys_exit_openat if ret < 0 && ret != -errno::ENOENT;",
        "trace raw_syscalls:sys_enter if id in {0, 1, 257};",
        "trace \"sched:*wake*\" if common_pid > LOW;",
        "trace irq:* having irq;",
        "on sched:sched_process_exit if prio == 120 { trigger traceoff once; }",
        "output \"records.txt\";",
        "buffer 4MiB per cpu;",
        "clock mono;",
        "stop after 10s;",
    ];
    const WRONG: &[&str] = &[
        "trace sched:sched_swich;",
        "trace sched:sched_switch if prev_pid != 1 && prev_pid == 1;",
        "trace sched:sched_waking if comm == \"a\" || pri == 7;",
        "stop on sched:sched_process_exit if prio == 120;",
    ];
    let mut text = DECLARATIONS.to_owned();
    for session in 0..100 {
        if session % 7 == 0 {
            text.push_str(if wrong { "/// \u{e4}\u{1f980}.\n" } else { "/// A session.\n" });
        }
        text.push_str(&format!("session s{session} {{\n"));
        if session % 40 == 3 {
            text.push_str("    recorder bpf;\n    trace reads if count > 4096;\n");
        }
        for at in 0..8 {
            text.push_str(&format!("    {}\n", CLAUSES[(session * 5 + at) % CLAUSES.len()]));
        }
        if wrong && session % 23 == 5 {
            text.push_str(&format!("    {} // \u{e4}\u{1f980}\n", WRONG[session / 23 % WRONG.len()]));
        }
        text.push_str("}\n");
        if session % 31 == 30 {
            text.push_str(&format!("const BETWEEN{session} = {session};\n"));
        }
    }
    text
}

/// Returns a text of sessions that depend on each other. `wrong` makes mistakes in some of them.
fn connected_sessions(wrong: bool) -> String {
    const DECLARATIONS: &str = "lint warn unused-allow;\nlint allow constant-condition, redundant-condition;\n\n\
        const LOW: u32 = 10;\nconst HIGH = LOW * 10;\nconst PRIO = 7;\n\n\
        session settings {\n    buffer 4MiB per cpu;\n    clock mono;\n}\n\
        session waking(least: u32 = 5, most: u32) {\n    include settings;\n    \
        trace sched:sched_waking if prio < HIGH && prio >= least && pid != most;\n}\n\
        session idle { include settings; }\n\
        session never { include idle; trace sched:sched_switch if prev_prio < LOW && prev_prio > HIGH; }\n";
    const CLAUSES: &[&str] = &[
        "trace sched:sched_switch if prev_prio < HIGH && next_comm == \"bash\";",
        "trace sched:sched_process_exec if filename ~ \"/usr/*/python3*\" && pid != LOW;",
        "include waking(most = HIGH);",
        "lint allow contradiction;",
        "lint deny constant-condition;",
        "stop on sched:sched_process_exit if prio == PRIO;",
        "dump on sched:sched_process_fork to \"fork-{n}.dat\" max 2;",
        "trace irq:* { lint allow contradiction; }",
        "ring;",
        "keep 5s after;",
        "trace sched:sched_migrate_task if orig_cpu < LOW && orig_cpu >= 0;",
        "trace sched:sched_waking if prio < 200 && prio < 100;",
    ];
    const WRONG: &[&str] = &[
        "trace sched:sched_waking if prio < LOV;",
        "include setings;",
        "trace sched:sched_swich;",
        "include waking(least = 5);",
        "trace sched:sched_switch if prev_pid != 1 && prev_pid == 1;",
        "trace sched:sched_switch if prev_prio < HIGH }",
        "include s7;",
    ];
    let mut text = DECLARATIONS.to_owned();
    for session in 0..130 {
        text.push_str(&format!("session s{session} {{\n    include settings;\n"));
        for at in 0..7 {
            text.push_str(&format!("    {}\n", CLAUSES[(session * 5 + at * 7) % CLAUSES.len()]));
        }
        if wrong && session % 17 == 5 {
            text.push_str(&format!("    {}\n", WRONG[session / 17 % WRONG.len()]));
        }
        text.push_str("}\n");
        if session % 31 == 30 {
            text.push_str(&format!("const BETWEEN{session} = LOW + {session};\n"));
        }
    }
    text
}

/// Returns a text of one long session, and a short one that includes it. `wrong` makes mistakes in it.
fn long_session(wrong: bool) -> String {
    const CLAUSES: &[&str] = &[
        "trace sched:sched_switch if prev_prio < HIGH && next_comm == \"bash\";",
        "trace sched:sched_waking if prio < 100 && (pid > 1000 || target_cpu != 0);",
        "trace sched:sched_process_exec if filename ~ \"/usr/*/python3*\" && pid != LOW;",
        "trace sched:sched_migrate_task if orig_cpu < 2 && dest_cpu >= 2;",
        "trace { sched:sched_wakeup, sched:sched_wakeup_new } if common_pid > LOW;",
        "trace syscalls:sys_exit_openat if ret < 0 && ret != -errno::ENOENT;",
        "trace sched:sched_stat_runtime { filter if runtime > 1_000_000; filter if pid != 0; }",
        "trace irq:softirq_entry if vec == TIMER;",
    ];
    const WRONG: &[&str] = &[
        "trace sched:sched_waking if prio < LOV;",
        "trace sched:sched_switch if prev_pid != 1 && prev_pid == 1;",
        "trace sched:sched_switch if prev_prio < HIGH }",
    ];
    let mut text = "use std::errno;\n\nconst LOW = 10;\nconst HIGH = LOW * 10;\n\nsession all {\n    \
        on sched:sched_process_exit if prio == 120 { trigger traceoff once; }\n    \
        trace block:block_rq_issue if bytes >= 65536 { trigger stacktrace if nr_sector > LOW; }\n    \
        stop on sched:sched_process_fork if child_pid == LOW;\n"
        .to_owned();
    for at in 0..560 {
        text.push_str(&format!("    {}\n", CLAUSES[at * 5 % CLAUSES.len()]));
        if wrong && at % 147 == 20 {
            text.push_str(&format!("    {} // \u{e4}\u{1f980}\n", WRONG[at / 147 % WRONG.len()]));
        }
    }
    text.push_str(
        "}\n\nconst LAST = LOW;\n\nsession more { include all; trace signal:* if common_pid > LOW; }\n",
    );
    text
}

/// Makes random edits to texts, one of which is taken anew after `often` edits. `by_request` also compares what an editor
/// asks for.
fn edit(seeds: &[String], often: usize, by_request: bool, kernels: &[&'static str]) {
    let (edits, seed) = (variable("TRACEC_LSP_EDITS", 300), variable("TRACEC_LSP_SEED", 1));
    let mut random = Random(seed);
    let opened = Shipped::open_all(kernels);
    let files = Files::default();
    files.lock().expect("files").insert("/project/common.trc".to_owned(), COMMON.to_owned());
    let world = || TestWorld { files: files.clone(), kernels: kernels.to_vec(), ..TestWorld::default() };
    let mut text = String::new();
    for is_utf8 in [true, false] {
        let encodings: &[&str] = if is_utf8 { &["utf-32", "utf-8"] } else { &["utf-16"] };
        let mut client = Client::start(world(), abilities(encodings));
        let mut other = Client::start(world(), abilities(encodings));
        let encoding = if is_utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
        client.open(URI, 0, "");
        client.diagnostics(URI, 0);
        let (mut version, mut last) = (0, Value::Null);
        for edit in 0..usize::try_from(edits / 2).expect("a number") {
            if edit % often != 0 && random.below(6) == 0 {
                // An edit that is undone at once.
                let (line, character) = position(&text, text.floor_char_boundary(text.len() / 2), is_utf8);
                let at = |character| json!({ "line": line, "character": character });
                for (end, new) in [(character, "("), (character + 1, "")] {
                    version += 1;
                    let range = json!({ "start": at(character), "end": at(end) });
                    client.change(URI, version, json!([{ "range": range, "text": new }]));
                }
                let found = Value::Array(client.newest(URI, version));
                assert_eq!(found, last, "seed {seed}, edit {edit} undone:\n{text}");
            }
            version += 1;
            let before = text.clone();
            let mut start = 0;
            if edit % often == 0 {
                text.clone_from(&seeds[random.below(seeds.len())]);
                client.replace(URI, version, &text);
            } else {
                let mut end = random.below(12);
                // What is declared at the start concerns the rest.
                let within = if random.below(4) == 0 { 700 } else { text.len() + 1 };
                start = text.floor_char_boundary(random.below(within.min(text.len() + 1)));
                if random.below(3) == 0 {
                    // Behind the end of a block in the first column: what stands there may be space alone.
                    start = text[start..].find("\n}").map_or(start, |at| start + at + 2);
                }
                end = text.ceil_char_boundary((start + end).min(text.len()));
                if random.below(3) > 0 {
                    end = start;
                }
                let new = PIECES[random.below(PIECES.len())];
                let at = |offset| {
                    let (line, character) = position(&text, offset, is_utf8);
                    json!({ "line": line, "character": character })
                };
                client.change(
                    URI,
                    version,
                    json!([{ "range": { "start": at(start), "end": at(end) }, "text": new }]),
                );
                text.replace_range(start..end, new);
            }
            {
                let source =
                    SourceText { name: "/project/a.trc".to_owned(), text: text.clone(), one_liner: false };
                let imports = world().imports("/project/a.trc");
                let analysis = |kernel: &Shipped| {
                    analyse(Input { imports: &*imports, ..Input::new(&source, kernel) }, Choice::All)
                };
                let of_each = kernels.iter().zip(&opened);
                let mut of_each: Vec<(String, Vec<Diagnostic>)> = of_each
                    .map(|(name, kernel)| ((*name).to_owned(), analysis(kernel).foreseen(kernel)))
                    .collect();
                let fresh = if of_each.len() == 1 { of_each.remove(0).1 } else { merge(of_each) };
                let analysis = analysis(&opened[0]);
                let few = fresh.len();
                let fresh = render(&analysis.sources, &fresh, encoding, &|text| match text.name.as_str() {
                    "/project/a.trc" => URI.to_owned(),
                    other => format!("file://{other}"),
                });
                let fresh = serde_json::to_value(&fresh[0].diagnostics).expect("JSON");
                if by_request && edit % often == 0 {
                    // Where there are more, or in a shorter text, the server checks all of it.
                    assert!(few < 150 && text.len() > 32 << 10, "{few} of {} bytes", text.len());
                }
                let found = Value::Array(client.newest(URI, version));
                let (old, new) = (changed(&before, &text), changed(&text, &before));
                let whole = |text: &str, range: Range<usize>| {
                    text[text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end)].to_owned()
                };
                let (place, old, new) = (old.start, whole(&before, old), whole(&text, new));
                assert_eq!(
                    found, fresh,
                    "seed {seed}, edit {edit}, `{new}` in the place of `{old}` at {place}:\n{text}"
                );
                last = fresh;
            }
            if by_request && edit % 8 == 7 {
                let fresh = format!("file:///project/fresh{edit}.trc");
                other.open(&fresh, 0, &text);
                let (line, character) = position(&text, start, is_utf8);
                for (first, last) in [(line.saturating_sub(25), line + 25), (line, line)] {
                    let range = json!({
                        "start": { "line": first, "character": 0 },
                        "end": { "line": last, "character": 0 },
                    });
                    let hints = |client: &mut Client, uri: &str| {
                        let params = json!({ "textDocument": { "uri": uri }, "range": range });
                        let all = client.request("textDocument/inlayHint", params).expect("hints");
                        // A text that was not open before has none of these.
                        let is_old = |hint: &&Value| {
                            let tooltip = hint["tooltip"].as_str().expect("a text");
                            tooltip.ends_with("before it had a mistake.")
                        };
                        let all = all.as_array().expect("a list").iter();
                        all.filter(|hint| !is_old(hint)).cloned().collect::<Vec<_>>()
                    };
                    assert_eq!(
                        hints(&mut client, URI),
                        hints(&mut other, &fresh),
                        "seed {seed}, edit {edit}"
                    );
                }
                let place = (line + random.below(30), character);
                let hover = |client: &mut Client, uri| client.at("textDocument/hover", uri, place);
                assert_eq!(hover(&mut client, URI), hover(&mut other, &fresh), "seed {seed}, edit {edit}");
                other.notify("textDocument/didClose", json!({ "textDocument": { "uri": fresh } }));
            }
        }
        client.end();
        other.end();
    }
}

/// The files of a project that import each other.
const NAMES: [&str; 3] = ["a", "b", "c"];

fn uri_of(name: &str) -> String {
    format!("file:///project/{name}.trc")
}

/// Returns a text of one of the files: it imports some of the others, and may have a mistake of its own.
fn some_text(name: &str, random: &mut Random) -> String {
    let others: Vec<&str> =
        NAMES.into_iter().filter(|other| *other != name && random.below(2) == 0).collect();
    let imports: String = others.iter().map(|other| format!("use \"{other}.trc\";\n")).collect();
    let value = match (others.last(), random.below(4)) {
        (_, 0) => "1".to_owned(),
        (Some(other), 1 | 2) => format!("{other}::LIM + 1"),
        (Some(other), _) => format!("{other}::NOTHING"),
        (None, _) => "2 +".to_owned(),
    };
    let event = if random.below(3) == 0 { "sched_swich" } else { "sched_switch" };
    format!("{imports}const LIM = {value};\nsession s {{ trace sched:{event} if prev_prio > LIM; }}\n")
}

/// Returns what is to be known of each file: what a fresh check of each open one finds in it.
fn expected(
    disk: &Files,
    open: &BTreeMap<&str, String>,
    kernel: &Shipped,
) -> BTreeMap<String, BTreeSet<String>> {
    let files = Files::default();
    {
        let mut files = files.lock().expect("files");
        files.extend(disk.lock().expect("files").clone());
        files.extend(open.iter().map(|(name, text)| (format!("/project/{name}.trc"), text.clone())));
    }
    let world = TestWorld { files, ..TestWorld::default() };
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in open {
        let source =
            SourceText { name: format!("/project/{name}.trc"), text: text.clone(), one_liner: false };
        let imports = world.imports(&source.name);
        let analysis = analyse(Input { imports: &*imports, ..Input::new(&source, kernel) }, Choice::All);
        let fresh = analysis.foreseen(kernel);
        let uri = |text: &SourceText| format!("file://{}", text.name);
        for file in render(&analysis.sources, &fresh, Encoding::Utf8, &uri) {
            let said =
                file.diagnostics.iter().map(|said| serde_json::to_value(said).expect("JSON").to_string());
            all.entry(file.uri).or_default().extend(said);
        }
    }
    all.retain(|uri, said| uri.starts_with("file:///project/") && !said.is_empty());
    all
}

/// After any change of files that import each other, what the client was sent last of each is what is wrong with it.
/// `TRACEC_LSP_EDITS` says how often something happens, `TRACEC_LSP_SEED` chooses something else.
#[test]
fn after_random_events_of_several_files_the_diagnostics_are_those_of_a_fresh_check() {
    let (events, seed) = (variable("TRACEC_LSP_EDITS", 300), variable("TRACEC_LSP_SEED", 1));
    let mut random = Random(seed);
    let kernel = Shipped::open("6.12");
    let world = TestWorld::default();
    let disk = Files::clone(&world.files);
    let client = Client::utf8(world);
    let (mut open, mut version) = (BTreeMap::<&str, String>::new(), 0);
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut done: Vec<String> = Vec::new();
    for _ in 0..events {
        let name = NAMES[random.below(NAMES.len())];
        let (uri, path) = (uri_of(name), format!("/project/{name}.trc"));
        version += 1;
        let what = random.below(7);
        match (what, open.get(name).cloned()) {
            // Closed without saving.
            (0, Some(_)) => {
                open.remove(name);
                client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
            }
            (1, Some(text)) => {
                disk.lock().expect("files").insert(path, text);
                client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
            }
            (2, _) => {
                disk.lock().expect("files").remove(&path);
                let changes = json!({ "changes": [{ "uri": uri, "type": 3 }] });
                client.notify("workspace/didChangeWatchedFiles", changes);
            }
            // Another program writes it.
            (3, _) => {
                disk.lock().expect("files").insert(path, some_text(name, &mut random));
                let changes = json!({ "changes": [{ "uri": uri, "type": 2 }] });
                client.notify("workspace/didChangeWatchedFiles", changes);
            }
            (_, Some(_)) => {
                let text = some_text(name, &mut random);
                client.replace(&uri, version, &text);
                open.insert(name, text);
            }
            (_, None) => {
                let saved = disk.lock().expect("files").get(&path).cloned();
                let text = saved.unwrap_or_else(|| some_text(name, &mut random));
                client.open(&uri, version, &text);
                open.insert(name, text);
            }
        }
        done.push(format!("{what} {name} {:?}", open.get(name)));
        let expected = expected(&disk, &open, &kernel);
        while known != expected {
            let Some(message) = client.receive_if_any() else {
                assert_eq!(known, expected, "seed {seed}:\n{}", done.join("\n"));
                break;
            };
            let lsp_server::Message::Notification(said) = message else { continue };
            if said.method == "textDocument/publishDiagnostics" {
                let uri = said.params["uri"].as_str().expect("a URI").to_owned();
                let found = said.params["diagnostics"].as_array().expect("a list");
                known.insert(uri, found.iter().map(Value::to_string).collect());
                known.retain(|_, said| !said.is_empty());
            }
        }
    }
    client.end();
}
