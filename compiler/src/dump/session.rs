//! A session of the module form.

use tracec_grammar::span::Spanned;

use super::catalogue::event;
use super::lines::Lines;
use crate::ir::{
    Catalogue, Demand, Dropped, Dump, Event, Global, OptionSetting, Output, Recording, Ring, Rotate,
    ScopeSubject, Session, Shown, Stop, Trigger,
};

/// Prints a session. What it does not have is left out.
pub(super) fn session(lines: &mut Lines<'_>, session: &Session, catalogue: &Catalogue) {
    let Session {
        name,
        span,
        head,
        complete,
        events,
        dropped,
        defined,
        buffer_kib,
        subbuffer_kib,
        queue,
        rotate,
        clock,
        recorder,
        options,
        scope,
        children,
        instance,
        globals,
        ring,
        including_tracec,
        start_paused,
        markers,
        waits_for,
        keep,
        dumps,
        stops,
        output,
    } = session;
    lines.block(format!("session {name:?} at {span:?}, head {head:?}"), |lines| {
        lines.field("complete", complete);
        events.iter().for_each(|event| self::session_event(lines, event, catalogue));
        for Dropped { event, field, span } in dropped {
            let event = self::event(catalogue, *event);
            lines.line(format!("dropped at {span:?}: {event} lacks {field:?}"));
        }
        lines.spanned("defined", defined);
        lines.spanned("buffer_kib", buffer_kib);
        lines.spanned("subbuffer_kib", subbuffer_kib);
        lines.spanned("queue", queue);
        if let Some(Spanned { value: Rotate { bytes, max }, span }) = rotate {
            lines.line(format!("rotate at {span:?}: every {bytes}, max {max:?}"));
        }
        lines.spanned("clock", clock);
        lines.spanned("recorder", recorder);
        options.iter().for_each(|option| self::option(lines, option));
        scope.iter().for_each(|subject| self::scope(lines, subject));
        lines.each("children", children);
        lines.spanned("instance", instance);
        globals.iter().for_each(|global| self::global(lines, global));
        if let Some(Spanned { value: Ring { last }, span }) = ring {
            lines.line(format!("ring at {span:?}, last {last:?}"));
        }
        lines.each("including_tracec", including_tracec);
        lines.each("start_paused", start_paused);
        lines.spanned("marker", markers);
        lines.each("waits_for", waits_for);
        lines.spanned("keep", keep);
        dumps.iter().for_each(|dump| self::dump(lines, dump, catalogue));
        stops.iter().for_each(|stop| self::stop(lines, stop, catalogue));
        if let Some(Output { path: Spanned { value, span }, form }) = output {
            lines.line(format!("output at {span:?}: {value:?} as {}", form.name()));
        }
    });
}

fn dump(lines: &mut Lines<'_>, dump: &Spanned<Dump>, catalogue: &Catalogue) {
    let Spanned { value: Dump { events, count, output, max }, span } = dump;
    let Output { path: Spanned { value: path, span: written }, form } = output;
    let form = form.name();
    lines.block(
        format!("dump at {span:?}: to {path:?} at {written:?} as {form}, count {count}, max {max:?}"),
        |lines| {
            for (id, condition) in events {
                lines.line(format!("{} {condition:?}", event(catalogue, *id)));
            }
        },
    );
}

fn session_event(lines: &mut Lines<'_>, event: &Event, catalogue: &Catalogue) {
    let Event { id, record, triggers } = event;
    lines.block(self::event(catalogue, *id), |lines| {
        if let Some(Recording { filter, demands, shown, clause }) = record {
            lines.line(format!("record {filter:?} at {clause:?}"));
            let Shown { print_fmt, left_out, blanked } = shown;
            lines.spanned("print_fmt", print_fmt);
            lines.spanned("left_out", left_out);
            lines.spanned("blanked", blanked);
            for Demand { words, conjuncts } in demands {
                lines.line(format!("demands {conjuncts:?} at {words:?}"));
            }
        }
        for Trigger { kind, event, count, condition, span } in triggers {
            let acts_on = event.map(|id| self::event(catalogue, id));
            let Spanned { value: kind, span: name } = kind;
            lines.line(format!(
                "trigger {} at {name:?} {condition:?} on {acts_on:?} count {count:?} at {span:?}",
                kind.name
            ));
        }
    });
}

fn option(lines: &mut Lines<'_>, option: &OptionSetting) {
    let OptionSetting { name: Spanned { value, span }, on, old, clause } = option;
    lines.line(format!("option {value:?} at {span:?}: {on}, {old:?} before, clause at {clause:?}"));
}

fn scope(lines: &mut Lines<'_>, subject: &Spanned<ScopeSubject>) {
    let Spanned { value, span } = subject;
    let subject = match value {
        ScopeSubject::Process(id) => format!("process {id}"),
        ScopeSubject::Thread(id) => format!("thread {id}"),
        ScopeSubject::Command => "command".to_owned(),
        ScopeSubject::Comm(name) => format!("comm {name:?}"),
        ScopeSubject::Cgroup(path) => format!("cgroup {path:?}"),
        ScopeSubject::Cpus { first, last } => format!("cpus {first} to {last}"),
    };
    lines.line(format!("scope at {span:?}: {subject}"));
}

fn global(lines: &mut Lines<'_>, global: &Global) {
    let Global { discarding, buffer_kib, clock, cmdlines, options, span } = global;
    lines.block(format!("global at {span:?}"), |lines| {
        lines.field("discarding", discarding);
        lines.spanned("buffer_kib", buffer_kib);
        lines.spanned("clock", clock);
        lines.spanned("cmdlines", cmdlines);
        options.iter().for_each(|option| self::option(lines, option));
    });
}

fn stop(lines: &mut Lines<'_>, stop: &Spanned<Stop>, catalogue: &Catalogue) {
    let Spanned { value, span } = stop;
    match value {
        Stop::After(time) => lines.line(format!("stop at {span:?}: after {time:?}")),
        Stop::On { events, count } => {
            lines.block(format!("stop at {span:?}: on events, count {count}"), |lines| {
                for (id, condition) in events {
                    lines.line(format!("{} {condition:?}", event(catalogue, *id)));
                }
            })
        }
        Stop::Signal(name) => lines.line(format!("stop at {span:?}: signal {name:?}")),
        Stop::Command => lines.line(format!("stop at {span:?}: command")),
        Stop::Process(id) => lines.line(format!("stop at {span:?}: process {id}")),
    }
}
