//! Conditions of which the kernel has to decide a part: `filter in kernel`.
//!
//! The words apply to the conjuncts of their clause, so that one that another clause implies must not be dropped, and
//! none is joined with one that any place may decide. The conjuncts of each demand are simplified by themselves, as are
//! all the others together.

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;

use super::Verdicts;
use super::conjunction::{ShortForms, conjunction, short_form};
use crate::ir::{self, ConditionId, Conditions, Conjunct, Demand, Recording};
use crate::source::SourceMap;

/// The short forms of the conditions of recordings with demands, by both: each once for the recordings that share them.
#[derive(Debug, Default)]
pub(super) struct Demanded {
    short: FxHashMap<(ConditionId, Vec<Demand>), Short>,
}

/// A simplified condition, with the demands for its conjuncts.
#[derive(Debug, Default)]
struct Short {
    conjuncts: Vec<Conjunct>,
    demands: Vec<Demand>,
}

/// A simplified conjunct, the index of the first that it was made of, and the words that demand the kernel for it.
type Part = (usize, Conjunct, Option<Span>);

impl Demanded {
    /// Simplifies the conditions of recordings with demands. `shorter` has the short forms of those conditions that
    /// simplification changes where nothing is demanded.
    pub(super) fn of<'a>(
        sessions: &[ir::Session],
        given: &'a Conditions,
        shorter: &FxHashMap<ConditionId, Vec<Conjunct>>,
        known: &mut ShortForms<'a>,
        texts: &SourceMap,
    ) -> Demanded {
        let mut demanded = Demanded::default();
        let events = sessions.iter().flat_map(|session| &session.events);
        for Recording { filter, demands, shown: _, clause: _ } in
            events.filter_map(|event| event.record.as_ref())
        {
            if demands.is_empty() {
                continue;
            }
            let Some(whole) = shorter.get(filter) else { continue };
            demanded.short.entry((*filter, demands.clone())).or_insert_with(|| {
                match whole.iter().all(|conjunct| matches!(conjunct.value, Condition::Const(_))) {
                    // No place has to decide it.
                    true => Short { conjuncts: whole.clone(), demands: Vec::new() },
                    false => Short::of(&given[*filter], demands, known, texts),
                }
            });
        }
        demanded
    }

    /// Adds the short forms to the conditions, and puts them in the place of the old ones.
    pub(super) fn replace(
        self,
        sessions: &mut [ir::Session],
        conditions: &mut Conditions,
        verdicts: &mut Verdicts,
    ) {
        if self.short.is_empty() {
            return;
        }
        let new = self.short.into_iter().map(|(key, Short { conjuncts, demands })| {
            let id = conditions.add(conjuncts);
            verdicts.set(id, verdicts.of(key.0).to_vec());
            (key, (id, demands))
        });
        let new: FxHashMap<_, _> = new.collect();
        for event in sessions.iter_mut().flat_map(|session| &mut session.events) {
            let Some(Recording { filter, demands, shown: _, clause: _ }) = &mut event.record else {
                continue;
            };
            let old = (*filter, std::mem::take(demands));
            (*filter, *demands) = new.get(&old).cloned().unwrap_or(old);
        }
    }
}

impl Short {
    fn of<'a>(
        given: &'a [Conjunct],
        demands: &[Demand],
        known: &mut ShortForms<'a>,
        texts: &SourceMap,
    ) -> Short {
        let (mut parts, mut others, mut end) = (Vec::new(), Vec::new(), 0);
        for Demand { words, conjuncts } in demands {
            others.extend(end..conjuncts.start);
            end = conjuncts.end;
            let indexes: Vec<usize> = conjuncts.clone().collect();
            parts.extend(simplified(given, &indexes, Some(*words), known, texts));
        }
        others.extend(end..given.len());
        parts.extend(simplified(given, &others, None, known, texts));
        // The parts of one demand stay together: the others come from before it or from behind it.
        parts.sort_by_key(|(index, ..)| *index);
        let mut short = Short::default();
        for (_, conjunct, words) in parts {
            let index = short.conjuncts.len();
            short.conjuncts.push(conjunct);
            match (words, short.demands.last_mut()) {
                (Some(words), Some(last)) if last.words == words && last.conjuncts.end == index => {
                    last.conjuncts.end += 1;
                }
                (words, _) => {
                    short.demands.extend(words.and_then(|words| Demand::of(words, index..index + 1)))
                }
            }
        }
        short
    }
}

/// Simplifies the conjuncts with these indexes together, which are one demand's, or demanded by none.
fn simplified<'a>(
    given: &'a [Conjunct],
    indexes: &[usize],
    words: Option<Span>,
    known: &mut ShortForms<'a>,
    texts: &SourceMap,
) -> Vec<Part> {
    let (short, unchanged) = short_form(indexes.iter().map(|index| &given[*index]), known);
    if unchanged {
        return indexes.iter().map(|index| (*index, given[*index].clone(), words)).collect();
    }
    // The index of the conjunct of each atom.
    let of_atom: Vec<usize> =
        indexes.iter().flat_map(|index| given[*index].atoms.iter().map(|_| *index)).collect();
    let whole: Vec<Conjunct> = indexes.iter().map(|index| given[*index].clone()).collect();
    let (conjuncts, _) = conjunction(&whole, &short, texts);
    let first = |part: usize| {
        let atom = short.conjuncts.get(part).and_then(|part| part.atoms.first());
        // A constant has no atoms, and is the only part.
        atom.and_then(|atom| of_atom.get(*atom)).or(indexes.first()).copied().unwrap_or_default()
    };
    conjuncts.into_iter().enumerate().map(|(part, conjunct)| (first(part), conjunct, words)).collect()
}

#[expect(clippy::single_range_in_vec_init, reason = "one range of conjuncts")]
#[cfg(test)]
mod tests {
    use tracec_kernel::condition::ir::{Atom, CompareOp, Number};

    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::place::fixture::{computed, field, plain, session};
    use crate::simplify::simplify;
    use crate::source::SourceText;

    /// Returns `a > value`.
    fn above(value: i128) -> Condition {
        Condition::compare(Number::Field(field("a")), CompareOp::Gt, value)
    }

    /// Returns `a == a`, which is always true.
    fn same() -> Condition {
        let a = || Number::Field(field("a"));
        Condition::Atom(Atom::Compare { left: a(), op: CompareOp::Eq, right: a() })
    }

    fn indexes(demands: &[Demand]) -> Vec<std::ops::Range<usize>> {
        demands.iter().map(|demand| demand.conjuncts.clone()).collect()
    }

    /// Returns the simplified conjuncts of a recording, and the indexes of those that the kernel has to decide.
    fn simplified_with(
        conditions: &[Condition],
        demanded: &[std::ops::Range<usize>],
    ) -> (Vec<Condition>, Vec<std::ops::Range<usize>>) {
        let mut module = session(conditions, None, false);
        let recording = module.sessions[0].events[0].record.as_mut().expect("recorded");
        let words = |index: usize| Span::new(900 + 10 * index, 909 + 10 * index);
        let demands = demanded.iter().cloned().enumerate();
        recording.demands =
            demands.map(|(index, conjuncts)| Demand { words: words(index), conjuncts }).collect();
        let (name, text) = ("t".to_owned(), String::new());
        let texts = SourceMap::new(SourceText { name, text, one_liner: false });
        let (module, _) = simplify(module, &texts, &mut Diagnostics::default());
        let recording = module.sessions[0].events[0].record.as_ref().expect("recorded");
        let values = module.conditions[recording.filter].iter().map(|conjunct| conjunct.value.clone());
        (values.collect(), indexes(&recording.demands))
    }

    #[test]
    fn part_that_is_always_true_is_dropped_beside_a_demand() {
        let always = || Condition::any(vec![computed(), same()]);
        assert_eq!(simplified_with(&[same(), plain(1)], &[1..2]), (vec![plain(1)], vec![0..1]));
        assert_eq!(simplified_with(&[plain(1), always()], &[1..2]), (vec![plain(1)], vec![]));
        assert_eq!(simplified_with(&[always()], &[0..1]), (vec![], vec![]));
        let three = [always(), plain(1), same(), computed()];
        assert_eq!(simplified_with(&three, &[0..2, 3..4]), (vec![plain(1), computed()], vec![0..1, 1..2]));
    }

    #[test]
    fn condition_that_is_always_false_demands_nothing() {
        let never = vec![Condition::Const(false)];
        assert_eq!(simplified_with(&[plain(1), plain(2)], &[1..2]), (never, vec![]));
    }

    /// `in kernel` applies to the conjuncts of its clause: the kernel decides them, whatever another clause implies.
    #[test]
    fn demanded_part_that_another_implies_is_kept() {
        let both = [above(1), above(5)];
        assert_eq!(simplified_with(&both, &[0..1]), (both.to_vec(), vec![0..1]));
        assert_eq!(simplified_with(&both, &[1..2]), (both.to_vec(), vec![1..2]));
        assert_eq!(simplified_with(&both, &[0..1, 1..2]), (both.to_vec(), vec![0..1, 1..2]));
        assert_eq!(simplified_with(&both, &[0..2]), (vec![above(5)], vec![0..1]));
    }

    #[test]
    fn parts_without_a_demand_are_simplified_together() {
        let three = [above(1), computed(), above(5)];
        assert_eq!(simplified_with(&three, &[1..2]), (vec![computed(), above(5)], vec![0..1]));
    }

    /// Recordings that share a condition may differ in their demands.
    #[test]
    fn demand_of_one_event_leaves_the_other_alone() {
        let mut module = session(&[above(1), above(5)], None, false);
        let mut second = module.sessions[0].events[0].clone();
        let demand = Demand { words: Span::new(900, 909), conjuncts: 0..1 };
        second.record.as_mut().expect("recorded").demands.push(demand);
        module.sessions[0].events.push(second);
        let texts =
            SourceMap::new(SourceText { name: "t".to_owned(), text: String::new(), one_liner: false });
        let (module, _) = simplify(module, &texts, &mut Diagnostics::default());
        let recorded = module.sessions[0].events.iter().filter_map(|event| event.record.as_ref());
        let counts: Vec<_> = recorded
            .map(|recording| (module.conditions[recording.filter].len(), indexes(&recording.demands)))
            .collect();
        assert_eq!(counts, [(1, vec![]), (2, vec![0..1])]);
    }
}
