//! The part of a header inside the kernel that defines constants.
//!
//! Such a header compiles only in a configured tree, with hundreds of others. Its constants do not need them: this
//! module keeps its conditionals, the wanted macros and the enumerations that hold a wanted name, and gcc evaluates
//! these.

use std::collections::BTreeSet;

use tracec_kernel::c::lexer::{Lexer, Token, TokenKind};

use super::scan::word;

/// Returns the definitions of `header` whose names are `wanted`, with the conditionals around them.
pub(super) fn extract(header: &str, wanted: &dyn Fn(&str) -> bool) -> String {
    let tokens: Vec<Token> = Lexer::header(header).collect();
    let mut extract = Extract { kept: String::new(), open: Vec::new(), wanted };
    let mut rest = tokens.as_slice();
    while let Some(first) = rest.first() {
        let length = enumeration(header, rest).unwrap_or(1);
        let (piece, behind) = rest.split_at(length);
        if first.kind == TokenKind::Directive {
            extract.directive(first.range.of(header));
        } else if length > 1 {
            extract.enumeration(header, piece);
        }
        rest = behind;
    }
    extract.kept
}

/// Returns the options of the kernel's configuration that a text mentions.
pub(super) fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words.filter(|word| word.starts_with("CONFIG_")).map(str::to_owned).collect()
}

struct Extract<'a> {
    kept: String,
    /// For each open conditional, the length of `kept` before it, after the start of its last branch, and whether a
    /// branch holds anything.
    open: Vec<(usize, usize, bool)>,
    wanted: &'a dyn Fn(&str) -> bool,
}

impl Extract<'_> {
    fn directive(&mut self, text: &str) {
        let line = text.strip_prefix('#').unwrap_or(text).trim_start();
        let keyword = word(line);
        match keyword {
            "if" | "ifdef" | "ifndef" => {
                let before = self.kept.len();
                self.keep(text);
                self.open.push((before, self.kept.len(), false));
            }
            "else" | "elif" => {
                self.end_branch();
                self.keep(text);
                let length = self.kept.len();
                if let Some(open) = self.open.last_mut() {
                    open.1 = length;
                }
            }
            "endif" => {
                self.end_branch();
                match self.open.pop() {
                    Some((before, _, false)) => self.kept.truncate(before),
                    _ => self.keep(text),
                }
            }
            "define" if (self.wanted)(word(line[keyword.len()..].trim_start())) => self.keep(text),
            _ => {}
        }
    }

    /// Notes whether the branch that ends here, of the innermost conditional, holds anything.
    fn end_branch(&mut self) {
        let length = self.kept.len();
        if let Some((_, begin, holds)) = self.open.last_mut() {
            *holds |= length > *begin;
        }
    }

    fn enumeration(&mut self, header: &str, tokens: &[Token]) {
        let mut body = tokens.iter().skip_while(|token| token.kind != TokenKind::Punctuator("{"));
        if body.any(|token| token.kind == TokenKind::Word && (self.wanted)(token.range.of(header))) {
            let (first, last) = (tokens[0].range, tokens[tokens.len() - 1].range);
            self.keep(&header[first.start as usize..last.end as usize]);
        }
    }

    fn keep(&mut self, text: &str) {
        self.kept.push_str(text);
        self.kept.push('\n');
    }
}

/// Returns the number of tokens of the definition of an enumeration at the start of `tokens`.
fn enumeration(header: &str, tokens: &[Token]) -> Option<usize> {
    let is = |at: usize, kind| tokens.get(at).is_some_and(|token| token.kind == kind);
    if !is(0, TokenKind::Word) || tokens[0].range.of(header) != "enum" {
        return None;
    }
    let behind = |at: usize| {
        let blanks = tokens.iter().skip(at + 1).take_while(|token| token.kind.is_trivia());
        at + 1 + blanks.count()
    };
    let tag = behind(0);
    let brace = if is(tag, TokenKind::Word) { behind(tag) } else { tag };
    if !is(brace, TokenKind::Punctuator("{")) {
        return None;
    }
    let close = (brace..tokens.len()).find(|&at| is(at, TokenKind::Punctuator("}")))?;
    Some(close + 1 + usize::from(is(close + 1, TokenKind::Punctuator(";"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &str, prefix: &str) -> String {
        extract(header, &|name| name.starts_with(prefix))
    }

    #[test]
    fn wanted_macros_are_kept_with_their_continuations() {
        let header = "#include <x.h>\n#define A_B \\\n\t(1 | \\\n 2)\n#define C 1\nint f(void);\n";
        assert_eq!(of(header, "A_"), "#define A_B \\\n\t(1 | \\\n 2)\n");
    }

    #[test]
    fn conditionals_stay_where_they_hold_something() {
        let header = "#ifndef H\n#define H\n#ifdef CONFIG_X\nint x;\n#else\n#define C 2\n#endif\n\
            #ifdef CONFIG_Y\n#define A 1\n#else\n#define A 0\n#endif\n#endif\n";
        let kept = of(header, "A");
        assert_eq!(kept, "#ifndef H\n#ifdef CONFIG_Y\n#define A 1\n#else\n#define A 0\n#endif\n#endif\n");
        assert_eq!(options(&kept).into_iter().collect::<Vec<_>>(), ["CONFIG_Y"]);
    }

    #[test]
    fn a_conditional_that_holds_something_in_its_first_branch_is_kept() {
        let header = "#if X\n#define A 1\n#elif Y\n#else\n#endif\n";
        assert_eq!(of(header, "A"), header);
    }

    #[test]
    fn enumerations_are_kept_whole_or_not_at_all() {
        let header = "enum one {\n#ifdef CONFIG_Z\n\tA_1, /* } */\n#endif\n\tA_2\n};\n\
            enum { B }; enum one x; static enum one f(void) { return A_1; }\n";
        let kept = of(header, "A_");
        assert_eq!(kept, "enum one {\n#ifdef CONFIG_Z\n\tA_1, /* } */\n#endif\n\tA_2\n};\n");
        assert_eq!(options(&kept).len(), 1);
    }

    #[test]
    fn comments_and_literals_are_passed_over() {
        assert_eq!(of("/*\n#define A 1\n*/\nchar *s = \"\\\n#define A 2\";\n", "A"), "");
        assert_eq!(of("enum {", "A"), "");
        assert_eq!(of("# define A 1", "A"), "# define A 1\n");
    }
}
