//! The definitions of a preprocessed header: macros without arguments and enumerators, each with the comment beside or
//! above it.
//!
//! The text is the output of `gcc -E -dD -CC`: conditionals are resolved, and definitions and comments are in their
//! places, so that this module does not need to know the preprocessor. Values come from gcc: most constants are macros
//! over other macros.

use tracec_kernel::c::lexer::{Lexer, TokenKind};

/// A name that a header defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Definition {
    /// The name.
    pub(super) name: String,
    /// The definition of a macro; `None` for an enumerator.
    pub(super) body: Option<String>,
    /// The comment on the same line.
    pub(super) beside: Option<String>,
    /// The comment on the lines before, if it is directly above.
    pub(super) above: Option<String>,
    /// The header, as the line markers name it.
    pub(super) header: String,
}

/// Reads the output of `gcc -E -dD -CC`. A name that is defined again has its last definition, at its first place.
pub(super) fn scan(text: &str) -> Vec<Definition> {
    let mut scanner = Scanner::default();
    for token in Lexer::header(text) {
        scanner.take(token.kind, token.range.of(text));
    }
    scanner.found
}

/// Returns the text of a comment without its marks and line breaks.
pub(super) fn comment_text(comment: &str) -> String {
    let inner = comment.strip_prefix("/*").map(|rest| rest.strip_suffix("*/").unwrap_or(rest));
    let inner = inner.or_else(|| comment.strip_prefix("//")).unwrap_or(comment);
    let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim_end_matches('*').trim());
    let words = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    words.trim_start_matches("- ").to_owned()
}

/// Returns the word at the start of `text`; empty if there is none.
pub(super) fn word(text: &str) -> &str {
    let first = Lexer::header(text).next().filter(|token| token.kind == TokenKind::Word);
    first.map_or("", |token| token.range.of(text))
}

/// The state of the scanner: its position in an `enum`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EnumState {
    #[default]
    Outside,
    /// After the word `enum`.
    Head,
    /// Before an enumerator.
    Name,
    /// After its name, with this many parentheses open.
    Value(u32),
}

#[derive(Default)]
struct Scanner {
    state: EnumState,
    header: String,
    above: Option<String>,
    /// The definition that ended on this line.
    on_line: Option<usize>,
    found: Vec<Definition>,
}

impl Scanner {
    fn take(&mut self, kind: TokenKind, text: &str) {
        match kind {
            TokenKind::NewLine => self.on_line = None,
            TokenKind::Blank => {}
            TokenKind::Comment => self.comment(text),
            TokenKind::Directive => self.directive(text),
            TokenKind::Word => self.word(text),
            _ => self.other(text),
        }
    }

    fn comment(&mut self, comment: &str) {
        let text = comment_text(comment);
        match self.on_line.and_then(|index| self.found.get_mut(index)) {
            Some(definition) if definition.beside.is_none() => definition.beside = Some(text),
            Some(_) => {}
            None => self.above = Some(text),
        }
    }

    fn directive(&mut self, text: &str) {
        let line = text.strip_prefix('#').unwrap_or(text).trim_start();
        if let Some(definition) = line.strip_prefix("define").filter(|rest| rest.starts_with(' ')) {
            self.define(definition.trim_start());
        } else if let Some(name) = line.strip_prefix("undef ") {
            let name = name.trim();
            self.found.retain(|definition| definition.name != name);
        } else if line.starts_with(|character: char| character.is_ascii_digit()) {
            let header = line.split('"').nth(1);
            self.header = header.unwrap_or_default().to_owned();
        } else {
            self.above = None;
        }
    }

    fn define(&mut self, text: &str) {
        let name = word(text);
        if text[name.len()..].starts_with('(') {
            self.above = None;
            return;
        }
        let (mut body, mut beside) = (String::new(), None);
        for token in Lexer::header(text).skip(1) {
            let piece = token.range.of(text);
            match token.kind {
                TokenKind::Comment => beside = beside.or_else(|| Some(comment_text(piece))),
                TokenKind::Blank => {}
                _ => {
                    body.push_str(piece);
                    continue;
                }
            }
            body.push(' ');
        }
        let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
        // `#define IPPROTO_IP IPPROTO_IP` marks an enumerator of the name.
        if body != name {
            self.add(name, Some(body), beside);
        }
    }

    fn word(&mut self, word: &str) {
        match self.state {
            EnumState::Outside if word == "enum" => self.state = EnumState::Head,
            EnumState::Name => {
                self.add(word, None, None);
                self.on_line = self.found.iter().position(|definition| definition.name == word);
                self.state = EnumState::Value(0);
            }
            EnumState::Outside | EnumState::Head | EnumState::Value(_) => {}
        }
        if self.state == EnumState::Outside {
            self.above = None;
        }
    }

    fn other(&mut self, text: &str) {
        self.state = match (self.state, text) {
            (EnumState::Head, "{") => EnumState::Name,
            (EnumState::Head, _) | (EnumState::Name | EnumState::Value(_), "}") => EnumState::Outside,
            (EnumState::Value(depth), "(") => EnumState::Value(depth.saturating_add(1)),
            (EnumState::Value(depth), ")") => EnumState::Value(depth.saturating_sub(1)),
            (EnumState::Value(0), ",") => EnumState::Name,
            (state, _) => state,
        };
        // A comment above `{`, or above the whole enumeration, does not describe its first member.
        if text == "{" || self.state == EnumState::Outside {
            self.above = None;
        }
    }

    fn add(&mut self, name: &str, body: Option<String>, beside: Option<String>) {
        let above = self.above.take();
        let definition =
            Definition { name: name.to_owned(), body, beside, above, header: self.header.clone() };
        match self.found.iter_mut().find(|known| known.name == name) {
            Some(known) => *known = definition,
            None => self.found.push(definition),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        scan(text).into_iter().map(|definition| definition.name).collect()
    }

    #[test]
    fn macros_have_bodies_and_comments() {
        let text = "# 5 \"/x/asm/errno.h\" 1\n#define EPERM 1 /* Not\n * permitted */\n#define EAGAIN 11\n";
        let found = scan(text);
        assert_eq!(found[0].name, "EPERM");
        assert_eq!(found[0].body.as_deref(), Some("1"));
        assert_eq!(found[0].beside.as_deref(), Some("Not permitted"));
        assert_eq!(found[0].header, "/x/asm/errno.h");
        assert_eq!(found[1].beside, None);
    }

    #[test]
    fn macros_with_arguments_are_left_out_and_undef_is_obeyed() {
        assert_eq!(names("#define A(x) x\n#define B 1\n#define C (1)\n#undef B\n"), ["C"]);
    }

    #[test]
    fn enumerators_are_names_in_braces() {
        let text = "enum a { A = F(1, 2), B /* b */, C, };\nenum a x; void f(enum a y, int z);\nenum { D };";
        assert_eq!(names(text), ["A", "B", "C", "D"]);
        assert_eq!(scan(text)[1].beside.as_deref(), Some("b"));
    }

    #[test]
    fn a_macro_of_its_own_name_leaves_the_enumerator() {
        let found = scan("enum {\n  IP = 0, /* tcp */\n#define IP IP\n  ICMP = 1\n};\n");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].body, None);
        assert_eq!(found[0].beside.as_deref(), Some("tcp"));
    }

    #[test]
    fn a_comment_is_beside_or_above_but_not_both() {
        let text = "/* first */\n#define A 1 /* a */\n#define B 2\nint x;\n/* c */\n#define C 3\n";
        let found = scan(text);
        let comments: Vec<_> =
            found.iter().map(|found| (found.above.as_deref(), found.beside.as_deref())).collect();
        assert_eq!(comments, [(Some("first"), Some("a")), (None, None), (Some("c"), None)]);
    }

    #[test]
    fn a_comment_after_the_equals_sign_belongs_to_the_enumerator() {
        let found = scan("enum bits {\n\tDEV =\t/* no retries */\n\t\tOP_BITS,\n\tSYNC, /* sync */\n};\n");
        assert_eq!(found[0].beside.as_deref(), Some("no retries"));
        assert_eq!(found[1].beside.as_deref(), Some("sync"));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn literals_and_unfinished_texts_do_no_harm() {
        assert_eq!(names("static char *x = \"enum { A }; \\\" #define B 1\";\n#define C '\\''\n"), ["C"]);
        assert!(names("enum {").is_empty());
        assert!(names("/* open").is_empty());
        assert!(names("#").is_empty());
        assert_eq!(names("#define A \"open"), ["A"]);
    }
}
