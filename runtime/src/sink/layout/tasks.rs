//! The names and numbers of tasks as a layout writes them. A task has many records, and few tasks run at a time.

use tracec_kernel::append::push_short;

use super::super::lines::{push_padded_right, push_right};

/// The width to which names are right-aligned.
const COMM_WIDTH: usize = 16;
/// The number of tasks that are remembered, a power of two.
const TASKS: usize = 64;

/// The last tasks.
#[derive(Debug)]
pub(super) struct Tasks {
    pid_width: usize,
    written: Vec<Written>,
}

#[derive(Clone, Debug, Default)]
struct Written {
    pid: i32,
    comm: Vec<u8>,
    /// What is written for it. Empty where there was no task yet.
    text: Vec<u8>,
}

impl Tasks {
    /// Pids are left-aligned to a width.
    pub(super) fn new(pid_width: usize) -> Self {
        Tasks { pid_width, written: vec![Written::default(); TASKS] }
    }

    /// Appends `COMM-PID ` to a line.
    pub(super) fn push(&mut self, line: &mut Vec<u8>, comm: &[u8], pid: i32) {
        let Some(written) = self.written.get_mut(pid as usize % TASKS) else { return };
        if written.pid != pid || written.comm != comm || written.text.is_empty() {
            written.pid = pid;
            written.comm.clear();
            written.comm.extend_from_slice(comm);
            written.text.clear();
            push_right(&mut written.text, comm, COMM_WIDTH);
            written.text.push(b'-');
            push_padded_right(&mut written.text, pid, self.pid_width);
            written.text.push(b' ');
        }
        push_short(line, &written.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_is_written_with_its_present_name() {
        let mut tasks = Tasks::new(5);
        let mut line = Vec::new();
        for (comm, pid) in
            [("a", 1), ("a", 1), ("b", 1), ("b", 1 + TASKS as i32), ("b", 1), ("", 0), ("\n", -3)]
        {
            line.clear();
            tasks.push(&mut line, comm.as_bytes(), pid);
            // The width is that of the name without escapes.
            let (blanks, comm) = (" ".repeat(16 - comm.len()), comm.replace('\n', "\\x0a"));
            assert_eq!(String::from_utf8_lossy(&line), format!("{blanks}{comm}-{pid:<5} "));
        }
    }
}
