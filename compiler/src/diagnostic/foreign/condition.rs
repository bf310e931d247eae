//! Filters of the kernel and predicates of bpftrace, as conditions.

/// A part of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'t> {
    /// A name or a number.
    Word(&'t str),
    /// A string without its quotes.
    Text(&'t str),
    /// An operator, a parenthesis, or another character.
    Sign(&'t str),
    /// White space.
    Blank,
}

/// Operators of more than one character.
const LONG_SIGNS: &[&str] = &["&&", "||", "==", "!=", "<=", ">=", "->", "!~", "=~", "::"];

/// Operators that compare a field with what follows.
const COMPARISONS: &[&str] = &["==", "!=", "~", "<", "<=", ">", ">=", "&"];

/// Names of bpftrace for the task that runs.
const BUILTINS: &[(&str, &str)] =
    &[("comm", "current.comm"), ("cpu", "current.cpu"), ("tid", "current.pid"), ("pid", "current.pid")];

/// Further names of bpftrace that are not fields, and that no condition of a session knows.
const UNKNOWN: &[&str] = &[
    "uid",
    "gid",
    "nsecs",
    "elapsed",
    "numaid",
    "curtask",
    "rand",
    "ctx",
    "cgroup",
    "username",
    "ppid",
    "func",
    "probe",
    "retval",
    "kstack",
    "ustack",
    "usermode",
    "jiffies",
    "execname",
    "probefunc",
];

/// The remark on a process that is compared by its id.
pub(crate) const THREADS: &str =
    "`current.pid` is the id of a thread: only the first thread of a process has the id of the process";

/// The remark on the kernel's own selection of tasks (kernel/trace/trace_events.c,
/// `event_filter_pid_sched_switch_probe_pre`).
pub(super) const SWITCHES: &str =
    "also selects what others do to the task, as a switch to it; `current.pid` is the task that runs";

/// Returns a filter of the kernel as a condition. `None` if it has no equivalent that can be read.
pub(super) fn of_filter(text: &str) -> Option<String> {
    let pieces = pieces(text);
    let mut written = String::new();
    let mut closes = None;
    for (at, piece) in pieces.iter().enumerate() {
        let compares = previous(&pieces, at).is_some_and(|sign| COMPARISONS.contains(&sign));
        match piece {
            // The kernel takes texts without quotes.
            Piece::Word(word)
                if compares && word.starts_with(|c: char| c.is_alphabetic()) && !word.starts_with("CPUS") =>
            {
                written.push_str(&format!("\"{word}\""));
            }
            // `!a == 1` negates the comparison.
            Piece::Sign("!") if matches!(pieces.get(at + 1), Some(Piece::Word(_))) => {
                written.push_str("!(");
                closes = Some(end_of_comparison(&pieces, at + 1)?);
            }
            piece => push(&mut written, piece),
        }
        if closes == Some(at) {
            written.push(')');
        }
    }
    readable(written)
}

/// Returns the fields that a filter of the kernel names.
pub(super) fn fields(text: &str) -> Vec<String> {
    let pieces = pieces(text);
    let mut fields = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let behind = pieces[at + 1..].iter().find(|piece| **piece != Piece::Blank);
        if let (Piece::Word(word), Some(Piece::Sign(sign))) = (piece, behind)
            && COMPARISONS.contains(sign)
            && word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !word.starts_with("common_")
            && !fields.iter().any(|known| known == word)
        {
            fields.push((*word).to_owned());
        }
    }
    fields
}

/// A predicate of bpftrace as a condition.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Predicate {
    /// The condition; `None` if no part has an equivalent.
    pub(crate) condition: Option<String>,
    /// The parts without an equivalent.
    pub(crate) left_out: Vec<String>,
    /// Whether it compares the id of the process.
    pub(crate) names_process: bool,
}

/// How a predicate is read.
#[derive(Clone, Copy)]
struct Reading {
    /// Whether the strings of `str()` are in the memory of the program.
    has_user_strings: bool,
    /// Whether a name that bpftrace does not know is a field, and not a mistake.
    has_fields: bool,
}

/// Translates the text between the slashes of a predicate. A part of its `&&` that has no equivalent is left out.
///
/// The strings of `str()` are in the memory of the program if `has_user_strings`.
pub(super) fn of_predicate(text: &str, has_user_strings: bool) -> Predicate {
    read(text, Reading { has_user_strings, has_fields: false })
}

/// Translates what stands between slashes behind an event of the language, where fields may have no `args` before them.
pub(crate) fn in_slashes(text: &str, has_user_strings: bool) -> Predicate {
    read(text, Reading { has_user_strings, has_fields: true })
}

fn read(text: &str, reading: Reading) -> Predicate {
    let all = pieces(text);
    let mut predicate = Predicate::default();
    let mut kept = Vec::new();
    for part in conjuncts(&all) {
        match conjunct(part, reading) {
            Some(written) => {
                predicate.names_process |= part.contains(&Piece::Word("pid"));
                kept.push(written);
            }
            None => predicate.left_out.push(shown(part)),
        }
    }
    predicate.condition = (!kept.is_empty()).then(|| kept.join(" && "));
    predicate
}

/// Splits at `&&` outside of parentheses; `||` holds a text together.
fn conjuncts<'p, 't>(pieces: &'p [Piece<'t>]) -> Vec<&'p [Piece<'t>]> {
    let (mut parts, mut first, mut depth) = (Vec::new(), 0, 0usize);
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Sign("(") => depth += 1,
            Piece::Sign(")") => depth = depth.saturating_sub(1),
            Piece::Sign("||") if depth == 0 => return vec![pieces],
            Piece::Sign("&&") if depth == 0 => {
                parts.push(&pieces[first..at]);
                first = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&pieces[first..]);
    parts
}

fn conjunct(pieces: &[Piece<'_>], reading: Reading) -> Option<String> {
    if let Some(compared) = compared_strings(pieces, reading) {
        return readable(compared);
    }
    let is_sign = |piece: &&Piece<'_>| **piece != Piece::Blank;
    let is_negated = pieces.iter().find(is_sign) == Some(&Piece::Sign("!"));
    let without_sign =
        pieces.iter().position(|piece| is_negated && *piece == Piece::Sign("!")).map_or(0, |at| at + 1);
    let written = renamed(&pieces[without_sign..], reading)?;
    let is_operand =
        !written.is_empty() && written.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    readable(match (is_negated, is_operand) {
        (true, true) => format!("{written} == 0"),
        (true, false) => format!("!{written}"),
        (false, true) if !written.starts_with(|c: char| c.is_ascii_digit()) => format!("{written} != 0"),
        _ => written,
    })
}

/// Returns an expression of bpftrace with the names of the language.
fn renamed(pieces: &[Piece<'_>], reading: Reading) -> Option<String> {
    let (mut written, mut at) = (String::new(), 0);
    while let Some(piece) = pieces.get(at) {
        match piece {
            Piece::Word("args") if matches!(pieces.get(at + 1), Some(Piece::Sign("->" | "."))) => {
                let Some(Piece::Word(field)) = pieces.get(at + 2) else { return None };
                written.push_str(field);
                at += 2;
            }
            // `str(x)` is the string that a field points to.
            Piece::Word("str") if matches!(pieces.get(at + 1), Some(Piece::Sign("("))) => {
                let close = pieces[at..].iter().position(|piece| *piece == Piece::Sign(")"))?;
                written.push_str(&renamed(&pieces[at + 2..at + close], reading)?);
                if reading.has_user_strings {
                    written.push_str(".ustring");
                }
                at += close;
            }
            Piece::Word(word) if is_member(pieces, at) && reading.has_fields => written.push_str(word),
            Piece::Word(word) if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                let known = BUILTINS.iter().find(|(name, _)| name == word).map(|(_, known)| *known);
                let field = (reading.has_fields && !UNKNOWN.contains(word)).then_some(*word);
                written.push_str(known.or(field)?);
            }
            Piece::Sign(".") if reading.has_fields => written.push('.'),
            Piece::Sign("@" | "$" | "[" | "->" | ".") => return None,
            piece => push(&mut written, piece),
        }
        at += 1;
    }
    Some(written.trim().to_owned())
}

/// Returns `x ~ "abc*"` for `strncmp(x, "abc", 3) == 0`.
fn compared_strings(pieces: &[Piece<'_>], reading: Reading) -> Option<String> {
    let pieces: Vec<&Piece<'_>> = pieces.iter().filter(|piece| **piece != Piece::Blank).collect();
    let (&&Piece::Word("strncmp"), [.., Piece::Sign(operator @ ("==" | "!=")), Piece::Word("0")]) =
        (pieces.first()?, pieces.as_slice())
    else {
        return None;
    };
    let inside = pieces.get(2..pieces.len().checked_sub(3)?)?;
    let [field @ .., Piece::Sign(","), Piece::Text(text), Piece::Sign(","), Piece::Word(length)] = inside
    else {
        return None;
    };
    let field: Vec<Piece<'_>> = field.iter().map(|piece| (*piece).clone()).collect();
    let field = renamed(&field, reading)?;
    let is_plain = !text.contains(['*', '?', '[', '\\']) && length.parse() == Ok(text.len());
    is_plain.then(|| format!("{field} {} \"{text}*\"", if *operator == "==" { "~" } else { "!~" }))
}

/// Returns the condition with single blanks, if it can be read.
fn readable(written: String) -> Option<String> {
    let written = written.trim().to_owned();
    let is_read = !written.contains(['`', '\n']) && {
        let session = format!("session s {{ trace a:b if {written}; }}");
        tracec_grammar::parse(&session).errors.is_empty()
    };
    is_read.then_some(written)
}

/// Returns whether the piece at `at` is the part behind a dot or `::`.
fn is_member(pieces: &[Piece<'_>], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| matches!(pieces[before], Piece::Sign("." | "::")))
}

/// Returns the sign before the piece at `at`, if one is there.
fn previous<'t>(pieces: &[Piece<'t>], at: usize) -> Option<&'t str> {
    match pieces[..at].iter().rev().find(|piece| **piece != Piece::Blank) {
        Some(Piece::Sign(sign)) => Some(sign),
        _ => None,
    }
}

/// Returns the index of the last piece of the comparison that begins at `first`.
fn end_of_comparison(pieces: &[Piece<'_>], first: usize) -> Option<usize> {
    let visible = |(at, piece): (usize, &Piece<'_>)| (*piece != Piece::Blank).then_some(at + first);
    pieces[first..].iter().enumerate().filter_map(visible).nth(2)
}

fn push(text: &mut String, piece: &Piece<'_>) {
    match piece {
        Piece::Word(word) | Piece::Sign(word) => text.push_str(word),
        Piece::Text(content) => text.push_str(&format!("\"{content}\"")),
        Piece::Blank => text.push(' '),
    }
}

fn shown(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    pieces.iter().for_each(|piece| push(&mut text, piece));
    text.trim().to_owned()
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let of = |is_part: fn(char) -> bool| rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (piece, length) = match first {
            '"' | '\'' => match rest[1..].find(first) {
                Some(end) => (Piece::Text(&rest[1..=end]), end + 2),
                None => (Piece::Sign(&rest[..1]), 1),
            },
            c if c.is_whitespace() => (Piece::Blank, of(char::is_whitespace)),
            c if c.is_alphanumeric() || c == '_' => {
                let length = of(|c| c.is_alphanumeric() || c == '_');
                (Piece::Word(&rest[..length]), length)
            }
            c => {
                let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let length = long.map_or(c.len_utf8(), |sign| sign.len());
                (Piece::Sign(&rest[..length]), length)
            }
        };
        pieces.push(piece);
        rest = &rest[length..];
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_of_the_kernel_become_conditions() {
        for (filter, expected) in [
            ("prev_prio < 100", Some("prev_prio < 100")),
            ("prev_prio<100", Some("prev_prio<100")),
            ("prev_comm == bash", Some("prev_comm == \"bash\"")),
            ("comm ~ '*sh' && pid != 0x10", Some("comm ~ \"*sh\" && pid != 0x10")),
            ("!prev_prio == 100 && x & 3", Some("!(prev_prio == 100) && x & 3")),
            ("!(a == 1)", Some("!(a == 1)")),
            ("a == ", None),
            ("a == `b`", None),
        ] {
            assert_eq!(of_filter(filter).as_deref(), expected, "{filter}");
        }
        assert_eq!(fields("prev_prio < 100 && common_pid == 1 && b ~ \"x\""), ["prev_prio", "b"]);
    }

    #[test]
    fn predicates_of_bpftrace_become_conditions_and_say_what_they_leave_out() {
        for (predicate, expected, left_out) in [
            ("args->prev_pid == 1 && pid != 5", Some("prev_pid == 1 && current.pid != 5"), &[][..]),
            ("comm == \"bash\"", Some("current.comm == \"bash\""), &[]),
            ("str(args->filename) == \"/etc/passwd\"", Some("filename.ustring == \"/etc/passwd\""), &[]),
            ("strncmp(args->next_comm, \"bash\", 4) == 0", Some("next_comm ~ \"bash*\""), &[]),
            ("!args.prev_pid", Some("prev_pid == 0"), &[]),
            ("args.ret", Some("ret != 0"), &[]),
            ("uid == 1000 && cpu == 1", Some("current.cpu == 1"), &["uid == 1000"]),
            ("uid == 1000 || cpu == 1", None, &["uid == 1000 || cpu == 1"]),
            ("@x[tid]", None, &["@x[tid]"]),
        ] {
            let found = of_predicate(predicate, true);
            assert_eq!(found.condition.as_deref(), expected, "{predicate}");
            assert_eq!(found.left_out, left_out, "{predicate}");
        }
    }
}
