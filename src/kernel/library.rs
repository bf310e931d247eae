//! Kernels by name: shipped with tracec, saved by the user, or at a path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tracec_compiler::KernelSource;
use tracec_kernel::nearest::nearest;
use tracec_kernel::profile::ProfileError;

use super::shipped::{self, Shipped};
use super::{KernelDirectory, ProfileKernel};

/// The file name extension of profiles.
pub const ENDING: &str = "trcprof";

/// The number of names that an error suggests.
const SUGGESTIONS: usize = 3;

/// The location of a profile.
#[derive(Clone, Debug)]
pub enum ProfileLocation {
    /// In this program.
    Shipped(&'static Shipped),
    /// In a file.
    File(PathBuf),
}

impl ProfileLocation {
    /// Returns the name for messages.
    pub fn describe(&self) -> String {
        match self {
            ProfileLocation::Shipped(shipped) => format!("`{}` (shipped with tracec)", shipped.name),
            ProfileLocation::File(path) => path.display().to_string(),
        }
    }

    /// Opens the profile.
    ///
    /// # Errors
    /// [`ProfileError`]
    pub fn open(&self) -> Result<ProfileKernel, ProfileError> {
        match self {
            ProfileLocation::Shipped(shipped) => ProfileKernel::of_shipped(shipped.bytes),
            ProfileLocation::File(path) => ProfileKernel::open(path),
        }
    }
}

/// An error for a kernel that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// No kernel has that name.
    #[error("there is no kernel `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// A directory without events.
    #[error("{} does not contain a copy of a tracefs: it has no directory `events`", .0.display())]
    NoTracefs(PathBuf),
    /// A profile that cannot be used.
    #[error("{name}: {error}")]
    Profile {
        /// The profile's name in messages.
        name: String,
        /// The error.
        error: ProfileError,
    },
}

/// Returns the directory of the user's profiles: `$XDG_DATA_HOME/tracec/kernels`, else `~/.local/share/tracec/kernels`
/// (XDG Base Directory Specification; a relative path is ignored). `None` if neither variable is set.
pub fn directory() -> Option<PathBuf> {
    directory_of(std::env::var_os("XDG_DATA_HOME"), std::env::var_os("HOME"))
}

fn directory_of(data: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: Option<OsString>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute(data).or_else(|| absolute(home).map(|home| home.join(".local/share")))?;
    Some(data.join("tracec/kernels"))
}

/// Returns the directories of the profiles of all users: `tracec/kernels` in each directory of `$XDG_DATA_DIRS`, which is
/// `/usr/local/share:/usr/share` unless it is set (XDG Base Directory Specification; relative paths are ignored).
fn system_directories(data: Option<OsString>) -> Vec<PathBuf> {
    let data = data.filter(|data| !data.is_empty()).unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let absolute = std::env::split_paths(&data).filter(|path| path.is_absolute());
    absolute.map(|path| path.join("tracec/kernels")).collect()
}

/// Returns all profiles with their names: those shipped, the oldest first, then the user's, sorted by name, then those of
/// all users.
pub fn all() -> Vec<(String, ProfileLocation)> {
    let shipped =
        shipped::ALL.iter().map(|shipped| (shipped.name.to_owned(), ProfileLocation::Shipped(shipped)));
    let directories = directory().into_iter().chain(system_directories(std::env::var_os("XDG_DATA_DIRS")));
    shipped.chain(directories.flat_map(|directory| saved(&directory))).collect()
}

/// Returns the profiles in a directory; none if there is no such directory.
fn saved(directory: &Path) -> Vec<(String, ProfileLocation)> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut named: Vec<(String, ProfileLocation)> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), ProfileLocation::File(path))))
        .collect();
    named.sort_by(|(a, _), (b, _)| a.cmp(b));
    named
}

/// Finds a kernel by name: a shipped one, then one that the user saved, then one of all users, then a path. `./6.1` is always a path.
fn find(name: &str) -> Result<ProfileLocation, LibraryError> {
    let all = all();
    if let Some((_, location)) = all.iter().find(|(known, _)| known == name) {
        return Ok(location.clone());
    }
    if Path::new(name).exists() {
        return Ok(ProfileLocation::File(name.into()));
    }
    let nearest = nearest(name, all.iter().map(|(name, _)| name.as_str()), SUGGESTIONS);
    Err(LibraryError::Unknown {
        name: name.to_owned(),
        nearest: nearest.into_iter().map(str::to_owned).collect(),
    })
}

/// Returns the file of the profile with this name; `None` if it is shipped, or if the name is not that of a profile.
pub fn file(name: &str) -> Option<PathBuf> {
    match find(name) {
        Ok(ProfileLocation::File(path)) if !path.is_dir() => Some(path),
        Ok(ProfileLocation::File(_) | ProfileLocation::Shipped(_)) | Err(_) => None,
    }
}

/// Opens a profile by name.
///
/// # Errors
/// [`LibraryError`]
pub fn profile(name: &str) -> Result<ProfileKernel, LibraryError> {
    let location = find(name)?;
    location.open().map_err(|error| LibraryError::Profile { name: location.describe(), error })
}

/// Opens a kernel by name: a profile, or a directory that contains a copy of a tracefs.
///
/// # Errors
/// [`LibraryError`]
pub fn kernel(name: &str) -> Result<Box<dyn KernelSource>, LibraryError> {
    match find(name)? {
        ProfileLocation::File(path) if path.is_dir() => match path.join("events").is_dir() {
            true => Ok(Box::new(KernelDirectory(path))),
            false => Err(LibraryError::NoTracefs(path)),
        },
        location => match location.open() {
            Ok(profile) => Ok(Box::new(profile)),
            Err(error) => Err(LibraryError::Profile { name: location.describe(), error }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_follows_the_xdg_specification() {
        let path = |data: &str, home: &str| directory_of(Some(data.into()), Some(home.into()));
        assert_eq!(path("/d", "/h"), Some("/d/tracec/kernels".into()));
        assert_eq!(path("d", "/h"), Some("/h/.local/share/tracec/kernels".into()));
        assert_eq!(path("", ""), None);
        assert_eq!(directory_of(None, None), None);
    }

    #[test]
    fn profiles_of_all_users_follow_the_xdg_specification() {
        let paths = |data: &str| system_directories(Some(data.into()));
        assert_eq!(
            paths("/a:b:/c"),
            [PathBuf::from("/a/tracec/kernels"), PathBuf::from("/c/tracec/kernels")]
        );
        let usual = ["/usr/local/share/tracec/kernels", "/usr/share/tracec/kernels"].map(PathBuf::from);
        assert_eq!(system_directories(None), usual);
        assert_eq!(paths(""), usual);
    }

    #[test]
    fn shipped_profiles_are_valid_and_ordered() {
        let releases: Vec<String> = shipped::ALL
            .iter()
            .map(|shipped| {
                let kernel = ProfileKernel::of_shipped(shipped.bytes).unwrap();
                let release = kernel.profile().facts().release.clone();
                assert!(release.starts_with(&format!("{}.", shipped.name)), "{}: {release}", shipped.name);
                assert!(!kernel.profile().facts().version.is_empty(), "{release}");
                assert!(kernel.profile().index().count() > 1000, "{release}");
                // A session for a shipped kernel may be for any machine.
                assert_eq!(kernel.directories("per_cpu"), Ok(Vec::new()), "{release}");
                assert!(!kernel.is_running(), "{release}");
                release
            })
            .collect();
        let minor = |release: &str| release.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
        assert!(releases.is_sorted_by_key(|release| minor(release)), "{releases:?}");
    }

    #[test]
    fn profiles_of_a_directory_are_found_by_their_extension() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.trcprof", "a.trcprof", "c.txt"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let names: Vec<String> = saved(dir.path()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(saved(&dir.path().join("none")).is_empty());
    }

    #[test]
    fn unknown_name_has_suggestions() {
        match find("6.11") {
            Err(LibraryError::Unknown { nearest, .. }) => {
                assert!(nearest.contains(&"6.1".to_owned()), "{nearest:?}")
            }
            other => panic!("{other:?}"),
        }
    }
}
