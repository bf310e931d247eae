//! The table: one row per construct, one cell per engine.

use super::{Construct, Holder, Lies, LiteralClass, Row, Way};
use crate::condition::ir::{MaskTest, Number, NumberOp, Sign};
use Way::{Directly, Either, Lacks, Needs, Refused, Rewritten, Without};

// The kernel's filter: kernel/trace/trace_events_filter.c.
const COMPUTES: Way = Refused("the filter compares a field as it is with a constant");
const CUT: Way = Refused("`parse_pred` would truncate the number to the field's size");
const DECIDED: Way = Rewritten(
    "values outside of the type are left out of the set; the field is read all the same, because a field that cannot \
     be read makes the atom false",
);
const SOLVED: Way =
    Rewritten("solved for the field; a set without a short solution is refused as a comparison");
const NEVER_MATCHES: Way = Refused("`select_comparison_fn` has no comparison for it: it never matches");

// BPF: Documentation/bpf/standardization/instruction-set.rst, kernel/bpf/verifier.c, kernel/trace/bpf_trace.c.
const SHIFTED: Way =
    Rewritten("a left and an arithmetic right shift extend the sign; from v4 on, one `movsx`");
const CLEARED: Way = Rewritten("as many bytes as the type has are loaded: they are the first");
const PROBED: Way = Rewritten(
    "`bpf_probe_read_kernel`: the verifier takes aligned loads alone (`tp_prog_is_valid_access`); its failure makes the \
     atom false",
);
const ZERO_BRANCH: Way = Rewritten(
    "a branch makes the atom false for a divisor of 0, where the instruction gives 0, or the dividend as remainder",
);
const MAGNITUDES: Way =
    Rewritten("magnitudes divided as unsigned, and the sign put back: there is no signed division before v4");
const MAGNITUDES_OR_FALSE: Way = Rewritten(
    "a branch makes the atom false for a divisor of 0; then magnitudes divided as unsigned, and the sign put back",
);
const COUNT_BRANCH: Way =
    Rewritten("a branch makes the atom false for a count above 63, which the machine would mask");
const THREAD_ID: Way = Rewritten("the low half of `bpf_get_current_pid_tgid`: the header cannot be read");
const ACROSS: Way = Rewritten("a negative side decides; else both compare as unsigned");

// Machine code, of x86-64 and others.
const TRAPS: Way =
    Rewritten("branches for a divisor of 0 and for the smallest number by -1: `idiv` traps on both");
const SMALLEST_TRAPS: Way = Rewritten("a branch for the smallest number by -1, on which `idiv` traps");
const ZERO_TRAPS: Way = Rewritten("a branch makes the atom false for a divisor of 0, on which `div` traps");

// C (ISO/IEC 9899:2018), as gcc and clang have it.
const COPIED: Way = Rewritten("bounds are checked, `memcpy` reads: the byte order is that of the machine");
const IN_UNSIGNED: Way = Rewritten("computed in `uint64_t`: signed overflow is undefined (6.5, 5)");
const C_DIVISION: Way =
    Rewritten("branches for a divisor of 0 and for `INT64_MIN / -1`, both undefined (6.5.5)");
const C_SMALLEST: Way = Rewritten("a branch for `INT64_MIN / -1`, which is undefined (6.5.5)");
const C_ZERO: Way = Rewritten("a branch makes the atom false for a divisor of 0, undefined (6.5.5)");
const C_SHIFT: Way = Rewritten(
    "a branch makes the atom false for a count of 64 or more, undefined (6.5.7); a left shift is one of `uint64_t`, and \
     a right one of a negative number copies the sign with gcc and clang",
);
const C_ARITHMETIC: Way = Rewritten(
    "`>>` copies the sign with gcc and clang; its result for a negative number is implementation-defined (6.5.7, 5)",
);

// Rust: core::num.
const SLICED: Way =
    Rewritten("the bytes with their bounds, then `from_ne_bytes`: the byte order is that of the machine");
const WRAPPING: Way = Rewritten("the `wrapping_` method: operators panic on overflow");
const CHECKED: Way = Rewritten(
    "a divisor of 0 makes the atom false, then the `wrapping_` method: the operator panics on overflow",
);
const CHECKED_ZERO: Way = Rewritten("a divisor of 0, on which the operator panics, makes the atom false");
const CHECKED_SHIFT: Way = Rewritten("the `checked_` method; `None` makes the atom false");

// Host, C and Rust run on recordings, and know the CPU whose ring a record came from. A program that calls a function in
// C or Rust may know more of the task than the record.
const ARGUMENT: Way = Rewritten("an argument");
const NO_FUNCTIONS: Way = Lacks("where the kernel's functions lie");
const NO_TGID: Way = Lacks("the process id of the task that ran");
const NO_COMM: Way = Lacks("the name of the task that ran");
const NO_KERNEL_MEMORY: Way = Lacks("the kernel's memory behind a pointer");
const NO_USER_MEMORY: Way = Lacks("the task's memory behind a pointer");
const BOUNDED: Way = Rewritten("bounds are checked; a location outside makes the atom false");

/// Returns the row of a construct. Every cell is written out; there is no default.
pub(super) fn row(construct: &Construct) -> Row {
    match construct {
        Construct::Const
        | Construct::Not
        | Construct::And
        | Construct::Or
        | Construct::CompareConstant(_)
        | Construct::EmptySet => every(Directly),
        Construct::OddName => only_kernel(Refused("the grammar takes letters, digits and `_` for a field")),
        Construct::Hidden => only_kernel(Refused("fields of the event hide it from the filter")),
        Construct::Integer { signed, lies, .. } => integer(*signed, *lies),
        Construct::Argument { bytes, signed } => Row {
            kernel_filter: Rewritten(if *bytes == 8 {
                "compared as the unsigned number that is recorded"
            } else {
                "the bits of the C type are tested one by one: above them the register may hold anything"
            }),
            bpf: match (bytes, signed) {
                (8, _) => Directly,
                (_, true) => SHIFTED,
                (_, false) => CLEARED,
            },
            host: BOUNDED,
            c: COPIED,
            rust: SLICED,
        },
        Construct::NotInteger => never(NEVER_MATCHES),
        Construct::Cpu => Row {
            kernel_filter: Rewritten("the generic field `CPU`, by a name that no field of the event has"),
            bpf: Rewritten("`bpf_get_smp_processor_id`"),
            host: Rewritten("the CPU whose ring the record came from"),
            c: ARGUMENT,
            rust: ARGUMENT,
        },
        Construct::Pid => Row {
            kernel_filter: Rewritten("the common field `common_pid`"),
            ..integer(Number::PID.signed, Lies::CommonPid)
        },
        Construct::Tgid => Row {
            kernel_filter: Refused("neither the event's fields nor the generic ones hold it"),
            bpf: Rewritten("the high half of `bpf_get_current_pid_tgid`"),
            host: NO_TGID,
            c: ARGUMENT,
            rust: ARGUMENT,
        },
        Construct::ConstantOutside => {
            Row { kernel_filter: CUT, bpf: DECIDED, host: DECIDED, c: DECIDED, rust: DECIDED }
        }
        Construct::TestBits => {
            only_kernel(Rewritten("each bit that has to be set on its own: `&` asks for any of them"))
        }
        Construct::BitsOutside => only_kernel(Rewritten(
            "above the width of the field are copies of its sign, which is tested instead",
        )),
        Construct::TestCpuBits => only_kernel(Refused("`CPU & N` is accepted and never matches")),
        Construct::Solved => only_kernel(SOLVED),
        Construct::CompareNumbers { across: false } => only_kernel(COMPUTES),
        Construct::CompareNumbers { across: true } => {
            Row { kernel_filter: COMPUTES, bpf: ACROSS, host: ACROSS, c: ACROSS, rust: ACROSS }
        }
        Construct::SetOfField => only_kernel(Rewritten(
            "one comparison, or a pair of them, for each run of values, or of the others",
        )),
        Construct::SetOfNumber => only_kernel(COMPUTES),
        Construct::Arithmetic { op, sign, total } => arithmetic(*op, *sign, *total),
        Construct::Cast { to } => Row {
            kernel_filter: SOLVED,
            bpf: if to.signed && to.bytes < 8 { SHIFTED } else { Directly },
            host: Directly,
            c: Directly,
            rust: Directly,
        },
        Construct::TextEquality(holder) => text(*holder, equality_in_kernel(*holder)),
        Construct::Pattern(holder) => text(*holder, pattern_in_kernel(*holder)),
        Construct::Bounded => only_kernel(Needs {
            feature: "filter-bounded-text",
            form: "a matcher that ends where the field does",
        }),
        Construct::InvertedClass => only_kernel(Either {
            feature: "filter-class-takes-nul",
            form: "each class asked for by itself, where it stands for any byte in the rest; as it is without the feature, \
                   if its quotes and its length allow",
        }),
        Construct::LooseInvertedClass => only_kernel(Without {
            feature: "filter-class-takes-nul",
            why: "the class takes the end of the text for a byte",
        }),
        Construct::NotText => never(Refused("the filter does not take the field for a text")),
        Construct::Literal(literal) => only_kernel(literal_in_kernel(*literal)),
        Construct::Mask { relative, test } => Row {
            kernel_filter: match (relative, test) {
                (true, _) => Refused("`filter_assign_type` knows `__data_loc cpumask_t` alone"),
                (false, MaskTest::Any) => {
                    Needs { feature: "filter-cpus", form: "`CPUS{..}`, of CPUs that there can be" }
                }
                (false, MaskTest::Equal | MaskTest::Differ) => Refused(
                    "the bits of CPUs that the machine cannot have are not compared (`cpumask_equal`)",
                ),
            },
            bpf: Rewritten(
                "a copy by `bpf_probe_read_kernel`, word by word in a loop bounded by the largest mask",
            ),
            host: BOUNDED,
            c: BOUNDED,
            rust: BOUNDED,
        },
        Construct::NotMask => never(Refused("the filter does not take the field for a mask")),
        Construct::UserTextOfNumber => {
            text(Holder::User, Refused("`.ustring` follows fields of the type `char *` alone"))
        }
        Construct::Function => function(Needs { feature: "filter-function", form: "`.function`" }),
        Construct::NarrowAddress => function(Refused("`parse_pred` wants a field of the size of a `long`")),
        Construct::OddFunction => function(Refused("a name goes on to white space, and has no quotes")),
        Construct::NotAddress => never(Refused("the field holds no address")),
    }
}

fn every(way: Way) -> Row {
    Row { kernel_filter: way, bpf: way, host: way, c: way, rust: way }
}

/// Returns a row in which every engine except the kernel's filter has the construct directly.
fn only_kernel(way: Way) -> Row {
    Row { kernel_filter: way, bpf: Directly, host: Directly, c: Directly, rust: Directly }
}

/// Returns the row of a test that does not fit its field. The kernel would never match, not even with `!=`, and may
/// refuse.
fn never(in_kernel: Way) -> Row {
    let constant = Rewritten("false for every record");
    Row { kernel_filter: in_kernel, bpf: constant, host: constant, c: constant, rust: constant }
}

fn integer(signed: bool, lies: Lies) -> Row {
    let bpf = match lies {
        Lies::Aligned if signed => SHIFTED,
        Lies::Aligned => Directly,
        Lies::Unaligned => PROBED,
        Lies::CommonPid => THREAD_ID,
        Lies::Header => Refused(
            "`perf_tp_event` fills the header in when the program has run, which has a pointer in its place",
        ),
    };
    Row { kernel_filter: Directly, bpf, host: BOUNDED, c: COPIED, rust: SLICED }
}

fn arithmetic(op: NumberOp, sign: Sign, total: bool) -> Row {
    let signed = sign == Sign::Signed;
    let (bpf, host, c, rust) = match op {
        NumberOp::And | NumberOp::Or | NumberOp::Xor => (Directly, Directly, Directly, Directly),
        NumberOp::Add | NumberOp::Sub | NumberOp::Mul => {
            (Directly, Directly, if signed { IN_UNSIGNED } else { Directly }, WRAPPING)
        }
        NumberOp::Div | NumberOp::Rem => match (signed, total) {
            (true, true) => (MAGNITUDES, SMALLEST_TRAPS, C_SMALLEST, WRAPPING),
            (true, false) => (MAGNITUDES_OR_FALSE, TRAPS, C_DIVISION, CHECKED),
            (false, true) => (Directly, Directly, Directly, Directly),
            (false, false) => (ZERO_BRANCH, ZERO_TRAPS, C_ZERO, CHECKED_ZERO),
        },
        NumberOp::Shl | NumberOp::Shr if !total => (COUNT_BRANCH, COUNT_BRANCH, C_SHIFT, CHECKED_SHIFT),
        NumberOp::Shl => (Directly, Directly, if signed { IN_UNSIGNED } else { Directly }, Directly),
        NumberOp::Shr => (Directly, Directly, if signed { C_ARITHMETIC } else { Directly }, Directly),
    };
    Row { kernel_filter: SOLVED, bpf, host, c, rust }
}

fn function(kernel_filter: Way) -> Row {
    Row {
        kernel_filter,
        bpf: Refused("a program does not know where the kernel's functions lie"),
        host: NO_FUNCTIONS,
        c: NO_FUNCTIONS,
        rust: NO_FUNCTIONS,
    }
}

fn text(holder: Holder, kernel_filter: Way) -> Row {
    let of_record = |bpf| Row { kernel_filter, bpf, host: BOUNDED, c: BOUNDED, rust: BOUNDED };
    let of_context =
        |helper, lacks| Row { kernel_filter, bpf: Rewritten(helper), host: lacks, c: lacks, rust: lacks };
    match holder {
        Holder::Fixed => of_record(Rewritten(
            "compared in words of the context; a pattern with stars in a copy, byte by byte",
        )),
        Holder::Tail => of_record(Refused("a program does not know where its record ends")),
        Holder::Dynamic => of_record(Rewritten(
            "`bpf_probe_read_kernel_str` of as much as the test looks at; a pattern with stars byte by byte, in a loop \
             bounded by the largest record",
        )),
        Holder::Kernel => {
            of_context("`bpf_probe_read_kernel_str`; a fault is a negative result", NO_KERNEL_MEMORY)
        }
        Holder::User => of_context("`bpf_probe_read_user_str`; a fault is a negative result", NO_USER_MEMORY),
        Holder::Comm => Row { c: ARGUMENT, rust: ARGUMENT, ..of_context("`bpf_get_current_comm`", NO_COMM) },
    }
}

fn equality_in_kernel(holder: Holder) -> Way {
    match holder {
        Holder::Fixed | Holder::Tail | Holder::Kernel => Directly,
        Holder::Dynamic => Either {
            feature: "filter-bounded-text",
            form: "a full glob: `==` would look behind a text of length 0; three comparisons without the feature, or two \
                   where the glob is too long",
        },
        Holder::User => Needs { feature: "filter-ustring", form: "`.ustring`" },
        Holder::Comm => Rewritten("the generic field `COMM`, by a name that no field of the event has"),
    }
}

fn pattern_in_kernel(holder: Holder) -> Way {
    match holder {
        Holder::Fixed | Holder::Tail => Rewritten(
            "one character in brackets or escaped, where `filter_parse_regex` would choose another matcher",
        ),
        Holder::Dynamic => Either {
            feature: "filter-bounded-text",
            form: "the same; a prefix and that the text has a length, without the feature or where the glob is too long",
        },
        Holder::Kernel | Holder::Comm => Rewritten("any matcher, since the text has its NUL"),
        Holder::User => Needs { feature: "filter-ustring", form: "`.ustring`" },
    }
}

fn literal_in_kernel(literal: LiteralClass) -> Way {
    match literal {
        LiteralClass::Plain => Directly,
        LiteralClass::Nul => Refused("a NUL ends the filter"),
        LiteralClass::BothQuotes => Refused("there are no escapes in the filter's strings"),
        LiteralClass::TooLong => Refused("an operand has less than `MAX_FILTER_STR_VAL` bytes, as rewritten"),
        LiteralClass::NoRoom => {
            Refused("the filter would compare as many bytes as the layout gives the field")
        }
    }
}
