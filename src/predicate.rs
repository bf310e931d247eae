//! Conditions on events, for programs that read records themselves.

use std::collections::HashMap;
use std::fmt;

use tracec_compiler::diagnostic::render::text::render;
use tracec_compiler::target::report::{REPORT, selected};
use tracec_compiler::{Choice, Diagnostic, Input, SourceMap, SourceText, analyse};
use tracec_kernel::condition::context::RecordedOn;
use tracec_kernel::condition::eval;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Page, PageError, PageLayout};
use tracec_kernel::record::Record;
use tracec_kernel::selection::{
    Evaluator, Numbered, PageFilter, Selected, SelectedEvent, Selection, SelectionError,
};

use crate::kernel::FormatsKernel;
use crate::machine_code::compiler;

/// A condition on the records of one event.
#[derive(Clone, Debug)]
pub struct Predicate {
    format: EventFormat,
    condition: Condition,
    prepared: eval::Predicate,
}

/// The reason why a text is not a condition on the records of an event.
#[derive(Clone, Debug)]
pub struct PredicateError {
    /// The texts that the diagnostics point into. The condition follows the name of the event.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Conditions that select records of ring-buffer pages.
#[derive(Debug)]
pub struct PredicateSet {
    filter: Box<dyn PageFilter>,
    layout: PageLayout,
    without_code: Option<String>,
}

impl Predicate {
    /// Compiles a condition on the records of an event: what follows `if`, as in `prev_prio < 100`.
    ///
    /// # Errors
    /// [`PredicateError`] for a text that is not a condition, or that asks for what is not in a record.
    ///
    /// ```
    /// use tracec::Predicate;
    /// use tracec_kernel::format::EventFormat;
    ///
    /// let format = "name: event\nID: 300\nformat:\n\
    ///     \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
    ///     \tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";
    /// let format = EventFormat::parse("test", format).unwrap();
    /// assert!(Predicate::compile("value * 2 > 10", &format).is_ok());
    /// let error = Predicate::compile("valu > 10", &format).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `value`?"), "{error}");
    /// ```
    pub fn compile(text: &str, format: &EventFormat) -> Result<Predicate, PredicateError> {
        let text = format!("{} if {text}", format.qualified_name());
        let source = SourceText { name: "predicate".to_owned(), text, one_liner: true };
        let kernel = FormatsKernel::new([format], "the layout");
        let analysis = analyse(Input { target: &REPORT, ..Input::new(&source, &kernel) }, Choice::One(None));
        let (asked, diagnostics) = analysis.make(selected);
        // A predicate shows nothing.
        let events = asked.map(|asked| asked.events);
        let conditions = events.into_iter().flatten().flat_map(|event| event.conditions);
        let Some(Numbered { condition, .. }) = conditions.into_iter().next() else {
            return Err(PredicateError { sources: analysis.sources, diagnostics });
        };
        let prepared = eval::Predicate::new(&condition, format);
        Ok(Predicate { format: format.clone(), condition, prepared })
    }

    /// Returns the layout of the records.
    pub fn format(&self) -> &EventFormat {
        &self.format
    }

    /// Returns whether the condition holds for a record of the event that was written on a CPU. It does not hold for a
    /// record with another event's id.
    ///
    /// The fields are read where the condition's layout has them. So the record has to be of the same kernel: in another
    /// kernel the id may be that of another event, whose bytes mean something else.
    pub fn holds(&self, record: &Record<'_>, cpu: u32) -> bool {
        record.format.id == self.format.id && self.prepared.holds(record, &RecordedOn { cpu })
    }
}

impl PredicateSet {
    /// Makes one filter of conditions, as machine code where that can be made. A record is selected once for each
    /// condition that holds, with the index of the condition as its [number](Selected::condition).
    ///
    /// # Errors
    /// [`SelectionError`] if conditions are on layouts of different kernels.
    pub fn new<'p>(
        layout: &PageLayout,
        predicates: impl IntoIterator<Item = &'p Predicate>,
    ) -> Result<PredicateSet, SelectionError> {
        let mut events: Vec<SelectedEvent> = Vec::new();
        // The event of each id. A second layout with an id becomes an event too, and is refused.
        let mut known: HashMap<u16, usize> = HashMap::new();
        for (number, Predicate { format, condition, .. }) in (0..).zip(predicates) {
            let numbered = Numbered { number, condition: condition.clone() };
            let event = known.get(&format.id).and_then(|event| events.get_mut(*event));
            match event.filter(|event| event.format == *format) {
                Some(event) => event.conditions.push(numbered),
                None => {
                    known.insert(format.id, events.len());
                    events.push(SelectedEvent { format: format.clone(), conditions: vec![numbered] });
                }
            }
        }
        let selection = Selection::new(*layout, events)?;
        let (filter, without_code): (Box<dyn PageFilter>, _) = match compiler()(&selection) {
            Ok(code) => (code, None),
            Err(reason) => (Box::new(Evaluator::new(&selection)), Some(reason)),
        };
        Ok(PredicateSet { filter, layout: *layout, without_code })
    }

    /// Adds the records of a page of a CPU that are selected to `selected`. Returns how many records the page has.
    ///
    /// # Errors
    /// [`PageError`] for a page that is damaged; the records before the damage have been added.
    pub fn select(&self, page: &[u8], cpu: u32, selected: &mut Vec<Selected>) -> Result<u64, PageError> {
        let page = Page::new(&self.layout, page)?;
        self.filter.select(&mut page.entries(), cpu, selected)
    }

    /// Returns why there is no machine code, so that the conditions are evaluated.
    pub fn without_code(&self) -> Option<&str> {
        self.without_code.as_deref()
    }
}

impl fmt::Display for PredicateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render(&self.sources, &self.diagnostics, false).trim_end())
    }
}

impl std::error::Error for PredicateError {}
