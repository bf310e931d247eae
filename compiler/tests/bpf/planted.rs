//! Errors in the instructions of programs, which the law has to find.

/// An error: each instruction that it fits is another.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    fits: fn(&[u8]) -> bool,
    edit: fn(&mut [u8]),
}

impl Planted {
    /// Puts the error into a program.
    pub(crate) fn put_into(&self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let is_pair = bytes[at] == 0x18;
            let instruction = &mut bytes[at..at + 8];
            if (self.fits)(instruction) {
                (self.edit)(instruction);
            }
            at += if is_pair { 16 } else { 8 };
        }
    }
}

/// Returns the error that gives instructions with this code another.
const fn code<const FROM: u8, const TO: u8>(name: &'static str) -> Planted {
    Planted { name, fits: |one| one[0] == FROM, edit: |one| one[0] = TO }
}

/// The register of the stack, as a source.
const STACK: u8 = 0xa0;

pub(crate) const ERRORS: &[Planted] = &[
    code::<0xd6, 0xb6>("a comparison of signed half words is one of unsigned ones"),
    code::<0x7d, 0x3d>("a comparison of signed numbers in registers is one of unsigned ones"),
    code::<0xc7, 0x77>("a number is not extended by its sign"),
    code::<0x36, 0x26>("the first of a range is not in it"),
    code::<0x56, 0x55>("what is above a half word is compared too"),
    code::<0x3f, 0x9f>("a quotient is a remainder"),
    code::<0x87, 0xbf>("a negative number has no magnitude"),
    code::<0x25, 0x35>("the last valid count of a shift is not one"),
    code::<0x4f, 0xaf>("states of a pattern that meet vanish"),
    code::<0x1f, 0x0f>("a difference is a sum"),
    Planted {
        name: "location words are cut after their first byte",
        fits: |one| one[0] == 0x57 && one[4..] == [0xff, 0xff, 0, 0],
        edit: |one| one[5] = 0,
    },
    Planted {
        name: "a byte of the stack is taken for the one behind",
        fits: |one| one[0] == 0x71 && one[1] & 0xf0 == STACK && i16::from_le_bytes([one[2], one[3]]) < -1,
        edit: |one| one[2] = one[2].wrapping_add(1),
    },
];
