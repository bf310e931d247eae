//! An interpreter of BPF instructions, written from Documentation/bpf/standardization/instruction-set.rst.
//!
//! rbpf 0.4 compares 64 bits with a negative number as if it were an unsigned one of 32 bits; the kernel extends it by
//! its sign. It also stops at the negation of the smallest number. Programs without such instructions run in both.

use std::ops::Range;

/// A helper function, of the first three arguments.
pub(crate) type Helper = fn(u64, u64, u64, u64, u64) -> u64;

/// The most instructions of a run: loops are as long as texts.
const MOST: usize = 10_000_000;

/// Returns whether rbpf runs a program as the kernel does.
pub(crate) fn rbpf_runs(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes[at];
        // JEQ, JGT, JGE, JNE, JLT and JLE of 64 bits with a number.
        let compares = code & 0x0f == 0x05 && matches!(code & 0xf0, 0x10 | 0x20 | 0x30 | 0x50 | 0xa0 | 0xb0);
        if (compares && bytes[at + 7] & 0x80 != 0) || code == 0x87 {
            return false;
        }
        at += if code == 0x18 { 16 } else { 8 };
    }
    true
}

/// Runs a program whose first argument is an address. It may read and write in some ranges, and in its stack.
pub(crate) fn run(
    program: &[u8],
    context: u64,
    ranges: &[Range<u64>],
    helpers: &[(u32, Helper)],
) -> Result<u64, String> {
    let stack = [0xa5_u8; 512];
    let stack_at = stack.as_ptr() as u64;
    let mut reg = [0xdead_beef_dead_beef_u64; 11];
    reg[1] = context;
    reg[10] = stack_at + 512;
    let check = |address: u64, size: u64| {
        let inside = |range: &Range<u64>| range.start <= address && address + size <= range.end;
        match ranges.iter().any(inside) || inside(&(stack_at..stack_at + 512)) {
            true => Ok(()),
            false => Err(format!("an access of {size} bytes at {address:#x}")),
        }
    };
    let mut at = 0_usize;
    for _ in 0..MOST {
        let one: [u8; 8] =
            program.get(8 * at..8 * at + 8).ok_or("behind the end")?.try_into().expect("8 bytes");
        let (code, to, from) = (one[0], (one[1] & 15) as usize, (one[1] >> 4) as usize);
        let offset = i64::from(i16::from_le_bytes([one[2], one[3]]));
        let number = i32::from_le_bytes([one[4], one[5], one[6], one[7]]);
        let by = if code & 8 != 0 { reg[from] } else { i64::from(number) as u64 };
        at += 1;
        match code & 7 {
            0 if code == 0x18 => {
                let high = u32::from_le_bytes(program[8 * at + 4..8 * at + 8].try_into().expect("4 bytes"));
                reg[to] = (u64::from(high) << 32) | u64::from(number as u32);
                at += 1;
            }
            1 if code & 0xe0 == 0x60 => {
                let address = reg[from].wrapping_add(offset as u64);
                check(address, size(code))?;
                reg[to] = load(address, size(code));
            }
            class @ (2 | 3) if code & 0xe0 == 0x60 => {
                let address = reg[to].wrapping_add(offset as u64);
                check(address, size(code))?;
                store(address, size(code), if class == 2 { i64::from(number) as u64 } else { reg[from] });
            }
            4 => {
                let value = alu(code, reg[to] as u32 as u64, by as u32 as u64, 32)?;
                reg[to] = value as u32 as u64;
            }
            7 => reg[to] = alu(code, reg[to], by, 64)?,
            5 if code == 0x05 => at = at.wrapping_add_signed(offset as isize),
            5 if code == 0x85 => {
                let helper = helpers.iter().find(|(known, _)| *known == number as u32);
                let (_, helper) = helper.ok_or_else(|| format!("no helper {number}"))?;
                reg[0] = helper(reg[1], reg[2], reg[3], reg[4], reg[5]);
                // A call keeps nothing of these.
                reg[1..6].fill(0xdead_beef_dead_beef);
            }
            5 if code == 0x95 => return Ok(reg[0]),
            class @ (5 | 6) => {
                let (a, b, sa, sb) = match class {
                    5 => (reg[to], by, reg[to] as i64, by as i64),
                    _ => {
                        let (a, b) = (reg[to] as u32, by as u32);
                        (a.into(), b.into(), i64::from(a as i32), i64::from(b as i32))
                    }
                };
                let holds = match code & 0xf0 {
                    0x10 => a == b,
                    0x20 => a > b,
                    0x30 => a >= b,
                    0x40 => a & b != 0,
                    0x50 => a != b,
                    0x60 => sa > sb,
                    0x70 => sa >= sb,
                    0xa0 => a < b,
                    0xb0 => a <= b,
                    0xc0 => sa < sb,
                    0xd0 => sa <= sb,
                    _ => return Err(format!("no instruction {code:#x}")),
                };
                if holds {
                    at = at.wrapping_add_signed(offset as isize);
                }
            }
            _ => return Err(format!("no instruction {code:#x}")),
        }
    }
    Err("it does not end".to_owned())
}

fn alu(code: u8, a: u64, b: u64, bits: u32) -> Result<u64, String> {
    let count = (b & u64::from(bits - 1)) as u32;
    Ok(match code & 0xf0 {
        0x00 => a.wrapping_add(b),
        0x10 => a.wrapping_sub(b),
        0x20 => a.wrapping_mul(b),
        0x30 => a.checked_div(b).unwrap_or(0),
        0x40 => a | b,
        0x50 => a & b,
        0x60 => a << count,
        0x70 => a >> count,
        0x80 => a.wrapping_neg(),
        0x90 => a.checked_rem(b).unwrap_or(a),
        0xa0 => a ^ b,
        0xb0 => b,
        0xc0 if bits == 32 => (i64::from(a as u32 as i32) >> count) as u64,
        0xc0 => (a as i64 >> count) as u64,
        _ => return Err(format!("no instruction {code:#x}")),
    })
}

fn size(code: u8) -> u64 {
    match code & 0x18 {
        0x00 => 4,
        0x08 => 2,
        0x10 => 1,
        _ => 8,
    }
}

fn load(address: u64, size: u64) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the caller has checked that the bytes are in memory that the program may read.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size as usize) };
    u64::from_le_bytes(bytes)
}

fn store(address: u64, size: u64, value: u64) {
    let bytes = value.to_le_bytes();
    // SAFETY: the caller has checked that the bytes are in memory that the program may write.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, size as usize) };
}
