//! What the options of a recording state of the machine and its clock (trace-cmd.dat.v7(5), which has those of version 6 too).

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::Arc;

use super::input::Input;
use super::shift::{self, Shift};
use super::{TraceDatError, option};
use crate::record::stats;

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
    /// How the times of each CPU of a guest become those of its host, before anything else.
    pub(super) shifts: Vec<Option<Arc<Shift>>>,
    /// The number of records that each ring has lost: of the buffer of a name, that of a CPU.
    pub(super) losses: BTreeMap<(Arc<str>, u32), u64>,
    /// The buffer whose CPUs are next.
    buffer: Arc<str>,
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
            option::TRACECLOCK => self.clock = chosen_clock(&text(input, length)?),
            option::UNAME => self.uname = Some(text(input, length)?),
            // Microseconds, and nanoseconds (`handle_options` in lib/trace-cmd/trace-input.c).
            option::DATE => self.shift(number(&text(input, length)?).saturating_mul(1000)),
            option::OFFSET => self.shift(number(&text(input, length)?)),
            option::CPUCOUNT => self.cpus = Some(input.u32("the number of cpus")?),
            option::CPUSTAT => self.stats(&text(input, length)?),
            option::TIME_SHIFT => self.shifts = shift::read(input, length)?,
            option::TSC2NSEC => {
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

    /// Reads the counts of a CPU, which is of the last buffer that was named (`add_buffer_stat` in tracecmd/trace-record.c).
    fn stats(&mut self, text: &str) {
        match ring_of_stats(text) {
            Some(StatsOf::Buffer(name)) => self.buffer = name.into(),
            Some(StatsOf::Cpu(cpu)) => {
                if let Some(lost) = stats::lost(text) {
                    self.losses.insert((Arc::clone(&self.buffer), cpu), lost);
                }
            }
            None => {}
        }
    }

    fn shift(&mut self, nanoseconds: i64) {
        self.offset = self.offset.saturating_add(nanoseconds);
    }
}

/// What a text of counts is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatsOf<'t> {
    /// The texts behind it are of a buffer.
    Buffer(&'t str),
    Cpu(u32),
}

/// Returns what a text of counts is about.
pub(super) fn ring_of_stats(text: &str) -> Option<StatsOf<'_>> {
    let (name, value) = text.trim_start().lines().next()?.split_once(": ")?;
    match name {
        "Buffer" => Some(StatsOf::Buffer(value)),
        "CPU" => value.trim().parse().ok().map(StatsOf::Cpu),
        _ => None,
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

/// Reads a number at the start of a text as strtoll(3) does: with a sign, and of base 16 behind `0x`. 0 if there is none.
fn number(text: &str) -> i64 {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1_i64, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, base) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let digits = digits.split(|c: char| !c.is_digit(base)).next().unwrap_or_default();
    // strtoll saturates.
    let value = u64::from_str_radix(digits, base).map_or(0, |value| i64::try_from(value).unwrap_or(i64::MAX));
    sign.wrapping_mul(value)
}

/// How the time stamps of a recording are corrected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Correction {
    shift: Option<Arc<Shift>>,
    tsc: Option<Tsc>,
    offset: i64,
}

impl Correction {
    /// Returns that of the options for a CPU in the buffers of a clock. Only ticks of the time stamp counter are converted.
    pub(super) fn of(stated: &Stated, clock: &str, cpu: u32) -> Self {
        let tsc = stated.tsc.filter(|tsc| clock == "x86-tsc" && tsc.multiplier > 0);
        let shift = stated.shifts.get(cpu as usize).cloned().flatten();
        Correction { shift, tsc, offset: stated.offset }
    }

    /// Returns a corrected time stamp.
    pub(crate) fn apply(&self, timestamp: u64) -> u64 {
        if *self == Correction::default() {
            return timestamp;
        }
        let timestamp = self.shift.as_ref().map_or(timestamp, |shift| shift.apply(timestamp));
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
            (1, b"0x2\0"),
            (8, &[2, 0, 0, 0]),
            (14, &tsc),
            (2, b"CPU: 1\nentries: 3\noverrun: 7\ncommit overrun: 2\n\0"),
            (2, b"CPU: 0\nentries: 3\n\0"),
            (2, b"\nBuffer: other\n\n\0"),
            (2, b"CPU: 1\noverrun: 3\n\0"),
            (99, b"?"),
        ]);
        let expected = Stated {
            clock: Some("x86-tsc".to_owned()),
            uname: Some("Linux host 6.18.5".to_owned()),
            cpus: Some(2),
            offset: 1990,
            tsc: Some(Tsc { multiplier: 3, shift: 1 }),
            shifts: Vec::new(),
            losses: BTreeMap::from([((Arc::from(""), 1), 9), ((Arc::from("other"), 1), 3)]),
            buffer: "other".into(),
        };
        assert_eq!(stated, expected);
        assert_eq!(Correction::of(&stated, "x86-tsc", 0).apply(200), 2290);
        assert_eq!(Correction::of(&stated, "local", 0).apply(200), 2190);
        let back = Stated { offset: -10, ..stated };
        assert_eq!(Correction::of(&back, "local", 0).apply(3), 0);
        assert_eq!(Correction::default().apply(200), 200);
    }

    #[test]
    fn number_is_read_as_by_strtoll() {
        for (text, value) in [
            ("12", 12),
            (" -0x10 junk", -16),
            ("+7x", 7),
            ("0x", 0),
            ("", 0),
            ("99999999999999999999", 0),
            ("9223372036854775808", i64::MAX),
            ("0XfF\n", 255),
            ("\u{fffd}", 0),
        ] {
            assert_eq!(number(text), value, "{text:?}");
        }
        let mut input = Input::new(Cursor::new(b"-0x10\0junk".to_vec())).unwrap();
        assert_eq!(text(&mut input, 10).unwrap(), "-0x10");
    }

    #[test]
    fn damaged_option_is_an_error() {
        let mut input = Input::new(Cursor::new(vec![1, 2])).unwrap();
        assert!(Stated::default().read(&mut input, 8, 2).is_err());
        assert_eq!(chosen_clock("none"), None);
    }
}
