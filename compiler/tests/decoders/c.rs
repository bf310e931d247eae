//! Decoders in C.

use std::process::Command;

use tracec_kernel::format::EventFormat;

use crate::fields::{Printed, printed};
use crate::program::{Language, Planted};

pub(crate) const C: Language =
    Language { target: "c", program: "program.c", main, fields, compiler, takes_short: true };

/// Records are read into memory of their own size, so that the sanitizer finds a read beyond one.
const BEHIND: &str = "\
static bool get(void *to, size_t size)
{
	return fread(to, 1, size, stdin) == size;
}

int main(void)
{
	uint32_t number, cpu, length;
	int32_t tgid;
	char comm[16];

	while (get(&number, sizeof(number))) {
		unsigned char *record;

		if (!get(&cpu, sizeof(cpu)) || !get(&tgid, sizeof(tgid)) || !get(comm, sizeof(comm)) ||
		    !get(&length, sizeof(length)))
			return 1;
		/* A record of a ring buffer begins at a multiple of 4, and no more. */
		record = malloc(length + 4);
		if (!record || !get(record + 4, length))
			return 1;
		putchar(filters[number](record + 4, length, cpu, tgid, comm) ? '1' : '0');
		free(record);
	}
	return 0;
}
";

fn main(decoder: &str, sessions: usize) -> String {
    let mut text = "#include <stdio.h>\n#include <stdlib.h>\n#include \"decoder.h\"\n\n".to_owned();
    for number in 0..sessions {
        let is_its_own = |line: &&str| line.contains(&format!(" s{number}_")) && line.contains("_matches(");
        let head = decoder.lines().find(is_its_own).expect("a function");
        let name = head.split(['(', ' ']).find(|word| word.ends_with("_matches")).expect("a name");
        let argument =
            |kind: &str, name: &str| if head.contains(kind) { format!(", {name}") } else { String::new() };
        let (cpu, tgid) = (argument("uint32_t cpu", "cpu"), argument("int32_t tgid", "tgid"));
        let comm = argument("const char *comm", "comm");
        text.push_str(&format!(
            "static bool f{number}(const void *data, size_t size, uint32_t cpu, int32_t tgid, const char *comm)\n{{\n\
             \t(void)cpu;\n\t(void)tgid;\n\t(void)comm;\n\treturn {name}(data, size{cpu}{tgid}{comm});\n}}\n\n"
        ));
    }
    text.push_str(
        "static bool (*const filters[])(const void *, size_t, uint32_t, int32_t, const char *) = {\n",
    );
    for number in 0..sessions {
        text.push_str(&format!("\tf{number},\n"));
    }
    text.push_str("};\n\n");
    text + BEHIND
}

/// Returns the program that prints the fields of the records of an event.
fn fields(format: &EventFormat) -> String {
    let mut text = "#include <stdio.h>\n#include <stdlib.h>\n#include \"decoder.h\"\n\n".to_owned();
    text.push_str(
        "static void hex(const char *at, size_t length)\n{\n\tif (!at) {\n\t\tprintf(\"-\\n\");\n\t\treturn;\n\t}\n\
         \tfor (size_t i = 0; i < length; i++)\n\t\tprintf(\"%02x\", (unsigned char)at[i]);\n\
         \tprintf(\".\\n\");\n}\n\n\
         static bool print(const void *data, size_t size, uint32_t cpu, int32_t tgid, const char *comm)\n{\n\
         \tconst struct test_everything *r;\n\tsize_t length;\n\tconst char *at;\n\n\
         \t(void)cpu;\n\t(void)tgid;\n\t(void)comm;\n\
         \tif (!test_everything_from(data, size, &r))\n\t\treturn false;\n",
    );
    for field in format.fields.iter() {
        let name = &field.name;
        let (call, take) = (format!("test_everything_{name}"), "(r, size, &length)");
        text.push_str(&format!("\tprintf(\"{name} \");\n"));
        let signed = |is: bool| if is { ("%lld", "(long long)") } else { ("%llu", "(unsigned long long)") };
        text.push_str(&match printed(field) {
            Printed::Number { signed: is } => {
                format!("\tprintf(\"{}\\n\", {}r->{name});\n", signed(is).0, signed(is).1)
            }
            Printed::Argument { signed: is } => {
                format!("\tprintf(\"{}\\n\", {}{call}(r));\n", signed(is).0, signed(is).1)
            }
            Printed::Bytes => format!("\tat = {call}{take};\n\thex(at, length);\n"),
            Printed::Fixed { size } => format!("\thex((const char *)r->{name}, {size});\n"),
            Printed::Numbers { count } => format!(
                "\tfor (int i = 0; i < {count}; i++)\n\t\tprintf(\"%s%d\", i ? \",\" : \"\", (int)r->{name}[i]);\n\
                 \tprintf(\"\\n\");\n"
            ),
            Printed::Count { element } => format!(
                "\tat = {call}{take};\n\tif (at)\n\t\tprintf(\"%d\\n\", (int)(length / {element}));\n\
                 \telse\n\t\tprintf(\"-\\n\");\n"
            ),
            Printed::Cpus => format!(
                "\tat = {call}{take};\n\tif (!at)\n\t\tprintf(\"-\");\n\
                 \tfor (unsigned int i = 0, n = 0; i < length * 8; i++) {{\n\
                 \t\tif ({call}_has(r, size, i))\n\t\t\tprintf(\"%s%u\", n++ ? \",\" : \"\", i);\n\t}}\n\
                 \tprintf(\"\\n\");\n"
            ),
        });
    }
    text.push_str("\treturn true;\n}\n\n");
    text + &BEHIND.replace(
        "putchar(filters[number](record + 4, length, cpu, tgid, comm) ? '1' : '0');",
        "if (!print(record + 4, length, cpu, tgid, comm))\n\t\t\tprintf(\"short\\n\");",
    )
}

fn compiler(planted: bool) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-o", "program"]);
    match planted {
        true => command.arg("-w"),
        false => command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsanitize=address,undefined"]),
    };
    command
}

/// Errors in a header.
pub(crate) const ERRORS: &[Planted] = &[
    Planted {
        name: "a comparison of signed numbers is one of unsigned ones",
        text: "return (int64_t)n0 < ",
        instead: "return n0 < (uint64_t)",
    },
    Planted {
        name: "an int is not extended by its sign",
        text: "(uint64_t)(int64_t)(int32_t)",
        instead: "(uint64_t)(uint32_t)",
    },
    Planted { name: "an unsigned argument is the whole register", text: "(uint64_t)(uint32_t)", instead: "" },
    Planted { name: "a mask is dropped", text: " & UINT64_C(", instead: " + 0 * UINT64_C(" },
    Planted { name: "the end of a range is exclusive", text: " && n0 <= ", instead: " && n0 < " },
    Planted {
        name: "located bytes may reach one byte too far",
        text: "size - offset < bytes))",
        instead: "size + 1 - offset < bytes))",
    },
    Planted {
        name: "a fixed field needs one byte behind it",
        text: "if (size < offset || size - offset < bytes)\n\t\treturn false;",
        instead: "if (size < offset || size - offset <= bytes)\n\t\treturn false;",
    },
    Planted {
        name: "a text that is not there differs from all others",
        text: "return text.at && !tracec_equal",
        instead: "return !text.at || !tracec_equal",
    },
    Planted { name: "a text goes on behind its NUL", text: "if (nul)", instead: "if (0)" },
    Planted {
        name: "a text with a longer beginning is equal",
        text: "return text.size == size && ",
        instead: "return text.size >= size && ",
    },
    Planted { name: "a class is not inverted", text: "return found != inverted;", instead: "return found;" },
    Planted {
        name: "a star is not tried again at the next byte",
        text: "byte = ++from;",
        instead: "byte = ++from + 1;",
    },
    Planted { name: "a __rel_loc is a __data_loc", text: "(relative ? word + 4 : 0)", instead: "0" },
    Planted {
        name: "a quotient by 0 is 0",
        text: "if (!b)\n\t\treturn false;",
        instead: "if (!b) {\n\t\t*value = 0;\n\t\treturn true;\n\t}",
    },
    Planted {
        name: "a count of 64 shifts by 0",
        text: "if (count > 63)\n\t\treturn false;",
        instead: "count &= 63;",
    },
    Planted {
        name: "a right shift of a negative number loses its sign",
        text: "is_signed ? (uint64_t)((int64_t)a >> count) : a >> count",
        instead: "a >> count",
    },
    Planted {
        name: "a comparison across signs takes a negative number for a large one",
        text: "(int64_t)is_signed < 0 || ",
        instead: "",
    },
    Planted { name: "a set is equal to a larger one", text: "return !missing;", instead: "return true;" },
    Planted { name: "a conjunction is a disjunction", text: ") && s", instead: ") || s" },
    Planted { name: "a process id has no sign", text: "(uint64_t)(int64_t)tgid", instead: "(uint32_t)tgid" },
];
