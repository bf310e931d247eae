//! `tracec explain --asm`: the machine code of the conditions that the host decides, each under its source.

use std::fmt::Write as _;

use tracec_compiler::Analysis;
use tracec_compiler::place::PlacedSession;
use tracec_compiler::target::host::Listing;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::escaped::Escaped;
use tracec_kernel::page::PageLayout;
use tracec_kernel::selection::{Numbered, SelectedEvent, Selection};

/// Returns the code of each condition of a session of which the host decides a part, or a line that says that there is
/// none. It is the code for pages of the usual layout.
pub(super) fn listings(session: PlacedSession<'_>, analysis: &Analysis) -> String {
    let mut out = String::new();
    for (event, placed) in session.events() {
        let Some(condition) = session.record(placed) else { continue };
        let conjuncts: Vec<_> = session.on_host(condition).collect();
        if conjuncts.is_empty() {
            continue;
        }
        let format = analysis.module.catalogue[event.id].clone();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\nmachine code for {}", Escaped::text(&format.qualified_name()));
        for conjunct in &conjuncts {
            for line in analysis.sources.text_of(conjunct.span).lines() {
                let _ = writeln!(out, "  {}", Escaped::text(line));
            }
        }
        let condition = Condition::all(conjuncts.iter().map(|conjunct| conjunct.value.clone()).collect());
        let events = vec![SelectedEvent { format, conditions: vec![Numbered { number: 0, condition }] }];
        let listing = Selection::new(PageLayout::default(), events)
            .map_err(|error| error.to_string())
            .and_then(|selection| Listing::new(&selection).map_err(|error| error.to_string()));
        match listing {
            Ok(listing) => {
                for line in listing.to_string().lines() {
                    let _ = writeln!(out, "    {line}");
                }
            }
            Err(reason) => {
                let _ = writeln!(out, "    none: {reason}");
            }
        }
    }
    if out.is_empty() {
        out.push_str("\nno machine code: the host decides nothing\n");
    }
    out
}
