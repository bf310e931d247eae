//! Generator of the sentences: one for each way to write each symbol of each production, with the shortest text around
//! it.

use std::collections::{BTreeMap, BTreeSet};

use super::productions::{Grammar, Production, Symbol};
use crate::layout::Form;

/// A correct text, and its tokens.
pub(super) struct Sentence {
    /// The text on one line.
    pub(super) text: String,
    /// The text with each token on a line of its own, outside of templates.
    pub(super) lines: String,
    /// The tokens of the grammar, the first of which says what is to be parsed.
    pub(super) tokens: Vec<String>,
    /// The symbol that is tried, for a message.
    pub(super) place: String,
    pub(super) form: Form,
}

/// The tokens and functions whose productions parse mistakes.
const WRONG: &[&str] = &["broken", "break", "junk", "foreign"];
const REPORTS: &[&str] = &["b.missing_", "b.wrong_", "b.foreign_", "b.chained", "b.reserved", "b.recovered"];

/// The spelling of tokens whose names are not their texts.
const WRITTEN: &[(&str, &str)] = &[
    ("start-file", ""),
    ("start-clauses", ""),
    ("start-events", ""),
    ("string-word", "string"),
    ("c-type", "unsigned"),
    ("word", "w"),
    ("action", "w"),
    ("int", "1"),
    ("size", "1KiB"),
    ("duration", "1s"),
    ("address", "10.0.0.1"),
    ("CPUS{}", "CPUS{0-3}"),
    ("string", "\"s\""),
    ("doc", "/// d\n"),
    ("inner-doc", "//! d\n"),
    ("raw-c", "`c`"),
    ("template{", "\""),
    ("template-text", "t"),
    ("place{", "{"),
    ("format", ":x"),
    ("place}", "}"),
    ("template}", "\""),
    ("set{", "{"),
    ("set}", "}"),
    ("list{", "{"),
    ("list}", "}"),
    ("probe{", "{"),
    ("header", "<a/b.h>"),
    ("fetch", "%di"),
];

/// The tokens with no space before them, and those with no space after them: the parts of templates.
const GLUED_BEFORE: &[&str] = &["template-text", "place{", "format", "place}", "template}"];
const GLUED_BEHIND: &[&str] = &["template{", "template-text", "place{", "format", "place}"];

/// A token of a sentence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    token: String,
    text: String,
    /// Whether there is no space beside it: the `-` in a name.
    glued: bool,
}

/// The tokens before a symbol, and those after it.
type Around = (Vec<Item>, Vec<Item>);

pub(super) struct Maker<'g> {
    grammar: &'g Grammar,
    /// The shortest text of each rule that has a correct one.
    shortest: BTreeMap<&'g str, Vec<Item>>,
    /// The shortest text around each rule.
    around: BTreeMap<&'g str, Around>,
}

impl<'g> Maker<'g> {
    pub(super) fn new(grammar: &'g Grammar) -> Self {
        let mut maker = Maker { grammar, shortest: BTreeMap::new(), around: BTreeMap::new() };
        maker.find_shortest();
        maker.find_around();
        maker
    }

    /// Returns the sentences of the whole grammar.
    pub(super) fn sentences(&self) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        let mut seen = BTreeSet::new();
        for (&rule, (before, behind)) in &self.around {
            for (inner, middle) in self.tried(rule, true) {
                let items = [&before[..], &middle, &behind[..]].concat();
                // A one-liner without a clause begins with events.
                let is_empty =
                    items[0].token == "start-clauses" && items.iter().all(|item| item.token.contains('-'));
                // Behind an action, these words count.
                let is_count =
                    |item: &Item| item.token == "word" && matches!(item.text.as_str(), "count" | "once");
                let counts = items.windows(3).any(|of| of[0].token == "trigger" && is_count(&of[2]))
                    || items.windows(2).any(|of| of[0].token == "action" && is_count(&of[1]));
                if !is_empty && !counts && seen.insert(items.clone()) {
                    sentences.push(sentence(items, format!("{inner} in `{rule}`")));
                }
            }
        }
        sentences
    }

    /// Returns the texts of a rule, without those that differ in which words are names.
    pub(super) fn texts(&self, rule: &'g str) -> BTreeSet<String> {
        self.tried(rule, false).into_iter().map(|(_, items)| sentence(items, String::new()).text).collect()
    }

    /// Returns each way to write each symbol of each production of a rule, with the shortest text of the others, and
    /// the symbol.
    fn tried(&self, rule: &'g str, soft: bool) -> Vec<(String, Vec<Item>)> {
        let mut tried = Vec::new();
        for production in self.productions(rule) {
            for (index, symbol) in production.symbols.iter().enumerate() {
                let Symbol::Rule(inner) = symbol else { continue };
                let (before, behind) = self.beside(rule, production, index);
                for way in self.ways(inner, soft, &mut BTreeSet::new()) {
                    tried.push((symbol.shown(), [&before[..], &way, &behind].concat()));
                }
            }
        }
        tried
    }

    /// Returns the productions of a rule that occur in correct texts.
    fn productions(&self, rule: &str) -> Vec<&'g Production> {
        let is_correct = |production: &&Production| {
            self.text(rule, &production.symbols).is_some()
                && !REPORTS.iter().any(|report| production.action.contains(report))
        };
        self.grammar.rules[rule].iter().filter(is_correct).collect()
    }

    fn find_shortest(&mut self) {
        loop {
            let mut better = BTreeMap::new();
            for rule in self.grammar.rules.keys() {
                let texts = self
                    .productions(rule)
                    .into_iter()
                    .filter_map(|production| self.text(rule, &production.symbols));
                let Some(text) = texts.min_by_key(|text| simplicity(text)) else { continue };
                if self.shortest.get(rule.as_str()).is_none_or(|known| simplicity(&text) < simplicity(known))
                {
                    better.insert(rule.as_str(), text);
                }
            }
            if better.is_empty() {
                return;
            }
            self.shortest.extend(better);
        }
    }

    /// Returns the shortest text of symbols of a production of `rule`, if there is a correct one.
    fn text(&self, rule: &str, symbols: &[Symbol]) -> Option<Vec<Item>> {
        let mut text = Vec::new();
        for symbol in symbols {
            match symbol {
                Symbol::Lost => return None,
                Symbol::Token(token) if WRONG.contains(&token.as_str()) => return None,
                Symbol::Token(token) => {
                    text.push(Item { glued: rule == "DashedName" && token == "-", ..item(token) });
                }
                Symbol::Rule(rule) => text.extend_from_slice(self.shortest.get(rule.as_str())?),
            }
        }
        Some(text)
    }

    /// Returns the tokens before and after the symbol at `index` of a production.
    fn beside(&self, rule: &str, production: &Production, index: usize) -> (Vec<Item>, Vec<Item>) {
        let text = |symbols: &[Symbol]| self.text(rule, symbols).unwrap_or_default();
        (text(&production.symbols[..index]), text(&production.symbols[index + 1..]))
    }

    fn find_around(&mut self) {
        self.around.insert("Start", (Vec::new(), Vec::new()));
        let mut open = vec!["Start"];
        while let Some(rule) = open.pop() {
            let (start, end) = self.around[rule].clone();
            for production in self.productions(rule) {
                for (index, symbol) in production.symbols.iter().enumerate() {
                    let Symbol::Rule(inner) = symbol else { continue };
                    let (before, behind) = self.beside(rule, production, index);
                    let around = ([&start[..], &before].concat(), [&behind[..], &end].concat());
                    let is_better =
                        self.around.get(inner.as_str()).is_none_or(|known| cost(&around) < cost(known));
                    if is_better && self.shortest.contains_key(inner.as_str()) {
                        self.around.insert(inner, around);
                        open.push(inner);
                    }
                }
            }
        }
    }

    /// Returns the ways to write a rule. A production of only another rule is replaced by the ways of that rule. In the
    /// place of a name, the words that may be one are ways of their own if they are `soft`.
    fn ways(&self, rule: &'g str, soft: bool, seen: &mut BTreeSet<&'g str>) -> Vec<Vec<Item>> {
        if !seen.insert(rule) {
            return Vec::new();
        }
        let mut ways = Vec::new();
        for production in self.productions(rule) {
            match production.symbols.as_slice() {
                [Symbol::Rule(inner)] => ways.extend(self.ways(inner, soft, seen)),
                symbols => ways.extend(self.text(rule, symbols)),
            }
        }
        match rule {
            "NameWord" | "TypeWord" | "FeatureWord" if !soft => vec![vec![item("word")]],
            // The layout makes these words plain ones.
            "Symbol" if soft => {
                let names = self.ways("Name", true, &mut BTreeSet::new()).into_iter().flatten();
                let plain = |name: Item| vec![Item { token: "word".to_owned(), ..name }];
                names.map(plain).collect()
            }
            _ => ways,
        }
    }
}

/// Returns the order of simplicity: fewer tokens are simpler, then fewer words that are also keywords.
fn simplicity(text: &[Item]) -> (usize, usize) {
    (text.len(), text.iter().filter(|item| item.token == item.text).count())
}

/// Returns the order of the texts around a rule. Files come first: in them, every word can begin a statement.
fn cost((before, behind): &Around) -> usize {
    let is_file = before.first().is_some_and(|first| first.token == "start-file");
    before.len() + behind.len() + if is_file { 0 } else { 100 }
}

fn item(token: &str) -> Item {
    let written = WRITTEN.iter().find(|(name, _)| *name == token);
    let text = written.map_or(token, |(_, text)| text).to_owned();
    Item { token: token.to_owned(), text, glued: false }
}

fn sentence(mut items: Vec<Item>, place: String) -> Sentence {
    // Texts of a template without a placeholder between are one token.
    items.dedup_by(|next, before| next.token == "template-text" && before.token == "template-text");
    let (mut text, mut lines) = (String::new(), String::new());
    let (mut glued, mut template) = (true, false);
    for item in &items {
        let token = item.token.as_str();
        template &= token != "template}";
        if !(glued || item.glued || GLUED_BEFORE.contains(&token)) {
            text.push(' ');
            lines.push(if template { ' ' } else { '\n' });
        }
        text.push_str(&item.text);
        lines.push_str(&item.text);
        template |= token == "template{";
        glued = item.glued || GLUED_BEHIND.contains(&token) || item.text.is_empty();
    }
    let form = if items[0].token == "start-file" { Form::File } else { Form::OneLiner };
    let tokens = items.into_iter().map(|item| item.token).collect();
    Sentence { text, lines, tokens, place, form }
}
