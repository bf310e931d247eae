//! Parameters, `include` and `when`: a session becomes one list of clauses, each with the names it sees.
//!
//! An included session's clauses stand in the place of the `include`, with its parameters set. Of a `when`, the clauses
//! for this kernel stand in its place; those for other kernels are not looked at.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{Argument, Clause, ClauseKind, Name, Session, TypeRef};

use super::events::Finder;
use super::feature;
use super::names::{Names, NamesId};
use crate::check::definition::constant::{Failure, const_type, convert};
use crate::diagnostic::{Diagnostics, codes};
use crate::ir::definition::Value;
use crate::load::{ModuleId, Parameter, Program};

/// Sessions may include each other this deep.
const MAX_INCLUDE_DEPTH: usize = 64;

/// A clause and the names it sees.
#[derive(Clone, Copy, Debug)]
pub struct Visible<'p> {
    /// The clause; never an `include` or a `when`.
    pub clause: &'p Clause,
    /// Index into [`Expanded::names`].
    pub names: NamesId,
}

/// A session as one list of clauses.
#[derive(Debug)]
pub struct Expanded<'p> {
    /// The session that was asked for.
    pub session: &'p Session,
    /// Its clauses and those of the sessions it includes, in order.
    pub clauses: Vec<Visible<'p>>,
    /// What they can name: one entry per session that is part of it.
    pub names: Vec<Names<'p>>,
}

impl<'p> Expanded<'p> {
    /// What a clause can name.
    pub fn names_of(&self, visible: &Visible<'p>) -> &Names<'p> {
        &self.names[visible.names.0 as usize]
    }
}

/// Expands a session of the main text. `set` gives values to its parameters, by their names.
pub fn expand<'p>(
    session: &'p Session,
    program: &'p Program,
    set: &[Parameter],
    finder: &mut Finder<'_>,
    diagnostics: &mut Diagnostics,
) -> Expanded<'p> {
    let mut expander = Expander {
        program,
        names: Vec::new(),
        modules: Vec::new(),
        clauses: Vec::new(),
        open: Vec::new(),
        finder,
    };
    let given = set.iter().map(|set| Given { name: &set.name, value: set.value.clone(), place: set.span });
    let params = expander.parameters(session, ModuleId::MAIN, given.collect(), None, diagnostics);
    expander.session(session, ModuleId::MAIN, params, diagnostics);
    Expanded { session, clauses: expander.clauses, names: expander.names }
}

/// A value for a parameter, from outside the session.
struct Given<'a> {
    name: &'a str,
    /// `None` where it has a mistake, which has been reported.
    value: Option<Value>,
    place: Span,
}

struct Expander<'p, 'f, 'k> {
    program: &'p Program,
    names: Vec<Names<'p>>,
    /// The text of each entry of `names`.
    modules: Vec<ModuleId>,
    clauses: Vec<Visible<'p>>,
    /// The sessions that are being expanded, outermost first.
    open: Vec<&'p Session>,
    finder: &'f mut Finder<'k>,
}

impl<'p> Expander<'p, '_, '_> {
    fn session(
        &mut self,
        session: &'p Session,
        module: ModuleId,
        params: Vec<(String, Option<Value>)>,
        diagnostics: &mut Diagnostics,
    ) {
        let id = NamesId(self.names.len() as u32);
        let mut names = Names::of(&self.program[module]);
        for (name, value) in params {
            names.set(&name, value);
        }
        self.names.push(names);
        self.modules.push(module);
        self.open.push(session);
        self.list(&session.clauses, id, diagnostics);
        self.open.pop();
    }

    /// Recursion follows the blocks of `when`, whose depth the grammar limits, and `include`, limited here.
    fn list(&mut self, clauses: &'p [Clause], names: NamesId, diagnostics: &mut Diagnostics) {
        for clause in clauses {
            if diagnostics.is_full() {
                return;
            }
            match &clause.kind {
                ClauseKind::Include { session, args } => {
                    self.include(session, args, names, diagnostics);
                }
                ClauseKind::When(when) => match feature::holds(&when.feature, self.finder, diagnostics) {
                    Some(true) => self.list(&when.then, names, diagnostics),
                    Some(false) => {
                        self.list(when.otherwise.as_deref().unwrap_or_default(), names, diagnostics);
                    }
                    None => {}
                },
                _ => self.clauses.push(Visible { clause, names }),
            }
        }
    }

    fn include(
        &mut self,
        path: &Spanned<Vec<Name>>,
        args: &'p [Argument],
        names: NamesId,
        diagnostics: &mut Diagnostics,
    ) {
        let from = self.modules[names.0 as usize];
        let Some((session, module)) = self.find(path, from, diagnostics) else { return };
        if self.open.iter().any(|open| std::ptr::eq(*open, session)) {
            let name = session.name.as_ref().map_or("-e", |name| &name.value);
            diagnostics.push(codes::include_cycle::include_cycle(path.span, name));
            return;
        }
        if self.open.len() >= MAX_INCLUDE_DEPTH {
            diagnostics.push(codes::include_too_deep::include_too_deep(path.span, MAX_INCLUDE_DEPTH));
            return;
        }
        let given = args
            .iter()
            .map(|arg| Given {
                name: &arg.name.value,
                value: self.names[names.0 as usize].value(arg.value, diagnostics),
                place: arg.name.span,
            })
            .collect();
        let params = self.parameters(session, module, given, Some(path.span), diagnostics);
        self.session(session, module, params, diagnostics);
    }

    /// The session that an `include` names: of this module, or of one that it imports.
    fn find(
        &self,
        path: &Spanned<Vec<Name>>,
        from: ModuleId,
        diagnostics: &mut Diagnostics,
    ) -> Option<(&'p Session, ModuleId)> {
        let program = self.program;
        let (module, name) = match path.value.as_slice() {
            [name] => (from, name),
            [import, name] => {
                let imports = &program[from].imports;
                match imports.iter().find(|known| known.name.value == import.value) {
                    Some(found) => (found.module, name),
                    None => {
                        let known = imports.iter().map(|import| import.name.value.as_str());
                        let said = codes::unknown_import::unknown_import(
                            import.span,
                            &import.value,
                            known.collect(),
                        );
                        diagnostics.push(said);
                        return None;
                    }
                }
            }
            _ => {
                let written = joined(&path.value);
                let said = codes::unknown_include::unknown_include(path.span, &written, &[]);
                diagnostics.push(said);
                return None;
            }
        };
        let named = |session: &&Session| session.name.as_ref().is_some_and(|n| n.value == name.value);
        let found = program[module].parsed.file.sessions().find(named);
        if found.is_none() {
            let known: Vec<&str> = program[module]
                .parsed
                .file
                .sessions()
                .filter_map(|session| session.name.as_ref().map(|name| name.value.as_str()))
                .collect();
            let said = codes::unknown_include::unknown_include(name.span, &joined(&path.value), &known);
            diagnostics.push(said);
        }
        found.map(|session| (session, module))
    }

    /// The values of a session's parameters: those given, else their defaults. `include` is where the session is
    /// included.
    fn parameters(
        &mut self,
        session: &Session,
        module: ModuleId,
        given: Vec<Given<'_>>,
        include: Option<Span>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<(String, Option<Value>)> {
        let mut used = vec![false; given.len()];
        let mut values: Vec<(String, Option<Value>)> = Vec::new();
        // A default sees the constants of its file, not the other parameters.
        let scope = Names::of(&self.program[module]);
        for param in &session.params {
            let name = &param.name;
            if let Some(first) = session.params.iter().find(|first| first.name.value == name.value)
                && first.name.span != name.span
            {
                let said =
                    codes::duplicate_parameter::duplicate_parameter(name.span, first.name.span, &name.value);
                diagnostics.push(said);
                continue;
            }
            let default = param.default.map(|expr| (scope.value(expr, diagnostics), expr));
            let mut matching = given.iter().enumerate().filter(|(_, given)| given.name == name.value);
            let mut value = match (matching.next(), default) {
                (Some((index, given)), _) => {
                    used[index] = true;
                    given.value.clone().map(|value| (value, given.place))
                }
                (None, Some((value, expr))) => value.map(|value| (value, scope.exprs()[expr].span)),
                (None, None) => {
                    diagnostics.push(codes::missing_parameter::missing_parameter(
                        include.unwrap_or(param.span),
                        param.span,
                        &name.value,
                        include.is_none(),
                    ));
                    None
                }
            };
            for (index, again) in matching {
                used[index] = true;
                let first = value.as_ref().map_or(name.span, |(_, place)| *place);
                diagnostics.push(codes::duplicate_parameter::duplicate_parameter(
                    again.place,
                    first,
                    again.name,
                ));
            }
            if let Some(ty) = &param.ty {
                value = typed(value, ty, &scope, diagnostics);
            }
            values.push((name.value.clone(), value.map(|(value, _)| value)));
        }
        for (given, _) in given.iter().zip(&used).filter(|(_, used)| !**used) {
            let known: Vec<&str> = session.params.iter().map(|param| param.name.value.as_str()).collect();
            diagnostics.push(codes::unknown_parameter::unknown_parameter(given.place, given.name, &known));
        }
        values
    }
}

/// The value as one of a parameter's type. `None` has been reported.
fn typed(
    value: Option<(Value, Span)>,
    ty: &TypeRef,
    names: &Names<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(Value, Span)> {
    let ty = const_type(ty, names.scope(None).constants);
    let converted = ty.and_then(|ty| match value {
        Some((value, place)) => convert(value, &ty, place).map(|value| Some((value, place))),
        None => Ok(None),
    });
    converted.unwrap_or_else(|failure| {
        if let Failure::Mistake(said) = failure {
            diagnostics.push(*said);
        }
        None
    })
}

fn joined(path: &[Name]) -> String {
    path.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join("::")
}
