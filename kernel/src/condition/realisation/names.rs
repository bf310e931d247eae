//! Names of engines and constructs, as the table shows them.

use std::fmt;

use super::{Construct, Engine, Holder, Lies, LiteralClass};
use crate::condition::ir::{MaskTest, NumberOp, Sign};
use crate::format::IntegerType;

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::KernelFilter => "kernel filter",
            Engine::Bpf => "BPF",
            Engine::Host => "host",
            Engine::C => "C",
            Engine::Rust => "Rust",
        })
    }
}

/// The construct as a line of the table names it.
impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Construct::Const => f.write_str("`true`, `false`"),
            Construct::Not => f.write_str("`!`"),
            Construct::And => f.write_str("`&&`"),
            Construct::Or => f.write_str("`||`"),
            Construct::OddName => f.write_str("a field with an odd name"),
            Construct::Hidden => f.write_str("the CPU or the task, hidden"),
            Construct::Integer { bytes, signed, lies } => {
                let location = match lies {
                    Lies::Aligned => "",
                    Lies::Unaligned => " unaligned",
                    Lies::CommonPid => " `common_pid`",
                    Lies::Header => " in the header",
                };
                write!(f, "`{}`{location}", IntegerType { bytes: *bytes, signed: *signed })
            }
            Construct::Argument { bytes, signed } => {
                write!(f, "`{}` argument of a system call", IntegerType { bytes: *bytes, signed: *signed })
            }
            Construct::NotInteger => f.write_str("a number of what is none"),
            Construct::Cpu => f.write_str("the CPU"),
            Construct::Pid => f.write_str("the thread id"),
            Construct::Tgid => f.write_str("the process id"),
            Construct::CompareConstant(op) => write!(f, "field `{op}` constant"),
            Construct::ConstantOutside => f.write_str("a constant that the field cannot hold"),
            Construct::TestBits => f.write_str("field `&` constant `==`, `!=` constant"),
            Construct::BitsOutside => f.write_str("bits that the field does not have"),
            Construct::TestCpuBits => f.write_str("CPU `&` constant"),
            Construct::Solved => f.write_str("arithmetic with constants, solved for its field"),
            Construct::CompareNumbers { across: false } => f.write_str("any numbers compared"),
            Construct::CompareNumbers { across: true } => f.write_str("any numbers compared across sign"),
            Construct::SetOfField => f.write_str("field `in`"),
            Construct::SetOfNumber => f.write_str("any number `in`"),
            Construct::EmptySet => f.write_str("`in {}`"),
            Construct::Arithmetic { op, sign, total } => {
                let sign = if *sign == Sign::Signed { "signed" } else { "unsigned" };
                // The field's signedness is named only where it makes a difference.
                let by = match (op, total) {
                    (NumberOp::Div | NumberOp::Rem | NumberOp::Shl | NumberOp::Shr, true) => " by a constant",
                    _ => "",
                };
                write!(f, "{sign} `{op}`{by}")
            }
            Construct::Cast { to } => write!(f, "`as {to}`"),
            Construct::TextEquality(holder) => write!(f, "{holder} `==`, `!=`"),
            Construct::Pattern(holder) => write!(f, "{holder} `~`"),
            Construct::Bounded => f.write_str("a text that only the end of its field decides"),
            Construct::InvertedClass => f.write_str("`[!..]` in a pattern"),
            Construct::LooseInvertedClass => f.write_str("`[!..]` between stars, and `[!!..]`"),
            Construct::NotText => f.write_str("a text of what is none"),
            Construct::Literal(literal) => write!(f, "{literal}"),
            Construct::Mask { test, relative } => {
                let op = match test {
                    MaskTest::Any => "&",
                    MaskTest::Equal => "==",
                    MaskTest::Differ => "!=",
                };
                write!(f, "{} mask `{op}`", if *relative { "`__rel_loc`" } else { "`__data_loc`" })
            }
            Construct::NotMask => f.write_str("a mask of what is none"),
            Construct::Function => f.write_str("`.function`"),
            Construct::UserTextOfNumber => f.write_str("`.ustring` of an integer"),
            Construct::NarrowAddress => f.write_str("`.function` of less than a `long`"),
            Construct::OddFunction => f.write_str("`.function` with an odd name"),
            Construct::NotAddress => f.write_str("an address of what is none"),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Holder::Fixed => "`char[N]`",
            Holder::Tail => "`char[]` at the record's end",
            Holder::Dynamic => "dynamic text",
            Holder::Kernel => "`char *`",
            Holder::User => "`.ustring`",
            Holder::Comm => "the task's name",
        })
    }
}

impl fmt::Display for LiteralClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LiteralClass::Plain => "a text",
            LiteralClass::Nul => "a text with a NUL",
            LiteralClass::BothQuotes => "a text with both quotes",
            LiteralClass::TooLong => "a text above 255 bytes",
            LiteralClass::NoRoom => "a text that the field cannot hold",
        })
    }
}
