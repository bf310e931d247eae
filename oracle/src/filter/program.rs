//! The comparisons of a filter and what joins them: `predicate_parse` and `filter_match_preds` in
//! kernel/trace/trace_events_filter.c.

use super::Refusal;
use super::ctype::is_space;
use super::predicate::{self, Scope};
use super::test::Test;
use tracec_kernel::condition::context::Context;
use tracec_kernel::tables::errno::{EINVAL, EPERM};
use tracec_kernel::tables::filter_errors::{
    INVALID_FILTER, NO_FILTER, TOO_MANY_CLOSE, TOO_MANY_OPEN, TOO_MANY_PREDS,
};

/// A filter as the kernel runs it: comparisons, each with a jump.
///
/// Behind the last step stand two ends: true, and then false. A jump leads to the step behind its target, so that one to
/// the last step ends in false.
///
/// What it computes is the tree that the text writes, where `!` binds closer than `&&` and that closer than `||`: a jump
/// leaves out just those steps that cannot change the result any more, and a comparison has no effect but its answer. The
/// kernel's own program is modelled all the same, because a connector at the end can leave it with a jump that leads
/// nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    steps: Vec<Step>,
}

/// `struct prog_entry`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    test: Test,
    /// The answer of the test that makes it jump.
    when: bool,
    /// The step to jump behind.
    target: usize,
}

impl Program {
    /// Parses a text that [`scan`](super::scan) has looked over.
    pub(super) fn parse(text: &[u8], scope: Scope<'_>) -> Result<Program, Refusal> {
        let mut parser = Parser {
            text,
            at: 0,
            invert: false,
            levels: Vec::new(),
            level: Level::default(),
            drafts: Vec::new(),
            open: Vec::new(),
        };
        parser.run(scope)?;
        parser.finish()
    }

    /// Whether a record passes.
    pub(super) fn matches(&self, record: &[u8], context: &dyn Context) -> bool {
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            if step.test.holds(record, context) == step.when {
                at = step.target;
            }
            at += 1;
        }
        at == self.steps.len()
    }
}

/// What a parenthesis keeps: an entry of `op_stack`.
#[derive(Clone, Copy, Default)]
struct Level {
    /// `INVERT`: an odd number of `!` stands before the parentheses.
    invert: bool,
    /// `PROCESS_AND`: a `&&` waits for what follows it.
    and: bool,
    /// `PROCESS_OR`: a `||` waits for all that follows it.
    or: bool,
}

/// A step that has no target yet, or has one.
struct Draft {
    test: Test,
    /// An odd number of `!` applies to the test.
    invert: bool,
    when: bool,
    target: Option<usize>,
}

/// What follows a comparison.
#[derive(PartialEq, Eq)]
enum After {
    /// `&&` or `||`: the next one.
    Connector,
    /// The end of the text.
    End,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    /// An odd number of `!` applies to what comes next.
    invert: bool,
    /// The levels around the one at hand.
    levels: Vec<Level>,
    level: Level,
    drafts: Vec<Draft>,
    /// The drafts without a target, the last one of all on top. The kernel strings them together by their targets.
    open: Vec<usize>,
}

impl Parser<'_> {
    /// The first pass. Leaves the drafts and which of them are open.
    fn run(&mut self, scope: Scope<'_>) -> Result<(), Refusal> {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                _ if is_space(byte) => self.at += 1,
                b'(' => {
                    self.at += 1;
                    self.levels.push(self.level);
                    self.level = Level { invert: self.invert, ..Level::default() };
                }
                // `is_not`
                b'!' if !matches!(self.text.get(self.at + 1), Some(b'=' | b'~')) => {
                    self.at += 1;
                    self.invert = !self.invert;
                }
                _ => {
                    let (test, end) = predicate::parse(self.text, self.at, scope)?;
                    self.at = end;
                    self.open.push(self.drafts.len());
                    self.drafts.push(Draft { test, invert: self.invert, when: false, target: None });
                    if self.after_comparison()? == After::End {
                        return self.check_closed(self.at + 1);
                    }
                }
            }
        }
        if !self.drafts.is_empty() && !scope.model.dangling_connector {
            return Err(Refusal::at(&INVALID_FILTER, self.at, EINVAL));
        }
        self.check_closed(self.at)
    }

    /// The scan has looked at all parentheses, but what it counts as one can be a part of a function's name here.
    fn check_closed(&self, position: usize) -> Result<(), Refusal> {
        match self.levels.is_empty() {
            true => Ok(()),
            false => Err(Refusal::at(&TOO_MANY_OPEN, position, EPERM)),
        }
    }

    /// Closes parentheses and resolves the connectors that bind closer than what comes next.
    fn after_comparison(&mut self) -> Result<After, Refusal> {
        loop {
            self.at += self.text[self.at..].iter().take_while(|&&byte| is_space(byte)).count();
            let (byte, next) = (self.text.get(self.at), self.text.get(self.at + 1));
            match byte {
                None | Some(b')') => {}
                Some(b'&' | b'|') if next == byte => {}
                Some(_) => return Err(Refusal::at(&TOO_MANY_PREDS, self.at, EPERM)),
            }
            self.invert = self.level.invert;
            if std::mem::take(&mut self.level.and) {
                self.resolve(self.invert);
            }
            if byte == Some(&b'&') {
                self.at += 2;
                self.level.and = true;
                return Ok(After::Connector);
            }
            if std::mem::take(&mut self.level.or) {
                self.resolve(!self.invert);
            }
            if byte == Some(&b'|') {
                self.at += 2;
                self.level.or = true;
                return Ok(After::Connector);
            }
            if byte.is_none() {
                return Ok(After::End);
            }
            self.at += 1;
            let around = self.levels.pop();
            self.level = around.ok_or_else(|| Refusal::at(&TOO_MANY_CLOSE, self.at, EPERM))?;
        }
    }

    /// `update_preds`: the draft before the last of the open ones jumps to where the last one does.
    fn resolve(&mut self, when: bool) {
        let Some(last) = self.open.pop() else { return };
        if let Some(before) = self.open.pop() {
            self.drafts[before].when = when;
            self.drafts[before].target = Some(last);
        }
        self.open.push(last);
    }

    /// The second and the third pass.
    fn finish(mut self) -> Result<Program, Refusal> {
        let count = self.drafts.len();
        let Some(last) = self.drafts.last_mut() else {
            return Err(Refusal::at(&NO_FILTER, self.text.len(), EINVAL));
        };
        // To the end that is false.
        last.target = Some(count);
        // From the end on, a jump to a step that would jump as well goes where that one does.
        for at in (0..count - 1).rev() {
            let Some(target) = self.drafts[at].target else { continue };
            if self.drafts[at].when == self.drafts[target].when {
                self.drafts[at].target = self.drafts[target].target;
            }
        }
        let steps = self.drafts.into_iter().map(Draft::step).collect::<Option<_>>();
        Ok(Program { steps: steps.ok_or(Refusal::unexplained(EINVAL))? })
    }
}

impl Draft {
    /// `None` if the step leads nowhere: a connector at the end of the text has kept the one before it from being
    /// resolved, as in `a || b &&`. The kernel finds a jump that does not go forward, warns (`WARN_ON`) and refuses.
    /// For the first of such steps it looks at the memory in front of its array, so that chance could make it take the
    /// text, with a jump to anywhere.
    fn step(self) -> Option<Step> {
        Some(Step { test: self.test, when: self.when != self.invert, target: self.target? })
    }
}
