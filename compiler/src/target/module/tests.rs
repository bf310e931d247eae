//! The module of definitions. That it builds, loads and records is tested on kernels: `cargo xtask test modules-6.12`.

use expect_test::expect_file;

use super::super::File;
use super::super::fixture::{Files, built, joined, read};

/// A kernel that declares sets of CPUs by `__cpumask`.
const WITH_CPUMASK: &[(&str, &str)] = &[(
    "events/ipi/ipi_send_cpumask/format",
    "name: ipi_send_cpumask\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
     \tfield:__data_loc cpumask_t cpumask;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\", \n",
)];

fn module(text: &str, kernel: &[(&str, &str)], code: &[File]) -> Result<Vec<(String, String)>, Vec<String>> {
    built("module", text, &Files(kernel), code, None)
}

fn code(name: &str) -> File {
    File { name: name.to_owned(), content: b"int x;\n".to_vec(), executable: false }
}

#[test]
fn module_of_the_example_is_as_recorded() {
    let made = module(&read("../examples/storage.trc"), WITH_CPUMASK, &[]).expect("it is built");
    expect_file!["goldens/storage.txt"].assert_eq(&joined(&made));
}

#[test]
fn every_form_of_an_event_is_as_recorded() {
    let made = module(&read("../tests/modules/forms.trc"), WITH_CPUMASK, &[]).expect("it is built");
    expect_file!["goldens/forms.txt"].assert_eq(&joined(&made));
}

#[test]
fn every_kind_of_field_is_as_recorded() {
    let made = module(&read("src/target/format/goldens/fields.trc"), WITH_CPUMASK, &[]).expect("it is built");
    expect_file!["goldens/fields.txt"].assert_eq(&joined(&made));
}

#[test]
fn set_of_cpus_is_a_bitmask_where_the_kernel_has_no_macro_for_it() {
    let text = "subsystem s; event e { proto (m: *struct cpumask) entry { m: cpumask; } print \"{m}\" }";
    let with = |kernel| joined(&module(text, kernel, &[]).expect("it is built"));
    let (new, old) = (with(WITH_CPUMASK), with(&[]));
    for line in ["__cpumask(m)", "__assign_cpumask(m, cpumask_bits(m));", "__get_cpumask(m)"] {
        assert!(new.contains(line) && !old.contains(line), "{line}");
    }
    for line in [
        "__bitmask(m, nr_cpumask_bits)",
        "__assign_bitmask(m, cpumask_bits(m), nr_cpumask_bits);",
        "__get_bitmask(m)",
    ] {
        assert!(old.contains(line) && !new.contains(line), "{line}");
    }
}

#[test]
fn code_is_a_part_of_the_module() {
    let text = "subsystem a_b; event e { proto (a: int) }";
    let made = module(text, &[], &[code("fire.c"), code("other.c")]).expect("it is built");
    let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a_b_trace.h", "a_b_trace.c", "Kbuild", "fire.c", "other.c"]);
    assert!(made[2].1.contains("\na_b_events-y := a_b_trace.o fire.o other.o\n"), "{}", made[2].1);
}

#[test]
fn code_cannot_replace_a_part_of_the_module() {
    let text = "subsystem s; event e { proto (a: int) }";
    for name in ["s_trace.c", "s_events.c"] {
        let said = module(text, &[], &[code(name)]).expect_err("it is refused");
        assert_eq!(said, [format!("the target `module` makes an object of the name of `{name}` itself")]);
    }
}

/// A kernel before `-funsigned-char`, as its own fields show.
const WITH_SIGNED_CHAR: &[(&str, &str)] = &[(
    "events/task/task_rename/format",
    "name: task_rename\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
     \tfield:char oldcomm[16];\toffset:8;\tsize:16;\tsigned:1;\n\nprint fmt: \"\", \n",
)];

/// What `char` is decides over values as well as over the C, in each target.
#[test]
fn char_is_what_it_is_in_the_kernel() {
    let text = |arguments: &str, rest: &str| {
        format!("subsystem s; event e if (c > 127) {{ proto ({arguments}) entry {{ c: char; {rest} }} }}")
    };
    let divides = text("c: char, a: u64", "r: u64 = a / (c + 1) as u64;");
    let shifts = text("c: char, a: u64", "r: u64 = c < 64 ? a << c : 0;");
    let of_text = text("c: char, t: *char, a: u64", "r: u64 = t[0] < 64 ? a << t[0] : 0;");
    let indexes = "subsystem s; event e { proto (c: char, p: *u8) entry { c: char; m: u8[256] = p; } print \"{m[c]}\" }";
    for (text, operation) in
        [(&*divides, "a / (c + 1) as u64"), (&shifts, "a << c"), (&of_text, "a << t[0]"), (indexes, "m[c]")]
    {
        for target in ["module", "format"] {
            let made = built(target, text, &Files(WITH_CPUMASK), &[], None);
            made.unwrap_or_else(|said| panic!("{operation}: {said:?}"));
            let said = built(target, text, &Files(WITH_SIGNED_CHAR), &[], None).expect_err(operation);
            assert_eq!(said.len(), 1, "{said:?}");
        }
    }
    let plain = text("c: char", "n: int = c;");
    for (kernel, sign, asserted) in [
        (
            WITH_CPUMASK,
            0,
            "static_assert((char)-1 > 0,\n\t      \"built for a kernel whose char is unsigned\");",
        ),
        (
            WITH_SIGNED_CHAR,
            1,
            "static_assert((char)-1 < 0,\n\t      \"built for a kernel whose char is signed\");",
        ),
    ] {
        let header = joined(&module(&plain, kernel, &[]).expect("it is built"));
        assert!(header.contains(asserted), "{header}");
        let format = joined(&built("format", &plain, &Files(kernel), &[], None).expect("it is built"));
        assert!(format.contains(&format!("field:char c;\toffset:8;\tsize:1;\tsigned:{sign};")), "{format}");
    }
    let only_text = "subsystem s; event e { proto (t: *char) entry { t: string; c: char[16] = t; } }";
    assert!(!joined(&module(only_text, &[], &[]).expect("it is built")).contains("static_assert"));
}

#[test]
fn tracepoint_has_as_many_arguments_as_a_header_can_hand_on() {
    let text = |count| {
        let arguments: Vec<String> = (1..=count).map(|n| format!("a{n}: int")).collect();
        format!("subsystem s; event e {{ proto ({}) entry {{ a1: int; }} }}", arguments.join(", "))
    };
    module(&text(12), &[], &[]).expect("it is built");
    let said = module(&text(13), &[], &[]).expect_err("it is refused");
    assert_eq!(said, ["the target `module` does not support a tracepoint with more than 12 arguments"]);
}

#[test]
fn module_has_a_name_that_a_kernel_takes() {
    let text = |length| format!("subsystem {}; event e {{ proto (a: int) }}", "s".repeat(length));
    let made = module(&text(48), &[], &[]).expect("it is built");
    assert!(made[2].1.contains(&format!("obj-m := {}_events.o\n", "s".repeat(48))));
    let said = module(&text(49), &[], &[]).expect_err("it is refused");
    let message = "the target `module` does not support a subsystem with a name of more than 48 characters";
    assert_eq!(said, [message]);
}

/// Only a C compiler knows the size: `format` refuses it, and a module has it.
#[test]
fn struct_of_a_header_is_a_field() {
    let text = "subsystem s; include <linux/blk-mq.h>; \
                event e { proto (rq: *struct request) entry { rq: struct request = *rq; } }";
    let made = joined(&module(text, &[], &[]).expect("it is built"));
    for line in ["__field_struct(struct request, rq)", "__entry->rq = *rq;"] {
        assert!(made.contains(line), "{made}");
    }
    let said = built("format", text, &Files(&[]), &[], None).expect_err("it is refused");
    assert_eq!(said, ["the target `format` does not support `struct request`, whose size a header decides"]);
}

/// Returns the tag of the module of a text.
fn tag(text: &str) -> String {
    let made = module(text, WITH_CPUMASK, &[]).expect("it is built");
    let (_, rest) = made[1].1.split_once("MODULE_INFO(tracec, \"").expect("a tag");
    rest.split_once('"').expect("its end").0.to_owned()
}

#[test]
fn tag_follows_the_tracepoints_and_nothing_else() {
    let text = "subsystem s; event e if (a > 1) { proto (a: int, p: *char) entry { a: int; } print \"{a}\" }";
    let tag_of_text = tag(text);
    assert_eq!(tag(&text.replace("event e", "/// About it.\nevent  e")), tag_of_text);
    for (from, to) in
        [("a > 1", "a > 2"), ("event e", "event f"), ("subsystem s", "subsystem t"), ("{a}", "{a:x}")]
    {
        assert_ne!(tag(&text.replacen(from, to, 1)), tag_of_text, "{to}");
    }
}

#[test]
fn array_of_structs_is_refused() {
    let text = "subsystem s; event e { proto (p: *void) entry { s: struct in6_addr[2] = p; } }";
    let said = module(text, &[], &[]).expect_err("it is refused");
    let message = "the target `module` does not support an array of `struct in6_addr`, which TRACE_EVENT cannot declare";
    assert_eq!(said, [message]);
}

/// A text in the definitions cannot end a comment, a literal or a macro.
#[test]
fn texts_stay_where_they_are() {
    let text = r#"subsystem s;
        /// */ int evil; /*
        event e { proto (a: int) entry { a: int; } print "\" ) {a} %" }"#;
    let made = joined(&module(text, &[], &[]).expect("it is built"));
    assert!(made.contains("/* * / int evil; / * */\n"), "{made}");
    assert!(made.contains("TP_printk(\"%s ) %d %%\", \"\\\"\", __entry->a)"), "{made}");
}
