//! Diagnostics for programs: one JSON object a line. `book/src/diagnostics.md` documents the members.

use serde::Serialize;
use tracec_grammar::span::Span;
use tracec_kernel::escaped::in_json;

use crate::diagnostic::{Diagnostic, Fix, Label};
use crate::source::{LineEnds, LineIndex, SourceMap, Unit};

/// Renders each diagnostic as a line of JSON.
///
/// # Errors
/// What `serde_json` cannot write.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic]) -> serde_json::Result<String> {
    let locator = Locator::new(sources);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&in_json(&serde_json::to_string(&object(&locator, diagnostic))?));
        out.push('\n');
    }
    Ok(out)
}

#[derive(Serialize)]
struct Object<'d> {
    code: &'d str,
    name: &'d str,
    severity: &'d str,
    message: &'d str,
    place: Option<LocatedSpan<'d>>,
    label: Option<&'d str>,
    related: Vec<Related<'d>>,
    notes: &'d [String],
    helps: &'d [String],
    fixes: Vec<Offer<'d>>,
}

/// A span with its file, lines and columns.
#[derive(Serialize)]
pub(crate) struct LocatedSpan<'d> {
    file: &'d str,
    start: Point,
    end: Point,
}

/// An offset in bytes from 0; a line and its columns from 1, in characters and in units of UTF-16.
#[derive(Serialize)]
struct Point {
    offset: usize,
    line: usize,
    column: usize,
    utf16: usize,
}

#[derive(Serialize)]
struct Related<'d> {
    place: LocatedSpan<'d>,
    label: &'d str,
}

#[derive(Serialize)]
struct Offer<'d> {
    title: &'d str,
    applicability: &'d str,
    edits: Vec<Change<'d>>,
}

#[derive(Serialize)]
struct Change<'d> {
    place: LocatedSpan<'d>,
    text: &'d str,
}

fn object<'d>(locator: &'d Locator<'d>, diagnostic: &'d Diagnostic) -> Object<'d> {
    let related = |label: &'d Label| Related { place: locator.locate(label.span), label: &label.text };
    Object {
        code: diagnostic.code.id,
        name: diagnostic.code.name,
        severity: diagnostic.severity.word(),
        message: &diagnostic.message,
        place: diagnostic.primary.as_ref().map(|label| locator.locate(label.span)),
        label: diagnostic.primary.as_ref().map(|label| label.text.as_str()),
        related: diagnostic.secondary.iter().map(related).collect(),
        notes: &diagnostic.notes,
        helps: &diagnostic.helps,
        fixes: diagnostic.fixes.iter().map(|fix| offer(locator, fix)).collect(),
    }
}

fn offer<'d>(locator: &'d Locator<'d>, fix: &'d Fix) -> Offer<'d> {
    let edits = fix.edits.iter().map(|edit| Change { place: locator.locate(edit.span), text: &edit.text });
    Offer { title: &fix.title, applicability: fix.applicability.word(), edits: edits.collect() }
}

/// The lines of all texts, to locate spans in.
pub(crate) struct Locator<'s> {
    sources: &'s SourceMap,
    lines: Vec<LineIndex<'s>>,
}

impl<'s> Locator<'s> {
    pub(crate) fn new(sources: &'s SourceMap) -> Self {
        let lines =
            sources.files().iter().map(|file| LineIndex::new(&file.text, LineEnds::Newline)).collect();
        Locator { sources, lines }
    }

    pub(crate) fn locate(&self, span: Span) -> LocatedSpan<'s> {
        let (file, range) = self.sources.locate(span);
        let point = |offset: usize| {
            let column = |unit| {
                let position = self.lines.get(span.file.index()).map(|lines| lines.position(offset, unit));
                position.map_or((1, 1), |at| (at.line + 1, at.column + 1))
            };
            let (line, characters) = column(Unit::Char);
            Point { offset, line, column: characters, utf16: column(Unit::Utf16).1 }
        };
        LocatedSpan { file: &file.name, start: point(range.start), end: point(range.end) }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::diagnostic::codes::{no_tracefs, unexpected};
    use crate::source::SourceText;

    #[test]
    fn an_object_has_all_there_is() {
        let file = |name: &str, text: &str| SourceText {
            name: name.to_owned(),
            text: text.to_owned(),
            one_liner: false,
        };
        let mut sources = SourceMap::new(file("a.trc", "\u{1f980}\"x"));
        let other = sources.add(file("b.trc", "\r\ny"));
        let said = Diagnostic::error(&unexpected::CODE, "say \"x\"\n")
            .at(Span::new(4, 6), "here")
            .and_at(other.span(2, 3), "there")
            .note("n")
            .help("h")
            .guess("write `y`", Span::new(5, 6), "y");
        let lines = render(&sources, &[said, no_tracefs::no_tracefs()]).expect("JSON");
        let objects: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(objects.len(), 2);
        expect![[r#"
            {
              "code": "T0012",
              "fixes": [
                {
                  "applicability": "maybe",
                  "edits": [
                    {
                      "place": {
                        "end": {
                          "column": 4,
                          "line": 1,
                          "offset": 6,
                          "utf16": 5
                        },
                        "file": "a.trc",
                        "start": {
                          "column": 3,
                          "line": 1,
                          "offset": 5,
                          "utf16": 4
                        }
                      },
                      "text": "y"
                    }
                  ],
                  "title": "write `y`"
                }
              ],
              "helps": [
                "h"
              ],
              "label": "here",
              "message": "say \"x\"\n",
              "name": "unexpected",
              "notes": [
                "n"
              ],
              "place": {
                "end": {
                  "column": 4,
                  "line": 1,
                  "offset": 6,
                  "utf16": 5
                },
                "file": "a.trc",
                "start": {
                  "column": 2,
                  "line": 1,
                  "offset": 4,
                  "utf16": 3
                }
              },
              "related": [
                {
                  "label": "there",
                  "place": {
                    "end": {
                      "column": 2,
                      "line": 2,
                      "offset": 3,
                      "utf16": 2
                    },
                    "file": "b.trc",
                    "start": {
                      "column": 1,
                      "line": 2,
                      "offset": 2,
                      "utf16": 1
                    }
                  }
                }
              ],
              "severity": "error"
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(&objects[0]).expect("JSON"));
        assert!(objects[1]["place"].is_null() && objects[1]["label"].is_null());
    }
}
