//! A kernel module with the tracepoints of a text, to be built outside of a kernel tree.
//!
//! The module is a directory for kbuild: the header of the tracepoints, the unit that defines them, and `Kbuild`.
//!
//! ```text
//! make -C /lib/modules/$(uname -r)/build M=$PWD modules
//! ```
//!
//! C files of the user become parts of the module: they include the header, and call `trace_NAME()` or define the
//! functions that run with the first and last probe of an event. One of them may have `module_init`.
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

    const TAKES_CODE: bool = true;

    fn build(request: &DefinitionRequest<'_>) -> Built {
        let DefinitionRequest { definitions, constants, origin, code, .. } = *request;
        let refusals: Vec<Diagnostic> = definitions.classes.iter().flat_map(refusals).collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
        let subsystem = subsystem.replace('-', "_");
        let header_name = format!("{subsystem}_trace");
        let as_ = Header {
            file: &header_name,
            guard: &format!("_{}_H", header_name.to_uppercase()),
            origin: Some(origin),
            directory: Some("."),
            assign_str: AssignStr::Decided(ASSIGN_STR_TAKES_SOURCE),
        };
        let objects = kbuild::Objects { module: &format!("{subsystem}_events"), unit: &header_name, code };
        if let Some(taken) = objects.taken() {
            return Err(vec![codes::not_by_target::code_of_a_part(Module::NAME, &taken.name)]);
        }
        let files = [
            (format!("{header_name}.h"), header(definitions, constants, as_)),
            (format!("{header_name}.c"), unit::unit(definitions, &header_name, origin)),
            ("Kbuild".to_owned(), kbuild::kbuild(objects, origin)),
        ];
        let file = |(name, content): (String, String)| File {
            name,
            content: content.into_bytes(),
            executable: false,
        };
        Ok(files.into_iter().map(file).chain(code.iter().cloned()).collect())
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
