//! Sentences made of the productions of the grammar, so that none is forgotten: the layout must not change what the
//! grammar accepts.

mod maker;
#[path = "../../build/productions.rs"]
mod productions;

use maker::{Maker, Sentence};

use crate::error::SyntaxErrorKind;
use crate::layout::{self, Form, Guesses};
use crate::lexer;
use crate::span::{FileId, Source};

/// The minimum number of sentences: with fewer, the generator is broken and nothing is tested.
const LEAST: usize = 8_000;

fn grammar() -> productions::Grammar {
    productions::read(include_str!("../../src/grammar.lalrpop")).expect("the build reads the same text")
}

/// Returns the kinds of the tokens that the layout makes of a text.
fn arranged(text: &str, form: Form, guesses: Guesses) -> Vec<String> {
    let source = Source { text, file: FileId::MAIN };
    let layout = layout::arrange(source, &lexer::lex(source), form, guesses);
    layout.tokens.iter().map(|token| format!("{:?}", token.kind)).collect()
}

/// Returns whether the grammar cannot express a mistake, so that a text of correct productions may have it.
fn is_of_meaning(kind: &SyntaxErrorKind) -> bool {
    use SyntaxErrorKind::*;
    matches!(kind, RepeatedPart { .. } | MisplacedPart { .. } | MisplacedChoice)
}

#[test]
fn every_production_passes_the_layout_and_parses() {
    let grammar = grammar();
    let sentences = Maker::new(&grammar).sentences();
    assert!(sentences.len() >= LEAST, "only {} sentences", sentences.len());
    let mut wrong = Vec::new();
    for Sentence { text, lines, tokens, place, form } in &sentences {
        let expected: Vec<&str> = tokens.iter().map(|token| grammar.kinds[token].as_str()).collect();
        for text in [text, lines] {
            let (parsed, _) =
                crate::parse::attempt(Source { text, file: FileId::MAIN }, *form, Guesses::None);
            let found = arranged(text, *form, Guesses::None);
            // The layout makes a name of `and` where it joins nothing.
            let is_same = |(found, expected): (&String, &&str)| {
                found == expected || (*expected == "And" && found == "Word")
            };
            if let Some(error) = parsed.errors.iter().find(|error| !is_of_meaning(&error.kind)) {
                wrong.push(format!("{place}: {text}\n    {error}"));
            } else if found.len() != expected.len() || !found.iter().zip(&expected).all(is_same) {
                wrong.push(format!("{place}: {text}\n    {found:?}\n    {expected:?}"));
            }
        }
    }
    println!("{} sentences", sentences.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), sentences.len(), wrong.join("\n"));
}

#[test]
fn guesses_change_no_production_on_one_line() {
    let grammar = grammar();
    let mut wrong = Vec::new();
    for Sentence { text, place, form, .. } in &Maker::new(&grammar).sentences() {
        if arranged(text, *form, Guesses::From(0)) != arranged(text, *form, Guesses::None) {
            wrong.push(format!("{place}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Statements that the guesses do not find.
const UNKNOWN: &[&str] = &[
    "include \"s\" ;",
    "include <a/b.h> ;",
    "use w ;",
    "buffer ! 1KiB ;",
    "buffer ( 1KiB ) ;",
    "queue ! 1KiB ;",
    "queue ( 1KiB ) ;",
    "subbuffer ! 1KiB ;",
    "subbuffer ( 1KiB ) ;",
    "cmdlines ! 1KiB ;",
    "cmdlines ( 1KiB ) ;",
    "keep ! 1KiB after ;",
    "keep ( 1KiB ) after ;",
];

/// For every statement after a missing semicolon, only the semicolon is wrong.
#[test]
fn every_statement_begins_behind_a_missing_semicolon() {
    let grammar = grammar();
    let maker = Maker::new(&grammar);
    let mut wrong = Vec::new();
    for (rule, before, behind) in [
        ("DeclarationKind", "use a", ""),
        ("ClauseKind", "session s {\nclock mono", "}"),
        ("ItemKind", "session s { trace a {\ntrigger stacktrace", "} }"),
    ] {
        let texts = maker.texts(rule);
        assert!(texts.len() >= 15, "only {} texts of `{rule}`", texts.len());
        for statement in texts {
            let text = format!("{before}\n{statement}\n{behind}");
            let parsed = crate::parse(&text);
            let missing = |kind: &SyntaxErrorKind| matches!(kind, SyntaxErrorKind::MissingSemicolon);
            let is_right = match parsed.errors.as_slice() {
                [first, rest @ ..] => {
                    missing(&first.kind) && rest.iter().all(|error| is_of_meaning(&error.kind))
                }
                [] => false,
            };
            if is_right == UNKNOWN.contains(&statement.trim()) {
                let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
                wrong.push(format!("{rule}: {statement}\n    {}", errors.join("\n    ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
