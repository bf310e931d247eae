//! The file by which kbuild builds the module.

use super::ASSIGN_STR_TAKES_SOURCE;
use crate::c::comment;

/// Returns `Kbuild` of a module with this name.
pub(super) fn kbuild(name: &str, origin: &str) -> String {
    let origin = comment(origin).replace(['\n', '\\'], " ");
    format!(
        "# SPDX-License-Identifier: GPL-2.0\n\
         # Built by tracec of {origin}.\n\
         #\n\
         #   make -C /lib/modules/$(uname -r)/build M=$PWD modules\n\
         obj-m := {name}.o\n\
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
