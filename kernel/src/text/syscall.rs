//! System calls as the kernel's `trace` shows them: `print_syscall_enter`, `print_syscall_exit` in
//! kernel/trace/trace_syscalls.c, which do not use their `print fmt`.

use super::compile::Compiler;
use super::environment::Environment;
use super::program::{NumberStyle, Op, Program, Small};
use super::style::Dialect;
use super::types::Type;
use crate::c::Tree;
use crate::format::EventFormat;

/// Returns the program of an event of a system call: `sys_openat(dfd: 0xffffff9c, filename: 0x7f0012345678)`, or
/// `sys_openat -> 0x3`. `None` for every other event.
pub(super) fn program(format: &EventFormat, environment: &dyn Environment) -> Option<Program> {
    if format.system != "syscalls" || !is_of_kernel(format) {
        return None;
    }
    let tree = Tree::default();
    let mut compiler = Compiler::new(format, &tree, environment, Dialect::Kernel);
    if let Some(call) = format.name.strip_prefix("sys_enter_") {
        let style =
            if marks_hexadecimal(environment) { NumberStyle::Marked } else { NumberStyle::Hexadecimal };
        compiler.literal(format!("sys_{call}(").as_bytes());
        let arguments = format.own_fields().iter().filter(|field| field.name != "__syscall_nr");
        // Newer kernels append what an address of the task led to, as fields of their own kinds.
        let arguments =
            arguments.filter(|field| field.size == 8 && !field.type_text.starts_with("__data_loc"));
        for (index, field) in arguments.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            compiler.literal(format!("{comma}{}: ", field.name).as_bytes());
            let small = Type::of_field(field).integer().into();
            number(&mut compiler, field.offset, small, style);
        }
        compiler.literal(b")");
    } else {
        let call = format.name.strip_prefix("sys_exit_")?;
        let ret = format.field("ret")?;
        compiler.literal(format!("sys_{call} -> 0x").as_bytes());
        number(&mut compiler, ret.offset, Type::of_field(ret).integer().into(), NumberStyle::Hexadecimal);
    }
    compiler.finish().ok()
}

/// Returns whether the `print fmt` is the one that the kernel gives every system call (`__set_enter_print_fmt` in
/// kernel/trace/trace_syscalls.c), and not that of a session, which takes its place.
fn is_of_kernel(format: &EventFormat) -> bool {
    let print_fmt = format.print_fmt.trim_end();
    // That of a call without arguments is an empty text.
    matches!(print_fmt, "" | "\"\"")
        || print_fmt.contains("((unsigned long)(REC->")
        || print_fmt == "\"0x%lx\", REC->ret"
}

/// Returns whether the kernel writes `0x` before arguments that need it: from 6.18 on.
fn marks_hexadecimal(environment: &dyn Environment) -> bool {
    environment.release().is_none_or(|release| release >= (6, 18))
}

/// Appends the number in a field.
fn number(compiler: &mut Compiler<'_>, offset: u32, field: Small, style: NumberStyle) {
    compiler.emit(Op::Field { offset, integer: field });
    compiler.emit(Op::Print { style, integer: Small { bytes: 8, signed: false } });
}

#[cfg(test)]
mod tests {
    use super::super::{Nothing, Text};
    use crate::format::EventFormat;

    fn shown(print_fmt: &str) -> String {
        let text = format!(
            "name: sys_enter_getppid\nID: 7\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
             \tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: {print_fmt}\n"
        );
        let format = EventFormat::parse("syscalls", &text).unwrap();
        let mut out = Vec::new();
        Text::compile(&format, &Nothing).unwrap().render(&[0; 12], &Nothing, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_of_a_session_takes_the_place_of_the_kernels_also_without_a_field() {
        assert_eq!(shown("\"\""), "sys_getppid()");
        assert_eq!(shown("\"hello\", "), "hello");
        assert_eq!(shown("\"%d\", REC->__syscall_nr"), "0");
    }
}
