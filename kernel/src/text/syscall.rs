//! System calls as the kernel's `trace` shows them: `print_syscall_enter`, `print_syscall_exit` in
//! kernel/trace/trace_syscalls.c, which do not use their `print fmt`.

use super::compile::Compiler;
use super::environment::Environment;
use super::program::{NumberFormat, Op, Padding, Program, Small};
use super::types::Type;
use crate::c::Tree;
use crate::format::EventFormat;

/// Returns the program of an event of a system call: `sys_openat(dfd: ffffff9c, filename: 7f0012345678)`, or
/// `sys_openat -> 0x3`. `None` for every other event.
pub(super) fn program(format: &EventFormat, environment: &dyn Environment) -> Option<Program> {
    if format.system != "syscalls" {
        return None;
    }
    let tree = Tree::default();
    let mut compiler = Compiler::new(format, &tree, environment);
    if let Some(call) = format.name.strip_prefix("sys_enter_") {
        compiler.literal(format!("sys_{call}(").as_bytes());
        let arguments = format.own_fields().iter().filter(|field| field.name != "__syscall_nr");
        // Newer kernels append what an address of the task led to, as fields of their own kinds.
        let arguments =
            arguments.filter(|field| field.size == 8 && !field.type_text.starts_with("__data_loc"));
        for (index, field) in arguments.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            compiler.literal(format!("{comma}{}: ", field.name).as_bytes());
            number(&mut compiler, field.offset, Type::of_field(field).integer().into());
        }
        compiler.literal(b")");
    } else {
        let call = format.name.strip_prefix("sys_exit_")?;
        let ret = format.field("ret")?;
        compiler.literal(format!("sys_{call} -> 0x").as_bytes());
        number(&mut compiler, ret.offset, Type::of_field(ret).integer().into());
    }
    compiler.finish().ok()
}

fn number(compiler: &mut Compiler<'_>, offset: u32, field: Small) {
    let padding = Padding { width: -1, precision: -1, left: false, zero: false };
    let format = NumberFormat {
        base: 16,
        signed: false,
        upper: false,
        alternate: false,
        plus: false,
        space: false,
        padding,
    };
    let format = compiler.add_number(format);
    let integer = Small { bytes: 8, signed: false };
    compiler.emit(Op::PrintField { offset, field, format, integer });
}
