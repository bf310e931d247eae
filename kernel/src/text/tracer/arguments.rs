//! The arguments of a function that was called: `print_function_args` (kernel/trace/trace_output.c), for the options
//! `func-args` and `funcgraph-args`.

use super::super::environment::Passed;
use super::super::print::shown;
use super::view::View;
use crate::append::{push_hex, push_signed};

/// How many arguments are recorded: `FTRACE_REGS_MAX_ARGS` of x86-64.
const MOST: usize = 6;
/// The size of each, a `long`.
const SIZE: usize = 8;
/// The bytes of all.
pub(super) const BYTES: usize = MOST * SIZE;

/// The first kernel that shows an unsigned number in base 16.
const UNSIGNED_IN_HEX: (u32, u32) = (6, 18);

/// Appends the arguments of a function, in parentheses: `bytes` begins with them. Those of a record without them, and of a
/// function whose parameters are not known, are left out, as by the kernel.
pub(super) fn push(view: &View<'_>, address: u64, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'(');
    if bytes.len() >= BYTES
        && let Some(symbol) = view.environment.symbol(address)
    {
        let value = |index: usize| view.order.uint(bytes, index * SIZE, SIZE).unwrap_or(0);
        push_all(view, &view.environment.parameters(symbol.name), value, out);
    }
    out.push(b')');
}

fn push_all(view: &View<'_>, parameters: &[(&str, Passed)], value: impl Fn(usize) -> u64, out: &mut Vec<u8>) {
    let in_hex = view.environment.release().is_none_or(|release| release >= UNSIGNED_IN_HEX);
    let mut at = 0;
    for (index, (name, passed)) in parameters.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        if at == MOST {
            return out.extend_from_slice(b"...");
        }
        let argument = value(at);
        out.extend_from_slice(name.as_bytes());
        out.push(b'=');
        match *passed {
            Passed::Number { signed } if signed || !in_hex => push_signed(out, argument as i64),
            Passed::Enum => push_signed(out, argument as i64),
            Passed::Number { .. } | Passed::Pointer => push_address(out, argument),
            Passed::Unknown => {
                out.push(b'?');
                push_address(out, argument);
            }
            Passed::Parts { kind, bytes } => {
                shown(out, format_args!("({kind})["));
                push_address(out, argument);
                for _ in 1..(bytes as usize).div_ceil(SIZE) {
                    out.push(b':');
                    at += 1;
                    if at == MOST {
                        return out.extend_from_slice(b"...]");
                    }
                    push_address(out, value(at));
                }
                out.push(b']');
            }
        }
        at += 1;
    }
}

fn push_address(out: &mut Vec<u8>, address: u64) {
    out.extend_from_slice(b"0x");
    push_hex(out, address);
}
