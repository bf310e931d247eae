//! The unit that defines the tracepoints.

use std::fmt::Write;

use tracec_kernel::plan::ModuleName;

use super::tag;
use crate::c::comment;
use crate::ir::definition::Definitions;

/// Returns the unit. It has no function for the load of the module, so that code that is linked with it can have one.
pub(super) fn unit(definitions: &Definitions, name: &str, origin: &str, tag: &str) -> String {
    let mut text = String::from("// SPDX-License-Identifier: GPL-2.0\n");
    // Writing into a string does not fail.
    let _ = write!(text, "/* Built by tracec of {}. */\n#include <linux/module.h>\n\n", comment(origin));
    let _ = write!(text, "#define CREATE_TRACE_POINTS\n#include \"{name}.h\"\n\n");
    for event in &definitions.events {
        let _ = writeln!(text, "EXPORT_TRACEPOINT_SYMBOL_GPL({});", event.name.value);
    }
    let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
    text.push_str(
        "\n/* By these `tracec run` knows its tracepoints, and the session that has loaded it. */\n",
    );
    let (name, session) = (tag::NAME, ModuleName::SESSION);
    let _ = write!(
        text,
        "MODULE_INFO({name}, \"{tag}\");\nstatic char *{session};\nmodule_param({session}, charp, 0444);\n\
         MODULE_PARM_DESC({session}, \"the session that has loaded the module\");\n"
    );
    let _ = write!(text, "\nMODULE_DESCRIPTION(\"Tracepoints of {subsystem}\");\nMODULE_LICENSE(\"GPL\");\n");
    text
}
