//! Parser of the productions of `src/grammar.lalrpop`: for the build, and for the test that makes sentences of them.

use std::collections::BTreeMap;

/// A symbol of a production, without its LALRPOP binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// A token, by its name in the grammar.
    Token(String),
    /// A rule. `X?`, `(X Y)` and `List<X>` are rules of these names.
    Rule(String),
    /// `!`, which stands for skipped tokens of a broken text.
    Lost,
}

impl Symbol {
    /// Returns the symbol as the grammar writes it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Symbol::Token(name) => format!("{name:?}"),
            Symbol::Rule(name) => format!("`{name}`"),
            Symbol::Lost => "`!`".to_owned(),
        }
    }
}

/// One of the alternatives of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Production {
    pub(crate) symbols: Vec<Symbol>,
    /// The code after `=>`.
    #[allow(dead_code, reason = "the build does not look at it")]
    pub(crate) action: String,
}

/// The productions of each rule by its name, and the kinds of the tokens by theirs.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    pub(crate) rules: BTreeMap<String, Vec<Production>>,
    /// The variant of `Kind` of each token.
    #[allow(dead_code, reason = "the test does not look at it")]
    pub(crate) kinds: BTreeMap<String, String>,
}

/// A symbol as it is written.
#[derive(Clone)]
enum Written {
    Token(String),
    /// A rule, a parameter of the rule it stands in, or a rule with arguments.
    Name(String, Vec<Written>),
    Optional(Box<Written>),
    Group(Vec<Written>),
    Lost,
}

/// A rule as it is written.
struct Definition {
    parameters: Vec<String>,
    productions: Vec<(Vec<Written>, String)>,
}

/// Parses the text of a grammar.
pub(crate) fn read(text: &str) -> Result<Grammar, String> {
    let mut reader = Reader { text, at: 0 };
    let mut grammar = Grammar::default();
    let mut definitions = BTreeMap::new();
    loop {
        match reader.word() {
            "" if reader.rest().is_empty() => break,
            "use" | "grammar" => reader.code(&[';']).map(|_| reader.at += 1)?,
            "extern" => grammar.kinds = reader.tokens()?,
            "pub" => {}
            name if !name.is_empty() => {
                definitions.insert(name, reader.definition()?);
            }
            _ => return Err(reader.unknown("a rule")),
        }
    }
    for (name, definition) in &definitions {
        if definition.parameters.is_empty() {
            add(&mut grammar, &definitions, &Written::Name((*name).to_owned(), Vec::new()))?;
        }
    }
    Ok(grammar)
}

/// Adds the rule that a symbol stands for, with all rules that it needs, and returns the symbol.
fn add(
    grammar: &mut Grammar,
    definitions: &BTreeMap<&str, Definition>,
    written: &Written,
) -> Result<Symbol, String> {
    let (name, productions) = match written {
        Written::Token(name) => return Ok(Symbol::Token(name.clone())),
        Written::Lost => return Ok(Symbol::Lost),
        Written::Optional(inner) => {
            let productions = vec![(vec![(**inner).clone()], String::new()), (Vec::new(), String::new())];
            (format!("{}?", shown(inner)), productions)
        }
        Written::Group(symbols) => (shown(written), vec![(symbols.clone(), String::new())]),
        Written::Name(name, arguments) => {
            let definition = definitions
                .get(name.as_str())
                .filter(|definition| definition.parameters.len() == arguments.len())
                .ok_or_else(|| format!("src/grammar.lalrpop holds no rule `{}`", shown(written)))?;
            let bound: BTreeMap<&str, &Written> =
                definition.parameters.iter().map(String::as_str).zip(arguments).collect();
            let of = |(symbols, action): &(Vec<Written>, String)| {
                (symbols.iter().map(|symbol| substituted(symbol, &bound)).collect(), action.clone())
            };
            (shown(written), definition.productions.iter().map(of).collect())
        }
    };
    if !grammar.rules.contains_key(&name) {
        // The rule is added before its productions are known, so that it may contain itself.
        grammar.rules.insert(name.clone(), Vec::new());
        let mut known = Vec::new();
        for (symbols, action) in productions {
            let symbols = symbols.iter().map(|symbol| add(grammar, definitions, symbol));
            known.push(Production { symbols: symbols.collect::<Result<_, _>>()?, action });
        }
        grammar.rules.insert(name.clone(), known);
    }
    Ok(Symbol::Rule(name))
}

/// Returns a symbol with arguments in the place of parameters.
fn substituted(written: &Written, bound: &BTreeMap<&str, &Written>) -> Written {
    let all = |symbols: &[Written]| symbols.iter().map(|symbol| substituted(symbol, bound)).collect();
    match written {
        Written::Name(name, _) if let Some(argument) = bound.get(name.as_str()) => (*argument).clone(),
        Written::Name(name, arguments) => Written::Name(name.clone(), all(arguments)),
        Written::Optional(inner) => Written::Optional(Box::new(substituted(inner, bound))),
        Written::Group(symbols) => Written::Group(all(symbols)),
        Written::Token(_) | Written::Lost => written.clone(),
    }
}

fn shown(written: &Written) -> String {
    let all = |symbols: &[Written], between| symbols.iter().map(shown).collect::<Vec<_>>().join(between);
    match written {
        Written::Token(name) => format!("{name:?}"),
        Written::Name(name, arguments) if arguments.is_empty() => name.clone(),
        Written::Name(name, arguments) => format!("{name}<{}>", all(arguments, ", ")),
        Written::Optional(inner) => format!("{}?", shown(inner)),
        Written::Group(symbols) => format!("({})", all(symbols, " ")),
        Written::Lost => "!".to_owned(),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// Returns the text from the next token on.
    fn rest(&mut self) -> &'t str {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            match trimmed.strip_prefix("//") {
                Some(comment) => self.at += 2 + comment.find('\n').unwrap_or(comment.len()),
                None => return trimmed,
            }
        }
    }

    /// Takes a word; if there is none, the result is empty.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes `sign` if it stands here.
    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn need(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(self.unknown(&format!("`{sign}`"))) }
    }

    /// Takes code up to one of `ends` outside of its brackets and strings.
    fn code(&mut self, ends: &[char]) -> Result<&'t str, String> {
        let rest = self.rest();
        let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
        for (at, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = !quoted,
                _ if quoted => {}
                _ if depth == 0 && ends.contains(&c) => {
                    self.at += at;
                    return Ok(rest[..at].trim_end());
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Err(self.unknown(&format!("code before one of {ends:?}")))
    }

    /// Takes a rule from after its name on: `<T>: Type = { .. };` or `: Type = ..;`.
    fn definition(&mut self) -> Result<Definition, String> {
        let mut parameters = Vec::new();
        if self.take("<") {
            parameters = self.code(&['>'])?.split(',').map(|name| name.trim().to_owned()).collect();
            self.need(">")?;
        }
        self.need(":")?;
        self.code(&['='])?;
        self.need("=")?;
        let mut productions = Vec::new();
        if self.take("{") {
            while !self.take("}") {
                productions.push(self.production(&[',', '}'])?);
                self.take(",");
            }
        } else {
            productions.push(self.production(&[';'])?);
        }
        self.need(";")?;
        Ok(Definition { parameters, productions })
    }

    fn production(&mut self, ends: &[char]) -> Result<(Vec<Written>, String), String> {
        let mut symbols = Vec::new();
        loop {
            if self.take("=>") {
                return Ok((symbols, self.code(ends)?.to_owned()));
            }
            if self.rest().starts_with(ends) {
                return Ok((symbols, String::new()));
            }
            self.symbol(&mut symbols)?;
        }
    }

    /// Takes a symbol with its binding. `@L` and `@R` are not symbols.
    fn symbol(&mut self, symbols: &mut Vec<Written>) -> Result<(), String> {
        if self.take("<") {
            let binding = self.rest().split([' ', '<', '>']).next().unwrap_or_default();
            if binding == "mut" {
                self.word();
            }
            if binding == "mut" || binding.contains(':') {
                self.word();
                self.need(":")?;
            }
            while !self.take(">") {
                self.symbol(symbols)?;
            }
            return Ok(());
        }
        if self.take("@L") || self.take("@R") {
            return Ok(());
        }
        let symbol = self.plain()?;
        symbols.push(if self.take("?") { Written::Optional(Box::new(symbol)) } else { symbol });
        Ok(())
    }

    fn plain(&mut self) -> Result<Written, String> {
        if self.take("!") {
            return Ok(Written::Lost);
        }
        if self.take("\"") {
            return self.quoted().map(Written::Token);
        }
        if self.take("(") {
            let mut symbols = Vec::new();
            while !self.take(")") {
                self.symbol(&mut symbols)?;
            }
            return Ok(Written::Group(symbols));
        }
        let name = self.word().to_owned();
        if name.is_empty() {
            return Err(self.unknown("a symbol"));
        }
        let mut arguments = Vec::new();
        // `List<T>` holds no blank; `Name <rest:..>` does.
        if self.text[self.at..].starts_with('<') {
            self.at += 1;
            while !self.take(">") {
                arguments.push(self.plain()?);
                self.take(",");
            }
        }
        Ok(Written::Name(name, arguments))
    }

    /// Takes the rest of a token's name.
    fn quoted(&mut self) -> Result<String, String> {
        let rest = &self.text[self.at..];
        let end = rest.find('"').ok_or_else(|| self.unknown("a closing quote"))?;
        self.at += end + 1;
        Ok(rest[..end].to_owned())
    }

    /// Takes `{ .. enum Kind { "name" => Kind::Variant, .. } }`.
    fn tokens(&mut self) -> Result<BTreeMap<String, String>, String> {
        let mut kinds = BTreeMap::new();
        self.need("{")?;
        while !self.take("enum Kind {") {
            self.code(&[';'])?;
            self.need(";")?;
        }
        while !self.take("}") {
            self.need("\"")?;
            let name = self.quoted()?;
            self.need("=> Kind::")?;
            kinds.insert(name, self.word().to_owned());
            self.need(",")?;
        }
        self.need("}")?;
        Ok(kinds)
    }

    /// Returns an error that says what to do about an unsupported form.
    fn unknown(&mut self, wanted: &str) -> String {
        self.rest();
        let line = self.text[..self.at].matches('\n').count() + 1;
        format!(
            "src/grammar.lalrpop:{line}: build/productions.rs expects {wanted} here: write the production in a form \
             that the others have, or teach build/productions.rs this one"
        )
    }
}
