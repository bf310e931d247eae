//! Generator of the facts about the grammar that the layout needs: the words with which statements begin, the tokens
//! directly after each, and the blocks that end them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::productions::{Grammar, Symbol};

/// The statements of each block of `outline::Block`: its variant, the rule of one statement in it, and the function
/// of `Kind` that knows the words with which they begin.
const STATEMENTS: &[(&str, &str, &str)] = &[
    ("File", "Declaration", "is_declaration"),
    ("Clauses", "Clause", "is_clause"),
    ("Items", "Item", "is_item"),
    ("Parts", "EventPart", "is_part"),
];

/// The rules that stand between braces, with their variants of `outline::Block`.
const BLOCKS: &[(&str, &str)] = &[
    ("Clauses", "Clauses"),
    ("Items", "Items"),
    ("OnItems", "Items"),
    ("Members", "Members"),
    ("EventParts", "Parts"),
    ("EntryFields", "Fields"),
    ("ProbeFields", "Probe"),
];

/// The tokens that the layout makes, with the first token of the lexer in each. Those of broken texts have none.
const MADE: &[(&str, Option<&str>)] = &[
    ("set{", Some("{")),
    ("list{", Some("{")),
    ("probe{", Some("{")),
    ("header", Some("<")),
    ("in kernel", Some("in")),
    ("action", Some("word")),
    ("signal", Some("word")),
    ("break", None),
    ("broken", None),
];

/// The limit of the ways in which the statements of one block may begin.
const MOST: usize = 10_000;

/// Writes the functions that `src/outline.rs` includes.
pub(crate) fn write(grammar: &Grammar) -> Result<String, String> {
    let outline = Outline { grammar, empty: empty_rules(grammar) };
    let names = outline.first(&[Symbol::Rule("Name".to_owned())])?;
    let (mut functions, mut blocks, mut follow) = (String::new(), String::new(), String::new());
    write_is(
        &mut functions,
        "is_name",
        "Returns whether the token can be a name. Some names are reserved, and are refused with a message of their own",
        &outline,
        &names,
    );
    for (block, rule, is) in STATEMENTS {
        let statements = outline.statements(rule)?;
        let words: BTreeSet<String> = statements.keys().cloned().collect();
        if let Some(other) = words.difference(&names).next() {
            return Err(format!(
                "src/grammar.lalrpop: a `{rule}` begins with {other:?}, which is no `Name`: the layout finds statements by \
                 words that are names elsewhere, so add it to `Word`"
            ));
        }
        write_is(
            &mut functions,
            is,
            &format!("Returns whether the token begins a `{rule}`"),
            &outline,
            &words,
        );
        for (word, ways) in statements {
            let word = outline.kind(&word);
            let (mut ends, mut next) = (Vec::new(), BTreeSet::new());
            for way in ways {
                outline.blocks(&way, &mut ends, &mut BTreeSet::new())?;
                next.extend(outline.first(&way)?);
            }
            if !ends.is_empty() {
                writeln!(blocks, "(Block::{block}, {word}) => &[{}],", ends.join(", ")).map_err(fails)?;
            }
            let mut tests = Vec::new();
            if names.is_subset(&next) {
                tests.push("next.is_name()".to_owned());
                next.retain(|token| !names.contains(token));
            }
            if !next.is_empty() {
                tests.push(outline.is_one_of("next", &next));
            }
            writeln!(follow, "(Block::{block}, {word}) => {},", tests.join(" || ")).map_err(fails)?;
        }
    }
    Ok(format!(
        "impl Kind {{\n{functions}}}\n\
         impl Block {{\n\
         /// Returns the blocks that may end a statement of this block that begins with `word`.\n\
         pub(crate) fn behind(self, word: Kind) -> &'static [Block] {{\n\
         match (self, word) {{\n{blocks}_ => &[],\n}}\n}}\n\
         /// Returns whether `next` may stand directly behind the `word` that begins a statement of this block.\n\
         pub(crate) fn may_follow(self, word: Kind, next: Kind) -> bool {{\n\
         match (self, word) {{\n{follow}_ => false,\n}}\n}}\n}}\n"
    ))
}

fn write_is(out: &mut String, function: &str, doc: &str, outline: &Outline<'_>, tokens: &BTreeSet<String>) {
    let test = outline.is_one_of("self", tokens);
    out.push_str(&format!("/// {doc}.\npub(crate) fn {function}(self) -> bool {{\n{test}\n}}\n"));
}

fn fails(error: std::fmt::Error) -> String {
    error.to_string()
}

/// Returns the rules that may be empty.
fn empty_rules(grammar: &Grammar) -> BTreeSet<&str> {
    let mut empty = BTreeSet::new();
    loop {
        let before = empty.len();
        for (name, productions) in &grammar.rules {
            let is_empty =
                |symbol: &Symbol| matches!(symbol, Symbol::Rule(rule) if empty.contains(rule.as_str()));
            if productions.iter().any(|production| production.symbols.iter().all(is_empty)) {
                empty.insert(name.as_str());
            }
        }
        if empty.len() == before {
            return empty;
        }
    }
}

struct Outline<'g> {
    grammar: &'g Grammar,
    empty: BTreeSet<&'g str>,
}

impl Outline<'_> {
    /// Returns the symbols after each word with which the statements of a rule begin, without doc comments.
    fn statements(&self, rule: &str) -> Result<BTreeMap<String, Vec<Vec<Symbol>>>, String> {
        let mut found: BTreeMap<String, Vec<Vec<Symbol>>> = BTreeMap::new();
        let mut open = vec![vec![Symbol::Rule(rule.to_owned())]];
        let mut tried = 0;
        while let Some(symbols) = open.pop() {
            tried += 1;
            match symbols.split_first() {
                _ if tried > MOST => return Err(format!("src/grammar.lalrpop: `{rule}` begins with itself")),
                None => return Err(format!("src/grammar.lalrpop: a `{rule}` may be empty")),
                Some((Symbol::Token(doc), _)) if doc == "doc" => {}
                Some((Symbol::Token(word), rest)) => {
                    found.entry(word.clone()).or_default().push(rest.to_vec());
                }
                Some((Symbol::Rule(first), rest)) => {
                    let ways = self.grammar.rules[first].iter().rev();
                    open.extend(ways.map(|way| [way.symbols.as_slice(), rest].concat()));
                }
                Some((Symbol::Lost, _)) => {}
            }
        }
        Ok(found)
    }

    /// Returns the tokens of the lexer with which `symbols` may begin.
    fn first(&self, symbols: &[Symbol]) -> Result<BTreeSet<String>, String> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        self.add_first(symbols, &mut found, &mut seen);
        let made: BTreeMap<&str, Option<&str>> = MADE.iter().copied().collect();
        let lexed = |token: String| match made.get(token.as_str()) {
            Some(first) => first.map(str::to_owned),
            None => Some(token),
        };
        Ok(found.into_iter().filter_map(lexed).collect())
    }

    fn add_first(&self, symbols: &[Symbol], found: &mut BTreeSet<String>, seen: &mut BTreeSet<String>) {
        for symbol in symbols {
            match symbol {
                Symbol::Token(token) => {
                    found.insert(token.clone());
                }
                Symbol::Rule(rule) => {
                    if seen.insert(rule.clone()) {
                        for way in &self.grammar.rules[rule] {
                            self.add_first(&way.symbols, found, seen);
                        }
                    }
                    if self.empty.contains(rule.as_str()) {
                        continue;
                    }
                }
                Symbol::Lost => {}
            }
            return;
        }
    }

    /// Adds the blocks in `symbols`, as variants of `Block`, in the order of the grammar. Blocks that occur only in
    /// broken texts do not count, and neither do nested blocks.
    fn blocks(
        &self,
        symbols: &[Symbol],
        found: &mut Vec<String>,
        seen: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        if symbols.contains(&Symbol::Rule("Lost".to_owned())) {
            return Ok(());
        }
        let mut symbols = symbols.iter();
        while let Some(symbol) = symbols.next() {
            match symbol {
                Symbol::Token(open) if open == "{" || open == "probe{" => {
                    let block = symbols.next();
                    let known = |(rule, _): &&(&str, &str)| block == Some(&Symbol::Rule((*rule).to_owned()));
                    let Some((_, variant)) = BLOCKS.iter().find(known) else {
                        return Err(format!(
                            "src/grammar.lalrpop: {} follows {open:?}, and the layout has no such \
                             block: add it to `Block` in src/outline.rs, to `BLOCKS` in build/outline.rs, and to \
                             `Statements::blocks`",
                            block.map_or("nothing".to_owned(), Symbol::shown)
                        ));
                    };
                    let variant = format!("Block::{variant}");
                    if !found.contains(&variant) {
                        found.push(variant);
                    }
                }
                Symbol::Rule(rule) if seen.insert(rule.clone()) => {
                    for way in &self.grammar.rules[rule] {
                        self.blocks(&way.symbols, found, seen)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn kind(&self, token: &str) -> String {
        format!("Kind::{}", self.grammar.kinds[token])
    }

    fn is_one_of(&self, value: &str, tokens: &BTreeSet<String>) -> String {
        let kinds: Vec<String> = tokens.iter().map(|token| self.kind(token)).collect();
        format!("matches!({value}, {})", kinds.join(" | "))
    }
}
