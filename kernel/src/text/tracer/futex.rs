//! `sys_enter_futex` of trace-cmd 3.1.6: a plugin shows the arguments that the operation has.

use super::super::print::shown;
use super::Kind;
use super::view::View;

pub(super) const ALL: &[Kind] = &[Kind {
    name: "sys_enter_futex",
    fields: &["uaddr", "op", "val", "utime", "uaddr2", "val3"],
    optional: &[],
    print: push,
}];

/// The arguments of an operation behind its address.
#[derive(Clone, Copy)]
enum Argument {
    /// The value that is expected.
    Expected,
    /// A number of waiters, or of a descriptor.
    Count,
    Timeout,
    /// A second number, in the place of the timeout.
    SecondCount,
    SecondAddress,
    Third,
}

use Argument::{Count, Expected, SecondAddress, SecondCount, Third, Timeout};

/// The operations by their numbers (include/uapi/linux/futex.h).
const OPERATIONS: &[(&str, &[Argument])] = &[
    ("FUTEX_WAIT", &[Expected, Timeout]),
    ("FUTEX_WAKE", &[Count]),
    ("FUTEX_FD", &[Count]),
    ("FUTEX_REQUEUE", &[Count, SecondCount, SecondAddress]),
    ("FUTEX_CMP_REQUEUE", &[Count, SecondCount, SecondAddress, Third]),
    ("FUTEX_WAKE_OP", &[Count, SecondCount, SecondAddress, Third]),
    ("FUTEX_LOCK_PI", &[Timeout]),
    ("FUTEX_UNLOCK_PI", &[]),
    ("FUTEX_TRYLOCK_PI", &[]),
    ("FUTEX_WAIT_BITSET", &[Expected, Timeout, Third]),
    ("FUTEX_WAKE_BITSET", &[Count, Third]),
    ("FUTEX_WAIT_REQUEUE_PI", &[Expected, Timeout, SecondAddress, Third]),
    ("FUTEX_CMP_REQUEUE_PI", &[Count, SecondCount, SecondAddress, Third]),
];

const PRIVATE: u64 = 0x80;
const CLOCK_REALTIME: u64 = 0x100;

fn push(view: &View<'_>, out: &mut Vec<u8>) {
    let [address, op, value, timeout, second, third] = std::array::from_fn(|field| view.uint(field));
    let number = usize::try_from(op & !(PRIVATE | CLOCK_REALTIME)).ok();
    let Some((name, arguments)) = number.and_then(|number| OPERATIONS.get(number)) else {
        // The `print fmt` of the event.
        shown(out, format_args!("uaddr: 0x{address:08x}, op: 0x{op:08x}, val: 0x{value:08x}, "));
        return shown(
            out,
            format_args!("utime: 0x{timeout:08x}, uaddr2: 0x{second:08x}, val3: 0x{third:08x}"),
        );
    };
    shown(out, format_args!("op={name}"));
    for (flag, name) in [(PRIVATE, "|FUTEX_PRIVATE_FLAG"), (CLOCK_REALTIME, "|FUTEX_CLOCK_REALTIME")] {
        if op & flag != 0 {
            out.extend_from_slice(name.as_bytes());
        }
    }
    shown(out, format_args!(" uaddr=0x{address:08x}"));
    for argument in *arguments {
        match argument {
            Expected => shown(out, format_args!(" val=0x{value:08x}")),
            Count => shown(out, format_args!(" val={value}")),
            Timeout => shown(out, format_args!(" utime=0x{timeout:08x}")),
            SecondCount => shown(out, format_args!(" val2={timeout}")),
            SecondAddress => shown(out, format_args!(" uaddr2=0x{second:08x}")),
            Third => shown(out, format_args!(" val3=0x{third:08x}")),
        }
    }
}
