//! What a text for another tool becomes: clauses of a session, and what they leave out.

use tracec_kernel::tables::event_systems;

/// The most events that are translated.
const MOST_EVENTS: usize = 64;

/// What is said of a session that is similar to what was written, and not the same.
pub(crate) const NEAR: &str = "a near session, which differs as the notes say:";

/// What to do where no event is named.
const LIST: &str = "`tracec list` shows the events; `trace SYSTEM:EVENT if CONDITION;` records one";

/// A session, as far as a text of another tool has an equivalent.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    /// The events that are recorded or have triggers.
    events: Vec<Traced>,
    /// The events that patterns leave out.
    excluded: Vec<String>,
    /// What all events are narrowed to: a subject, as `current.pid`, with its members.
    everywhere: Vec<(&'static str, Vec<String>)>,
    /// Further clauses, without semicolons.
    clauses: Vec<String>,
    /// What has no equivalent, as sentences.
    left_out: Vec<String>,
    /// What to do beside or instead of a session.
    advice: Vec<String>,
    /// Whether the events or the conditions are near ones, and not those that were written.
    is_near: bool,
}

/// An event, with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Traced {
    /// As the language writes it.
    pub(super) event: String,
    /// Fields that narrow a pattern.
    pub(super) having: Vec<String>,
    /// The condition, without `if`.
    pub(super) condition: Option<String>,
    /// Triggers as the language writes them, without the word.
    pub(super) triggers: Vec<String>,
    /// Whether it has only triggers.
    pub(super) is_not_recorded: bool,
}

impl Translation {
    /// Adds an event. A second condition of the same event widens what is recorded.
    pub(super) fn trace(&mut self, new: Traced) {
        let known = self.events.iter_mut().find(|known| known.event == new.event);
        if let Some(known) = known {
            known.condition = match (known.is_not_recorded, known.condition.take(), new.condition) {
                (false, Some(old), Some(new)) if old != new => Some(format!("({old}) || ({new})")),
                (false, Some(old), Some(_)) => Some(old),
                (true, _, condition) => condition,
                _ => None,
            };
            known.triggers.extend(new.triggers);
            known.is_not_recorded &= new.is_not_recorded;
        } else if self.events.len() < MOST_EVENTS {
            self.events.push(new);
        } else {
            self.leave_out(
                &format!("`{}`", new.event),
                &format!("the session has {MOST_EVENTS} events by now"),
            );
        }
    }

    /// Records an event, under the condition that it has or gets elsewhere.
    pub(super) fn record(&mut self, event: &str) {
        match self.known(event) {
            Some(known) => known.is_not_recorded = false,
            None => self.trace(Traced { event: written(event), ..Traced::default() }),
        }
    }

    /// Records an event under a condition, which replaces the one that it has.
    pub(super) fn filter(&mut self, event: &str, having: Vec<String>, condition: String) {
        self.record(event);
        if let Some(known) = self.known(event) {
            (known.having, known.condition) = (having, Some(condition));
        }
    }

    fn known(&mut self, event: &str) -> Option<&mut Traced> {
        let event = written(event);
        self.events.iter_mut().find(|known| known.event == event)
    }

    /// Adds a trigger to an event, which is recorded only if another part of the text says so.
    pub(super) fn trigger(&mut self, event: &str, trigger: String) {
        match self.known(event) {
            Some(known) => known.triggers.push(trigger),
            None => self.trace(Traced {
                event: written(event),
                triggers: vec![trigger],
                is_not_recorded: true,
                ..Traced::default()
            }),
        }
    }

    /// Narrows the events from the one at `first` on.
    pub(super) fn narrow(&mut self, first: usize, condition: &str) {
        for traced in self.events.iter_mut().skip(first) {
            traced.condition = Some(match traced.condition.take() {
                Some(old) => both(&old, condition),
                None => condition.to_owned(),
            });
        }
    }

    /// Adds a trigger to the events from the one at `first` on.
    pub(super) fn trigger_from(&mut self, first: usize, trigger: &str) {
        for traced in self.events.iter_mut().skip(first) {
            traced.triggers.push(trigger.to_owned());
        }
    }

    /// Narrows all events to those whose subject is one of the members, or one of those named before.
    pub(super) fn narrow_all(&mut self, subject: &'static str, members: Vec<String>) {
        match self.everywhere.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, known)) => known.extend(members),
            None => self.everywhere.push((subject, members)),
        }
    }

    /// Returns the conditions for all events: `current.pid == 3`, `current.pid in {0, 2..=4}`.
    fn conditions(&self) -> impl Iterator<Item = String> {
        self.everywhere.iter().map(|(subject, members)| match members.as_slice() {
            [only] if !only.contains('.') => format!("{subject} == {only}"),
            members => format!("{subject} in {{{}}}", members.join(", ")),
        })
    }

    /// Leaves an event out of the patterns.
    pub(super) fn exclude(&mut self, event: &str) {
        self.excluded.push(written(event));
    }

    /// Adds a clause, without its semicolon.
    pub(super) fn clause(&mut self, clause: String) {
        if !self.clauses.contains(&clause) {
            self.clauses.push(clause);
        }
    }

    /// Says that `what` is left out, and why.
    pub(super) fn leave_out(&mut self, what: &str, why: &str) {
        let said = format!("{what} is left out: {why}");
        if !self.left_out.contains(&said) {
            self.left_out.push(said);
        }
    }

    /// Says that `what`, which narrows what is recorded, is left out, and why.
    pub(super) fn widen(&mut self, what: &str, why: &str) {
        self.is_near = true;
        self.leave_out(what, why);
    }

    /// Says a difference of the translation, whose events or conditions are near ones.
    pub(super) fn differ(&mut self, said: &str) {
        self.is_near = true;
        self.remark(said);
    }

    /// Returns what a help says before the session: an order, or that the session is a near one.
    pub(crate) fn order(&self) -> &'static str {
        if self.is_near { NEAR } else { "write" }
    }

    /// Says how a session goes on or ends.
    pub(super) fn remark(&mut self, said: &str) {
        if !self.left_out.iter().any(|known| known == said) {
            self.left_out.push(said.to_owned());
        }
    }

    /// Adds something to do.
    pub(super) fn advise(&mut self, advice: impl Into<String>) {
        let advice = advice.into();
        if !self.advice.contains(&advice) {
            self.advice.push(advice);
        }
    }

    /// Returns the number of events so far.
    pub(super) fn count(&self) -> usize {
        self.events.len()
    }

    /// Returns what is left out, one sentence each.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let mut said = self.left_out.clone();
        if self.events.iter().any(|traced| traced.is_not_recorded) {
            said.push(
                "`on` records no event, as a file `trigger` does not: with `trace` in its place they are recorded"
                    .to_owned(),
            );
        }
        said
    }

    /// Returns what to do beside or instead of the session. It is never empty where there is no session.
    pub(crate) fn advice(&self) -> Vec<String> {
        if !self.advice.is_empty() || !self.events.is_empty() {
            return self.advice.clone();
        }
        let clauses =
            self.clauses.iter().map(|clause| format!("write `{clause};` beside the `trace` clauses"));
        let conditions = self
            .conditions()
            .map(|condition| format!("write `if {condition}` behind the events of a clause"));
        clauses.chain(conditions).chain([LIST.to_owned()]).collect()
    }

    /// Returns the session as the text of `-e`, or of a file. `None` if it has no events.
    pub(crate) fn session(&self, one_liner: bool) -> Option<String> {
        if self.events.is_empty() {
            return None;
        }
        let clauses = self.event_clauses();
        if let ([only], [], true) = (clauses.as_slice(), self.clauses.as_slice(), one_liner) {
            return Some(only.strip_prefix("trace ").unwrap_or(only).to_owned());
        }
        let mut text = String::new();
        for clause in clauses.iter().chain(&self.clauses) {
            text.push_str(clause);
            text.push_str(if clause.ends_with('}') && clause.contains("{ ") { " " } else { "; " });
        }
        Some(match one_liner {
            true => text.trim_end().trim_end_matches(';').to_owned(),
            false => format!("session my_session {{ {text}}}"),
        })
    }

    /// Returns one clause for all events that share what belongs to them.
    fn event_clauses(&self) -> Vec<String> {
        let mut groups: Vec<(Vec<&str>, Traced)> = Vec::new();
        for traced in &self.events {
            let shared = Traced { event: String::new(), ..traced.clone() };
            match groups.iter_mut().find(|(_, known)| *known == shared) {
                Some((events, _)) => events.push(&traced.event),
                None => groups.push((vec![&traced.event], shared)),
            }
        }
        groups.iter().map(|(events, shared)| self.event_clause(events, shared)).collect()
    }

    fn event_clause(&self, events: &[&str], shared: &Traced) -> String {
        let mut head = set(events);
        let excluded: Vec<&str> = self.excluded.iter().map(String::as_str).collect();
        if !excluded.is_empty() && events.iter().any(|event| event.contains('*')) {
            head.push_str(&format!(" except {}", set(&excluded)));
        }
        if !shared.having.is_empty() {
            head.push_str(&format!(" having {}", shared.having.join(", ")));
        }
        let condition =
            shared.condition.iter().cloned().chain(self.conditions()).reduce(|all, next| both(&all, &next));
        // The kernel calls the last trigger first: a stack is recorded before `traceoff` stops recording.
        let (off, others): (Vec<&String>, Vec<&String>) =
            shared.triggers.iter().partition(|trigger| trigger.starts_with("traceoff"));
        let triggers: Vec<String> =
            off.into_iter().chain(others).map(|trigger| format!("trigger {trigger};")).collect();
        match (condition, triggers.is_empty()) {
            (None, true) => format!("trace {head}"),
            (Some(condition), true) => format!("trace {head} if {condition}"),
            // Triggers of the kernel do not depend on the filter of their event.
            (Some(condition), false) if !shared.is_not_recorded => {
                format!("trace {head} {{ filter {condition}; {} }}", triggers.join(" "))
            }
            (_, false) => {
                let word = if shared.is_not_recorded { "on" } else { "trace" };
                format!("{word} {head} {{ {} }}", triggers.join(" "))
            }
        }
    }
}

/// Returns an event as the language writes it: patterns that are more than a `*` stand in quotes, and a system alone
/// gets its `:*`. Another word alone is an event.
pub(super) fn written(event: &str) -> String {
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_part = |text: &str| text == "*" || is_word(text);
    match event.split_once(':') {
        Some((system, name)) if is_part(system) && is_part(name) => event.to_owned(),
        Some((system, "")) if is_word(system) => format!("{system}:*"),
        None if event == "*" => "*:*".to_owned(),
        None if event_systems::find(event).is_some() => format!("{event}:*"),
        None if is_word(event) => event.to_owned(),
        // A pattern selects systems and events.
        None => {
            let beginning = event.split(['*', '?', '[']).next().unwrap_or_default();
            let pattern = event.replace(['"', '\\'], "");
            match event_systems::names().any(|system| system.starts_with(beginning)) {
                true => format!("\"{pattern}:*\""),
                false => format!("\"*:{pattern}\""),
            }
        }
        _ => format!("\"{}\"", event.replace(['"', '\\'], "")),
    }
}

fn set(events: &[&str]) -> String {
    match events {
        [only] => (*only).to_owned(),
        _ => format!("{{{}}}", events.join(", ")),
    }
}

/// Returns the condition that both hold.
pub(super) fn both(left: &str, right: &str) -> String {
    let part = |text: &str| if text.contains("||") { format!("({text})") } else { text.to_owned() };
    format!("{} && {}", part(left), part(right))
}
