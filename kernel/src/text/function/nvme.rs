//! Commands of NVMe: drivers/nvme/host/trace.c.

use std::fmt::Arguments;
use std::io::Write;

use super::{TextFunction, argument};
use crate::text::memory::{Memory, Value};
use crate::text::print;

pub(super) const ALL: &[TextFunction] = &[
    TextFunction { name: "nvme_trace_disk_name", arguments: 2, print: disk_name },
    TextFunction { name: "nvme_trace_parse_admin_cmd", arguments: 3, print: admin },
    TextFunction { name: "nvme_trace_parse_nvm_cmd", arguments: 3, print: nvm },
    TextFunction { name: "nvme_trace_parse_fabrics_cmd", arguments: 3, print: fabrics },
];

fn disk_name(arguments: &[Value], memory: &Memory<'_>, out: &mut Vec<u8>) {
    match memory.string(argument(arguments, 1)) {
        Some(name) if !name.is_empty() => {
            out.extend_from_slice(b"disk=");
            print::escaped(out, name);
            out.extend_from_slice(b", ");
        }
        Some(_) => {}
        None => out.extend_from_slice(argument(arguments, 1).fault()),
    }
}

/// The double words of a command from the tenth on, little endian on every machine.
struct Command<'a> {
    bytes: &'a [u8; 24],
}

/// Takes the sequence, the opcode and the address of the double words; `None` where they are not in the record.
fn command<'a>(arguments: &[Value], memory: &Memory<'a>, out: &mut Vec<u8>) -> Option<(u8, Command<'a>)> {
    let address = argument(arguments, 2);
    let bytes = memory.tail(address).and_then(<[u8]>::first_chunk);
    if bytes.is_none() {
        out.extend_from_slice(address.fault());
    }
    Some((argument(arguments, 1).bits as u8, Command { bytes: bytes? }))
}

impl Command<'_> {
    fn at(&self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }

    fn number(&self, from: usize, bytes: usize) -> u64 {
        (from..from + bytes).rev().fold(0, |number, index| number << 8 | u64::from(self.at(index)))
    }

    fn u16(&self, from: usize) -> u64 {
        self.number(from, 2)
    }

    fn u32(&self, from: usize) -> u64 {
        self.number(from, 4)
    }

    fn u64(&self, from: usize) -> u64 {
        self.number(from, 8)
    }
}

fn write(out: &mut Vec<u8>, text: Arguments<'_>) {
    // Writing to a vector does not fail.
    let _ = out.write_fmt(text);
}

/// Appends all bytes, for a command that has no form of its own.
fn other(out: &mut Vec<u8>, name: &str, command: &Command<'_>) {
    write(out, format_args!("{name}="));
    let memory = Memory { record: command.bytes, data: &[], order: crate::bytes::ByteOrder::NATIVE };
    print::hex(out, &memory, Value { bits: 0, space: crate::text::memory::Space::Record }, 24, false);
}

/// Commands of the administration: `enum nvme_admin_opcode` in include/linux/nvme.h.
fn admin(arguments: &[Value], memory: &Memory<'_>, out: &mut Vec<u8>) {
    let Some((opcode, c)) = command(arguments, memory, out) else { return };
    match opcode {
        0x00 => write(out, format_args!("sqid={}", c.u16(0))),
        0x01 => write(
            out,
            format_args!(
                "sqid={}, qsize={}, sq_flags=0x{:x}, cqid={}",
                c.u16(0),
                c.u16(2),
                c.u16(4),
                c.u16(6)
            ),
        ),
        0x04 => write(out, format_args!("cqid={}", c.u16(0))),
        0x05 => write(
            out,
            format_args!(
                "cqid={}, qsize={}, cq_flags=0x{:x}, irq_vector={}",
                c.u16(0),
                c.u16(2),
                c.u16(4),
                c.u16(6)
            ),
        ),
        0x06 => write(out, format_args!("cns={}, ctrlid={}", c.at(0), c.u16(2))),
        0x09 => {
            write(out, format_args!("fid=0x{:x}, sv=0x{:x}, cdw11=0x{:x}", c.at(0), c.at(3) & 8, c.u32(4)))
        }
        0x0a => {
            write(out, format_args!("fid=0x{:x}, sel=0x{:x}, cdw11=0x{:x}", c.at(0), c.at(1) & 7, c.u32(4)))
        }
        0x80 => {
            let lbaf = c.at(1) & 0x30 | c.at(0) & 0xf;
            let (mset, pi, pil, ses) = (c.at(0) >> 4 & 1, c.at(0) >> 5 & 7, c.at(1) & 1, c.at(1) >> 1 & 7);
            write(out, format_args!("lbaf={lbaf}, mset={mset}, pi={pi}, pil={pil}, ses={ses}"));
        }
        0x86 => write(
            out,
            format_args!(
                "slba=0x{:x}, mndw=0x{:x}, rl=0x{:x}, atype={}",
                c.u64(0),
                c.u32(8),
                c.u16(12),
                c.at(15)
            ),
        ),
        _ => other(out, "cdw10", &c),
    }
}

/// Commands of input and output: `enum nvme_opcode`.
fn nvm(arguments: &[Value], memory: &Memory<'_>, out: &mut Vec<u8>) {
    let Some((opcode, c)) = command(arguments, memory, out) else { return };
    match opcode {
        // write, read, write zeroes, zone append
        0x01 | 0x02 | 0x08 | 0x7d => write(
            out,
            format_args!(
                "slba={}, len={}, ctrl=0x{:x}, dsmgmt={}, reftag={}",
                c.u64(0),
                c.u16(8),
                c.u16(10),
                c.u32(12),
                c.u32(16)
            ),
        ),
        0x09 => write(out, format_args!("nr={}, attributes={}", c.u32(0), c.u32(4))),
        0x79 => {
            let name = match c.at(12) {
                0x01 => "close zone",
                0x02 => "finish zone",
                0x03 => "open zone",
                0x04 => "reset zone",
                0x05 => "offline zone",
                0x10 => "set zone descriptor extension",
                _ => "reserved",
            };
            write(out, format_args!("slba={}, zsa={}:{name}, all={}", c.u64(0), c.at(12), c.at(13)));
        }
        0x7a => {
            let name = match c.at(13) {
                0x00 => "list all zones",
                0x01 => "list the zones in the ZSE: Empty state",
                0x02 => "list the zones in the ZSIO: Implicitly Opened state",
                0x03 => "list the zones in the ZSEO: Explicitly Opened state",
                0x04 => "list the zones in the ZSC: Closed state",
                0x05 => "list the zones in the ZSF: Full state",
                0x06 => "list the zones in the ZSRO: Read Only state",
                0x07 => "list the zones in the ZSO: Offline state",
                0x09 => "list the zones that have the zone attribute",
                _ => "reserved",
            };
            let (slba, numd) = (c.u64(0), c.u32(8));
            let (zra, zrasf, pr) = (c.at(12), c.at(13), c.at(14));
            write(out, format_args!("slba={slba}, numd={numd}, zra={zra}, zrasf={zrasf}:{name}, pr={pr}"));
        }
        0x0d => {
            let (rrega, iekey, ptpl) = (c.at(0) & 7, c.at(0) >> 3 & 1, c.at(3) >> 6 & 3);
            write(out, format_args!("rrega={rrega}, iekey={iekey}, ptpl={ptpl}"));
        }
        0x0e => write(out, format_args!("numd={}, eds={}", c.u32(0), c.at(4) & 1)),
        0x11 => {
            write(out, format_args!("racqa={}, iekey={}, rtype={}", c.at(0) & 7, c.at(0) >> 3 & 1, c.at(1)))
        }
        0x15 => {
            write(out, format_args!("rrela={}, iekey={}, rtype={}", c.at(0) & 7, c.at(0) >> 3 & 1, c.at(1)))
        }
        _ => other(out, "cdw10", &c),
    }
}

/// Commands over a network: `enum nvmf_capsule_command`.
fn fabrics(arguments: &[Value], memory: &Memory<'_>, out: &mut Vec<u8>) {
    let Some((kind, c)) = command(arguments, memory, out) else { return };
    match kind {
        0x00 => write(out, format_args!("attrib={}, ofst=0x{:x}, value=0x{:x}", c.at(0), c.u32(4), c.u64(8))),
        0x01 => write(
            out,
            format_args!(
                "recfmt={}, qid={}, sqsize={}, cattr={}, kato={}",
                c.u16(0),
                c.u16(2),
                c.u16(4),
                c.at(6),
                c.u32(8)
            ),
        ),
        0x04 => write(out, format_args!("attrib={}, ofst=0x{:x}", c.at(0), c.u32(4))),
        0x05 | 0x06 => {
            let length = if kind == 0x05 { "tl" } else { "al" };
            let (first, second, protocol) = (c.at(1), c.at(2), c.at(3));
            write(
                out,
                format_args!(
                    "spsp0={first:02x}, spsp1={second:02x}, secp={protocol:02x}, {length}={}",
                    c.u32(4)
                ),
            );
        }
        _ => other(out, "specific", &c),
    }
}
