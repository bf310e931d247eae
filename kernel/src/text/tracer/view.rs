//! A record of a tracer as its text sees it: fields by their position in the list of its kind, and symbols.

use super::super::environment::{Environment, Symbol};
use super::super::number::push_hex_padded;
use super::super::print::escaped;
use super::super::style::Style;
use crate::append::push_hex;
use crate::bytes::{ByteOrder, sign_extend};
use crate::format::Field;
use crate::record::until_nul;

/// The function to which others return that a return probe waits for (`kretprobed`, kernel/trace/trace_output.c).
const TRAMPOLINE: &str = "arch_rethook_trampoline";

/// The place of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    offset: u32,
    size: u32,
}

impl Place {
    pub(super) fn of(field: &Field) -> Self {
        Place { offset: field.offset, size: field.size }
    }
}

/// Appends the time so long before the record.
pub(in super::super) type Time<'t> = &'t dyn Fn(&mut Vec<u8>, u64);

/// A record.
pub(super) struct View<'a> {
    pub(super) places: &'a [Option<Place>],
    pub(super) record: &'a [u8],
    pub(super) order: ByteOrder,
    pub(super) style: Style,
    pub(super) environment: &'a dyn Environment,
    /// Whether strings of the record are escaped.
    pub(super) escape: bool,
    /// The time of the record, where it is known.
    pub(super) time: Option<Time<'a>>,
}

impl<'a> View<'a> {
    /// Returns a number; 0 if the record ends before it.
    pub(super) fn uint(&self, field: usize) -> u64 {
        self.optional(field).unwrap_or(0)
    }

    /// Returns a number; `None` if the kernel's record does not have it, or if the record ends before it.
    pub(super) fn optional(&self, field: usize) -> Option<u64> {
        let place = self.place(field)?;
        self.order.uint(self.record, place.offset as usize, place.size as usize)
    }

    /// Returns a number with its sign.
    pub(super) fn int(&self, field: usize) -> i64 {
        let size = self.place(field).map_or(8, |place| place.size as usize);
        sign_extend(self.uint(field), size)
    }

    /// Returns the bytes from a field on to the end of the record.
    pub(super) fn tail(&self, field: usize) -> &'a [u8] {
        let offset = self.place(field).map(|place| place.offset as usize);
        offset.and_then(|offset| self.record.get(offset..)).unwrap_or_default()
    }

    /// Returns the string of an array of characters.
    pub(super) fn text(&self, field: usize) -> &'a [u8] {
        let size = self.place(field).map_or(0, |place| place.size as usize);
        let tail = self.tail(field);
        until_nul(if size == 0 { tail } else { tail.get(..size).unwrap_or(tail) })
    }

    fn place(&self, field: usize) -> Option<Place> {
        self.places.get(field).copied().flatten()
    }

    /// Appends a string of the record.
    pub(super) fn push_text(&self, out: &mut Vec<u8>, text: &[u8]) {
        if self.escape { escaped(out, text) } else { out.extend_from_slice(text) }
    }

    /// Appends a function: `seq_print_ip_sym` (kernel/trace/trace_output.c).
    pub(super) fn push_function(&self, out: &mut Vec<u8>, address: u64) {
        self.push_symbol(out, address, self.style.symbol_offsets);
    }

    /// Appends a function with or without its offset. Without, the kernel leaves out the module, too.
    pub(super) fn push_symbol(&self, out: &mut Vec<u8>, address: u64, offset: bool) {
        if address == 0 {
            return out.push(b'0');
        }
        match self.environment.symbol(address) {
            Some(symbol) if symbol.name == TRAMPOLINE && symbol.offset == 0 => {
                out.extend_from_slice(b"[unknown/kretprobe'd]");
            }
            Some(symbol) if !offset => out.extend_from_slice(symbol.name.as_bytes()),
            None if !offset => {
                out.extend_from_slice(b"0x");
                push_hex_padded(out, address, 8);
            }
            symbol => self.push_found(out, address, symbol, offset),
        }
        if self.style.symbol_addresses {
            self.push_address(out, address);
        }
    }

    /// Appends the symbol of an address as `%ps` does, or as `%pS` with its offset.
    pub(super) fn push_found(
        &self,
        out: &mut Vec<u8>,
        address: u64,
        symbol: Option<Symbol<'_>>,
        offset: bool,
    ) {
        match symbol {
            Some(symbol) => {
                out.extend_from_slice(symbol.name.as_bytes());
                if offset {
                    out.extend_from_slice(b"+0x");
                    push_hex(out, symbol.offset);
                    out.extend_from_slice(b"/0x");
                    push_hex(out, symbol.size);
                }
                if let Some(module) = symbol.module {
                    out.extend_from_slice(b" [");
                    out.extend_from_slice(module.as_bytes());
                    out.push(b']');
                }
            }
            None => {
                out.extend_from_slice(b"0x");
                push_hex(out, address);
            }
        }
    }

    /// Appends an address as `sym-addr` shows it.
    pub(super) fn push_address(&self, out: &mut Vec<u8>, address: u64) {
        out.extend_from_slice(b" <");
        push_hex_padded(out, address, 16);
        out.push(b'>');
    }

    /// Returns the name of a task; `<...>` if it is not known.
    pub(super) fn task(&self, pid: i64) -> &'a [u8] {
        match pid {
            0 => b"<idle>",
            pid => i32::try_from(pid).ok().and_then(|pid| self.environment.task(pid)).unwrap_or(b"<...>"),
        }
    }
}
