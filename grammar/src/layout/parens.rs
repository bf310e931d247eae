//! Parentheses and the depth of expressions.

use super::Layout;
use crate::MAX_DEPTH;
use crate::error::SyntaxErrorKind;
use crate::span::Span;
use crate::token::{Kind, Token};

/// A parenthesis that is open.
struct Open {
    span: Span,
    /// The levels it adds: one, and one for each prefix operator before it.
    levels: u32,
}

struct Parens<'t> {
    input: &'t [Token],
    at: usize,
    out: Vec<Token>,
    open: Vec<Open>,
    /// The sum of the levels of what is open.
    depth: u32,
    /// The prefix operators that stand directly before the next token.
    prefixes: u32,
}

/// Closes what is left open in its statement, leaves out what closes nothing, and replaces what lies too deep: the
/// grammar's stack stays short whatever the text holds.
pub(super) fn arrange(layout: &mut Layout) {
    let input = std::mem::take(&mut layout.tokens);
    let out = Vec::with_capacity(input.len());
    let mut pass = Parens { input: &input, at: 0, out, open: Vec::new(), depth: 0, prefixes: 0 };
    while let Some(&token) = pass.input.get(pass.at) {
        pass.token(token, layout);
    }
    pass.close_all(layout);
    layout.tokens = pass.out;
}

impl Parens<'_> {
    fn token(&mut self, token: Token, layout: &mut Layout) {
        match token.kind {
            Kind::LParen if self.depth + self.prefixes >= MAX_DEPTH => self.too_deep(token, layout),
            Kind::LParen => {
                let levels = self.prefixes + 1;
                self.open.push(Open { span: token.span, levels });
                self.depth += levels;
                self.prefixes = 0;
                self.keep(token);
            }
            Kind::RParen => {
                self.prefixes = 0;
                match self.open.pop() {
                    Some(open) => {
                        self.depth -= open.levels;
                        self.keep(token);
                    }
                    None => {
                        layout.errors.push(SyntaxErrorKind::UnmatchedDelimiter { close: ')' }, token.span);
                        self.at += 1;
                    }
                }
            }
            // The operand is a level too.
            Kind::Not | Kind::Minus if self.depth + self.prefixes + 1 >= MAX_DEPTH => {
                self.too_deep(token, layout);
            }
            Kind::Not | Kind::Minus => {
                self.prefixes += 1;
                self.keep(token);
            }
            kind => {
                if ends_expression(kind) {
                    self.close_all(layout);
                }
                self.prefixes = 0;
                self.keep(token);
            }
        }
    }

    fn keep(&mut self, token: Token) {
        self.out.push(token);
        self.at += 1;
    }

    /// Closes every parenthesis that the statement leaves open; they are one mistake.
    fn close_all(&mut self, layout: &mut Layout) {
        if let Some(first) = self.open.first() {
            layout.errors.push(SyntaxErrorKind::UnclosedDelimiter { open: '(' }, first.span);
        }
        let end = self.out.last().map_or(0, |before| before.span.end);
        let closing = Token { kind: Kind::RParen, span: Span { start: end, end } };
        self.out.extend(self.open.drain(..).map(|_| closing));
        self.depth = 0;
    }

    /// Puts one broken token in the place of the prefix operators and the operand that begin with `first`.
    fn too_deep(&mut self, first: Token, layout: &mut Layout) {
        layout.errors.push(SyntaxErrorKind::TooDeep, first.span);
        while matches!(self.kind(), Kind::Not | Kind::Minus) {
            self.at += 1;
        }
        let mut depth = 0usize;
        while !ends_expression(self.kind()) {
            match self.kind() {
                Kind::LParen => depth += 1,
                Kind::RParen if depth == 0 => break,
                Kind::RParen => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        let last = self.input[self.at - 1].span;
        self.out.push(Token { kind: Kind::Broken, span: first.span.to(last) });
        self.prefixes = 0;
    }

    fn kind(&self) -> Kind {
        self.input.get(self.at).map_or(Kind::End, |token| token.kind)
    }
}

/// What cannot stand between parentheses.
fn ends_expression(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Semicolon | Break | LBrace | RBrace | SetOpen | Junk | End)
}
