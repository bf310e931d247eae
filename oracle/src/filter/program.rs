//! The comparisons of a filter and the connectors between them: `predicate_parse` and `filter_match_preds` in
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
/// Two ends follow the last step: true, and then false. A jump leads to the step after its target, so that one to the
/// last step ends in false.
///
/// It computes the tree that the text writes, where `!` binds closer than `&&` and that closer than `||`: a jump skips
/// just those steps that cannot change the result any more, and a comparison has no side effect. The kernel's own
/// program is modelled nevertheless, because a connector at the end can leave it with a jump without a valid target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    steps: Vec<Step>,
}

/// `struct prog_entry`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    test: Test,
    /// The result of the test that makes it jump.
    when: bool,
    /// The step to jump over.
    target: usize,
}

impl Program {
    /// Parses a text that [`scan`](super::scan) has checked.
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

    /// Returns whether a record passes.
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

/// The state of a parenthesis: an entry of `op_stack`.
#[derive(Clone, Copy, Default)]
struct Level {
    /// `INVERT`: an odd number of `!` stands before the parentheses.
    invert: bool,
    /// `PROCESS_AND`: a `&&` waits for the comparison that follows it.
    and: bool,
    /// `PROCESS_OR`: a `||` waits for everything that follows it.
    or: bool,
}

/// A step whose target may still be missing.
struct Draft {
    test: Test,
    /// Whether an odd number of `!` applies to the test.
    invert: bool,
    when: bool,
    target: Option<usize>,
}

/// The token after a comparison.
#[derive(PartialEq, Eq)]
enum After {
    /// `&&` or `||`: another comparison follows.
    Connector,
    /// The end of the text.
    End,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether an odd number of `!` applies to what comes next.
    invert: bool,
    /// The levels around the current one.
    levels: Vec<Level>,
    level: Level,
    drafts: Vec<Draft>,
    /// The drafts without a target, the last one on top. The kernel links them through their targets.
    open: Vec<usize>,
}

impl Parser<'_> {
    /// Runs the first pass, which makes the drafts and the list of open ones.
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

    /// Checks that parentheses are closed. The scan has checked all parentheses, but one that it counts can be a part
    /// of a function's name here.
    fn check_closed(&self, position: usize) -> Result<(), Refusal> {
        match self.levels.is_empty() {
            true => Ok(()),
            false => Err(Refusal::at(&TOO_MANY_OPEN, position, EPERM)),
        }
    }

    /// Closes parentheses and resolves the connectors that bind closer than the next token.
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

    /// Resolves as `update_preds`: the draft before the last of the open ones jumps to the target of the last one.
    fn resolve(&mut self, when: bool) {
        let Some(last) = self.open.pop() else { return };
        if let Some(before) = self.open.pop() {
            self.drafts[before].when = when;
            self.drafts[before].target = Some(last);
        }
        self.open.push(last);
    }

    /// Runs the second and the third pass.
    fn finish(mut self) -> Result<Program, Refusal> {
        let count = self.drafts.len();
        let Some(last) = self.drafts.last_mut() else {
            return Err(Refusal::at(&NO_FILTER, self.text.len(), EINVAL));
        };
        // To the end that is false.
        last.target = Some(count);
        // From the end, a jump to a step that would jump as well takes that step's target.
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
    /// Returns the step; `None` if it has no valid target: a connector at the end of the text has kept the one before
    /// it from being resolved, as in `a || b &&`. The kernel finds a jump that does not go forward, warns (`WARN_ON`)
    /// and refuses. For the first of such steps it reads the memory before its array, so that by chance it could accept
    /// the text, with a jump to any step.
    fn step(self) -> Option<Step> {
        Some(Step { test: self.test, when: self.when != self.invert, target: self.target? })
    }
}
