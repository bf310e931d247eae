//! What must hold for the format file of every event of every kernel, against a second reader and the text itself.

use std::fmt;
use std::ops::AddAssign;

use tracec_kernel::c::{Expr, Statement, TypeName};
use tracec_kernel::format::EventFormat;
use tracec_kernel::format::print::{Piece, PrintFmt, Quoting};
use tracepoint_decode::PerfEventFormat;

/// What was checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Format files.
    pub(crate) events: usize,
    /// Fields whose name, offset, size and sign both readers agree on.
    pub(crate) fields: usize,
    /// Print fmts parsed, printed and found equal.
    pub(crate) prints: usize,
    /// Expressions in them.
    pub(crate) expressions: usize,
    /// Directives in their format strings.
    pub(crate) directives: usize,
    /// Types of which the tree has no more than a text that holds expressions or declarations.
    pub(crate) opaque: usize,
    /// Fields with tables of names.
    pub(crate) named: usize,
    /// Names in those tables.
    pub(crate) names: usize,
    /// Entries of those tables that name no value of the field.
    pub(crate) skipped: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.events += other.events;
        self.fields += other.fields;
        self.prints += other.prints;
        self.expressions += other.expressions;
        self.directives += other.directives;
        self.opaque += other.opaque;
        self.named += other.named;
        self.names += other.names;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} events; {} fields as tracepoint_decode reads them; {} print fmts parsed and reprinted equal: \
             {} directives, {} expressions, {} opaque; {} fields have {} names, {} entries name none",
            self.events,
            self.fields,
            self.prints,
            self.directives,
            self.expressions,
            self.opaque,
            self.named,
            self.names,
            self.skipped
        )
    }
}

/// Checks one format file.
pub(crate) fn event(system: &str, text: &str) -> Counts {
    let format = EventFormat::parse(system, text).unwrap_or_else(|error| panic!("{system}: {error}\n{text}"));
    let name = format.qualified_name();
    let mut counts = Counts { events: 1, fields: fields(&format, text), ..Counts::default() };
    let print = format.print().unwrap_or_else(|error| panic!("{name}: {error}\n{}", format.print_fmt));
    let quoting = if system == "ftrace" { Quoting::Stringified } else { Quoting::Verbatim };
    counts += self::print(&name, &format.print_fmt, &print, quoting);
    for field in format.fields.iter() {
        let tables = print.names(field);
        counts.named += usize::from(!tables.is_empty());
        for table in tables {
            counts.names += table.entries.len();
            counts.skipped += table.skipped.len();
        }
    }
    counts
}

/// Where tracepoint_decode 0.5 reads a field otherwise: what its type holds, the name that it reads, and why the
/// kernel's text says ours.
const DIFFERENCES: &[(&str, &str, &str)] = &[(
    "__data_loc char[][",
    "char",
    "an array of strings of a probe event: traceprobe_define_arg_fields (kernel/trace/trace_probe.c) writes the number \
     behind the brackets, `__data_loc char[][2] name`, and tracepoint_decode reads no further than the first ones",
)];

/// Compares with the crate tracepoint_decode.
fn fields(format: &EventFormat, text: &str) -> usize {
    let name = format.qualified_name();
    let other = PerfEventFormat::parse(true, &format.system, text)
        .unwrap_or_else(|| panic!("tracepoint_decode does not read {name}\n{text}"));
    assert_eq!(format.name, other.name(), "{name}");
    assert_eq!(u32::from(format.id), other.id(), "{name}");
    assert_eq!(format.common, other.common_field_count(), "{name}");
    assert_eq!(format.header_size(), u32::from(other.common_fields_size()), "{name}");
    assert_eq!(format.fields.len(), other.fields().len(), "{name}");
    for (field, other) in format.fields.iter().zip(other.fields()) {
        let ours = (&*field.name, field.offset, field.size, Some(field.signed));
        // An old kernel does not write `signed:`; then it is ours to know.
        let signed = other.signed().or(Some(field.signed));
        let explained = DIFFERENCES.iter().find(|(holds, ..)| field.type_text.contains(holds));
        let other_name = match explained {
            Some((_, theirs, why)) => {
                assert_eq!(other.name(), *theirs, "{name}: this is not a difference any more: {why}");
                &field.name
            }
            None => other.name(),
        };
        let theirs = (other_name, u32::from(other.offset()), u32::from(other.size()), signed);
        assert_eq!(ours, theirs, "{name}: {}", other.field());
    }
    format.fields.len()
}

/// Checks a print fmt: printed it is the text again, and parsed once more it is the same.
pub(crate) fn print(name: &str, text: &str, print: &PrintFmt, quoting: Quoting) -> Counts {
    let printed = print.to_string();
    // In a verbatim format quotes do not end a string, so that the text after it must be known to be distinguished.
    let mut arguments = 0;
    if quoting == Quoting::Verbatim {
        let [literal] = print.format().literals() else { panic!("{name}: {printed}") };
        arguments = literal.end as usize;
        let format = text[1..arguments - 1].replace("\\\"", "\"");
        assert_eq!(format.as_bytes(), print.format().value(), "{name}");
    }
    assert_eq!(printed[..arguments], text[..arguments], "{name}");
    assert_eq!(squeezed(&printed[arguments..]), squeezed(&text[arguments..]), "{name}");
    let again =
        PrintFmt::parse(&printed, quoting).unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
    assert_eq!(again.to_string(), printed, "{name}");
    assert_eq!(again.tree().expressions().count(), print.tree().expressions().count(), "{name}");
    tiles(name, print);
    Counts {
        prints: 1,
        expressions: print.tree().expressions().count(),
        directives: print.format().pieces().iter().filter(|piece| piece.directive.is_some()).count(),
        opaque: print.tree().expressions().map(|(_, expr)| opaque(print, expr)).sum(),
        ..Counts::default()
    }
}

/// The pieces of the format string lie side by side, and a text among them holds no directive.
fn tiles(name: &str, print: &PrintFmt) {
    let value = print.format().value();
    let mut at = 0;
    for Piece { range, directive } in print.format().pieces() {
        assert_eq!(range.start, at, "{name}");
        assert_eq!(directive.is_some(), value[range.start] == b'%', "{name}");
        assert!(directive.is_some() || !value[range.clone()].contains(&b'%'), "{name}");
        at = range.end;
    }
    assert_eq!(at, value.len(), "{name}");
}

/// The text without white space outside of string and character literals.
fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match quote {
            None if c.is_whitespace() => continue,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
        squeezed.push(c);
        if c == '\\' && quote.is_some() {
            squeezed.extend(characters.next());
        }
    }
    squeezed
}

/// How many types directly in an expression are more than names, stars and sizes of arrays.
fn opaque(print: &PrintFmt, expr: &Expr) -> usize {
    let is_opaque = |ty: &TypeName| usize::from(ty.text().contains(['(', '{']));
    match expr {
        Expr::Cast { ty, .. } | Expr::SizeOfType(ty) | Expr::Type(ty) | Expr::Compound { ty, .. } => {
            is_opaque(ty)
        }
        Expr::Block(statements) => {
            let declared = statements.iter().map(|&id| match print.tree().statement(id) {
                Statement::Declaration { ty, .. } => is_opaque(ty),
                _ => 0,
            });
            declared.sum()
        }
        _ => 0,
    }
}
