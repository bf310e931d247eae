//! Conditions and the layouts of events, as the kernel's crate has them.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{
    Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Sign, Text, TextTest,
};
use tracec_kernel::condition::lower::Lowered;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::condition::realisation::{Construct, Hindrance, Obstacle};
use tracec_kernel::filter::Model;
use tracec_kernel::format::{EventFormat, Field, FieldKind, IntegerType};

use super::form::{Change, Form, enums, listed, one_of, structs};
use super::random::Random;

structs! {
    EventFormat { system, name, id, fields, common, print_fmt }
    Field { name, type_text, kind, offset, size, signed }
    Obstacle { construct, hindrance }
    Model {
        user_text, functions, cpu_lists, stacktrace, dangling_connector, bounded_text, class_takes_nul, cpus,
    }
}

enums! {
    FieldKind {
        Int, CharArray, DynString, RelString, CharPtr, Array { element }, DynArray { element }, RelArray { element },
        DynCpumask, RelCpumask, Opaque,
    }
    Condition { Const(value), Atom(atom), Not(inner), And(parts), Or(parts) }
    Atom {
        Compare { left, op, right }, In { of, ranges }, Text { of, test }, Mask { of, test, cpus },
        Function { of, name },
    }
    Number { Const(value), Field(field), Cpu, Pid, Tgid, Cast { to, of }, Binary { op, sign, left, right } }
    Sign { Signed, Unsigned }
    NumberOp { Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor }
    CompareOp { Eq, Ne, Lt, Le, Gt, Ge }
    Text { Field(field), User(field), Comm }
    TextTest { Eq(text), Ne(text), Glob(glob) }
    MaskTest { Any, Equal, Differ }
    Lowered { Everything, Nothing, Text(text) }
    Hindrance { NoFeature(feature), Quirk { feature, why }, Refused(why), NoContext(context) }
}

listed! {
    IntegerType: [(1, false), (1, true), (4, true), (8, false)].map(|(bytes, signed)| IntegerType { bytes, signed });
    Construct: [
        Construct::Const, Construct::Tgid, Construct::Cast { to: IntegerType { bytes: 4, signed: true } },
        Construct::CompareConstant(CompareOp::Lt), Construct::CompareNumbers { across: true },
    ];
    Glob: ["a", "a*", "\\*", "[a-c]", "\""].map(|text| Glob::parse(text).expect("a pattern"));
}

impl Form for Ranges {
    fn any(random: &mut Random) -> Self {
        Ranges::new(Vec::<(i128, i128)>::any(random))
    }
}
