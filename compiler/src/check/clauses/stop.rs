//! `stop after 30s;`, `stop on E if C;`, `stop on signal USR1;`, `stop with command;`

use std::time::Duration;

use tracec_grammar::syntax::{ExprId, Name, StopRule};
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::signals;

use crate::diagnostic::codes;
use crate::ir::Stop;
use crate::ir::definition::Value;

use super::Settings;

impl Settings<'_, '_> {
    /// Returns the condition that ends the session; `stop on EVENT` is checked with the events. `None` if a mistake was
    /// reported.
    pub(super) fn stop(&mut self, rule: &StopRule) -> Option<Stop> {
        match rule {
            StopRule::After(time) => self.duration(*time, "stop after 30s;").map(Stop::After),
            StopRule::On { .. } => None,
            StopRule::Signal(signal) => self.signal(signal).map(Stop::Signal),
            StopRule::With { process: None } => Some(Stop::Command),
            StopRule::With { process: Some(id) } => self.task(*id).map(Stop::Process),
        }
    }

    /// Returns a time longer than zero; `right` is a correct clause. `None` if a mistake was reported.
    pub(super) fn duration(&mut self, id: ExprId, right: &str) -> Option<Duration> {
        let span = self.names.exprs()[id].span;
        let bad = |reason: &str| codes::bad_duration::bad_duration(span, reason, right);
        match self.value(id)? {
            Value::Duration(0) => self.say(bad("longer than zero")),
            Value::Duration(nanoseconds) => Some(Duration::from_nanos(nanoseconds)),
            Value::Int { value, .. } if value > 0 => {
                let said = bad("a number without a unit");
                self.say(said.guess(
                    format!("if seconds are meant, write `{value}s`"),
                    span,
                    format!("{value}s"),
                ))
            }
            _ => self.say(bad("expected a duration")),
        }
    }

    fn signal(&mut self, name: &Name) -> Option<&'static str> {
        let exact = signals::find(&name.value).or_else(|| signals::find(&format!("SIG{}", name.value)));
        // `int` can only mean `SIGINT`, so the mistake of that signal is reported.
        let with_prefix = format!("SIG{}", name.value.to_ascii_uppercase());
        let meant = exact.or_else(|| signals::find(&with_prefix));
        if let Some((signal, why)) = meant.and_then(|signal| Some((signal, signal.refused?))) {
            return self.say(codes::bad_signal::bad_signal(name.span, signal.name, why));
        }
        if let Some(signal) = exact {
            return Some(signal.name);
        }
        let near = match meant {
            Some(signal) => vec![signal.name],
            None => nearest(&name.value, signals::names(), 1),
        };
        // A suggestion that would be refused does not help; the next one is less likely to be meant.
        let waitable = |name: &&str| signals::find(name).is_some_and(|signal| signal.refused.is_none());
        let near: Vec<&str> = near.into_iter().filter(waitable).collect();
        self.say(codes::unknown_signal::unknown_signal(name.span, &name.value, &near))
    }
}
