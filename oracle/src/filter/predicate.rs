//! One comparison of a filter's text: `parse_pred` in kernel/trace/trace_events_filter.c.

use super::cpus::CpuMask;
use super::ctype::{is_alnum, is_digit, is_space};
use super::field::{self, FilterField, Kind};
use super::number;
use super::test::{NumberLocation, OPS, Op, StringLocation, Test};
use super::text::{Comparison, Pattern};
use super::{ParseContext, Refusal};
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::errno::{EINVAL, EPERM};
use tracec_kernel::tables::filter_errors::{
    EXPECT_DIGIT, EXPECT_STRING, FIELD_NOT_FOUND, FilterError, ILLEGAL_FIELD_OP, ILLEGAL_INTVAL,
    INVALID_CPULIST, INVALID_OP, INVALID_VALUE, MISSING_BRACE_CLOSE, MISSING_BRACE_OPEN, MISSING_QUOTE,
    NO_FUNCTION, OPERAND_TOO_LONG,
};
use tracec_kernel::tables::limits::{NUMBER_CHARS, STRING_OPERAND_BYTES};

/// The properties that are the same for all comparisons of a text.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) event: &'a EventFormat,
    pub(super) model: &'a Model,
    pub(super) context: &'a ParseContext<'a>,
}

/// Parses the comparison that begins at `start`; returns where it ends.
pub(super) fn parse(text: &[u8], start: usize, scope: Scope<'_>) -> Result<(Test, usize), Refusal> {
    let mut parser = Parser { text, at: start, scope };
    let test = parser.comparison()?;
    Ok((test, parser.at))
}

/// Size of a `long` in bytes. Kernels of 32 bits are not modelled.
const LONG: usize = 8;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    scope: Scope<'a>,
}

impl<'a> Parser<'a> {
    fn comparison(&mut self) -> Result<Test, Refusal> {
        let field = self.field()?;
        let user_text = self.scope.model.user_text && self.takes(b".ustring");
        let function = self.scope.model.functions && self.takes(b".function");
        self.skip(is_space);
        let Some(&(sign, op)) = OPS.iter().find(|(sign, _)| self.rest().starts_with(sign)) else {
            return Err(self.refuse(&INVALID_OP));
        };
        self.at += sign.len();
        self.skip(is_space);

        if function {
            self.function(field, op)
        } else if self.scope.model.cpu_lists && self.rest().starts_with(b"CPUS") {
            self.cpus(field, op)
        } else {
            match self.rest().first() {
                Some(&quote @ (b'\'' | b'"')) => self.string(field, op, quote, user_text),
                Some(&byte) if is_digit(byte) || byte == b'-' => self.number(field, op),
                _ => Err(self.refuse(&INVALID_VALUE)),
            }
        }
    }

    fn field(&mut self) -> Result<FilterField, Refusal> {
        self.skip(is_space);
        let name = self.skip(|byte| is_alnum(byte) || byte == b'_');
        if name.is_empty() {
            return Err(Refusal::unexplained(EPERM));
        }
        field::find(self.scope.event, self.scope.model, name).ok_or_else(|| self.refuse(&FIELD_NOT_FOUND))
    }

    /// Parses the operand after `.function`: an address, or a name that ends at white space.
    fn function(&mut self, field: FilterField, op: Op) -> Result<Test, Refusal> {
        if field.size != LONG {
            return Err(self.refuse(&ILLEGAL_FIELD_OP));
        }
        if !matches!(op, Op::Eq | Op::Ne) {
            return Err(self.refuse(&INVALID_OP));
        }
        let lookup = self.scope.context;
        let inside = if self.rest().first().is_some_and(|&byte| is_digit(byte)) {
            let token = self.skip(is_alnum);
            if token.len() > NUMBER_CHARS {
                return Err(self.refuse(&OPERAND_TOO_LONG));
            }
            let address = number::unsigned(token).ok_or_else(|| self.refuse(&INVALID_VALUE))?;
            (lookup.function_at)(address)
        } else {
            let name = self.skip(|byte| !is_space(byte));
            // The name of a symbol is always UTF-8.
            std::str::from_utf8(name).ok().filter(|name| !name.is_empty()).and_then(lookup.function_named)
        };
        let inside = inside.ok_or_else(|| self.refuse(&NO_FUNCTION))?;
        Ok(Test::Function { offset: field.offset, inside, inverted: op == Op::Ne })
    }

    /// Parses `CPUS{..}`.
    fn cpus(&mut self, field: FilterField, op: Op) -> Result<Test, Refusal> {
        let takes_cpus = matches!(field.kind, Kind::CpuMask | Kind::Cpu | Kind::Other);
        if !takes_cpus || !matches!(op, Op::Eq | Op::Ne | Op::BitAnd) {
            return Err(self.refuse(&ILLEGAL_FIELD_OP));
        }
        // The offset of both braces is that after the character in question.
        self.at += 5;
        if self.text.get(self.at - 1) != Some(&b'{') {
            return Err(self.refuse(&MISSING_BRACE_OPEN));
        }
        let list = self.skip(|byte| byte != b'}');
        if self.rest().is_empty() {
            return Err(self.refuse(&MISSING_BRACE_CLOSE));
        }
        if list.is_empty() {
            return Err(self.refuse(&INVALID_CPULIST));
        }
        let mask = CpuMask::parse(list, self.scope.context.nr_cpu_ids);
        let mask = mask.ok_or_else(|| self.refuse(&INVALID_CPULIST))?;
        self.at += 1;
        Ok(cpu_test(field, op, mask, self.scope.context.nr_cpus))
    }

    fn string(&mut self, field: FilterField, op: Op, quote: u8, user_text: bool) -> Result<Test, Refusal> {
        if !matches!(op, Op::Ne | Op::Glob | Op::Eq) {
            return Err(self.refuse(&ILLEGAL_FIELD_OP));
        }
        let FilterField { kind, offset, size, .. } = field;
        if !kind.is_string() {
            return Err(self.refuse(&EXPECT_DIGIT));
        }
        self.at += 1;
        let operand = self.skip(|byte| byte != quote);
        if self.rest().is_empty() {
            return Err(self.refuse(&MISSING_QUOTE));
        }
        if operand.len() > STRING_OPERAND_BYTES {
            return Err(self.refuse(&OPERAND_TOO_LONG));
        }
        self.at += 1;
        let &Model { bounded_text: bounded, class_takes_nul, .. } = self.scope.model;
        let how = Comparison { bounded, class_takes_nul };
        let (pattern, inverted) = match op {
            Op::Glob => Pattern::glob(operand, how),
            _ => (Pattern::exact(operand, how), op == Op::Ne),
        };
        let location = match kind {
            Kind::Comm => StringLocation::Comm,
            Kind::StaticString => StringLocation::Fixed { offset, size },
            Kind::DynString => StringLocation::DataLoc { offset },
            Kind::RelString => StringLocation::RelLoc { offset },
            _ if user_text => StringLocation::UserPointer { offset },
            _ => StringLocation::KernelPointer { offset },
        };
        Ok(Test::Text { location, pattern, inverted })
    }

    fn number(&mut self, field: FilterField, op: Op) -> Result<Test, Refusal> {
        if field.kind.is_string() {
            return Err(self.refuse(&EXPECT_STRING));
        }
        if op == Op::Glob {
            return Err(self.refuse(&ILLEGAL_FIELD_OP));
        }
        let start = self.at;
        self.takes(b"-");
        self.skip(is_alnum);
        let token = &self.text[start..self.at];
        if token.len() > NUMBER_CHARS {
            return Err(self.refuse(&OPERAND_TOO_LONG));
        }
        // Only this error points to where its token begins.
        let value = number::parse(token, field.signed).ok_or(refuse_at(&ILLEGAL_INTVAL, start))?;
        Ok(match field.kind {
            Kind::Cpu => Test::Cpu { op, value: value as i32 },
            _ => number_test(field, field.signed, op, value),
        })
    }

    fn rest(&self) -> &'a [u8] {
        // A missing `{` is looked for one character after the end.
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips characters of a class.
    fn skip(&mut self, kind: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|&&byte| kind(byte)).count();
        self.at += length;
        &rest[..length]
    }

    fn takes(&mut self, word: &[u8]) -> bool {
        let taken = self.rest().starts_with(word);
        if taken {
            self.at += word.len();
        }
        taken
    }

    fn refuse(&self, error: &'static FilterError) -> Refusal {
        refuse_at(error, self.at)
    }
}

/// Returns a refusal. `parse_pred` gets an offset one after the start of its text, so that all its errors are one too
/// far.
fn refuse_at(error: &'static FilterError, at: usize) -> Refusal {
    Refusal::at(error, at + 1, EINVAL)
}

/// Returns a comparison with a set of CPUs. A set of a single CPU is compared as its number, and `&` is then `==`.
fn cpu_test(field: FilterField, op: Op, mask: CpuMask, nr_cpus: u32) -> Test {
    let single_op = if op == Op::BitAnd { Op::Eq } else { op };
    match (field.kind, mask.single()) {
        (Kind::CpuMask, _) => {
            Test::Mask { offset: field.offset, op, bits: mask.compared_bits(nr_cpus), mask }
        }
        (Kind::Cpu, Some(cpu)) => Test::Cpu { op: single_op, value: cpu as i32 },
        (Kind::Cpu, None) => Test::CpuInMask { op, mask },
        (_, Some(cpu)) => number_test(field, false, single_op, u64::from(cpu)),
        (_, None) => match location(field) {
            Some(location) => Test::NumberInMask { location, op, mask },
            None => Test::Never,
        },
    }
}

/// Selects as `select_comparison_fn`.
fn number_test(field: FilterField, signed: bool, op: Op, value: u64) -> Test {
    match location(field) {
        Some(location) => Test::Number { location, signed, op, value },
        None => Test::Never,
    }
}

/// Returns the location of the field, if its size is that of an integer.
fn location(field: FilterField) -> Option<NumberLocation> {
    let FilterField { offset, size, .. } = field;
    matches!(size, 1 | 2 | 4 | 8).then_some(NumberLocation { offset, size })
}
