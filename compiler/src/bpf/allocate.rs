//! The machine's registers for virtual ones, by a scan over the intervals in which they are needed. A value for which
//! there is no register is kept on the stack.
//!
//! A call keeps the registers 6 to 9 and no others; its arguments are in 1 to 5, its result is in 0.

use super::code::{Argument, Base, Code, Op, Operand, Reg, Size, Slot, Width};
use super::live::{Interval, intervals};

/// The registers in the order in which they are given: those that a call keeps come last.
const ALL: [u8; 10] = [1, 2, 3, 4, 5, 0, 6, 7, 8, 9];

/// The registers that a call keeps.
const KEPT: [u8; 4] = [6, 7, 8, 9];

/// Returns the number of the machine's register for each virtual one.
pub(super) fn allocate(code: &mut Code) -> Vec<u8> {
    // A register that is made for one operation is not kept on the stack again.
    let first_made = code.registers;
    loop {
        match scan(&intervals(code), code.registers, first_made) {
            Ok(numbers) => return numbers,
            Err(reg) => keep_on_stack(code, reg),
        }
    }
}

/// Gives each interval a register that is free in all of it.
///
/// # Errors
/// The register to be kept on the stack where there are too few.
fn scan(intervals: &[Interval], registers: u32, first_made: u32) -> Result<Vec<u8>, Reg> {
    let mut numbers = vec![0; registers as usize];
    let mut active: Vec<(&Interval, u8)> = Vec::new();
    for interval in intervals {
        active.retain(|(other, _)| other.last >= interval.first);
        let is_free = |number: u8| active.iter().all(|(_, taken)| *taken != number);
        let allowed: &[u8] = if interval.crosses { &KEPT } else { &ALL };
        let copied = interval.copy_of.map(|reg| numbers[reg.0 as usize]);
        let wanted = interval.wanted.into_iter().chain(copied);
        let mut order = wanted.filter(|number| allowed.contains(number)).chain(allowed.iter().copied());
        let Some(number) = order.find(|number| is_free(*number)) else {
            let candidates = active.iter().filter(|(_, number)| allowed.contains(number));
            let candidates = candidates.map(|(other, _)| *other).chain([interval]);
            let longest = candidates.filter(|other| other.reg.0 < first_made).max_by_key(|other| other.last);
            return Err(longest.unwrap_or(interval).reg);
        };
        numbers[interval.reg.0 as usize] = number;
        active.push((interval, number));
    }
    Ok(numbers)
}

/// Keeps a value on the stack: each operation that needs it reads it from there, and writes it back.
fn keep_on_stack(code: &mut Code, reg: Reg) {
    let slot = code.slot(8);
    for index in 0..code.order.len() {
        let block = code.order[index];
        let Some(Some(mut content)) = code.blocks.get_mut(block.0 as usize).map(Option::take) else {
            continue;
        };
        let mut ops = Vec::with_capacity(content.ops.len());
        if index == 0 && reg == code.context {
            ops.push((store(slot, reg), None));
        }
        for (mut op, origin) in content.ops {
            let mut is_read = false;
            op.reads(|read| is_read |= read == reg);
            let is_written = op.written() == Some(reg);
            if !is_read && !is_written {
                ops.push((op, origin));
                continue;
            }
            let now = code.reg();
            op.rename(reg, now);
            if is_read {
                ops.push((load(slot, now), origin));
            }
            ops.push((op, origin));
            if is_written {
                ops.push((store(slot, now), origin));
            }
        }
        let mut is_read = false;
        content.end.reads(|read| is_read |= read == reg);
        if is_read {
            let now = code.reg();
            content.end.rename(reg, now);
            ops.push((load(slot, now), content.end_origin));
        }
        content.ops = ops;
        code.blocks[block.0 as usize] = Some(content);
    }
}

fn load(slot: Slot, to: Reg) -> Op {
    Op::Load { size: Size::B8, to, base: Base::Stack(slot), offset: 0 }
}

fn store(slot: Slot, from: Reg) -> Op {
    Op::Store { size: Size::B8, base: Base::Stack(slot), offset: 0, from: Operand::Reg(from) }
}

/// Orders copies that happen at once, so that none overwrites what another reads. A circle goes over register 0, which no
/// copy writes.
pub(super) fn ordered(mut copies: Vec<(u8, u8)>) -> Vec<(u8, u8)> {
    let mut done = Vec::new();
    copies.retain(|(to, from)| to != from);
    while !copies.is_empty() {
        let free = copies.iter().position(|(to, _)| copies.iter().all(|(_, from)| from != to));
        match free {
            Some(index) => done.push(copies.remove(index)),
            None => {
                let circle = copies[0].1;
                done.push((0, circle));
                copies.iter_mut().filter(|(_, from)| *from == circle).for_each(|copy| copy.1 = 0);
            }
        }
    }
    done
}

/// Returns the copies of a call's arguments that are in registers, as pairs of target and source.
pub(super) fn argument_copies(arguments: &[Argument], numbers: &[u8]) -> Vec<(u8, u8)> {
    let copies = arguments.iter().zip(1..).filter_map(|(argument, to)| match argument {
        Argument::Reg(reg) => Some((to, numbers[reg.0 as usize])),
        _ => None,
    });
    ordered(copies.collect())
}

/// Returns whether an operation changes nothing.
pub(super) fn is_nothing(op: &Op, numbers: &[u8]) -> bool {
    match op {
        Op::Move { width: Width::Whole, to, from: Operand::Reg(from) } => {
            numbers[to.0 as usize] == numbers[from.0 as usize]
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn copies_at_once_keep_what_others_read() {
        for copies in [
            vec![(1, 2), (2, 3), (3, 1)],
            vec![(1, 2), (2, 1), (3, 1)],
            vec![(1, 1), (2, 9)],
            vec![(1, 2), (2, 1), (3, 4), (4, 3)],
            vec![(1, 0), (2, 1), (3, 2)],
        ] {
            let mut now: Vec<u8> = (0..10).collect();
            for (to, from) in ordered(copies.clone()) {
                now[to as usize] = now[from as usize];
            }
            for (to, from) in copies {
                assert_eq!(now[to as usize], from);
            }
        }
    }
}
