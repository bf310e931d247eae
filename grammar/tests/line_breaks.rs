//! A correct text stays correct, with the same meaning, for all blanks, line breaks and comments between its tokens.
//!
//! The exceptions concern tokens: a doc comment ends with its line; strings, templates, fetch arguments, sets of CPUs,
//! headers and names with `-` in them are one token each, without a line break.

mod common;
mod generate;

use std::ops::Range;

use common::{gaps, meaning, read, sessions, show_errors};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use tracec_grammar::{parse, parse_one_liner};

/// The number of generated texts.
const CASES: u32 = 2_000;

/// The number of single gaps of a text in which a line break is tried.
const SINGLE: usize = 6;

const SEED: [u8; 32] = *b"lines are what people read by  1";

/// The spaces that are tried between two tokens.
const BREAKS: [&str; 4] = ["\n", "\r\n", " // c\n", "\n/* c\n c */\n"];

/// Returns a text with other content in these gaps.
fn filled(text: &str, gaps: &[Range<usize>], content: &str) -> String {
    let mut filled = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for gap in gaps {
        filled.push_str(&text[at..gap.start]);
        filled.push_str(content);
        at = gap.end;
    }
    filled + &text[at..]
}

/// Returns an error if a text has another meaning than `expected`.
fn differs(text: &str, expected: &str) -> Result<(), String> {
    let parsed = parse(text);
    if !parsed.errors.is_empty() {
        return Err(format!("{}in\n{text}", show_errors(text, &parsed)));
    }
    match meaning(&parsed) {
        found if found == expected => Ok(()),
        found => Err(format!("another meaning:\n{expected}\n{found}\nof\n{text}")),
    }
}

/// Tries every kind of break in all gaps at once, then a line break in each of `single` gaps, evenly chosen.
fn law(text: &str, gaps: &[Range<usize>], single: usize) -> Result<(), String> {
    let parsed = parse(text);
    if !parsed.errors.is_empty() {
        return Err(format!("not a correct text: {}in\n{text}", show_errors(text, &parsed)));
    }
    let expected = meaning(&parsed);
    for content in BREAKS {
        differs(&filled(text, gaps, content), &expected)?;
    }
    let step = gaps.len().div_ceil(single.max(1)).max(1);
    for gap in gaps.iter().skip(text.len() % step).step_by(step) {
        differs(&filled(text, std::slice::from_ref(gap), "\n"), &expected)?;
    }
    Ok(())
}

/// Tests a law with generated texts.
fn made_up(cases: u32, holds: impl Fn(generate::Text) -> Result<(), String>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &SEED));
    let numbers = proptest::collection::vec(proptest::num::u32::ANY, 0..400);
    let result = runner
        .run(&numbers, |numbers| holds(generate::file_with_gaps(&numbers)).map_err(TestCaseError::fail));
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, numbers)) => panic!("{reason}\nmade of {numbers:?}"),
        Err(abort) => panic!("{abort}"),
    }
}

#[test]
fn made_up_texts_may_break_anywhere() {
    made_up(CASES, |made| law(&made.text, &made.gaps, SINGLE));
}

/// A mistake elsewhere does not make a correct declaration wrong, even with unusual line breaks.
#[test]
fn mistake_beside_a_correct_text_is_one_error() {
    const WRONG: &str = "\nsession wrong { clock }\n";
    made_up(CASES / 4, |made| {
        let right = filled(&made.text, &made.gaps, "\n");
        let mut texts = vec![format!("{right}{WRONG}")];
        // The doc comment of a file is at its start.
        if !right.contains("//!") {
            texts.push(format!("{WRONG}{right}"));
        }
        for text in texts {
            let parsed = parse(&text);
            let declarations = parse(&right).file.declarations.len();
            match parsed.errors.as_slice() {
                [error] if text[error.span.range().end..].starts_with(" }\n") => {}
                _ => return Err(format!("{}in\n{text}", show_errors(&text, &parsed))),
            }
            if parsed.file.declarations.len() != declarations + 1 {
                return Err(format!("declarations are lost of\n{text}"));
            }
        }
        Ok(())
    });
}

#[test]
fn files_of_the_repository_may_break_anywhere() {
    let files = sessions();
    assert!(files.len() >= 20, "only {} files were found", files.len());
    let mut tried = 0;
    for file in &files {
        let text = read(file);
        let gaps = gaps(&text);
        tried += gaps.len();
        law(&text, &gaps, SINGLE).unwrap_or_else(|reason| panic!("{}: {reason}", file.display()));
    }
    println!("{} files, {tried} gaps", files.len());
    assert!(tried >= 100 * files.len(), "only {tried} gaps were found");
}

/// Texts whose tokens are separated by blanks, with each of the blanks as a line break.
#[test]
fn line_may_begin_with_tokens_that_resemble_another_statement() {
    for text in [
        "event x at kprobe f ( a : unsigned long ) { b : unsigned long ; c : u32 }",
        "event x at kprobe f { a : u32 [ 1 + 1 ] ; b : u8 [ N - 1 ] ; c : u8 [ 4 * f ] }",
        "event x at kprobe f { a = %di : unsigned long ; @jiffies : u64 ; print \"t\" }",
        "event x { entry { a : u32 [ 1 + 1 ] ; b : u32 = x -> y * c ; string : string = flags as u32 ; } }",
        "event x { entry { a : u8 = c ? entry : proto ; } print \"t\" proto ( a : u32 ) assign `c` }",
        "event x { print \"t\" proto ( ) }",
        "event x { assign `c` proto ( event : u32 , class : enum e ) ; print \"{a}\" entry { } }",
        "class c { assign `c` entry { } print \"t\" proto ( ) }",
        "enum e { a = b * c , d = e - f , g = h \"text\" , class , event = flags , enum }",
        "flags e : unsigned long { use = 1 , const = session | trace , a1 = b1 :: c }",
        "const x : u32 = enum ; const event = class as u32 ; const lint = a :: b ;",
        "session s ( session : u32 = 1 , trace = stop ) { }",
        "session s { trace a : b if x as u32 == y as s64 ; }",
        "session s { trace * : open ; trace sched : * ; trace * : * except { on : trigger , * : filter } ; }",
        "session s { trace *: open ; trace sched: * ; trace * :open ; trace {*: a, b :*} except *: * ; }",
        "session s { trace a:b if x == a1 :: b && y == cafe :: d0 || z == beef :: face ; include a1 :: b2 ; }",
        "session s { trace a:b if x == a1:: b && y in { cafe:: d0 , fe80:: , 1:: } ; include a1:: b2 ; }",
        "event a1 : b1 ; event e at usdt \"/bin/x\": provider: name ; event f at kprobe ext4: a1 + 1 ;",
        "event e at uprobe \"x\": 0x10 ( a : * const user string , b : u8 [ ] ) -> ( ret : ssize_t ) { a }",
        "session s { trace trace : trace except on having filter , trigger if output in { stop , when } ; }",
        "session s { on { filter : a , lint : b } { trigger trigger filter count 3 if trace ; lint deny warn ; } }",
        "session s { stop on trace : stop if on count 2 ; stop on signal trace ; stop with process lint ; }",
        "session s { stop on a:* except b:* if x . stop == y -> when ; scope process on , comm \"x\" and children ; }",
        "session s { buffer stream total ; clock trace ; option instance off ; option output on ; ring last stop ; }",
        "session s { include output :: trace ( stop = when , on = 1 ) ; lint allow lint , trace ; }",
        "session s { when has event trace : on { stream ; } else when has field a : b . stop { ring ; } else { } }",
        "session s { global discarding { marker \"m\" ; } start paused ; instance \"x\" ; output \"f\" ; }",
    ] {
        let gaps: Vec<_> = text.match_indices(' ').map(|(at, _)| at..at + 1).collect();
        law(text, &gaps, gaps.len()).unwrap_or_else(|reason| panic!("{reason}"));
    }
}

#[test]
fn one_liners_may_break_anywhere() {
    for text in [
        "* : open if x as u32 == 1",
        "trace : on having stop if when in { 1 , trace } { trigger filter trigger ; }",
        "on a : b { trigger traceoff ; } stop on signal trace ; output \"f\"",
        "a : * except on : trace ; stop on x : stop if ring ; ring last buffer",
    ] {
        let parsed = parse_one_liner(text);
        assert_eq!(show_errors(text, &parsed), "", "{text}");
        for content in BREAKS {
            let broken = text.replace(' ', content);
            let again = parse_one_liner(&broken);
            assert_eq!(show_errors(&broken, &again), "", "{broken}");
            assert_eq!(meaning(&again), meaning(&parsed), "{broken}");
        }
    }
}
