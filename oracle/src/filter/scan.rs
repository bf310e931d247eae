//! The look over the whole text before anything is parsed: `calc_stack` in kernel/trace/trace_events_filter.c.

use super::Refusal;
use super::ctype::is_space;
use tracec_kernel::tables::errno::{EINVAL, ENOENT, EPERM, ESRCH};
use tracec_kernel::tables::filter_errors::{MISSING_QUOTE, TOO_MANY_CLOSE, TOO_MANY_OPEN};

/// Checks parentheses and quotes, and that there is something between the parentheses.
///
/// What it tells the kernel besides, the number of comparisons and the depth of parentheses, is the size of the arrays
/// that the parser fills. The parser never finds more of them than this has counted: the two part only within a token that
/// holds a quote sign outside of a string, such as the name of a function or a list of CPUs, and such a token is refused
/// when it is reached, since no name and no list holds one.
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
            // Of a `&&` or `||` only the first character is passed over here.
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
    // The kernel looks for it from the end; the last that is open is what it finds.
    if let Some(&place) = open.last() {
        return Err(Refusal::at(&TOO_MANY_OPEN, place, ENOENT));
    }
    if comparison { Ok(()) } else { Err(Refusal::unexplained(EINVAL)) }
}
