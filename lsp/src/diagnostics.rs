//! Diagnostics for editors, in the shapes of the Language Server Protocol 3.17: the parameters of `publishDiagnostics`,
//! and the code actions of the fixes. They are plain data, which a server converts to the types of its library or sends
//! unchanged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tracec_compiler::diagnostic::{Applicability, Diagnostic, Fix, Label, Severity};
use tracec_compiler::source::{LineEnds, LineIndex, SourceMap, SourceText, Unit};
use tracec_span::Span;

/// The directory of the pages of codes; the name of a page is that of its code's file.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/compiler/src/diagnostic/codes/");

/// The unit of a `character`, as client and server agree at the start. Without an agreement it is UTF-16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// `utf-8`: bytes.
    Utf8,
    /// `utf-16`: code units of UTF-16.
    #[default]
    Utf16,
}

impl Encoding {
    /// Returns the unit of columns.
    pub fn unit(self) -> Unit {
        match self {
            Encoding::Utf8 => Unit::Byte,
            Encoding::Utf16 => Unit::Utf16,
        }
    }
}

/// `PublishDiagnosticsParams`: all diagnostics of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiagnostics {
    /// The file.
    pub uri: String,
    /// The diagnostics; an empty list clears earlier ones.
    pub diagnostics: Vec<LspDiagnostic>,
}

/// `Diagnostic`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LspDiagnostic {
    /// The range; the start of the file for a diagnostic without a span.
    pub range: Range,
    /// 1 for an error, 2 for a warning.
    pub severity: u8,
    /// The code, such as `T0102`.
    pub code: String,
    /// The page of the code.
    pub code_description: CodeDescription,
    /// Always `tracec`.
    pub source: String,
    /// The message; its label, notes and helps on lines of their own.
    pub message: String,
    /// Other locations that explain it.
    pub related_information: Vec<RelatedInformation>,
    /// Data that a request for code actions sends back.
    pub data: Data,
}

/// `CodeDescription`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeDescription {
    /// The address of the page.
    pub href: String,
}

/// `DiagnosticRelatedInformation`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedInformation {
    /// The place.
    pub location: Location,
    /// The message.
    pub message: String,
}

/// `Location`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The file.
    pub uri: String,
    /// The range in it.
    pub range: Range,
}

/// `Range`: its end is not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The first position.
    pub start: LspPosition,
    /// The position after the last.
    pub end: LspPosition,
}

/// `Position`, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LspPosition {
    /// The line.
    pub line: usize,
    /// The column, in the agreed encoding.
    pub character: usize,
}

/// The data that a diagnostic carries for later requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// The actions that fix it: alternatives, the best first.
    pub fixes: Vec<CodeAction>,
}

/// `CodeAction`, without the diagnostic that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeAction {
    /// The title, which says what it does.
    pub title: String,
    /// Always `quickfix`.
    pub kind: String,
    /// Whether the meaning is certain, so that an editor may apply it without asking.
    pub is_preferred: bool,
    /// The change.
    pub edit: WorkspaceEdit,
}

/// `WorkspaceEdit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceEdit {
    /// The edits of each file, by its URI.
    pub changes: BTreeMap<String, Vec<TextEdit>>,
}

/// `TextEdit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// The range to replace.
    pub range: Range,
    /// The replacement.
    pub new_text: String,
}

/// Returns the diagnostics of each file, with an empty list for files without any, which clears earlier ones.
pub fn render(
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    encoding: Encoding,
    uri: &dyn Fn(&SourceText) -> String,
) -> Vec<FileDiagnostics> {
    let encoder = Encoder::new(sources, encoding, uri);
    let mut files: Vec<FileDiagnostics> = encoder
        .uris
        .iter()
        .map(|uri| FileDiagnostics { uri: uri.clone(), diagnostics: Vec::new() })
        .collect();
    for diagnostic in diagnostics {
        let place = diagnostic.primary.as_ref().map(|label| label.span.file.index());
        if let Some(file) = files.get_mut(place.unwrap_or(0)) {
            file.diagnostics.push(encoder.diagnostic(diagnostic));
        }
    }
    files
}

struct Encoder<'s> {
    sources: &'s SourceMap,
    lines: Vec<LineIndex<'s>>,
    uris: Vec<String>,
    unit: Unit,
}

impl<'s> Encoder<'s> {
    fn new(sources: &'s SourceMap, encoding: Encoding, uri: &dyn Fn(&SourceText) -> String) -> Self {
        let files = || sources.files().iter();
        Encoder {
            sources,
            lines: files().map(|file| LineIndex::new(&file.text, LineEnds::Protocol)).collect(),
            uris: files().map(uri).collect(),
            unit: encoding.unit(),
        }
    }

    fn diagnostic(&self, diagnostic: &Diagnostic) -> LspDiagnostic {
        let related = |label: &Label| RelatedInformation {
            location: self.location(label.span),
            message: label.text.clone(),
        };
        LspDiagnostic {
            range: diagnostic.primary.as_ref().map_or(Range::default(), |l| self.location(l.span).range),
            severity: match diagnostic.severity {
                Severity::Error => 1,
                Severity::Warning => 2,
            },
            code: diagnostic.code.id.to_owned(),
            code_description: CodeDescription {
                href: format!("{PAGES}{}.md", diagnostic.code.name.replace('-', "_")),
            },
            source: "tracec".to_owned(),
            message: message(diagnostic),
            related_information: diagnostic.secondary.iter().map(related).collect(),
            data: Data { fixes: diagnostic.fixes.iter().map(|fix| self.action(fix)).collect() },
        }
    }

    fn action(&self, fix: &Fix) -> CodeAction {
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        for edit in &fix.edits {
            let Location { uri, range } = self.location(edit.span);
            changes.entry(uri).or_default().push(TextEdit { range, new_text: edit.text.clone() });
        }
        CodeAction {
            title: fix.title.clone(),
            kind: "quickfix".to_owned(),
            is_preferred: fix.applicability == Applicability::Always,
            edit: WorkspaceEdit { changes },
        }
    }

    fn location(&self, span: Span) -> Location {
        let (_, local) = self.sources.locate(span);
        let index = span.file.index();
        let position = |offset| {
            let position = self.lines.get(index).map(|lines| lines.position(offset, self.unit));
            position.map_or(LspPosition::default(), |at| LspPosition { line: at.line, character: at.column })
        };
        let range = Range { start: position(local.start), end: position(local.end) };
        Location { uri: self.uris.get(index).cloned().unwrap_or_default(), range }
    }
}

/// Returns the message with its label, notes and helps.
fn message(diagnostic: &Diagnostic) -> String {
    let label = diagnostic.primary.iter().map(|label| label.text.clone()).filter(|text| !text.is_empty());
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let kernels = diagnostic.kernels.iter().map(|kernels| format!("note: {kernels}"));
    let helps = diagnostic.helps.iter().map(|help| format!("help: {help}"));
    let first = std::iter::once(diagnostic.message.clone());
    let lines: Vec<String> = first.chain(label).chain(notes).chain(kernels).chain(helps).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use tracec_span::FileId;

    use tracec_compiler::diagnostic::codes::{self, no_tracefs};
    use tracec_compiler::diagnostic::{Code, Edit};

    use super::*;

    fn sources() -> (SourceMap, FileId) {
        let file = |name: &str, text: &str| SourceText {
            name: name.to_owned(),
            text: text.to_owned(),
            one_liner: false,
        };
        let mut sources = SourceMap::new(file("a.trc", "\u{1f980}\rx\r\ny"));
        let other = sources.add(file("b.trc", "z"));
        (sources, other)
    }

    fn uri(file: &SourceText) -> String {
        format!("file:///{}", file.name)
    }

    fn unexpected() -> &'static Code {
        Code::find("unexpected").expect("a code")
    }

    #[test]
    fn a_diagnostic_has_the_shape_of_the_protocol() {
        let (sources, other) = sources();
        let edit = |at, text: &str| Edit { span: Span::new(at, at), text: text.to_owned() };
        let said = Diagnostic::error(unexpected(), "message")
            .at(Span::new(4, 6), "here")
            .and_at(other.span(0, 1), "there")
            .note("n")
            .help("h")
            .offer(Fix::several(Applicability::Always, "both", vec![edit(8, ")"), edit(0, "(")]));
        let files = render(&sources, &[said], Encoding::Utf16, &uri);
        expect![[r#"
            [
              {
                "uri": "file:///a.trc",
                "diagnostics": [
                  {
                    "range": {
                      "start": {
                        "line": 0,
                        "character": 2
                      },
                      "end": {
                        "line": 1,
                        "character": 1
                      }
                    },
                    "severity": 1,
                    "code": "T0012",
                    "codeDescription": {
                      "href": "https://github.com/tracec/tracec/blob/main/compiler/src/diagnostic/codes/unexpected.md"
                    },
                    "source": "tracec",
                    "message": "message\nhere\nnote: n\nhelp: h",
                    "relatedInformation": [
                      {
                        "location": {
                          "uri": "file:///b.trc",
                          "range": {
                            "start": {
                              "line": 0,
                              "character": 0
                            },
                            "end": {
                              "line": 0,
                              "character": 1
                            }
                          }
                        },
                        "message": "there"
                      }
                    ],
                    "data": {
                      "fixes": [
                        {
                          "title": "both",
                          "kind": "quickfix",
                          "isPreferred": true,
                          "edit": {
                            "changes": {
                              "file:///a.trc": [
                                {
                                  "range": {
                                    "start": {
                                      "line": 0,
                                      "character": 0
                                    },
                                    "end": {
                                      "line": 0,
                                      "character": 0
                                    }
                                  },
                                  "newText": "("
                                },
                                {
                                  "range": {
                                    "start": {
                                      "line": 2,
                                      "character": 0
                                    },
                                    "end": {
                                      "line": 2,
                                      "character": 0
                                    }
                                  },
                                  "newText": ")"
                                }
                              ]
                            }
                          }
                        }
                      ]
                    }
                  }
                ]
              },
              {
                "uri": "file:///b.trc",
                "diagnostics": []
              }
            ]"#]]
        .assert_eq(&serde_json::to_string_pretty(&files).expect("JSON"));
        let again: Vec<FileDiagnostics> =
            serde_json::from_str(&serde_json::to_string(&files).expect("JSON")).expect("the same");
        assert_eq!(again, files);
    }

    #[test]
    fn characters_are_counted_in_the_encoding_agreed_on() {
        let (sources, other) = sources();
        let said = Diagnostic::error(unexpected(), "").at(Span::new(4, 4), "");
        let there = Diagnostic::error(unexpected(), "").at(other.span(1, 1), "");
        for (encoding, character) in [(Encoding::Utf8, 4), (Encoding::Utf16, 2)] {
            let files = render(&sources, &[said.clone(), there.clone()], encoding, &uri);
            let start = |file: usize| files[file].diagnostics[0].range.start;
            assert_eq!(start(0), LspPosition { line: 0, character });
            assert_eq!(start(1), LspPosition { line: 0, character: 1 });
        }
    }

    #[test]
    fn any_span_in_any_text_has_a_position_in_both_encodings() {
        let text = "\u{1f980}\r\u{e4}\r\n\t\0\u{20ac}\n\u{202e}\"/*\r";
        let sources =
            SourceMap::new(SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false });
        let beyond = text.len() + 3;
        let spans = (0..beyond).flat_map(|start| (start..beyond).map(move |end| Span::new(start, end)));
        let said: Vec<Diagnostic> =
            spans.map(|span| Diagnostic::error(unexpected(), "message").at(span, "here")).collect();
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let files = render(&sources, &said, encoding, &uri);
            assert_eq!(files[0].diagnostics.len(), said.len());
            let last = files[0].diagnostics.last().expect("a diagnostic").range.end;
            assert_eq!(last, LspPosition { line: 4, character: 0 });
            for LspDiagnostic { range, .. } in &files[0].diagnostics {
                let at = |position: LspPosition| (position.line, position.character);
                assert!(at(range.start) <= at(range.end) && at(range.end) <= at(last), "{range:?}");
            }
        }
    }

    #[test]
    fn what_concerns_the_machine_stands_at_the_begin_of_the_text() {
        let (sources, _) = sources();
        let files = render(&sources, &[no_tracefs::no_tracefs()], Encoding::default(), &uri);
        assert_eq!(files[0].diagnostics[0].range, Range::default());
    }

    #[test]
    fn every_page_lies_where_the_link_says() {
        for code in codes::ALL {
            let Code { name, .. } = code;
            let page = format!("../compiler/src/diagnostic/codes/{}.md", name.replace('-', "_"));
            assert!(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page).exists(), "{name}");
        }
    }
}
