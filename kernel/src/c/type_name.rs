//! Types in casts, `sizeof` and declarations.

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use super::tree::TypeName;
use crate::tables::c_types;

/// The certainty that tokens are a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// A name that could be that of a variable.
    Guess,
    /// A name that is a known type, or ends as names of types do.
    Name,
    /// The grammar allows only a type here.
    Grammar,
}

/// Tokens that may be a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeScan {
    /// The number of tokens.
    pub(super) tokens: usize,
    pub(super) certainty: Certainty,
    /// Whether it is an address: it ends in `*`, or has the form of one.
    pointer: bool,
}

const SPECIFIERS: &[&str] = &[
    "const",
    "volatile",
    "signed",
    "unsigned",
    "short",
    "long",
    "int",
    "char",
    "void",
    "float",
    "double",
    "bool",
    "_Bool",
    "__auto_type",
];

impl Parser<'_> {
    /// Returns the longest type whose first token is `ahead` of the next one.
    pub(super) fn scan_type(&self, ahead: usize) -> Option<TypeScan> {
        let mut found = self.scan_specifiers(ahead)?;
        let end = |found: &TypeScan| ahead + found.tokens;
        while self.is(end(&found), "*") || (found.pointer && self.is_qualifier(end(&found))) {
            // `(name *)` cannot be an expression.
            found = TypeScan { tokens: found.tokens + 1, certainty: Certainty::Grammar, pointer: true };
        }
        if found.certainty == Certainty::Guess {
            return Some(found);
        }
        if self.is(end(&found), "(") && self.is(end(&found) + 1, "*") && self.is(end(&found) + 2, ")") {
            found = TypeScan { tokens: found.tokens + 3, certainty: Certainty::Grammar, pointer: true };
            found.tokens += self.balanced(end(&found), "(", ")");
        }
        loop {
            match self.balanced(end(&found), "[", "]") {
                0 => return Some(found),
                tokens => found.tokens += tokens,
            }
        }
    }

    fn is_qualifier(&self, ahead: usize) -> bool {
        matches!(self.word(ahead), Some("const" | "volatile"))
    }

    /// Returns the part before the stars: `const struct page`, `unsigned long`, `u64`, `typeof(a)`.
    fn scan_specifiers(&self, ahead: usize) -> Option<TypeScan> {
        let mut at = ahead;
        let mut certainty = Certainty::Guess;
        let mut named = false;
        while let Some(word) = self.word(at) {
            if SPECIFIERS.contains(&word) {
                certainty = Certainty::Grammar;
                named |= !matches!(word, "const" | "volatile");
            } else if named {
                break;
            } else if matches!(word, "struct" | "union" | "enum") {
                (certainty, named) = (Certainty::Grammar, true);
                at += usize::from(self.word(at + 1).is_some());
                at += self.balanced(at + 1, "{", "}");
            } else if matches!(word, "typeof" | "__typeof__" | "__typeof") {
                (certainty, named) = (Certainty::Grammar, true);
                at += self.balanced(at + 1, "(", ")");
            } else if word == "sizeof" {
                break;
            } else {
                named = true;
                certainty = certainty.max(name_certainty(word));
            }
            at += 1;
        }
        named.then_some(TypeScan { tokens: at - ahead, certainty, pointer: false })
    }

    /// Returns the number of tokens from an opening bracket to the one that closes it; 0 if either is missing.
    fn balanced(&self, ahead: usize, open: &str, close: &str) -> usize {
        let mut depth = 0usize;
        let mut tokens = 0;
        while self.token(ahead + tokens).is_some() {
            if self.is(ahead + tokens, open) {
                depth += 1;
            } else if self.is(ahead + tokens, close) {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 {
                return if tokens == 0 { 0 } else { tokens + 1 };
            }
            tokens += 1;
        }
        0
    }

    /// Takes a type that was found at the next token.
    pub(super) fn take_type(&mut self, found: TypeScan) -> TypeName {
        let mut text = String::new();
        let mut before: Option<Token> = None;
        for token in (0..found.tokens).filter_map(|ahead| self.token(ahead)) {
            if before.is_some_and(|before| blank_between(before, token, self.text)) {
                text.push(' ');
            }
            text.push_str(token.range.of(self.text));
            before = Some(token);
        }
        self.advance(found.tokens);
        TypeName { text: text.into(), pointer: found.pointer }
    }
}

/// Returns how certain it is that a word is a type: one that is not in the table of types may still end like one.
fn name_certainty(word: &str) -> Certainty {
    let is_type = word.ends_with("_t") || c_types::find(word).is_some();
    if is_type { Certainty::Name } else { Certainty::Guess }
}

fn blank_between(before: Token, next: Token, text: &str) -> bool {
    let text_of = |token: Token| token.range.of(text);
    match (before.kind, next.kind) {
        (TokenKind::Punctuator(_), _) => matches!(text_of(before), "," | ";" | "{") || text_of(next) == "}",
        (_, TokenKind::Punctuator(_)) => matches!(text_of(next), "*" | "{" | "}"),
        _ => true,
    }
}
