//! Where the value of each register is needed: from the first operation that writes it to the last that reads it, in the
//! order in which the blocks stand. A value that is needed around a loop is needed in all of it.
//!
//! An operation reads at an even position and writes at the odd one behind it, so that a value may take the place of one
//! that is read for the last time.

use super::code::{Block, Code, Op, Operand, Reg};

/// Where a value is needed, and where it would best be.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub(super) reg: Reg,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Whether there is a call between, which keeps few registers.
    pub(super) crosses: bool,
    /// The number of the register that saves a copy, if it is free.
    pub(super) wanted: Option<u8>,
    /// The register of which it is a copy.
    pub(super) copy_of: Option<Reg>,
}

/// Returns the intervals of all registers that are written, by their begin.
pub(super) fn intervals(code: &Code) -> Vec<Interval> {
    let (starts, calls) = positions(code);
    let mut spans: Vec<Option<(u32, u32)>> = vec![None; code.registers as usize];
    let mut extend = |reg: Reg, at: u32| {
        let span = spans[reg.0 as usize].get_or_insert((at, at));
        *span = (span.0.min(at), span.1.max(at));
    };
    // The context is given.
    extend(code.context, 0);
    let mut hints: Vec<(Option<u8>, Option<Reg>)> = vec![(None, None); code.registers as usize];
    hints[code.context.0 as usize].0 = Some(1);
    let across = live_in(code);
    for (index, block) in code.order.iter().enumerate() {
        let Some(content) = code.content(*block) else { continue };
        let mut at = starts[index];
        for reg in &across[block.0 as usize] {
            extend(*reg, at);
        }
        for (op, _) in &content.ops {
            op.reads(|reg| extend(reg, at));
            if let Some(reg) = op.written() {
                extend(reg, at + 1);
            }
            hint(op, &mut hints);
            at += 2;
        }
        content.end.reads(|reg| extend(reg, at));
        content.end.successors(|next| {
            for reg in &across[next.0 as usize] {
                extend(*reg, at + 1);
            }
        });
    }
    let mut all = Vec::new();
    for (number, span) in spans.into_iter().enumerate() {
        let Some((first, last)) = span else { continue };
        let after = calls.partition_point(|call| *call < first);
        let crosses = calls.get(after).is_some_and(|call| *call < last);
        let (wanted, copy_of) = hints[number];
        all.push(Interval { reg: Reg(number as u32), first, last, crosses, wanted, copy_of });
    }
    all.sort_by_key(|interval| interval.first);
    all
}

/// Returns the position of each block's begin, and those of all calls.
fn positions(code: &Code) -> (Vec<u32>, Vec<u32>) {
    // Position 0 is before the first operation: the context is there.
    let (mut starts, mut calls, mut at) = (Vec::new(), Vec::new(), 2);
    for block in &code.order {
        starts.push(at);
        let ops = code.content(*block).map_or(&[][..], |content| &content.ops);
        for (op, _) in ops {
            if matches!(op, Op::Call { .. }) {
                calls.push(at);
            }
            at += 2;
        }
        at += 2;
    }
    (starts, calls)
}

/// Notes which registers save a copy: those of a call's arguments and result, and of a copy's source.
fn hint(op: &Op, hints: &mut [(Option<u8>, Option<Reg>)]) {
    match op {
        Op::Call { arguments, result, .. } => {
            for (argument, number) in arguments.iter().zip(1..) {
                if let super::code::Argument::Reg(reg) = argument {
                    hints[reg.0 as usize].0.get_or_insert(number);
                }
            }
            if let Some(result) = result {
                hints[result.0 as usize].0.get_or_insert(0);
            }
        }
        Op::Move { to, from: Operand::Reg(from), .. } => {
            hints[to.0 as usize].1.get_or_insert(*from);
        }
        _ => {}
    }
}

/// Returns the registers that are needed at the start of each block, by the block's number.
fn live_in(code: &Code) -> Vec<Vec<Reg>> {
    // Most registers are read in the block that writes them. Only the others can be needed at the start of one.
    let mut exposed: Vec<Vec<Reg>> = vec![Vec::new(); code.blocks.len()];
    let mut written: Vec<Vec<Reg>> = vec![Vec::new(); code.blocks.len()];
    let mut last_written = vec![u32::MAX; code.registers as usize];
    for block in &code.order {
        let Some(content) = code.content(*block) else { continue };
        let number = block.0;
        let (exposed, written) = (&mut exposed[number as usize], &mut written[number as usize]);
        let read = |reg: Reg, last_written: &[u32], exposed: &mut Vec<Reg>| {
            if last_written[reg.0 as usize] != number {
                exposed.push(reg);
            }
        };
        for (op, _) in &content.ops {
            op.reads(|reg| read(reg, &last_written, exposed));
            if let Some(reg) = op.written()
                && last_written[reg.0 as usize] != number
            {
                last_written[reg.0 as usize] = number;
                written.push(reg);
            }
        }
        content.end.reads(|reg| read(reg, &last_written, exposed));
        for list in [exposed, written] {
            list.sort_unstable_by_key(|reg| reg.0);
            list.dedup();
        }
    }
    let mut predecessors: Vec<Vec<Block>> = vec![Vec::new(); code.blocks.len()];
    for block in &code.order {
        if let Some(content) = code.content(*block) {
            content.end.successors(|next| predecessors[next.0 as usize].push(*block));
        }
    }
    // Each register is followed from where it is read back to where it is written.
    let mut live: Vec<Vec<Reg>> = vec![Vec::new(); code.blocks.len()];
    let mut seen: rustc_hash::FxHashSet<(u32, u32)> = rustc_hash::FxHashSet::default();
    let mut rest: Vec<(Block, Reg)> = Vec::new();
    for block in &code.order {
        rest.extend(exposed[block.0 as usize].iter().map(|reg| (*block, *reg)));
    }
    while let Some((block, reg)) = rest.pop() {
        if !seen.insert((block.0, reg.0)) {
            continue;
        }
        live[block.0 as usize].push(reg);
        for before in &predecessors[block.0 as usize] {
            if written[before.0 as usize].binary_search_by_key(&reg.0, |reg| reg.0).is_err() {
                rest.push((*before, reg));
            } else {
                // It is written there, so it is needed from there to the end of that block.
            }
        }
    }
    live
}
