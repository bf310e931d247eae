//! Layout of parentheses, square brackets and sets, and the depth of expressions.

use super::Layout;
use crate::error::SyntaxErrorKind;
use crate::lexer::{Kind, Token};
use crate::limits::MAX_DEPTH;
use crate::span::Span;

/// An open bracket.
struct Open {
    span: Span,
    /// The kind of its closing bracket.
    close: Kind,
    /// The levels that it adds: one, and one for each prefix operator before it.
    levels: u32,
    /// The levels of the choices before it, in the bracket around it.
    choices: u32,
}

struct Parens<'t> {
    input: &'t [Token],
    at: usize,
    out: Vec<Token>,
    open: Vec<Open>,
    /// The sum of the levels of the open brackets.
    depth: u32,
    /// The number of prefix operators directly before the next token.
    prefixes: u32,
    /// The number of `?` after the innermost open bracket: the operand of each is one level deeper.
    choices: u32,
}

/// Closes the brackets that are open at the end of their statement, leaves out unmatched closing ones, and replaces
/// expressions that are too deep: the grammar's stack is bounded for every text.
pub(super) fn arrange(layout: &mut Layout) {
    let input = std::mem::take(&mut layout.tokens);
    let out = Vec::with_capacity(input.len());
    let open = Vec::new();
    let mut pass = Parens { input: &input, at: 0, out, open, depth: 0, prefixes: 0, choices: 0 };
    while let Some(&token) = pass.input.get(pass.at) {
        pass.token(token, layout);
    }
    pass.close_all(layout);
    layout.tokens = pass.out;
}

impl Parens<'_> {
    fn token(&mut self, token: Token, layout: &mut Layout) {
        let deep = self.depth + self.prefixes + self.choices >= MAX_DEPTH;
        match token.kind {
            Kind::LParen | Kind::LBracket | Kind::ListOpen if deep => self.too_deep(token, layout),
            Kind::LParen => self.opening(token, Kind::RParen),
            Kind::LBracket => self.opening(token, Kind::RBracket),
            Kind::ListOpen => self.opening(token, Kind::ListClose),
            Kind::RParen | Kind::RBracket | Kind::ListClose => self.closing(token, layout),
            // The operand is a level too.
            kind if self.is_prefix(kind) && self.depth + self.prefixes + self.choices + 1 >= MAX_DEPTH => {
                self.too_deep(token, layout);
            }
            kind if self.is_prefix(kind) => {
                self.prefixes += 1;
                self.keep(token);
            }
            Kind::Question if deep => self.too_deep(token, layout),
            kind => {
                if ends_expression(kind) {
                    self.close_all(layout);
                }
                self.choices += u32::from(kind == Kind::Question);
                self.prefixes = 0;
                self.keep(token);
            }
        }
    }

    /// Returns whether this operator is a prefix.
    fn is_prefix(&self, kind: Kind) -> bool {
        match kind {
            Kind::Not => true,
            Kind::Minus | Kind::Ampersand | Kind::Star => {
                self.out.last().is_none_or(|before| !before.kind.ends_operand() || before.kind == Kind::Star)
            }
            _ => false,
        }
    }

    fn opening(&mut self, token: Token, close: Kind) {
        let levels = self.prefixes + 1;
        self.open.push(Open { span: token.span, close, levels, choices: self.choices });
        self.depth += levels + self.choices;
        self.prefixes = 0;
        self.choices = 0;
        self.keep(token);
    }

    /// Closes the innermost bracket of its kind. The brackets that are open in it are one mistake, reported at the
    /// first of them.
    fn closing(&mut self, token: Token, layout: &mut Layout) {
        self.prefixes = 0;
        let Some(partner) = self.open.iter().rposition(|open| open.close == token.kind) else {
            // Sets are matched already; an unmatched brace of one is in an expression that is too deep.
            if let Some(close) = closing_bracket(token.kind) {
                layout.errors.push(SyntaxErrorKind::UnmatchedDelimiter { close }, token.span);
            }
            self.at += 1;
            return;
        };
        self.close_from(partner + 1, layout);
        self.close_last();
        self.keep(token);
    }

    fn keep(&mut self, token: Token) {
        self.out.push(token);
        self.at += 1;
    }

    /// Closes every bracket that the statement leaves open; they are one mistake.
    fn close_all(&mut self, layout: &mut Layout) {
        self.close_from(0, layout);
        self.choices = 0;
    }

    fn close_from(&mut self, first: usize, layout: &mut Layout) {
        if let Some(open) = self.open.get(first) {
            let bracket = opening_bracket(open.close);
            layout.errors.push(SyntaxErrorKind::UnclosedDelimiter { open: bracket }, open.span);
        }
        let end = self.out.last().map_or(Span::default(), |before| before.span.behind());
        while self.open.len() > first {
            if let Some(open) = self.open.last() {
                self.out.push(Token { kind: open.close, span: end });
            }
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        if let Some(open) = self.open.pop() {
            self.depth -= open.levels + open.choices;
            self.choices = open.choices;
        }
    }

    /// Replaces the operators and the operand that begin with `first` by one broken token.
    fn too_deep(&mut self, first: Token, layout: &mut Layout) {
        layout.errors.push(SyntaxErrorKind::TooDeep, first.span);
        let start = self.at;
        while matches!(
            self.kind(),
            Kind::Not | Kind::Minus | Kind::Ampersand | Kind::Star | Kind::Question | Kind::Colon
        ) {
            self.at += 1;
        }
        let mut depth = 0usize;
        while !ends_expression(self.kind()) {
            match self.kind() {
                Kind::LParen | Kind::LBracket | Kind::ListOpen => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::ListClose if depth == 0 => break,
                Kind::RParen | Kind::RBracket | Kind::ListClose => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 && first.kind != Kind::Question {
                break;
            }
        }
        let last = self.input[self.at.max(start + 1) - 1].span;
        self.at = self.at.max(start + 1);
        self.out.push(Token { kind: Kind::Broken, span: first.span.to(last) });
        self.prefixes = 0;
    }

    fn kind(&self) -> Kind {
        self.input.get(self.at).map_or(Kind::End, |token| token.kind)
    }
}

fn opening_bracket(close: Kind) -> char {
    match close {
        Kind::RParen => '(',
        Kind::RBracket => '[',
        _ => '{',
    }
}

fn closing_bracket(kind: Kind) -> Option<char> {
    match kind {
        Kind::RParen => Some(')'),
        Kind::RBracket => Some(']'),
        _ => None,
    }
}

/// Returns whether a token cannot stand between parentheses.
fn ends_expression(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Semicolon
            | Break
            | LBrace
            | RBrace
            | SetOpen
            | Junk
            | TemplateOpen
            | PlaceholderOpen
            | Format
            | PlaceholderClose
            | TemplateClose
            | End
    )
}
