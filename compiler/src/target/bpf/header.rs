//! The C header of an object's records: what is in front of each in the ring buffer, and which events there are. The
//! records themselves are those of tracefs, which the target `c` writes decoders for.

use std::fmt::Write;

use super::program::Built;
use crate::c::comment;
use crate::decoder::identifier;

/// Returns the header of an object.
pub(super) fn header(stem: &str, built: &Built<'_>) -> String {
    let guard = format!("TRACEC_{}_BPF_H", identifier(stem));
    let mut text = format!("/* Built by tracec: what the ring buffer `records` of {stem}.bpf.o holds. */\n");
    // Writing into a string does not fail.
    let _ = writeln!(text, "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n");
    text.push_str(
        "/* A record and what is in front of it. Its bytes are those of the event's `format` file: the first two are\n \
         * its type, 4 bytes behind is the thread id. */\nstruct tracec_sample {\n\tuint64_t time; /* nanoseconds */\n\
         \tuint32_t cpu;\n\tuint32_t unused;\n\tchar comm[16]; /* the name of the task */\n\tunsigned char record[];\n};\n\n/* The types. */\n",
    );
    for format in &built.events {
        let name = identifier(&format!("{}_{}", format.system, format.name));
        let _ = writeln!(
            text,
            "#define TRACEC_TYPE_{name} {} /* {} */",
            format.id,
            comment(&format.qualified_name())
        );
    }
    text.push_str(
        "\n/* The index of each program in the map `lost`, whose values are two numbers of 64 bits for each CPU: the records for\n \
         * which there was no room, and the times that the program found its memory in use by another task. */\n",
    );
    for (index, (part, format)) in built.parts.iter().zip(&built.events).enumerate() {
        let name = comment(&format.qualified_name());
        let _ = writeln!(text, "#define TRACEC_LOST_{} {index} /* {name} */", part.name);
    }
    let _ = writeln!(text, "\n#endif");
    text
}
