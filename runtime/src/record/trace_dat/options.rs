//! Options of a recording that describe the machine and its clock (trace-cmd.dat.v7(5), which has those of version 6 too).

use std::io::{Read, Seek};

use super::TraceDatError;
use super::input::Input;

/// Ids (lib/trace-cmd/include/trace-cmd-local.h).
mod id {
    pub(super) const TRACECLOCK: u16 = 4;
    pub(super) const UNAME: u16 = 5;
    pub(super) const OFFSET: u16 = 7;
    pub(super) const CPUCOUNT: u16 = 8;
    pub(super) const TSC2NSEC: u16 = 14;
}

/// The longest text of such an option. `uname -a` has some hundred bytes.
const LONGEST: u64 = 4096;

/// What the options say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stated {
    /// The chosen trace clock.
    pub(super) clock: Option<String>,
    /// What `uname` says of the traced machine: system, host, release, and more.
    pub(super) uname: Option<String>,
    /// The number of its CPUs.
    pub(super) cpus: Option<u32>,
    /// What is added to each time stamp.
    pub(super) offset: i64,
    /// How ticks of the time stamp counter become nanoseconds.
    pub(super) tsc: Option<Tsc>,
}

/// The conversion of ticks of the time stamp counter to nanoseconds, as the kernel's own (`mul_u64_u32_shr`,
/// include/linux/math64.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tsc {
    pub(super) multiplier: u32,
    pub(super) shift: u32,
}

impl Stated {
    /// Reads an option of `length` bytes at the current position, if it is one of these. The position afterwards is
    /// within it.
    pub(super) fn read<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        id: u16,
        length: u64,
    ) -> Result<(), TraceDatError> {
        match id {
            id::TRACECLOCK => self.clock = chosen_clock(&text(input, length)?),
            id::UNAME => self.uname = Some(text(input, length)?),
            id::OFFSET => self.offset = self.offset.saturating_add(offset(&text(input, length)?)),
            id::CPUCOUNT => self.cpus = Some(input.u32("the number of cpus")?),
            id::TSC2NSEC => {
                let what = "the conversion of time stamps";
                let (multiplier, shift) = (input.u32(what)?, input.u32(what)?);
                // The offset that follows is for files of a guest beside that of its host; trace-cmd leaves it out for
                // one file alone.
                self.tsc = Some(Tsc { multiplier, shift });
            }
            _ => {}
        }
        Ok(())
    }
}

fn text<R: Read + Seek>(input: &mut Input<R>, length: u64) -> Result<String, TraceDatError> {
    let bytes = input.bytes(length.min(LONGEST), "an option")?;
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// Returns the chosen clock: `trace_clock` lists all clocks, the chosen one in brackets.
pub(super) fn chosen_clock(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// Returns the number of a text, decimal or `0x` and hexadecimal, as C's `strtoll` reads it; 0 without a number.
fn offset(text: &str) -> i64 {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    sign * number.unwrap_or(0)
}

/// How the time stamps of a recording are corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Correction {
    tsc: Option<Tsc>,
    offset: i64,
}

impl Correction {
    /// Returns that of the options for the buffers of a clock. Only ticks of the time stamp counter are converted.
    pub(super) fn of(stated: &Stated, clock: &str) -> Self {
        let tsc = stated.tsc.filter(|tsc| clock == "x86-tsc" && tsc.multiplier > 0);
        Correction { tsc, offset: stated.offset }
    }

    /// Returns a corrected time stamp.
    pub(crate) fn apply(&self, timestamp: u64) -> u64 {
        if *self == Correction::default() {
            return timestamp;
        }
        let nanoseconds = match self.tsc {
            Some(Tsc { multiplier, shift }) => {
                (u128::from(timestamp) * u128::from(multiplier)).checked_shr(shift).unwrap_or(0) as u64
            }
            None => timestamp,
        };
        nanoseconds.saturating_add_signed(self.offset)
    }

    /// Returns whether it makes nanoseconds of what the clock counts.
    pub(crate) fn makes_nanoseconds(&self) -> bool {
        self.tsc.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn stated(options: &[(u16, &[u8])]) -> Stated {
        let mut stated = Stated::default();
        for (id, bytes) in options {
            let mut input = Input::new(Cursor::new(bytes.to_vec())).unwrap();
            stated.read(&mut input, *id, bytes.len() as u64).unwrap();
        }
        stated
    }

    #[test]
    fn options_are_read() {
        let tsc = [3, 0, 0, 0, 1, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0];
        let stated = stated(&[
            (4, b"local [x86-tsc] mono\0"),
            (5, b"Linux host 6.18.5\0#1"),
            (7, b"-0x10\0"),
            (7, b"6\n\0"),
            (8, &[2, 0, 0, 0]),
            (14, &tsc),
            (99, b"?"),
        ]);
        let expected = Stated {
            clock: Some("x86-tsc".to_owned()),
            uname: Some("Linux host 6.18.5".to_owned()),
            cpus: Some(2),
            offset: -10,
            tsc: Some(Tsc { multiplier: 3, shift: 1 }),
        };
        assert_eq!(stated, expected);
        assert_eq!(Correction::of(&stated, "x86-tsc").apply(200), 290);
        assert_eq!(Correction::of(&stated, "local").apply(200), 190);
        assert_eq!(Correction::of(&stated, "local").apply(3), 0);
        assert_eq!(Correction::default().apply(200), 200);
    }

    #[test]
    fn damaged_option_is_an_error() {
        let mut input = Input::new(Cursor::new(vec![1, 2])).unwrap();
        assert!(Stated::default().read(&mut input, 8, 2).is_err());
        assert_eq!((offset("x"), offset(""), offset("+7"), chosen_clock("none")), (0, 0, 7, None));
    }
}
