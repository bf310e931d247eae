//! An event, conditions on it by their place, and a session around them, for tests.

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, Text, TextTest};
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::triggers;

use tracec_kernel::filter::Model;

use super::{Engines, InKernel, PlacedCondition, PlacedId, PlacedSession, Placement, place_by_model};
use crate::ir;

const FORMAT: &str = "name: e\nID: 1\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
    \tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\
    \tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n\
    \tfield:const char * p;\toffset:16;\tsize:8;\tsigned:0;\n\
    \tfield:__data_loc cpumask_t mask;\toffset:24;\tsize:4;\tsigned:0;\n\
    \tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n\n\
    print fmt: \"\"\n";

/// The engines of a target that writes filters and reads the records.
pub(crate) const FILTER_AND_HOST: Engines = Engines { kernel: Some(InKernel::Filter), host: true };

pub(crate) fn format() -> EventFormat {
    EventFormat::parse("s", FORMAT).expect("a format")
}

pub(crate) fn field(name: &str) -> tracec_kernel::format::Field {
    format().field(name).expect("a field").clone()
}

/// Returns `a == value`, which has any place.
pub(crate) fn plain(value: i128) -> Condition {
    Condition::compare(Number::Field(field("a")), CompareOp::Eq, value)
}

/// Returns `a + 1 > b`, which only the host decides.
pub(crate) fn computed() -> Condition {
    Condition::Atom(Atom::Compare {
        left: Number::binary(NumberOp::Add, Number::Field(field("a")), Number::Const(1)),
        op: CompareOp::Gt,
        right: Number::Field(field("b")),
    })
}

/// Returns `comm == "x"`, which only the kernel decides.
pub(crate) fn comm() -> Condition {
    Condition::Atom(Atom::Text { of: Text::Comm, test: TextTest::Eq("x".to_owned()) })
}

/// Returns a condition on a `char *`, which only the kernel decides, by following it.
pub(crate) fn pointer() -> Condition {
    Condition::Atom(Atom::Text { of: Text::Field(field("p")), test: TextTest::Eq("x".to_owned()) })
}

/// Returns a module with one session, which records one event or triggers at it under some conditions.
pub(crate) fn session(conditions: &[Condition], demanded: Option<usize>, trigger: bool) -> ir::Module {
    let mut module = ir::Module::default();
    let layout = ir::EventLayout { format: format(), text: FORMAT.to_owned() };
    let id = module.catalogue.add(layout);
    let spanned = |(index, condition): (usize, &Condition)| {
        let span = Span::new(10 * index, 10 * index + 5);
        let atom = ir::AtomSpan { span, written: None };
        ir::Conjunct { value: condition.clone(), span, atoms: vec![atom; condition.atoms().len()] }
    };
    let condition = module.conditions.add(conditions.iter().enumerate().map(spanned).collect::<Vec<_>>());
    let words = Span::new(900, 909);
    let clause = Span::new(0, 1000);
    let demands = demanded.map(|index| ir::Demand { words, conjuncts: index..index + 1 });
    let (demands, shown) = (demands.into_iter().collect(), ir::Shown::default());
    let recording = ir::Recording { filter: condition, demands, shown, clause };
    let armed = ir::Trigger {
        kind: Spanned::new(triggers::find("traceoff").expect("a trigger"), clause),
        event: None,
        count: Some(1),
        condition,
        span: clause,
    };
    let triggers = if trigger { vec![armed] } else { Vec::new() };
    let event = ir::Event { id, record: (!trigger).then_some(recording), triggers };
    module.sessions.push(ir::Session { events: vec![event], ..ir::Session::new("s".to_owned(), clause) });
    module
}

/// Returns the id with this index, whether or not there is such a condition.
pub(crate) fn placed_id(index: u32) -> PlacedId {
    PlacedId(index)
}

/// A module that was placed.
pub(crate) struct Placed {
    pub(crate) module: ir::Module,
    pub(crate) placement: Placement,
}

impl Placed {
    /// Places a module for filters, the host and a kernel whose features are all known.
    pub(crate) fn new(module: ir::Module, model: Model) -> Self {
        Placed::among(FILTER_AND_HOST, module, model)
    }

    /// Places a module among some engines, for a kernel whose features are all known.
    pub(crate) fn among(engines: Engines, module: ir::Module, model: Model) -> Self {
        let placement = place_by_model(&module, engines, model);
        Placed { module, placement }
    }

    /// Returns the first session.
    pub(crate) fn session(&self) -> PlacedSession<'_> {
        PlacedSession::all(&self.module, &self.placement).next().expect("a session")
    }

    /// Returns the first condition.
    pub(crate) fn condition(&self) -> &PlacedCondition {
        self.session().conditions().next().expect("a condition")
    }
}
