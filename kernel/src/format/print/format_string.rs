//! The boundary between the format string and the arguments.

use super::directive;
use super::error::{PrintError, PrintErrorKind};
use super::print_fmt::{Format, PrintFmt};
use crate::c::lexer::{self, Lexer};
use crate::c::parser::Parser;
use crate::c::{ByteRange, CErrorKind, literal};

/// The quoting of the format string in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Its bytes between two quotes: a line break is a line break, and a quote is not escaped. This is so for all
    /// events made by TP_printk (`"\"" fmt "\", " __stringify(args)` in include/trace/stages/stage7_class_define.h) and
    /// for system calls. Probe events escape the quotes around their strings and nothing else (`string` in
    /// kernel/trace/trace_probe.c), so that `\"` is a quote and any other backslash is a backslash.
    Verbatim,
    /// Literals of C with their escapes. This is so for the events of the system `ftrace` (F_printk in
    /// kernel/trace/trace_export.c).
    Stringified,
}

/// The greatest number of quotes that are tried as the end of a verbatim format: a format holds few, and each attempt
/// reads the whole rest.
const CLOSING_QUOTES: usize = 64;

impl PrintFmt {
    /// Parses the text after `print fmt:`.
    ///
    /// A quote within a [verbatim](Quoting::Verbatim) format looks like the one that ends it. The format ends at the
    /// first quote after which nothing follows, or a comma and enough expressions for its directives.
    ///
    /// # Errors
    /// [`PrintError`] for a text that no kernel writes. If several ends of the format were tried, it is the error with
    /// the greatest offset.
    pub fn parse(text: &str, quoting: Quoting) -> Result<Self, PrintError> {
        if u32::try_from(text.len()).is_err() {
            return Err(PrintError::new(0, PrintErrorKind::C(CErrorKind::TooLong)));
        }
        let open = text.len() - text.trim_start().len();
        if !text[open..].starts_with('"') {
            return Err(PrintError::new(open, PrintErrorKind::NoFormat));
        }
        match quoting {
            Quoting::Verbatim => verbatim(text, open),
            Quoting::Stringified => stringified(text, open),
        }
    }
}

fn verbatim(text: &str, open: usize) -> Result<PrintFmt, PrintError> {
    let mut error = PrintError::new(open, PrintErrorKind::C(CErrorKind::OpenQuote));
    let quotes = text.match_indices('"').map(|(at, _)| at).filter(|at| *at > open);
    let ends = quotes.filter(|quote| {
        let rest = text[quote + 1..].trim_start();
        !text[..*quote].ends_with('\\') && (rest.is_empty() || rest.starts_with(','))
    });
    for close in ends.take(CLOSING_QUOTES) {
        let value = text[open + 1..close].replace("\\\"", "\"").into_bytes();
        let parts = vec![ByteRange::new(open, close + 1)];
        match with_arguments(text, value.into(), parts, close + 1) {
            Ok(print) => return Ok(print),
            Err(other) if other.offset >= error.offset => error = other,
            Err(_) => {}
        }
    }
    Err(error)
}

fn stringified(text: &str, open: usize) -> Result<PrintFmt, PrintError> {
    let mut value = Vec::new();
    let mut parts = Vec::new();
    for token in Lexer::preprocessed(text, open).filter(|token| !token.kind.is_trivia()) {
        if !text[token.range.start as usize..].starts_with('"') {
            break;
        }
        let part = lexer::known(text, token)?.range;
        value.extend(literal::bytes(part.of(text)));
        parts.push(part);
    }
    let end = parts.last().map_or(open, |part| part.end as usize);
    with_arguments(text, value.into(), parts, end)
}

fn with_arguments(
    text: &str,
    value: Box<[u8]>,
    parts: Vec<ByteRange>,
    end: usize,
) -> Result<PrintFmt, PrintError> {
    let start = parts.first().map_or(0, |part| part.start as usize);
    // Where escapes or several literals shift the bytes, the error has the range of the whole format.
    let literal = matches!(*parts, [part] if part.of(text).len() == value.len() + 2);
    let in_text = |error: PrintError| {
        PrintError::new(if literal { start + 1 + error.offset } else { start }, error.kind)
    };
    let pieces = directive::pieces(&value).map_err(in_text)?;
    let needed: usize =
        pieces.iter().filter_map(|piece| piece.directive.as_ref()).map(|d| d.arguments()).sum();

    let tokens = lexer::tokens(text, end)?;
    let mut parser = Parser::new(text, &tokens);
    let comma = parser.take(",");
    let mut arguments = Vec::new();
    if comma && !parser.at_end() {
        arguments = parser.list(None)?;
    }
    if !parser.at_end() {
        return Err(parser.expected(if comma { "a comma" } else { "a comma or the end" }).into());
    }
    let found = arguments.len();
    if found < needed {
        return Err(PrintError::new(start, PrintErrorKind::Arguments { needed, found }));
    }
    let trailing_comma = comma && arguments.is_empty();
    let format = Format { value, pieces, parts };
    Ok(PrintFmt { format, arguments, trailing_comma, tree: parser.into_tree() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verbatim(text: &str) -> PrintFmt {
        PrintFmt::parse(text, Quoting::Verbatim).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn stringified(text: &str) -> PrintFmt {
        PrintFmt::parse(text, Quoting::Stringified).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn fails(text: &str, quoting: Quoting, offset: usize, kind: PrintErrorKind) {
        assert_eq!(PrintFmt::parse(text, quoting), Err(PrintError { offset, kind }), "{text}");
    }

    #[test]
    fn a_format_stands_in_the_text_as_it_is() {
        let print = verbatim("\"a=%d\n\\n\", REC->a");
        assert_eq!(print.format().value(), b"a=%d\n\\n");
        assert_eq!(print.arguments().len(), 1);
        assert_eq!(verbatim("\"\"").format().value(), b"");
        assert_eq!(verbatim("  \"x\",").arguments(), []);
    }

    #[test]
    fn quotes_in_a_format_do_not_end_it() {
        // fs/afs: TP_printk("d=%x \"%s\"", ...)
        for (text, format, arguments) in [
            (r#""d=%x "%s"", REC->a, "x""#, r#"d=%x "%s""#, 2),
            (r#""d=%x "%s" f=%x", REC->a, REC->b, REC->c"#, r#"d=%x "%s" f=%x"#, 3),
            (r#""a "%s", b %d", REC->a, REC->b"#, r#"a "%s", b %d"#, 2),
            (r#""a "b", "c"", "#, r#"a "b", "c""#, 0),
            (r#""%s", "a, \"b\"""#, "%s", 1),
            // __set_print_fmt in kernel/trace/trace_probe.c
            (
                r#""(%lx) a=\"%s\", b=\"%s\"", REC->__probe_ip, __get_str(a), __get_str(b[0])"#,
                r#"(%lx) a="%s", b="%s""#,
                3,
            ),
        ] {
            let print = verbatim(text);
            assert_eq!(print.format().value(), format.as_bytes(), "{text}");
            assert_eq!(print.arguments().len(), arguments, "{text}");
        }
    }

    #[test]
    fn the_events_of_ftrace_have_literals() {
        let print = stringified(r#""\t=> %ps\n" "\t=> \"%ps\"\n", (void *)REC->a, (void *)REC->b"#);
        assert_eq!(print.format().value(), b"\t=> %ps\n\t=> \"%ps\"\n");
        assert_eq!(print.arguments().len(), 2);
    }

    #[test]
    fn what_is_no_print_fmt_is_an_error() {
        use Quoting::*;
        fails("", Verbatim, 0, PrintErrorKind::NoFormat);
        fails(" REC->a", Stringified, 1, PrintErrorKind::NoFormat);
        fails("\"%d, REC->a", Verbatim, 0, PrintErrorKind::C(CErrorKind::OpenQuote));
        fails("\"%d, REC->a", Stringified, 0, PrintErrorKind::C(CErrorKind::OpenQuote));
        fails("\"%d\" REC->a", Stringified, 5, PrintErrorKind::C(CErrorKind::Expected("a comma or the end")));
        fails("\"%d\", REC->a REC->b", Verbatim, 13, PrintErrorKind::C(CErrorKind::Expected("a comma")));
        fails("\"a%n\", REC->a", Verbatim, 2, PrintErrorKind::Directive);
        fails("\"\\t%n\", REC->a", Stringified, 0, PrintErrorKind::Directive);
        fails("\"%d %s\", 1", Verbatim, 0, PrintErrorKind::Arguments { needed: 2, found: 1 });
        fails("\"%d\",", Verbatim, 0, PrintErrorKind::Arguments { needed: 1, found: 0 });
        fails("\"%d\", REC->a,", Verbatim, 13, PrintErrorKind::C(CErrorKind::Expected("an expression")));
        fails("\"%d\", @", Verbatim, 6, PrintErrorKind::C(CErrorKind::Character('@')));
    }

    #[test]
    fn a_format_full_of_quotes_is_an_error() {
        let text = format!("\"{}", "\",".repeat(10_000));
        assert!(PrintFmt::parse(&text, Quoting::Verbatim).is_err());
    }
}
