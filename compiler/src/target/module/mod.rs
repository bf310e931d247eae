//! A kernel module with the tracepoints of a text, to be built outside of a kernel tree.
//!
//! The module is a directory for kbuild: the header of the tracepoints, the unit that defines them, and `Kbuild`.
//!
//! ```text
//! make -C /lib/modules/$(uname -r)/build M=$PWD modules
//! ```
//!
//! Once it is loaded, its events are below `events/SUBSYSTEM`. The tracepoints are exported: code of another module
//! includes the header and calls `trace_NAME()`.
//!
//! The same files build with every tree that has the features of the kernel that they were built for. Where a macro
//! takes other arguments in another tree, `Kbuild` asks the headers of the tree, and never its version.

mod kbuild;
mod unit;

use super::{Built, DefinitionBuilder, DefinitionRequest, File};
use crate::c::{AssignStr, Header, header, undeclarable};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::EventClass;

/// The target `module`. See the [module](self).
pub(super) struct Module;

/// The macro that `Kbuild` defines for a tree where `__assign_str` takes the source.
const ASSIGN_STR_TAKES_SOURCE: &str = "TRACEC_ASSIGN_STR_TAKES_SOURCE";

impl DefinitionBuilder for Module {
    const NAME: &'static str = "module";

    const ABOUT: &'static str = "a kernel module with each tracepoint that the text defines, as C for kbuild";

    fn build(request: &DefinitionRequest<'_>) -> Built {
        let DefinitionRequest { definitions, constants, origin, .. } = *request;
        let refusals: Vec<Diagnostic> = definitions.classes.iter().flat_map(refusals).collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
        let name = format!("{}_trace", subsystem.replace('-', "_"));
        let as_ = Header {
            file: &name,
            origin,
            directory: ".",
            assign_str: AssignStr::Decided(ASSIGN_STR_TAKES_SOURCE),
        };
        let files = [
            (format!("{name}.h"), header(definitions, constants, as_)),
            (format!("{name}.c"), unit::unit(definitions, &name, origin)),
            ("Kbuild".to_owned(), kbuild::kbuild(&name, origin)),
        ];
        let file = |(name, content): (String, String)| File {
            name,
            content: content.into_bytes(),
            executable: false,
        };
        Ok(files.into_iter().map(file).collect())
    }
}

/// Returns a refusal of each field that no macro can declare.
fn refusals(class: &EventClass) -> impl Iterator<Item = Diagnostic> {
    class.fields.iter().filter_map(|field| {
        let (what, instead) = undeclarable(field)?;
        Some(codes::not_by_target::not_by_target(field.ty.span, &what, Module::NAME, instead))
    })
}

#[cfg(test)]
mod tests;
