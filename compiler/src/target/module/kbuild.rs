//! The file by which kbuild builds the module.

use super::super::File;
use super::ASSIGN_STR_TAKES_SOURCE;
use crate::c::comment;

/// The objects of the module, by the names of their files without an ending.
#[derive(Clone, Copy)]
pub(super) struct Objects<'a> {
    /// The module.
    pub(super) module: &'a str,
    /// The unit that defines the tracepoints.
    pub(super) unit: &'a str,
    /// The C files of the user.
    pub(super) code: &'a [File],
}

impl Objects<'_> {
    /// Returns a C file of the user whose object would have the name of another.
    pub(super) fn taken(&self) -> Option<&File> {
        let is_part = |file: &&File| {
            let stem = file.name.strip_suffix(".c");
            stem == Some(self.module) || stem == Some(self.unit)
        };
        self.code.iter().find(is_part)
    }
}

/// Returns `Kbuild` of a module.
pub(super) fn kbuild(objects: Objects<'_>, origin: &str) -> String {
    let Objects { module, unit, code } = objects;
    let origin = comment(origin).replace(['\n', '\\'], " ");
    let code: String = code
        .iter()
        .map(|file| format!(" {}.o", file.name.strip_suffix(".c").unwrap_or(&file.name)))
        .collect();
    format!(
        "# SPDX-License-Identifier: GPL-2.0\n\
         # Built by tracec of {origin}.\n\
         #\n\
         #   make -C /lib/modules/$(uname -r)/build M=$PWD modules\n\
         obj-m := {module}.o\n\
         {module}-y := {unit}.o{code}\n\
         \n\
         # include/trace/define_trace.h includes the header by its path from here.\n\
         ccflags-y += -I$(src)\n\
         \n\
         # In some trees __assign_str has the source as its second argument.\n\
         stage6 := $(srctree)/include/trace/stages/stage6_event_callback.h\n\
         ifneq ($(shell grep -sl '__assign_str.dst. *src' $(stage6)),)\n\
         ccflags-y += -D{ASSIGN_STR_TAKES_SOURCE}\n\
         endif\n"
    )
}
