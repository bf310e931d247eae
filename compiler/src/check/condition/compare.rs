//! Comparisons of an operand with a constant or with another operand: whether the operator and the constant fit.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind, TypeBase};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Sign};
use tracec_kernel::format::Field;
use tracec_kernel::tables::measures::{Measure, SECTOR_BYTES};

use crate::diagnostic::codes::out_of_range::FilterBehaviour;
use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, codes};
use crate::ir::definition::Value;
use crate::stdlib;

use super::Checker;
use super::field_names::OwnNames;
use super::operand::{Class, NamedOperand, Operand, ValueNames, measured, range};
use super::render::is_loose;
use super::words::Meant;

impl Checker<'_> {
    /// Types a comparison of an operand with a constant.
    pub(super) fn compare(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        constant: ExprId,
    ) -> Option<Condition> {
        self.compared_by = (!self.in_set).then_some(op.value);
        let typed = self.typed_comparison(named, op, constant);
        self.compared_by = None;
        typed
    }

    fn typed_comparison(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        constant: ExprId,
    ) -> Option<Condition> {
        let at = self.exprs[constant].span;
        if named.class() == Class::Function {
            return self.compare_function(named, op, constant);
        }
        if let Some((cpus, at)) = self.cpus(constant) {
            return self.equals_cpus(named, op, &cpus, at);
        }
        let own = self.own_names(named, constant);
        let value = self.comparand(constant, named, own.as_ref())?;
        self.in_the_unit(named, constant);
        let is_glob = matches!(op.value, BinaryOp::Match | BinaryOp::NotMatch);
        match (named.class(), value) {
            (_, Value::Address(address)) => self.compare_address(named, op, address, at),
            (Class::Nothing, Value::Text(text)) if self.holds_address(named) => {
                self.quoted_address(named, op, &text, at)
            }
            (Class::Nothing, _) => self.not_filterable(named),
            (Class::Text, Value::Text(text)) => self.compare_text(named, op, text, constant),
            (Class::Integer | Class::Cpu, Value::Text(_)) if is_glob => self.bad_operator(named, op),
            (Class::Integer, Value::Size(size)) if let Some(measure) = field_of(named).and_then(measured) => {
                self.not_bytes(named, measure, size, at)
            }
            (class @ (Class::Integer | Class::Cpu), value) => match value.number() {
                Some(number) => {
                    self.named_value(named, own.as_ref(), op, (&value, at))?;
                    self.compare_number(named, op, number, at)
                }
                None => self.mismatch(named, class.wants(), &value, constant),
            },
            (class, value) => self.mismatch(named, class.wants(), &value, constant),
        }
    }

    /// Types a comparison of two operands: numbers whose signs agree.
    pub(super) fn compare_operands(
        &mut self,
        (left, left_id): (&NamedOperand, ExprId),
        op: &Spanned<BinaryOp>,
        (right, right_id): (&NamedOperand, ExprId),
    ) -> Option<Condition> {
        for named in [left, right] {
            if named.class() == Class::Nothing {
                return self.not_filterable(named);
            }
        }
        if !left.is_number() || !right.is_number() {
            let what = match (left.class(), right.class()) {
                (Class::Text, Class::Text) => "two strings of the record".to_owned(),
                (a, b) => format!("{} with {}", a.describe(), b.describe()),
            };
            return self.say(codes::no_comparand::no_comparand(left.span.to(right.span), &what));
        }
        let Some(compare) = compare_op(op.value) else { return self.bad_operator(left, op) };
        let (a, b) = (left.operand.number(), right.operand.number());
        self.same_sign(op.span, (&a, left_id), (&b, right_id))?;
        Some(Condition::Atom(Atom::Compare { left: a, op: compare, right: b }))
    }

    /// Checks a constant that has a name. `None` if a mistake was reported.
    fn named_value(
        &mut self,
        named: &NamedOperand,
        own: Option<&OwnNames>,
        op: &Spanned<BinaryOp>,
        (value, at): (&Value, Span),
    ) -> Option<()> {
        let Some(of) = self.scope(own).enum_of(value) else { return Some(()) };
        if matches!(op.value, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
            return self.say(codes::ordered_names::ordered_names(
                op.span,
                op.value.symbol(),
                of.word(),
                &of.name,
            ));
        }
        // The kernel returns errors as negative numbers; the constants are positive, as in C.
        if of.is_errno() && named.is_signed_field() && value.number() > Some(0) {
            self.found.push(codes::positive_errno::positive_errno(at, &named.name));
        }
        Some(())
    }

    fn compare_number(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        value: i128,
        at: Span,
    ) -> Option<Condition> {
        let Some(compare) = compare_op(op.value) else { return self.bad_operator(named, op) };
        let equality = matches!(compare, CompareOp::Eq | CompareOp::Ne);
        let value = self.in_range(named, value, equality, at)?;
        Some(Condition::compare(named.operand.number(), compare, value))
    }

    /// Returns a number in the operand's own representation, if the operand can have that value; for equality, it may
    /// have only bits of the operand's mask. `None` if a mistake was reported.
    pub(super) fn in_range(
        &mut self,
        named: &NamedOperand,
        value: i128,
        equality: bool,
        at: Span,
    ) -> Option<i128> {
        let (low, high) = range(&named.operand);
        let mask = named.operand.mask();
        // The top bit of a 64-bit mask makes a signed number negative. Equality of bits is allowed; an ordering
        // compares numbers.
        let value = match (mask, u64::try_from(value)) {
            (Some(mask), Ok(bits)) if equality && low < 0 && bits & !mask == 0 => i128::from(bits as i64),
            _ => value,
        };
        let outside = mask.filter(|mask| equality && value as u64 & !mask != 0);
        if (low..=high).contains(&value) && outside.is_none() {
            return Some(value);
        }
        match outside {
            Some(mask) => self.say(codes::out_of_range::of_mask(at, value, &named.name, mask)),
            None => self.out_of_range(named, value, (low, high), equality, at),
        }
    }

    fn out_of_range<T>(
        &mut self,
        named: &NamedOperand,
        value: i128,
        (low, high): (i128, i128),
        equality: bool,
        at: Span,
    ) -> Option<T> {
        let said = match &named.operand {
            Operand::Computed(computed) => {
                let wraps = value < 0 && computed.number.sign() == Sign::Unsigned && computed.mask.is_none();
                codes::out_of_range::of_computed(at, value, &named.name, (low, high), wraps)
            }
            _ => {
                let kernel = in_kernel(named, value);
                codes::out_of_range::out_of_range(at, value, &named.name, (low, high), kernel)
            }
        };
        let same_bits = same_bits(named, value).filter(|_| equality);
        self.say(match (same_bits, signed_type(named, value)) {
            (Some(number), _) => {
                said.guess(format!("write `{number}`, which has the same bits"), at, number.to_string())
            }
            (None, Some(ty)) => said.help(format!("`{} as {ty}` gives the number a sign", named.name)),
            // In a narrow number, the same bits are a value like any other: -1 would be the port 65535.
            (None, None) if value < 0 && low == 0 && matches!(named.operand, Operand::Field(_)) => {
                let least = match self.compared_by {
                    Some(BinaryOp::Eq | BinaryOp::Ne) if value == -1 => {
                        format!("; if 0 is meant, write `{}`", self.compared(&named.name, "0"))
                    }
                    _ => String::new(),
                };
                said.help(format!("no record has a value below 0{least}"))
            }
            (None, None) => said,
        })
    }

    pub(super) fn mismatch<T>(
        &mut self,
        named: &NamedOperand,
        wants: &str,
        value: &Value,
        constant: ExprId,
    ) -> Option<T> {
        let at = self.exprs[constant].span;
        let said = mismatch(named, wants, value.kind().describe(), at);
        self.say(match (named.class(), value) {
            // In C it would be the null pointer.
            (Class::Text, Value::Int { value: 0, of: None }) => self.empty_text(named, said, at),
            // The number of a task, and not its name.
            (Class::Text, Value::Int { value, of: None })
                if !self.matches() && named.name.ends_with("comm") =>
            {
                match self.id_beside(named) {
                    Some(id) => self.other_operand(named, said, "id", &id, &value.to_string()),
                    None => said,
                }
            }
            (Class::Text, Value::Int { value, of: None }) => {
                let text = quoted(&value.to_string());
                said.guess(format!("write `{text}`"), at, text)
            }
            (Class::Integer | Class::Cpu, Value::Text(text)) => match number_in(text, named) {
                Some(value) => said.fix(format!("write `{value}`"), at, value),
                None => self.unquoted(named, said, text, at),
            },
            (Class::Integer, Value::Duration(_)) => self.in_unit_of(named, said, constant),
            _ => said,
        })
    }

    /// Suggests the name in a string that was compared with an integer: one of the field's values, or a constant.
    fn unquoted(&self, named: &NamedOperand, said: Diagnostic, text: &str, at: Span) -> Diagnostic {
        let is_own = match named.operand.value_names() {
            Some(ValueNames::Field(field)) => {
                self.context.event.names(&field).is_some_and(|own| own.member(text).is_some())
            }
            Some(ValueNames::Enum(id)) => self.context.group.names.expected(id).ty().member(text).is_some(),
            None => false,
        };
        if is_own && is_word(text) && !self.is_operand(text) {
            return said.fix(format!("write the name without quotes: `{text}`"), at, text);
        }
        if let Some(value) = self.printed_as(named, text) {
            return said.note(format!("the event prints `{text}` where `{}` is {value}", named.name)).guess(
                format!("write `{value}`"),
                at,
                value.to_string(),
            );
        }
        if !is_word(text) {
            return self.unquoted_other(named, said, text);
        }
        match self.meant_by(text, named) {
            Meant::Values(names) => match names.as_slice() {
                [] if stdlib::holders(text).iter().any(|holder| holder.module == "syscall") => {
                    said.help(codes::unknown_constant::one_call(text))
                }
                [] => self.unquoted_other(named, said, text),
                [name, ..] => said.guess(format!("write the name without quotes: `{name}`"), at, name),
            },
            Meant::Function => {
                let edits = vec![
                    Edit { span: named.span.behind(), text: ".function".to_owned() },
                    Edit { span: at, text: text.to_owned() },
                ];
                let title =
                    format!("write `{}.function == {text}` for an address in the function", named.name);
                said.offer(Fix::several(Applicability::Maybe, title, edits))
            }
        }
    }

    /// Says what a string could mean that is compared with a number and names none of its values.
    fn unquoted_other(&self, named: &NamedOperand, said: Diagnostic, text: &str) -> Diagnostic {
        match field_of(named).and_then(measured) {
            Some(Measure::Device) => said
                .note("a record has the major and the minor number of a device as one: `8 << 20 | 0` for 8:0")
                .help(format!(
                    "write `{}` with the numbers that `lsblk` shows",
                    self.compared(&named.name, "8 << 20 | 0")
                )),
            _ => match self.name_beside(named) {
                Some(name) => self.other_operand(named, said, "name", &name, &quoted(text)),
                None => said,
            },
        }
    }

    /// Suggests the operand that has the `what` of a task, which was compared with a constant of that type.
    fn other_operand(
        &self,
        named: &NamedOperand,
        said: Diagnostic,
        what: &str,
        operand: &str,
        constant: &str,
    ) -> Diagnostic {
        // The other members of a set may be of the operand's own type.
        if self.compared_by.is_none() {
            return said.help(format!("the {what} is `{operand}`"));
        }
        let title = format!("write `{}` for the {what}", self.compared(operand, constant));
        said.guess(title, named.span, operand)
    }

    /// Says in which unit an integer counts that was compared with a duration, if its event prints the unit. A unit
    /// that nothing names is not guessed.
    fn in_unit_of(&self, named: &NamedOperand, said: Diagnostic, constant: ExprId) -> Diagnostic {
        let Operand::Field(field) = &named.operand else {
            return said.note(format!("`{}` is a plain number", named.name));
        };
        let Some(unit) = self.context.event.time_unit(field) else {
            return said
                .note(format!("the format of the event does not say in which unit `{}` counts", named.name))
                .help("write the number in the field's own unit");
        };
        let expr = &self.exprs[constant];
        let title =
            format!("the event prints `{}` in {unit}: convert the duration with `as {unit}`", named.name);
        if is_loose(expr, self.exprs) {
            return said.help(title);
        }
        said.guess(title, expr.span.behind(), format!(" as {unit}"))
    }

    /// Reports a duration in another unit than that of the field, if its event prints one.
    fn in_the_unit(&mut self, named: &NamedOperand, constant: ExprId) {
        let ExprKind::Cast { operand, ty } = &self.exprs[constant].kind else { return };
        let (ExprKind::Duration(_), Operand::Field(field)) = (&self.exprs[*operand].kind, &named.operand)
        else {
            return;
        };
        let TypeBase::Words(words) = &ty.base else { return };
        let ([written], Some(printed)) = (words.as_slice(), self.context.event.time_unit(field)) else {
            return;
        };
        if written.value != printed {
            self.found.push(codes::wrong_unit::wrong_unit(ty.span, &named.name, &written.value, printed));
        }
    }

    /// Reports a size that is compared with a number of other things than bytes.
    fn not_bytes<T>(&mut self, named: &NamedOperand, measure: Measure, size: u64, at: Span) -> Option<T> {
        let said = mismatch(named, named.class().wants(), "a size", at).note(format!(
            "`{}` is {}, and not a number of bytes",
            named.name,
            measure.describe()
        ));
        let sectors = size / SECTOR_BYTES;
        self.say(match measure {
            Measure::Sectors if size.is_multiple_of(SECTOR_BYTES) => {
                said.guess(format!("write `{sectors}`, the sectors of that size"), at, sectors.to_string())
            }
            _ => said.help(format!("write `{size}` if the number is meant")),
        })
    }

    /// Returns the comparison that is typed, of this operand and constant; for a member of a set the operand alone.
    pub(super) fn compared(&self, operand: &str, constant: &str) -> String {
        match self.compared_by {
            Some(op) => format!("{operand} {} {constant}", op.symbol()),
            None => operand.to_owned(),
        }
    }

    /// Returns whether the constant that is typed is a pattern.
    fn matches(&self) -> bool {
        matches!(self.compared_by, Some(BinaryOp::Match | BinaryOp::NotMatch))
    }

    /// Returns the operand with the name of the task whose id an operand is, unless ids are compared by size.
    pub(super) fn name_beside(&self, named: &NamedOperand) -> Option<String> {
        if !matches!(self.compared_by, None | Some(BinaryOp::Eq | BinaryOp::Ne)) {
            return None;
        }
        let is_common = |field: &Field| field.name == "common_pid";
        if matches!(&named.operand, Operand::Pid)
            || matches!(&named.operand, Operand::Field(field) if is_common(field))
        {
            return Some("current.comm".to_owned());
        }
        let name = format!("{}comm", named.name.strip_suffix("pid")?);
        let field = self.context.event.field(&name).cloned();
        let is_text = field.is_some_and(|field| Operand::Field(field).text().is_some());
        is_text.then_some(name)
    }

    /// Returns the operand with the id of the task whose name an operand is.
    fn id_beside(&self, named: &NamedOperand) -> Option<String> {
        if matches!(named.operand, Operand::Comm) {
            return Some("current.pid".to_owned());
        }
        let id = format!("{}pid", named.name.strip_suffix("comm")?);
        let is_number = self.context.event.field(&id).is_some_and(|field| field.integer().is_some());
        is_number.then_some(id)
    }

    /// Suggests tests of a string that was compared with 0.
    fn empty_text(&self, named: &NamedOperand, said: Diagnostic, at: Span) -> Diagnostic {
        match &named.operand {
            Operand::Field(field) if self.is_user_memory(field) => self.address_help(said, named),
            _ => said.guess("write `\"\"` for an empty string", at, "\"\""),
        }
    }

    /// Says how a string is tested that is an address in the record.
    pub(super) fn address_help(&self, said: Diagnostic, named: &NamedOperand) -> Diagnostic {
        let tests = match self.compared_by {
            Some(BinaryOp::Eq) => format!("`{}.ustring == \"\"` tests for an empty string", named.name),
            Some(BinaryOp::Ne) => {
                format!("`{}.ustring != \"\"` tests for a string that is not empty", named.name)
            }
            _ => format!("`{}.ustring` is the string", named.name),
        };
        said.help(format!("an address is not compared; {tests}"))
    }

    /// Returns the diagnostic of a value that an operand cannot be compared with.
    pub(super) fn mismatch_of(&self, named: &NamedOperand, got: &str, at: Span) -> Diagnostic {
        mismatch(named, named.class().wants(), got, at)
    }

    pub(super) fn mismatch_with<T>(
        &mut self,
        named: &NamedOperand,
        wants: &str,
        got: &str,
        at: Span,
    ) -> Option<T> {
        self.say(mismatch(named, wants, got, at))
    }

    pub(super) fn bad_operator<T>(&mut self, named: &NamedOperand, op: &Spanned<BinaryOp>) -> Option<T> {
        let class = named.class();
        self.say(codes::bad_operator::bad_operator(
            op.span,
            op.value.symbol(),
            &named.name,
            class.describe(),
            class.operators(),
        ))
    }

    pub(super) fn not_filterable<T>(&mut self, named: &NamedOperand) -> Option<T> {
        self.say(codes::not_filterable::not_filterable(named.span, &named.name, named.type_text()))
    }
}

fn mismatch(named: &NamedOperand, wants: &str, got: &str, at: Span) -> Diagnostic {
    codes::type_mismatch::type_mismatch(
        named.span,
        &named.name,
        named.type_text(),
        named.class().describe(),
        wants,
        at,
        got,
    )
}

/// Returns the field that an operand is.
fn field_of(named: &NamedOperand) -> Option<&Field> {
    if let Operand::Field(field) = &named.operand { Some(field) } else { None }
}

/// Returns the negative number of a signed field with the same bits as an unsigned number: -100 for `0xffffff9c` in 32
/// bits.
fn same_bits(named: &NamedOperand, value: i128) -> Option<i128> {
    let Operand::Field(field) = &named.operand else { return None };
    let integer = field.integer().filter(|integer| integer.signed)?;
    let (half, whole) = (1_i128 << (8 * integer.bytes - 1), 1_i128 << (8 * integer.bytes));
    (half..whole).contains(&value).then_some(value - whole)
}

/// Returns what the kernel's filter would make of a number outside of the field's range (`parse_pred` in
/// kernel/trace/trace_events_filter.c): it reads 64 bits, signed if the field is.
pub(super) fn in_kernel(named: &NamedOperand, value: i128) -> FilterBehaviour {
    // The type of an argument of a system call differs from the recorded type.
    let Operand::Field(field) = &named.operand else { return FilterBehaviour::Untold };
    if field.is_argument() && named.is_signed_field() {
        return FilterBehaviour::Untold;
    }
    let sign = if field.signed { Sign::Signed } else { Sign::Unsigned };
    let (low, high) = sign.range();
    match value {
        ..0 if !field.signed => FilterBehaviour::NoMinus,
        _ if field.size < 8 && (low..=high).contains(&value) => FilterBehaviour::Cut,
        _ => FilterBehaviour::Untold,
    }
}

/// Returns the signed type, as wide as C's type of an unsigned field of 32 bits or more, that holds a number below 0.
fn signed_type(named: &NamedOperand, value: i128) -> Option<String> {
    let Operand::Field(field) = &named.operand else { return None };
    let integer = field.integer().filter(|integer| !integer.signed && value < 0)?;
    let bits = 8 * integer.bytes;
    if bits < 32 {
        return None;
    }
    (value >= -(1_i128 << (bits - 1))).then(|| format!("s{bits}"))
}

/// Returns whether a text is a word that can be written as a name.
fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
}

/// Returns the number in a text, decimal or hexadecimal, if the operand can have it.
fn number_in(text: &str, named: &NamedOperand) -> Option<String> {
    let text = text.trim();
    let (value, written) = match text.strip_prefix("0x") {
        Some(digits) => (i128::from(u64::from_str_radix(digits, 16).ok()?), text.to_owned()),
        None => {
            let value: i128 = text.parse().ok()?;
            (value, value.to_string())
        }
    };
    let (low, high) = range(&named.operand);
    (low..=high).contains(&value).then_some(written)
}

fn compare_op(op: BinaryOp) -> Option<CompareOp> {
    Some(match op {
        BinaryOp::Eq => CompareOp::Eq,
        BinaryOp::Ne => CompareOp::Ne,
        BinaryOp::Lt => CompareOp::Lt,
        BinaryOp::Le => CompareOp::Le,
        BinaryOp::Gt => CompareOp::Gt,
        BinaryOp::Ge => CompareOp::Ge,
        _ => return None,
    })
}

/// Returns the operator that means the same with the sides exchanged.
pub(super) fn flipped(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        same => same,
    }
}
