//! Jumps to jumps become one, and blocks that nothing reaches are removed: the verifier refuses them.

use super::code::{Block, Code, End};

/// Makes every jump lead to a block that does something, and keeps the blocks that can be reached.
pub(super) fn tidy(code: &mut Code) {
    for index in 0..code.order.len() {
        let block = code.order[index];
        let Some(end) = code.content(block).map(|content| content.end) else { continue };
        let end = match end {
            End::Jump(target) => End::Jump(goal(code, target)),
            End::Branch { test, width, left, right, then, otherwise, leaves } => {
                match (goal(code, then), goal(code, otherwise)) {
                    (then, otherwise) if then == otherwise => End::Jump(then),
                    (then, otherwise) => End::Branch { test, width, left, right, then, otherwise, leaves },
                }
            }
            end @ End::Return(_) => end,
        };
        // A jump to a return is a return.
        let end = match end {
            End::Jump(target) => match code.content(target) {
                Some(content) if content.ops.is_empty() && matches!(content.end, End::Return(_)) => {
                    content.end
                }
                _ => end,
            },
            end => end,
        };
        if let Some(Some(content)) = code.blocks.get_mut(block.0 as usize) {
            content.end = end;
        }
    }
    let reached = reached(code);
    code.order.retain(|block| reached[block.0 as usize]);
}

/// Returns the block where a jump ends: behind blocks that only jump. A circle of such blocks is where it began.
fn goal(code: &Code, from: Block) -> Block {
    let mut at = from;
    for _ in 0..code.order.len() {
        match code.content(at) {
            Some(content) if content.ops.is_empty() => match content.end {
                End::Jump(next) => at = next,
                End::Branch { .. } | End::Return(_) => return at,
            },
            _ => return at,
        }
    }
    from
}

fn reached(code: &Code) -> Vec<bool> {
    let mut reached = vec![false; code.blocks.len()];
    let mut rest: Vec<Block> = code.order.first().copied().into_iter().collect();
    while let Some(block) = rest.pop() {
        if !std::mem::replace(&mut reached[block.0 as usize], true)
            && let Some(content) = code.content(block)
        {
            content.end.successors(|next| rest.push(next));
        }
    }
    reached
}
