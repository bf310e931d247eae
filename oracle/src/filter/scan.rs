//! The check of the whole text before it is parsed: `calc_stack` in kernel/trace/trace_events_filter.c.

use super::Refusal;
use super::ctype::is_space;
use tracec_kernel::tables::errno::{EINVAL, ENOENT, EPERM, ESRCH};
use tracec_kernel::tables::filter_errors::{MISSING_QUOTE, TOO_MANY_CLOSE, TOO_MANY_OPEN};

/// Checks parentheses and quotes, and that no parentheses are empty.
///
/// The kernel also counts comparisons and the depth of parentheses here, as the sizes of the arrays that the parser
/// fills. The parser never finds more of them: the two differ only within a token that holds a quote sign outside of a
/// string, such as the name of a function or a list of CPUs, and such a token is refused when it is reached, since no
/// name and no list holds one.
pub(super) fn check(text: &[u8]) -> Result<(), Refusal> {
    let mut open = Vec::new();
    let mut quote = None;
    let mut comparison = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let place = at;
        at += 1;
        match (quote, byte) {
            _ if is_space(byte) => continue,
            (Some((sign, _)), _) => {
                if byte == sign {
                    quote = None;
                }
                continue;
            }
            (None, b'\'' | b'"') => quote = Some((byte, place)),
            // Only the first character of a `&&` or `||` is skipped here.
            (None, b'|' | b'&') if text.get(at) == Some(&byte) => continue,
            (None, b'(') => {
                open.push(place);
                continue;
            }
            (None, b')') => {
                open.pop().ok_or_else(|| Refusal::at(&TOO_MANY_CLOSE, place, EPERM))?;
                continue;
            }
            _ => {}
        }
        comparison = true;
    }
    if let Some((_, place)) = quote {
        return Err(Refusal::at(&MISSING_QUOTE, place, ESRCH));
    }
    // The kernel searches from the end, and so finds the last open one.
    if let Some(&place) = open.last() {
        return Err(Refusal::at(&TOO_MANY_OPEN, place, ENOENT));
    }
    if comparison { Ok(()) } else { Err(Refusal::unexplained(EINVAL)) }
}
