//! Merging of literals about the same subject that one connective joins.
//!
//! A disjunction is the negation of the conjunction of the negations. So the functions here work on conjunctions; for a
//! disjunction, sets are replaced by their complements before and back afterwards.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::condition::ir::Condition;
use crate::condition::ranges::Ranges;

use super::findings::{FindingKind, Findings};
use super::form::{price, write};
use super::points::{Kind, PointSet};
use super::subject::{Set, Topic, Topics};

/// The number of patterns of one text, or masks, that are compared with all other tests of it. The others are kept
/// unchanged.
const PATTERNS: usize = 32;

/// A statement about one subject.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// The subject's index in [`Topics`].
    pub(super) topic: usize,
    /// The set of values for which the literal is true.
    pub(super) set: Set,
    /// The literal as it is written, part by part, joined by `all`.
    pub(super) parts: Vec<Part>,
    pub(super) all: bool,
}

/// A piece of a condition.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) condition: Condition,
    /// The atoms of the input that it came from, ascending; never empty. The piece stands where the first of them does.
    pub(super) atoms: Vec<usize>,
}

impl Literal {
    /// Returns the atoms of the input that the literal came from, ascending.
    pub(super) fn atoms(&self) -> Vec<usize> {
        let mut atoms: Vec<usize> = self.parts.iter().flat_map(|part| part.atoms.iter().copied()).collect();
        atoms.sort_unstable();
        atoms
    }

    /// Returns what is known of the subject where the literal is a part of a conjunction that holds, or of a
    /// disjunction whose other parts decide.
    pub(super) fn known(&self, all: bool, topic: &Topic) -> Set {
        if all { self.set.clone() } else { topic.complement(&self.set) }
    }

    fn price(&self) -> usize {
        self.parts.iter().map(|part| price(&part.condition)).sum()
    }
}

/// Merges the literals: at most one per number remains, and no redundant one. `None` if they contradict each other: the
/// conjunction is false, the disjunction true.
pub(super) fn merge(
    literals: Vec<Literal>,
    all: bool,
    topics: &Topics,
    findings: &mut Findings,
) -> Option<Vec<Literal>> {
    if literals.len() < 2 {
        return Some(literals);
    }
    let mut order: Vec<usize> = Vec::new();
    let mut groups: FxHashMap<usize, Vec<Literal>> = FxHashMap::default();
    for literal in literals {
        let group = groups.entry(literal.topic).or_default();
        if group.is_empty() {
            order.push(literal.topic);
        }
        group.push(literal);
    }
    let mut merged = Vec::new();
    for id in order {
        let group = groups.remove(&id).unwrap_or_default();
        let topic = topics.get(id);
        match group.first().map(|literal| &literal.set) {
            Some(Set::Values(_)) if group.len() > 1 => merged.push(numbers(group, all, topic, findings)?),
            Some(Set::Points(_)) if group.len() > 1 => merged.extend(points(group, all, topic, findings)?),
            _ => merged.extend(group),
        }
    }
    Some(merged)
}

/// Merges several literals about one number into one.
fn numbers(group: Vec<Literal>, all: bool, topic: &Topic, findings: &mut Findings) -> Option<Literal> {
    let sets: Vec<Ranges> = group
        .iter()
        .map(|literal| match literal.known(all, topic) {
            Set::Values(values) => values,
            Set::Points(_) => Ranges::default(),
        })
        .collect();
    let excluded: Vec<Ranges> = sets.iter().map(|set| topic.outside(set)).collect();
    let common = topic.outside(&Ranges::new(excluded.iter().flat_map(Ranges::iter)));
    if common.is_empty() {
        contradiction(&group, &sets, all, topic, findings);
        return None;
    }
    let dropped = covered(&excluded);
    for (index, by) in &dropped {
        let twin = by.iter().find(|other| sets[**other] == sets[*index]);
        let atoms = |of: &[usize]| of.iter().flat_map(|other| group[*other].atoms()).collect::<Vec<_>>();
        findings.add(
            group[*index].atoms(),
            match twin {
                Some(twin) => FindingKind::Duplicate { of: group[*twin].atoms() },
                None => FindingKind::Implied { by: atoms(by) },
            },
        );
    }
    let topic_id = group.first()?.topic;
    let kept = group.into_iter().enumerate().filter(|(index, _)| !dropped.contains_key(index));
    let kept: Vec<Literal> = kept.map(|(_, literal)| literal).collect();
    let set = if all { Set::Values(common) } else { topic.complement(&Set::Values(common)) };
    Some(joined(topic_id, kept, set, all, topic))
}

/// Returns the kept literals as one: unchanged, or rewritten where that is shorter.
fn joined(topic_id: usize, kept: Vec<Literal>, set: Set, all: bool, topic: &Topic) -> Literal {
    let price_now: usize = kept.iter().map(Literal::price).sum();
    let mut atoms: Vec<usize> = kept.iter().flat_map(Literal::atoms).collect();
    atoms.sort_unstable();
    if let Some(condition) = write(topic, &set).filter(|condition| price(condition) < price_now) {
        return Literal { topic: topic_id, set, parts: vec![Part { condition, atoms }], all };
    }
    let mut parts: Vec<Part> = kept.into_iter().flat_map(|literal| literal.into_parts(all)).collect();
    parts.sort_by(|a, b| a.atoms.cmp(&b.atoms));
    Literal { topic: topic_id, set, parts, all }
}

impl Literal {
    /// Returns the literal's parts as parts of a larger conjunction or disjunction.
    pub(super) fn into_parts(self, all: bool) -> Vec<Part> {
        if self.parts.len() < 2 || self.all == all {
            return self.parts;
        }
        let atoms = self.atoms();
        let parts = self.parts.into_iter().map(|part| part.condition).collect();
        let condition = if self.all { Condition::all(parts) } else { Condition::any(parts) };
        vec![Part { condition, atoms }]
    }
}

/// Reports the contradiction: two disjoint sets if there are any, else one set with all before it.
fn contradiction(group: &[Literal], sets: &[Ranges], all: bool, topic: &Topic, findings: &mut Findings) {
    let mut common = topic.domain.ranges.clone();
    for (index, set) in sets.iter().enumerate() {
        common = topic.domain.clip(&common.intersection(set));
        if !common.is_empty() {
            continue;
        }
        let apart = |other: &&usize| topic.domain.clip(&sets[**other].intersection(set)).is_empty();
        let before: Vec<usize> = (0..index).collect();
        let with = match before.iter().find(apart) {
            Some(one) => group[*one].atoms(),
            None => before.iter().flat_map(|other| group[*other].atoms()).collect(),
        };
        findings.add(group[index].atoms(), opposed(all, with));
        return;
    }
}

fn opposed(all: bool, with: Vec<usize>) -> FindingKind {
    if all { FindingKind::Contradiction { with } } else { FindingKind::Exhaustive { with } }
}

/// Returns the literals that exclude only values which others exclude too, each with the others.
///
/// They are processed from the one that excludes most to the one that excludes least, in the order of the input if they
/// exclude equally many. Each claims the values that are still unclaimed; one that finds none is redundant. So a
/// literal that a single other one implies is always found, and a literal is never dropped because of one that is
/// dropped itself.
fn covered(excluded: &[Ranges]) -> FxHashMap<usize, Vec<usize>> {
    let size = |ranges: &Ranges| ranges.iter().map(|(first, last)| last - first + 1).sum::<i128>();
    let mut order: Vec<usize> = (0..excluded.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(size(&excluded[*index])), *index));
    // The map from the first value of a run to its last value, and the literal that excludes it.
    let mut taken: BTreeMap<i128, (i128, usize)> = BTreeMap::new();
    let mut dropped = FxHashMap::default();
    for index in order {
        let mut by = Vec::new();
        let mut free = Vec::new();
        for (first, last) in excluded[index].iter() {
            let mut next = first;
            let before = taken.range(..=first).next_back().filter(|(_, (end, _))| *end >= first);
            let start = before.map_or(first, |(start, _)| *start);
            for (&from, &(to, owner)) in taken.range(start..=last) {
                if next < from {
                    free.push((next, from - 1));
                }
                by.push(owner);
                next = to + 1;
            }
            if next <= last {
                free.push((next, last));
            }
        }
        if free.is_empty() {
            by.sort_unstable();
            by.dedup();
            dropped.insert(index, by);
        }
        taken.extend(free.into_iter().map(|(first, last)| (first, (last, index))));
    }
    dropped
}

/// Returns the literals about one text or mask that are needed.
fn points(group: Vec<Literal>, all: bool, topic: &Topic, findings: &mut Findings) -> Option<Vec<Literal>> {
    let known = |literal: &Literal| match literal.known(all, topic) {
        Set::Points(points) => points,
        Set::Values(_) => PointSet { kind: Kind::Everything, bottom: true },
    };
    let mut first_of: FxHashMap<PointSet, Vec<usize>> = FxHashMap::default();
    let mut sets: Vec<PointSet> = Vec::new();
    let mut kept: Vec<Literal> = Vec::new();
    for literal in group {
        let set = known(&literal);
        match first_of.get(&set) {
            Some(of) => findings.add(literal.atoms(), FindingKind::Duplicate { of: of.clone() }),
            None => {
                first_of.insert(set.clone(), literal.atoms());
                sets.push(set);
                kept.push(literal);
            }
        }
    }
    match sets.iter().position(|set| matches!(set.kind, Kind::Is(_))) {
        Some(index) => one_point(kept, &sets, index, all, topic, findings),
        None => patterns(kept, &sets, all, findings),
    }
}

/// Merges literals of which one names the value: the others contain it or not.
fn one_point(
    kept: Vec<Literal>,
    sets: &[PointSet],
    index: usize,
    all: bool,
    topic: &Topic,
    findings: &mut Findings,
) -> Option<Vec<Literal>> {
    let (own, Some(Kind::Is(point))) = (&kept[index], sets.get(index).map(|set| &set.kind)) else {
        return Some(kept);
    };
    let unreadable = sets.iter().all(|set| set.bottom);
    let others = || (0..sets.len()).filter(|other| *other != index);
    // Where the literal that names the value is also true for a value that cannot be read, another literal excludes
    // that case.
    let readable = || others().find(|other| !sets[*other].bottom).filter(|_| sets[index].bottom);
    let without = |other: &usize| !sets[*other].kind.contains(point);
    if let Some(other) = others().find(|other| sets[index].excludes(&sets[*other])).or(others().find(without))
    {
        if unreadable {
            // The literal is true only for a value that cannot be read: there is no shorter form.
            return Some(kept);
        }
        let third = readable().filter(|_| !sets[index].excludes(&sets[other]));
        let mut opposed_here = [Some(index), Some(other), third].into_iter().flatten().collect::<Vec<_>>();
        opposed_here.sort_unstable();
        let (last, before) = opposed_here.split_last()?;
        let with = before.iter().flat_map(|earlier| kept[*earlier].atoms()).collect();
        findings.add(kept[*last].atoms(), opposed(all, with));
        return None;
    }
    let readable = readable();
    let mut said = own.atoms();
    said.extend(readable.iter().flat_map(|other| kept[*other].atoms()));
    said.sort_unstable();
    for other in others().filter(|other| Some(*other) != readable) {
        let by = if sets[index].implies(&sets[other]) { own.atoms() } else { said.clone() };
        findings.add(kept[other].atoms(), FindingKind::Implied { by });
    }
    let set = PointSet { kind: Kind::Is(point.clone()), bottom: unreadable };
    let same = sets[index] == set;
    let set = if all { Set::Points(set) } else { topic.complement(&Set::Points(set)) };
    if same {
        return Some(vec![own.clone()]);
    }
    let condition = write(topic, &set)?;
    let part = Part { condition, atoms: said };
    Some(vec![Literal { topic: own.topic, set, parts: vec![part], all }])
}

/// Merges literals none of which names the value: each pattern is compared with all.
fn patterns(
    kept: Vec<Literal>,
    sets: &[PointSet],
    all: bool,
    findings: &mut Findings,
) -> Option<Vec<Literal>> {
    let mut needed = vec![true; kept.len()];
    let patterns = (0..sets.len()).filter(|index| sets[*index].is_pattern()).take(PATTERNS);
    for pattern in patterns {
        for other in (0..sets.len()).filter(|other| *other != pattern) {
            if sets[pattern].excludes(&sets[other]) {
                let (earlier, later) = (&kept[pattern.min(other)], &kept[pattern.max(other)]);
                findings.add(later.atoms(), opposed(all, earlier.atoms()));
                return None;
            }
            // Of two equivalent literals the first stays.
            for (strong, weak) in [(pattern, other), (other, pattern)] {
                let implies = sets[strong].implies(&sets[weak]);
                let same = || sets[weak].implies(&sets[strong]);
                if needed[strong] && needed[weak] && implies && (strong < weak || !same()) {
                    needed[weak] = false;
                    findings.add(kept[weak].atoms(), FindingKind::Implied { by: kept[strong].atoms() });
                }
            }
        }
    }
    let mut needed = needed.into_iter();
    Some(kept.into_iter().filter(|_| needed.next().unwrap_or(true)).collect())
}
