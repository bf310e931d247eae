//! Syntax that moves with its text: spans and the ids of expressions, where something before them was edited.

use std::net::IpAddr;

use crate::span::{Span, Spanned};
use crate::syntax::*;

/// How far a part of a text moves. Both distances wrap around: one to the front is a great one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    /// The bytes that its places move.
    pub(crate) bytes: u32,
    /// What is added to the ids of its expressions.
    pub(crate) exprs: u32,
}

/// A part of the syntax.
pub(crate) trait Shift {
    /// Moves it.
    fn shift(&mut self, by: Distance);
}

impl Shift for Span {
    fn shift(&mut self, by: Distance) {
        self.start = self.start.wrapping_add(by.bytes);
        self.end = self.end.wrapping_add(by.bytes);
    }
}

impl Shift for ExprId {
    fn shift(&mut self, by: Distance) {
        self.0 = self.0.wrapping_add(by.exprs);
    }
}

impl<T: Shift> Shift for Spanned<T> {
    fn shift(&mut self, by: Distance) {
        let Spanned { value, span } = self;
        value.shift(by);
        span.shift(by);
    }
}

impl<T: Shift> Shift for Option<T> {
    fn shift(&mut self, by: Distance) {
        if let Some(value) = self {
            value.shift(by);
        }
    }
}

impl<T: Shift> Shift for Box<T> {
    fn shift(&mut self, by: Distance) {
        T::shift(self, by);
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn shift(&mut self, by: Distance) {
        for value in self {
            value.shift(by);
        }
    }
}

/// Types that hold no place.
macro_rules! stays {
    ($($kind:ty),* $(,)?) => {
        $(impl Shift for $kind {
            fn shift(&mut self, _: Distance) {}
        })*
    };
}

/// Structs: all fields are named, so that none is forgotten.
macro_rules! fields {
    ($($kind:ident { $($field:ident),* })*) => {
        $(impl Shift for $kind {
            fn shift(&mut self, by: Distance) {
                let $kind { $($field),* } = self;
                $($field.shift(by);)*
            }
        })*
    };
}

/// Enums: all variants with all their fields.
macro_rules! variants {
    ($($kind:ident { $($variant:ident $(($($value:ident),*))? $({ $($field:ident),* })?),* $(,)? })*) => {
        $(impl Shift for $kind {
            fn shift(&mut self, by: Distance) {
                match self {
                    $($kind::$variant $(($($value),*))? $({ $($field),* })? => {
                        let _ = by;
                        $($($value.shift(by);)*)?
                        $($($field.shift(by);)*)?
                    })*
                }
            }
        })*
    };
}

stays!(String, bool, u64, (u32, u32), IpAddr, Tag, BufferScope, UnaryOp, BinaryOp, Pointer, Address);

fields! {
    Declaration { doc, kind, span }
    Use { imported, alias }
    Const { name, ty, value }
    Enum { name, ty, members }
    EnumMember { doc, name, value, text, span }
    Header { path, angled }
    Class { name, body }
    EventBody { proto, entry, assign, print }
    Param { name, ty, span }
    EntryField { doc, name, ty, value, span }
    EventDefinition { name, form }
    Hooks { register, unregister, span }
    Probe { kind, attach_point, params, result, fields, print }
    ProbeField { doc, name, fetch, ty, span }
    TypeRef { pointers, base, array, span }
    Template { parts, span }
    LintLevel { level, names }
    Session { doc, name, params, clauses, span }
    SessionParam { name, ty, default, span }
    Clause { doc, kind, span }
    ScopeSubject { kind, span }
    Dump { events, condition, count, file, max }
    Argument { name, value, span }
    When { feature, then, otherwise }
    Feature { kind, span }
    EventClause { events, having, condition, items }
    EventSet { include, except, span }
    EventPath { kind, span }
    Item { doc, kind, span }
}

variants! {
    DeclarationKind {
        Use(it), Const(it), Enum(it), Flags(it), Subsystem(it), Header(it), Class(it), Event(it), Session(it), Lint(it),
    }
    Imported { Module(path), File(path) }
    EntryValue { Expr(value), Elements { pointer, count } }
    EventForm {
        Whole { condition, hooks, body },
        OfClass { class, condition, hooks, print },
        At(probe),
    }
    AttachPoint {
        Symbol { module, symbol, offset },
        Binary { path, provider, symbol, offset },
        Event(path),
    }
    TypeBase { Words(words), Path(path), Tagged { tag, name }, UserString }
    TemplatePart { Text(text), Placeholder { value, format, span } }
    ClauseKind {
        Trace(it), On(it), Buffer { size, scope }, Queue(size), Subbuffer(size), Cmdlines(count), Rotate { size, max }, Keep(time), Clock(name), Recorder(name),
        Option { name, value }, Scope { subjects, children }, IncludingTracec, Instance(name),
        Global { discarding, clauses }, Stream, Ring { last }, Dump(it), Stop(rule), StartPaused, Marker(text),
        Output(file), Include { session, args }, When(it), Lint(it),
    }
    ScopeKind { Process(id), Thread(id), Command, Comm(name), Cgroup(path), Cpus { first, last } }
    StopRule { After(time), On { events, condition, count }, Signal(name), With { process } }
    FeatureKind { Event(path), Field { event, field }, Named { what, name } }
    EventPathKind { Path { system, name }, Pattern(text), Bare(name) }
    ItemKind {
        Filter { in_kernel, condition },
        Trigger { action, event, count, condition },
        Print(template), Drop(names), Redact(names), Lint(it),
    }
    ExprKind {
        Error, Int(number), Size(bytes), Duration(time), Str(text), Address(address), Cpus(ranges), Name(name),
        Member { base, member }, Path(path), Arrow { base, member }, Index { base, index }, Call { function, args },
        Cast { operand, ty }, In { operand, members, word }, Patterns(patterns),
        Choose { condition, then, otherwise }, Unary { op, operand }, Binary { op, left, right },
        And(operands), Or(operands),
    }
    SetMember { One(value), Range { first, last } }
}

impl Shift for Expr {
    fn shift(&mut self, by: Distance) {
        // The depth counts levels.
        let Expr { kind, span, depth: _ } = self;
        kind.shift(by);
        span.shift(by);
    }
}
