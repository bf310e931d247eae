//! Integers in a record, in the byte order of this machine: a filter runs on the machine that writes the record.

/// Returns the unsigned integer of `size` bytes, at most 8, at `offset`; `None` where the record is too short for it.
pub(super) fn uint(record: &[u8], offset: usize, size: usize) -> Option<u64> {
    let bytes = record.get(offset..)?.get(..size)?;
    let mut word = [0; 8];
    let start = if cfg!(target_endian = "little") { 0 } else { 8 - size };
    word[start..start + size].copy_from_slice(bytes);
    Some(u64::from_ne_bytes(word))
}

/// Extends the low `size` bytes of `value`, 1 to 8, by their sign.
pub(super) fn sign_extend(value: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size as u32;
    (value << unused) as i64 >> unused
}
