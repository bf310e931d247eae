//! Comparisons of a text with a constant: whether it fits, and whether a pattern is valid.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind};
use tracec_grammar::{foreign_pattern, has_wildcard};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, Condition, TextTest};
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::limits;

use crate::diagnostic::codes;
use crate::diagnostic::codes::regex_in_pattern::Written;
use crate::diagnostic::quoted::quoted;

use super::Checker;
use super::operand::{NamedOperand, Operand, room};

impl Checker<'_> {
    /// Types `operand OP "text"`. `None` if a mistake was reported.
    pub(super) fn compare_text(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        text: String,
        constant: ExprId,
    ) -> Option<Condition> {
        let at = self.exprs[constant].span;
        let is_glob = matches!(op.value, BinaryOp::Match | BinaryOp::NotMatch);
        if !is_glob && !matches!(op.value, BinaryOp::Eq | BinaryOp::Ne) {
            return self.bad_operator(named, op);
        }
        let Some(of) = named.operand.text() else { return self.not_filterable(named) };
        self.not_user_memory(named)?;
        if text.contains('\0') {
            return self.say(codes::nul_in_text::nul_in_text(at));
        }
        self.fits_record(named, &text, is_glob, at)?;
        let test = match op.value {
            BinaryOp::Eq => TextTest::Eq(text),
            BinaryOp::Ne => TextTest::Ne(text),
            _ => TextTest::Glob(self.pattern(named, op, &text, constant)?),
        };
        self.fits_room(named, &test, at)?;
        let atom = Condition::Atom(Atom::Text { of, test });
        Some(if op.value == BinaryOp::NotMatch { Condition::not(atom) } else { atom })
    }

    /// Parses a pattern. `None` if a mistake was reported.
    fn pattern(
        &mut self,
        named: &NamedOperand,
        op: &Spanned<BinaryOp>,
        text: &str,
        constant: ExprId,
    ) -> Option<Glob> {
        let at = self.exprs[constant].span;
        // A named constant may be for other uses; what is not its text cannot be replaced here.
        let is_literal = matches!(self.exprs[constant].kind, ExprKind::Str(_));
        let written = Written { op, is_alone: !self.in_set, is_literal };
        let is_name = room(&named.operand) == Some(limits::TASK_COMM_LEN - 1);
        let foreign = foreign_pattern(text, is_name);
        if let Some(foreign) = &foreign {
            self.found.push(codes::regex_in_pattern::regex_in_pattern(at, foreign, &written));
        }
        match Glob::parse(text) {
            Ok(glob) => {
                let is_plain = foreign.is_none() && !has_wildcard(text) && !text.contains('\\');
                if is_plain && is_literal && !self.in_set && !text.is_empty() {
                    self.found.push(codes::plain_pattern::plain_pattern(at, text, op));
                }
                Some(glob)
            }
            Err(mistake) => {
                let span = self.span_in_literal(constant, text, mistake.range.clone());
                let literal = is_literal.then_some((at, text));
                self.say(codes::bad_pattern::bad_pattern(span, &mistake, literal))
            }
        }
    }

    /// Returns the span of some bytes of a text in the literal that it was written as; the whole literal where an
    /// escape may have moved them, or where the text is a named constant.
    fn span_in_literal(&self, constant: ExprId, text: &str, part: std::ops::Range<usize>) -> Span {
        let expr = &self.exprs[constant];
        let span = expr.span;
        let as_written = span.end as usize - span.start as usize == text.len() + 2;
        if matches!(expr.kind, ExprKind::Str(_)) && as_written {
            return span.part(1 + part.start..1 + part.end);
        }
        span
    }

    /// Refuses a text that no record has room for, and a pattern of that length: it would take much more memory than
    /// its text. `None` if it was refused.
    fn fits_record(&mut self, named: &NamedOperand, text: &str, is_glob: bool, at: Span) -> Option<()> {
        let most = limits::RECORDED_TEXT_BYTES - 1;
        if text.len() <= most {
            return Some(());
        }
        self.say(match is_glob {
            true => {
                let why = format!("has {} bytes, more than a text in a record has", Grouped(text.len()));
                codes::bad_pattern::too_long(at, &why)
            }
            false => codes::text_too_long::text_too_long(at, &named.name, text.len(), most, None),
        })
    }

    /// Refuses a text, or a pattern whose shortest text is, longer than the field: it never occurs.
    fn fits_room(&mut self, named: &NamedOperand, test: &TextTest, at: Span) -> Option<()> {
        let (length, text) = match test {
            TextTest::Eq(text) | TextTest::Ne(text) => (text.len(), Some(text)),
            TextTest::Glob(glob) => (glob.shortest(), None),
        };
        let Some(room) = room(&named.operand).filter(|room| length > *room) else { return Some(()) };
        // The kernel truncates the names of tasks; a longer one is recorded without its end.
        let is_name = room == limits::TASK_COMM_LEN - 1;
        let cut = text.filter(|_| is_name).map(|text| quoted(&text[..text.floor_char_boundary(room)]));
        self.say(codes::text_too_long::text_too_long(at, &named.name, length, room, cut))
    }

    /// Refuses a text argument of a system call: it points to the task's memory, which the kernel's filter reads only
    /// with `.ustring` (`filter_pred_pchar` and `filter_pred_pchar_user` in kernel/trace/trace_events_filter.c). `None`
    /// if a mistake was reported.
    pub(super) fn not_user_memory(&mut self, named: &NamedOperand) -> Option<()> {
        match &named.operand {
            Operand::Field(field) if self.is_user_memory(field) => {
                let event = self.context.event.unasked().qualified_name();
                self.say(codes::user_memory::user_memory(named.span, &named.name, &event))
            }
            _ => Some(()),
        }
    }
}
