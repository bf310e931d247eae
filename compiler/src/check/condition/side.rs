//! One side of a comparison: an operand, a number computed from one, or a constant.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Expr, ExprId, ExprKind, Name, UnaryOp};
use tracec_kernel::format::{Field, FieldKind};
use tracec_kernel::nearest::nearest;

use crate::constant::{Failure, const_eval, is_constant};
use crate::diagnostic::codes::missing_in_group::{Group, missing_in_group};
use crate::diagnostic::codes::unknown_member::lacks;
use crate::diagnostic::{Edit, codes};
use crate::ir::definition::Value;
use crate::resolve::Precision;
use crate::stdlib;

use super::field_names::OwnNames;
use super::operand::{Class, NamedOperand, Operand, Side, ValueNames};
use super::render::render;
use super::words::{Meant, TaskWord, is_call_number, is_placeholder, system_call, task_word};
use super::{Checker, ClauseEvents, TypingContext};

impl Checker<'_> {
    /// Types one side of a comparison. `None` if a mistake was reported.
    pub(super) fn side(&mut self, id: ExprId) -> Option<Side> {
        let exprs = self.exprs;
        let expr = &exprs[id];
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Name(name) => match self.operand(name, expr.span)? {
                Some(named) => Some(Side::Operand(named)),
                None => Some(Side::Constant(id)),
            },
            ExprKind::Cpus(cpus) => Some(Side::Cpus(cpus.clone(), expr.span)),
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Not => {
                self.negated_operand(op.span, *operand, None)
            }
            ExprKind::Member { base, member } => self.member(id, *base, member),
            _ if !self.mentions_operand(id) => {
                self.not_c_like(expr)?;
                // An expression with a part that the grammar refused is not a constant either.
                if self.is_broken(id) { None } else { Some(Side::Constant(id)) }
            }
            ExprKind::Binary { op, left, right } if !super::is_comparison(op.value) => {
                self.arithmetic(expr, op, *left, *right)
            }
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::In { .. } | ExprKind::Binary { .. } => {
                self.say(codes::no_comparand::no_comparand(expr.span, "a condition with a value"))
            }
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => {
                self.negative(expr, op.span, *operand)
            }
            ExprKind::Cast { operand, ty } => self.cast(expr, *operand, ty),
            _ => {
                self.not_c_like(expr)?;
                self.say(codes::not_a_condition::not_a_condition(expr.span, "this"))
            }
        }
    }

    /// Refuses constructs of C that conditions do not have. `None` if a mistake was reported.
    fn not_c_like(&mut self, expr: &Expr) -> Option<()> {
        let what = match &expr.kind {
            ExprKind::Arrow { base, member } if self.is_args(*base) => {
                return self.args_member(expr.span, member);
            }
            ExprKind::Call { function, .. } if let Some(name) = self.byte_order(*function) => {
                return self.say(codes::c_in_condition::byte_order(expr.span, name));
            }
            _ if let Some(said) = self.c_form(expr) => return self.say(said),
            ExprKind::Arrow { .. } => "`->`",
            ExprKind::Index { .. } => "an index",
            ExprKind::Call { .. } => "a call",
            // The grammar has refused it: it is not a part of a condition.
            ExprKind::Choose { .. } => return None,
            ExprKind::Unary { op, .. } if matches!(op.value, UnaryOp::AddressOf | UnaryOp::Deref) => {
                "a pointer's `*` or `&`"
            }
            _ => return Some(()),
        };
        self.say(codes::c_in_condition::c_in_condition(expr.span, what))
    }

    /// Returns whether an expression is bpftrace's `args`, and not a field of that name.
    pub(super) fn is_args(&self, id: ExprId) -> bool {
        matches!(&self.exprs[id].kind, ExprKind::Name(name) if name == "args" && !self.is_operand(name))
    }

    pub(super) fn args_member<T>(&mut self, span: Span, member: &Name) -> Option<T> {
        let is_field = self.context.event.field(&member.value).is_some();
        self.say(codes::args_member::args_member(span, &member.value, is_field))
    }

    /// Returns the C function that an expression names, if it swaps the bytes of a number.
    pub(super) fn byte_order(&self, id: ExprId) -> Option<&'static str> {
        let ExprKind::Name(name) = &self.exprs[id].kind else { return None };
        ["htons", "ntohs", "htonl", "ntohl"].into_iter().find(|known| known == name)
    }

    /// Returns whether any part of an expression is a value of the record or its context. Recursion follows the
    /// expression, whose depth the grammar limits.
    pub(super) fn mentions_operand(&self, id: ExprId) -> bool {
        let any = |ids: &[ExprId]| ids.iter().any(|&id| self.mentions_operand(id));
        match &self.exprs[id].kind {
            ExprKind::Name(name) => self.is_operand(name),
            ExprKind::Member { base, .. } => {
                matches!(&self.exprs[*base].kind, ExprKind::Name(_)) || self.mentions_operand(*base)
            }
            ExprKind::Arrow { base, .. } => self.mentions_operand(*base),
            ExprKind::Index { base, index } => any(&[*base, *index]),
            ExprKind::Call { function, args } => self.mentions_operand(*function) || any(args),
            ExprKind::Cast { operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::In { operand, .. } => self.mentions_operand(*operand),
            ExprKind::Choose { condition, then, otherwise } => any(&[*condition, *then, *otherwise]),
            ExprKind::Binary { left, right, .. } => any(&[*left, *right]),
            ExprKind::And(parts) | ExprKind::Or(parts) => any(parts),
            _ => false,
        }
    }

    /// Returns whether the grammar has refused a part of an expression without operands. Recursion follows the
    /// expression, whose depth the grammar limits.
    fn is_broken(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Error => true,
            ExprKind::Cast { operand, .. } | ExprKind::Unary { operand, .. } => self.is_broken(*operand),
            ExprKind::Binary { left, right, .. } => self.is_broken(*left) || self.is_broken(*right),
            _ => false,
        }
    }

    pub(super) fn is_operand(&self, name: &str) -> bool {
        matches!(name, "comm" | "cpu" | "stacktrace") || self.context.event.field(name).is_some()
    }

    /// Returns the value of a constant that an operand is compared with: the operand's [`own_names`](Self::own_names)
    /// need no path. `None` if a mistake was reported.
    pub(super) fn comparand(
        &mut self,
        id: ExprId,
        named: &NamedOperand,
        own: Option<&OwnNames>,
    ) -> Option<Value> {
        if self.is_null(id, own) {
            return self.null(named, id);
        }
        if named.class() == Class::Text
            && let Some(word) = self.unknown_word(id)
        {
            let span = self.exprs[id].span;
            let near = self.nearest_operands(&word, None);
            return self.say(codes::missing_quotes::missing_quotes(span, &word, &named.name, &near));
        }
        let scope = self.scope(own);
        if let ExprKind::Name(word) = &self.exprs[id].kind
            && !is_constant(id, self.exprs, &scope)
        {
            return self.unknown_value(word, self.exprs[id].span, named, own);
        }
        self.value(id, own)
    }

    /// Returns whether an expression is the null pointer of another language, and not a constant of that name.
    fn is_null(&self, id: ExprId, own: Option<&OwnNames>) -> bool {
        const NULLS: [&str; 5] = ["NULL", "null", "nullptr", "nil", "None"];
        matches!(&self.exprs[id].kind, ExprKind::Name(word) if NULLS.contains(&word.as_str()))
            && !is_constant(id, self.exprs, &self.scope(own))
    }

    /// Reports a null pointer that an operand is compared with.
    fn null<T>(&mut self, named: &NamedOperand, id: ExprId) -> Option<T> {
        let span = self.exprs[id].span;
        let said = self.mismatch_of(named, "a null pointer", span);
        self.say(match &named.operand {
            Operand::Field(field) if self.is_user_memory(field) => self.address_help(said, named),
            // `__assign_str` records this text for a null pointer (include/trace/stages/stage6_event_callback.h).
            Operand::Field(field) if matches!(field.kind, FieldKind::DynString | FieldKind::RelString) => {
                said.guess("write `\"(null)\"`, which the kernel records for it", span, "\"(null)\"")
            }
            _ if named.is_number() => said.guess("write `0`", span, "0"),
            _ if named.class() == Class::Text => said.guess("write `\"\"` for an empty string", span, "\"\""),
            _ => said,
        })
    }

    /// Returns the value of a constant. `None` if a mistake was reported.
    pub(super) fn value(&mut self, id: ExprId, own: Option<&OwnNames>) -> Option<Value> {
        match const_eval(id, self.exprs, &self.scope(own)) {
            Ok(value) => Some(value),
            Err(Failure::Mistake(said)) => self.say(*said),
            Err(Failure::Reported) => None,
        }
    }

    /// Returns a word that is not a constant, where it stands alone.
    pub(super) fn unknown_word(&self, id: ExprId) -> Option<String> {
        match &self.exprs[id].kind {
            ExprKind::Name(word) if !is_constant(id, self.exprs, &self.context.group.names.scope(None)) => {
                Some(word.clone())
            }
            _ => None,
        }
    }

    /// Returns the words of an expression that are neither constants nor values of the record, each with its span.
    /// Recursion follows the expression, whose depth the grammar limits.
    pub(super) fn unknown_words(&self, id: ExprId) -> Vec<(String, Span)> {
        let exprs = self.exprs;
        match &exprs[id].kind {
            ExprKind::Name(_) => {
                self.unknown_word(id).map(|word| (word, exprs[id].span)).into_iter().collect()
            }
            ExprKind::Cast { operand, .. } | ExprKind::Unary { operand, .. } => self.unknown_words(*operand),
            ExprKind::Binary { left, right, .. } => {
                let mut words = self.unknown_words(*left);
                words.extend(self.unknown_words(*right));
                words
            }
            _ => Vec::new(),
        }
    }

    /// Types a bare name: a field, else a pseudo-field; `Some(None)` is neither. `None` if a mistake was reported.
    fn operand(&mut self, name: &str, span: Span) -> Option<Option<NamedOperand>> {
        let event = self.context.event;
        let named = |operand| Some(Some(NamedOperand { operand, name: name.to_owned(), span }));
        if let Some(field) = event.field(name) {
            if let Some(what) = self.context.group.names.value_named(name) {
                let event = event.unasked().qualified_name();
                self.found.push(codes::hidden_constant::hidden_constant(span, name, &event, what));
            }
            if matches!(name, "comm" | "cpu" | "stacktrace") {
                let event = event.unasked().qualified_name();
                self.found.push(codes::hidden_pseudo_field::hidden_pseudo_field(span, name, &event));
            }
            return named(Operand::Field(field.clone()));
        }
        match name {
            "comm" => named(Operand::Comm),
            "cpu" => named(Operand::Cpu),
            // The kernel's filter accepts it and never matches (`FILTER_STACKTRACE` is for hist triggers).
            "stacktrace" => self.say(codes::not_filterable::not_filterable(span, name, "a stack")),
            _ => Some(None),
        }
    }

    /// Types `!a == b`, whose whole is `comparison`, or `!a & b`: the negation binds to `a` alone.
    pub(super) fn negated_operand(
        &mut self,
        op: Span,
        operand: ExprId,
        comparison: Option<Span>,
    ) -> Option<Side> {
        let named = self.operand_alone(operand)?;
        let (text, is) = (render(&self.exprs[operand], self.exprs), named.class().describe());
        self.say(codes::not_on_integer::compared((named.span, is), &text, op, comparison))
    }

    /// Types an operand that no other stands beside. `None` if a mistake was reported.
    pub(super) fn operand_alone(&mut self, id: ExprId) -> Option<NamedOperand> {
        match self.side(id)? {
            Side::Operand(named) if named.class() == Class::Nothing => self.not_filterable(&named),
            Side::Operand(named) => Some(named),
            Side::Constant(id) => match self.unknown_word(id) {
                Some(word) => self.unknown(&word, self.exprs[id].span),
                None => self.say(codes::not_a_condition::not_a_condition(self.exprs[id].span, "this")),
            },
            Side::Cpus(_, span) => self.say(codes::not_a_condition::not_a_condition(span, "a list of CPUs")),
            Side::Test(_, span) => {
                self.say(codes::no_comparand::no_comparand(span, "a condition with a value"))
            }
        }
    }

    /// Reports an unknown word.
    pub(super) fn unknown<T>(&mut self, word: &str, span: Span) -> Option<T> {
        self.unknown_beside(word, span, None)
    }

    /// Reports an unknown word that is compared with a value. Only names that can be compared with it are suggested.
    pub(super) fn unknown_beside<T>(&mut self, word: &str, span: Span, beside: Option<&Value>) -> Option<T> {
        let TypingContext { event, group: ClauseEvents { events, catalogue, set, having, lacking, .. } } =
            self.context;
        if lacking.iter().any(|known| known == word) {
            return None;
        }
        let with_field = events.iter().filter(|&&(id, _)| catalogue[id].field(word).is_some());
        let with_field: Vec<String> = with_field.map(|&(id, _)| catalogue[id].qualified_name()).collect();
        if !with_field.is_empty() {
            let event = event.unasked().qualified_name();
            // Behind the fields that are there, or behind the events.
            let narrowed = having.map(|fields| match fields.last() {
                Some(last) => Edit { span: last.span.behind(), text: format!(", {word}") },
                None => Edit { span: set.behind(), text: format!(" having {word}") },
            });
            let drops_named = events
                .iter()
                .any(|&(id, named)| named == Precision::Exact && catalogue[id].field(word).is_none());
            let group = Group { set: *set, events: events.len(), with_field, narrowed, drops_named };
            return self.say(missing_in_group(span, word, &event, group));
        }
        let (event, known) = (event.unasked().qualified_name(), self.operands());
        // The word begins a list; no field is meant, even if its name is similar.
        if word == "CPUS" {
            let said = codes::unknown_field::unknown_field(span, word, &event, &[], known);
            return self.say(said.help("a list of CPUs has them in braces: `CPUS{0-3}`"));
        }
        let near = self.nearest_operands(word, beside);
        let known_word = task_word(word);
        let said = match self.before_near(word, near) {
            Some(near) => codes::unknown_field::unknown_field(span, word, &event, &near, known),
            None => codes::unknown_field::unknown_field(span, word, &event, &[], known),
        };
        self.say(match known_word {
            Some(TaskWord { has: Some(has), what, .. }) => said.note(format!("`{has}` is {what}")),
            Some(TaskWord { has: None, what, .. }) => said.help(lacks(what)),
            None => said,
        })
    }

    /// Reports an unknown word that is compared with a number: a field or a constant was meant.
    fn unknown_value<T>(
        &mut self,
        word: &str,
        span: Span,
        named: &NamedOperand,
        own: Option<&OwnNames>,
    ) -> Option<T> {
        let mut holders = stdlib::holders(word);
        // Most calls have the name of something else too: a signal is not meant by its call.
        holders.retain(|holder| holder.module != "syscall" || is_call_number(named));
        if let Some(module) = self.scope(None).without_variant(&holders) {
            return self.say(codes::no_variant::of_constant(span, word, module, None));
        }
        if !holders.is_empty() {
            let errno = holders.iter().any(|holder| holder.module == "errno");
            let import = self.context.group.names.import_span();
            let negative = errno && named.is_signed_field();
            return self.say(codes::std_constant::std_constant(span, word, &holders, import, negative));
        }
        let Some(own) = self.scope(own).expected else {
            return match self.printed_as(named, word) {
                Some(value) => {
                    let suffixed = self.with_suffix(named, word, value);
                    let whole = Span {
                        start: named.span.start.min(span.start),
                        end: named.span.end.max(span.end),
                        ..span
                    };
                    let compared = (whole, self.compared_by);
                    self.say(codes::unknown_value::printed(
                        span,
                        word,
                        &named.name,
                        value,
                        suffixed,
                        compared,
                    ))
                }
                None => self.unknown_number(word, span, named),
            };
        };
        let own = own.ty();
        let known: Vec<&str> = own.members().iter().map(|member| member.name.as_str()).collect();
        let other = self.constants(|value| value.number().is_some());
        let near = nearest(word, known.iter().copied().chain(other.iter().map(String::as_str)), 3);
        self.say(match named.operand.value_names() {
            Some(ValueNames::Enum(_)) => {
                codes::unknown_value::of_enum(span, word, &named.name, &near, (&own.name, &known))
            }
            _ => codes::unknown_value::of_field(span, word, &named.name, &near, &known),
        })
    }

    /// Reports an unknown word that is compared with a number of no names: a field, or a constant of the library.
    fn unknown_number<T>(&mut self, word: &str, span: Span, named: &NamedOperand) -> Option<T> {
        if let Some(call) = system_call(word) {
            return self.say(codes::unknown_constant::of_call(span, word, call));
        }
        if is_placeholder(word) {
            return self.say(codes::unknown_constant::placeholder(span, word));
        }
        match self.meant_by(word, named) {
            Meant::Function => {
                let behind = named.span.behind();
                return self.say(codes::unknown_constant::of_function(span, word, &named.name, behind));
            }
            Meant::Values(names) if !names.is_empty() => {
                return self.say(codes::unknown_constant::unknown_constant(span, word, &names));
            }
            Meant::Values(_) => {}
        }
        let mut near = self.scope(None).near_in_library(word, span);
        if near.is_empty() {
            let is_alone = self.compared_by.is_some() && self.nearest_operands(word, None).is_empty();
            return match self.name_beside(named).filter(|_| is_alone) {
                Some(name) => {
                    let comparison = self.compared(&name, &format!("\"{word}\""));
                    let edits = [(named.span, name), (span, format!("\"{word}\""))];
                    self.say(codes::missing_quotes::of_name(span, word, &named.name, &comparison, edits))
                }
                None => self.unknown(word, span),
            };
        }
        if named.is_signed_field() {
            // The kernel's errors are negative, the constants positive.
            let is_error =
                |name: &String| stdlib::holders(name).iter().any(|holder| holder.module == "errno");
            for name in &mut near {
                if is_error(name) {
                    name.insert(0, '-');
                }
            }
        }
        self.say(match self.context.group.names.import_span() {
            Some(import) => codes::unknown_constant::not_imported(span, word, &near, import),
            None => codes::unknown_constant::unknown_constant(span, word, &near),
        })
    }

    /// Returns the value of an operand for which its event prints a name: see [`Asked::printed_as`].
    ///
    /// [`Asked::printed_as`]: super::asked::Asked::printed_as
    pub(super) fn printed_as(&self, named: &NamedOperand, name: &str) -> Option<i128> {
        match &named.operand {
            Operand::Field(field) => {
                let event = self.context.event;
                event.printed_as(field, name).or_else(|| {
                    // A suffix stands for bits of its own.
                    let (suffix, bits) = event.suffix(field)?;
                    Some(event.printed_as(field, name.strip_suffix(&*suffix)?)? | bits)
                })
            }
            _ => None,
        }
    }

    /// Returns the name with the suffix that its event prints behind it, and both values, of a value without the bits
    /// of the suffix.
    pub(super) fn with_suffix(
        &self,
        named: &NamedOperand,
        name: &str,
        value: i128,
    ) -> Option<(String, String)> {
        let Operand::Field(field) = &named.operand else { return None };
        let (suffix, bits) = self.context.event.suffix(field)?;
        (value & bits == 0).then(|| (format!("{name}{suffix}"), format!("{{{value}, {}}}", value | bits)))
    }

    /// Returns the constants and parameters whose values satisfy `such`.
    fn constants(&self, such: impl Fn(&Value) -> bool) -> Vec<String> {
        let all = self.context.group.names.values().into_iter();
        all.filter(|(_, value)| such(value)).map(|(name, _)| name).collect()
    }

    /// Returns the names that are nearest to an unknown one, best first: fields, constants and parameters. With a value
    /// beside it, only fields that can be compared with the value.
    fn nearest_operands(&self, word: &str, beside: Option<&Value>) -> Vec<String> {
        if !self.context.group.machine.may_search() {
            return Vec::new();
        }
        let mut known = self.operands();
        match beside {
            Some(value) => known.retain(|name| self.fits(name, value)),
            None => known.extend(self.constants(|_| true)),
        }
        nearest(word, known.iter().map(String::as_str), 3).into_iter().map(str::to_owned).collect()
    }

    /// Returns whether the value of a name can be compared with a value.
    fn fits(&self, name: &str, value: &Value) -> bool {
        let operand = match self.context.event.unasked().field(name) {
            Some(field) if self.is_user_memory(field) => return false,
            Some(field) => Operand::Field(field.clone()),
            None if name == "cpu" => Operand::Cpu,
            None => Operand::Comm,
        };
        let class = NamedOperand { operand, name: String::new(), span: Span::default() }.class();
        match value {
            Value::Text(_) => class == Class::Text,
            Value::Cpus(_) => matches!(class, Class::Integer | Class::Cpu | Class::Cpumask),
            value => value.number().is_some() && matches!(class, Class::Integer | Class::Cpu),
        }
    }

    /// Returns whether a field is a text that a system call was given: an address in the caller's memory.
    pub(super) fn is_user_memory(&self, field: &Field) -> bool {
        field.kind == FieldKind::CharPtr && self.context.event.is_system_call()
    }

    /// Returns the text of an operand whose string is compared.
    pub(super) fn string_of(&self, named: &NamedOperand) -> String {
        match &named.operand {
            Operand::Field(field) if self.is_user_memory(field) => format!("{}.ustring", named.name),
            _ => named.name.clone(),
        }
    }

    /// Returns the operands that a condition on the event can have, each name once.
    fn operands(&self) -> Vec<String> {
        let own = self.context.event.unasked().own_fields().iter().map(|field| field.name.to_string());
        let mut known: Vec<String> = own.collect();
        for name in ["comm", "cpu", "common_pid"] {
            if !known.iter().any(|known| known == name) {
                known.push(name.to_owned());
            }
        }
        known
    }
}
