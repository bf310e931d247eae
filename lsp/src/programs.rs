//! Documents as they are read, with what they import. Requests about one version of a document share what was read.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use tracec_compiler::Diagnostics;
use tracec_compiler::load::{Program, load};
use tracec_span::FileId;

use crate::document::Document;
use crate::files::{Documents, Overlay, source};
use crate::names::{self, Named};
use crate::world::{Remembered, World};

/// A document that was read.
pub(crate) struct ReadDocument {
    pub(crate) program: Program,
    names: OnceCell<Vec<(FileId, Vec<Named>)>>,
}

impl ReadDocument {
    /// Returns the names of each of its texts.
    pub(crate) fn names(&self) -> &[(FileId, Vec<Named>)] {
        self.names.get_or_init(|| names::of((&self.program).into()))
    }

    /// Returns the names of its own text.
    pub(crate) fn own_names(&self) -> &[Named] {
        let own = self.names().iter().find(|(file, _)| *file == FileId::MAIN);
        own.map_or(&[], |(_, names)| names)
    }
}

/// The documents that were read since the last change of any.
#[derive(Default)]
pub(crate) struct Programs(RefCell<BTreeMap<String, Rc<ReadDocument>>>);

impl Programs {
    /// Returns a document as it is read, and reads it if that was not done yet.
    pub(crate) fn get(
        &self,
        document: &Document,
        documents: &Documents,
        world: &dyn World,
        kernel: &Remembered,
    ) -> Rc<ReadDocument> {
        if let Some(known) = self.0.borrow().get(&document.name) {
            return Rc::clone(known);
        }
        let program = read(document, documents, world, kernel);
        let read = Rc::new(ReadDocument { program, names: OnceCell::new() });
        self.0.borrow_mut().insert(document.name.clone(), Rc::clone(&read));
        read
    }

    /// Forgets what was read: it may depend on a document or a file that has changed.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

/// Reads a document with what it imports, some of which are other documents.
pub(crate) fn read(
    document: &Document,
    documents: &Documents,
    world: &dyn World,
    kernel: &Remembered,
) -> Program {
    let imports = Overlay { documents, files: world.imports(&document.name) };
    load(&source(document), &imports, kernel, &mut Diagnostics::default())
}
