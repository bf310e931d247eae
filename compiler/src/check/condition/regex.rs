//! Regular expressions where a pattern as of file names stands.

/// The first part of a pattern that only a regular expression could mean, and the pattern that says the same. Of a
/// pattern's own characters, `.` and `*` prove nothing: `*.log.*` is one. But few patterns begin with `.*`, and many
/// regular expressions do.
pub(super) fn as_glob(pattern: &str) -> Option<(&'static str, String)> {
    let (start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let escaped = rest.strip_suffix('$').is_some_and(|rest| rest.ends_with('\\'));
    let (end, rest) = rest.strip_suffix('$').filter(|_| !escaped).map_or((false, rest), |rest| (true, rest));
    let negated = rest.match_indices("[^").any(|(at, _)| !rest[..at].ends_with('\\'));
    let anything = rest.starts_with(".*") && !start && !end;
    let part = match (start, end, negated) {
        (true, ..) => "^",
        (_, _, true) => "[^",
        (_, true, _) => "$",
        _ if anything => ".",
        _ => return None,
    };
    let mut glob = rest.replace("[^", "[!");
    if anything {
        // What is behind it may end with a pattern's `*` or with an expression's.
        glob = glob.replace(".*", "*");
    } else if start || end {
        glob = glob.replace(".*", "*");
        if !start && !glob.starts_with('*') {
            glob.insert(0, '*');
        }
        if !end && !glob.ends_with('*') {
            glob.push('*');
        }
    }
    Some((part, glob))
}

#[cfg(test)]
mod tests {
    use super::as_glob;

    #[test]
    fn what_only_a_regular_expression_means_is_told() {
        for (pattern, part, glob) in [
            ("^k.*", "^", "k*"),
            ("^k", "^", "k*"),
            ("^k$", "^", "k"),
            ("k$", "$", "*k"),
            (".*k$", "$", "*k"),
            ("[^k]*", "[^", "[!k]*"),
            ("^[^k].*$", "^", "[!k]*"),
            (".*bash", ".", "*bash"),
            (".*bash.*", ".", "*bash*"),
            (".*[^k]", "[^", "*[!k]"),
        ] {
            assert_eq!(as_glob(pattern), Some((part, glob.to_owned())), "{pattern}");
        }
        for pattern in ["k*", "*.log.*", "[!k]*", "[a^]*", "a^b", "a\\$", "", "\\[^a"] {
            assert_eq!(as_glob(pattern), None, "{pattern}");
        }
    }
}
