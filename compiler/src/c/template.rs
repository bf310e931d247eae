//! Print templates as the format and the arguments of `TP_printk`.

use tracec_kernel::tables::printk::{Extension, Needs};

use super::field::Elements;
use super::literal::{is_escaped, text};
use super::names::entry;
use super::{Record, Scope};
use crate::ir::definition::{
    Base, Conversion, EnumId, ExprId, ExprKind, HexDump, PrintPart, PrintTemplate, RecordField, SecondsPart,
    Shape, TypeKind,
};

/// The arguments of `TP_printk`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    /// The format: the characters that it consists of, and not a literal.
    pub(crate) format: String,
    /// The values, as C.
    pub(crate) args: Vec<String>,
}

/// Returns a template as C.
pub(crate) fn printed(scope: Scope<'_>, template: &PrintTemplate) -> Printed {
    let mut printed = Printed::default();
    for part in &template.parts {
        match part {
            PrintPart::Text(text) => printed.literally(text),
            PrintPart::Field { field, conversion } => {
                // A template names fields of its class only.
                if let Some(field) = scope.fields.get(*field) {
                    printed.convert(scope, Operand::Field(field), conversion);
                }
            }
            PrintPart::Expr { expr, conversion } => printed.convert(scope, Operand::Expr(*expr), conversion),
        }
    }
    // The macro of a header puts a comma behind the format, after which C wants a value.
    if printed.args.is_empty() {
        let shown = printed.format.replace("%%", "%");
        return Printed { format: "%s".to_owned(), args: vec![text(&shown)] };
    }
    printed
}

/// A value that is printed.
#[derive(Clone, Copy)]
enum Operand<'a> {
    Field(&'a RecordField),
    Expr(ExprId),
}

impl Printed {
    /// Returns the `print fmt` of a `format` file. The comma is there without a value too
    /// (include/trace/stages/stage7_class_define.h).
    pub(crate) fn print_fmt(&self) -> String {
        format!("\"{}\", {}", self.format, self.args.join(", "))
    }

    /// Adds text. The kernel shows the characters of the format between quotes, without escapes, and its readers take
    /// a backslash for one: characters that they would misread, and those that C escapes, become arguments, which are shown
    /// as they are written.
    fn literally(&mut self, content: &str) {
        let mut quoted = String::new();
        for c in content.chars() {
            if c == '"' || c == '\\' || is_escaped(c) {
                quoted.push(c);
                continue;
            }
            self.quoted(&mut quoted);
            match c {
                '%' => self.format.push_str("%%"),
                c => self.format.push(c),
            }
        }
        self.quoted(&mut quoted);
    }

    /// Adds the characters that are an argument, if there are any.
    fn quoted(&mut self, characters: &mut String) {
        if !characters.is_empty() {
            self.add("%s", text(characters));
            characters.clear();
        }
    }

    fn add(&mut self, format: &str, arg: String) {
        self.format.push_str(format);
        self.args.push(arg);
    }

    fn convert(&mut self, scope: Scope<'_>, value: Operand<'_>, conversion: &Conversion) {
        match conversion {
            Conversion::Integer { base, bytes, shape } => {
                let (length, arg) = value.integer(scope, *base, *bytes);
                self.add(&directive(shape, &format!("{length}{}", base.letter())), arg);
            }
            Conversion::Text(shape) => self.add(&directive(shape, "s"), value.c(scope)),
            Conversion::Symbolic { ty, shape } => {
                self.add(&directive(shape, "s"), names(scope, &value.c(scope), *ty, None));
            }
            Conversion::Flags { ty, delimiter, shape } => {
                self.add(&directive(shape, "s"), names(scope, &value.c(scope), *ty, Some(delimiter)));
            }
            Conversion::Device => {
                let device = value.c(scope);
                self.add("%d", scope.function("MAJOR", &device));
                self.add(",%d", scope.function("MINOR", &device));
            }
            Conversion::Pointer { extension, shape } => self.pointer(scope, value, extension, shape),
            Conversion::Array { element } => {
                let Elements { address, count } = value.elements(scope, *element);
                self.add("%s", format!("__print_array({address}, {count}, {element})"));
            }
            Conversion::Hex { spaced } => {
                let Elements { address, count } = value.elements(scope, 1);
                let function = if *spaced { "__print_hex" } else { "__print_hex_str" };
                self.add("%s", format!("{function}({address}, {count})"));
            }
            Conversion::HexDump(dump) => self.add("%s", hex_dump(dump, &value.elements(scope, 1))),
            Conversion::Bits => self.add("%s", value.c(scope)),
            Conversion::Nanoseconds { part, shape } => self.nanoseconds(scope, &value.c(scope), *part, shape),
        }
    }

    /// Adds a number of nanoseconds as seconds. The helpers are macros, which are replaced before a `format` file quotes
    /// them (include/trace/stages/stage7_class_define.h).
    fn nanoseconds(&mut self, scope: Scope<'_>, value: &str, part: SecondsPart, shape: &Shape) {
        let (whole, rest) = match scope.record {
            Record::Entry { .. } => {
                (format!("__print_ns_to_secs({value})"), format!("__print_ns_without_secs({value})"))
            }
            Record::Format => (format!("({value}) / 1000000000UL"), format!("({value}) % 1000000000UL")),
        };
        match part {
            SecondsPart::All => {
                self.add("%llu", whole);
                self.add(".%09u", rest);
            }
            SecondsPart::Whole => self.add(&directive(shape, "llu"), whole),
            SecondsPart::Rest => self.add(&directive(shape, "u"), rest),
        }
    }

    /// Adds a value of a `%p` extension. Those with a number of bytes or bits take it as the width.
    fn pointer(&mut self, scope: Scope<'_>, value: Operand<'_>, extension: &Extension, shape: &Shape) {
        let letters = extension.letters;
        match extension.needs {
            Needs::Address => self.add(&directive(shape, letters), value.pointer(scope)),
            Needs::Buffer if shape.width.is_none() => {
                self.args.push(value.elements(scope, 1).count);
                self.add(&format!("%*{letters}"), value.address(scope));
            }
            Needs::Bits => {
                self.args.push(value.bits(scope));
                self.add(&format!("%*{letters}"), value.address(scope));
            }
            Needs::SocketAddress if value.kind(scope) == Some(&TypeKind::SocketAddress) => {
                self.add(&directive(shape, letters), value.c(scope));
            }
            _ => self.add(&directive(shape, letters), value.address(scope)),
        }
    }
}

impl<'a> Operand<'a> {
    fn kind(self, scope: Scope<'a>) -> Option<&'a TypeKind> {
        match self {
            Operand::Field(field) => Some(&field.ty.kind),
            Operand::Expr(id) => scope.exprs[id].ty.as_ref(),
        }
    }

    fn c(self, scope: Scope<'a>) -> String {
        match self {
            Operand::Field(field) => scope.field(field),
            Operand::Expr(id) => scope.expression(id),
        }
    }

    fn cast(self, scope: Scope<'a>, ty: &str) -> String {
        match self {
            Operand::Field(field) => format!("({ty}){}", scope.field(field)),
            Operand::Expr(id) => scope.cast(ty, id),
        }
    }

    /// Returns the name of its type, where the declaration of a field or a cast has it.
    fn type_name(self, scope: Scope<'a>) -> Option<&'a str> {
        match self {
            Operand::Field(field) => Some(&field.ty.c),
            Operand::Expr(id) => match &scope.exprs[id].kind {
                ExprKind::Field(index) => scope.fields.get(*index).map(|field| field.ty.c.as_str()),
                ExprKind::Index { base, .. } => Operand::Expr(*base).type_name(scope),
                ExprKind::Cast { ty, .. } => Some(&ty.c),
                _ => None,
            },
        }
    }

    /// Returns an integer with its length modifier. `char`, `short` and what is as long are passed as `int`.
    fn integer(self, scope: Scope<'a>, base: Base, bytes: u32) -> (&'static str, String) {
        match (bytes, base) {
            (8, Base::Char) => ("", self.cast(scope, "int")),
            (8, _) => match self.type_name(scope).and_then(length) {
                Some(length) => (length, self.c(scope)),
                None => match self {
                    Operand::Expr(id) => scope.printed_number(id, base == Base::Signed),
                    Operand::Field(_) if base == Base::Signed => ("ll", self.cast(scope, "long long")),
                    Operand::Field(_) => ("ll", self.cast(scope, "unsigned long long")),
                },
            },
            _ => ("", self.c(scope)),
        }
    }

    /// Returns an address as an argument of `%p`.
    fn pointer(self, scope: Scope<'a>) -> String {
        match self.kind(scope) {
            Some(kind) if kind.is_integer() => self.cast(scope, "void *"),
            _ => self.c(scope),
        }
    }

    /// Returns the address of its bytes in the record.
    fn address(self, scope: Scope<'a>) -> String {
        match self {
            Operand::Field(field) => scope.address(field),
            // Only what is in the record has an address there, which the checker asks for.
            Operand::Expr(_) => self.c(scope),
        }
    }

    /// Returns its elements of this size. A choice between two arrays has those of the one that is chosen.
    fn elements(self, scope: Scope<'a>, size: u32) -> Elements {
        let id = match self {
            Operand::Field(field) => return scope.elements(field, size),
            Operand::Expr(id) => id,
        };
        let unknown = || Elements { address: scope.expression(id), count: "1".to_owned() };
        match &scope.exprs[id].kind {
            ExprKind::Field(index) => {
                scope.fields.get(*index).map_or_else(unknown, |field| scope.elements(field, size))
            }
            ExprKind::Choose { condition, then, otherwise } => {
                let [then, otherwise] = [then, otherwise].map(|id| Operand::Expr(*id).elements(scope, size));
                let condition = scope.condition(*condition);
                let choice = |then: String, otherwise: String| match then == otherwise {
                    true => then,
                    false => format!("({condition} ? {then} : {otherwise})"),
                };
                Elements {
                    address: choice(then.address, otherwise.address),
                    count: choice(then.count, otherwise.count),
                }
            }
            _ => unknown(),
        }
    }

    /// Returns the number of its bits.
    fn bits(self, scope: Scope<'a>) -> String {
        let (size, bits) = match self.kind(scope) {
            Some(TypeKind::Array { .. }) => (8, 64),
            _ => (1, 8),
        };
        let count = self.elements(scope, size).count;
        match count.parse::<u64>().ok().and_then(|count| count.checked_mul(bits)) {
            Some(known) => known.to_string(),
            None => format!("{count} * {bits}"),
        }
    }
}

/// Returns the length modifier of a type of 8 bytes; `None` where the C type behind its name differs between kernels.
fn length(c: &str) -> Option<&'static str> {
    Some(match c {
        "long" | "long int" | "unsigned long" | "unsigned long int" | "ulong" => "l",
        "size_t" | "ssize_t" => "z",
        "u64" | "s64" | "__u64" | "__s64" | "uint64_t" | "int64_t" => "ll",
        "long long" | "long long int" | "unsigned long long" | "unsigned long long int" => "ll",
        _ => return None,
    })
}

/// Returns whether a type is `long long` or `unsigned long long`.
pub(super) fn is_long_long(c: &str) -> bool {
    length(c) == Some("ll")
}

/// Returns a directive of printf.
fn directive(shape: &Shape, letters: &str) -> String {
    format!("%{shape}{letters}")
}

/// Returns the call that shows bytes as lines.
fn hex_dump(dump: &HexDump, bytes: &Elements) -> String {
    let HexDump { prefix, offset, row, group, ascii } = dump;
    let kind = if *offset { "DUMP_PREFIX_OFFSET" } else { "DUMP_PREFIX_NONE" };
    let Elements { address, count } = bytes;
    format!("__print_hex_dump({}, {kind}, {row}, {group}, {address}, {count}, {ascii})", text(prefix))
}

/// Returns the name of an enum's member that a value has, or the names of the flags that are set in it, with a delimiter
/// between them.
pub(super) fn names(scope: Scope<'_>, value: &str, ty: EnumId, delimiter: Option<&str>) -> String {
    let delimiter = delimiter.map(|delimiter| format!(", {}", text(delimiter)));
    let with_delimiter = delimiter.as_deref().unwrap_or_default();
    match scope.record {
        Record::Entry { tables } => format!("{}({value}{with_delimiter})", tables.name(ty)),
        Record::Format => {
            let helper = if delimiter.is_some() { "__print_flags" } else { "__print_symbolic" };
            format!("{helper}({value}{with_delimiter}{})", table(scope, ty))
        }
    }
}

/// Returns the names of an enum's members, each behind a comma.
fn table(scope: Scope<'_>, ty: EnumId) -> String {
    let ty = &scope.constants[ty];
    ty.members().iter().map(|member| format!(", {}", entry(member, ty.flags))).collect()
}
