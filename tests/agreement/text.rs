//! Filters as trees, and their text in the kernel's language with random variations of style.

use super::field::{Field, Kind, Palette};
use super::generate::random::Random;

/// A filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    /// A comparison.
    Pred(Pred),
    /// `!`.
    Not(Box<Expr>),
    /// `&&`; two or more.
    And(Vec<Expr>),
    /// `||`; two or more.
    Or(Vec<Expr>),
    /// A text that was not drawn as a tree: it cannot be shrunk.
    Raw(Vec<u8>),
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pred {
    /// The field and, after a dot, its modifier.
    pub(crate) field: String,
    /// The operator.
    pub(crate) op: &'static str,
    /// The value as it is written.
    pub(crate) value: Vec<u8>,
    /// The row of the table of cells.
    pub(crate) row: &'static str,
    /// The form of the operator and the value: the column of the table of cells.
    pub(crate) form: &'static str,
}

/// The features of the language that a kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Language {
    /// `CPUS{..}` and masks of CPUs.
    pub(crate) cpus: bool,
    /// `.function`, with a function that exists.
    pub(crate) function: Option<&'static str>,
    /// The pseudo-field `stacktrace`.
    pub(crate) stacktrace: bool,
}

const ORDERED: &[&str] = &["==", "!=", "<", "<=", ">", ">="];

/// Returns the forms in which a field of this kind can occur.
pub(crate) fn forms(kind: Kind, language: Language) -> Vec<&'static str> {
    let mut forms = match kind {
        _ if kind.is_text() => {
            return vec!["==", "!=", "~ exact", "~ prefix", "~ suffix", "~ substring", "~ glob"];
        }
        Kind::Cpumask => return vec!["== CPUS", "!= CPUS", "& CPUS"],
        Kind::Stacktrace => return vec!["==", "!="],
        _ => [ORDERED, &["&"]].concat(),
    };
    if language.cpus && matches!(kind, Kind::Int { .. } | Kind::Cpu) {
        forms.extend(["== CPUS", "!= CPUS", "& CPUS"]);
    }
    if language.function.is_some() && matches!(kind, Kind::Int { bits: 64, .. }) {
        forms.extend(["== function", "!= function"]);
    }
    forms
}

/// Returns why no record makes a cell true, if so; kernel/trace/trace_events_filter.c for all of them.
pub(crate) fn never(kind: Kind, form: &str) -> Option<&'static str> {
    match (kind, form) {
        (Kind::OddBytes | Kind::Struct, _) => Some("select_comparison_fn knows no such size"),
        (Kind::Cpu, "&") => Some("filter_pred_cpu knows no `&`"),
        (Kind::Stacktrace, _) => Some("a generic field of size 0 for histograms"),
        _ => None,
    }
}

/// Draws a comparison of this form.
pub(crate) fn pred(
    field: &Field,
    form: &'static str,
    palette: &Palette,
    language: Language,
    random: &mut Random,
) -> Pred {
    let (op, how) = form.split_once(' ').unwrap_or((form, ""));
    let mut name = field.name.to_owned();
    let value = match (how, language.function) {
        ("CPUS", _) => cpus(random),
        ("function", Some(function)) => {
            name.push_str(".function");
            function.as_bytes().to_vec()
        }
        _ if field.kind.is_text() => {
            if field.kind == Kind::UserText {
                name.push_str(".ustring");
            }
            quoted(&pattern(how, &palette.text(field.kind, random), random), random)
        }
        _ => number(field, palette, random).into_bytes(),
    };
    Pred { field: name, row: field.row(), op, value, form }
}

fn cpus(random: &mut Random) -> Vec<u8> {
    random
        .pick(&["CPUS{0}", "CPUS{1}", "CPUS{0-1}", "CPUS{0,1}", "CPUS{0,0}", "CPUS{1-1}"])
        .as_bytes()
        .to_vec()
}

/// Draws a pattern that has the form for most texts; a digit or a letter with a meaning gives it another form.
fn pattern(how: &str, text: &[u8], random: &mut Random) -> Vec<u8> {
    let cut = random.below(text.len() + 1);
    match how {
        "prefix" => [&text[..cut], b"*"].concat(),
        "suffix" => [b"*", &text[cut..]].concat(),
        "substring" => [b"*", &text[cut / 2..cut], b"*"].concat(),
        "glob" => glob(text, cut, random),
        "exact" if random.once_in(8) => [b"!", text].concat(),
        _ => text.to_vec(),
    }
}

fn glob(text: &[u8], cut: usize, random: &mut Random) -> Vec<u8> {
    let (head, tail) = text.split_at(cut);
    let rest = tail.get(1..).unwrap_or_default();
    match random.below(9) {
        0 => [head, b"?", rest].concat(),
        1 => [head, b"[a-c]", rest].concat(),
        2 => [head, b"[!a-c]", rest].concat(),
        3 => [head, b"[]ab1]*", rest].concat(),
        4 => [head, b"*", rest.split_last().map_or(rest, |(_, rest)| rest), b"?"].concat(),
        5 => [head, b"\\", tail].concat(),
        6 => [head, b"[", tail].concat(),
        7 => [b"!*", head, b"?*"].concat(),
        _ => [b"?*", rest].concat(),
    }
}

/// Returns the text in the kind of quotes that it does not hold; if it holds both kinds, one is removed. No operand is
/// too long: wrong texts test that.
fn quoted(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text[..text.len().min(255)].to_vec();
    let quote = match (text.contains(&b'"'), text.contains(&b'\'')) {
        (false, false) => random.pick(b"\"'"),
        (false, true) => b'"',
        (true, false) => b'\'',
        (true, true) => {
            text.retain(|&byte| byte != b'"');
            b'"'
        }
    };
    [&[quote], text.as_slice(), &[quote]].concat()
}

/// Returns a number in any base, sometimes with more bits than the field has: the kernel cuts them off.
fn number(field: &Field, palette: &Palette, random: &mut Random) -> String {
    let (bits, signed) = match field.kind {
        Kind::Int { bits, signed } | Kind::Header { bits, signed } => (bits, signed),
        // CPUs that exist are more frequent than others.
        Kind::Cpu => return random.pick(&[0, 0, 0, 1, 1, 1, 2, 3]).to_string(),
        _ => (32, false),
    };
    let mask = u64::MAX >> (64 - bits);
    let mut value = i128::from(palette.number_for(field, random) & mask);
    if signed && value > i128::from(mask >> 1) {
        value -= i128::from(mask) + 1;
    }
    if bits < 64 && random.once_in(10) {
        value += (i128::from(mask) + 1) * if signed && random.once_in(2) { -1 } else { 1 };
    }
    let sign = if value < 0 { "-" } else { "" };
    let size = value.unsigned_abs();
    match random.below(6) {
        0 => format!("{sign}{size:#x}"),
        1 => format!("{sign}0X{size:X}"),
        2 => format!("{sign}0{size:o}"),
        _ => format!("{sign}{size}"),
    }
}

/// Draws a filter of one to nine comparisons.
pub(crate) fn compound(
    fields: &[Field],
    palette: &Palette,
    language: Language,
    random: &mut Random,
    depth: usize,
) -> Expr {
    let part = |random: &mut Random| compound(fields, palette, language, random, depth - 1);
    match if depth == 0 { 9 } else { random.below(10) } {
        0..=3 => Expr::Or((0..2 + random.below(2)).map(|_| part(random)).collect()),
        4..=6 => Expr::And((0..2 + random.below(2)).map(|_| part(random)).collect()),
        7 => Expr::Not(Box::new(part(random))),
        _ => {
            let field = &random.pick(fields);
            let forms = forms(field.kind, language);
            Expr::Pred(pred(field, forms[random.below(forms.len())], palette, language, random))
        }
    }
}

/// The style in which a filter is written.
pub(crate) trait Style {
    /// Returns white space where some is permitted.
    fn blank(&mut self) -> &'static str;
    /// Returns whether to put unnecessary parentheses.
    fn parentheses(&mut self) -> bool;
}

/// The plain style: one blank, only necessary parentheses.
pub(crate) struct Plain;

impl Style for Plain {
    fn blank(&mut self) -> &'static str {
        " "
    }

    fn parentheses(&mut self) -> bool {
        false
    }
}

impl Style for Random {
    fn blank(&mut self) -> &'static str {
        self.pick::<&str>(&[" ", " ", " ", " ", "", "  ", "\t", "\n"])
    }

    fn parentheses(&mut self) -> bool {
        self.once_in(8)
    }
}

impl Expr {
    /// Returns its text.
    pub(crate) fn text(&self, style: &mut impl Style) -> Vec<u8> {
        let mut text = Vec::new();
        self.write(&mut text, style, 0);
        text
    }

    /// Writes it; `outer` is the precedence of the surrounding operator: 0 none, 1 `||`, 2 `&&`, 3 `!`.
    fn write(&self, text: &mut Vec<u8>, style: &mut impl Style, outer: u8) {
        let (strength, joint) = match self {
            Expr::Or(_) => (1, "||"),
            Expr::And(_) => (2, "&&"),
            Expr::Not(_) => (3, ""),
            Expr::Pred(_) | Expr::Raw(_) => (4, ""),
        };
        // A raw text must stay unchanged.
        let parentheses = outer > strength
            || outer == strength && strength < 3
            || !matches!(self, Expr::Raw(_)) && style.parentheses();
        if parentheses {
            text.push(b'(');
            text.extend_from_slice(style.blank().as_bytes());
        }
        match self {
            Expr::Pred(pred) => pred.write(text, style),
            Expr::Raw(raw) => text.extend_from_slice(raw),
            Expr::Not(inner) => {
                text.push(b'!');
                inner.write(text, style, 3);
            }
            Expr::And(parts) | Expr::Or(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        text.extend_from_slice(joint.as_bytes());
                        text.extend_from_slice(style.blank().as_bytes());
                    }
                    part.write(text, style, strength);
                    text.extend_from_slice(style.blank().as_bytes());
                }
            }
        }
        if parentheses {
            text.extend_from_slice(style.blank().as_bytes());
            text.push(b')');
        }
    }

    /// Returns the comparison, if it is a single one.
    pub(crate) fn single(&self) -> Option<&Pred> {
        if let Expr::Pred(pred) = self { Some(pred) } else { None }
    }

    /// Returns every filter that is one step smaller.
    pub(crate) fn smaller(&self) -> Vec<Expr> {
        match self {
            Expr::Pred(pred) => pred.smaller().into_iter().map(Expr::Pred).collect(),
            Expr::Raw(_) => Vec::new(),
            Expr::Not(inner) => {
                let deeper = inner.smaller().into_iter().map(|inner| Expr::Not(Box::new(inner)));
                std::iter::once((**inner).clone()).chain(deeper).collect()
            }
            Expr::And(parts) => smaller_list(parts, Expr::And),
            Expr::Or(parts) => smaller_list(parts, Expr::Or),
        }
    }
}

fn smaller_list(parts: &[Expr], join: fn(Vec<Expr>) -> Expr) -> Vec<Expr> {
    let mut smaller = parts.to_vec();
    for index in 0..parts.len() {
        if parts.len() > 2 {
            let mut rest = parts.to_vec();
            rest.remove(index);
            smaller.push(join(rest));
        }
        for less in parts[index].smaller() {
            let mut changed = parts.to_vec();
            changed[index] = less;
            smaller.push(join(changed));
        }
    }
    smaller
}

impl Pred {
    fn write(&self, text: &mut Vec<u8>, style: &mut impl Style) {
        text.extend_from_slice(self.field.as_bytes());
        text.extend_from_slice(style.blank().as_bytes());
        text.extend_from_slice(self.op.as_bytes());
        text.extend_from_slice(style.blank().as_bytes());
        text.extend_from_slice(&self.value);
        // The name of a function extends to the next white space.
        if self.field.ends_with(".function") {
            text.push(b' ');
        }
    }

    /// Returns the comparisons with one byte less in the string.
    fn smaller(&self) -> Vec<Pred> {
        if !matches!(self.value.first(), Some(b'"' | b'\'')) {
            return Vec::new();
        }
        let inside = 1..self.value.len() - 1;
        let without = |index: usize| {
            let mut value = self.value.clone();
            value.remove(index);
            Pred { value, ..self.clone() }
        };
        let halves = [1..self.value.len() / 2, self.value.len() / 2..self.value.len() - 1];
        let half = |cut: std::ops::Range<usize>| {
            let mut value = self.value.clone();
            value.drain(cut);
            Pred { value, ..self.clone() }
        };
        let halves = halves.into_iter().filter(|cut| cut.len() > 1).map(half);
        halves.chain(inside.take(20).map(without)).collect()
    }
}
