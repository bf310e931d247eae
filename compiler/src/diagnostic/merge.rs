//! One text checked against several kernels: what was found on each, said once.

use super::fix::offers;
use super::{Diagnostic, Fix, SomeKernels, add_in_order};

/// Joins what was found on each kernel, given with its name.
///
/// Two diagnostics are one if they have the same code, severity, place and message. It keeps, as they are, the notes,
/// helps and fixes that it has wherever it was found; those of some kernels only are kept with the kernels' names. A
/// fix has to be right for all kernels: one that not every kernel offers becomes help.
///
/// The order is that of the text, as in what comes in: those without a place come first, and that there were too many
/// comes last.
pub fn merge(found: Vec<(String, Vec<Diagnostic>)>) -> Vec<Diagnostic> {
    let kernels: Vec<String> = found.iter().map(|(kernel, _)| kernel.clone()).collect();
    let mut groups: Vec<Group> = Vec::new();
    for (kernel, diagnostics) in found.into_iter().enumerate().map(|(index, (_, list))| (index, list)) {
        for diagnostic in diagnostics {
            match groups.iter_mut().find(|group| group.takes(kernel, &diagnostic)) {
                Some(group) => group.members.push((kernel, diagnostic)),
                None => groups.push(Group { members: vec![(kernel, diagnostic)] }),
            }
        }
    }
    let mut merged = Vec::new();
    add_in_order(&mut merged, groups.into_iter().filter_map(|group| group.join(&kernels)));
    merged
}

/// What is one diagnostic on several kernels: each kernel by its index, at most once, in order.
struct Group {
    members: Vec<(usize, Diagnostic)>,
}

impl Group {
    fn takes(&self, kernel: usize, other: &Diagnostic) -> bool {
        let same = |a: &Diagnostic| {
            (a.code, a.severity, &a.message) == (other.code, other.severity, &other.message)
                && a.primary == other.primary
                && a.secondary == other.secondary
        };
        self.members.first().is_some_and(|(_, first)| same(first))
            && self.members.iter().all(|(member, _)| *member != kernel)
    }

    fn join(self, kernels: &[String]) -> Option<Diagnostic> {
        let on: Vec<usize> = self.members.iter().map(|(kernel, _)| *kernel).collect();
        let everywhere = on.len() == kernels.len();
        let name = |index: &usize| kernels.get(*index).cloned();
        let notes = shared(&self.members, |d| &d.notes);
        let helps = shared(&self.members, |d| &d.helps);
        let fixes = shared(&self.members, |d| &d.fixes);
        let said = |lines: Vec<(Vec<usize>, String)>| -> Vec<String> {
            let with_names = lines.into_iter().map(|(of, line)| match of == on {
                true => line,
                false => format!("{line} (on {})", list(&of.iter().filter_map(name).collect::<Vec<_>>())),
            });
            with_names.collect()
        };
        let (sure, unsure): (Vec<_>, Vec<_>) = fixes.into_iter().partition(|(of, _)| everywhere && *of == on);
        let titles = offers_by_kernels(unsure);
        let mut joined = self.members.into_iter().next()?.1;
        joined.notes = said(notes);
        joined.helps = said(helps.into_iter().chain(titles).collect());
        joined.fixes = sure.into_iter().map(|(_, fix)| fix).collect();
        joined.kernels = (!everywhere).then(|| SomeKernels {
            on: on.iter().filter_map(name).collect(),
            not_on: kernels
                .iter()
                .enumerate()
                .filter(|(index, _)| !on.contains(index))
                .map(|(_, kernel)| kernel.clone())
                .collect(),
        });
        Some(joined)
    }
}

/// What fixes of some kernels offer, each offer once, in the order in which they first come.
fn offers_by_kernels(fixes: Vec<(Vec<usize>, Fix)>) -> Vec<(Vec<usize>, String)> {
    let mut groups: Vec<(Vec<usize>, Vec<Fix>)> = Vec::new();
    for (of, fix) in fixes {
        match groups.iter_mut().find(|(kernels, _)| *kernels == of) {
            Some((_, fixes)) => fixes.push(fix),
            None => groups.push((of, vec![fix])),
        }
    }
    let offer = |(of, fixes): (Vec<usize>, Vec<Fix>)| {
        offers(&fixes).into_iter().map(move |offer| (of.clone(), offer)).collect::<Vec<_>>()
    };
    groups.into_iter().flat_map(offer).collect()
}

/// Each item of all members once, with the kernels that have it, in the order in which they first come.
fn shared<T: Clone + PartialEq>(
    members: &[(usize, Diagnostic)],
    items: impl Fn(&Diagnostic) -> &Vec<T>,
) -> Vec<(Vec<usize>, T)> {
    let mut shared: Vec<(Vec<usize>, T)> = Vec::new();
    for (kernel, diagnostic) in members {
        for item in items(diagnostic) {
            match shared.iter_mut().find(|(_, known)| known == item) {
                Some((of, _)) if of.contains(kernel) => {}
                Some((of, _)) => of.push(*kernel),
                None => shared.push((vec![*kernel], item.clone())),
            }
        }
    }
    shared
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::Span;

    use super::*;
    use crate::diagnostic::codes;

    fn error(at: usize, message: &str) -> Diagnostic {
        Diagnostic::error(&codes::unknown_event::CODE, message).at(Span::new(at, at + 1), "here")
    }

    fn on(kernels: &[(&str, &[Diagnostic])]) -> Vec<Diagnostic> {
        merge(kernels.iter().map(|(kernel, found)| ((*kernel).to_owned(), found.to_vec())).collect())
    }

    fn some(on: &[&str], not_on: &[&str]) -> Option<SomeKernels> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Some(SomeKernels { on: owned(on), not_on: owned(not_on) })
    }

    #[test]
    fn what_all_have_is_said_once_and_names_nobody() {
        let both = error(3, "x");
        assert_eq!(
            on(&[("6.1", std::slice::from_ref(&both)), ("6.12", std::slice::from_ref(&both))]),
            [both]
        );
    }

    #[test]
    fn what_some_have_names_them() {
        let (early, late) = (error(1, "early"), error(9, "late"));
        let found = on(&[
            ("6.1", std::slice::from_ref(&late)),
            ("6.12", &[early.clone(), late.clone()]),
            ("6.18", std::slice::from_ref(&early)),
        ]);
        assert_eq!(found.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(), ["early", "late"]);
        assert_eq!(found[0].kernels, some(&["6.12", "6.18"], &["6.1"]));
        assert_eq!(found[1].kernels, some(&["6.1", "6.12"], &["6.18"]));
    }

    #[test]
    fn another_place_code_message_or_severity_is_another_mistake() {
        let base = error(1, "x");
        let others = [
            error(2, "x"),
            error(1, "y"),
            Diagnostic { code: &codes::unknown_field::CODE, ..base.clone() },
            Diagnostic { severity: crate::Severity::Warning, ..base.clone() },
            base.clone().and_at(Span::new(5, 6), "there"),
        ];
        for other in others {
            let found = on(&[("a", std::slice::from_ref(&base)), ("b", std::slice::from_ref(&other))]);
            assert_eq!(found.len(), 2, "{other:?}");
        }
    }

    #[test]
    fn two_on_one_kernel_stay_two() {
        let machine = Diagnostic::error(&codes::kernel_unreadable::CODE, "x");
        let found =
            on(&[("a", &[machine.clone(), machine.clone()]), ("b", &[machine.clone(), machine.clone()])]);
        assert_eq!(found, [machine.clone(), machine]);
    }

    #[test]
    fn the_order_is_that_of_one_kernel() {
        let machine = Diagnostic::error(&codes::kernel_unreadable::CODE, "x");
        let full = Diagnostic::error(&codes::too_many_errors::CODE, "too many");
        let found =
            on(&[("a", &[machine.clone(), error(1, "x"), full.clone()]), ("b", &[error(9, "y"), full])]);
        let codes: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(codes, ["x", "x", "y", "too many"]);
    }

    #[test]
    fn notes_and_helps_of_some_kernels_name_them() {
        let a = error(1, "x").note("all").note("only a").help("help");
        let b = error(1, "x").note("all").help("help");
        let found = on(&[("a", &[a]), ("b", &[b])]);
        assert_eq!(found[0].notes, ["all", "only a (on a)"]);
        assert_eq!(found[0].helps, ["help"]);
    }

    #[test]
    fn a_fix_must_be_offered_by_all_kernels() {
        let fixed = |to: &str| error(1, "x").fix(format!("did you mean `{to}`?"), Span::new(1, 2), to);
        let same = on(&[("a", &[fixed("y")]), ("b", &[fixed("y")])]);
        assert_eq!((same[0].fixes.len(), same[0].helps.len()), (1, 0));
        let different = on(&[("a", &[fixed("y")]), ("b", &[fixed("z")])]);
        assert!(different[0].fixes.is_empty());
        assert_eq!(different[0].helps, ["did you mean `y`? (on a)", "did you mean `z`? (on b)"]);
        let of_names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            error(1, "x").suggest(Span::new(1, 2), &names)
        };
        let questions = on(&[("a", &[of_names(&["x", "y", "z"])]), ("b", &[of_names(&["z"])])]);
        assert_eq!(questions[0].helps, ["did you mean one of `x`, `y`? (on a)"]);
        assert_eq!(questions[0].fixes.len(), 1, "`z` is right for both");
        let one = on(&[("a", &[of_names(&["y", "z"])]), ("b", &[])]);
        assert_eq!(one[0].helps, ["did you mean one of `y`, `z`?"]);
        // On the other kernel the text is right as it stands.
        let one = on(&[("a", &[fixed("y")]), ("b", &[])]);
        assert!(one[0].fixes.is_empty());
        assert_eq!(one[0].helps, ["did you mean `y`?"]);
    }

    #[test]
    fn names_are_listed_as_people_do() {
        let names = |names: &[&str]| list(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(
            [names(&[]), names(&["a"]), names(&["a", "b"]), names(&["a", "b", "c"])],
            ["", "a", "a and b", "a, b and c"]
        );
    }
}
