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
mod tag;
mod unit;

use tracec_kernel::plan::ModuleName;

use super::{Built, DefinitionBuilder, DefinitionRequest, File, Lines, Tag};
use crate::c::{AssignStr, Header, Marked, header, refusals};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::Definitions;

/// The target `module`. See the [module](self).
pub(super) struct Module;

/// The macro that `Kbuild` defines for a tree where `__assign_str` takes the source.
const ASSIGN_STR_TAKES_SOURCE: &str = "TRACEC_ASSIGN_STR_TAKES_SOURCE";

impl DefinitionBuilder for Module {
    const NAME: &'static str = "module";

    const ABOUT: &'static str = "a kernel module with each tracepoint that the text defines, as C for kbuild";

    const TAKES_CODE: bool = true;

    fn build(request: &DefinitionRequest<'_>) -> Built {
        let DefinitionRequest { definitions, origin, code, .. } = *request;
        let of_classes = refusals(definitions, Module::NAME);
        let refusals: Vec<Diagnostic> = too_long(definitions).into_iter().chain(of_classes).collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let (header, unit) = (trace_header(request, Some(origin)), header_name(definitions));
        let objects = kbuild::Objects { module: &module_name(definitions), unit: &unit, code };
        if let Some(taken) = objects.taken() {
            return Err(vec![codes::not_by_target::code_of_a_part(Module::NAME, &taken.name)]);
        }
        let files = [
            (format!("{unit}.h"), header.text),
            (format!("{unit}.c"), unit::unit(definitions, &unit, origin, &tag::value(request))),
            ("Kbuild".to_owned(), kbuild::kbuild(objects, origin)),
        ];
        let file = |(name, content): (String, String)| File {
            name,
            content: content.into_bytes(),
            executable: false,
        };
        Ok(files.into_iter().map(file).chain(code.iter().cloned()).collect())
    }

    fn lines(request: &DefinitionRequest<'_>) -> Option<Lines> {
        let file = format!("{}.h", header_name(request.definitions));
        let lines = trace_header(request, Some(request.origin)).lines;
        let hooks = request.definitions.events.iter().filter_map(|event| event.hooks.as_ref());
        let functions = hooks.flat_map(|hooks| [&hooks.register, &hooks.unregister]);
        let events = request.definitions.events.iter().map(|event| event.name.clone()).collect();
        Some(Lines { file, lines, functions: functions.cloned().collect(), events })
    }

    fn tag(request: &DefinitionRequest<'_>) -> Option<Tag> {
        Some(Tag { name: tag::NAME, value: tag::value(request) })
    }
}

/// Returns the subsystem as a part of names of C.
fn stem(definitions: &Definitions) -> String {
    let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
    subsystem.replace('-', "_")
}

fn module_name(definitions: &Definitions) -> String {
    format!("{}_events", stem(definitions))
}

/// Returns a refusal of a subsystem whose module would have a longer name than a kernel takes.
fn too_long(definitions: &Definitions) -> Option<Diagnostic> {
    let subsystem = definitions.subsystem.as_ref()?;
    let name = module_name(definitions);
    let beyond = name.len().checked_sub(ModuleName::LONGEST).filter(|beyond| *beyond > 0)?;
    let longest = subsystem.value.len().saturating_sub(beyond);
    let what = format!("a subsystem with a name of more than {longest} characters");
    let instead = format!(
        "shorten it by {beyond}: the module is called `{name}`, and a kernel takes {} characters (`MODULE_NAME_LEN` in \
         include/linux/moduleparam.h)",
        ModuleName::LONGEST
    );
    Some(codes::not_by_target::not_by_target(subsystem.span, &what, Module::NAME, &instead))
}

fn header_name(definitions: &Definitions) -> String {
    format!("{}_trace", stem(definitions))
}

/// Returns the header, which names the text that it was made of.
fn trace_header(request: &DefinitionRequest<'_>, origin: Option<&str>) -> Marked {
    let name = header_name(request.definitions);
    let as_ = Header {
        file: &name,
        guard: &format!("_{}_H", name.to_uppercase()),
        origin,
        directory: Some("."),
        assign_str: AssignStr::Decided(ASSIGN_STR_TAKES_SOURCE),
    };
    header(request.definitions, request.constants, as_)
}

#[cfg(test)]
mod tests;
