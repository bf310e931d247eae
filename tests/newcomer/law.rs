//! The law over everything that is offered for a mistake: it can be read and checked, and the first of it means what
//! was meant.

use libtest_mimic::Failed;
use tracec::{Choice, Input, KernelDirectory, SourceText, analyse};
use tracec_compiler::Severity;
use tracec_compiler::diagnostic::fix::{self, Applicability};
use tracec_compiler::ir::Stop;

use tracec_kernel::condition::ir::Condition;

use crate::fixes;
use crate::mistake::Further;
use crate::tracec::{KERNEL, path, source};

/// Fails unless each fix of a text removes its diagnostic and adds none, and each help can be written.
pub(crate) fn holds(text: &str, in_file: bool) -> Result<(), Failed> {
    let mut failures = Vec::new();
    fixes::try_all(&source(text, in_file), &KernelDirectory(path(KERNEL)), &mut failures);
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

/// Fails unless the first fixes, applied until none is left, give a session that means the same as the right one, or
/// there is no fix.
pub(crate) fn leads_to_the_right_session(further: &Further) -> Result<(), Failed> {
    let kernel = KernelDirectory(path(KERNEL));
    let of = |source: &SourceText| analyse(Input::new(source, &kernel), Choice::All);
    let source = |text: &str| source(text, further.in_file);
    let right = of(&source(further.right));
    if !right.diagnostics.is_empty() {
        return Err(format!("the right session is wrong: {:?}", right.diagnostics).into());
    }
    let given = source(further.tracec);
    let mended = fix::mend(&given, Applicability::Maybe, |source| of(source).diagnostics);
    if mended.mended.is_empty() {
        // A whole session in a help is a translation; the definition of an event is only the beginning of one.
        let said = of(&given).diagnostics;
        let defines = |text: &str| text.starts_with("subsystem ");
        let asked_for = said.iter().flat_map(fixes::asked_for);
        let asked_for = asked_for.filter(|text| text.contains(':') && !defines(text));
        let other = asked_for
            .filter(|text| meaning(&source(text), &kernel) != meaning(&source(further.right), &kernel));
        return match other.collect::<Vec<_>>().as_slice() {
            [] => Ok(()),
            other => Err(format!("{other:?} does not mean `{}`", further.right).into()),
        };
    }
    if mended.remaining.iter().any(|said| said.severity == Severity::Error) {
        return Err(format!("{}: {:?}", mended.text, mended.remaining).into());
    }
    let (found, wanted) = (source(&mended.text), source(further.right));
    match meaning(&found, &kernel) == meaning(&wanted, &kernel) {
        true => Ok(()),
        false => Err(format!("`{}` does not mean `{}`", mended.text, further.right).into()),
    }
}

/// The conditions of a session, and of each session what else it says.
type Meaning = (Vec<Vec<Condition>>, Vec<Said>);

/// What a session says beside its conditions.
#[derive(Debug, PartialEq)]
struct Said {
    stops: Vec<Stop>,
    buffer: Option<u64>,
    clock: Option<String>,
    options: Vec<(String, bool)>,
    output: Option<String>,
    /// The names of its events, whether each is recorded, and its triggers.
    events: Vec<(String, bool, Vec<Trigger>)>,
}

/// The kind, the target and the count of a trigger.
type Trigger = (&'static str, Option<String>, Option<u64>);

fn meaning(source: &SourceText, kernel: &KernelDirectory) -> Meaning {
    let module = analyse(Input::new(source, kernel), Choice::All).module;
    let conditions = module.conditions.iter().map(|(_, parts)| parts.iter().map(|part| part.value.clone()));
    let conditions = conditions.map(Iterator::collect).collect();
    let name = |id| module.catalogue[id].qualified_name();
    let sessions = module.sessions.iter().map(|session| Said {
        stops: session.stops.iter().map(|stop| stop.value.clone()).collect(),
        buffer: session.buffer_kib.as_ref().map(|size| size.value),
        clock: session.clock.as_ref().map(|clock| clock.value.clone()),
        options: session.options.iter().map(|option| (option.name.value.clone(), option.on)).collect(),
        output: session.output.as_ref().map(|output| output.path.value.clone()),
        events: session
            .events
            .iter()
            .map(|event| {
                let triggers = event.triggers.iter();
                let triggers =
                    triggers.map(|trigger| (trigger.kind.value.name, trigger.event.map(name), trigger.count));
                (name(event.id), event.record.is_some(), triggers.collect())
            })
            .collect(),
    });
    (conditions, sessions.collect())
}
