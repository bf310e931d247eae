//! Definitions.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Address, Hooks, Tag};
use tracec_kernel::btf::{Access, Leaf, Root, Step};
use tracec_kernel::format::IntegerType;
use tracec_kernel::tables::c_structs::{self, CStruct};
use tracec_kernel::tables::fetch_types::{self, BitField, FetchType};
use tracec_kernel::tables::field_macros::{self, FieldMacro};
use tracec_kernel::tables::perf_counters::{self, PerfCounter};
use tracec_kernel::tables::printk::{self, Extension};
use tracec_kernel::tables::probe_kinds::{self, ProbeKind};

use super::form::{Change, Form, enums, listed, one_of, structs};
use super::random::Random;
use crate::ir::definition::{
    Aggregate, Argument, AttachPoint, Base, BinaryOp, CType, ConstantTable, Constants, ConstantsId,
    Conversion, Definitions, Dereference, EnumId, EnumMember, EnumRef, EnumType, EventClass, EventDef, Expr,
    ExprId, ExprKind, Exprs, FetchArgument, FetchSource, FetchedElement, FetchedType, FieldLayout,
    FieldValue, FirstValue, Header, HexDump, Length, PrintPart, PrintTemplate, ProbeDef, ProbeField,
    RecordField, SecondsPart, SetMember, Shape, TypeKind, UnaryOp, Value,
};

structs! {
    Definitions { subsystem, headers, constants, classes, events, probes, exprs }
    Header { path, angled }
    Constants { values, enums, modules, prelude, failed, incomplete }
    EnumMember { name, value, text, doc, span }
    EventClass { name, of_one_event, arguments, fields, size, assign, print }
    Argument { name, ty }
    RecordField { name, doc, ty, declared, shown, value, layout }
    FieldLayout { offset, size, signed }
    EventDef { name, doc, class, condition, hooks, print, span }
    Hooks { register, unregister, span }
    ProbeDef { name, doc, kind, attach_point, arguments, result, fields, size, print, span }
    ProbeField { name, doc, source, ty, fetch_type, layout, span }
    FetchArgument { first, dereferences }
    Dereference { offset, user, access }
    Access { root, name, steps, leaf }
    FetchedType { element, count }
    BitField { width, offset, container }
    Expr { kind, ty, span }
    PrintTemplate { parts, span }
    Shape { flags, width, precision }
    HexDump { prefix, offset, row, group, ascii }
    CType { kind, c, span }
    Aggregate { tag, name, known }
    Address { ip, prefix }
}

enums! {
    EnumRef { Declared(id), Undeclared }
    Value { Int { value, of }, Size(bytes), Duration(time), Text(text), Address(address), Cpus(cpus) }
    FieldValue { Argument(index), Expr(expr), Elements { pointer, count }, Statements }
    AttachPoint {
        Symbol { module, symbol, offset }, Binary { path, symbol, offset }, Usdt { path, provider, name },
        Event { event, span }, Counter(counter),
    }
    FirstValue {
        Register(name), StackPointer, Stack(word), Result, Argument(number), AllArguments, Comm, Field(name),
        Memory(address), Symbol { name, offset }, FileOffset(offset), Immediate(number), Text(text),
    }
    FetchedElement { Listed(ty), Bits(field) }
    Root { Struct, Union, Typedef }
    Step { Member { name, bit_offset, bit_width }, Element { index, bytes } }
    Leaf { Int { bytes, signed }, Enum { bytes, signed }, Pointer, Text(bytes) }
    FetchSource { Argument(index), Result, EventField(name), Fetch(text) }
    ExprKind {
        Int(value), Str(text), Argument(index), Field(index), Constant { name, value }, C(name),
        Member { base, member }, Arrow { base, member }, Index { base, index }, Call { function, args },
        Cast { operand, ty }, Choose { condition, then, otherwise }, Named { operand, ty, delimiter },
        Unary { op, operand },
        Binary { op, left, right }, And(parts), Or(parts), In { operand, members },
    }
    SetMember { One(value), Range { first, last } }
    UnaryOp { Not, Neg, AddressOf, Deref }
    BinaryOp { Eq, Ne, Lt, Le, Gt, Ge, BitAnd, BitOr, BitXor, Shl, Shr, Add, Sub, Mul, Div, Rem }
    PrintPart { Text(text), Field { field, conversion }, Expr { expr, conversion } }
    Conversion {
        Integer { base, bytes, shape }, Text(shape), Symbolic { ty, shape }, Flags { ty, delimiter, shape }, Device,
        Pointer { extension, shape }, Array { element }, Hex { spaced }, HexDump(dump), Bits,
        Nanoseconds { part, shape },
    }
    SecondsPart { All, Whole, Rest }
    Base { Signed, Unsigned, Hex, UpperHex, Octal, Char }
    TypeKind {
        Int(integer), Char { signed }, Enum { id, flags, carrier }, CEnum, Pointer { user, text, to }, Aggregate(aggregate),
        Text { user }, Cpumask, Bitmask, SocketAddress, Array { element, length }, Elements { element }, Void,
    }
    Length { Known { count, name }, Macro(name) }
    Tag { Struct, Union, Enum }
}

/// The numbers of files and of enums to which ids refer. Every table has them.
const IDS: usize = 3;

listed! {
    ConstantsId: *FILES;
    EnumId: *ENUMS;
    &'static FieldMacro: field_macros::ALL.iter().collect::<Vec<_>>();
    &'static Extension: printk::ALL.iter().collect::<Vec<_>>();
    &'static ProbeKind: probe_kinds::ALL.iter().collect::<Vec<_>>();
    &'static FetchType: fetch_types::ALL.iter().collect::<Vec<_>>();
    &'static PerfCounter: perf_counters::ALL.iter().collect::<Vec<_>>();
    &'static CStruct: c_structs::ALL.iter().collect::<Vec<_>>();
    IpAddr: [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::UNSPECIFIED)];
}

static FILES: LazyLock<[ConstantsId; IDS]> = LazyLock::new(|| {
    let mut table = ConstantTable::default();
    std::array::from_fn(|_| table.add(Constants::default()))
});

static ENUMS: LazyLock<[EnumId; IDS]> = LazyLock::new(|| {
    let mut table = ConstantTable::default();
    std::array::from_fn(|_| table.add_enum(plain_enum()))
});

fn plain_enum() -> EnumType {
    EnumType::new("e", false, IntegerType { bytes: 4, signed: false }, "u32", Span::default())
}

impl Form for ConstantTable {
    fn any(random: &mut Random) -> Self {
        let files = (0..IDS + random.below(2)).map(|_| Form::any(random)).collect();
        of_files_and_enums(files, (0..IDS + random.below(2)).map(|_| Form::any(random)).collect())
    }

    fn vary(&mut self, random: &mut Random) {
        let mut files: Vec<Constants> = self.files().map(|(_, constants)| constants.clone()).collect();
        let mut enums: Vec<EnumType> = self.enums().map(|(_, ty)| ty.clone()).collect();
        if random.once_in(2) {
            vary_or_add(&mut files, random);
        } else {
            vary_or_add(&mut enums, random);
        }
        *self = of_files_and_enums(files, enums);
    }
}

/// Changes one of some values, or adds one.
fn vary_or_add<T: Form>(values: &mut Vec<T>, random: &mut Random) {
    let index = random.below(values.len() + 1);
    match values.get_mut(index) {
        Some(value) => value.vary(random),
        None => values.push(Form::any(random)),
    }
}

fn of_files_and_enums(files: Vec<Constants>, enums: Vec<EnumType>) -> ConstantTable {
    let mut table = ConstantTable::default();
    files.into_iter().for_each(|constants| {
        table.add(constants);
    });
    enums.into_iter().for_each(|ty| {
        table.add_enum(ty);
    });
    table
}

/// The members are read and added only.
impl Form for EnumType {
    fn any(random: &mut Random) -> Self {
        let (name, carrier_name) = (String::any(random), String::any(random));
        let (flags, carrier, span) = (Form::any(random), Form::any(random), Form::any(random));
        with_members(EnumType::new(&name, flags, carrier, &carrier_name, span), Form::any(random))
    }

    fn vary(&mut self, random: &mut Random) {
        let mut members = self.members().to_vec();
        let EnumType { name, flags, carrier, carrier_name, span, .. } = self;
        match random.below(6) {
            0 => name.vary(random),
            1 => flags.vary(random),
            2 => carrier.vary(random),
            3 => carrier_name.vary(random),
            4 => span.vary(random),
            _ => members.vary(random),
        }
        *self = with_members(EnumType::new(name, *flags, *carrier, carrier_name, *span), members);
    }
}

fn with_members(mut ty: EnumType, members: Vec<EnumMember>) -> EnumType {
    members.into_iter().for_each(|member| ty.push(member));
    ty
}

impl Form for Exprs {
    fn any(random: &mut Random) -> Self {
        of_nodes(Form::any(random))
    }

    fn vary(&mut self, random: &mut Random) {
        let mut nodes: Vec<Expr> = self.iter().map(|(_, expr)| expr.clone()).collect();
        nodes.vary(random);
        *self = of_nodes(nodes);
    }
}

fn of_nodes(nodes: Vec<Expr>) -> Exprs {
    let mut exprs = Exprs::default();
    nodes.into_iter().for_each(|expr| {
        exprs.push(expr);
    });
    exprs
}

/// One of the first ids, whether or not there is such an expression.
impl Form for ExprId {
    fn any(random: &mut Random) -> Self {
        let node = || Expr { kind: ExprKind::Int(0), ty: None, span: Default::default() };
        let mut exprs = Exprs::default();
        let ids = [(); 3].map(|()| exprs.push(node()));
        random.pick(&ids)
    }
}
