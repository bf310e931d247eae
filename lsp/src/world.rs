//! What the server reads besides the documents: kernels and files. The command gives it, so that this crate does no I/O.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tracec_compiler::source::{EventLayout, Functions, LayoutError, NameKind};
use tracec_compiler::{Imports, KernelError, KernelSource, SourceText};
use tracec_kernel::tables::features::Support;

/// The surroundings of the server. Each of its threads opens kernels of its own.
pub trait World: Send + Sync + 'static {
    /// Opens the kernels that texts are checked for; at least one.
    fn kernels(&self) -> Kernels;

    /// Returns a value that differs if [`kernels`](World::kernels) would open other ones than before.
    fn generation(&self) -> u64;

    /// Returns the files that the text called `main` may import.
    fn imports(&self, main: &str) -> Box<dyn Imports>;

    /// Returns the path of a file with this text, a module of the library, that an editor can open. `None` if there can
    /// be none.
    fn library(&self, name: &str, text: &str) -> Option<String>;

    /// Returns whether [`library`](World::library) made the file at a path.
    fn is_library(&self, path: &str) -> bool;

    /// Returns the texts of all `.trc` files in some directories and below them.
    ///
    /// # Errors
    /// The reason why some may be missing, a sentence.
    fn texts(&self, directories: &[String]) -> Result<Vec<SourceText>, String>;
}

/// Opened kernels.
pub struct Kernels {
    /// The kernels, each with its name for diagnostics that hold for some of several.
    pub kernels: Vec<(String, Box<dyn KernelSource>)>,
    /// What the user should know about the choice, a sentence; empty if they are what was asked for.
    pub notices: Vec<String>,
}

/// The bytes of files that are remembered of one kernel, at most.
const REMEMBERED: usize = 8 << 20;

/// A kernel whose files are read once. A text is checked after each edit, and names the same events as before.
pub(crate) struct Remembered {
    pub(crate) label: String,
    source: Box<dyn KernelSource>,
    /// Whether messages name it. Where there are several, the same mistake has the same message on each.
    is_named: bool,
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    files: FxHashMap<String, Option<String>>,
    directories: FxHashMap<String, Vec<String>>,
    features: FxHashMap<String, Support>,
    /// One list, which is not among the bytes either.
    functions: Option<Option<Arc<Functions>>>,
    /// The names that are similar to unknown ones.
    similar: FxHashMap<(NameKind, String), Vec<String>>,
    /// By system and name. Their files are not among `files`.
    layouts: FxHashMap<String, FxHashMap<String, Option<Arc<EventLayout>>>>,
    bytes: usize,
}

impl Memory {
    /// Returns the layout of an event, if it was read.
    fn layout(&self, system: &str, name: &str) -> Option<&Option<Arc<EventLayout>>> {
        self.layouts.get(system)?.get(name)
    }

    /// Counts some more bytes; what was remembered before is forgotten if that is too much.
    fn make_room(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes > REMEMBERED {
            *self = Memory { bytes, functions: self.functions.take(), ..Memory::default() };
        }
    }
}

/// Returns about how many bytes a layout takes.
fn size_of(layout: &EventLayout) -> usize {
    let EventLayout { format, text } = layout;
    size_of_val(layout) + text.len() + format.print_fmt.len() + size_of_val(&*format.fields)
}

impl Remembered {
    /// Wraps opened kernels.
    pub(crate) fn all(kernels: Vec<(String, Box<dyn KernelSource>)>) -> Vec<Remembered> {
        let is_named = kernels.len() == 1;
        let remembered = |(label, source)| Remembered { label, source, is_named, memory: RefCell::default() };
        kernels.into_iter().map(remembered).collect()
    }

    /// Forgets what was read, if the kernel can change: a module that is loaded adds events to the running one.
    pub(crate) fn refresh(&self) {
        if self.source.is_running() {
            self.memory.take();
        }
    }
}

impl KernelSource for Remembered {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        if let Some(known) = self.memory.borrow().files.get(path) {
            return Ok(known.clone());
        }
        let text = self.source.read(path)?;
        let mut memory = self.memory.borrow_mut();
        memory.make_room(path.len() + text.as_ref().map_or(0, String::len));
        memory.files.insert(path.to_owned(), text.clone());
        Ok(text)
    }

    fn layout(&self, system: &str, name: &str) -> Result<Option<Arc<EventLayout>>, LayoutError> {
        if let Some(known) = self.memory.borrow().layout(system, name) {
            return Ok(known.clone());
        }
        let layout = self.source.layout(system, name)?;
        let mut memory = self.memory.borrow_mut();
        memory.make_room(system.len() + name.len() + layout.as_deref().map_or(0, size_of));
        let members = memory.layouts.entry(system.to_owned()).or_default();
        members.insert(name.to_owned(), layout.clone());
        Ok(layout)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        if let Some(known) = self.memory.borrow().directories.get(path) {
            return Ok(known.clone());
        }
        let names = self.source.directories(path)?;
        self.memory.borrow_mut().directories.insert(path.to_owned(), names.clone());
        Ok(names)
    }

    fn feature(&self, name: &str) -> Support {
        if let Some(known) = self.memory.borrow().features.get(name) {
            return known.clone();
        }
        let support = self.source.feature(name);
        self.memory.borrow_mut().features.insert(name.to_owned(), support.clone());
        support
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        self.source.btf()
    }

    fn functions(&self) -> Option<Arc<Functions>> {
        if let Some(known) = &self.memory.borrow().functions {
            return known.clone();
        }
        let functions = self.source.functions();
        self.memory.borrow_mut().functions = Some(functions.clone());
        functions
    }

    fn similar(&self, kind: NameKind, name: &str, search: &mut dyn FnMut() -> Vec<String>) -> Vec<String> {
        let key = (kind, name.to_owned());
        if let Some(known) = self.memory.borrow().similar.get(&key) {
            return known.clone();
        }
        let found = search();
        let mut memory = self.memory.borrow_mut();
        memory.make_room(key.1.len() + found.iter().map(String::len).sum::<usize>());
        memory.similar.insert(key, found.clone());
        found
    }

    fn describe(&self) -> String {
        if self.is_named { self.source.describe() } else { "the kernel".to_owned() }
    }

    fn is_running(&self) -> bool {
        self.source.is_running()
    }

    fn arch(&self) -> String {
        self.source.arch()
    }

    fn release(&self) -> String {
        self.source.release()
    }
}
