//! Trials: whether a statement checks with a candidate at the place.

use std::collections::{BTreeMap, BTreeSet};

use gen_lsp_types::CompletionItemKind as Kind;
use tracec_compiler::KernelSource;

use super::Candidate;
use crate::answer::Surroundings;
use crate::cursor::Cursor;
use crate::facts;
use crate::fragment::Fragment;
use crate::world::Remembered;

/// The trials of one answer.
pub(super) struct Trials<'a> {
    of: &'a Surroundings<'a>,
    cursor: &'a Cursor<'a>,
    fragment: &'a Fragment<'a>,
    /// The statement for other kernels, by their labels.
    others: BTreeMap<String, Fragment<'a>>,
    /// How much of a path stands before the word, in bytes.
    path: usize,
    /// Whether nothing stands behind the word but the end of the statement.
    pub(super) is_free: bool,
    /// The words that say something about an event at the place.
    words: BTreeSet<&'a str>,
    verdicts: BTreeMap<String, bool>,
}

impl<'a> Trials<'a> {
    pub(super) fn new(
        of: &'a Surroundings<'a>,
        cursor: &'a Cursor<'a>,
        fragment: &'a Fragment<'a>,
        path: usize,
    ) -> Self {
        let heads = cursor.blocks.iter().flat_map(|block| cursor.words_of(block));
        let words = heads.chain(cursor.before()).chain(cursor.behind()).collect();
        let is_free = matches!(cursor.behind().as_slice(), [] | [";"]);
        let (others, verdicts) = (BTreeMap::new(), BTreeMap::new());
        Trials { of, cursor, fragment, others, path, is_free, words, verdicts }
    }

    /// Returns whether the answer is still wanted.
    pub(super) fn are_wanted(&self) -> bool {
        (self.of.is_wanted)()
    }

    /// Returns whether one that is like a candidate was tried.
    pub(super) fn is_known(&self, candidate: &Candidate) -> bool {
        candidate.like.as_ref().is_some_and(|like| self.verdicts.contains_key(like))
    }

    /// Returns whether the statement checks with a candidate, for a kernel that has it.
    pub(super) fn check(&mut self, candidate: &Candidate) -> bool {
        let kernel = self.kernel(candidate);
        let like = candidate.like.clone().or_else(|| self.event(candidate, kernel));
        if let Some(known) = like.as_ref().and_then(|like| self.verdicts.get(like)) {
            return *known;
        }
        let Some(word) = candidate.text.get(self.path..) else { return false };
        let fragment = if kernel.label == self.fragment.kernel.label {
            self.fragment
        } else {
            let (of, cursor) = (self.of, self.cursor);
            let other = self.others.entry(kernel.label.clone());
            &*other.or_insert_with(|| Fragment::on(of, cursor, Some(kernel)))
        };
        let checks = fragment.checks_with(word, candidate.rests);
        self.verdicts.extend(like.map(|like| (like, checks)));
        checks
    }

    /// Returns the kernel that a candidate is tried on: that of the statement, if it has it.
    fn kernel(&self, candidate: &Candidate) -> &'a Remembered {
        let has = |kernel: &Remembered| candidate.only.is_empty() || candidate.only.contains(&kernel.label);
        let own = self.fragment.kernel;
        let mut others = self.of.kernels.iter();
        if has(own) { own } else { others.find(|kernel| has(kernel)).unwrap_or(own) }
    }

    /// Returns what an event of a kernel is like: the fields that the statement names, as it has them. What is said of the
    /// event elsewhere may matter too.
    fn event(&self, candidate: &Candidate, kernel: &Remembered) -> Option<String> {
        let (system, name) = candidate.text.split_once(':').filter(|_| candidate.kind == Kind::Event)?;
        if self.is_free || self.words.contains(name) || self.fragment.mentions(name) {
            return None;
        }
        let layout = kernel.layout(system, name).ok()??;
        let format = &layout.format;
        let fields = self.words.iter().filter_map(|word| format.field(word));
        let fields = fields.map(|field| {
            let names = facts::names(format, field);
            format!("{} {} {} {} {names:?}", field.name, field.type_text, field.size, field.signed)
        });
        Some(format!("{} {:?}", kernel.label, fields.collect::<Vec<_>>()))
    }
}
