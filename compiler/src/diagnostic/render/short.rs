//! Diagnostics as one line each, as compilers have always written them: editors and `grep` read it.

use super::one_line;
use crate::diagnostic::Diagnostic;
use crate::source::{LineEnds, LineIndex, SourceMap, Unit};

/// Renders each diagnostic as `path:line:column: error[T0102]: message`. Lines and columns are counted from 1, columns
/// in characters. Without a place there is the path alone, and about the machine `tracec`.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<LineIndex<'_>> =
        sources.files().iter().map(|file| LineIndex::new(&file.text, LineEnds::Newline)).collect();
    diagnostics.iter().map(|diagnostic| line(sources, &lines, diagnostic)).collect()
}

fn line(sources: &SourceMap, lines: &[LineIndex<'_>], diagnostic: &Diagnostic) -> String {
    let location = match &diagnostic.primary {
        Some(label) => {
            let (file, range) = sources.locate(label.span);
            let name = one_line(&file.name);
            let lines = lines.get(label.span.file.index());
            match lines.map(|lines| lines.position(range.start, Unit::Char)) {
                Some(at) => format!("{name}:{}:{}", at.line + 1, at.column + 1),
                None => name,
            }
        }
        None if sources.main().name.is_empty() => "tracec".to_owned(),
        None => one_line(&sources.main().name),
    };
    let severity = diagnostic.severity.word();
    format!("{location}: {severity}[{}]: {}\n", diagnostic.code.id, one_line(&diagnostic.message))
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::Span;

    use super::*;
    use crate::diagnostic::codes::{constant_condition, no_tracefs, unexpected};
    use crate::source::SourceText;

    #[test]
    fn each_is_one_line() {
        let file = |name: &str, text: &str| SourceText {
            name: name.to_owned(),
            text: text.to_owned(),
            one_liner: false,
        };
        let mut sources = SourceMap::new(file("a\n.trc", "\t\u{1f980}x\r\ny"));
        let other = sources.add(file("b.trc", "z"));
        let at = |span| Diagnostic::error(&unexpected::CODE, "two\nlines").at(span, "");
        let error = |start, end| at(Span::new(start, end));
        let said = [
            error(5, 6),
            error(8, 9),
            error(9, 9),
            at(other.span(0, 0)),
            constant_condition::constant_condition(Span::new(0, 0), true),
            no_tracefs::no_tracefs(),
        ];
        let expected = "a?.trc:1:3: error[T0012]: two?lines\n\
                        a?.trc:2:1: error[T0012]: two?lines\n\
                        a?.trc:2:2: error[T0012]: two?lines\n\
                        b.trc:1:1: error[T0012]: two?lines\n\
                        a?.trc:1:1: warning[T0210]: this condition is always true\n\
                        a?.trc: error[T0501]: tracefs is not mounted\n";
        assert_eq!(render(&sources, &said), expected);
        let nowhere = SourceMap::new(SourceText::default());
        assert!(render(&nowhere, &said[5..]).starts_with("tracec: error[T0501]"));
    }
}
