//! What the language server reads: kernels and files.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use tracec::LiveKernel;
use tracec::kernel::library::{self, ProfileLocation};
use tracec_compiler::{Imports, KernelSource, SourceText};
use tracec_lsp::{Kernels, World};

use super::{folder, modules, nearest};
use crate::imports::Files;
use crate::{cli, selected_kernel};

/// The kernels and files that the command line names.
pub(super) struct Surroundings {
    pub(super) kernels: cli::Kernels,
    pub(super) import_path: Vec<PathBuf>,
}

impl World for Surroundings {
    fn kernels(&self) -> Kernels {
        let mut kernels: Vec<(String, Box<dyn KernelSource>)> = Vec::new();
        let mut notices = Vec::new();
        for name in &self.kernels.kernels {
            match selected_kernel::named(name) {
                Ok(_) if kernels.iter().any(|(known, _)| known == name) => {}
                Ok(source) => kernels.push((name.clone(), source)),
                Err(said) => notices.push(format!("tracec: {}; it is not checked for", said.message)),
            }
        }
        if kernels.is_empty() {
            match selected_kernel::tracefs(&self.kernels.live) {
                Ok(tracefs) if self.kernels.kernels.is_empty() && tracefs.list("events").is_ok() => {
                    kernels.push(("this kernel".to_owned(), Box::new(LiveKernel(tracefs))));
                }
                _ => stand_in(self.kernels.kernels.is_empty(), &mut kernels, &mut notices),
            }
        }
        Kernels { kernels, notices }
    }

    fn generation(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let of_library = library::all().into_iter().filter_map(|(_, location)| match location {
            ProfileLocation::File(path) => Some(path),
            ProfileLocation::Shipped(_) => None,
        });
        for path in of_library.chain(self.kernels.kernels.iter().map(PathBuf::from)) {
            let metadata = std::fs::metadata(&path).ok();
            metadata.as_ref().map(std::fs::Metadata::len).hash(&mut hasher);
            metadata.and_then(|metadata| metadata.modified().ok()).hash(&mut hasher);
            path.hash(&mut hasher);
        }
        hasher.finish()
    }

    fn imports(&self, main: &str) -> Box<dyn Imports> {
        // A document that is not a file has no files beside it.
        let main = if Path::new(main).is_absolute() { main } else { "" };
        Box::new(Files::beside(main, &self.import_path))
    }

    fn library(&self, name: &str, text: &str) -> Option<String> {
        // Without a place for the file, an editor finds no definition, as for a name of the kernel.
        modules::file(name, text).ok()?.into_os_string().into_string().ok()
    }

    fn is_library(&self, path: &str) -> bool {
        modules::is_file(Path::new(path))
    }

    fn texts(&self, directories: &[String]) -> Result<Vec<SourceText>, String> {
        folder::texts(directories)
    }
}

/// Opens the saved or shipped kernel that is nearest to the running one: in place of that one, or of kernels that were named
/// and cannot be read.
fn stand_in(
    is_for_running: bool,
    kernels: &mut Vec<(String, Box<dyn KernelSource>)>,
    notices: &mut Vec<String>,
) {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    for (name, location) in nearest::by_distance(&release, library::all()) {
        match location.open() {
            Ok(profile) => {
                let described = profile.describe();
                if !is_for_running {
                    let place = location.describe();
                    notices.push(format!("tracec: texts are checked for {described} instead, {place}"));
                } else if profile.release() != release {
                    notices.push(format!(
                        "tracec: the running kernel {release} cannot be read without root; texts are checked for \
                         {described}, {}. `sudo tracec kernel save -o \
                         /usr/local/share/tracec/kernels/{release}.trcprof` saves the running one for every user.",
                        location.describe()
                    ));
                }
                kernels.push((name, Box::new(profile)));
                return;
            }
            Err(why) => notices.push(format!("tracec: {}: {why}", location.describe())),
        }
    }
}
