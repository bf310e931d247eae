//! Debian's security archive, where the machine's own apt does not name it: newer kernels are only there, and a fresh
//! debootstrap has only the main archive.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::cache;

/// Returns options that make apt read the security archive besides its own; none where it already does.
///
/// The lists are kept in a separate state in the cache: the machine's apt is not changed.
pub(super) fn options() -> Result<Vec<String>> {
    let targets = targets()?;
    let Some(line) = source(&targets) else { return Ok(Vec::new()) };
    let directory = cache::root()?.join("apt");
    for part in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(directory.join(part)).with_context(|| directory.display().to_string())?;
    }
    let list = directory.join("sources.list");
    let own = std::fs::read_to_string("/etc/apt/sources.list").unwrap_or_default();
    std::fs::write(&list, format!("{own}\n{line}\n")).with_context(|| list.display().to_string())?;
    let option = |name: &str, path: &Path| ["-o".to_owned(), format!("{name}={}", path.display())];
    Ok([
        option("Dir::Etc::sourcelist", &list),
        option("Dir::State::lists", &directory.join("lists")),
        option("Dir::Cache", &directory.join("cache")),
    ]
    .concat())
}

/// Returns the archives that apt is set up for: address and release of each.
fn targets() -> Result<String> {
    let output = Command::new("apt-get")
        .args(["indextargets", "--no-release-info", "--format", "$(REPO_URI) $(RELEASE)"])
        .arg("Created-By: Packages")
        .output()
        .context("cannot start apt-get: kernels come from Debian's archive")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the address of the mirror that apt is set up for, without `/debian`. `None` where it is not recognised.
pub(super) fn mirror() -> Result<Option<String>> {
    Ok(main_archive(&targets()?).map(|(mirror, _)| mirror.to_owned()))
}

/// Returns the mirror of the main archive, and its release.
fn main_archive(targets: &str) -> Option<(&str, &str)> {
    let mut archives = targets.lines().filter_map(|line| line.split_once(' '));
    archives.find_map(|(uri, release)| Some((uri.trim_end_matches('/').strip_suffix("/debian")?, release)))
}

/// Returns the line that adds the security archive of the release, on the same mirror as the main one. `None` where apt
/// has it already or the main archive is not recognised.
fn source(targets: &str) -> Option<String> {
    let mut archives = targets.lines().filter_map(|line| line.split_once(' '));
    if archives.any(|(_, release)| release.ends_with("-security")) {
        return None;
    }
    let (mirror, release) = main_archive(targets)?;
    Some(format!("deb {mirror}/debian-security {release}-security main"))
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn the_security_archive_is_added_where_it_is_missing() {
        let bare = "http://mirror.example/debian/ bookworm\nhttp://mirror.example/debian/ bookworm\n";
        let expected = "deb http://mirror.example/debian-security bookworm-security main";
        assert_eq!(source(bare).as_deref(), Some(expected));
        let full = format!("{bare}http://mirror.example/debian-security/ bookworm-security\n");
        assert_eq!(source(&full), None);
        assert_eq!(source("http://mirror.example/other/ stable\n"), None);
        assert_eq!(source(""), None);
    }
}
