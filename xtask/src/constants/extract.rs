//! The part of a header inside the kernel that defines constants.
//!
//! Such a header compiles only in a configured tree, with hundreds of others. What it says about constants does not
//! need them: this keeps its conditionals, the macros that are asked for and the enumerations that hold one of them,
//! and gcc does the rest.

use std::collections::BTreeSet;

use super::scan::{directive, opaque, word};

/// The definitions of `header` whose names are `wanted`, with the conditionals around them.
pub(super) fn extract(header: &str, wanted: &dyn Fn(&str) -> bool) -> String {
    let mut extract = Extract { kept: String::new(), open: Vec::new(), wanted };
    let (mut rest, mut line_begins) = (header, true);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' if line_begins => {
                let length = directive(rest);
                extract.directive(&rest[..length]);
                length
            }
            _ if word(rest) > 0 => {
                let length = enumeration(rest).unwrap_or_else(|| word(rest));
                extract.enumeration(&rest[..length]);
                length
            }
            _ => opaque(rest).unwrap_or(first.len_utf8()),
        };
        let (piece, after) = rest.split_at(length);
        // A comment before a `#` is a blank to the preprocessor.
        line_begins = if piece == "\n" {
            true
        } else {
            line_begins && (piece.trim().is_empty() || piece.starts_with("/*"))
        };
        rest = after;
    }
    extract.kept
}

/// The options of the kernel's configuration that a text mentions.
pub(super) fn options(text: &str) -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = word(rest);
        let (piece, after) = rest.split_at(if length > 0 { length } else { first.len_utf8() });
        if piece.starts_with("CONFIG_") {
            options.insert(piece.to_owned());
        }
        rest = after;
    }
    options
}

struct Extract<'a> {
    kept: String,
    /// For each open conditional, the length of `kept` before it, and after its last branch began.
    open: Vec<(usize, usize, bool)>,
    wanted: &'a dyn Fn(&str) -> bool,
}

impl Extract<'_> {
    fn directive(&mut self, text: &str) {
        let line = text.strip_prefix('#').unwrap_or(text).trim_start();
        let (keyword, argument) = line.split_at(word(line));
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
            "define" => {
                let name = argument.trim_start();
                if (self.wanted)(&name[..word(name)]) {
                    self.keep(text);
                }
            }
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

    fn enumeration(&mut self, text: &str) {
        let Some(body) = text.split_once('{').map(|(_, body)| body) else { return };
        let mut rest = body;
        while let Some(first) = rest.chars().next() {
            let length = word(rest);
            if length > 0 && (self.wanted)(&rest[..length]) {
                return self.keep(text);
            }
            let length = if length > 0 { length } else { opaque(rest).unwrap_or(first.len_utf8()) };
            rest = &rest[length..];
        }
    }

    fn keep(&mut self, text: &str) {
        self.kept.push_str(text);
        self.kept.push('\n');
    }
}

/// The length of the definition of an enumeration that `text` begins with.
fn enumeration(text: &str) -> Option<usize> {
    let behind = text.strip_prefix("enum").filter(|rest| word(rest) == 0)?;
    let tag = behind.trim_start();
    let brace = tag[word(tag)..].trim_start();
    brace.strip_prefix('{')?;
    let mut at = text.len() - brace.len();
    while let Some(rest) = text.get(at..) {
        let first = rest.chars().next()?;
        if first == '}' {
            return Some(text.len().min(at + 1 + usize::from(rest[1..].starts_with(';'))));
        }
        at += opaque(rest).unwrap_or(first.len_utf8());
    }
    None
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
