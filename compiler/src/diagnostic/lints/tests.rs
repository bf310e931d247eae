//! Tests of the levels of lints: which of several at one span counts, and which are unused.

use tracec_grammar::span::Spanned;
use tracec_grammar::syntax::{Declaration, EventClause, EventSet, Item, Session};

use super::*;
use crate::diagnostic::codes::constant_condition::CODE as CONSTANT;
use crate::diagnostic::codes::hidden_pseudo_field::CODE as HIDDEN;
use crate::diagnostic::{Diagnostics, Severity};

/// `lint LEVEL NAMES;` at `at`, 10 bytes for each part.
fn lint(at: usize, level: &str, names: &[&str]) -> (LintLevel, Span) {
    let spanned = |index: usize, word: &str| {
        let start = at + 10 * index;
        Spanned::new(word.to_owned(), Span::new(start, start + 8))
    };
    let names: Vec<Name> = names.iter().enumerate().map(|(index, name)| spanned(index + 2, name)).collect();
    let end = at + 10 * (names.len() + 2);
    (LintLevel { level: spanned(1, level), names }, Span::new(at, end))
}

fn clause(kind: ClauseKind, start: usize, end: usize) -> Clause {
    Clause { doc: None, kind, span: Span::new(start, end) }
}

/// A file of 1000 bytes: a lint at 0, a session from 100 to 900 with a lint at 110, a clause from 400 to 600 with a
/// lint at 410.
fn file(outer: (&str, &[&str]), session: (&str, &[&str]), inner: (&str, &[&str])) -> File {
    let declaration = |kind, span| Declaration { doc: None, kind, span };
    let (outer, outer_span) = lint(0, outer.0, outer.1);
    let (session, session_span) = lint(110, session.0, session.1);
    let (inner, inner_span) = lint(410, inner.0, inner.1);
    let events = EventSet { include: Vec::new(), except: Vec::new(), span: Span::new(400, 402) };
    let items = vec![Item { doc: None, kind: ItemKind::Lint(inner), span: inner_span }];
    let content = EventClause { events, having: Vec::new(), condition: None, items };
    let clauses = vec![
        Clause { doc: None, kind: ClauseKind::Lint(session), span: session_span },
        clause(ClauseKind::Trace(Box::new(content)), 400, 600),
    ];
    let session = Session { doc: None, name: None, params: Vec::new(), clauses, span: Span::new(100, 900) };
    let declarations = vec![
        declaration(DeclarationKind::Lint(outer), outer_span),
        declaration(DeclarationKind::Session(session), Span::new(100, 900)),
    ];
    File { declarations, ..File::default() }
}

const TEXT: Span = Span::new(0, 1000);

fn levels(file: &File, settings: &[(Level, &str)]) -> Levels {
    let settings = settings.iter().map(|(level, name)| Setting::new(*level, name).expect("a lint"));
    let mut levels = Levels::new(settings.collect());
    assert_eq!(levels.declare(file, TEXT), []);
    levels
}

fn at(levels: &Levels, place: usize) -> Option<Level> {
    levels.level(&CONSTANT, Some(Span::new(place, place + 3)))
}

#[test]
fn the_innermost_level_counts() {
    let file =
        file(("deny", &["constant-condition"]), ("allow", &["T0210"]), ("warn", &["constant_condition"]));
    let levels = levels(&file, &[]);
    for (place, level) in
        [(50, Level::Deny), (950, Level::Deny), (200, Level::Allow), (700, Level::Allow), (500, Level::Warn)]
    {
        assert_eq!(at(&levels, place), Some(level), "{place}");
    }
    assert_eq!(at(&levels, 599), Some(Level::Allow), "what exceeds a clause does not lie in it");
    assert_eq!(levels.level(&CONSTANT, None), Some(Level::Warn), "no place lies in no scope");
    assert_eq!(levels.level(&HIDDEN, Some(Span::new(500, 501))), Some(Level::Warn), "its own");
    assert_eq!(levels.level(&crate::diagnostic::codes::unexpected::CODE, None), None, "no lint");
}

#[test]
fn of_levels_at_one_place_the_last_counts() {
    let both = ["constant-condition", "constant-condition"];
    let mut file = file(("allow", &both), ("warn", &[]), ("warn", &[]));
    let (again, span) = lint(60, "deny", &["constant-condition"]);
    file.declarations.push(Declaration { doc: None, kind: DeclarationKind::Lint(again), span });
    assert_eq!(at(&levels(&file, &[]), 200), Some(Level::Deny));
}

#[test]
fn clauses_within_clauses_have_levels_of_their_own() {
    let (inner, span) = lint(310, "deny", &["constant-condition"]);
    let within = vec![Clause { doc: None, kind: ClauseKind::Lint(inner), span }];
    let global = clause(ClauseKind::Global { discarding: None, clauses: within }, 300, 400);
    let mut file = file(("warn", &[]), ("warn", &[]), ("warn", &[]));
    if let DeclarationKind::Session(session) = &mut file.declarations[1].kind {
        session.clauses.push(global);
    }
    let levels = levels(&file, &[]);
    assert_eq!((at(&levels, 350), at(&levels, 450)), (Some(Level::Deny), Some(Level::Warn)));
}

#[test]
fn the_command_line_counts_more_and_its_last_word_most() {
    use Level::{Allow, Deny, Warn};
    let name = "constant-condition";
    let silent = file(("warn", &[]), ("warn", &[]), ("warn", &[]));
    let allowed = file(("allow", &[name]), ("warn", &[]), ("warn", &[]));
    for (file, settings, wanted) in [
        (&silent, &[][..], Warn),
        (&silent, &[(Deny, WARNINGS)], Deny),
        (&silent, &[(Allow, WARNINGS)], Allow),
        (&silent, &[(Deny, name), (Allow, name)], Allow),
        (&silent, &[(Allow, name), (Deny, WARNINGS)], Allow),
        (&silent, &[(Deny, WARNINGS), (Warn, name)], Warn),
        (&silent, &[(Warn, name), (Deny, WARNINGS)], Deny),
        (&allowed, &[(Deny, WARNINGS)], Allow),
        (&allowed, &[(Deny, name)], Deny),
        (&allowed, &[(Deny, "hidden-pseudo-field")], Allow),
    ] {
        assert_eq!(at(&levels(file, settings), 500), Some(wanted), "{settings:?}");
    }
}

#[test]
fn wrong_names_and_levels_are_reported_with_the_nearest() {
    let file =
        file(("alow", &["T0210"]), ("warn", &["constant-conditon", "x"]), ("deny", &["unknown-event"]));
    let mut levels = Levels::default();
    let wrong = levels.declare(&file, TEXT);
    let mut reported: Vec<(&str, u32, Option<&str>)> = wrong
        .iter()
        .map(|said| {
            let fix = said.fixes.first().map(|fix| fix.edits[0].text.as_str());
            (said.code.id, said.primary.as_ref().map_or(0, |label| label.span.start), fix)
        })
        .collect();
    reported.sort_unstable();
    let expected = [
        ("T0901", 130, Some("constant-condition")),
        ("T0901", 140, None),
        ("T0902", 430, None),
        ("T0904", 10, Some("allow")),
    ];
    assert_eq!(reported, expected);
    for (name, code) in [("constant", "T0901"), ("unknown-event", "T0902"), ("", "T0901")] {
        let said = Setting::new(Level::Allow, name).expect_err("no lint");
        assert_eq!((said.code.id, said.primary), (code, None), "{name}");
    }
}

/// What is left of the diagnostics of a text in which one lint is raised at 500, and in the end `unused-allow`.
fn raised(file: &File, settings: &[(Level, &str)], error: bool) -> Vec<(&'static str, u32, Severity)> {
    let mut diagnostics = Diagnostics::with_levels(levels(file, settings));
    diagnostics
        .push(crate::diagnostic::codes::constant_condition::constant_condition(Span::new(500, 510), true));
    if error {
        diagnostics
            .push(crate::diagnostic::codes::count_zero::count_zero(Span::new(520, 521), Span::new(510, 519)));
    }
    diagnostics.look_for_unused(&[]);
    let kept = diagnostics.finish();
    kept.iter().map(|d| (d.code.id, d.primary.as_ref().map_or(0, |l| l.span.start), d.severity)).collect()
}

#[test]
fn a_lint_gets_the_severity_of_its_level_or_is_left_out() {
    let deny = file(("deny", &["T0210"]), ("warn", &[]), ("warn", &[]));
    assert_eq!(raised(&deny, &[], false), [("T0210", 500, Severity::Error)]);
    assert_eq!(raised(&deny, &[(Level::Allow, "T0210")], false), []);
}

#[test]
fn an_allow_that_silences_nothing_can_be_told() {
    let names = ["hidden-pseudo-field", "constant-condition"];
    let file = file(("allow", &names), ("allow", &["constant-condition"]), ("warn", &[]));
    assert_eq!(raised(&file, &[], false), [], "not unless asked for");
    let warn = [(Level::Warn, "unused-allow")];
    let unused = |place| ("T0903", place, Severity::Warning);
    assert_eq!(raised(&file, &warn, false), [unused(20), unused(30)], "the inner one silenced it");
    assert_eq!(raised(&file, &warn, true).len(), 1, "behind an error nobody knows");
    let asked = self::file(("allow", &names), ("warn", &["unused-allow"]), ("warn", &[]));
    assert_eq!(raised(&asked, &[], false), [], "the session does not ask about what stands before it");
}

#[test]
fn removing_a_name_takes_its_comma_along() {
    let (list, statement) = lint(0, "allow", &["a", "b", "c"]);
    let part = |index| removable(&list.names, index, statement);
    assert_eq!([part(0), part(1), part(2)], [Span::new(20, 30), Span::new(28, 38), Span::new(38, 48)]);
    let (single, statement) = lint(0, "allow", &["a"]);
    assert_eq!(removable(&single.names, 0, statement), statement);
}
