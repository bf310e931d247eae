//! Lines that wait for the next record: a call is shown in one line with its return if that comes next, and a line of the
//! latency format says how far away the next record is.
//!
//! For calls, the kernel looks at the next record of the same CPU, trace-cmd at the next one of the buffer. Lines behind one
//! that waits are held with it. At most [`MOST`] bytes are held: the oldest call is then shown as one that others follow.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use tracec_kernel::text::{Call, Returned, Style};

use super::super::SinkError;
use super::super::lines::Lines;

/// The number of bytes of lines that are held.
const MOST: usize = 16 << 20;

/// The number of lines whose memory is used again.
const SPARE: usize = 64;

/// A call whose line waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) call: Call,
    /// The task and the CPU that called.
    pub(super) task: i32,
    pub(super) cpu: u32,
    /// The number of bytes behind the function that say what called it.
    pub(super) caller: usize,
}

#[derive(Debug)]
struct Held {
    /// A whole line without its end; for a call that waits, its part in front of the columns, and the name.
    text: Vec<u8>,
    /// The call, and the offset of the name.
    waiting: Option<(Waiting, usize)>,
    /// The offset at which a text is missing.
    gap: Option<usize>,
}

impl Held {
    fn is_complete(&self) -> bool {
        self.waiting.is_none() && self.gap.is_none()
    }
}

/// Lines, of which those of calls may wait for the next record of a `K`.
pub(super) struct CallLines<K> {
    lines: Lines,
    /// The offset of the line that is written, in those that were not sent.
    from: usize,
    style: Style,
    /// The offset of the gap of the line that is written.
    gap: Option<usize>,
    held: VecDeque<Held>,
    /// The number of held bytes.
    bytes: usize,
    /// The lines that wait, counted from the first line that was ever held, and the number of the first that still is.
    open: FxHashMap<K, u64>,
    first: u64,
    /// Texts of lines that were written, for their memory.
    spare: Vec<Vec<u8>>,
    /// The columns of the line that is completed.
    columns: Vec<u8>,
}

impl<K: Copy + Eq + Hash> CallLines<K> {
    pub(super) fn new(lines: Lines, style: Style) -> Self {
        let (held, open) = (VecDeque::new(), FxHashMap::default());
        let (spare, columns) = (Vec::new(), Vec::new());
        CallLines { lines, from: 0, style, gap: None, held, bytes: 0, open, first: 0, spare, columns }
    }

    /// Returns the buffer to append a line to.
    pub(super) fn line(&mut self) -> &mut Vec<u8> {
        self.lines.line()
    }

    /// Ends a line.
    pub(super) fn end_line(&mut self) -> Result<(), SinkError> {
        match self.held.is_empty() && self.gap.is_none() {
            true => self.written(),
            false => self.push(None),
        }
    }

    /// Leaves a gap at the end of what is written of the line. The line waits until it is [filled](Self::fill).
    pub(super) fn leave_gap(&mut self) {
        self.gap = Some(self.lines.line().len().saturating_sub(self.from));
    }

    /// Fills the gap of the last line that has one.
    pub(super) fn fill(&mut self, text: &[u8]) -> Result<(), SinkError> {
        let Some(held) = self.held.iter_mut().rev().find(|held| held.gap.is_some()) else { return Ok(()) };
        if let Some(gap) = held.gap.take() {
            let gap = gap.min(held.text.len());
            held.text.splice(gap..gap, text.iter().copied());
            self.bytes += text.len();
            if let Some((_, name)) = held.waiting.as_mut().filter(|(_, name)| *name >= gap) {
                *name += text.len();
            }
        }
        self.release()
    }

    /// Ends a line that waits for the next record of a key. It has the part in front of the columns; behind `name`, an
    /// offset in what [`line`](Self::line) returns, it has the name of the function.
    pub(super) fn end_waiting(&mut self, key: K, waiting: Waiting, name: usize) -> Result<(), SinkError> {
        self.open.insert(key, self.first + self.held.len() as u64);
        self.push(Some((waiting, name.saturating_sub(self.from))))
    }

    /// Returns the call that waits for the next record of a key.
    pub(super) fn waiting(&self, key: K) -> Option<&Waiting> {
        if self.open.is_empty() {
            return None;
        }
        let index = self.open.get(&key)?.checked_sub(self.first)?;
        let held = self.held.get(usize::try_from(index).ok()?)?;
        held.waiting.as_ref().map(|(waiting, _)| waiting)
    }

    /// Completes the line that waits for the next record of a key: that is its return, or another one.
    pub(super) fn complete(&mut self, key: K, returned: Option<&Returned>) -> Result<(), SinkError> {
        let Some(number) = self.open.remove(&key) else { return Ok(()) };
        self.complete_line(number, returned);
        self.release()
    }

    /// Completes all lines: no record follows.
    pub(super) fn complete_all(&mut self) -> Result<(), SinkError> {
        let numbers: Vec<u64> = self.open.drain().map(|(_, number)| number).collect();
        numbers.into_iter().for_each(|number| self.complete_line(number, None));
        self.release()
    }

    pub(super) fn flush(&mut self) -> Result<(), SinkError> {
        self.complete_all()?;
        self.lines.flush()?;
        self.from = self.lines.line().len();
        Ok(())
    }

    fn written(&mut self) -> Result<(), SinkError> {
        self.lines.end_line()?;
        self.from = self.lines.line().len();
        Ok(())
    }

    /// Moves the line that was written to those that are held.
    fn push(&mut self, waiting: Option<(Waiting, usize)>) -> Result<(), SinkError> {
        let mut text = self.spare.pop().unwrap_or_default();
        let line = self.lines.line();
        text.extend(line.drain(self.from.min(line.len())..));
        self.bytes += text.len();
        self.held.push_back(Held { text, waiting, gap: self.gap.take() });
        while self.bytes > MOST {
            let first = self.first;
            self.open.retain(|_, number| *number != first);
            self.complete_line(first, None);
            if let Some(held) = self.held.front_mut() {
                held.gap = None;
            }
            self.release()?;
        }
        Ok(())
    }

    fn complete_line(&mut self, number: u64, returned: Option<&Returned>) {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        let Some(held) = index.and_then(|index| self.held.get_mut(index)) else { return };
        let Some((Waiting { call, caller, .. }, name)) = held.waiting.take() else { return };
        let (head, function) = held.text.split_at(name.min(held.text.len()));
        let (function, caller) = function.split_at(function.len().saturating_sub(caller));
        let (before, head) = (held.text.len(), head.len());
        self.columns.clear();
        let push_name = |out: &mut Vec<u8>| out.extend_from_slice(function);
        match returned {
            Some(returned) => call.push_leaf(self.style, &push_name, caller, returned, &mut self.columns),
            None => call.push_open(self.style, &push_name, caller, &mut self.columns),
        }
        held.text.truncate(head);
        held.text.extend_from_slice(&self.columns);
        self.bytes += held.text.len().saturating_sub(before);
    }

    /// Writes the lines in front of the first that waits.
    fn release(&mut self) -> Result<(), SinkError> {
        while let Some(held) = self.held.pop_front_if(|held| held.is_complete()) {
            self.first += 1;
            self.bytes = self.bytes.saturating_sub(held.text.len());
            self.lines.line().extend_from_slice(&held.text);
            if self.spare.len() < SPARE {
                let Held { mut text, .. } = held;
                text.clear();
                self.spare.push(text);
            }
            self.written()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Shared;
    use super::*;

    const RETURNED: Returned = Returned { duration: 5, overrun: 0, value: None, is_new: true };

    fn lines() -> (CallLines<u32>, Shared) {
        let shared = Shared::default();
        (CallLines::new(Lines::new(Box::new(shared.clone())), Style::TRACE_CMD_3_1), shared)
    }

    fn call(lines: &mut CallLines<u32>, key: u32, name: &str) {
        lines.line().extend_from_slice(format!("{key}:").as_bytes());
        let at = lines.line().len();
        lines.line().extend_from_slice(format!("{name}()").as_bytes());
        let call = Call { function: 1, depth: 0, returned: None };
        lines.end_waiting(key, Waiting { call, task: 1, cpu: key, caller: 0 }, at).unwrap();
    }

    fn other(lines: &mut CallLines<u32>, text: &str) {
        lines.line().extend_from_slice(text.as_bytes());
        lines.end_line().unwrap();
    }

    #[test]
    fn lines_keep_their_order_behind_those_that_wait() {
        let (mut lines, shared) = lines();
        other(&mut lines, "before");
        call(&mut lines, 1, "a");
        other(&mut lines, "between");
        call(&mut lines, 2, "b");
        lines.complete(2, None).unwrap();
        call(&mut lines, 2, "c");
        assert!(lines.waiting(1).is_some() && lines.waiting(3).is_none());
        lines.complete(1, Some(&RETURNED)).unwrap();
        assert!(lines.waiting(1).is_none() && lines.waiting(2).is_some());
        lines.flush().unwrap();
        other(&mut lines, "behind");
        lines.flush().unwrap();
        let open = "             |  ";
        assert_eq!(
            shared.text(),
            format!("before\n1:  0.005 us   |  a();\nbetween\n2:{open}b() {{\n2:{open}c() {{\nbehind\n")
        );
    }

    #[test]
    fn gap_of_a_line_is_filled_behind_it() {
        let (mut lines, shared) = lines();
        lines.line().extend_from_slice(b"a");
        lines.leave_gap();
        other(&mut lines, "b");
        lines.fill(b"-").unwrap();
        lines.fill(b"not twice").unwrap();
        // A call waits for its return, too.
        lines.line().extend_from_slice(b"c");
        lines.leave_gap();
        call(&mut lines, 1, "d");
        lines.fill(b"+").unwrap();
        lines.complete(1, Some(&RETURNED)).unwrap();
        lines.flush().unwrap();
        assert_eq!(shared.text(), "a-b\nc+1:  0.005 us   |  d();\n");
    }

    #[test]
    fn oldest_call_is_completed_where_too_much_would_be_held() {
        let (mut lines, _shared) = lines();
        call(&mut lines, 1, "a");
        call(&mut lines, 2, "b");
        let long = "x".repeat(1 << 20);
        for _ in 0..40 {
            other(&mut lines, &long);
            assert!(lines.bytes <= MOST);
        }
        assert!(lines.waiting(1).is_none() && lines.waiting(2).is_none());
        assert_eq!((lines.bytes, lines.held.len(), lines.open.len()), (0, 0, 0));
    }
}
