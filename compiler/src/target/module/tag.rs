//! The tag by which a module is known to have the tracepoints of a text: a digest of their header.

use super::trace_header;
use crate::target::DefinitionRequest;

/// The name of the tag, as `modinfo` shows it.
pub(super) const NAME: &str = "tracec";

/// Returns the value of the tag. Comments and the name of the text are not part of it: they change no event.
pub(super) fn value(request: &DefinitionRequest<'_>) -> String {
    let mut definitions = request.definitions.clone();
    for event in &mut definitions.events {
        event.doc = None;
    }
    let header = trace_header(&DefinitionRequest { definitions: &definitions, ..*request }, None);
    format!("{:016x}", digest(header.text.as_bytes()))
}

/// Returns the FNV-1a hash of 64 bits, which is the same in every release of tracec.
fn digest(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_fnv_1a() {
        assert_eq!(digest(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
