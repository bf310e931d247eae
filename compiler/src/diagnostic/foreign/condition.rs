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
    "cpid",
    "ncpus",
    "return",
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
    let (mut written, mut closes, mut at) = (String::new(), None, 0);
    while let Some(piece) = pieces.get(at) {
        let compares = previous(&pieces, at).is_some_and(|sign| COMPARISONS.contains(&sign));
        match piece {
            // Texts may have lost their quotes.
            piece if compares && begins_text(piece) => {
                let end = at + pieces[at..].iter().take_while(|piece| is_of_text(piece)).count();
                written.push('"');
                pieces[at..end].iter().for_each(|piece| push(&mut written, piece));
                written.push('"');
                at = end - 1;
            }
            // A `!` in front of a pattern negates it (kernel/trace/trace_events_filter.c, `filter_parse_regex`).
            Piece::Text(text) if text.starts_with('!') && previous(&pieces, at) == Some("~") => {
                let sign = written.rfind('~')?;
                written.insert(sign, '!');
                push(&mut written, &Piece::Text(&text[1..]));
            }
            Piece::Word("CPU") if !compares => written.push_str("current.cpu"),
            Piece::Word("COMM") if !compares => written.push_str("current.comm"),
            // `!a == 1` negates the comparison.
            Piece::Sign("!") if matches!(pieces.get(at + 1), Some(Piece::Word(_))) => {
                written.push_str("!(");
                closes = Some(end_of_comparison(&pieces, at + 1)?);
            }
            piece => push(&mut written, piece),
        }
        if closes.is_some_and(|last| last <= at) {
            written.push(')');
            closes = None;
        }
        at += 1;
    }
    readable(written)
}

/// Returns whether a text without quotes begins with this piece: a word, or a part of a path or of a pattern.
fn begins_text(piece: &Piece<'_>) -> bool {
    match piece {
        Piece::Word(word) => word.starts_with(|c: char| c.is_alphabetic()) && !word.starts_with("CPUS"),
        Piece::Sign(sign) => matches!(*sign, "/" | "*" | "."),
        _ => false,
    }
}

/// Returns whether a text without quotes goes on with this piece.
fn is_of_text(piece: &Piece<'_>) -> bool {
    let ends = |sign: &str| matches!(sign, "&&" | "||" | "(" | ")" | "\"" | "'" | "`" | "\\");
    match piece {
        Piece::Word(_) => true,
        Piece::Sign(sign) => !ends(sign),
        Piece::Text(_) | Piece::Blank => false,
    }
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

/// Translates the text between the slashes of a predicate. A part of its `&&` that has no equivalent is left out. Fields
/// may have no `args` before them: a name that bpftrace does not know is one.
///
/// The strings of `str()` are in the memory of the program if `has_user_strings`.
pub(crate) fn in_slashes(text: &str, has_user_strings: bool) -> Predicate {
    let all = pieces(text);
    let mut predicate = Predicate::default();
    let mut kept = Vec::new();
    for part in conjuncts(&all) {
        match conjunct(part, has_user_strings) {
            Some(written) => {
                let is_process = |at: usize| part[at] == Piece::Word("pid") && !is_member(part, at);
                predicate.names_process |= (0..part.len()).any(is_process);
                kept.push(written);
            }
            None => predicate.left_out.push(shown(part)),
        }
    }
    predicate.condition = (!kept.is_empty()).then(|| kept.join(" && "));
    predicate
}

/// Returns why a part of a predicate is left out.
pub(crate) fn why_left_out(part: &str) -> &'static str {
    let names = |piece: &Piece<'_>| matches!(piece, Piece::Word(word) if is_unknown(word));
    match pieces(part).iter().any(names) {
        true => "no condition of a session can say it",
        false => "it has no translation that is known",
    }
}

/// Returns whether a name is one of bpftrace for what no condition knows; `arg0` is an argument of a function.
fn is_unknown(word: &str) -> bool {
    let argument = word.strip_prefix("sarg").or_else(|| word.strip_prefix("arg"));
    UNKNOWN.contains(&word)
        || argument.is_some_and(|index| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
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

fn conjunct(pieces: &[Piece<'_>], has_user_strings: bool) -> Option<String> {
    let is_visible = |piece: &&Piece<'_>| **piece != Piece::Blank;
    let visible: Vec<Piece<'_>> = pieces.iter().filter(is_visible).cloned().collect();
    // A number is a condition in bpftrace.
    let is_number = |pieces: &[Piece<'_>]| {
        let decides = |sign: &str| {
            matches!(sign, "!" | "!~" | "&&" | "||") || (sign != "&" && COMPARISONS.contains(&sign))
        };
        let is_comparison = |piece: &Piece<'_>| match piece {
            Piece::Sign(sign) => decides(sign),
            Piece::Word(word) => CALLS.contains(word) || *word == "in",
            _ => false,
        };
        !pieces.iter().any(is_comparison)
    };
    let written = |pieces: &[Piece<'_>]| renamed(pieces, has_user_strings);
    let behind_sign = pieces.iter().position(|piece| *piece == Piece::Sign("!")).map_or(0, |at| at + 1);
    readable(match visible.as_slice() {
        [Piece::Word(number)] if number.starts_with(|c: char| c.is_ascii_digit()) => (*number).to_owned(),
        // `!` binds to the next operand.
        [Piece::Sign("!"), operand @ ..] if is_number(operand) => {
            let is_operand = !operand
                .iter()
                .any(|piece| matches!(piece, Piece::Sign(sign) if *sign != "->" && *sign != "."));
            let is_enclosed =
                operand.first() == Some(&Piece::Sign("(")) && end_of_group(operand) == operand.len();
            (is_operand || is_enclosed).then_some(())?;
            format!("{} == 0", written(&pieces[behind_sign..])?)
        }
        all if is_number(all) => format!("{} != 0", written(pieces)?),
        _ => written(pieces)?,
    })
}

/// Returns the index behind the parenthesis that closes the one at the beginning.
fn end_of_group(pieces: &[Piece<'_>]) -> usize {
    let mut depth = 0usize;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Sign("(") => depth += 1,
            Piece::Sign(")") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    pieces.len()
}

/// Returns an expression of bpftrace with the names of the language.
fn renamed(pieces: &[Piece<'_>], has_user_strings: bool) -> Option<String> {
    let (mut written, mut at) = (String::new(), 0);
    while let Some(piece) = pieces.get(at) {
        let is_call = |at: usize| {
            let is_name = matches!(pieces.get(at), Some(Piece::Word(word)) if CALLS.contains(word));
            is_name && pieces.get(at + 1) == Some(&Piece::Sign("("))
        };
        match piece {
            Piece::Sign("!") if is_call(at + 1) => {
                let (compared, end) = compared_strings(pieces, at + 1, true, has_user_strings)?;
                written.push_str(&compared);
                at = end - 1;
            }
            Piece::Word(_) if is_call(at) => {
                let (compared, end) = compared_strings(pieces, at, false, has_user_strings)?;
                written.push_str(&compared);
                at = end - 1;
            }
            Piece::Word("args") if matches!(pieces.get(at + 1), Some(Piece::Sign("->" | "."))) => {
                let Some(Piece::Word(field)) = pieces.get(at + 2) else { return None };
                written.push_str(field);
                at += 2;
            }
            // `str(x)` is the string that a field points to.
            Piece::Word("str") if matches!(pieces.get(at + 1), Some(Piece::Sign("("))) => {
                let close = pieces[at..].iter().position(|piece| *piece == Piece::Sign(")"))?;
                written.push_str(&renamed(&pieces[at + 2..at + close], has_user_strings)?);
                if has_user_strings {
                    written.push_str(".ustring");
                }
                at += close;
            }
            Piece::Word(word) if is_member(pieces, at) => written.push_str(word),
            // Another function.
            Piece::Word(word) if pieces.get(at + 1) == Some(&Piece::Sign("(")) && *word != "in" => {
                return None;
            }
            Piece::Word(word) if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                let known = BUILTINS.iter().find(|(name, _)| name == word).map(|(_, known)| *known);
                written.push_str(known.or((!is_unknown(word)).then_some(word))?);
            }
            Piece::Sign("@" | "$" | "[" | "->") => return None,
            piece => push(&mut written, piece),
        }
        at += 1;
    }
    Some(written.trim().to_owned())
}

/// Functions of bpftrace that compare strings. The first is 0 where they are equal, the second where one is not found.
const CALLS: &[&str] = &["strncmp", "strcontains"];

/// Returns `x ~ "abc*"` for `strncmp(x, "abc", 3) == 0`, whose name stands at `at`, and the index behind it.
fn compared_strings(
    pieces: &[Piece<'_>],
    at: usize,
    is_negated: bool,
    has_user_strings: bool,
) -> Option<(String, usize)> {
    let close = at + 1 + end_of_group(&pieces[at + 1..]);
    let behind = |from: usize| {
        let next = (from..pieces.len()).find(|next| pieces[*next] != Piece::Blank)?;
        Some((&pieces[next], next + 1))
    };
    // What a call alone or a comparison with 0 says.
    let (is_nonzero, end) = match behind(close) {
        Some((Piece::Sign(sign @ ("==" | "!=")), next)) => match behind(next)? {
            (Piece::Word("0"), end) => (*sign == "!=", end),
            _ => return None,
        },
        Some((Piece::Sign("&&" | "||" | ")"), _)) | None => (true, close),
        _ => return None,
    };
    let inside: Vec<Piece<'_>> =
        pieces.get(at + 2..close - 1)?.iter().filter(|piece| **piece != Piece::Blank).cloned().collect();
    let comma = Piece::Sign(",");
    let arguments: Vec<&[Piece<'_>]> = inside.split(|piece| *piece == comma).collect();
    let is_strncmp = pieces[at] == Piece::Word("strncmp");
    let (field, text, length) = match arguments.as_slice() {
        [field, [Piece::Text(text)], [Piece::Word(length)]] if is_strncmp => {
            (field, text, length.parse().ok()?)
        }
        [[Piece::Text(text)], field, [Piece::Word(length)]] if is_strncmp => {
            (field, text, length.parse().ok()?)
        }
        [field, [Piece::Text(text)]] if !is_strncmp => (field, text, text.len()),
        _ => return None,
    };
    let field = renamed(field, has_user_strings)?;
    if text.contains(['*', '?', '[', '\\']) || length == 0 {
        return None;
    }
    let holds = (is_nonzero != is_negated) != is_strncmp;
    let not = if holds { "" } else { "!" };
    Some((
        match is_strncmp {
            true if length > text.len() => format!("{field} {} \"{text}\"", if holds { "==" } else { "!=" }),
            true => format!("{field} {not}~ \"{}*\"", text.get(..length)?),
            false => format!("{field} {not}~ \"*{text}*\""),
        },
        end,
    ))
}

/// Returns the condition with single blanks, if it can be read.
pub(super) fn readable(written: String) -> Option<String> {
    let written = written.trim().to_owned();
    let is_read = !written.contains(['`', '\n']) && {
        let session = format!("session s {{ trace a:b if {written}; }}");
        tracec_grammar::parse(&session).errors.is_empty()
    };
    is_read.then_some(written)
}

/// Returns whether the piece at `at` is the part behind a dot or `::`.
fn is_member(pieces: &[Piece<'_>], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| matches!(pieces[before], Piece::Sign("." | "::" | "->")))
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
            ("a == my-prog && b ~ *sh", Some("a == \"my-prog\" && b ~ \"*sh\"")),
            ("!a == /bin/sh || b == -1", Some("!(a == \"/bin/sh\") || b == -1")),
            ("a ~ \"!b*\" && c == \"!d\"", Some("a !~ \"b*\" && c == \"!d\"")),
            ("CPU == 1 || COMM == CPU", Some("current.cpu == 1 || current.comm == \"CPU\"")),
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
            ("prev_pid == 1 || args->pid == 1", Some("prev_pid == 1 || pid == 1"), &[]),
            ("cpu & 1 && !(cpu & 2)", Some("current.cpu & 1 != 0 && (current.cpu & 2) == 0"), &[]),
            ("strcontains(comm, \"work\")", Some("current.comm ~ \"*work*\""), &[]),
            ("strncmp(comm, \"kworker\", 7)", Some("current.comm !~ \"kworker*\""), &[]),
            (
                "!strncmp(\"bash\", comm, 3) || cpu == 1",
                Some("current.comm ~ \"bas*\" || current.cpu == 1"),
                &[],
            ),
            ("strncmp(comm, \"bash\", 16) != 0", Some("current.comm != \"bash\""), &[]),
            ("strlen(comm) > 3 && arg0 == 1", None, &["strlen(comm) > 3", "arg0 == 1"]),
        ] {
            let found = in_slashes(predicate, true);
            assert_eq!(found.condition.as_deref(), expected, "{predicate}");
            assert_eq!(found.left_out, left_out, "{predicate}");
        }
    }
}
