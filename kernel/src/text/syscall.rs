//! System calls as the kernel's `trace` shows them: `print_syscall_enter`, `print_syscall_exit` in
//! kernel/trace/trace_syscalls.c, which do not use their `print fmt`.

use super::compile::Compiler;
use super::environment::Environment;
use super::program::{NumberStyle, Op, Program, Small};
use super::style::Dialect;
use super::types::Type;
use crate::c::Tree;
use crate::format::{EventFormat, Field};

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
        let arguments = arguments.filter(|field| !field.type_text.starts_with(LOCATED));
        for (index, field) in arguments.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            compiler.literal(format!("{comma}{}: ", field.name).as_bytes());
            let small = Type::of_field(field).integer().into();
            number(&mut compiler, field.offset, small, style);
            pointed_to(&mut compiler, format, &field.name);
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

/// How the type of data begins that lies behind the fields.
const LOCATED: &str = "__data_loc ";

/// Appends what an argument leads to in the memory of the task, where the kernel records it: from 6.19 on, as the field
/// `__NAME_val`. A string is printed as the kernel does. Bytes are marked: how many of them it shows depends on another
/// argument, and no file says on which.
fn pointed_to(compiler: &mut Compiler<'_>, format: &EventFormat, argument: &str) {
    let name = format!("__{argument}_val");
    let is_it = |field: &&Field| field.name == name && field.type_text.starts_with(LOCATED);
    let Some(field) = format.own_fields().iter().find(is_it) else { return };
    if format.print_fmt.contains(&format!("__get_str({name})")) {
        compiler.literal(b" \"");
        // What could not be read is empty, and there may be no byte behind it.
        compiler.emit(Op::Record(field.offset));
        compiler.emit(Op::LocatedLength);
        let end = compiler.jump(Op::JumpIfZero);
        compiler.emit(Op::PrintLocated { word: field.offset, relative: false });
        compiler.land(end);
        compiler.literal(b"\"");
    } else {
        compiler.literal(b" ?");
    }
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

    /// Returns the text of a call whose second argument leads to `memory`, which is printed by `print`.
    fn with_memory(print: &str, memory: &[u8]) -> String {
        let text = format!(
            "name: sys_enter_openat\nID: 7\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
             \tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\
             \tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n\
             \tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n\
             \tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n\
             \tfield:__data_loc char[] __filename_val;\toffset:40;\tsize:4;\tsigned:0;\n\n\
             print fmt: \"dfd: 0x%08lx, filename: 0x%08lx \\\"%s\\\", flags: 0x%08lx\", \
             ((unsigned long)(REC->dfd)), ((unsigned long)(REC->filename)), {print}, \
             ((unsigned long)(REC->flags))\n"
        );
        let format = EventFormat::parse("syscalls", &text).unwrap();
        let mut record = vec![0; 16];
        record.extend([3_u64, 0x7ffc_1234, 0x80000].map(u64::to_ne_bytes).concat());
        record.extend(((memory.len() as u32) << 16 | 44).to_ne_bytes());
        record.extend(memory);
        let mut out = Vec::new();
        Text::compile(&format, &Nothing).unwrap().render(&record, &Nothing, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn memory_of_the_task_is_printed_as_a_string_or_marked() {
        assert_eq!(
            with_memory("__get_str(__filename_val)", b"/etc/passwd\0"),
            "sys_openat(dfd: 3, filename: 0x7ffc1234 \"/etc/passwd\", flags: 0x80000)"
        );
        // A page that could not be read leaves nothing.
        assert_eq!(
            with_memory("__get_str(__filename_val)", b""),
            "sys_openat(dfd: 3, filename: 0x7ffc1234 \"\", flags: 0x80000)"
        );
        assert_eq!(
            with_memory("__print_dynamic_array(__filename_val, 1)", b"ab"),
            "sys_openat(dfd: 3, filename: 0x7ffc1234 ?, flags: 0x80000)"
        );
    }

    #[test]
    fn text_of_a_session_takes_the_place_of_the_kernels_also_without_a_field() {
        assert_eq!(shown("\"\""), "sys_getppid()");
        assert_eq!(shown("\"hello\", "), "hello");
        assert_eq!(shown("\"%d\", REC->__syscall_nr"), "0");
    }
}
