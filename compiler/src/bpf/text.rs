//! Instructions as text, as the verifier's log and bpftool have them.

use std::fmt;

use super::assemble::Program;
use super::instruction::{Instruction, MAP, MAP_VALUE, XCHG};
use tracec_kernel::tables::bpf_helpers;

/// An instruction with the one behind it, which holds the upper half of a 64-bit number.
pub(crate) struct Written<'a> {
    instruction: &'a Instruction,
    behind: Option<&'a Instruction>,
    /// The name of the map that it names.
    map: Option<&'a str>,
    /// Its index.
    index: usize,
}

/// An instruction as a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its index.
    pub(crate) index: usize,
    /// What it does.
    pub(crate) text: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.index, self.text)
    }
}

impl Written<'_> {
    /// Returns the instructions of a program as lines, the two of a 64-bit number as one. `maps` are the names of the
    /// maps.
    pub(crate) fn all(program: &Program, maps: &[&str]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut index = 0;
        while let Some(instruction) = program.instructions.get(index) {
            let map = program.maps.iter().find(|(at, _)| *at == index);
            let map = map.and_then(|(_, map)| maps.get(map.0 as usize).copied());
            let behind = program.instructions.get(index + 1);
            lines.push(Line { index, text: Written { instruction, behind, map, index }.to_string() });
            index += if instruction.code == 0x18 { 2 } else { 1 };
        }
        lines
    }
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Instruction { code, to, from, offset, number } = *self.instruction;
        let target = self.index as i64 + 1 + i64::from(offset);
        let by_register = code & 0x08 != 0;
        match code & 0x07 {
            0x00 => match (from, self.map) {
                (MAP, Some(map)) => write!(f, "r{to} = map {map}"),
                (MAP_VALUE, Some(map)) => {
                    let offset = self.behind.map_or(0, |behind| behind.number);
                    write!(f, "r{to} = value of {map} + {offset}")
                }
                _ => {
                    let high = self.behind.map_or(0, |behind| behind.number as u32);
                    write!(f, "r{to} = {:#x} ll", (u64::from(high) << 32) | u64::from(number as u32))
                }
            },
            0x01 => write!(f, "r{to} = *({} *)(r{from} {})", size(code), Signed(offset.into())),
            0x02 => write!(f, "*({} *)(r{to} {}) = {number}", size(code), Signed(offset.into())),
            0x03 if code & 0xe0 == 0xc0 && number == XCHG => {
                write!(f, "r{from} = xchg(*({} *)(r{to} {}), r{from})", size(code), Signed(offset.into()))
            }
            0x03 if code & 0xe0 == 0xc0 => {
                write!(f, "lock *({} *)(r{to} {}) += r{from}", size(code), Signed(offset.into()))
            }
            0x03 => write!(f, "*({} *)(r{to} {}) = r{from}", size(code), Signed(offset.into())),
            class @ (0x04 | 0x07) => {
                let letter = if class == 0x04 { 'w' } else { 'r' };
                let op = match code & 0xf0 {
                    0x80 => return write!(f, "{letter}{to} = -{letter}{to}"),
                    0xb0 => "=",
                    0x00 => "+=",
                    0x10 => "-=",
                    0x20 => "*=",
                    0x30 => "/=",
                    0x40 => "|=",
                    0x50 => "&=",
                    0x60 => "<<=",
                    0x70 => ">>=",
                    0x90 => "%=",
                    0xa0 => "^=",
                    _ => "s>>=",
                };
                match by_register {
                    true => write!(f, "{letter}{to} {op} {letter}{from}"),
                    false => write!(f, "{letter}{to} {op} {number}"),
                }
            }
            class => {
                let letter = if class == 0x06 { 'w' } else { 'r' };
                let test = match code & 0xf0 {
                    0x00 => return write!(f, "goto {target}"),
                    0x80 => {
                        let name = bpf_helpers::find(number).map_or("?", |helper| helper.name);
                        return write!(f, "call {name}#{number}");
                    }
                    0x90 => return f.write_str("exit"),
                    0x10 => "==",
                    0x20 => ">",
                    0x30 => ">=",
                    0x40 => "&",
                    0x50 => "!=",
                    0x60 => "s>",
                    0x70 => "s>=",
                    0xa0 => "<",
                    0xb0 => "<=",
                    0xc0 => "s<",
                    _ => "s<=",
                };
                match by_register {
                    true => write!(f, "if {letter}{to} {test} {letter}{from} goto {target}"),
                    false => write!(f, "if {letter}{to} {test} {number} goto {target}"),
                }
            }
        }
    }
}

fn size(code: u8) -> &'static str {
    match code & 0x18 {
        0x00 => "u32",
        0x08 => "u16",
        0x10 => "u8",
        _ => "u64",
    }
}

/// An offset behind a register.
struct Signed(i64);

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0.. => write!(f, "+{}", self.0),
            _ => write!(f, "{}", self.0),
        }
    }
}
