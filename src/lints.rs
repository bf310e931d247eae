//! Lint levels on the command line.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::Level;
use tracec_compiler::diagnostic::lints::Setting;

/// The options `-A NAME`, `-W NAME`, `-D NAME`, in the order of the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lints(Vec<(Level, String)>);

impl Lints {
    /// Returns the settings of the options.
    ///
    /// # Errors
    /// A name is not that of a lint.
    pub(crate) fn settings(&self) -> Result<Vec<Setting>, Diagnostic> {
        self.0.iter().map(|(level, name)| Setting::new(*level, name)).collect()
    }
}

/// The options with their levels.
const LEVELS: [(Level, char, &str); 3] = [
    (
        Level::Allow,
        'A',
        "Do not show what a lint finds (repeatable; of several options for a lint the last counts)",
    ),
    (Level::Warn, 'W', "Make a lint a warning"),
    (Level::Deny, 'D', "Make a lint an error; `-D warnings` means all lints that are warnings"),
];

// Implemented by hand: a derived list for each option would lose the order among them.
impl Args for Lints {
    fn augment_args(command: Command) -> Command {
        command.args(LEVELS.map(|(level, short, help)| {
            Arg::new(level.word())
                .short(short)
                .long(level.word())
                .value_name("LINT")
                .action(ArgAction::Append)
                .help(help)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Lints {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut ordered: Vec<(usize, Level, String)> = Vec::new();
        for (level, ..) in LEVELS {
            let names = matches.get_many::<String>(level.word()).into_iter().flatten();
            let places = matches.indices_of(level.word()).into_iter().flatten();
            ordered.extend(places.zip(names).map(|(place, name)| (place, level, name.clone())));
        }
        ordered.sort_by_key(|(place, ..)| *place);
        Ok(Lints(ordered.into_iter().map(|(_, level, name)| (level, name)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_keep_the_order_of_the_command_line() {
        let command = Lints::augment_args(Command::new("check"));
        let line = ["check", "-D", "warnings", "--allow", "x", "-Wy", "--deny=z", "-A", "w"];
        let matches = command.try_get_matches_from(line).expect("valid");
        let lints = Lints::from_arg_matches(&matches).expect("valid");
        let expected = [
            (Level::Deny, "warnings"),
            (Level::Allow, "x"),
            (Level::Warn, "y"),
            (Level::Deny, "z"),
            (Level::Allow, "w"),
        ];
        assert_eq!(lints.0, expected.map(|(level, name)| (level, name.to_owned())));
    }
}
