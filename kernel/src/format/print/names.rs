//! Names of a field's values: the tables of `__print_symbolic` and `__print_flags`.

use super::PrintFmt;
use crate::c::{BinaryOperator, Expr, ExprId, Table, TypeName};
use crate::format::{Field, IntegerType};
use crate::tables::print_helpers::HelperResult;

/// The names of a field's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTable {
    /// Whether an entry names a value or bits of it.
    pub kind: TableKind,
    /// The separator between the names of bits, if the event has one.
    pub delimiter: Option<String>,
    /// The entries in the order of the text. Of several with the same value the kernel prints the first.
    pub entries: Vec<NameEntry>,
    /// Entries that do not name a value, with the reason.
    pub skipped: Vec<SkippedName>,
}

/// The kinds of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// `__print_symbolic`: a value.
    Symbolic,
    /// `__print_flags`: bits, all of which must be set.
    Flags,
}

/// A name of a value or of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameEntry {
    /// The value, in the field's [integer type](Field::integer).
    pub value: i128,
    /// Its name.
    pub name: String,
}

/// An entry that does not name a value of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedName {
    /// The name, or the expression in its place.
    pub name: String,
    /// The reason.
    pub reason: SkipReason,
}

/// The reason why an entry does not name a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Its value is not constant: usually an enumerator whose value the kernel does not show.
    NotConstant,
    /// No value of the field matches it: the kernel compares 64 bits, so that `-1` does not match an unsigned `int`,
    /// and `1 << 31`, which is negative, does not match a bit of one.
    OutOfRange,
    /// The name is not a string literal.
    NotText,
}

impl PrintFmt {
    /// Returns the tables whose first argument is exactly this field, in the order of the text. There is more than one
    /// where the event prints the field twice, or in one of several ways.
    ///
    /// An argument is exactly the field if it is `REC->field`, with or without parentheses or casts, as long as the
    /// casts do not change the 64 bits that the kernel compares with the entries, for any value that the field can
    /// have. This holds for every integer type of 64 bits, and for every other one that includes all values of the
    /// field's type.
    pub fn names(&self, field: &Field) -> Vec<NameTable> {
        let Some(integer) = field.integer() else { return Vec::new() };
        let own = IntegerType { bytes: field.size, signed: field.signed };
        let tables = self.tree.expressions().filter_map(|(_, expr)| match expr {
            Expr::Table(table) => Some(table),
            _ => None,
        });
        let of_field = tables.filter(|table| self.is_exactly(table.value, &field.name, own));
        of_field.map(|table| self.name_table(table, integer)).collect()
    }

    /// Returns the value of a field for which the event prints this name, if the name belongs to a table of the field
    /// with some bits masked: `prev_state` of sched:sched_switch is printed as `S` where it is 1, and as `R` where no
    /// bit of the mask is set. A field of its own table has such names too; [`PrintFmt::names`] returns them.
    pub fn printed_as(&self, field: &Field, name: &str) -> Option<i128> {
        let (integer, own) = (field.integer()?, IntegerType { bytes: field.size, signed: field.signed });
        let masked = |id: ExprId| self.is_masked(id, &field.name, own);
        let table_of = |id: ExprId| match self.tree.expression(self.tree.unparenthesised(id)) {
            Expr::Table(table) if masked(table.value) => Some(table),
            _ => None,
        };
        self.tree.expressions().find_map(|(id, expr)| match expr {
            Expr::Table(_) => {
                let entries = self.name_table(table_of(id)?, integer).entries;
                entries.into_iter().find(|entry| entry.name == name).map(|entry| entry.value)
            }
            Expr::Conditional { condition, then: Some(then), otherwise } => {
                let is_rest = masked(*condition) && table_of(*then).is_some();
                (is_rest && self.literal(*otherwise).as_deref() == Some(name)).then_some(0)
            }
            _ => None,
        })
    }

    /// Returns the text that the event prints behind the names of a field where some of its bits are set, and the bits:
    /// `+` and 0x100 for `prev_state` of sched:sched_switch.
    pub fn suffix(&self, field: &Field) -> Option<(String, i128)> {
        let own = IntegerType { bytes: field.size, signed: field.signed };
        self.tree.expressions().find_map(|(_, expr)| {
            let Expr::Conditional { condition, then: Some(then), otherwise } = expr else { return None };
            let condition = self.tree.unparenthesised(*condition);
            let Expr::Binary { operator: BinaryOperator::BitAnd, left, right } =
                self.tree.expression(condition)
            else {
                return None;
            };
            let bits = self.tree.constant(*right)?.value();
            let (text, nothing) = (self.literal(*then)?, self.literal(*otherwise)?);
            let is_suffix =
                nothing.is_empty() && !text.is_empty() && self.is_exactly(*left, &field.name, own);
            is_suffix.then_some((text, bits))
        })
    }

    /// Returns whether an expression is exactly a field, or that with a constant mask.
    fn is_masked(&self, id: ExprId, field: &str, integer: IntegerType) -> bool {
        let id = self.tree.unparenthesised(id);
        match self.tree.expression(id) {
            Expr::Binary { operator: BinaryOperator::BitAnd, left, right } => {
                self.is_exactly(*left, field, integer) && self.tree.constant(*right).is_some()
            }
            _ => self.is_exactly(id, field, integer),
        }
    }

    /// Returns whether an argument is exactly this field: see [`PrintFmt::names`].
    pub(super) fn is_exactly(&self, id: ExprId, field: &str, integer: IntegerType) -> bool {
        let mut id = self.tree.unparenthesised(id);
        while let Expr::Cast { ty, operand } = self.tree.expression(id) {
            if !keeps_values(ty, integer) {
                return false;
            }
            id = self.tree.unparenthesised(*operand);
        }
        self.tree.field_name(id) == Some(field)
    }

    fn name_table(&self, table: &Table, integer: IntegerType) -> NameTable {
        let kind =
            if table.helper.result == HelperResult::Flags { TableKind::Flags } else { TableKind::Symbolic };
        let delimiter = table.delimiter.and_then(|delimiter| self.literal(delimiter));
        let mut names = NameTable { kind, delimiter, entries: Vec::new(), skipped: Vec::new() };
        for entry in &table.entries {
            // An entry without a name ends the kernel's table (`trace_print_symbols_seq` in
            // kernel/trace/trace_output.c).
            let Some(name) = entry.name.filter(|name| !self.tree.is_null(*name)) else { break };
            let Some(value) = entry.value else { break };
            let text = self.literal(name);
            let value = self.tree.constant(value).ok_or(SkipReason::NotConstant);
            let value = value.and_then(|value| in_field(value.bits(), integer).ok_or(SkipReason::OutOfRange));
            match (value, text) {
                (Ok(value), Some(name)) => names.entries.push(NameEntry { value, name }),
                (Ok(_), None) => {
                    let name = self.tree.display(name).to_string();
                    names.skipped.push(SkippedName { name, reason: SkipReason::NotText });
                }
                (Err(reason), text) => {
                    let name = text.unwrap_or_else(|| self.tree.display(name).to_string());
                    names.skipped.push(SkippedName { name, reason });
                }
            }
        }
        names
    }

    /// Returns the text of a string literal; C ends it at a NUL.
    fn literal(&self, id: ExprId) -> Option<String> {
        let Expr::Str { value, .. } = self.tree.expression(self.tree.unparenthesised(id)) else {
            return None;
        };
        let text = value.split(|&byte| byte == 0).next()?;
        str::from_utf8(text).ok().map(str::to_owned)
    }
}

/// Returns whether a cast to `ty` preserves all values of `field`, as converted to 64 bits afterwards.
fn keeps_values(ty: &TypeName, field: IntegerType) -> bool {
    // A cast to `bool` does not keep the low bits as other casts do.
    let integer = ty.integer().filter(|integer| integer.name != "bool");
    integer.is_some_and(|integer| {
        let cast = IntegerType { bytes: integer.size, signed: integer.signed };
        cast.bytes == 8 || (cast.min() <= field.min() && field.max() <= cast.max())
    })
}

/// Returns the value of the field that becomes these bits as `unsigned long`.
fn in_field(bits: u64, integer: IntegerType) -> Option<i128> {
    let value = if integer.signed { i128::from(bits as i64) } else { i128::from(bits) };
    (integer.min() <= value && value <= integer.max()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FieldKind;
    use crate::format::print::Quoting;

    fn field(name: &str, bytes: u32, signed: bool) -> Field {
        let (name, type_text) = (name.into(), "a_type".into());
        Field { name, type_text, kind: FieldKind::Int, offset: 8, size: bytes, signed }
    }

    fn tables(text: &str, field: &Field) -> Vec<NameTable> {
        let print =
            PrintFmt::parse(text, Quoting::Verbatim).unwrap_or_else(|error| panic!("{text}: {error}"));
        print.names(field)
    }

    fn entries(value: &str, table: &str, field: &Field) -> Vec<(i128, String)> {
        let text = format!("\"%s\", __print_symbolic({value}, {table})");
        let tables = tables(&text, field);
        tables.into_iter().flat_map(|table| table.entries).map(|entry| (entry.value, entry.name)).collect()
    }

    #[test]
    fn a_table_names_the_values_of_its_field() {
        let text = r#""%s %s", __print_flags(REC->flags, "|", { 1 << 1, "A" }, { 0x10UL | 4, "B" }), "#
            .to_owned()
            + r#"__print_symbolic(REC->state, { -1, "NO" }, { SOME_ENUM, "some" }, { 3, "THR" "EE" })"#;
        let flags = tables(&text, &field("flags", 4, false));
        assert_eq!(flags.len(), 1);
        assert_eq!((flags[0].kind, flags[0].delimiter.as_deref()), (TableKind::Flags, Some("|")));
        let entry = |value, name: &str| NameEntry { value, name: name.to_owned() };
        assert_eq!(flags[0].entries, [entry(2, "A"), entry(20, "B")]);
        assert_eq!(flags[0].skipped, []);

        let state = tables(&text, &field("state", 4, true));
        assert_eq!((state[0].kind, state[0].delimiter.as_deref()), (TableKind::Symbolic, None));
        assert_eq!(state[0].entries, [entry(-1, "NO"), entry(3, "THREE")]);
        let skipped = SkippedName { name: "some".to_owned(), reason: SkipReason::NotConstant };
        assert_eq!(state[0].skipped, [skipped]);

        assert_eq!(tables(&text, &field("other", 4, true)), []);
    }

    #[test]
    fn suffix_stands_behind_names_where_its_bits_are_set() {
        let suffix = |text: &str| {
            let print = PrintFmt::parse(text, Quoting::Verbatim).expect(text);
            print.suffix(&field("state", 8, true))
        };
        let plus = Some(("+".to_owned(), 0x100));
        assert_eq!(suffix(r#""%s%s", "R", REC->state & (0x80 << 1) ? "+" : """#), plus);
        for text in [
            r#""%s", REC->state & 1 ? "a" : "b""#,
            r#""%s", REC->other & 1 ? "+" : """#,
            r#""%s", REC->state ? "+" : """#,
        ] {
            assert_eq!(suffix(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_field_itself_counts() {
        let state = field("state", 4, true);
        for value in [
            "REC->state",
            "(REC->state)",
            "((((REC)->state)))",
            "(int)REC->state",
            "(long)(REC->state)",
            "(unsigned long)REC->state",
            "(s32)(u64)((REC->state))",
        ] {
            assert_eq!(entries(value, r#"{ 1, "A" }"#, &state).len(), 1, "{value}");
        }
        for value in [
            "REC->other",
            "REC->state & 3",
            "REC->state[0]",
            "REC->state.a",
            "REC.state",
            "p->state",
            "state",
            "-REC->state",
            "(unsigned int)REC->state",
            "(u8)REC->state",
            "(bool)REC->state",
            "(enum unknown)REC->state",
            "(void *)REC->state",
            "(u64)(u8)REC->state",
        ] {
            assert_eq!(entries(value, r#"{ 1, "A" }"#, &state).len(), 0, "{value}");
        }
        assert_eq!(entries("(u16)REC->state", r#"{ 1, "A" }"#, &field("state", 1, false)).len(), 1);
    }

    #[test]
    fn values_are_those_that_the_kernel_would_match() {
        let named = |table: &str, bytes, signed| entries("REC->a", table, &field("a", bytes, signed));
        let one = |value| vec![(value, "A".to_owned())];
        assert_eq!(named(r#"{ -1, "A" }"#, 8, false), one(u64::MAX.into()));
        assert_eq!(named(r#"{ -1, "A" }"#, 4, true), one(-1));
        assert_eq!(named(r#"{ -1, "A" }"#, 4, false), []);
        assert_eq!(named(r#"{ -1U, "A" }"#, 4, true), []);
        assert_eq!(named(r#"{ 1 << 31, "A" }"#, 4, false), []);
        assert_eq!(named(r#"{ 1U << 31, "A" }"#, 4, false), one(1 << 31));
        assert_eq!(named(r#"{ 256, "A" }"#, 1, false), []);
        let table = &tables(r#""%s", __print_symbolic(REC->a, { 256, "A" })"#, &field("a", 1, false))[0];
        assert_eq!(table.skipped[0].reason, SkipReason::OutOfRange);
    }

    #[test]
    fn a_table_ends_where_the_kernel_ends_it() {
        let a = field("a", 4, true);
        for end in
            ["{ -1, NULL }", "{ -1, 0 }", "{ -1, ((void *)0) }", "{ 0, (void *)0 }", "{ }", "{ 7 }", "{ 7, }"]
        {
            let table = format!(r#"{{ 1, "A", }}, {end}, {{ 2, "B" }}"#);
            assert_eq!(entries("REC->a", &table, &a), [(1, "A".to_owned())], "{end}");
        }
        let table = &tables(r#""%s", __print_symbolic(REC->a, { 1, name })"#, &a)[0];
        assert_eq!(table.skipped, [SkippedName { name: "name".to_owned(), reason: SkipReason::NotText }]);
    }

    #[test]
    fn every_table_of_a_field_is_given() {
        let text = r#""%s%s", REC->b ? __print_flags(REC->a, "|", { 1, "A" }) : "none", "#.to_owned()
            + r#"__print_symbolic(REC->a, { 2, "B" })"#;
        let kinds: Vec<_> = tables(&text, &field("a", 4, true)).iter().map(|table| table.kind).collect();
        assert_eq!(kinds, [TableKind::Flags, TableKind::Symbolic]);
    }

    #[test]
    fn what_is_no_integer_has_no_names() {
        let mut array = field("a", 16, false);
        array.kind = FieldKind::CharArray;
        assert_eq!(tables(r#""%s", __print_symbolic(REC->a, { 1, "A" })"#, &array), []);
    }
}
