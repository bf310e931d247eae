//! T0113: no-variant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use super::unknown_constant::one_call;
use crate::diagnostic::{Code, Diagnostic};
use crate::stdlib::{StdModule, Varies};

pub(crate) static CODE: Code = Code::error("T0113", "no-variant", include_str!("no_variant.md"));

pub(crate) fn no_variant(span: Span, path: &str, what: &str, is: &str, known: &[&str]) -> Diagnostic {
    let said = match is {
        "" => Diagnostic::error(
            &CODE,
            format!("`{path}` depends on the {what} of the kernel, which is unknown"),
        ),
        is => Diagnostic::error(&CODE, format!("`{path}` has no constants for the {what} {is}")),
    };
    let said = said
        .at(span, format!("its constants depend on the {what}"))
        .note(format!("it has constants for {}", known.join(", ")));
    match what {
        "release" => said.help("names that an event prints need no import: `gfp_flags == GFP_KERNEL`"),
        _ => said,
    }
}

/// Reports a constant in a one-liner, whose module has none for the kernel. `own` is its name if the operand beside it
/// has values of that name.
pub(crate) fn of_constant(span: Span, word: &str, module: &StdModule, own: Option<&str>) -> Diagnostic {
    let what = match module.varies() {
        Some(Varies::ByArch) => "architecture",
        Some(Varies::ByRelease) | None => "release",
    };
    let message = match word.contains("::") {
        true => format!("`std::{}` has no constants for the kernel", module.name),
        false => format!("`{word}` depends on the {what} of the kernel"),
    };
    let said = Diagnostic::error(&CODE, message)
        .at(span, format!("its constants depend on the {what}"))
        .note(format!("it has constants for {}", module.known().join(", ")));
    match own {
        Some(own) => said.fix(format!("write `{own}`, which the event prints"), span, own),
        // It is offered if it has a value on the kernel.
        None if !word.contains("::") && module.name == "syscall" => {
            let path = format!("{}::{word}", module.name);
            said.guess(format!("write `{path}`"), span, path).help(one_call(word))
        }
        None if module.name == "syscall" => said.help(one_call(word.rsplit("::").next().unwrap_or(word))),
        None => said.help(format!("write the number that `{word}` has in the headers of the kernel")),
    }
}
