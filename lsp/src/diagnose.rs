//! The thread that checks documents, and answers what depends on the check.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;

use gen_lsp_types::{HoverParams, Range};
use lsp_server::{ErrorCode, Request};
use serde_json::json;
use tracec_compiler::diagnostic::Code;
use tracec_compiler::diagnostic::merge::merge;
use tracec_compiler::ir::KnownConditions;
use tracec_compiler::recheck::{Combined, Found, Outline, Recheck, Rest, Version};
use tracec_compiler::{Analysis, Choice, Input, Severity, analyse};
use tracec_grammar::{Parsed, parse, reparse};

use crate::abilities::Abilities;
use crate::answer::{Surroundings, document};
use crate::client::{Answer, Client, Level, error, written};
use crate::diagnostics::{FileDiagnostics, LspDiagnostic, render};
use crate::document::Document;
use crate::event_set::EventSets;
use crate::files::{Documents, Overlay, source};
use crate::position::Lines;
use crate::programs::Programs;
use crate::request;
use crate::request::inlay_hint::ShownHints;
use crate::server;
use crate::task::{Task, Worker};
use crate::uri;
use crate::workspace::Workspace;
use crate::world::{Remembered, World};

/// The result of the check of one document.
pub(crate) struct Checked {
    /// The document.
    pub(crate) document: Arc<Document>,
    /// The diagnostics of each of its texts, the document's own first.
    pub(crate) diagnostics: Vec<FileDiagnostics>,
    /// The analysis for the first kernel.
    pub(crate) analysis: Analysis,
    /// What was found for each kernel.
    found: Vec<OfKernel>,
    /// Where the declarations of the document stand.
    outline: Outline,
    /// Whether something else than the document has changed since.
    is_stale: bool,
    /// The sessions that the analysis has, by their index, if it does not have all of them.
    analysed: Option<Vec<usize>>,
}

/// What was found for one kernel.
struct OfKernel {
    /// What it is called.
    label: String,
    found: Found,
    /// What the next check need not type again.
    conditions: KnownConditions,
}

/// The result of the check of a version of a document before, without its analysis.
struct Old {
    document: Arc<Document>,
    found: Vec<OfKernel>,
    outline: Outline,
    is_stale: bool,
}

impl Checked {
    /// Returns what the next check needs, and the syntax. Each check may take much memory: that of the analysis is freed.
    fn into_old(self) -> Option<(Old, Parsed)> {
        let Checked { document, found, outline, is_stale, analysis, .. } = self;
        let syntax = analysis.texts.into_iter().next()?.parsed;
        Some((Old { document, found, outline, is_stale }, syntax))
    }

    /// Returns the diagnostics of the document itself.
    pub(crate) fn own(&self) -> &[LspDiagnostic] {
        self.diagnostics.first().map_or(&[], |file| &file.diagnostics)
    }

    /// Returns whether the document has a mistake on the first kernel.
    pub(crate) fn has_errors(&self) -> bool {
        let found = self.found.first().map_or(&[][..], |of| &of.found.diagnostics);
        found.iter().any(|said| said.severity == Severity::Error)
    }

    /// Returns whether it imports the text with this name.
    fn imports(&self, name: &str) -> bool {
        let mut inputs = self.analysis.inputs.iter().map(|id| self.analysis.sources.file(*id));
        inputs.any(|text| text.name == name)
    }
}

/// The state of the thread.
pub(crate) struct Diagnoser<'c> {
    client: &'c Client,
    world: Arc<dyn World>,
    abilities: Abilities,
    workspace: Arc<Workspace>,
    kernels: Vec<Remembered>,
    generation: u64,
    documents: Documents,
    /// The names of the documents that have to be checked, the one that was changed last at the end.
    dirty: Vec<String>,
    /// The names of the documents whose text is not known.
    lost: BTreeSet<String>,
    checked: BTreeMap<String, Checked>,
    /// The hints that were last shown of each document.
    hints: BTreeMap<String, ShownHints>,
    /// What was last sent of each file, by its URI. An empty list is not kept.
    sent: BTreeMap<String, Vec<LspDiagnostic>>,
}

impl<'c> Diagnoser<'c> {
    /// Opens the kernels, and says which ones if they are not those that were asked for.
    pub(crate) fn new(
        client: &'c Client,
        world: Arc<dyn World>,
        abilities: Abilities,
        workspace: Arc<Workspace>,
    ) -> Self {
        let mut diagnoser = Diagnoser {
            client,
            abilities,
            workspace,
            kernels: Vec::new(),
            generation: world.generation(),
            world,
            documents: Documents::new(),
            dirty: Vec::new(),
            lost: BTreeSet::new(),
            checked: BTreeMap::new(),
            hints: BTreeMap::new(),
            sent: BTreeMap::new(),
        };
        diagnoser.open();
        diagnoser
    }

    fn open(&mut self) {
        let opened = self.world.kernels();
        for notice in &opened.notices {
            self.client.show(Level::Info, notice);
        }
        self.kernels = Remembered::all(opened.kernels);
    }

    /// Marks a document.
    fn soil(&mut self, name: String) {
        self.dirty.retain(|other| *other != name);
        self.dirty.push(name);
    }

    /// Analyses some sessions of a document, whose syntax is known, for a kernel.
    fn analysis(
        &self,
        document: &Document,
        syntax: Parsed,
        choice: Choice<'_>,
        conditions: Option<&Cell<KnownConditions>>,
        kernel: &Remembered,
    ) -> Analysis {
        let text = source(document);
        let imports = Overlay { documents: &self.documents, files: self.world.imports(&document.name) };
        let syntax = Cell::new(Some(syntax));
        let input =
            Input { imports: &imports, syntax: Some(&syntax), conditions, ..Input::new(&text, kernel) };
        analyse(input, choice)
    }

    /// Checks a document against each kernel.
    fn check(&self, document: &Arc<Document>, old: Option<Checked>) -> Option<Checked> {
        let Some(old) = old else {
            let syntax = parse(&document.text);
            let outline = Outline::of(&syntax);
            return self.check_all(document, syntax, outline);
        };
        // An edit that waited was undone by the next one.
        if !old.is_stale && old.document.text == document.text {
            return Some(Checked { document: Arc::clone(document), ..old });
        }
        let (old, known) = old.into_old()?;
        let syntax = reparse(known, &old.document.text, &document.text);
        let outline = Outline::of(&syntax);
        match if old.is_stale { Err(syntax) } else { self.check_again(document, old, syntax, &outline) } {
            Ok((analysis, found, analysed)) => {
                let analysed = Some(analysed);
                Some(Checked { analysed, ..self.checked(document, found, analysis, outline) })
            }
            Err(syntax) => self.check_all(document, syntax, outline),
        }
    }

    /// Checks all of a document with this syntax.
    fn check_all(&self, document: &Arc<Document>, mut syntax: Parsed, outline: Outline) -> Option<Checked> {
        let mut found = Vec::new();
        let mut first = None;
        for (index, kernel) in self.kernels.iter().enumerate() {
            let is_last = index + 1 == self.kernels.len();
            let syntax = if is_last { take(&mut syntax) } else { syntax.clone() };
            let conditions = Cell::default();
            let analysis = self.analysis(document, syntax, Choice::All, Some(&conditions), kernel);
            let (label, conditions) = (kernel.label.clone(), conditions.take());
            found.push(OfKernel { label, found: analysis.found(kernel), conditions });
            first.get_or_insert(analysis);
        }
        Some(self.checked(document, found, first?, outline))
    }

    /// Checks what an edit may concern, if that is not all of a document: returns the analysis of the first kernel, what was
    /// found for each, and the sessions that were checked.
    ///
    /// # Errors
    /// The syntax, where all of the document has to be checked.
    fn check_again(
        &self,
        document: &Document,
        mut old: Old,
        mut syntax: Parsed,
        outline: &Outline,
    ) -> Result<(Analysis, Vec<OfKernel>, Vec<usize>), Parsed> {
        let before = Version { text: &old.document.text, outline: &old.outline };
        let after = Version { text: &document.text, outline };
        let known: Vec<KnownConditions> = old.found.iter_mut().map(|of| take(&mut of.conditions)).collect();
        let found: Vec<&Found> = old.found.iter().map(|of| &of.found).collect();
        let Some(mut recheck) = Recheck::new(before, after, &found) else { return Err(syntax) };
        let known: Vec<Cell<KnownConditions>> =
            known.into_iter().map(|known| Cell::new(recheck.known(known))).collect();
        'again: loop {
            let sessions = recheck.sessions();
            let mut found = Vec::new();
            let mut first: Option<Analysis> = None;
            for ((kernel, old), known) in self.kernels.iter().zip(&old.found).zip(&known) {
                let rest = recheck.rest(&old.found);
                let choice = Choice::Again(&sessions, &rest);
                let mut analysis = self.analysis(document, syntax, choice, Some(known), kernel);
                let combined = recheck.combine(&old.found, analysis.found(kernel));
                syntax = analysis.texts.first_mut().map(|text| take(&mut text.parsed)).unwrap_or_default();
                match combined {
                    Combined::Found(all) => found.push((old.label.clone(), all)),
                    Combined::More => continue 'again,
                    Combined::All => return Err(syntax),
                }
                first.get_or_insert(analysis);
            }
            let Some(mut analysis) = first else { return Err(syntax) };
            if let Some(text) = analysis.texts.first_mut() {
                text.parsed = syntax;
            }
            let found = found.into_iter().zip(known);
            let found = found.map(|((label, found), conditions)| OfKernel {
                label,
                found,
                conditions: conditions.into_inner(),
            });
            return Ok((analysis, found.collect(), sessions));
        }
    }

    /// Returns the check of a document in which this was found.
    fn checked(
        &self,
        document: &Arc<Document>,
        found: Vec<OfKernel>,
        analysis: Analysis,
        outline: Outline,
    ) -> Checked {
        let merged = match found.as_slice() {
            [_] => None,
            _ => {
                let all = found.iter().map(|of| (of.label.clone(), of.found.diagnostics.clone()));
                Some(merge(all.collect()))
            }
        };
        let diagnostics = match (&merged, found.first()) {
            (Some(merged), _) => merged.as_slice(),
            (None, Some(only)) => &only.found.diagnostics,
            (None, None) => &[],
        };
        let uri_of = |name: &str| self.uri_of(name);
        let rendered =
            render(&analysis.sources, diagnostics, self.abilities.encoding, &|text| uri_of(&text.name));
        let is_input = |index: usize| analysis.inputs.iter().any(|id| id.index() == index);
        let files = rendered.into_iter().enumerate().filter(|(index, _)| is_input(*index));
        Checked {
            document: Arc::clone(document),
            diagnostics: files.map(|(_, file)| file).collect(),
            analysis,
            found,
            outline,
            is_stale: false,
            analysed: None,
        }
    }

    /// Returns the check of the newest version of a document, with an analysis that has the sessions in a range.
    fn newest_at(&mut self, uri: &str, range: Range) -> Option<&Checked> {
        let encoding = self.abilities.encoding;
        self.newest(uri)?;
        let name = uri::name(uri);
        let checked = self.checked.get_mut(&name)?;
        if let Some(analysed) = &checked.analysed {
            let lines = Lines::new(&checked.document.text, encoding);
            let asked = checked.outline.at(&(lines.offset(range.start)..lines.offset(range.end)));
            let asked = checked.outline.with_includers(&checked.document.text, asked);
            if !asked.iter().all(|session| analysed.binary_search(session).is_ok()) {
                let syntax = take(&mut checked.analysis.texts.first_mut()?.parsed);
                let document = Arc::clone(&checked.document);
                let conditions = Cell::new(take(&mut checked.found.first_mut()?.conditions));
                let (choice, known) = (Choice::Again(&asked, &Rest::default()), Some(&conditions));
                let analysis = self.analysis(&document, syntax, choice, known, self.kernels.first()?);
                let checked = self.checked.get_mut(&name)?;
                checked.found.first_mut()?.conditions = conditions.take();
                (checked.analysis, checked.analysed) = (analysis, Some(asked));
            }
        }
        self.checked.get(&name)
    }

    /// Notes that something else than its own text has changed for a document.
    fn note_change_around(&mut self, name: &str) {
        if let Some(checked) = self.checked.get_mut(name) {
            checked.is_stale = true;
        }
    }

    /// Returns the URI of a text: that of the document, as the client writes it, if it is open.
    fn uri_of(&self, name: &str) -> String {
        self.documents.get(name).map_or_else(|| uri::uri(name), |document| document.uri.clone())
    }

    /// Checks a document, if it is not, and sends what was found.
    fn refresh(&mut self, name: &str) {
        self.dirty.retain(|dirty| dirty != name);
        if self.lost.contains(name) {
            return;
        }
        let Some(document) = self.documents.get(name).cloned() else { return };
        let uris = |checked: &Checked| -> Vec<String> {
            checked.diagnostics.iter().map(|file| file.uri.clone()).collect()
        };
        let old = self.checked.remove(name);
        let mut touched: BTreeSet<String> = old.as_ref().map(uris).into_iter().flatten().collect();
        let Some(checked) = self.check(&document, old) else { return };
        touched.extend(uris(&checked));
        touched.remove(&document.uri);
        self.checked.insert(name.to_owned(), checked);
        self.send(&document.uri, true);
        for uri in touched {
            self.send(&uri, false);
        }
    }

    /// Sends the diagnostics of a file: those of its own check, if it is open, and those of each document that imports it.
    /// `always` sends them even if they are the same as before, for a new version.
    fn send(&mut self, uri: &str, always: bool) {
        let open = self.documents.values().find(|document| document.uri == uri);
        let (mut found, version) = match open {
            Some(document) if self.lost.contains(&document.name) => return,
            // It is sent when it has been checked.
            Some(document) if self.dirty.contains(&document.name) => return,
            Some(document) => {
                let Some(checked) = self.checked.get(&document.name) else { return };
                (checked.own().to_vec(), Some(checked.document.version))
            }
            None => (Vec::new(), None),
        };
        // An importer that waits for its own check may have seen an older text of an open document.
        let knows = |name: &String| open.is_none() || !self.dirty.contains(name);
        let importers = self.checked.iter().filter(|(name, _)| knows(name)).map(|(_, checked)| checked);
        let files = importers.flat_map(|checked| checked.diagnostics.iter().skip(1));
        for said in files.filter(|file| file.uri == uri).flat_map(|file| &file.diagnostics) {
            if !found.contains(said) {
                found.push(said.clone());
            }
        }
        let known = self.sent.get(uri).map_or(&[][..], Vec::as_slice);
        if !always && known == found.as_slice() {
            return;
        }
        let shown: Vec<_> = found.iter().map(|said| self.abilities.shown(said)).collect();
        let mut params = json!({ "uri": uri, "diagnostics": shown });
        if let (Some(version), Some(params)) = (version, params.as_object_mut()) {
            params.insert("version".to_owned(), version.into());
        }
        self.client.notify("textDocument/publishDiagnostics", params);
        if found.is_empty() {
            self.sent.remove(uri);
        } else {
            self.sent.insert(uri.to_owned(), found);
        }
    }

    /// Marks the documents that import a text.
    fn soil_importers(&mut self, name: &str) {
        let importers = self.checked.iter().filter(|(of, checked)| *of != name && checked.imports(name));
        let importers: Vec<String> = importers.map(|(of, _)| of.clone()).collect();
        for importer in importers {
            self.note_change_around(&importer);
            // The one that was edited is checked first.
            if !self.dirty.contains(&importer) {
                self.dirty.insert(0, importer);
            }
        }
    }

    /// Marks the documents that lack an import, or import a text that does: one that was opened may be it.
    fn soil_unresolved(&mut self) {
        let code = Code::find("import-failed").map(|code| code.id);
        let lacks = |checked: &Checked| {
            let mut all = checked.diagnostics.iter().flat_map(|file| &file.diagnostics);
            all.any(|said| Some(said.code.as_str()) == code)
        };
        let all: Vec<String> =
            self.checked.iter().filter(|(_, checked)| lacks(checked)).map(|(name, _)| name.clone()).collect();
        for name in all {
            self.note_change_around(&name);
            if !self.dirty.contains(&name) {
                self.dirty.insert(0, name);
            }
        }
    }

    fn close(&mut self, uri: &str) {
        let name = uri::name(uri);
        self.lost.remove(&name);
        let Some(document) = self.documents.remove(&name) else { return };
        self.dirty.retain(|dirty| *dirty != name);
        self.hints.remove(&name);
        let old = self.checked.remove(&name);
        self.soil_importers(&name);
        let others = old.iter().flat_map(|old| &old.diagnostics).map(|file| file.uri.clone());
        let others: BTreeSet<String> = others.chain([document.uri.clone()]).collect();
        for uri in others {
            self.send(&uri, false);
        }
    }

    fn hover(&mut self, params: serde_json::Value, is_wanted: &dyn Fn() -> bool) -> Answer {
        let params: HoverParams = server::params(params)?;
        let uri = params.text_document_position_params.text_document.uri;
        let position = params.text_document_position_params.position;
        self.newest_at(uri.as_ref(), Range { start: position, end: position });
        let (Some(checked), Some(kernel)) =
            (self.checked.get(&uri::name(uri.as_ref())), self.kernels.first())
        else {
            return written(&serde_json::Value::Null);
        };
        let of = Surroundings {
            document: &checked.document,
            documents: &self.documents,
            kernel,
            kernels: &self.kernels,
            abilities: self.abilities,
            workspace: &self.workspace,
            world: &*self.world,
            // The check has read the document.
            programs: &Programs::default(),
            event_sets: &EventSets::default(),
            lost: &self.lost,
            is_wanted,
        };
        request::hover::answer(position, &of, checked, self.shown(uri.as_ref()))
    }

    /// Answers with the hints of an open document.
    fn hints(&mut self, params: serde_json::Value) -> Answer {
        let uri = params.pointer("/textDocument/uri").and_then(|uri| uri.as_str());
        let name = uri.map(uri::name).unwrap_or_default();
        let mut shown = self.hints.remove(&name).unwrap_or_default();
        let first = self.kernels.first().map(|kernel| kernel.label.clone());
        let kernel = first.filter(|_| self.kernels.len() > 1);
        let encoding = self.abilities.encoding;
        let answer =
            request::inlay_hint::answer(params, encoding, kernel.as_deref(), &mut shown, |uri, range| {
                self.newest_at(uri, range)
            });
        self.hints.insert(name, shown);
        answer
    }

    /// Returns the diagnostics that are shown of an open document: its own, and those that its importers found.
    fn shown(&self, uri: &str) -> &[LspDiagnostic] {
        let document = self.documents.get(&uri::name(uri));
        document.and_then(|document| self.sent.get(&document.uri)).map_or(&[], Vec::as_slice)
    }

    /// Returns the check of the newest version of a document.
    fn newest(&mut self, uri: &str) -> Option<&Checked> {
        let name = uri::name(uri);
        if self.dirty.contains(&name) {
            self.refresh(&name);
        }
        self.checked.get(&name)
    }
}

impl Worker for Diagnoser<'_> {
    fn change(&mut self, task: Task) {
        match task {
            Task::Changed(document) => {
                let name = document.name.clone();
                self.lost.remove(&name);
                if self.documents.insert(name.clone(), document).is_none() {
                    self.soil_unresolved();
                }
                self.soil_importers(&name);
                self.soil(name);
            }
            // What waits to be checked is not what the client has.
            Task::Lost(uri) => {
                let name = uri::name(&uri);
                self.dirty.retain(|dirty| *dirty != name);
                self.lost.insert(name);
            }
            Task::Closed(uri) => self.close(&uri),
            Task::FilesChanged => {
                let generation = self.world.generation();
                if generation != self.generation {
                    self.generation = generation;
                    self.open();
                }
                self.kernels.iter().for_each(Remembered::refresh);
                let all: Vec<String> = self.documents.keys().cloned().collect();
                for name in all {
                    self.note_change_around(&name);
                    if !self.dirty.contains(&name) {
                        self.dirty.insert(0, name);
                    }
                }
            }
            Task::Folders(workspace) => self.workspace = workspace,
            Task::Request(_) => {}
        }
    }

    fn answer(&mut self, request: &Request, is_wanted: &dyn Fn() -> bool) -> Answer {
        document(&self.documents, request)?;
        let abilities = self.abilities;
        let params = request.params.clone();
        match request.method.as_str() {
            request::code_action::METHOD => request::code_action::answer(params, abilities, |uri| {
                self.newest(uri)?;
                Some(self.shown(uri))
            }),
            request::hover::METHOD => self.hover(params, is_wanted),
            request::inlay_hint::METHOD => self.hints(params),
            other => Err(error(ErrorCode::MethodNotFound, format!("`{other}` is not supported"))),
        }
    }

    fn version(&self, uri: &str) -> Option<i32> {
        self.documents.get(&uri::name(uri)).map(|document| document.version)
    }

    fn idle(&mut self) -> bool {
        if let Some(name) = self.dirty.pop() {
            self.refresh(&name);
        }
        !self.dirty.is_empty()
    }
}
