//! Programs of bpftrace: their probes and predicates, as sessions.
//!
//! The probes are those of bpftrace(8).

use tracec_kernel::tables::perf_counters;

use super::condition::{self, THREADS};
use super::translation::{Traced, Translation, both, written};

/// What a probe is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeKind {
    /// A tracepoint with its system.
    Tracepoint,
    /// A tracepoint without its system, whose arguments are not the fields of the event.
    RawTracepoint,
    /// A function of the kernel, or its return.
    Function { is_return: bool },
    /// A function of a program.
    UserFunction,
    /// A timer that does what its action says.
    Interval,
    /// A timer or counter that takes samples.
    Sample,
    /// The beginning or the end of the program.
    Program,
}

/// The probes by their long and short names.
const PROBES: &[(&[&str], ProbeKind)] = &[
    (&["tracepoint", "t"], ProbeKind::Tracepoint),
    (&["rawtracepoint", "rt", "raw_tracepoint"], ProbeKind::RawTracepoint),
    (&["kprobe", "k", "kfunc", "fentry", "f"], ProbeKind::Function { is_return: false }),
    (&["kretprobe", "kr", "kretfunc", "fexit", "fr"], ProbeKind::Function { is_return: true }),
    (&["uprobe", "u", "uretprobe", "ur", "usdt", "U"], ProbeKind::UserFunction),
    (&["interval", "i"], ProbeKind::Interval),
    (&["profile", "p", "software", "s", "hardware", "h", "watchpoint", "w"], ProbeKind::Sample),
    (&["BEGIN", "END", "begin", "end", "self"], ProbeKind::Program),
];

/// Events of perf that are counted, with an event of the kernel that is recorded at the same moment.
const COUNTED: &[(&str, &str)] = &[
    ("context-switches", "sched:sched_switch"),
    ("cs", "sched:sched_switch"),
    ("cpu-migrations", "sched:sched_migrate_task"),
    ("migrations", "sched:sched_migrate_task"),
];

/// Functions that are often traced, with the system call that leads to them; its event has the same purpose.
const FUNCTIONS: &[(&str, &str)] = &[
    ("vfs_read", "read"),
    ("ksys_read", "read"),
    ("vfs_write", "write"),
    ("ksys_write", "write"),
    ("vfs_open", "openat"),
    ("do_sys_open", "openat"),
    ("do_sys_openat2", "openat"),
    ("do_filp_open", "openat"),
    ("vfs_fsync", "fsync"),
    ("vfs_unlink", "unlinkat"),
    ("do_unlinkat", "unlinkat"),
    ("do_mkdirat", "mkdirat"),
    ("do_renameat2", "renameat2"),
    ("do_execve", "execve"),
    ("do_execveat_common", "execve"),
    ("do_nanosleep", "clock_nanosleep"),
    ("do_exit", "exit_group"),
];

/// Returns whether the word before the colon of `word:..` is a probe and not a system.
pub(super) fn is_probe(word: &str) -> bool {
    kind_of(word).is_some()
}

/// Returns whether a text is a program, and not a command line.
pub(super) fn is_one(text: &str) -> bool {
    let text = without_comments(text);
    let text = text.trim_start();
    let word = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let behind = text[word.len()..].trim_start();
    behind.starts_with(':') || (kind_of(word) == Some(ProbeKind::Program) && behind.starts_with('{'))
}

/// Translates a program.
pub(super) fn translate(text: &str, translation: &mut Translation) {
    let text = without_comments(text);
    let mut rest = text.as_str();
    while let Some(block) = Block::next(&mut rest) {
        block.translate(translation);
    }
}

/// Translates a probe at a function of the kernel, or at its return.
///
/// `own` is how to record it by the definition that was written.
pub(super) fn function(name: &str, is_return: bool, own: Option<String>, translation: &mut Translation) {
    let end = if is_return { "return" } else { "entry" };
    let why = "a session that runs cannot attach to functions yet";
    translation.leave_out(&format!("the {end} of `{name}`"), why);
    let probe = own.or_else(|| by_hand(name, is_return));
    let Some((_, call)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
        return translation.advise(probe.unwrap_or_else(|| {
            let word = name.split(['*', '?']).next().unwrap_or_default().trim_end_matches('_');
            format!(
                "keep the other tool for functions; `tracec list '*{word}*'` shows the events with such a name"
            )
        }));
    };
    let side = if is_return { "exit" } else { "enter" };
    translation.record(&format!("syscalls:sys_{side}_{call}"));
    translation.differ(&format!("the system call `{call}` is the usual way to `{name}`, not the only one"));
    if let Some(probe) = probe {
        translation.advise(probe);
    }
}

/// Returns how to record a function of the kernel, or its return, before sessions can attach to it: an event that
/// another program defines is one of the kernel (Documentation/trace/kprobetrace.rst). `None` for a pattern.
pub(super) fn by_hand(name: &str, is_return: bool) -> Option<String> {
    let kind = if is_return { 'r' } else { 'p' };
    is_name(name).then(|| {
        format!(
            "until then define a probe for `{name}` by hand, `echo '{kind}:my_probe {name}' >> \
             /sys/kernel/tracing/kprobe_events`, and record it: `tracec run -e kprobes:my_probe`"
        )
    })
}

/// Returns how to record a function of a program, as [`by_hand`] does. The name of the event is that of perf-probe(1).
fn by_hand_in(program: &str, name: &str, is_return: bool) -> Option<String> {
    let file = program.rsplit('/').next().unwrap_or_default();
    let group = file.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_path = program.starts_with('/') && !program.contains(['\'', '`', '"', '*', ' ', '$']);
    let (point, event) = if is_return { ("%return", "__return") } else { ("", "") };
    (is_path && !group.is_empty() && is_name(name)).then(|| {
        format!(
            "until then define a probe by hand, `perf probe -x {program} --add {name}{point}`, and record it: \
             `tracec run -e probe_{group}:{name}{event}`"
        )
    })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the events of the kernel that are recorded when perf counts one of this name.
pub(super) fn counted(name: &str) -> Option<&'static str> {
    COUNTED.iter().find(|(counted, _)| *counted == name).map(|(_, event)| *event)
}

/// Returns whether perf counts events by this name.
pub(super) fn is_counter(name: &str) -> bool {
    // Further names of some of them (perf-list(1)).
    matches!(name, "cycles" | "branches" | "faults") || perf_counters::find(&name.replace('-', "_")).is_some()
}

/// Probes with their predicates and action.
struct Block<'t> {
    probes: &'t str,
    /// The one between slashes, and the conditions of `if` around all of the action.
    predicates: Vec<&'t str>,
    /// A condition of the language, behind `if`.
    condition: Option<&'t str>,
    action: &'t str,
}

impl<'t> Block<'t> {
    /// Takes the next block of a program.
    fn next(rest: &mut &'t str) -> Option<Block<'t>> {
        let text = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        if text.is_empty() {
            return None;
        }
        let open = opening(text);
        let head = &text[..open];
        // A slash within a probe belongs to a path: the predicate stands behind a blank, or behind the name of an
        // event.
        let slash = head.char_indices().position(|(at, c)| c == '/' && begins_predicate(&head[..at]));
        let slash = slash.and_then(|count| head.char_indices().nth(count)).map(|(at, _)| at);
        let (probes, predicate) = match slash {
            Some(at) => (&head[..at], Some(head[at + 1..].trim_end().trim_end_matches('/'))),
            None => (head, None),
        };
        let (probes, condition) = match probes.split_once(" if ") {
            Some((probes, condition)) => (probes, Some(condition.trim())),
            None => (probes, None),
        };
        let end = open + closing(&text[open..]);
        *rest = &text[end..];
        let mut predicates: Vec<&str> = predicate.into_iter().collect();
        let mut action = inner(&text[open..end]);
        while let Some((condition, then)) = conditional(action) {
            predicates.push(condition);
            action = then;
        }
        Some(Block { probes, predicates, condition, action })
    }

    fn translate(&self, translation: &mut Translation) {
        let before = translation.count();
        for probe in expanded(self.probes) {
            self.translate_probe(&probe, translation);
        }
        // Where a probe is left out, so is what it does.
        if translation.count() > before && !self.action.is_empty() && !self.exits() {
            action(self.action, translation);
        }
    }

    /// Returns whether the action is to end the program.
    fn exits(&self) -> bool {
        matches!(self.action, "exit();" | "exit()")
    }

    fn translate_probe(&self, probe: &str, translation: &mut Translation) {
        let parts: Vec<&str> = probe.split(':').map(str::trim).collect();
        let kind = parts.first().and_then(|word| kind_of(word));
        match (kind, parts.as_slice()) {
            (Some(ProbeKind::Tracepoint), [_, system, name]) => {
                self.event(&format!("{system}:{name}"), translation)
            }
            (Some(ProbeKind::RawTracepoint), [_, .., name]) => self.event(name, translation),
            (Some(ProbeKind::Function { is_return }), [_, .., name]) => {
                function(name, is_return, None, translation);
                for predicate in &self.predicates {
                    translation.leave_out(
                        &format!("`/{predicate}/`"),
                        "the arguments of a function are not fields of an event",
                    );
                }
            }
            (Some(ProbeKind::Interval), [_, unit, count]) if self.exits() => {
                translation.clause(format!("stop after {count}{unit}"));
            }
            (Some(ProbeKind::Interval), _) => {
                translation.leave_out(
                    &format!("`{probe}`"),
                    "a session has no timers, and its records are printed as they come",
                );
                translation.advise(
                    "keep bpftrace for what is done again and again; `stop after 10s;` ends a session",
                );
            }
            (Some(ProbeKind::Sample), [_, name, ..]) if let Some(event) = counted(name) => {
                self.event(event, translation);
            }
            (Some(ProbeKind::Sample), [word, name, rest @ ..]) => {
                translation.leave_out(&format!("`{probe}`"), "samples are not implemented yet");
                let name = name.replace('`', "");
                translation.advise(match (*word, name.as_str(), rest) {
                    ("profile" | "p", "hz", [rate]) if rate.bytes().all(|byte| byte.is_ascii_digit()) => {
                        format!("take the samples with `perf record -F {rate} -a -g`, or keep bpftrace")
                    }
                    ("software" | "s" | "hardware" | "h", _, _) => {
                        format!("take the samples with `perf record -e {name} -a -g`, or keep bpftrace")
                    }
                    _ => "keep bpftrace for them".to_owned(),
                });
            }
            (Some(ProbeKind::Sample), _) => {
                translation.leave_out(&format!("`{probe}`"), "samples are not implemented yet");
                translation.advise("keep bpftrace for them");
            }
            (Some(ProbeKind::UserFunction), [word, rest @ ..]) => {
                translation
                    .leave_out(&format!("`{probe}`"), "a session that runs cannot attach to programs yet");
                let is_function = matches!(*word, "uprobe" | "u" | "uretprobe" | "ur");
                let probe = match rest {
                    [program, name] if is_function => {
                        by_hand_in(program, name, matches!(*word, "uretprobe" | "ur"))
                    }
                    _ => None,
                };
                translation.advise(probe.unwrap_or_else(|| "keep bpftrace for programs".to_owned()));
            }
            (Some(ProbeKind::Program), _) => {
                translation
                    .leave_out(&format!("`{probe}`"), "a session has no actions at its beginning and end");
            }
            (None, [_, _]) => self.event(probe, translation),
            _ => translation.leave_out(&format!("`{probe}`"), "it is not a probe that is known"),
        }
    }

    /// Records an event under the predicate.
    fn event(&self, event: &str, translation: &mut Translation) {
        let condition = self.conditions(event, translation).into_iter().reduce(|all, next| both(&all, &next));
        let mut triggers = Vec::new();
        if self.exits() {
            let condition = condition.as_ref().map_or(String::new(), |condition| format!(" if {condition}"));
            triggers.push(format!("traceoff once{condition}"));
            translation.remark("recording stops there; end the session by hand");
        }
        translation.trace(Traced { event: written(event), condition, triggers, ..Traced::default() });
    }

    /// Returns the conditions on an event.
    fn conditions(&self, event: &str, translation: &mut Translation) -> Vec<String> {
        let mut conditions = Vec::new();
        if let Some(text) = self.condition {
            match condition::readable(text.to_owned()) {
                Some(condition) => conditions.push(condition),
                None => translation.widen(&format!("`if {}`", text.replace('`', "")), "it cannot be read"),
            }
        }
        for predicate in &self.predicates {
            let translated = condition::in_slashes(predicate, event.starts_with("syscalls:"));
            for part in &translated.left_out {
                let why = format!("{}; the others are recorded too", condition::why_left_out(part));
                translation.widen(&format!("`{}`", part.replace(['`', '\n'], " ")), &why);
            }
            if translated.names_process {
                translation.differ(&format!("`pid` is a process; {THREADS}"));
            }
            conditions.extend(translated.condition);
        }
        conditions
    }
}

/// Returns what stands between the braces of a block.
fn inner(block: &str) -> &str {
    let text = block.strip_prefix('{').unwrap_or(block);
    text.strip_suffix('}').unwrap_or(text).trim()
}

/// Returns the condition and the action of `if (CONDITION) { ACTION }`, if that is all.
fn conditional(action: &str) -> Option<(&str, &str)> {
    let text = action.trim_end_matches([';', ' ']).strip_prefix("if")?.trim_start();
    let open = opening(text);
    let condition = text[..open].trim().strip_prefix('(')?.strip_suffix(')')?;
    let is_all = !text[open..].is_empty() && closing(&text[open..]) == text.len() - open;
    is_all.then(|| (condition.trim(), inner(&text[open..])))
}

/// Returns the probes of a list, with `{a,b}` within a name written out.
fn expanded(probes: &str) -> Vec<String> {
    let mut depth = 0usize;
    let parts = probes.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let mut all = Vec::new();
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
            Some((before, (names, behind))) => {
                all.extend(names.split(',').map(|name| format!("{before}{}{behind}", name.trim())));
            }
            None => all.push(part.to_owned()),
        }
    }
    all
}

/// Says what becomes of an action.
fn action(text: &str, translation: &mut Translation) {
    let shown: String = text.replace(['`', '\n'], " ").chars().take(60).collect();
    let shown = if shown.len() < text.len() { format!("{shown}..") } else { shown };
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    for (word, option) in [("kstack", "stacktrace"), ("ustack", "userstacktrace")] {
        if words.contains(&word) {
            translation.clause(format!("option {option}"));
        }
    }
    let what = format!("`{{ {shown} }}`");
    if words.contains(&"exit") {
        return translation
            .widen(&what, "`exit()` among other statements has no equivalent: recording goes on");
    }
    if words.contains(&"if") || words.contains(&"while") {
        return translation
            .widen(&what, "a session records all that its `if` selects, and runs no statements");
    }
    translation.leave_out(
        &what,
        "a session records events, each with all of its fields; count the lines of `tracec run --json`",
    );
}

fn kind_of(word: &str) -> Option<ProbeKind> {
    PROBES.iter().find(|(names, _)| names.contains(&word)).map(|(_, kind)| *kind)
}

/// Returns whether a slash behind this text begins a predicate.
fn begins_predicate(before: &str) -> bool {
    let probe = before.rsplit(',').next().unwrap_or_default();
    let is_of_program = probe.trim_start().starts_with(['u', 'U']);
    before.ends_with(char::is_whitespace)
        || (!is_of_program && before.contains(':') && !before.ends_with(':'))
}

/// Returns the offset of the brace that opens the action, or the end of the text. Strings and lists are passed over.
fn opening(text: &str) -> usize {
    let mut is_text = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_text = !is_text,
            '{' if !is_text && !is_list(&text[at + 1..]) => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether names or numbers stand before the next brace, which are a list of probes:
/// `sched:{sched_switch,sched_wak*}`.
fn is_list(text: &str) -> bool {
    let is_of_list = |c: char| c.is_ascii_alphanumeric() || "_*?,.= ".contains(c);
    text.split_once('}').is_some_and(|(list, _)| !list.trim().is_empty() && list.chars().all(is_of_list))
}

/// Returns the offset behind the brace that closes the one at the beginning, or the end of the text.
fn closing(text: &str) -> usize {
    let (mut depth, mut is_text, mut is_escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '{' if !is_text => depth += 1,
            '}' if !is_text => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Returns a program without its comments, and without the line that names its interpreter.
fn without_comments(text: &str) -> String {
    let mut program = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '#']) {
        let (before, from) = rest.split_at(at);
        program.push_str(before);
        let begins_line = program.trim_end_matches([' ', '\t']).is_empty()
            || program.trim_end_matches([' ', '\t']).ends_with('\n');
        let end = match from {
            _ if from.starts_with("/*") => from.find("*/").map_or(from.len(), |end| end + 2),
            _ if from.starts_with("//") || (from.starts_with('#') && begins_line) => {
                from.find('\n').unwrap_or(from.len())
            }
            _ if from.starts_with('"') => {
                let end = from[1..].find('"').map_or(from.len(), |end| end + 2);
                program.push_str(&from[..end]);
                end
            }
            _ => {
                program.push_str(&from[..1]);
                1
            }
        };
        rest = &from[end..];
    }
    program + rest
}
