//! The C statements of `assign`.
//!
//! They are put into the arguments of a macro, and from there into a block of the functions that write a record
//! (`TP_fast_assign` in include/trace/stages/stage6_event_callback.h). They must not end either of them: what stands
//! behind completes the record. They must not sleep either. The C compiler checks the rest.

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::c::ByteRange;
use tracec_kernel::c::lexer::{Lexer, Token, TokenKind};
use tracec_kernel::tables::field_macros;
use tracec_kernel::tables::sleeping::{self, Sleeping};

use crate::diagnostic::{Diagnostic, codes};

use super::context::Context;

/// Reports the first place where statements end more than themselves, or can sleep. Returns whether there is none.
pub(super) fn check(statements: &Spanned<String>, context: &mut Context<'_, '_>) -> bool {
    let text = statements.value.as_str();
    let mistake = first_mistake(text, statements.span);
    let is_right = mistake.is_none();
    if let Some(mistake) = mistake {
        context.diagnostics.push(mistake);
    }
    is_right
}

/// Returns whether statements name a field of the record, as `__entry->NAME` or as what a macro of fields takes. A
/// comment says nothing, and a member of that name can be one of another struct.
pub(super) fn name_field(text: &str, name: &str) -> bool {
    let words = Lexer::header(text).filter(|token| !token.kind.is_trivia());
    let words: Vec<&str> = words.map(|token| token.range.of(text)).collect();
    words.windows(3).any(|three| match *three {
        ["__entry", "->", field] => field == name,
        [of_fields, "(", field] => field == name && field_macros::takes_field(of_fields),
        _ => false,
    })
}

fn first_mistake(text: &str, span: Span) -> Option<Diagnostic> {
    let between =
        |start: u32, end: u32| Span { start: span.start + 1 + start, end: span.start + 1 + end, ..span };
    let at = |range: ByteRange| between(range.start, range.end);
    let tokens: Vec<Token> = Lexer::header(text).collect();
    let mut open: Vec<(&'static str, ByteRange)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let written = token.range.of(text);
        let place = at(token.range);
        let mistake = match token.kind {
            TokenKind::Punctuator(_) if let Some(digraph) = digraph(&text[token.range.start as usize..]) => {
                let two = between(token.range.start, token.range.start + 2);
                Some(codes::open_statements::digraph(two, digraph))
            }
            TokenKind::Word
                if is_raw_prefix(written) && text[token.range.end as usize..].starts_with('"') =>
            {
                Some(codes::open_statements::raw_string(place))
            }
            TokenKind::Punctuator(sign @ ("(" | "[" | "{")) => {
                open.push((closing(sign), token.range));
                None
            }
            TokenKind::Punctuator(sign @ (")" | "]" | "}")) => match open.pop() {
                Some((expected, _)) if expected == sign => None,
                Some((expected, opened)) => {
                    Some(codes::open_statements::other_bracket(place, sign, expected, at(opened)))
                }
                None => Some(codes::open_statements::unopened(place, sign)),
            },
            TokenKind::OpenQuote => Some(codes::open_statements::unclosed(place, "quote")),
            // The lines of the header are indented anew.
            TokenKind::Str | TokenKind::Char if written.contains('\n') => {
                Some(codes::open_statements::over_lines(place))
            }
            TokenKind::Comment if !is_closed(written) => {
                Some(codes::open_statements::unclosed(place, "comment"))
            }
            TokenKind::Directive => Some(codes::open_statements::directive(place)),
            TokenKind::Unknown => Some(codes::open_statements::character(place, written)),
            TokenKind::Word if leaves(written, &tokens[index + 1..], &tokens, text) => {
                Some(codes::open_statements::leaves(place, written))
            }
            TokenKind::Word => {
                sleeping(index, &tokens, text).map(|known| codes::sleeps::sleeps(place, known))
            }
            _ => None,
        };
        if mistake.is_some() {
            return mistake;
        }
    }
    if let Some((_, range)) = open.pop() {
        return Some(codes::open_statements::unclosed(at(range), "bracket"));
    }
    let backslash = continued(text)?;
    Some(codes::open_statements::continued(between(backslash, backslash + 1)))
}

/// Returns where a line ends with a backslash, in a comment too. C joins it with the next line, also if blanks stand
/// behind the backslash; but the lines that are written are not those of the text, since they have no blanks at their ends
/// and none of them is empty.
fn continued(text: &str) -> Option<u32> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let written = line.trim_end();
        if written.ends_with('\\') {
            return u32::try_from(start + written.len() - 1).ok();
        }
        start += line.len();
    }
    None
}

/// The other spellings of signs (6.4.6 of the C standard), which close brackets and begin directives as those do. `%:%:`
/// begins with one of them.
const DIGRAPHS: &[&str] = &["<:", ":>", "<%", "%>", "%:"];

fn digraph(text: &str) -> Option<&'static str> {
    DIGRAPHS.iter().find(|digraph| text.starts_with(**digraph)).copied()
}

/// Returns whether a string behind a word is raw for gcc: it has no escapes, and its end is what its beginning says.
fn is_raw_prefix(word: &str) -> bool {
    matches!(word, "R" | "LR" | "uR" | "u8R" | "UR")
}

fn closing(opening: &str) -> &'static str {
    match opening {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// Returns whether a comment ends with itself: one of a line would take the next one too, if a backslash ended it.
fn is_closed(comment: &str) -> bool {
    match comment.strip_prefix("/*") {
        Some(inside) => inside.ends_with("*/"),
        None => !comment.ends_with('\\'),
    }
}

/// Returns whether a word leaves the function, or jumps to a place that is not in the statements.
fn leaves(word: &str, behind: &[Token], all: &[Token], text: &str) -> bool {
    if word != "goto" {
        return word == "return";
    }
    let mut behind = behind.iter().filter(|token| !token.kind.is_trivia());
    behind
        .next()
        .is_none_or(|label| label.kind != TokenKind::Word || !has_label(label.range.of(text), all, text))
}

/// Returns the function that a word calls and that sleeps, or the flag with which an allocation does.
fn sleeping(index: usize, tokens: &[Token], text: &str) -> Option<&'static Sleeping> {
    let known = sleeping::find(tokens[index].range.of(text))?;
    let means = |token: &&Token| !token.kind.is_trivia();
    let mut behind = tokens[index + 1..].iter().filter(means).map(|token| token.kind);
    let mut before = tokens[..index].iter().rev().filter(means).map(|token| token.kind);
    let mut next = behind.next();
    // `(f)(x)` calls it too; `g(f)` and `if (f)` do not.
    if next == Some(TokenKind::Punctuator(")"))
        && before.next() == Some(TokenKind::Punctuator("("))
        && before.next() != Some(TokenKind::Word)
    {
        next = behind.next();
    }
    (known.is_flag || next == Some(TokenKind::Punctuator("("))).then_some(known)
}

/// Returns whether statements have a label.
fn has_label(label: &str, tokens: &[Token], text: &str) -> bool {
    let meaning: Vec<&Token> = tokens.iter().filter(|token| !token.kind.is_trivia()).collect();
    let begins = |index: usize| match index.checked_sub(1).map(|before| meaning[before].kind) {
        None => true,
        Some(kind) => matches!(kind, TokenKind::Punctuator(";" | "{" | "}" | ":" | ")")),
    };
    meaning.windows(2).enumerate().any(|(index, pair)| {
        pair[0].range.of(text) == label && pair[1].kind == TokenKind::Punctuator(":") && begins(index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text under the place of the mistake.
    fn found(text: &str) -> Option<&str> {
        let span = Span::new(5, 7 + text.len());
        let mistake = first_mistake(text, span)?;
        let place = mistake.primary.expect("a place").span;
        Some(&text[place.start as usize - 6..place.end as usize - 6])
    }

    #[test]
    fn statements_that_end_with_themselves_are_accepted() {
        for text in [
            "",
            "__entry->a = (b[1] + f(c)) ? '(' : ')';",
            "if (a) { __entry->a = 1; } // a )\n\t__entry->b = \"}\"; /* { */",
            "if (!a) goto out; __entry->a = 1; out: __entry->b = 2;",
            "const char *returned = \"return\"; __entry->goto_a = returned;",
            "__entry->a = \"\\\\\"; // a \\ b\n__entry->b = a <b? c: d> e;",
            "__entry->a = LR; __entry->b = u8R + f(\"R\") % 3;",
            "__entry->a = f(mutex_lock) (1); if (down) (a);",
            "__entry->a = down + s->schedule; /* msleep(1) */ __entry->b = \"mutex_lock(m)\";",
            "__entry->a = copy_from_user_nofault(__entry->b, u, 4);",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn statements_name_fields_of_the_record() {
        for (text, names) in [
            ("__entry->a = 1;", true),
            ("f(& __entry /* the record */ -> a, sizeof(__entry->a));", true),
            ("__assign_cpumask(a, cpumask_bits(m));", true),
            ("memset(__get_dynamic_array(a), 0, 4);", true),
            ("/* __entry->a */ __entry->b = (int)p->a;", false),
            ("// __entry->a", false),
            ("__entry->b = \"__entry->a\"[0];", false),
            ("f(a); __entry->ab = a;", false),
        ] {
            assert_eq!(name_field(text, "a"), names, "{text}");
        }
    }

    #[test]
    fn statements_that_end_more_are_refused_at_the_place() {
        for (text, place) in [
            ("__entry->a = f(a));", ")"),
            ("__entry->a = a; }", "}"),
            ("__entry->a = f(a;", "("),
            ("if (a) { __entry->a = a;", "{"),
            ("__entry->a = b[1);", ")"),
            ("__entry->a = \"x;", "\"x;"),
            ("__entry->a = '(;\n", "'(;"),
            ("f(\"a\\\n b\");", "\"a\\\n b\""),
            ("__entry->a = 1; /* x", "/* x"),
            ("__entry->a = 1; /*/", "/*/"),
            ("__entry->a = 1; // x\\", "// x\\"),
            ("__entry->a = 1; \\", "\\"),
            ("__entry->a = 1;\n#ifdef X\n__entry->a = 2;\n#endif", "#ifdef X"),
            ("if (!a) return; __entry->a = 1;", "return"),
            ("if (!a) goto out;", "goto"),
            ("if (!a) goto *p; out: f();", "goto"),
            ("a = b ? out : c; goto out;", "goto"),
            ("__entry->a = ä;", "ä"),
            ("__entry->b = 1; %> f(); <%", "%>"),
            ("__entry->b<:1:> = 1;", "<:"),
            ("a = b ? c:>1;", ":>"),
            ("__entry->b = 1;\n%:undef __entry", "%:"),
            ("a %:%: b", "%:"),
            ("a <%= b", "<%"),
            ("f( R\"(a\")\" ); ), TP_printk(R\"(b\")\" );", "R"),
            ("f(LR\"(a)\");", "LR"),
            ("f(uR\"(a)\");", "uR"),
            ("f(u8R\"(a)\");", "u8R"),
            ("f(UR\"(a)\");", "UR"),
            ("a = 1 \\\n + 2;", "\\"),
            ("a = 1; // keep \\ \n a = 2;\n a = 3;", "\\"),
            ("a = 1; // keep \\\n\n a = 2;", "\\"),
            ("a = 1; // keep \\\u{a0}\r\n a = 2;", "\\"),
            ("a = 1; /* keep \\\t\n */", "\\"),
            ("(mutex_lock)(m);", "mutex_lock"),
            ("a = b + (down) (m);", "down"),
            ("if (a) mutex_lock (&m);", "mutex_lock"),
            ("__entry->a = kmalloc(4, GFP_KERNEL);", "GFP_KERNEL"),
        ] {
            assert_eq!(found(text), Some(place), "{text}");
        }
    }
}
