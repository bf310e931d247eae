//! The syntax of an edited text, from that of the text before the edit.
//!
//! Most of the text is as it was: its clauses and declarations need not be parsed again. What is parsed is an *excerpt*,
//! in which they are blank, so that every place is the same. It has what the edit touches, what had a mistake before, and
//! their neighbours. The rest of the syntax is moved to its new place.
//!
//! An edit can concern more than what it touches: an open bracket, an open comment. The neighbours show that. If they are
//! not read as before, all of the text is parsed.

use std::mem::{discriminant, take};
use std::ops::Range;

use crate::comment::Comment;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::layout::Surplus;
use crate::lexer::{self, Kind, Token};
use crate::limits::MAX_SOURCE;
use crate::parse::{Parsed, parse};
use crate::shift::{Distance, Shift};
use crate::span::{FileId, Source, Span};
use crate::syntax::{Clause, ClauseKind, Declaration, DeclarationKind, Expr, File};

/// How many pieces beside an edit or a mistake are parsed again.
const NEIGHBOURS: usize = 2;

/// A session with more clauses is never parsed as a whole for its end.
const SHORT_SESSION: usize = 64;

/// Shorter texts are parsed.
const SHORT: usize = 2048;

/// Parses an edited text, as [`parse`] does. `known` is the syntax of the text `before`, of which it keeps what the edit
/// has not changed. Both are the main text of a compilation.
pub fn reparse(known: Parsed, before: &str, after: &str) -> Parsed {
    if before == after {
        return known;
    }
    if after.len() < SHORT || after.len() > MAX_SOURCE || has_limit(&known.errors) {
        return parse(after);
    }
    edited(known, before, after).unwrap_or_else(|| parse(after))
}

/// Returns the bytes of a text that another one has not, found from the start.
pub fn changed(before: &str, after: &str) -> Range<usize> {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    // Most of two long texts is equal: parts are compared as a whole.
    let parts = before.as_chunks::<PART>().0.iter().zip(after.as_chunks::<PART>().0);
    let start = PART * parts.take_while(|(a, b)| a == b).count();
    let bytes = before[start..].iter().zip(&after[start..]);
    let start = start + bytes.take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[start..], &after[start..]);
    let parts = before.as_rchunks::<PART>().1.iter().rev().zip(after.as_rchunks::<PART>().1.iter().rev());
    let behind = PART * parts.take_while(|(a, b)| a == b).count();
    let bytes = before[..before.len() - behind].iter().rev().zip(after[..after.len() - behind].iter().rev());
    let behind = behind + bytes.take_while(|(a, b)| a == b).count();
    start..start + before.len() - behind
}

/// How many bytes of two texts are compared at once.
const PART: usize = 32;

fn has_limit(errors: &[SyntaxError]) -> bool {
    errors.iter().any(|error| error.kind == SyntaxErrorKind::TooManyErrors)
}

/// What stands by itself in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The declaration with this index, which is not a session.
    Declaration(usize),
    /// The clause with this index of the session with this one.
    Clause(usize, usize),
    /// The head of the session with this index.
    Head(usize),
    /// Its closing brace; empty where there is none.
    Tail,
    /// The session with this index, with all that is in it.
    Session(usize),
}

/// A piece of a text, with the comment that documents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    what: What,
    start: u32,
    end: u32,
}

/// An edit of a text.
struct Edit {
    /// The bytes that it replaces.
    old: Range<u32>,
    /// How far it moves the text behind them.
    bytes: u32,
}

impl Edit {
    fn of(before: &str, after: &str) -> Edit {
        let Range { start, end } = changed(before, after);
        let bytes = (after.len() as u32).wrapping_sub(before.len() as u32);
        Edit { old: start as u32..end as u32, bytes }
    }

    /// Returns how far something moves that begins here, and is not edited.
    fn moves(&self, start: u32) -> u32 {
        if start >= self.old.end { self.bytes } else { 0 }
    }

    fn moved(&self, start: u32) -> u32 {
        start.wrapping_add(self.moves(start))
    }
}

/// Parses what is near the edit and near the mistakes, and puts the rest of the known syntax beside it. Returns `None` if
/// the edit may concern more.
fn edited(known: Parsed, before: &str, after: &str) -> Option<Parsed> {
    let edit = Edit::of(before, after);
    let pieces = pieces(&known.file)?;
    let touched = touched(&pieces, &edit.old);
    // What the edit may concern: also what it stands beside.
    let concerned = touched.start.saturating_sub(1)..(touched.end + 1).min(pieces.len());
    let mut parsed_again = vec![false; pieces.len()];
    let mistakes = known.errors.iter().map(|error| near(&pieces, &(error.span.start..error.span.end)));
    for Range { start, end } in mistakes.chain([touched]) {
        parsed_again[start.saturating_sub(NEIGHBOURS)..(end + NEIGHBOURS).min(pieces.len())].fill(true);
    }
    let blank = blank(&pieces, &parsed_again);
    let excerpt = excerpt(after, &blank, &edit)?;
    let parsed = parse(&excerpt);
    if has_limit(&parsed.errors) {
        return None;
    }
    let unconcerned = |index: usize| parsed_again[index] && !concerned.contains(&index);
    let neighbours = (0..pieces.len()).filter(|&index| unconcerned(index)).map(|index| pieces[index]);
    let start = concerned.start.checked_sub(1).map_or(0, |last| pieces[last].end);
    let end = pieces.get(concerned.end).map_or(before.len() as u32, |next| next.start);
    let lexed = |text| lexer::lex(Source { text, file: FileId::MAIN });
    let old = lexed(before.get(start as usize..end as usize)?);
    let rest = after.get(start as usize..)?;
    let end_after = (edit.moved(end) - start) as usize;
    let new = lexed(rest.get(..end_after)?);
    // Among members, `print` is a name, also where their brace is missing.
    if new.in_members || !ends_at(end_after, rest) {
        return None;
    }
    let is_here = |error: &SyntaxError| start <= error.span.start && error.span.end <= end;
    // With several unmatched braces, or one elsewhere, the place of one that was forgotten is guessed from all statements.
    let is_of_bracket = |error: &&SyntaxError| {
        use SyntaxErrorKind::*;
        matches!(error.kind, UnclosedDelimiter { .. } | UnmatchedDelimiter { .. } | MisplacedClause { .. })
    };
    if (!parsed.errors.is_empty() && Surplus::of(&lexed(&excerpt).tokens).count() > 1)
        || !known.errors.iter().filter(is_of_bracket).all(is_here)
    {
        return None;
    }
    // One changes how other statements are read, unless they are plain. Beside another mistake that is not all.
    if !parsed.errors.is_empty() && !is_alike(&old.tokens, &new.tokens) {
        if !known.errors.iter().all(is_here) {
            return None;
        }
        let mut rest = pieces.iter().zip(&parsed_again).filter(|(_, again)| !**again);
        if !rest.all(|(piece, _)| is_plain(&known.file, piece, before)) {
            return None;
        }
    }
    let stay = neighbours_stay(neighbours, &known, &parsed, &edit)?
        && errors_stay(&known.errors, &parsed.errors, &(start..end), &edit);
    if stay { Splice::new(known, parsed, &edit).run(&blank) } else { None }
}

/// Returns whether two parts of a text have the same brackets.
fn is_alike(old: &[Token], new: &[Token]) -> bool {
    let brackets = |tokens: &[Token]| -> Vec<Kind> {
        tokens.iter().map(|token| token.kind).filter(|kind| kind.is_bracket()).collect()
    };
    brackets(old) == brackets(new)
}

/// Returns whether no token and no comment is on both sides of a place. One that is not closed goes on to the end of the line
/// at least.
fn ends_at(place: usize, text: &str) -> bool {
    let line = text[place..].find('\n').map_or(text.len(), |end| place + end);
    let lexed = lexer::lex(Source { text: &text[..line], file: FileId::MAIN });
    let tokens = lexed.tokens.iter().map(|token| token.span);
    let mut all = tokens.chain(lexed.comments.iter().map(|comment| comment.span));
    all.all(|span| span.end as usize <= place || place <= span.start as usize)
}

/// Returns whether nothing in a statement looks like the beginning of another one: however the layout guesses, it is read
/// in the same way. See `layout/begins.rs`.
fn is_plain(file: &File, piece: &Piece, before: &str) -> bool {
    match piece.what {
        What::Head(_) => return begins_line(before, piece.start),
        What::Tail => return begins_line(before, piece.start) || is_on_line_of_session(before, piece),
        What::Declaration(index) => {
            use DeclarationKind::*;
            let kind = &file.declarations[index].kind;
            if !matches!(kind, Use(_) | Const(_) | Subsystem(_) | Header(_) | Lint(_))
                || !begins_line(before, piece.start)
            {
                return false;
            }
        }
        What::Clause(..) | What::Session(_) => {}
    }
    let text = &before[piece.start as usize..piece.end as usize];
    let tokens = lexer::lex(Source { text, file: FileId::MAIN }).tokens;
    let mut head = 0;
    tokens.windows(2).enumerate().all(|(index, pair)| {
        let [before, token] = pair else { return true };
        if matches!(before.kind, Kind::Semicolon | Kind::Doc)
            || (before.kind == Kind::LBrace && token.kind.is_item())
        {
            head = index + 1;
            return true;
        }
        let between = &text[before.span.end as usize..token.span.start as usize];
        let may_begin = between.contains('\n') || (index != head && before.kind.ends_operand());
        !(may_begin && token.kind.begins_statement())
    })
}

/// Returns whether a place is in the first column.
fn begins_line(text: &str, place: u32) -> bool {
    text[..place as usize].bytes().next_back().is_none_or(|byte| byte == b'\n')
}

/// Returns whether the brace of a session is the last on the line that the session begins.
fn is_on_line_of_session(text: &str, brace: &Piece) -> bool {
    let line = text[..brace.start as usize].rsplit('\n').next().unwrap_or_default();
    let behind = text[brace.end as usize..].split('\n').next().unwrap_or_default();
    line.starts_with("session ") && behind.trim().is_empty() && brace.start < brace.end
}

/// Returns the pieces of a text in their order; `None` if they overlap.
fn pieces(file: &File) -> Option<Vec<Piece>> {
    let mut pieces = Vec::with_capacity(file.declarations.len() * 4);
    for (index, declaration) in file.declarations.iter().enumerate() {
        let Range { start, end } = place(declaration);
        match &declaration.kind {
            DeclarationKind::Session(session) => {
                let head = session.head().end.min(end.saturating_sub(1));
                pieces.push(Piece { what: What::Head(index), start, end: head });
                pieces.extend(session.clauses.iter().enumerate().map(|(at, clause)| {
                    let start = clause.doc.as_ref().map_or(clause.span.start, |doc| doc.span.start);
                    Piece { what: What::Clause(index, at), start, end: clause.span.end }
                }));
                // A session that is not closed yet ends with its last clause, and has no brace.
                let is_open = session.clauses.last().is_some_and(|last| last.span.end >= end);
                let tail = if is_open { end } else { end.saturating_sub(1) };
                pieces.push(Piece { what: What::Tail, start: tail, end });
            }
            _ => pieces.push(Piece { what: What::Declaration(index), start, end }),
        }
    }
    let is_sorted =
        pieces.is_sorted_by(|a, b| a.end <= b.start) && pieces.iter().all(|it| it.start <= it.end);
    is_sorted.then_some(pieces)
}

/// Returns the place of a declaration with the comment that documents it.
fn place(declaration: &Declaration) -> Range<u32> {
    let doc = match &declaration.kind {
        DeclarationKind::Session(session) => &session.doc,
        _ => &declaration.doc,
    };
    doc.as_ref().map_or(declaration.span.start, |doc| doc.span.start)..declaration.span.end
}

/// Returns the indexes of the pieces that a range touches.
fn near(pieces: &[Piece], range: &Range<u32>) -> Range<usize> {
    let from = pieces.partition_point(|piece| piece.end < range.start);
    from..pieces.partition_point(|piece| piece.start <= range.end).max(from)
}

/// Returns the indexes of the pieces that an edit touches: beside the end of a session that is not closed, or is empty, all of
/// its pieces, since mistakes of its brace and of its name are found at its head.
fn touched(pieces: &[Piece], edited: &Range<u32>) -> Range<usize> {
    let mut touched = near(pieces, edited);
    for tail in touched.start.saturating_sub(1)..touched.end {
        let Piece { what: What::Tail, start, end } = pieces[tail] else { continue };
        let mut before = (0..tail).rev().take(SHORT_SESSION + 1);
        let head = before.find(|index| matches!(pieces[*index].what, What::Head(_)));
        if let Some(head) = head.filter(|head| start == end || head + 1 == tail) {
            touched.start = touched.start.min(head);
        }
    }
    touched
}

/// Returns the pieces that are not parsed again; sessions of which no part is as a whole.
fn blank(pieces: &[Piece], parsed_again: &[bool]) -> Vec<Piece> {
    let mut blank = Vec::new();
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        match piece.what {
            What::Head(index) => {
                let tail =
                    pieces[at..].iter().position(|it| it.what == What::Tail).map_or(at, |tail| at + tail);
                if !parsed_again[at..=tail].contains(&true) {
                    blank.push(Piece {
                        what: What::Session(index),
                        start: piece.start,
                        end: pieces[tail].end,
                    });
                    at = tail;
                }
            }
            What::Tail => {}
            _ if parsed_again[at] => {}
            _ => blank.push(*piece),
        }
        at += 1;
    }
    blank
}

/// Returns the edited text in which these pieces are blank.
fn excerpt(after: &str, blank: &[Piece], edit: &Edit) -> Option<String> {
    let mut bytes = after.as_bytes().to_vec();
    for piece in blank {
        let range = edit.moved(piece.start) as usize
            ..edit.moved(piece.start) as usize + (piece.end - piece.start) as usize;
        bytes.get_mut(range)?.fill(b' ');
    }
    String::from_utf8(bytes).ok()
}

/// Returns whether these pieces were read as they are known.
fn neighbours_stay(
    mut neighbours: impl Iterator<Item = Piece>,
    known: &Parsed,
    parsed: &Parsed,
    edit: &Edit,
) -> Option<bool> {
    let found = pieces(&parsed.file)?;
    Some(neighbours.all(|old| {
        let bytes = edit.moves(old.start);
        let (start, end) = (old.start.wrapping_add(bytes), old.end.wrapping_add(bytes));
        let at = found.partition_point(|piece| (piece.start, piece.end) < (start, end));
        let Some(new) = found.get(at).filter(|new| (new.start, new.end) == (start, end)) else {
            return false;
        };
        let old_exprs = known.file.exprs.indexes_in(&(old.start..old.end));
        let new_exprs = parsed.file.exprs.indexes_in(&(new.start..new.end));
        let exprs = (new_exprs.start as u32).wrapping_sub(old_exprs.start as u32);
        let by = Distance { bytes, exprs };
        let mut moved = known.file.exprs.as_slice()[old_exprs].to_vec();
        moved.iter_mut().for_each(|expr| expr.shift(by));
        moved == parsed.file.exprs.as_slice()[new_exprs] && is_moved(&known.file, &old, &parsed.file, new, by)
    }))
}

/// Returns whether a piece of one text is that of another, at another place.
fn is_moved(known: &File, old: &Piece, parsed: &File, new: &Piece, by: Distance) -> bool {
    fn is<T: Clone + Shift + PartialEq>(old: &T, new: &T, by: Distance) -> bool {
        let mut old = old.clone();
        old.shift(by);
        old == *new
    }
    match (old.what, new.what) {
        (What::Declaration(old), What::Declaration(new)) => {
            is(&known.declarations[old], &parsed.declarations[new], by)
        }
        (What::Clause(in_old, old), What::Clause(in_new, new)) => {
            match (clauses(&known.declarations[in_old]), clauses(&parsed.declarations[in_new])) {
                (Some(in_old), Some(in_new)) => is(&in_old[old], &in_new[new], by),
                _ => false,
            }
        }
        (What::Head(old), What::Head(new)) => {
            match (&known.declarations[old].kind, &parsed.declarations[new].kind) {
                (DeclarationKind::Session(old), DeclarationKind::Session(new)) => {
                    is(&old.doc, &new.doc, by) && is(&old.name, &new.name, by)
                }
                _ => false,
            }
        }
        (old, new) => old == new,
    }
}

fn clauses(declaration: &Declaration) -> Option<&[Clause]> {
    match &declaration.kind {
        DeclarationKind::Session(session) => Some(&session.clauses),
        _ => None,
    }
}

/// Returns whether all mistakes outside of a part of the text before the edit are the same.
fn errors_stay(known: &[SyntaxError], parsed: &[SyntaxError], part: &Range<u32>, edit: &Edit) -> bool {
    let end = part.end.wrapping_add(edit.bytes);
    let known = known.iter().filter(|error| error.span.end <= part.start || error.span.start >= part.end);
    let mut parsed = parsed.iter().filter(|error| error.span.end <= part.start || error.span.start >= end);
    let mut same = known.map(|error| {
        let bytes = if error.span.start >= part.end { edit.bytes } else { 0 };
        let mut span = error.span;
        span.shift(Distance { bytes, exprs: 0 });
        let is = |other: &SyntaxError| {
            other.span == span && discriminant(&other.kind) == discriminant(&error.kind)
        };
        parsed.next().is_some_and(is)
    });
    same.all(|same| same) && parsed.next().is_none()
}

/// The syntax of an excerpt, to which the blank pieces are added.
struct Splice<'e> {
    edit: &'e Edit,
    /// The known declarations; those that were added are `None`.
    known: Vec<Option<Declaration>>,
    known_exprs: std::vec::IntoIter<Expr>,
    /// How many of the known expressions were passed.
    passed: u32,
    comments: Vec<Comment>,
    parsed: Parsed,
    parsed_exprs: std::iter::Peekable<std::vec::IntoIter<Expr>>,
    /// How many of the expressions of the excerpt are among the result's.
    taken: u32,
    exprs: Vec<Expr>,
}

impl<'e> Splice<'e> {
    fn new(known: Parsed, mut parsed: Parsed, edit: &'e Edit) -> Self {
        let known_exprs = known.file.exprs.into_vec();
        let parsed_exprs = take(&mut parsed.file.exprs).into_vec();
        let exprs = Vec::with_capacity(known_exprs.len() + parsed_exprs.len());
        Splice {
            edit,
            known: known.file.declarations.into_iter().map(Some).collect(),
            known_exprs: known_exprs.into_iter(),
            passed: 0,
            comments: known.comments,
            parsed,
            parsed_exprs: parsed_exprs.into_iter().peekable(),
            taken: 0,
            exprs,
        }
    }

    /// Returns the whole syntax; `None` if a clause has no session any more.
    fn run(mut self, blank: &[Piece]) -> Option<Parsed> {
        let mut rest = blank;
        let mut declarations = Vec::with_capacity(self.known.len());
        for mut declaration in take(&mut self.parsed.file.declarations) {
            let Range { start, end } = place(&declaration);
            self.declarations(&mut rest, start, &mut declarations)?;
            match &mut declaration.kind {
                DeclarationKind::Session(session) => {
                    let own = take(&mut session.clauses);
                    session.clauses.reserve_exact(own.len() + self.clauses_before(rest, end));
                    let first = own.first().map_or(end, |clause| clause.span.start);
                    // The parameters come before all clauses.
                    let by = self.parsed_until(
                        rest.first().map_or(first, |piece| self.edit.moved(piece.start)).min(first),
                    );
                    session.params.shift(by);
                    for mut clause in own {
                        let start = clause.doc.as_ref().map_or(clause.span.start, |doc| doc.span.start);
                        self.clauses(&mut rest, start, &mut session.clauses)?;
                        let by = self.parsed_until(clause.span.end);
                        clause.shift(by);
                        session.clauses.push(clause);
                    }
                    self.clauses(&mut rest, end, &mut session.clauses)?;
                    self.parsed_until(end);
                }
                _ => {
                    let by = self.parsed_until(end);
                    declaration.shift(by);
                }
            }
            declarations.push(declaration);
        }
        self.declarations(&mut rest, u32::MAX, &mut declarations)?;
        self.parsed_until(u32::MAX);
        let comments = self.comments(blank);
        let Splice { exprs, parsed: Parsed { mut file, errors, .. }, .. } = self;
        file.declarations = declarations;
        file.exprs = exprs.into();
        Some(Parsed { file, comments, errors })
    }

    /// Adds the blank declarations that begin before a place.
    fn declarations(&mut self, blank: &mut &[Piece], before: u32, into: &mut Vec<Declaration>) -> Option<()> {
        while let Some((piece, rest)) =
            blank.split_first().filter(|(piece, _)| self.edit.moved(piece.start) < before)
        {
            let (What::Declaration(index) | What::Session(index)) = piece.what else { return None };
            let mut declaration = self.known.get_mut(index)?.take()?;
            let by = self.known_of(piece);
            declaration.shift(by);
            into.push(declaration);
            *blank = rest;
        }
        Some(())
    }

    /// Adds the blank clauses that begin before a place.
    fn clauses(&mut self, blank: &mut &[Piece], before: u32, into: &mut Vec<Clause>) -> Option<()> {
        while let Some((piece, rest)) =
            blank.split_first().filter(|(piece, _)| self.edit.moved(piece.start) < before)
        {
            let What::Clause(session, index) = piece.what else { return None };
            let DeclarationKind::Session(session) = &mut self.known.get_mut(session)?.as_mut()?.kind else {
                return None;
            };
            let clause = session.clauses.get_mut(index)?;
            // What stays in its place is not looked at again.
            let left = Clause { doc: None, kind: ClauseKind::Stream, span: clause.span };
            let mut clause = std::mem::replace(clause, left);
            if into.last().is_some_and(|last| last.span.end > self.edit.moved(piece.start)) {
                return None;
            }
            let by = self.known_of(piece);
            clause.shift(by);
            into.push(clause);
            *blank = rest;
        }
        Some(())
    }

    /// Returns how many blank pieces begin before a place.
    fn clauses_before(&self, blank: &[Piece], before: u32) -> usize {
        blank.partition_point(|piece| self.edit.moved(piece.start) < before)
    }

    /// Takes the expressions of the excerpt up to a place, and returns how far they move.
    fn parsed_until(&mut self, place: u32) -> Distance {
        let by = Distance { bytes: 0, exprs: (self.exprs.len() as u32).wrapping_sub(self.taken) };
        while let Some(mut expr) = self.parsed_exprs.next_if(|expr| expr.span.end <= place) {
            expr.kind.shift(by);
            self.exprs.push(expr);
            self.taken += 1;
        }
        by
    }

    /// Takes the known expressions of a blank piece, and returns how far the piece moves.
    fn known_of(&mut self, piece: &Piece) -> Distance {
        let bytes = self.edit.moves(piece.start);
        self.parsed_until(piece.start.wrapping_add(bytes));
        // They are passed one after the other: a search among all the rest for each piece takes longer.
        let until = |place: u32, all: &[Expr]| all.iter().take_while(|expr| expr.span.end <= place).count();
        let before = until(piece.start, self.known_exprs.as_slice());
        self.passed += before as u32;
        if before > 0 {
            self.known_exprs.nth(before - 1);
        }
        let by = Distance { bytes, exprs: (self.exprs.len() as u32).wrapping_sub(self.passed) };
        let own = until(piece.end, self.known_exprs.as_slice());
        self.passed += own as u32;
        let is_moved = by != Distance::default();
        self.exprs.extend(self.known_exprs.by_ref().take(own).map(|mut expr| {
            if is_moved {
                expr.shift(by);
            }
            expr
        }));
        by
    }

    /// Returns the comments of the excerpt, and those in the blank pieces.
    fn comments(&mut self, blank: &[Piece]) -> Vec<Comment> {
        let mut all = take(&mut self.parsed.comments);
        let known = take(&mut self.comments);
        let holds = |span: Span| {
            let before = blank.partition_point(|piece| piece.start <= span.start);
            before.checked_sub(1).is_some_and(|last| span.end <= blank[last].end)
        };
        all.extend(known.into_iter().filter(|comment| holds(comment.span)).map(|mut comment| {
            comment.span.shift(Distance { bytes: self.edit.moves(comment.span.start), exprs: 0 });
            comment
        }));
        all.sort_by_key(|comment| comment.span.start);
        all
    }
}
