//! Patterns of other languages, regular expressions and those of SQL, with the patterns of the language that say the
//! same.

/// The most patterns that the alternatives of a regular expression become.
const MOST: usize = 16;

/// A pattern of another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignPattern {
    /// The language, with its article.
    pub language: &'static str,
    /// The first part that shows it.
    pub part: &'static str,
    /// The patterns that say the same, or the reason why none does.
    pub meaning: Result<PatternSet, &'static str>,
}

/// Patterns, one of which a text must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternSet {
    /// The patterns.
    pub patterns: Vec<String>,
    /// Whether they match more than the regular expression: what is repeated becomes any text.
    pub wider: bool,
}

impl PatternSet {
    /// Returns whether a pattern has a wildcard; without one it is a string like any other.
    pub fn has_wildcard(&self) -> bool {
        self.patterns.iter().any(|pattern| has_wildcard(pattern))
    }

    /// Returns the operator and the pattern, or the set of them, with which a string is compared.
    pub fn comparison(&self) -> String {
        let quoted: Vec<String> = self.patterns.iter().map(|text| format!("\"{text}\"")).collect();
        match (quoted.as_slice(), self.has_wildcard()) {
            ([only], true) => format!("~ {only}"),
            ([only], false) => format!("== {only}"),
            (several, true) => format!("~ {{{}}}", several.join(", ")),
            (several, false) => format!("in {{{}}}", several.join(", ")),
        }
    }
}

/// Returns the pattern that matches a text, with each character that has a meaning in patterns in a class of its own.
pub fn literal_pattern(text: &str) -> String {
    let escaped = |c: char| if is_wildcard(c) { format!("[{c}]") } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// Returns the pattern that matches what one of SQL matches, which has no escapes.
pub(super) fn of_sql(text: &str) -> String {
    let meaning = |c: char| match c {
        '%' => "*".to_owned(),
        '_' => "?".to_owned(),
        c if is_wildcard(c) => format!("[{c}]"),
        c => c.to_string(),
    };
    text.chars().map(meaning).collect()
}

/// Returns whether a character without a backslash has a meaning in patterns.
pub(crate) fn is_wildcard(c: char) -> bool {
    matches!(c, '*' | '?' | '[')
}

/// Returns whether a pattern has an unescaped `*`, `?` or `[`.
pub fn has_wildcard(pattern: &str) -> bool {
    unescaped(pattern).any(|(_, c)| is_wildcard(c))
}

/// Returns the language of a text that is written where a pattern is expected, if a part of it shows that another one
/// was meant. `.` and `*` alone are not evidence: `*.log.*` is a pattern. But few patterns begin with `.*`, and in the
/// names of tasks (`is_name`) a dot behind a letter is rare.
pub fn foreign_pattern(text: &str, is_name: bool) -> Option<ForeignPattern> {
    if let Some(part) = evidence(text, is_name) {
        // `[^k]*` is a pattern of shells that differs in one character; its `*` is that of patterns.
        let is_shell = evidence(&text.replace("[^", "[!"), is_name).is_none();
        let meaning = translated(text, Place::Whole, is_shell);
        return Some(ForeignPattern { language: "a regular expression", part, meaning });
    }
    if let Some(patterns) = alternatives_of_shell(text) {
        let meaning = Ok(PatternSet { patterns, wider: false });
        return Some(ForeignPattern { language: "a pattern of shells", part: "{", meaning });
    }
    let is_sql = text.len() > 1 && (text.starts_with('%') || text.ends_with('%')) && !has_wildcard(text);
    is_sql.then(|| {
        let meaning = Ok(PatternSet { patterns: vec![text.replace('%', "*")], wider: false });
        ForeignPattern { language: "a pattern of SQL", part: "%", meaning }
    })
}

/// Returns the patterns of `a{b,c}d`.
fn alternatives_of_shell(text: &str) -> Option<Vec<String>> {
    let (before, rest) = text.split_once('{')?;
    let (inside, behind) = rest.split_once('}')?;
    if !inside.contains(',') || text.contains('\\') || inside.contains('{') || behind.contains(['{', '}']) {
        return None;
    }
    let patterns: Vec<String> =
        inside.split(',').map(|part| format!("{before}{}{behind}", part.trim())).collect();
    (patterns.len() <= MOST && patterns.iter().all(|pattern| !pattern.is_empty())).then_some(patterns)
}

/// Returns the first part that only a regular expression could mean.
fn evidence(text: &str, is_name: bool) -> Option<&'static str> {
    let dollar = unescaped(text).last().is_some_and(|(at, c)| c == '$' && at + 1 == text.len());
    let has = |wanted: &str| unescaped(text).any(|(at, _)| text[at..].starts_with(wanted));
    let escape = ["\\d", "\\w", "\\s"].into_iter().find(|escape| {
        let backslash =
            |at: usize| text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0;
        text.match_indices(escape).any(|(at, _)| backslash(at))
    });
    let between = |c: char| unescaped(text).any(|(at, found)| found == c && at > 0 && at + 1 < text.len());
    let plus = ["]+", ")+", ".+"].into_iter().any(has)
        || (!has_wildcard(text) && text.ends_with('+') && !text.ends_with("++") && text.len() > 1);
    let behind_letter = || {
        text.match_indices(".*").any(|(at, _)| text[..at].ends_with(|c: char| c.is_ascii_lowercase()))
            && !text.starts_with('*')
    };
    match () {
        () if text.starts_with('^') => Some("^"),
        () if has("[^") => Some("[^"),
        () if dollar => Some("$"),
        () if text.starts_with(".*") => Some("."),
        () if escape.is_some() => escape,
        () if between('|') => Some("|"),
        () if plus => Some("+"),
        () if is_name && behind_letter() => Some("."),
        () => None,
    }
}

/// Returns the characters of a pattern that no backslash precedes, with their places.
fn unescaped(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let mut escaped = false;
    pattern.char_indices().filter(move |&(_, c)| {
        let is_plain = !escaped && c != '\\';
        escaped = !escaped && c == '\\';
        is_plain
    })
}

/// Returns the patterns that say what a regular expression behind `=~` says, or the reason why none does, as a clause
/// without its subject.
///
/// A regular expression is searched for in a text, a pattern describes all of it. `^` and `$` say which is meant.
pub fn regular_expression(text: &str) -> Result<PatternSet, &'static str> {
    translated(text, Place::Anywhere, false)
}

/// Where a regular expression without `^` and `$` matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At any place of a text.
    Anywhere,
    /// As behind `~`: alternatives are whole texts, and a part is searched for.
    Whole,
}

/// Translates a regular expression. `stars_are_any` if `x*` is an `x` and any text, as in a pattern.
fn translated(text: &str, place: Place, stars_are_any: bool) -> Result<PatternSet, &'static str> {
    let mut parser = Parser { rest: text, wider: false, stars_are_any, depth: 0 };
    let mut found: Vec<Alternative> = Vec::new();
    loop {
        let start = parser.take("^");
        let texts = parser.sequence()?;
        let end = parser.take("$");
        found.extend(texts.into_iter().map(|text| Alternative { text, start, end }));
        if found.len() > MOST {
            return Err("has too many alternatives");
        }
        if parser.rest.is_empty() {
            break;
        }
        if !parser.take("|") {
            return Err("has a part that a pattern cannot say");
        }
    }
    let is_anchored = found.iter().any(|one| one.start || one.end);
    let is_open = text.starts_with(".*") || text.ends_with(".*") || stars_are_any && text.ends_with('*');
    let is_whole = is_anchored
        || match place {
            Place::Anywhere => false,
            Place::Whole => found.len() > 1 || is_open,
        };
    let is_empty = found.iter().any(|one| one.text.is_empty());
    let mut patterns: Vec<String> = Vec::new();
    for Alternative { text, start, end } in found {
        let open = |closed: bool| if is_anchored && !closed || !is_whole { "*" } else { "" };
        let mut pattern = format!("{}{text}{}", open(start), open(end));
        while pattern.contains("**") {
            pattern = pattern.replace("**", "*");
        }
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    if is_empty {
        return Err("has an empty alternative");
    }
    if parser.wider && patterns.iter().any(|pattern| pattern == "*") {
        return Err("consists of repeated parts");
    }
    Ok(PatternSet { patterns, wider: parser.wider })
}

/// An alternative of a regular expression, as a pattern.
struct Alternative {
    text: String,
    /// Whether it begins with `^`.
    start: bool,
    /// Whether it ends in `$`.
    end: bool,
}

struct Parser<'t> {
    rest: &'t str,
    wider: bool,
    stars_are_any: bool,
    depth: usize,
}

impl Parser<'_> {
    fn take(&mut self, wanted: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(wanted) else { return false };
        self.rest = rest;
        true
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    /// Takes parts up to `|`, `)` or a `$` at the end, and returns each text that they can be.
    fn sequence(&mut self) -> Result<Vec<String>, &'static str> {
        let mut texts = vec![String::new()];
        loop {
            if self.rest.is_empty() || self.rest.starts_with(['|', ')']) {
                return Ok(texts);
            }
            if self.rest == "$" || self.rest.starts_with("$|") {
                return Ok(texts);
            }
            let parts = self.part()?;
            texts =
                texts.iter().flat_map(|text| parts.iter().map(move |part| format!("{text}{part}"))).collect();
            if texts.len() > MOST {
                return Err("has too many alternatives");
            }
        }
    }

    /// Takes one part with its repetition.
    fn part(&mut self) -> Result<Vec<String>, &'static str> {
        let Some(first) = self.next() else { return Ok(Vec::new()) };
        let is_group = first == '(';
        let parts = match first {
            '(' => self.group()?,
            '[' => vec![self.class()?],
            '.' => vec!["?".to_owned()],
            '\\' => vec![self.escape()?],
            '*' | '+' | '?' => return Err("repeats nothing"),
            '^' | '$' => return Err("has `^` or `$` inside"),
            other => vec![other.to_string()],
        };
        let repeated = |parts: Vec<String>| -> Vec<String> {
            parts.into_iter().map(|part| format!("{part}*")).collect()
        };
        Ok(match self.rest.chars().next() {
            Some('*' | '+') if is_group => return Err("repeats a group"),
            Some('?') => return Err("has an optional part"),
            Some('{') => return Err("counts repetitions"),
            Some('*') => {
                self.next();
                let is_kept = self.stars_are_any && first != '.';
                self.wider |= !is_kept && first != '.';
                // What is repeated may also be missing.
                if is_kept { repeated(parts) } else { vec!["*".to_owned()] }
            }
            Some('+') => {
                self.next();
                self.wider |= first != '.';
                repeated(parts)
            }
            _ => parts,
        })
    }

    fn group(&mut self) -> Result<Vec<String>, &'static str> {
        self.take("?:");
        self.depth += 1;
        if self.depth > MOST {
            return Err("is nested too deeply");
        }
        let mut parts = self.sequence()?;
        while self.take("|") {
            parts.extend(self.sequence()?);
        }
        self.depth -= 1;
        match self.take(")") {
            true => Ok(parts),
            false => Err("has a `(` that is not closed"),
        }
    }

    /// Takes a class behind its `[`.
    fn class(&mut self) -> Result<String, &'static str> {
        let not = if self.take("^") { "!" } else { "" };
        let end = self.rest.char_indices().skip(1).find(|(_, c)| *c == ']').map(|(at, _)| at);
        let end = end.ok_or("has a `[` that is not closed")?;
        let (content, rest) = self.rest.split_at(end);
        if content.contains(['\\', '[']) {
            return Err("has a class with an escape or a name");
        }
        self.rest = &rest[1..];
        Ok(format!("[{not}{content}]"))
    }

    /// Takes the character behind a backslash.
    fn escape(&mut self) -> Result<String, &'static str> {
        match self.next() {
            None => Err("ends in a backslash"),
            Some('d') => Ok("[0-9]".to_owned()),
            Some('w') => Ok("[a-zA-Z0-9_]".to_owned()),
            Some('s') => Ok(" ".to_owned()),
            Some(other) if other.is_ascii_alphanumeric() => Err("has an escape that a pattern lacks"),
            Some(special @ ('*' | '?' | '[' | '\\')) => Ok(format!("\\{special}")),
            Some(other) => Ok(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_are_detected_and_translated() {
        for (pattern, part, globs) in [
            ("^k.*", "^", &["k*"][..]),
            ("^k", "^", &["k*"]),
            ("^k$", "^", &["k"]),
            ("k$", "$", &["*k"]),
            (".*k$", "$", &["*k"]),
            ("[^k]*", "[^", &["[!k]*"]),
            ("^[^k].*$", "^", &["[!k]*"]),
            (".*bash", ".", &["*bash"]),
            (".*bash.*", ".", &["*bash*"]),
            (".*[^k]", "[^", &["*[!k]"]),
            ("kworker.*", ".", &["kworker*"]),
            ("bash|sh", "|", &["bash", "sh"]),
            ("(bash|sh)", "|", &["bash", "sh"]),
            ("^(ba|z)sh", "^", &["bash*", "zsh*"]),
            ("k\\d", "\\d", &["*k[0-9]*"]),
            ("kworker/[0-9]+:.*", "+", &["kworker/[0-9]*:*"]),
            ("k+", "+", &["*k*"]),
            ("^ab*c$", "^", &["a*c"]),
            ("^k[0-9]*$", "^", &["k*"]),
            ("^k\\d*x$", "^", &["k*x"]),
        ] {
            let found = foreign_pattern(pattern, true).expect(pattern);
            assert_eq!((found.language, found.part), ("a regular expression", part), "{pattern}");
            assert_eq!(found.meaning.expect(pattern).patterns, globs, "{pattern}");
        }
        let wider = |text| regular_expression(text).map(|set| set.wider);
        assert_eq!((wider("^[0-9]+$"), wider("^.+$")), (Ok(true), Ok(false)));
        assert_eq!((wider("^ab*c$"), wider("^a.*c$")), (Ok(true), Ok(false)));
        // The pattern of a shell repeats nothing.
        let shell = foreign_pattern("[^k]*", true).and_then(|found| found.meaning.ok());
        assert_eq!(shell.map(|set| set.wider), Some(false));
    }

    #[test]
    fn regular_expressions_are_searched_for_in_a_text() {
        for (text, globs) in [
            ("bash|sh", &["*bash*", "*sh*"][..]),
            ("(bash|sh)", &["*bash*", "*sh*"]),
            ("^bash|sh$", &["bash*", "*sh"]),
            ("^(bash|sh)$", &["bash", "sh"]),
            ("sh|bash.*", &["*sh*", "*bash*"]),
            ("bash.*", &["*bash*"]),
            ("(ba|z)sh.*", &["*bash*", "*zsh*"]),
            ("ab*c", &["*a*c*"]),
            ("kworker*", &["*kworke*"]),
            ("x+y", &["*x*y*"]),
        ] {
            let found = regular_expression(text).map(|set| set.patterns);
            assert_eq!(found, Ok(globs.iter().map(|glob| (*glob).to_owned()).collect()), "{text}");
        }
    }

    #[test]
    fn patterns_of_sql_are_detected() {
        let found = foreign_pattern("kworker%", false).expect("a pattern of SQL");
        assert_eq!(found.meaning.map(|set| set.patterns), Ok(vec!["kworker*".to_owned()]));
        assert_eq!(foreign_pattern("100%*", false), None);
        assert_eq!(foreign_pattern("a%b", false), None);
    }

    /// A false alarm is worse than a missing one.
    #[test]
    fn patterns_are_left_alone() {
        for pattern in [
            "k*",
            "*.log.*",
            "[!k]*",
            "[a^]*",
            "a^b",
            "a\\$",
            "",
            "\\[^a",
            "python3.*",
            "c++*",
            "g++",
            "(sd-pam)*",
            "kworker/*:*",
            "a\\|b",
            "|",
            "+",
            "%",
            "*.so.*",
        ] {
            assert_eq!(foreign_pattern(pattern, true), None, "{pattern}");
        }
        assert_eq!(foreign_pattern("/var/log/syslog.*", false), None);
    }

    #[test]
    fn expressions_without_a_pattern_have_a_reason() {
        for (text, why) in [
            ("(ab)+", "repeats a group"),
            ("colou?r", "has an optional part"),
            ("a{2}", "counts repetitions"),
            ("[[:digit:]]", "has a class with an escape or a name"),
            ("a\\b", "has an escape that a pattern lacks"),
            ("a|", "has an empty alternative"),
            ("x*", "consists of repeated parts"),
            ("(a", "has a `(` that is not closed"),
            ("a)", "has a part that a pattern cannot say"),
            (
                "[ab]|[cd]|[ef]|[gh]|[ij]|[kl]|[mn]|[op]|[qr]|[st]|[uv]|[wx]|[yz]|0|1|2|3",
                "has too many alternatives",
            ),
        ] {
            assert_eq!(regular_expression(text), Err(why), "{text}");
        }
    }
}
