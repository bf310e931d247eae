//! A place in a text that is being typed: the blocks around it, its statement, and the word at it.
//!
//! It is found from tokens and not from the syntax, which has nothing where a statement is not complete.

mod events;

use std::ops::Range;

use tracec_grammar::words::{CLAUSES, StatementContext};
use tracec_grammar::{TextToken, TokenClass, tokens};

/// A place in a text.
#[derive(Debug)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    /// Without comments.
    tokens: Vec<TextToken>,
    /// The blocks that are open at the place, the outermost first.
    pub(crate) blocks: Vec<Block>,
    /// The tokens of the statement before the word.
    before: Range<usize>,
    /// The tokens of the statement behind the word.
    behind: Range<usize>,
    /// The bytes of the word at the place; empty between words.
    pub(crate) word: Range<usize>,
    /// The offset.
    pub(crate) offset: usize,
    /// Whether the place is in a comment, a string or C, where nothing of the language stands.
    pub(crate) is_in_text: bool,
}

/// A block that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The bytes from the first word of its statement to its brace, the brace included.
    pub(crate) head: Range<usize>,
    /// The first token of its statement.
    first: usize,
}

/// The kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Clauses: of a session, of `global`, of `when`.
    Clauses,
    /// Items of `trace` and `on`.
    Items,
    /// Parts of `class` and `event`.
    Parts,
    /// A set: of events, of values; a placeholder of a template. It is a part of its statement.
    Set,
    /// Anything else: members, fields.
    Other,
}

impl BlockKind {
    /// Returns the context of statements in it; `None` if it holds none.
    fn context(self) -> Option<StatementContext> {
        match self {
            BlockKind::Clauses => Some(StatementContext::Session),
            BlockKind::Items => Some(StatementContext::Block),
            BlockKind::Parts => Some(StatementContext::Event),
            BlockKind::Set | BlockKind::Other => None,
        }
    }
}

impl<'t> Cursor<'t> {
    /// Finds a place.
    pub(crate) fn new(text: &'t str, offset: usize) -> Self {
        let offset = text.floor_char_boundary(offset);
        let all = tokens(text);
        let holds = |token: &TextToken| token.span.range().start < offset && offset <= token.span.range().end;
        let is_closed = |token: &TextToken| {
            let token = text.get(token.span.range()).unwrap_or_default();
            // A string and a block comment have an end of their own; behind it is not inside.
            token.ends_with('"') && token.len() > 1
                || token.ends_with("*/")
                || token.ends_with('`') && token.len() > 1
        };
        let is_in_text = all.iter().filter(|token| holds(token)).any(|token| {
            let is_open = text.get(token.span.range()).is_some_and(|token| token.starts_with(['"', '`']));
            let is_text = match token.class {
                TokenClass::Comment | TokenClass::Text | TokenClass::C => true,
                // A string without an end.
                TokenClass::Broken => is_open,
                TokenClass::Word | TokenClass::Number | TokenClass::Operator | TokenClass::Punctuation => {
                    false
                }
            };
            is_text && !(offset == token.span.range().end && is_closed(token))
        });
        let tokens: Vec<TextToken> =
            all.into_iter().filter(|token| token.class != TokenClass::Comment).collect();
        let first = tokens.partition_point(|token| token.span.range().end < offset);
        let touching = tokens.iter().skip(first).take_while(|token| token.span.range().start <= offset);
        let mut words =
            touching.filter(|token| token.class == TokenClass::Word && !token.span.range().is_empty());
        let word = words.next().map_or(offset..offset, |token| token.span.range());
        // What closes an unfinished template is empty, and stands behind the word.
        let is_before = |range: Range<usize>| range.end <= word.start && range != (word.start..word.start);
        let count = tokens.partition_point(|token| is_before(token.span.range()));
        let mut cursor =
            Cursor { text, tokens, blocks: Vec::new(), before: 0..0, behind: 0..0, word, offset, is_in_text };
        cursor.scan(count);
        cursor.look_behind(count);
        cursor
    }

    /// Finds the open blocks and the statement before the first `count` tokens end.
    fn scan(&mut self, count: usize) {
        // No block is open where a declaration begins: what stands before the last one does not matter.
        let first = (0..count).rev().find(|index| self.begins_declaration(*index)).unwrap_or(0);
        let mut start = first;
        for index in first..count {
            if self.begins_declaration(index) {
                self.blocks.clear();
                start = index;
            }
            match self.token(index) {
                ";" => start = index + 1,
                // A prototype has no other end.
                ")" if self.token(start) == "proto" && self.is_balanced(start..index + 1) => {
                    start = index + 1
                }
                "{" => {
                    let kind = self.opened(start..index);
                    let head = self.offset_of(start)..self.end_of(index);
                    self.blocks.push(Block { kind, head, first: start });
                    if kind != BlockKind::Set {
                        start = index + 1;
                    }
                }
                "}" => match self.blocks.pop() {
                    Some(block) if block.kind == BlockKind::Set => start = block.first,
                    _ => start = index + 1,
                },
                "" if self.is_in_placeholder() => _ = self.blocks.pop(),
                _ if index > start && self.begins_statement(index) => start = index,
                _ => {}
            }
        }
        self.before = start..count;
    }

    /// Returns whether the innermost block is a placeholder of a template.
    fn is_in_placeholder(&self) -> bool {
        self.blocks
            .last()
            .is_some_and(|block| block.kind == BlockKind::Set && self.token(block.first) == "print")
    }

    /// Returns whether each parenthesis of some tokens is closed.
    fn is_balanced(&self, tokens: Range<usize>) -> bool {
        let count = |word| tokens.clone().filter(|index| self.token(*index) == word).count();
        count("(") == count(")")
    }

    /// Finds the rest of the statement.
    fn look_behind(&mut self, count: usize) {
        let is_word =
            |index: usize| self.tokens.get(index).is_some_and(|token| token.span.range() == self.word);
        let first = if !self.word.is_empty() && is_word(count) { count + 1 } else { count };
        let mut depth = 0_usize;
        let mut is_in_list = self.list().is_some();
        let mut is_in_set = self.blocks.last().is_some_and(|block| block.kind == BlockKind::Set);
        let mut end = first;
        while end < self.tokens.len() {
            match self.token(end) {
                ";" if depth == 0 => {
                    end += 1;
                    break;
                }
                "{" | "(" | "[" => depth += 1,
                ")" if depth == 0 && is_in_list => {
                    is_in_list = false;
                    if self.before().first() == Some(&"proto") {
                        end += 1;
                        break;
                    }
                }
                "}" | ")" | "]" if depth == 0 && !is_in_set => break,
                closing @ ("}" | ")" | "]") => {
                    let is_outermost = depth <= 1;
                    // A closing brace of the set around the place belongs to the statement; the next one does not.
                    is_in_set &= depth > 0 || closing != "}";
                    depth = depth.saturating_sub(1);
                    let continues =
                        ["if", "{", ";", "&&", "||", ")", ",", "except", "having", "count", "once", "to"];
                    let is_over = !self.is_in_template() && !continues.contains(&self.token(end + 1));
                    if closing == "}" && is_outermost && is_over {
                        end += 1;
                        break;
                    }
                }
                // The end of a placeholder that is not closed.
                "" => is_in_set = false,
                _ if self.begins_declaration(end) => break,
                _ if depth == 0 && self.begins_statement(end) && (end > first || self.is_other_line(end)) => {
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        self.behind = first..end;
    }

    /// Returns the first token of the list of parameters or arguments that is open at the place, if it is in one: of a
    /// session, a probe, a prototype or an `include`.
    fn list(&self) -> Option<usize> {
        let head = self.before.clone().next().map_or("", |index| self.token(index));
        if !matches!(head, "session" | "event" | "proto" | "include") {
            return None;
        }
        let mut open = Vec::new();
        for index in self.before.clone() {
            match self.token(index) {
                "(" => open.push(index + 1),
                ")" => _ = open.pop(),
                _ => {}
            }
        }
        open.first().copied()
    }

    /// Returns the words of the element of a list before the word at the place, if it is in a list of parameters or
    /// arguments.
    pub(crate) fn element(&self) -> Option<Vec<&'t str>> {
        let first = self.element_start(self.list()?);
        Some((first..self.before.end).map(|index| self.token(index)).collect())
    }

    /// Returns the bytes of that element, with the comma behind it.
    pub(crate) fn element_range(&self) -> Option<Range<usize>> {
        let first = self.element_start(self.list()?);
        let start = if first < self.before.end { self.offset_of(first) } else { self.word.start };
        let mut depth = 0_usize;
        for index in self.behind.clone() {
            match self.token(index) {
                "(" | "{" | "[" => depth += 1,
                "," if depth == 0 => return Some(start..self.end_of(index)),
                ")" | "}" | "]" if depth == 0 => return Some(start..self.offset_of(index)),
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
        }
        Some(start..self.range_behind().end)
    }

    /// Returns the end of the list around the place, the parenthesis included.
    pub(crate) fn list_end(&self) -> Option<usize> {
        self.list()?;
        let mut depth = 0_usize;
        for index in self.behind.clone() {
            match self.token(index) {
                "(" => depth += 1,
                ")" if depth == 0 => return Some(self.end_of(index)),
                ")" => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// Returns the first token of the last element of a list before the place.
    fn element_start(&self, list: usize) -> usize {
        let mut depth = 0_usize;
        let mut start = list;
        for index in list..self.before.end {
            match self.token(index) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth = depth.saturating_sub(1),
                "," if depth == 0 => start = index + 1,
                _ => {}
            }
        }
        start
    }

    /// Returns whether the statement is a `print`, whose braces are those of placeholders.
    fn is_in_template(&self) -> bool {
        self.before.clone().next().is_some_and(|first| self.token(first) == "print")
    }

    /// Returns whether a token begins a statement by its place alone: it is the first on its line, and a word that does.
    fn begins_statement(&self, index: usize) -> bool {
        // Few words are the first on their line, so that is asked first: the text may be long.
        let gap = self.end_of_before(index)..self.offset_of(index);
        if !self.is_word(index) || !self.text.get(gap).is_some_and(|gap| gap.contains('\n')) {
            return false;
        }
        let Some(context) = self.context() else { return false };
        let word = self.token(index);
        CLAUSES.iter().any(|clause| clause.context == context && clause.word == word)
    }

    /// Returns whether a token begins a declaration by its place alone, also where a block before it has no end: it is in the
    /// first column, and a word that only a declaration begins with.
    fn begins_declaration(&self, index: usize) -> bool {
        let before = self.offset_of(index).checked_sub(1).and_then(|at| self.text.as_bytes().get(at));
        if index == 0 || before != Some(&b'\n') || !self.is_word(index) {
            return false;
        }
        let word = self.token(index);
        let mut contexts = CLAUSES.iter().filter(|clause| clause.word == word).map(|clause| clause.context);
        contexts.next() == Some(StatementContext::File) && contexts.next().is_none()
    }

    fn is_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.class == TokenClass::Word)
    }

    /// Returns whether a token stands behind the line of the word, or the statement has begun before the word: then it is
    /// not the one that is being typed.
    fn is_other_line(&self, index: usize) -> bool {
        let gap = self.text.get(self.word.end..self.offset_of(index));
        !self.before.is_empty() || gap.is_some_and(|gap| gap.contains('\n'))
    }

    /// Returns the kind of the block that a brace opens behind these tokens of its statement.
    fn opened(&self, statement: Range<usize>) -> BlockKind {
        let last = statement.clone().next_back().map_or("", |index| self.token(index));
        if ["in", "~", "!~", "trace", "on", "except"].contains(&last) {
            return BlockKind::Set;
        }
        match statement.clone().next().map_or("", |index| self.token(index)) {
            "print" => BlockKind::Set,
            "session" | "global" | "when" | "else" => BlockKind::Clauses,
            "trace" | "on" => BlockKind::Items,
            "event" if statement.clone().any(|index| self.token(index) == "at") => BlockKind::Other,
            "class" | "event" => BlockKind::Parts,
            _ => BlockKind::Other,
        }
    }

    /// Returns the context of the statement; `None` where no statements stand.
    pub(crate) fn context(&self) -> Option<StatementContext> {
        let block = self.blocks.iter().rev().find(|block| block.kind != BlockKind::Set);
        block.map_or(Some(StatementContext::File), |block| block.kind.context())
    }

    /// Returns the names in the outermost block around the place, before and behind it.
    pub(crate) fn names_around(&self) -> Vec<&'t str> {
        let Some(block) = self.blocks.first() else { return Vec::new() };
        let mut declarations = self.declarations().into_iter().map(|(_, range)| range);
        let around = declarations.find(|range| range.contains(&block.head.start));
        let end = around.map_or(self.word.start, |range| range.end);
        let inside = self.tokens.iter().filter(|token| {
            let range = token.span.range();
            block.head.end <= range.start && range.end <= end && range != self.word
        });
        let names = inside.filter(|token| token.class == TokenClass::Word);
        names.filter_map(|token| self.text.get(token.span.range())).collect()
    }

    /// Returns the part of the word that stands before the place.
    pub(crate) fn typed(&self) -> &'t str {
        self.text.get(self.word.start..self.offset).unwrap_or_default()
    }

    /// Returns the words of the statement before the word at the place.
    pub(crate) fn before(&self) -> Vec<&'t str> {
        self.before.clone().map(|index| self.token(index)).collect()
    }

    /// Returns the tokens of the statement behind the word at the place.
    pub(crate) fn behind(&self) -> Vec<&'t str> {
        self.behind.clone().map(|index| self.token(index)).collect()
    }

    /// Returns the bytes of the statement before the word.
    pub(crate) fn range_before(&self) -> Range<usize> {
        let start = if self.before.is_empty() { self.word.start } else { self.offset_of(self.before.start) };
        start.min(self.word.start)..self.word.start
    }

    /// Returns the bytes of the statement behind the word; empty if there is nothing.
    pub(crate) fn range_behind(&self) -> Range<usize> {
        let end = self.behind.clone().next_back().map_or(self.word.end, |index| self.end_of(index));
        self.word.end..end.max(self.word.end)
    }

    /// Returns the words of the statement that a block belongs to, up to its brace.
    pub(crate) fn words_of(&self, block: &Block) -> Vec<&'t str> {
        let head =
            self.tokens.iter().skip(block.first).take_while(|token| token.span.range().end < block.head.end);
        head.map(|token| self.text.get(token.span.range()).unwrap_or_default()).collect()
    }

    /// Returns the branches of a `when` before the block of an `else`, each empty; nothing for other blocks.
    pub(crate) fn branches_before(&self, block: &Block) -> String {
        let mut branches = Vec::new();
        let mut first = block.first;
        while self.token(first) == "else" {
            let mut depth = 0_usize;
            let opens = |index: &usize| {
                match self.token(*index) {
                    "}" => depth += 1,
                    "{" => depth = depth.saturating_sub(1),
                    _ => return false,
                }
                depth == 0
            };
            let Some(open) = (0..first).rev().find(opens) else { break };
            let is_start = |index: &usize| matches!(self.token(*index), "when" | ";" | "{" | "}");
            let Some(when) = (0..open).rev().find(is_start).filter(|start| self.token(*start) == "when")
            else {
                break;
            };
            first = if when > 0 && self.token(when - 1) == "else" { when - 1 } else { when };
            let head = self.text.get(self.offset_of(first)..self.end_of(open)).unwrap_or_default();
            branches.push(format!("{head} }} "));
        }
        branches.reverse();
        branches.concat()
    }

    /// Returns the declarations of the text: the first word of each, and its bytes. They end where their braces are
    /// closed, so that one that is being typed may take in those behind it.
    pub(crate) fn declarations(&self) -> Vec<(&'t str, Range<usize>)> {
        let mut all = Vec::new();
        let (mut depth, mut first) = (0_usize, None);
        for index in 0..self.tokens.len() {
            if depth > 0 && self.begins_declaration(index) {
                depth = 0;
                if let Some(begin) = first.replace(index) {
                    all.push((self.token(begin), self.offset_of(begin)..self.end_of_before(index)));
                }
            }
            let begin = *first.get_or_insert(index);
            let range = self.offset_of(index)..self.end_of(index);
            // As bytes: that is quicker for a long text.
            let is_last = match self.text.as_bytes().get(range).unwrap_or_default() {
                b"{" => {
                    depth += 1;
                    false
                }
                b"}" => {
                    depth = depth.saturating_sub(1);
                    depth == 0
                }
                b";" => depth == 0,
                _ => false,
            };
            if is_last || index + 1 == self.tokens.len() {
                all.push((self.token(begin), self.offset_of(begin)..self.end_of(index)));
                first = None;
            }
        }
        all
    }

    /// Returns the bytes of the tokens before the word, counted from the last; 0 is the last one.
    pub(crate) fn token_before(&self, back: usize) -> Option<Range<usize>> {
        let index = self.before.end.checked_sub(back + 1)?;
        self.tokens.get(index).map(|token| token.span.range())
    }

    fn token(&self, index: usize) -> &'t str {
        self.tokens.get(index).and_then(|token| self.text.get(token.span.range())).unwrap_or_default()
    }

    fn offset_of(&self, index: usize) -> usize {
        self.tokens.get(index).map_or(self.text.len(), |token| token.span.range().start)
    }

    fn end_of(&self, index: usize) -> usize {
        self.tokens.get(index).map_or(self.text.len(), |token| token.span.range().end)
    }

    fn end_of_before(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.end_of(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cursor at the `|` of a text.
    fn at(marked: &str) -> (Vec<BlockKind>, String, String, String) {
        let offset = marked.find('|').expect("a mark");
        let text = marked.replacen('|', "", 1);
        let cursor = Cursor::new(&text, offset);
        let kinds = cursor.blocks.iter().map(|block| block.kind).collect();
        let word = text[cursor.word.clone()].to_owned();
        (kinds, cursor.before().join(" "), word, cursor.behind().join(" "))
    }

    #[test]
    fn blocks_and_the_statement_are_found() {
        use BlockKind::{Clauses, Items, Set};
        for (text, kinds, before, word, behind) in [
            ("|", vec![], "", "", ""),
            ("session a { cl|", vec![Clauses], "", "cl", ""),
            ("session a { clock mo|no; stream; }", vec![Clauses], "clock", "mono", ";"),
            ("session a { trace b:c if x|\n clock mono; }", vec![Clauses], "trace b : c if", "x", ""),
            ("session a { trace b:c if | }", vec![Clauses], "trace b : c if", "", ""),
            ("session a { trace b:c { trigger | } }", vec![Clauses, Items], "trigger", "", ""),
            (
                "session a { trace b:c if x in {1, |} && y; }",
                vec![Clauses, Set],
                "trace b : c if x in { 1 ,",
                "",
                "} && y ;",
            ),
            ("session a { trace {b:c, |} }", vec![Clauses, Set], "trace { b : c ,", "", "}"),
            ("session a { trace {b:c} if |; }", vec![Clauses], "trace { b : c } if", "", ";"),
            (
                "session a {\n |dump on b:c if x in {1}\n to \"d\" max 1;\n}",
                vec![Clauses],
                "",
                "dump",
                "on b : c if x in { 1 } to \"d\" max 1 ;",
            ),
            ("session a { when has event b:c { | } }", vec![Clauses, Clauses], "", "", ""),
            ("session a { clock mono\n trace | }", vec![Clauses], "trace", "", ""),
            ("session a {\n |\n trace b:c;\n}", vec![Clauses], "", "", ""),
            ("session a {\n cl|\n trace b:c;\n}", vec![Clauses], "", "cl", ""),
            ("session a {\n |trace b:c;\n}", vec![Clauses], "", "trace", "b : c ;"),
            ("|\nsession a { }", vec![], "", "", ""),
            (
                "session a {\n trace b:c if x &&|\n\nsession d { on e:f; }",
                vec![Clauses],
                "trace b : c if x &&",
                "",
                "",
            ),
            ("session a {\n trace b:c if x\n\nsession d { on |; }", vec![Clauses], "on", "", ";"),
        ] {
            let expected = (kinds, before.to_owned(), word.to_owned(), behind.to_owned());
            assert_eq!(at(text), expected, "{text}");
        }
    }

    #[test]
    fn branches_before_an_else_are_found() {
        let branches = |marked: &str| {
            let offset = marked.find('|').expect("a mark");
            let text = marked.replacen('|', "", 1);
            let cursor = Cursor::new(&text, offset);
            cursor.branches_before(cursor.blocks.last().expect("a block"))
        };
        let when = "session a { ring; when has clock mono { trace b:c if x in {1} { drop d; } }";
        assert_eq!(branches(&format!("{when} else {{ | }} }}")), "when has clock mono { } ");
        assert_eq!(
            branches(&format!("{when} else when has event b:c {{ stream; }} else {{ | }} }}")),
            "when has clock mono { } else when has event b:c { } "
        );
        assert_eq!(branches("session a { ring; when has clock mono { | } }"), "");
        assert_eq!(branches("session a { } else { |"), "");
    }

    #[test]
    fn declarations_end_with_their_braces() {
        let text = "use std::errno; const A = 1;\nsession a { on b:c { trigger d; } }\nclass c { } session";
        let cursor = Cursor::new(text, 0);
        let found: Vec<(&str, &str)> =
            cursor.declarations().into_iter().map(|(word, range)| (word, &text[range])).collect();
        let expected = [
            ("use", "use std::errno;"),
            ("const", "const A = 1;"),
            ("session", "session a { on b:c { trigger d; } }"),
            ("class", "class c { }"),
            ("session", "session"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_of_the_language_stands_in_text() {
        let is_in_text = |marked: &str| {
            let offset = marked.find('|').expect("a mark");
            Cursor::new(&marked.replacen('|', "", 1), offset).is_in_text
        };
        for text in ["// a|", "/* | */", "session a { output \"a|\"; }", "session a { output \"|"] {
            assert!(is_in_text(text), "{text}");
        }
        for text in ["|// a", "/* */|", "session a { output \"a\"| }"] {
            assert!(!is_in_text(text), "{text}");
        }
    }
}
