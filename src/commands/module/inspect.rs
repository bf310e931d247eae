//! What a module that was built says of itself, before the kernel gets it.

use std::io::{Read, Seek, SeekFrom};

use object::{Object, ObjectSection, ObjectSymbol};
use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::module_unusable;
use tracec_compiler::target::Tag;

use super::kbuild::Built;

/// The greatest size of a module that is read, in bytes: with debugging information some MiB.
const LARGEST: u64 = 256 << 20;

/// The section of texts `NAME=VALUE`, each with a NUL (`MODULE_INFO` in include/linux/module.h).
const INFO: &str = ".modinfo";

/// The functions that `module_init` and `module_exit` name (include/linux/module.h).
const INIT: &str = "init_module";
const EXIT: &str = "cleanup_module";

/// What a module says of itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inspected {
    /// The texts `NAME=VALUE`.
    info: Vec<(String, String)>,
    has_init: bool,
    has_exit: bool,
}

impl Built {
    /// Checks that a module can be loaded and unloaded by a session on a kernel of this release, and has the tracepoints
    /// of its text.
    ///
    /// # Errors
    /// The first of the reasons against it.
    pub(super) fn check(&mut self, name: &str, tag: &Tag, release: &str) -> Result<(), Diagnostic> {
        let inspected = self.inspect()?;
        inspected.check(&self.name, name, tag, release)?;
        self.release = inspected.release().map(str::to_owned);
        Ok(())
    }

    fn inspect(&mut self) -> Result<Inspected, Diagnostic> {
        let no_module = |why: &str| module_unusable::no_module(&self.name, why);
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0));
        let read = read.and_then(|_| Read::by_ref(&mut self.file).take(LARGEST).read_to_end(&mut bytes));
        read.map_err(|error| no_module(&error.to_string()))?;
        Inspected::of(&bytes).map_err(|why| no_module(&why))
    }
}

impl Inspected {
    /// Reads a module.
    ///
    /// # Errors
    /// A clause that says why it is not one.
    fn of(bytes: &[u8]) -> Result<Inspected, String> {
        let file =
            object::File::parse(bytes).map_err(|error| format!("it cannot be read as ELF: {error}"))?;
        let section = file.section_by_name(INFO).ok_or_else(|| format!("it has no section `{INFO}`"))?;
        let info = section.data().map_err(|error| format!("its section `{INFO}` cannot be read: {error}"))?;
        let entries = info.split(|&byte| byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
        let entries = entries.filter_map(|entry| entry.split_once('='));
        let has = |function: &str| {
            file.symbols().any(|symbol| symbol.is_definition() && symbol.name() == Ok(function))
        };
        Ok(Inspected {
            info: entries.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            has_init: has(INIT),
            has_exit: has(EXIT),
        })
    }

    fn info(&self, name: &str) -> Option<&str> {
        self.info.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns the words of `vermagic` (include/linux/vermagic.h): the release, then the features of its kernel that
    /// decide whether modules fit.
    fn magic(&self) -> impl Iterator<Item = &str> {
        self.info("vermagic").unwrap_or_default().split_whitespace()
    }

    /// Returns the release of the kernel that it was built for.
    fn release(&self) -> Option<&str> {
        self.magic().next()
    }

    fn check(&self, path: &str, name: &str, tag: &Tag, release: &str) -> Result<(), Diagnostic> {
        if let Some(found) = self.info("name").filter(|found| *found != name) {
            return Err(module_unusable::other_name(path, found, name));
        }
        match self.info(tag.name) {
            Some(value) if value == tag.value => {}
            Some(_) => return Err(module_unusable::other_text(path)),
            None => return Err(module_unusable::no_tag(path)),
        }
        // A kernel with checksums of its symbols takes modules of other releases, as far as those are the same
        // (`same_magic` in kernel/module/version.c).
        let has = |feature: &str| self.magic().any(|word| word == feature);
        match self.release() {
            Some(other) if other != release && !has("modversions") => {
                return Err(module_unusable::other_kernel(path, other, release));
            }
            _ => {}
        }
        if !has("mod_unload") {
            return Err(module_unusable::no_unloading(release));
        }
        if self.has_init && !self.has_exit {
            return Err(module_unusable::no_exit(name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "0123456789abcdef";
    const MAGIC: &str = "6.12.1 SMP preempt mod_unload ";

    fn module(info: &[(&str, &str)], has_init: bool, has_exit: bool) -> Inspected {
        let info = info.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Inspected { info, has_init, has_exit }
    }

    /// Returns the code and the message about a module `s_events` on the kernel 6.12.1.
    fn said(module: &Inspected) -> Option<(&'static str, String)> {
        let tag = Tag { name: "tracec", value: TAG.to_owned() };
        let refused = module.check("out/s_events.ko", "s_events", &tag, "6.12.1").err()?;
        Some((refused.code.id, refused.message))
    }

    #[test]
    fn module_of_the_text_for_this_kernel_can_be_loaded() {
        let info = [("name", "s_events"), ("tracec", TAG), ("vermagic", MAGIC)];
        assert_eq!(said(&module(&info, false, false)), None);
        assert_eq!(said(&module(&info, true, true)), None);
        let versions = ("vermagic", "6.1.0 SMP preempt mod_unload modversions ");
        assert_eq!(said(&module(&[info[0], info[1], versions], false, true)), None);
    }

    #[test]
    fn module_of_another_name_text_or_kernel_or_that_stays_loaded_is_refused() {
        let (name, tag, magic) = (("name", "s_events"), ("tracec", TAG), ("vermagic", MAGIC));
        for (info, has_init, message) in [
            (vec![("name", "t_events"), tag, magic], false, "has the module `t_events`, and not `s_events`"),
            (vec![name, magic], false, "was not built from what `tracec build --target module` writes"),
            (vec![name, ("tracec", "0"), magic], false, "has other tracepoints than the text"),
            (
                vec![name, tag, ("vermagic", "6.1.0 SMP mod_unload ")],
                false,
                "was built for the kernel 6.1.0, and 6.12.1 runs",
            ),
            (vec![name, tag, ("vermagic", "6.12.1 SMP ")], false, "the kernel 6.12.1 cannot unload modules"),
            (vec![name, tag, magic], true, "the module `s_events` has `module_init` and no `module_exit`"),
        ] {
            let (code, found) = said(&module(&info, has_init, false)).expect(message);
            assert!(code == "T0524" && found.contains(message), "{code}: {found}");
        }
    }

    #[test]
    fn file_that_is_not_a_module_is_not_read_as_one() {
        let executable = std::fs::read("/proc/self/exe").expect("this program");
        for (bytes, why) in
            [(&b"no module"[..], "it cannot be read as ELF"), (&executable, "it has no section `.modinfo`")]
        {
            assert!(Inspected::of(bytes).expect_err(why).starts_with(why));
        }
        for length in (0..4096).step_by(7) {
            assert!(Inspected::of(&executable[..length]).is_err(), "{length}");
        }
    }
}
