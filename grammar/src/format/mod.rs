//! The formatter: [`format`] gives every text the same layout.
//!
//! The syntax defines the structure, the source text the spelling: names, literals, templates, C and fetch arguments
//! are copied, so that `0x10` stays `0x10`. A walk over the syntax takes the text token by token; it puts the comments
//! that it passes into the gap before the next token. The result is a document of the crate `pretty`, which decides
//! what fits on a line. `pretty` itself does not recurse over a document; the walk recurses over expressions and
//! blocks, whose depth the parser limits to [`crate::MAX_DEPTH`].
//!
//! # The layout
//!
//! - Lines of at most 100 columns, 4 blanks for each level. `{` stands on the line of its head.
//! - One clause, item, field or declaration a line. A block that was written on one line stays on one if it fits, holds
//!   no other block and no comment, and is a list of members or fields or has a single row: `on E { trigger traceoff;
//!   }`.
//! - An empty line between rows stays, several become one; none stands behind `{` or before `}`.
//! - A condition that is too long breaks before `&&` or `||`, before all of a list or before none; where a block
//!   follows, by two levels, so that it stands apart from the rows of the block. What is still too long breaks before
//!   `if`, `except`, `having` and behind commas that no brackets surround.
//! - A list in brackets that is too long has an element a line and a comma behind the last. The values of a set are
//!   short as a rule: they fill the lines, unless one of them is long or a comment stands between them.
//! - In a run of lines next to each other, the values of an `enum` or `flags`, and the types and values of an `entry`
//!   are aligned. Clauses are not.
//! - Parentheses stay where the meaning needs them, and where they help: around `&`, `|`, `^`, shifts and `as` beside
//!   other operators, around `&&` in `||`. They go around a whole condition, value or argument, around names, literals
//!   and calls, around comparisons between `&&` and `||`, around sums and products that are compared; of double ones
//!   one goes. Those that begin or end with a comment stay, because they show what it is about.
//! - Comments stay at their place and keep their text: at the end of a line, on lines of their own, in the middle of a
//!   line. A comment before a `,`, `;` or `{` that cannot stand there on one line moves behind it.
//! - Semicolons and commas that may be left out are: those behind `assign` and `print`, and the last one of a list or
//!   of a probe's fields that stands on one line.
//! - Line ends are those of most lines of the text. The text between backticks keeps its own.

use pretty::{Arena, DocAllocator, DocBuilder};

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::limits::MAX_SOURCE;
use crate::span::Span;
use crate::syntax::{Expr, ExprId, File};

use cursor::Cursor;
use gaps::Gap;
use output::Output;
use parentheses::ExprContext;

mod clauses;
mod cursor;
mod declarations;
mod definitions;
mod events;
mod expressions;
mod gaps;
mod output;
mod parentheses;
mod probes;
mod rows;

/// The length, in columns, from which lines are broken where possible.
const WIDTH: usize = 100;

/// The indentation of one level, in columns.
const LEVEL: isize = 4;

/// A part of the document.
type Doc<'a> = DocBuilder<'a, Arena<'a>>;

/// Formats the text of a `.trc` file. The result has the same meaning, order and comments; formatting it again changes
/// nothing.
///
/// # Errors
///
/// The mistakes of the text, if it has any, because its meaning is then unknown; or an error if the result would be too
/// long to be parsed again.
pub fn format(text: &str) -> Result<String, Vec<SyntaxError>> {
    let parsed = crate::parse(text);
    if !parsed.errors.is_empty() {
        return Err(parsed.errors);
    }
    let arena = Arena::new();
    let line_end = output::line_end(text);
    let contexts = parentheses::contexts(&parsed.file);
    let superfluous = parentheses::superfluous(text, &parsed, &contexts);
    let cursor = Cursor::new(text, &parsed.comments, &superfluous);
    let mark = text.get(..cursor.at()).unwrap_or_default();
    let mut formatter = Formatter {
        arena: &arena,
        file: &parsed.file,
        contexts: &contexts,
        cursor,
        line_end,
        in_length: false,
    };
    let document = formatter.file();

    let mut output = Output::new(line_end, text.len() + text.len() / 8);
    if document.render_raw(WIDTH, &mut output).is_err() {
        // A document that cannot be laid out would leave the text as it is; only one that contains `fail` cannot be.
        return Ok(text.to_owned());
    }
    let formatted = output.into_text();
    let body = formatted.trim_end_matches(['\r', '\n']);
    let end = if body.is_empty() { "" } else { line_end };
    if mark.len() + body.len() + end.len() > MAX_SOURCE {
        // A valid file is not formatted into an invalid one.
        return Err(vec![SyntaxError::new(SyntaxErrorKind::SourceTooLarge, Span::default())]);
    }
    Ok(format!("{mark}{body}{end}"))
}

/// The walk over the syntax.
struct Formatter<'a> {
    arena: &'a Arena<'a>,
    file: &'a File,
    /// The context of each expression, by its id.
    contexts: &'a [ExprContext],
    cursor: Cursor<'a>,
    line_end: &'static str,
    /// Whether operators stay on the line of their left operand. They do in the length of an array, because a line of a
    /// probe that begins with `+` or `-` is a fetch argument.
    in_length: bool,
}

impl<'a> Formatter<'a> {
    fn expr(&self, id: ExprId) -> &'a Expr {
        &self.file.exprs[id]
    }

    /// Formats a word or sign of the language, as it is written in the text.
    fn token(&mut self, gap: Gap, token: &str) -> Doc<'a> {
        let rest = self.cursor.peek();
        debug_assert!(rest.starts_with(token), "`{token}` at `{}`", rest.lines().next().unwrap_or_default());
        self.verbatim(gap, self.cursor.at() + token.len())
    }

    /// Copies the text up to the end of `span`, as it is written.
    fn copy(&mut self, gap: Gap, span: Span) -> Doc<'a> {
        self.verbatim(gap, span.range().end)
    }

    fn verbatim(&mut self, gap: Gap, end: usize) -> Doc<'a> {
        let gap = self.gap(gap);
        gap.append(self.arena.text(self.cursor.take(end)))
    }

    /// Formats a sign that ends something. Comments that end their line move after it.
    fn mark(&mut self, gap: Gap, mark: &'static str) -> Doc<'a> {
        if !self.cursor.must_step_over() {
            return self.token(gap, mark);
        }
        let blank = if gap == Gap::Space { self.arena.space() } else { self.arena.nil() };
        self.cursor.eat(mark);
        blank.append(self.arena.text(mark))
    }

    fn semicolon(&mut self) -> Doc<'a> {
        self.mark(Gap::Close, ";")
    }
}
