//! The tracepoints of a text as a patch of a kernel tree, which `patch -p1` and `git apply` take.
//!
//! The patch adds the header `include/trace/events/SUBSYSTEM.h`, in the directory that was chosen the unit that defines
//! the tracepoints, and in the `Kbuild` or the Makefile of that directory the line that builds it.
//!
//! What differs between trees is read from the headers of the tree, and never from its version.

mod patch;

use super::{Built, DefinitionBuilder, DefinitionRequest, File, Tree};
use crate::c::{AssignStr, Header, header, refusals};
use crate::diagnostic::codes::{kernel_unreadable::kernel_unreadable, not_by_target};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::Definitions;

/// The target `kernel-tree`. See the [module](self).
pub(super) struct KernelTree;

/// The header of a tree that has the macro `__assign_str`.
const STAGE6: &str = "include/trace/stages/stage6_event_callback.h";

impl DefinitionBuilder for KernelTree {
    const NAME: &'static str = "kernel-tree";

    const ABOUT: &'static str = "a patch that adds each tracepoint that the text defines to a kernel tree";

    const NEEDS_TREE: bool = true;

    fn build(request: &DefinitionRequest<'_>) -> Built {
        let DefinitionRequest { definitions, tree, .. } = *request;
        let refusals = refusals(definitions, KernelTree::NAME);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let Some(tree) = tree else {
            return Err(vec![codes::not_by_target::no_tree(KernelTree::NAME)]);
        };
        let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
        let name = subsystem.replace('-', "_");
        let content = patch(request, tree, &name).map_err(|said| vec![*said])?;
        Ok(vec![File { name: format!("{name}.patch"), content: content.into_bytes(), executable: false }])
    }
}

/// Returns the patch. `name` is that of the subsystem, as an identifier of C.
fn patch(request: &DefinitionRequest<'_>, tree: Tree<'_>, name: &str) -> Result<String, Box<Diagnostic>> {
    let DefinitionRequest { definitions, constants, .. } = *request;
    let assign_str = AssignStr::of_tree(&required(tree, STAGE6)?).ok_or_else(|| {
        Box::new(not_by_target::not_a_tree(
            KernelTree::NAME,
            &format!("{STAGE6} does not define `__assign_str`"),
        ))
    })?;
    let as_ = Header {
        file: name,
        guard: &format!("_TRACE_{}_H", name.to_uppercase()),
        origin: None,
        directory: None,
        assign_str,
    };
    let directory = tree.directory;
    let new = [
        (format!("include/trace/events/{name}.h"), header(definitions, constants, as_).text),
        (format!("{directory}/{name}_trace.c"), unit(definitions, name)),
    ];
    let mut text = String::new();
    for (path, content) in &new {
        if read(tree, path)?.is_some() {
            return Err(Box::new(not_by_target::in_tree_already(KernelTree::NAME, path)));
        }
        text.push_str(&patch::new_file(path, content));
    }
    let (path, rules) = rules(tree)?;
    text.push_str(&patch::last_line(&path, &rules, &format!("obj-y += {name}_trace.o")));
    Ok(text)
}

/// Returns the file by which kbuild builds the directory, with its path: `Kbuild` if there is one, and the Makefile
/// otherwise (`kbuild-file` in scripts/Kbuild.include).
fn rules(tree: Tree<'_>) -> Result<(String, String), Box<Diagnostic>> {
    let path = |name: &str| format!("{}/{name}", tree.directory);
    let (kbuild, makefile) = (path("Kbuild"), path("Makefile"));
    if let Some(rules) = read(tree, &kbuild)? {
        return Ok((kbuild, rules));
    }
    match read(tree, &makefile)? {
        Some(rules) => Ok((makefile, rules)),
        None => Err(Box::new(not_by_target::not_a_tree(
            KernelTree::NAME,
            &format!("it has neither {kbuild} nor {makefile}"),
        ))),
    }
}

/// Returns the unit that defines the tracepoints.
fn unit(definitions: &Definitions, name: &str) -> String {
    let exports: String = definitions
        .events
        .iter()
        .map(|event| format!("EXPORT_TRACEPOINT_SYMBOL_GPL({});\n", event.name.value))
        .collect();
    format!(
        "// SPDX-License-Identifier: GPL-2.0\n#include <linux/export.h>\n\n#define CREATE_TRACE_POINTS\n\
         #include <trace/events/{name}.h>\n\n{exports}"
    )
}

/// Returns a file that every tree has.
fn required(tree: Tree<'_>, path: &str) -> Result<String, Box<Diagnostic>> {
    read(tree, path)?
        .ok_or_else(|| Box::new(not_by_target::not_a_tree(KernelTree::NAME, &format!("it has no {path}"))))
}

fn read(tree: Tree<'_>, path: &str) -> Result<Option<String>, Box<Diagnostic>> {
    tree.files.read(path).map_err(|error| Box::new(kernel_unreadable(None, &error.to_string())))
}

#[cfg(test)]
mod tests;
