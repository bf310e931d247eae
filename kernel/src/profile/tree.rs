//! A profile as the tree of files that it was made from: the files that a new instance of that kernel would show.

use super::bytes::Bytes;
use super::error::ProfileError;
use super::events::EventId;
use super::reader::{Block, Profile};
use crate::tables::{files, options};

/// What a profile knows of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Its text.
    Text(String),
    /// The kernel has it, but its content is state, or was not saved.
    Unknown,
    /// The kernel does not have it.
    Absent,
}

impl<B: Bytes> Profile<B> {
    /// Returns a file by its path below the root of tracefs. `kept` is as for [`Profile::format`].
    ///
    /// # Errors
    /// [`ProfileError`] if the part that holds it is damaged.
    pub fn file(&self, path: &str, kept: &mut Option<Block>) -> Result<Kept, ProfileError> {
        let facts = self.facts();
        let text = match path {
            "README" if self.exists(path) => return without_is_unknown(self.readme()),
            "available_filter_functions" if self.exists(path) => return without_is_unknown(self.functions()),
            "events/header_page" => return Ok(facts.header_page.clone().map_or(Kept::Absent, Kept::Text)),
            "events/header_event" => return Ok(facts.header_event.clone().map_or(Kept::Absent, Kept::Text)),
            _ if !self.exists(path) => return Ok(Kept::Absent),
            "available_tracers" => words(&facts.tracers),
            "available_events" => {
                self.index().all().map(|(system, event)| format!("{system}:{}\n", event.name)).collect()
            }
            "trace_clock" => words(&clocks_of_a_new_instance(&facts.clocks)),
            path => match self.event_file(path) {
                Some((event, "format")) => return self.format(event, kept).map(Kept::Text),
                Some((event, "id")) => return Ok(id(&self.format(event, kept)?)),
                Some((_, "trigger")) => {
                    format!("# Available triggers:\n# {}", words(&facts.triggers))
                }
                _ => return Ok(default(path)),
            },
        };
        Ok(Kept::Text(text))
    }

    /// Returns whether the kernel has a file or directory.
    pub fn exists(&self, path: &str) -> bool {
        let facts = self.facts();
        let has = |names: &[String], name: &str| names.iter().any(|found| found == name);
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            ["events"] => true,
            ["events", "header_page"] => facts.header_page.is_some(),
            ["events", "header_event"] => facts.header_event.is_some(),
            ["events", "enable"] => true,
            ["events", system] => !self.index().members(system).is_empty(),
            // kernel/trace/trace_events.c, event_subsystem_dir: every system but `ftrace` has these two.
            ["events", system, "enable" | "filter"] => {
                *system != "ftrace" && !self.index().members(system).is_empty()
            }
            ["events", system, event] => self.index().find(system, event).is_some(),
            ["events", _, _, _] => self.event_file(path).is_some(),
            ["options", name] => has(&facts.options, name),
            ["per_cpu", cpu] => self.is_cpu(cpu),
            ["per_cpu", cpu, name] => self.is_cpu(cpu) && has(&facts.cpu_files, name),
            ["options" | "per_cpu" | "instances"] => true,
            [name] => has(&facts.files, name),
            _ => false,
        }
    }

    /// Returns the names of the directories in a directory; none if there is no such directory.
    pub fn directories(&self, path: &str) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        match path.split('/').collect::<Vec<_>>().as_slice() {
            [""] => owned(&["events", "instances", "options", "per_cpu"]),
            ["events"] => self.index().systems().map(str::to_owned).collect(),
            ["events", system] => {
                self.index().members(system).iter().map(|event| event.name.clone()).collect()
            }
            ["per_cpu"] => (0..self.facts().cpus_possible).map(|cpu| format!("cpu{cpu}")).collect(),
            _ => Vec::new(),
        }
    }

    fn is_cpu(&self, name: &str) -> bool {
        name.strip_prefix("cpu")
            .filter(|number| !number.starts_with('+'))
            .and_then(|number| number.parse::<u32>().ok())
            .is_some_and(|cpu| cpu < self.facts().cpus_possible)
    }

    /// Returns the event and the file's name, if the event has such a file.
    fn event_file<'p>(&self, path: &'p str) -> Option<(EventId, &'p str)> {
        let (system, rest) = path.strip_prefix("events/")?.split_once('/')?;
        let (name, file) = rest.split_once('/')?;
        let id = self.index().find(system, name)?;
        let event = self.index().get(id)?;
        self.index().files(event).iter().any(|found| found == file).then_some((id, file))
    }
}

fn without_is_unknown(text: Result<String, ProfileError>) -> Result<Kept, ProfileError> {
    match text {
        Ok(text) => Ok(Kept::Text(text)),
        Err(ProfileError::Without(_)) => Ok(Kept::Unknown),
        Err(error) => Err(error),
    }
}

/// Returns the content in a new instance according to the tables.
fn default(path: &str) -> Kept {
    if let Some(name) = path.strip_prefix("options/") {
        // An option that the tables do not know exists, and its value is not known.
        let value = options::find(name).map(|option| format!("{}\n", u8::from(option.default)));
        return Kept::Text(value.unwrap_or_default());
    }
    let default = files::of_path(path).and_then(|file| file.default);
    default.map_or(Kept::Unknown, |text| Kept::Text(format!("{text}\n")))
}

/// Returns the list as `trace_clock` reads in a new instance: its clock is in brackets.
fn clocks_of_a_new_instance(clocks: &[String]) -> Vec<String> {
    let current = files::find("trace_clock").and_then(|file| file.default).unwrap_or_default();
    clocks.iter().map(|clock| if clock == current { format!("[{clock}]") } else { clock.clone() }).collect()
}

fn words(words: &[String]) -> String {
    let mut line = words.join(" ");
    line.push('\n');
    line
}

/// Returns the file `id`, which holds the id of the second line of the layout.
fn id(format: &str) -> Kept {
    let number = format.lines().find_map(|line| line.strip_prefix("ID: "));
    number.map_or(Kept::Unknown, |number| Kept::Text(format!("{number}\n")))
}
