//! The thread that answers what does not depend on the check of a document.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use lsp_server::{ErrorCode, Request, ResponseError};

use crate::abilities::Abilities;
use crate::client::{Answer, error};
use crate::document::Document;
use crate::event_set::EventSets;
use crate::files::{Documents, Overlay};
use crate::position::Lines;
use crate::programs::{Programs, ReadDocument};
use crate::request;
use crate::task::{Task, Worker};
use crate::uri;
use crate::workspace::Workspace;
use crate::world::{Remembered, World};

/// The state of the thread.
pub(crate) struct Answerer {
    world: Arc<dyn World>,
    abilities: Abilities,
    workspace: Arc<Workspace>,
    kernels: Vec<Remembered>,
    generation: u64,
    documents: Documents,
    programs: Programs,
    event_sets: EventSets,
    /// The names of the documents whose text is not known.
    lost: BTreeSet<String>,
}

/// What an answer is made of.
pub(crate) struct Surroundings<'a> {
    pub(crate) document: &'a Document,
    pub(crate) documents: &'a Documents,
    /// The kernel that names are looked up in: the first one.
    pub(crate) kernel: &'a Remembered,
    /// All kernels.
    pub(crate) kernels: &'a [Remembered],
    pub(crate) abilities: Abilities,
    pub(crate) workspace: &'a Workspace,
    pub(crate) world: &'a dyn World,
    /// What was read of the documents.
    pub(crate) programs: &'a Programs,
    /// The events that were looked up.
    pub(crate) event_sets: &'a EventSets,
    /// The names of the open documents whose text is not known.
    pub(crate) lost: &'a BTreeSet<String>,
    /// Whether the answer is still wanted.
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
}

impl<'a> Surroundings<'a> {
    /// Returns the lines of the document.
    pub(crate) fn lines(&self) -> Lines<'a> {
        Lines::new(&self.document.text, self.abilities.encoding)
    }

    /// Returns the document as it is read, with what it imports.
    pub(crate) fn read(&self) -> Rc<ReadDocument> {
        self.programs.get(self.document, self.documents, self.world, self.kernel)
    }

    /// Returns some kernels to note, those that have something: none if all have it, or if that is not known.
    pub(crate) fn only(&self, having: &[&str]) -> Vec<String> {
        let is_shared = having.len() >= self.kernels.len();
        if is_shared { Vec::new() } else { having.iter().map(|label| (*label).to_owned()).collect() }
    }

    /// Returns the files that the document may import.
    pub(crate) fn imports(&self) -> Overlay<'a> {
        self.imports_of(&self.document.name)
    }

    /// Returns the files that another text may import.
    pub(crate) fn imports_of(&self, name: &str) -> Overlay<'a> {
        Overlay { documents: self.documents, files: self.world.imports(name) }
    }

    /// Checks that the text of every open document is known.
    ///
    /// # Errors
    /// A document whose text is not, a sentence.
    pub(crate) fn check_known(&self) -> Result<(), String> {
        self.lost.first().map_or(Ok(()), |lost| {
            let file = lost.rsplit('/').next().unwrap_or_default();
            Err(format!("an edit of `{file}` was not made, so its text is not known: open the file again"))
        })
    }

    /// Checks that the answer is still wanted.
    ///
    /// # Errors
    /// A sentence, which nobody reads.
    pub(crate) fn check_wanted(&self) -> Result<(), String> {
        if (self.is_wanted)() { Ok(()) } else { Err("the answer is not wanted any more".to_owned()) }
    }

    /// Returns the URI of a text.
    pub(crate) fn uri_of(&self, name: &str) -> String {
        self.documents.get(name).map_or_else(|| uri::uri(name), |document| document.uri.clone())
    }
}

/// Returns the document that a request is about.
///
/// # Errors
/// `InvalidParams`, if it is not open.
pub(crate) fn document<'d>(
    documents: &'d Documents,
    request: &Request,
) -> Result<&'d Arc<Document>, ResponseError> {
    let uri = request.params.pointer("/textDocument/uri").and_then(|uri| uri.as_str()).unwrap_or_default();
    let found = documents.get(&uri::name(uri));
    found.ok_or_else(|| error(ErrorCode::InvalidParams, format!("`{uri}` is not open")))
}

impl Answerer {
    pub(crate) fn new(world: Arc<dyn World>, abilities: Abilities, workspace: Arc<Workspace>) -> Self {
        let kernels = Remembered::all(world.kernels().kernels);
        let (generation, documents) = (world.generation(), Documents::new());
        Answerer {
            abilities,
            workspace,
            kernels,
            generation,
            world,
            documents,
            programs: Programs::default(),
            event_sets: EventSets::default(),
            lost: BTreeSet::new(),
        }
    }
}

impl Worker for Answerer {
    fn change(&mut self, task: Task) {
        self.programs.clear();
        match &task {
            Task::Changed(document) => self.event_sets.forget(Some(&document.name)),
            _ => self.event_sets.forget(None),
        }
        match task {
            Task::Changed(document) => {
                self.lost.remove(&document.name);
                self.documents.insert(document.name.clone(), document);
            }
            Task::Lost(uri) => _ = self.lost.insert(uri::name(&uri)),
            Task::Closed(uri) => {
                self.lost.remove(&uri::name(&uri));
                self.documents.remove(&uri::name(&uri));
            }
            Task::FilesChanged => {
                let generation = self.world.generation();
                if generation != self.generation {
                    self.generation = generation;
                    self.kernels = Remembered::all(self.world.kernels().kernels);
                }
                self.kernels.iter().for_each(Remembered::refresh);
            }
            Task::Folders(workspace) => self.workspace = workspace,
            Task::Request(_) => {}
        }
    }

    fn answer(&mut self, request: &Request, is_wanted: &dyn Fn() -> bool) -> Answer {
        let Some(answer) = request::find(&request.method) else {
            return Err(error(ErrorCode::MethodNotFound, format!("`{}` is not supported", request.method)));
        };
        let document = document(&self.documents, request)?;
        let Some(kernel) = self.kernels.first() else {
            return Err(error(ErrorCode::RequestFailed, "there is no kernel to read"));
        };
        let surroundings = Surroundings {
            document,
            documents: &self.documents,
            kernel,
            kernels: &self.kernels,
            abilities: self.abilities,
            workspace: &self.workspace,
            world: &*self.world,
            programs: &self.programs,
            event_sets: &self.event_sets,
            lost: &self.lost,
            is_wanted,
        };
        answer(request.params.clone(), &surroundings)
    }

    fn version(&self, uri: &str) -> Option<i32> {
        self.documents.get(&uri::name(uri)).map(|document| document.version)
    }

    fn idle(&mut self) -> bool {
        false
    }
}
