//! Integers in bytes of either order, with every bound checked.

/// The byte order of the kernel that wrote a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The byte order of the machine that this program runs on.
    pub(crate) const NATIVE: ByteOrder =
        if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };

    pub(crate) fn little_if(little_endian: bool) -> Self {
        if little_endian { ByteOrder::Little } else { ByteOrder::Big }
    }

    #[inline]
    pub(crate) fn u16(self, bytes: &[u8], offset: usize) -> Option<u16> {
        let raw = *bytes.get(offset..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Little => u16::from_le_bytes(raw),
            ByteOrder::Big => u16::from_be_bytes(raw),
        })
    }

    #[inline]
    pub(crate) fn u32(self, bytes: &[u8], offset: usize) -> Option<u32> {
        let raw = *bytes.get(offset..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Little => u32::from_le_bytes(raw),
            ByteOrder::Big => u32::from_be_bytes(raw),
        })
    }

    #[inline]
    pub(crate) fn u64(self, bytes: &[u8], offset: usize) -> Option<u64> {
        let raw = *bytes.get(offset..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Little => u64::from_le_bytes(raw),
            ByteOrder::Big => u64::from_be_bytes(raw),
        })
    }

    /// Returns an unsigned integer of 1, 2, 4 or 8 bytes; `None` for any other size.
    #[inline]
    pub(crate) fn uint(self, bytes: &[u8], offset: usize, size: usize) -> Option<u64> {
        match size {
            1 => bytes.get(offset).map(|&byte| u64::from(byte)),
            2 => self.u16(bytes, offset).map(u64::from),
            4 => self.u32(bytes, offset).map(u64::from),
            8 => self.u64(bytes, offset),
            _ => None,
        }
    }
}

/// Extends the low `size` bytes of `value` by their sign.
pub(crate) fn sign_extend(value: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size.clamp(1, 8) as u32;
    (value << unused) as i64 >> unused
}

/// Returns the low `size` bytes of `value` as an unsigned number.
pub(crate) fn zero_extend(value: u64, size: usize) -> u64 {
    let unused = 64 - 8 * size.clamp(1, 8) as u32;
    value << unused >> unused
}
