//! Requests to block devices: `print_one_line` (kernel/trace/blktrace.c) of the tracer blk.
//!
//! With the option `blk_classic` the kernel writes the CPU, the time and the thread of a request between its device and its
//! action, and no context in front.

use super::super::number::push_hex_byte;
use super::super::print::shown;
use super::Kind;
use super::view::View;
use crate::append::{push_decimal, push_hex};
use crate::bytes::ByteOrder;

pub(super) const ALL: &[Kind] = &[Kind {
    name: "blktrace",
    fields: &["common_pid", "sector", "bytes", "action", "device", "error", "pdu_len", "data"],
    optional: &[],
    print: push,
}];

/// Returns whether these are the records of requests.
pub(super) fn is_request(kind: &Kind) -> bool {
    ALL.iter().any(|of_disk| of_disk.name == kind.name)
}

/// The categories of an action (include/uapi/linux/blktrace_api.h), which are in its upper half.
mod category {
    pub(super) const WRITE: u64 = 1 << 1;
    pub(super) const FLUSH: u64 = 1 << 2;
    pub(super) const SYNC: u64 = 1 << 3;
    pub(super) const PASS_THROUGH: u64 = 1 << 9;
    pub(super) const NOTIFY: u64 = 1 << 10;
    pub(super) const AHEAD: u64 = 1 << 11;
    pub(super) const META: u64 = 1 << 12;
    pub(super) const DISCARD: u64 = 1 << 13;
    pub(super) const FUA: u64 = 1 << 15;
}

/// The action of a message: `BLK_TN_MESSAGE`.
const MESSAGE: u64 = category::NOTIFY << 16 | 2;
/// The bit of an action whose data begins with the id of a cgroup.
const OF_CGROUP: u64 = 1 << 8;

/// What an action shows behind its letters.
#[derive(Clone, Copy)]
enum Shown {
    Request,
    Result,
    Task,
    /// The task and the number of requests.
    Unplugged,
    Split,
    Remapped,
}

/// The actions by their numbers, from 1 on: the letters of each, and its name.
const ACTIONS: &[([&str; 2], Shown)] = &[
    (["Q", "queue"], Shown::Request),
    (["M", "backmerge"], Shown::Request),
    (["F", "frontmerge"], Shown::Request),
    (["G", "getrq"], Shown::Request),
    (["S", "sleeprq"], Shown::Request),
    (["R", "requeue"], Shown::Result),
    (["D", "issue"], Shown::Request),
    (["C", "complete"], Shown::Result),
    (["P", "plug"], Shown::Task),
    (["U", "unplug_io"], Shown::Unplugged),
    (["UT", "unplug_timer"], Shown::Unplugged),
    (["I", "insert"], Shown::Request),
    (["X", "split"], Shown::Split),
    (["B", "bounce"], Shown::Request),
    (["A", "remap"], Shown::Remapped),
];

/// A record.
struct Request<'v, 'a> {
    view: &'v View<'a>,
    sector: u64,
    sectors: u64,
    bytes: u64,
    categories: u64,
    /// What the driver or the block layer added, without the id of a cgroup.
    data: &'a [u8],
}

fn push(view: &View<'_>, out: &mut Vec<u8>) {
    let (action, device) = (view.uint(3), view.uint(4));
    let tail = view.tail(7);
    let data = tail.get(..view.uint(6) as usize).unwrap_or(tail);
    let cgroup = (action & OF_CGROUP != 0).then(|| view.order.uint(data, 0, 8)).flatten();
    let data = if cgroup.is_some() { data.get(8..).unwrap_or_default() } else { data };
    let (sector, bytes, categories) = (view.uint(1), view.uint(2), action >> 16);
    let request = Request { view, sector, sectors: bytes >> 9, bytes, categories, data };
    let head = |out: &mut Vec<u8>, names: [&str; 2], flags: &str| {
        shown(out, format_args!("{:>3},{:<3} ", device >> 20, device & 0xf_ffff));
        if view.style.classic_requests {
            if let Some(time) = view.time {
                time(out, 0);
            }
            shown(out, format_args!(" {:>5} ", view.int(0)));
        } else if let Some(id) = cgroup {
            push_hex(out, id & u64::from(u32::MAX));
            out.push(b',');
            push_hex(out, id >> 32);
            out.push(b' ');
        }
        let [letters, name] = names;
        let action = if view.style.named_actions { name } else { letters };
        shown(out, format_args!("{action:>2} {flags:>3} "));
    };
    if action & !OF_CGROUP == MESSAGE {
        head(out, ["m", "message"], "N");
        return view.push_text(out, request.data);
    }
    let number = action & 0xffff & !OF_CGROUP;
    let known = usize::try_from(number).ok().and_then(|number| ACTIONS.get(number.checked_sub(1)?));
    let Some((names, what)) = known else {
        return shown(out, format_args!("Unknown action {number:x}"));
    };
    head(out, *names, &request.flags());
    match what {
        Shown::Request => request.push_request(out),
        Shown::Result => request.push_result(out),
        Shown::Task => request.push_task(out),
        Shown::Unplugged => {
            request.push_task(out);
            shown(out, format_args!(" {}", request.big_endian(0, 8)));
        }
        Shown::Split => {
            shown(out, format_args!("{} / {} ", request.sector, request.big_endian(0, 8)));
            request.push_task(out);
        }
        Shown::Remapped => {
            let (device, from) = (request.big_endian(0, 4), request.big_endian(8, 8));
            request.push_sectors(out);
            shown(out, format_args!(" <- ({},{}) {from}", device >> 20, device & 0xf_ffff));
        }
    }
}

impl Request<'_, '_> {
    /// Returns the letters of the categories: `fill_rwbs`.
    fn flags(&self) -> String {
        let has = |category: u64| self.categories & category != 0;
        let direction = match () {
            () if has(category::DISCARD) => 'D',
            () if has(category::WRITE) => 'W',
            () if self.bytes != 0 => 'R',
            () => 'N',
        };
        let mut flags = String::new();
        flags.extend(has(category::FLUSH).then_some('F'));
        flags.push(direction);
        for (category, letter) in
            [(category::FUA, 'F'), (category::AHEAD, 'A'), (category::SYNC, 'S'), (category::META, 'M')]
        {
            flags.extend(has(category).then_some(letter));
        }
        flags
    }

    fn push_request(&self, out: &mut Vec<u8>) {
        if self.categories & category::PASS_THROUGH != 0 {
            push_decimal(out, self.bytes);
            out.push(b' ');
            self.push_data(out);
        } else if self.sectors != 0 {
            self.push_sectors(out);
            out.push(b' ');
        }
        self.push_task(out);
    }

    fn push_result(&self, out: &mut Vec<u8>) {
        match (self.categories & category::PASS_THROUGH != 0, self.sectors) {
            (true, _) => self.push_data(out),
            (false, 0) => shown(out, format_args!("{} ", self.sector)),
            (false, _) => {
                self.push_sectors(out);
                out.push(b' ');
            }
        }
        shown(out, format_args!("[{}]", self.view.uint(5)));
    }

    fn push_sectors(&self, out: &mut Vec<u8>) {
        shown(out, format_args!("{} + {}", self.sector, self.sectors));
    }

    fn push_task(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        self.view.push_text(out, self.view.task(self.view.int(0)));
        out.push(b']');
    }

    /// Appends the bytes of a command up to the last that is not zero: `blk_log_dump_pdu`.
    fn push_data(&self, out: &mut Vec<u8>) {
        let Some(last) = self.data.len().checked_sub(1) else { return };
        let end = self.data.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
        out.push(b'(');
        for (index, byte) in self.data.iter().enumerate() {
            if index > 0 {
                out.push(b' ');
            }
            push_hex_byte(out, *byte);
            if index == end && end != last {
                return out.extend_from_slice(b" ..) ");
            }
        }
        out.extend_from_slice(b") ");
    }

    /// Returns a number of the data, which is big endian on every machine.
    fn big_endian(&self, offset: usize, size: usize) -> u64 {
        ByteOrder::little_if(false).uint(self.data, offset, size).unwrap_or(0)
    }
}
