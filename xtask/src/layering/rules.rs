//! What may stand where, as one table of words and rooms.

use super::{Check, Source, Violation, code};

/// Words that may stand only in some places.
struct Rule {
    invariant: &'static str,
    /// The directories that the rule is about; an empty one is the whole workspace.
    within: &'static [&'static str],
    /// Whole words: `println!` is not found in `eprintln!`.
    words: &'static [&'static str],
    /// The files and directories where they may stand.
    rooms: &'static [Room],
}

/// A file or directory that a rule excepts.
struct Room {
    path: &'static str,
    reason: &'static str,
}

const fn room(path: &'static str, reason: &'static str) -> Room {
    Room { path, reason }
}

const OPENS: &[&str] =
    &["File::open", "File::create", "OpenOptions", "fs::open", "fs::openat", "fs::openat2", "std::fs"];

const RULES: &[Rule] = &[
    Rule {
        invariant: "only runtime/src/tracefs opens a control file",
        within: &["runtime/src"],
        words: OPENS,
        rooms: &[
            room("runtime/src/tracefs", "the room itself"),
            room("runtime/src/session/journal", "journals are files below /run"),
            room("runtime/src/sink/output.rs", "what `output` names is the user's file"),
            room("runtime/src/record/names.rs", "reads /proc/PID/comm and /proc/kallsyms"),
            room("runtime/src/record/trace_dat/mod.rs", "a recording is the user's file"),
        ],
    },
    Rule {
        invariant: "grammar, kernel and compiler do no I/O",
        within: &["grammar/src", "kernel/src", "compiler/src"],
        words: &["std::fs", "std::net", "std::env", "std::process", "std::os", "File::open", "File::create"],
        rooms: &[],
    },
    Rule {
        invariant: "only the command line prints",
        within: &["grammar/src", "kernel/src", "compiler/src", "runtime/src", "lsp/src"],
        words: &["print!", "println!", "eprint!", "eprintln!", "dbg!"],
        rooms: &[],
    },
    Rule {
        invariant: "the runtime never panics: it holds kernel state that must be put back",
        within: &["runtime/src"],
        // The text in `.expect("...")` is blank by now; a method of that name with other arguments is no panic.
        words: &[".unwrap()", ".expect( )", "panic!", "unreachable!", "assert!", "assert_eq!", "assert_ne!"],
        rooms: &[],
    },
    Rule {
        invariant: "unsafe code lives in few named files",
        within: &[""],
        words: &["unsafe"],
        rooms: &[
            room("runtime/src/session/signals.rs", "signal masks and signalfd are libc's"),
            room("runtime/src/session/command.rs", "a child that is held between fork and exec"),
        ],
    },
];

/// Checks every rule on every file, and that every room is needed.
pub(super) fn check(sources: &[Source]) -> Vec<Check> {
    RULES
        .iter()
        .map(|rule| Check { invariant: rule.invariant, violations: violations(rule, sources) })
        .collect()
}

fn violations(rule: &Rule, sources: &[Source]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut used = vec![false; rule.rooms.len()];
    let concerned = |source: &&Source| rule.within.iter().any(|directory| source.path.starts_with(directory));
    for source in sources.iter().filter(concerned) {
        let room = rule.rooms.iter().position(|room| source.path.starts_with(room.path));
        for (line, word) in uses(rule, source) {
            match room {
                Some(index) => used[index] = true,
                None => {
                    let what = format!("`{word}`, but {}", rule.invariant);
                    violations.push(Violation { file: source.path.clone(), line, what });
                }
            }
        }
    }
    for (room, _) in rule.rooms.iter().zip(used).filter(|(_, used)| !used) {
        let what = format!("has a place in the table of rules ({}) that it does not need", room.reason);
        violations.push(Violation { file: room.path.into(), line: 0, what });
    }
    violations
}

fn uses<'a>(rule: &'a Rule, source: &'a Source) -> impl Iterator<Item = (usize, &'static str)> + 'a {
    source.lines().flat_map(|(line, text)| {
        let found = rule.words.iter().copied().filter(|word| code::has_word(text, word));
        found.map(move |word| (line, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        invariant: "only a prints",
        within: &["a/src", "b/src"],
        words: &["println!"],
        rooms: &[room("a/src/out", "it is the printer"), room("a/src/say.rs", "it is the other printer")],
    };

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::new((*path).into(), text)).collect();
        violations(&RULE, &sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_are_found_outside_of_their_rooms_only() {
        let files = [
            ("a/src/out/mod.rs", "println!()"),
            ("a/src/say.rs", "println!()"),
            ("a/src/lib.rs", "fn f() {}\n// println!\nprintln!(\"x\")"),
            ("b/src/outer.rs", "println!()"),
            ("c/src/lib.rs", "println!()"),
        ];
        let expected = [
            "a/src/lib.rs:3: `println!`, but only a prints",
            "b/src/outer.rs:1: `println!`, but only a prints",
        ];
        assert_eq!(found(&files), expected);
    }

    #[test]
    fn expect_with_a_text_panics_and_another_method_does_not() {
        let rule = RULES.iter().find(|rule| rule.words.contains(&".expect( )")).unwrap();
        let source = |text| Source::new("runtime/src/a.rs".into(), text);
        assert_eq!(violations(rule, &[source("x.expect(\"a length\")")]).len(), 1);
        assert!(violations(rule, &[source("input.expect(b\"magic\", \"the magic\")?")]).is_empty());
    }

    #[test]
    fn a_room_that_is_not_needed_is_a_violation() {
        let files = [("a/src/out/mod.rs", "println!()"), ("a/src/say.rs", "")];
        assert_eq!(
            found(&files),
            [
                "a/src/say.rs: has a place in the table of rules (it is the other printer) that it does not need"
            ]
        );
    }
}
