//! The law of fixes: what the server offers removes the mistake that it is for.

#[path = "../common/mod.rs"]
mod common;

mod texts;

use std::collections::{BTreeMap, BTreeSet};

use common::{Client, Files, Shipped, TestWorld, apply, codes};
use serde_json::{Value, json};
use tracec_compiler::KernelSource;
use tracec_compiler::diagnostic::codes as all_codes;

const URI: &str = "file:///project/a.trc";

/// Returns the wrong example of a code's page, as the text that it stands for: pages show clauses, and a session that
/// holds them has an event besides.
fn wrong_example(page: &str) -> Option<String> {
    const DECLARATIONS: [&str; 9] =
        ["session", "use", "const", "enum", "flags", "class", "event", "subsystem", "lint"];
    let (_, rest) = page.split_once("\nWrong:\n\n")?;
    let lines = rest.lines().map_while(|line| line.strip_prefix("    "));
    let text: String =
        lines.filter(|line| !line.trim_start().starts_with('^')).map(|line| format!("{line}\n")).collect();
    let begins = |line: &str| DECLARATIONS.contains(&line.split_whitespace().next().unwrap_or_default());
    let is_file = text.lines().any(|line| line.starts_with("//!") || begins(line));
    let tail = "on sched:sched_process_wait { trigger traceoff; }\n}\n";
    Some(if is_file { text } else { format!("session s {{\n{text}{tail}") })
}

/// The examples of codes whose page has none that is wrong here: the page shows a command line, writes a character by its
/// number, or is about what [`surroundings`] have.
const INSTEAD: [(&str, &str); 5] = [
    ("T0040", "session s { trace sched:sched_switch if next_comm == \"a\u{202e}\"; }\n"),
    ("T0103", "session s { trace ambiguous; }\n"),
    ("T0118", "use \"common.trc\";\nsession s { include comon::base; trace sched:sched_switch; }\n"),
    ("T0242", "session s { trace kmem:kmalloc if call_site.function == vfs_raed; }\n"),
    ("T0901", "lint allow constant-conditon;\nsession s { trace sched:sched_switch; }\n"),
];

/// Texts for codes that offer a fix for some of their mistakes, and whose example is another one. The law says which are
/// missing, each with a text of the tree. T0113 offers one for the
/// text of `-e`, which no editor has.
const BESIDES: [(&str, &str); 6] = [
    ("T0030", "const A = CPUS 0-3;\n"),
    ("T0134", "tracepoint:sched:sched_switch /args->prev_pid == 1/ { @ = count(); }\n"),
    ("T0220", "session s { trace sched:sched_wakeup if task->pid == 1; }\n"),
    (
        "T0734",
        "subsystem s;\nevent e { proto (rq: *struct request) entry { a: u32 = rq.tag; } print \"{a}\" }\n",
    ),
    ("T0738", "subsystem s;\nevent e { proto (bytes: u32) entry { bytes: u32; } print \"{byte}\" }\n"),
    ("T0904", "lint alow constant-condition;\nsession s { trace sched:sched_switch; }\n"),
];

/// The codes that say what an older kernel lacks.
const OF_OLDER: [&str; 1] = ["T0332"];

/// A file to import, two events of one name, and a list of functions.
fn surroundings() -> TestWorld {
    let kernel = Shipped::open("6.12");
    let format = kernel.read("events/sched/sched_switch/format").expect("a profile").expect("an event");
    let format = format.replacen("sched_switch", "ambiguous", 1);
    let event = |system: &str| (format!("events/{system}/ambiguous/format"), format.clone());
    let functions =
        ("available_filter_functions".to_owned(), "do_sys_openat2\nvfs_read\nvfs_write\n".to_owned());
    let added = [event("first"), event("second"), functions].into();
    let files = Files::default();
    let common = "session base { stream; }\n".to_owned();
    files.lock().expect("files").insert("/project/common.trc".to_owned(), common);
    TestWorld { added, files, ..TestWorld::default() }
}

/// The warnings that foresee what a target will refuse. They are given only where nothing else is wrong, so that a fix may
/// bring one of them to light: it was hidden before, and is not a mistake of the fix.
const FORESEEN: [&str; 2] = ["T0403", "T0408"];

/// Returns how many mistakes there are of each code.
fn counts(diagnostics: &[Value]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for (said, code) in diagnostics.iter().zip(codes(diagnostics)) {
        if said["severity"] == 1 || !FORESEEN.contains(&code) {
            *counts.entry(code).or_default() += 1;
        }
    }
    counts
}

/// Returns the diagnostics that the server shows of a text.
fn shown(client: &mut Client, version: &mut i32, text: &str) -> Vec<Value> {
    *version += 1;
    client.replace(URI, *version, text);
    client.diagnostics(URI, *version)
}

/// Returns the fixes that the server offers for a diagnostic.
fn offered(client: &mut Client, said: &Value) -> Vec<Value> {
    let params = json!({
        "textDocument": { "uri": URI },
        "range": said["range"],
        "context": { "diagnostics": [said], "only": ["quickfix"] },
    });
    let actions = client.request("textDocument/codeAction", params).expect("actions");
    let own = actions.as_array().expect("a list").iter().filter(|one| &one["diagnostics"][0] == said);
    own.cloned().collect()
}

/// Returns whether a fix of a mistake removes one of its code, and leads to no other: there are fewer in all, and not more
/// of any code.
fn mends(id: &str, before: &BTreeMap<&str, usize>, left: &BTreeMap<&str, usize>) -> bool {
    let sum = |counts: &BTreeMap<&str, usize>| counts.values().sum::<usize>();
    let is_new = |(code, count): (&&str, &usize)| before.get(code).is_none_or(|had| count > had);
    left.get(id) < before.get(id) && sum(left) < sum(before) && !left.iter().any(is_new)
}

/// Of each code that offers a fix for any of the wrong texts of the tree, each fix that the server offers for an example
/// removes a diagnostic of the code, and leads to no other mistake.
#[test]
fn a_fix_removes_the_mistake_that_it_is_for() {
    let found = texts::with_fixes(&surroundings());
    let started = |world: TestWorld| {
        let mut client = Client::utf8(world);
        client.open(URI, 0, "");
        client.diagnostics(URI, 0);
        client
    };
    let mut newest = started(surroundings());
    let mut older = started(TestWorld { kernels: vec!["6.1"], ..TestWorld::default() });
    let mut version = 0;
    let mut fixed = BTreeSet::new();
    let mut wrong = Vec::new();
    for code in all_codes::ALL {
        let client = if OF_OLDER.contains(&code.id) { &mut older } else { &mut newest };
        let instead = INSTEAD.iter().find(|(id, _)| *id == code.id).map(|(_, text)| (*text).to_owned());
        let besides = BESIDES.iter().filter(|(id, _)| *id == code.id).map(|(_, text)| (*text).to_owned());
        for text in instead.or_else(|| wrong_example(code.page)).into_iter().chain(besides) {
            let before = shown(client, &mut version, &text);
            for said in before.iter().filter(|said| said["code"] == code.id) {
                let own = offered(client, said);
                let fixes = said["data"]["fixes"].as_array().map_or(0, Vec::len);
                assert_eq!(own.len(), fixes, "{}: {text}", code.id);
                for action in own {
                    let edits = action["edit"]["changes"][URI].as_array().expect("edits").clone();
                    let edited = apply(&text, &edits, true);
                    let after = shown(client, &mut version, &edited);
                    let (before, left) = (counts(&before), counts(&after));
                    if mends(code.id, &before, &left) {
                        fixed.insert(code.id);
                    } else {
                        let (id, title) = (code.id, &action["title"]);
                        wrong.push(format!("{id} {title}: {before:?} -> {left:?}\n{text}->\n{edited}"));
                    }
                    shown(client, &mut version, &text);
                }
            }
        }
    }
    newest.end();
    older.end();
    let promised = all_codes::ALL.iter().filter(|code| code.page.contains("\n\nFix: ")).map(|code| code.id);
    let promised = promised.chain(BESIDES.iter().map(|(id, _)| *id)).chain(found.keys().copied());
    let missing: BTreeMap<&str, Option<&String>> =
        promised.filter(|id| !fixed.contains(id)).map(|id| (id, found.get(id))).collect();
    println!("{} codes offer a fix in their examples, {} in any text", fixed.len(), found.len());
    assert_eq!(missing, BTreeMap::new(), "codes that offer a fix, and whose examples have none that mends");
    assert!(
        wrong.is_empty(),
        "{} fixes leave the mistake or make another:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(fixed.len() > 20, "{fixed:?}");
}
