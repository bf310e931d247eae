//! Lines of the source, with numbers below the spans that are explained.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use tracec_span::{FileId, Span};

use crate::diagnostic::render::one_line;
use crate::source::{LineEnds, LineIndex, SourceMap, Unit};

/// The most characters of a line that are shown.
const LONGEST: usize = 120;

/// The sources of a session, to be shown in parts.
pub(super) struct Snippets<'s> {
    sources: &'s SourceMap,
    lines: Vec<LineIndex<'s>>,
}

/// A line, and the numbers that belong below it: each with its column, from 0 in characters.
struct Marked {
    file: FileId,
    line: usize,
    marks: Vec<(usize, usize)>,
}

impl<'s> Snippets<'s> {
    pub(super) fn new(sources: &'s SourceMap) -> Self {
        let lines =
            sources.files().iter().map(|file| LineIndex::new(&file.text, LineEnds::Newline)).collect();
        Snippets { sources, lines }
    }

    /// Returns `file:line`.
    pub(super) fn location(&self, span: Span) -> String {
        let name = one_line(&self.sources.file(span.file).name);
        let (_, line, _) = self.position(span);
        format!("{name}:{}", line + 1)
    }

    /// Returns the text of a span.
    pub(super) fn text(&self, span: Span) -> &'s str {
        self.sources.text_of(span)
    }

    /// Shows the lines in which `spans` begin, with the numbers of the spans, counted from 1, below each. Without any
    /// span the first line of the clause is shown.
    pub(super) fn show(&self, out: &mut String, clause: Span, spans: &[Span]) {
        let mut lines: Vec<Marked> = Vec::new();
        let mut index_of: FxHashMap<(FileId, usize), usize> = FxHashMap::default();
        for (number, span) in (1..).zip(spans) {
            let (file, line, column) = self.position(*span);
            let index = *index_of.entry((file, line)).or_insert(lines.len());
            match lines.get_mut(index) {
                Some(marked) => marked.marks.push((column, number)),
                None => lines.push(Marked { file, line, marks: vec![(column, number)] }),
            }
        }
        if lines.is_empty() {
            let (file, line, _) = self.position(clause);
            lines.push(Marked { file, line, marks: Vec::new() });
        }
        let width = lines.iter().map(|marked| (marked.line + 1).to_string().len()).max().unwrap_or(1);
        let mut shown = FileId::MAIN;
        for marked in &lines {
            if marked.file != shown {
                let name = one_line(&self.sources.file(marked.file).name);
                let _ = writeln!(out, "  {:width$}--> {name}", "");
                shown = marked.file;
            }
            self.line(out, marked, width);
        }
    }

    fn line(&self, out: &mut String, marked: &Marked, width: usize) {
        let lines = self.lines.get(marked.file.index());
        let text = lines.map_or("", |lines| lines.line(marked.line));
        // A tab counts as one column here and in the marks.
        let text: String = text.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
        let is_long = text.chars().count() > LONGEST;
        let cut: String = text.chars().take(LONGEST).collect();
        let rest = if is_long { " .." } else { "" };
        let _ = writeln!(out, "  {:>width$} | {}{rest}", marked.line + 1, one_line(cut.trim_end()));
        let mut below = String::new();
        for (column, number) in &marked.marks {
            // Where two marks would overlap, the table still distinguishes them.
            if *column >= LONGEST || below.len() > *column {
                continue;
            }
            below.push_str(&" ".repeat(column - below.len()));
            let _ = write!(below, "^{number}");
        }
        if !below.is_empty() {
            let _ = writeln!(out, "  {:width$} | {below}", "");
        }
    }

    /// Returns file, line and column of the start of a span, all counted from 0.
    fn position(&self, span: Span) -> (FileId, usize, usize) {
        let (_, range) = self.sources.locate(span);
        let position = self.lines.get(span.file.index()).map(|lines| lines.position(range.start, Unit::Char));
        position.map_or((span.file, 0, 0), |position| (span.file, position.line, position.column))
    }
}
