//! Parameters, `include` and `when`: a session becomes one list of clauses, each with the names it sees.
//!
//! An included session's clauses replace the `include`, with its parameters set. A `when` is replaced by its clauses
//! for this kernel; those for other kernels are not checked.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::{FileId, Span, Spanned};
use tracec_grammar::syntax::{Argument, Clause, ClauseKind, Name, Session, TypeRef};

use super::events::Finder;
use super::feature;
use super::names::{Names, NamesId};
use crate::constant::{ConstType, Failure, const_type, convert};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::definition::Value;
use crate::load::{Parameter, Program, SessionId};

/// The greatest depth of includes.
const MAX_INCLUDE_DEPTH: usize = 64;

/// The greatest number of clauses and parameters that `include` may bring into all sessions of a text together. Two
/// includes per level double the number: a text of one kilobyte could ask for more than any machine holds.
pub(crate) const MAX_INCLUDED: usize = 100_000;

/// The shared state of the expansion of all sessions of a program.
#[derive(Debug)]
pub struct Inclusion<'p> {
    /// The sessions of every text by name; of two with the same name the first.
    sessions: FxHashMap<(FileId, &'p str), (SessionId, &'p Session)>,
    /// The number of clauses and parameters that were included.
    taken: usize,
    /// Whether the limit was exceeded, which has been reported.
    exhausted: bool,
    /// The circles that were reported, each by the spans of its includes.
    circles: FxHashSet<Vec<Span>>,
}

impl<'p> Inclusion<'p> {
    /// Returns a state in which nothing is included yet.
    pub fn new(program: &'p Program) -> Self {
        let mut sessions = FxHashMap::default();
        for (id, session) in program.iter().flat_map(|(file, _)| program.sessions(file)) {
            if let Some(name) = &session.name {
                sessions.entry((id.file, name.value.as_str())).or_insert((id, session));
            }
        }
        Inclusion { sessions, taken: 0, exhausted: false, circles: FxHashSet::default() }
    }

    /// Returns how many clauses and parameters were included.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Counts some more clauses and parameters; returns whether the limit allows them.
    fn take(&mut self, count: usize) -> bool {
        self.taken = self.taken.saturating_add(count);
        self.taken <= MAX_INCLUDED
    }
}

/// The values that a session gets from outside.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// By the names of its parameters.
    pub set: Vec<Parameter>,
    /// Whether a parameter without any value is left open: it has its type, and expressions that depend on it are not
    /// checked. Sessions that others include are checked so.
    pub open: bool,
}

/// A clause and the names it sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visible<'p> {
    /// The clause; never an `include` or a `when`.
    pub clause: &'p Clause,
    /// Index into [`Expanded::names`].
    pub names: NamesId,
}

/// A session as one list of clauses.
#[derive(Debug, PartialEq)]
pub struct Expanded<'p> {
    /// The name of the session that was asked for; `-e` for a one-liner.
    pub name: &'p str,
    /// The span of its declaration.
    pub span: Span,
    /// The span of the declaration up to the name.
    pub head: Span,
    /// Its clauses and those of the sessions it includes, in order.
    pub clauses: Vec<Visible<'p>>,
    /// The names that the clauses can use: one entry per session that is part of it.
    pub names: Vec<Names<'p>>,
    /// Whether a parameter was left open, so that not everything can be checked.
    pub open: bool,
    /// Whether its text and those of the sessions it includes could be read. After a syntax error a condition may
    /// differ from the one written: it is neither checked nor shown.
    pub readable: bool,
    /// Whether it is readable, and everything it names exists. What does not exist has been reported. What stands outside of
    /// the sessions does not count.
    pub complete: bool,
}

impl<'p> Expanded<'p> {
    /// Returns the names that a clause can use.
    pub fn names_of(&self, visible: &Visible<'p>) -> &Names<'p> {
        &self.names[visible.names.0 as usize]
    }
}

/// Expands a session of the main text.
pub fn expand<'p>(
    (id, session): (SessionId, &'p Session),
    program: &'p Program,
    arguments: &Arguments,
    inclusion: &mut Inclusion<'p>,
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Expanded<'p> {
    let mut expander = Expander {
        program,
        // Most sessions include no other.
        names: Vec::with_capacity(1),
        texts: Vec::with_capacity(1),
        clauses: Vec::with_capacity(session.clauses.len()),
        readable: true,
        complete: true,
        open: Vec::new(),
        inclusion,
        finder,
    };
    let given = arguments.set.iter();
    let given = given.map(|set| Given {
        name: &set.name,
        value: set.value.clone(),
        span: set.span,
        value_span: set.span,
    });
    let asks = Asks::Outside { open: arguments.open };
    let params = expander.parameters(session, id.file, given.collect(), asks, diagnostics);
    let open = arguments.open && params.iter().any(|param| param.is_open);
    expander.session((id, session), params, None, diagnostics);
    let Expander { clauses, names, readable, complete, .. } = expander;
    let name = session.name.as_ref().map_or("-e", |name| &name.value);
    let (span, head) = (session.span, session.head());
    Expanded { name, span, head, clauses, names, open, readable, complete: readable && complete }
}

/// A value for a parameter, from outside the session.
struct Given<'a> {
    name: &'a str,
    /// The value; `None` where it has a mistake, which has been reported.
    value: Option<Value>,
    /// The span of its name.
    span: Span,
    /// The span of its value.
    value_span: Span,
}

/// The origin of a request for a session, which gives its parameters their values.
#[derive(Clone, Copy)]
enum Asks {
    /// The command line; `open` says whether a parameter may stay without a value.
    Outside { open: bool },
    /// The `include` at this span.
    Include(Span),
}

/// A parameter of a session that is expanded.
struct Param<'p> {
    name: &'p str,
    /// The value; `None` where it is open, or has a mistake that was reported.
    value: Option<Value>,
    /// Whether it was given no value and needs none.
    is_open: bool,
}

struct Expander<'p, 'f, 'k> {
    program: &'p Program,
    names: Vec<Names<'p>>,
    /// The text of each entry of `names`.
    texts: Vec<FileId>,
    clauses: Vec<Visible<'p>>,
    readable: bool,
    complete: bool,
    /// The sessions that are being expanded, outermost first, each with the `include` that names it.
    open: Vec<(SessionId, Option<Span>)>,
    inclusion: &'f mut Inclusion<'p>,
    finder: &'f mut Finder<'k>,
}

impl<'p> Expander<'p, '_, '_> {
    fn session(
        &mut self,
        (own, session): (SessionId, &'p Session),
        params: Vec<Param<'p>>,
        include: Option<Span>,
        diagnostics: &mut Diagnostics,
    ) {
        let id = NamesId(self.names.len() as u32);
        self.readable &= !self.program[own.file].has_unread(session.span);
        let mut names = Names::of(self.program, own.file);
        for param in params {
            names.set(param.name, param.value);
        }
        self.names.push(names);
        self.texts.push(own.file);
        self.open.push((own, include));
        self.list(&session.clauses, id, diagnostics);
        self.open.pop();
    }

    /// Appends clauses. Recursion follows the blocks of `when`, whose depth the grammar limits, and `include`, which is
    /// limited here.
    fn list(&mut self, clauses: &'p [Clause], names: NamesId, diagnostics: &mut Diagnostics) {
        for clause in clauses {
            match &clause.kind {
                ClauseKind::Include { session, args } => {
                    self.complete &= self.include(session, args, names, diagnostics).is_some();
                }
                ClauseKind::When(when) => match feature::holds(&when.feature, self.finder, diagnostics) {
                    Some(true) => self.list(&when.then, names, diagnostics),
                    Some(false) => {
                        self.list(when.otherwise.as_deref().unwrap_or_default(), names, diagnostics);
                    }
                    None => self.complete = false,
                },
                _ => self.clauses.push(Visible { clause, names }),
            }
        }
    }

    /// Replaces an `include` by the clauses of its session. `None` has been reported.
    fn include(
        &mut self,
        path: &Spanned<Vec<Name>>,
        args: &'p [Argument],
        names: NamesId,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        if self.inclusion.exhausted {
            return None;
        }
        let from = self.texts[names.0 as usize];
        let (id, session) = self.find(path, from).map_err(|said| diagnostics.push(said)).ok()?;
        if let Some(first) = self.open.iter().position(|(open, _)| *open == id) {
            // Each session of a circle meets the same includes, beginning at a different one.
            let mut circle: Vec<Span> =
                self.open[first + 1..].iter().filter_map(|(_, include)| *include).collect();
            circle.push(path.span);
            circle.sort_unstable();
            if self.inclusion.circles.insert(circle) {
                let name = session.name.as_ref().map_or("-e", |name| &name.value);
                diagnostics.push(codes::include_cycle::include_cycle(path.span, name));
            }
            return None;
        }
        if self.open.len() >= MAX_INCLUDE_DEPTH {
            diagnostics.push(codes::include_too_deep::include_too_deep(path.span, MAX_INCLUDE_DEPTH));
            return None;
        }
        if !self.inclusion.take(1 + session.params.len() + weight(&session.clauses)) {
            self.inclusion.exhausted = true;
            diagnostics.push(codes::too_many_included::too_many_included(path.span, MAX_INCLUDED));
            return None;
        }
        let given = args
            .iter()
            .map(|arg| Given {
                name: &arg.name.value,
                value: self.names[names.0 as usize].value(arg.value, diagnostics),
                span: arg.name.span,
                value_span: self.names[names.0 as usize].exprs()[arg.value].span,
            })
            .collect();
        let params = self.parameters(session, id.file, given, Asks::Include(path.span), diagnostics);
        self.session((id, session), params, Some(path.span), diagnostics);
        Some(())
    }

    /// Returns the session that an `include` names: of this text, or of one that it imports. The error is the
    /// diagnostic for a name that has no session.
    fn find(&self, path: &Spanned<Vec<Name>>, from: FileId) -> Result<(SessionId, &'p Session), Diagnostic> {
        let program = self.program;
        let (file, name) = match path.value.as_slice() {
            [name] => (from, name),
            [import, name] => {
                let imports = &program[from].imports;
                let found = imports.iter().find(|known| known.name.value == import.value);
                let found = found.ok_or_else(|| {
                    let known = imports.iter().map(|import| import.name.value.as_str());
                    codes::unknown_import::unknown_import(import.span, &import.value, known.collect())
                })?;
                (found.file, name)
            }
            _ => return Err(codes::unknown_include::unknown_include(path.span, &joined(&path.value), &[])),
        };
        let found = self.inclusion.sessions.get(&(file, name.value.as_str()));
        found.copied().ok_or_else(|| {
            let names = program[file].parsed.file.sessions().filter_map(|session| session.name.as_ref());
            let known: Vec<&str> = names.map(|name| name.value.as_str()).collect();
            codes::unknown_include::unknown_include(name.span, &joined(&path.value), &known)
        })
    }

    /// Returns the values of a session's parameters: those given, else their defaults.
    fn parameters(
        &mut self,
        session: &'p Session,
        file: FileId,
        given: Vec<Given<'_>>,
        asks: Asks,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Param<'p>> {
        let mut used = vec![false; given.len()];
        let mut values: Vec<Param<'p>> = Vec::new();
        let mut firsts: FxHashMap<&str, Span> = FxHashMap::default();
        let mut given_for: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (index, given) in given.iter().enumerate() {
            given_for.entry(given.name).or_default().push(index);
        }
        // A default sees the constants of its file, not the other parameters.
        let scope = Names::of(self.program, file);
        for param in &session.params {
            let name = &param.name;
            let first = *firsts.entry(&name.value).or_insert(name.span);
            if first != name.span {
                let said = codes::duplicate_parameter::duplicate_parameter(name.span, first, &name.value);
                diagnostics.push(said);
                self.complete = false;
                continue;
            }
            let expected = param.ty.as_ref().and_then(|ty| match const_type(ty, &scope.scope(None)) {
                Ok(ConstType::Enum { id, .. }) => Some(scope.expected(id)),
                _ => None,
            });
            let default = param.default.map(|expr| (scope.value_among(expr, expected, diagnostics), expr));
            let mut is_open = false;
            let indices = given_for.get(name.value.as_str()).into_iter().flatten();
            let mut matching = indices.map(|&index| (index, &given[index]));
            let mut value = match (matching.next(), default) {
                (Some((index, given)), _) => {
                    used[index] = true;
                    given.value.clone().map(|value| (value, given.value_span))
                }
                (None, Some((value, expr))) => value.map(|value| (value, scope.exprs()[expr].span)),
                (None, None) => {
                    is_open = matches!(asks, Asks::Outside { open: true });
                    if !is_open {
                        let include = match asks {
                            Asks::Include(span) => Some(span),
                            Asks::Outside { .. } => None,
                        };
                        diagnostics.push(codes::missing_parameter::missing_parameter(
                            include.unwrap_or(param.span),
                            param.span,
                            &name.value,
                            include.is_none(),
                        ));
                    }
                    None
                }
            };
            for (index, again) in matching {
                used[index] = true;
                self.complete = false;
                let first = value.as_ref().map_or(name.span, |(_, span)| *span);
                diagnostics
                    .push(codes::duplicate_parameter::duplicate_parameter(again.span, first, again.name));
            }
            if let Some(ty) = &param.ty {
                value = typed(value, ty, &scope, diagnostics);
            }
            self.complete &= is_open || value.is_some();
            values.push(Param { name: &name.value, value: value.map(|(value, _)| value), is_open });
        }
        for (given, _) in given.iter().zip(&used).filter(|(_, used)| !**used) {
            let known: Vec<&str> = session.params.iter().map(|param| param.name.value.as_str()).collect();
            diagnostics.push(codes::unknown_parameter::unknown_parameter(given.span, given.name, &known));
            self.complete = false;
        }
        values
    }
}

/// Returns the value converted to the type of a parameter. `None` has been reported.
fn typed(
    value: Option<(Value, Span)>,
    ty: &TypeRef,
    names: &Names<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(Value, Span)> {
    let ty = const_type(ty, &names.scope(None)).map_err(Failure::from);
    let converted = ty.and_then(|ty| match value {
        Some((value, span)) => convert(value, &ty, span).map(|value| Some((value, span))),
        None => Ok(None),
    });
    converted.unwrap_or_else(|failure| {
        if let Failure::Mistake(said) = failure {
            diagnostics.push(*said);
        }
        None
    })
}

/// Returns the number of clauses, nested ones included: of a `when` both branches, whichever the kernel takes.
fn weight(clauses: &[Clause]) -> usize {
    let mut count = 0;
    let mut lists = vec![clauses];
    while let Some(list) = lists.pop() {
        count += list.len();
        for clause in list {
            match &clause.kind {
                ClauseKind::When(when) => {
                    lists.push(&when.then);
                    lists.extend(when.otherwise.as_deref());
                }
                ClauseKind::Global { clauses, .. } => lists.push(clauses),
                _ => {}
            }
        }
    }
    count
}

fn joined(path: &[Name]) -> String {
    path.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{KernelError, KernelSource, NoImports, SourceText};

    /// An empty kernel: no event is looked up here.
    struct Nothing;

    impl KernelSource for Nothing {
        fn read(&self, _path: &str) -> Result<Option<String>, KernelError> {
            Ok(None)
        }

        fn directories(&self, _path: &str) -> Result<Vec<String>, KernelError> {
            Ok(Vec::new())
        }

        fn describe(&self) -> String {
            "nothing".to_owned()
        }
    }

    /// Expands all sessions of a text, and returns the number of their clauses, the number that was counted, and the
    /// codes that were reported.
    fn expanded(text: &str) -> (usize, usize, Vec<&'static str>) {
        let text = SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false };
        let mut diagnostics = Diagnostics::default();
        let program = crate::load::load(&text, &NoImports, &Nothing, &mut diagnostics);
        let mut inclusion = Inclusion::new(&program);
        let mut finder = Finder::new(&Nothing);
        let mut clauses = 0;
        for session in program.sessions(FileId::MAIN) {
            let arguments = Arguments::default();
            let expanded =
                expand(session, &program, &arguments, &mut inclusion, &mut finder, &mut diagnostics);
            clauses += expanded.clauses.len() + expanded.names.len();
        }
        let codes = diagnostics.finish().iter().map(|diagnostic| diagnostic.code.id).collect();
        (clauses, inclusion.taken, codes)
    }

    /// Returns a text of sessions of which each includes the next so many times.
    fn levels(depth: usize, times: usize, last: &str) -> String {
        let level = |n: usize| {
            let includes = format!("include s{}; ", n + 1).repeat(times);
            format!("session s{n} {{ {includes}}}\n")
        };
        let links: String = (1..depth).map(level).collect();
        format!("{links}session s{depth} {{ {last} }}\n")
    }

    /// The work grows with the text up to the limit, and not beyond it: without the limit, the first of these would
    /// have 2^60 clauses.
    #[test]
    fn work_is_limited_however_sessions_include_each_other() {
        for (text, reported) in [
            (levels(60, 2, "clock mono;"), true),
            (levels(60, 2, ""), true),
            (levels(9, 10, "clock mono;"), true),
            (levels(2, 10_000, &"clock mono; ".repeat(1000)), true),
            (levels(2, 10_000, "clock mono;"), false),
            (levels(60, 1, "clock mono;"), false),
        ] {
            let (clauses, counted, codes) = expanded(&text);
            assert_eq!(codes.as_slice(), if reported { &["T0137"][..] } else { &[] }, "{}", &text[..40]);
            let written = text.matches(';').count() + text.matches("session").count();
            assert!(clauses <= MAX_INCLUDED + written, "{clauses} clauses");
            assert!(counted <= MAX_INCLUDED + written, "{counted} counted");
        }
    }
}
