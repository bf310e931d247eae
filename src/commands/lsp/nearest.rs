//! The profiles nearest to a kernel.

use tracec::kernel::library::ProfileLocation;

/// Returns profiles by their distance from a release, the nearest first: the release itself, the same series, then the
/// newest series before it, then the oldest one after it.
pub(super) fn by_distance(
    release: &str,
    mut profiles: Vec<(String, ProfileLocation)>,
) -> Vec<(String, ProfileLocation)> {
    profiles.sort_by_key(|(name, location)| {
        let is_shipped = matches!(location, ProfileLocation::Shipped(_));
        (distance(release, name), is_shipped)
    });
    profiles
}

/// A distance: whether it is another release, whether it is a later series, and by how much.
fn distance(release: &str, name: &str) -> (bool, bool, u64) {
    let Some((wanted, has)) = series(release).zip(series(name)) else { return (true, true, u64::MAX) };
    (release != name, has > wanted, wanted.abs_diff(has))
}

/// Returns `6.12.117+deb12` as a number by which series are ordered.
fn series(release: &str) -> Option<u64> {
    let mut parts = release.split(|char: char| !char.is_ascii_digit());
    let (major, minor): (u64, u64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(major * 1000 + minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(release: &str, names: &[&str]) -> Vec<String> {
        let profiles = names.iter().map(|name| ((*name).to_owned(), ProfileLocation::File((*name).into())));
        by_distance(release, profiles.collect()).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn the_nearest_series_comes_first() {
        let all = ["6.1", "6.12", "6.18", "mine"];
        assert_eq!(order("6.12.4-1-amd64", &all), ["6.12", "6.1", "6.18", "mine"]);
        assert_eq!(order("6.17.0", &all), ["6.12", "6.1", "6.18", "mine"]);
        assert_eq!(order("5.10.0", &all), ["6.1", "6.12", "6.18", "mine"]);
        assert_eq!(order("7.0", &all), ["6.18", "6.12", "6.1", "mine"]);
    }

    #[test]
    fn the_release_itself_comes_before_its_series() {
        assert_eq!(order("6.12.4", &["6.12", "6.12.4"]), ["6.12.4", "6.12"]);
    }
}
