//! Neovim in a terminal: tmux draws the terminal, and says what stands on it.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a text may take to appear. None takes that long.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time between two looks at the screen.
const LOOK: Duration = Duration::from_millis(20);

/// Neovim's server and its interface are two processes. Neovim starts the server itself only where it can find its own
/// program, which is not so if a loader of another system has started it.
const START: &str = r#"
    "$NVIM" --headless --listen ./socket -u init.lua -i NONE -n "$FILE" </dev/null >server.log 2>&1 &
    until [ -S ./socket ]; do sleep 0.02; done
    exec "$NVIM" --remote-ui --server ./socket
"#;

/// A terminal with Neovim in it.
pub(crate) struct Terminal<'d> {
    /// Its working directory, with `init.lua` and the file, and the socket of tmux.
    directory: &'d Path,
}

impl<'d> Terminal<'d> {
    /// Starts Neovim with a file of the directory, and with the directory's programs before others.
    pub(crate) fn start(nvim: &str, directory: &'d Path, file: &str) -> Terminal<'d> {
        let terminal = Terminal { directory };
        let path = format!("{}:/usr/bin:/bin", directory.display());
        let mut command = terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "28"]);
        command.env_clear().env("PATH", path).env("NVIM", nvim).env("FILE", file).env("HOME", directory);
        command.env("LANG", "C.UTF-8").env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        succeeded(command.arg(START));
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.directory.join("tmux")).args(arguments);
        command.current_dir(self.directory).stdin(Stdio::null());
        command
    }

    /// Types a text, as it is.
    pub(crate) fn types(&self, text: &str) {
        // A semicolon at the end separates commands of tmux.
        let text = text.strip_suffix(';').map_or_else(|| text.to_owned(), |text| format!("{text}\\;"));
        succeeded(&mut self.tmux(&["send-keys", "-l", "--", &text]));
    }

    /// Presses keys by their names: `Escape`, `C-x`.
    pub(crate) fn presses(&self, keys: &[&str]) {
        succeeded(self.tmux(&["send-keys"]).args(keys));
    }

    /// Runs a command of Neovim's.
    pub(crate) fn runs(&self, command: &str) {
        self.types(&format!(":{command}"));
        self.presses(&["Enter"]);
    }

    /// Returns what stands on the screen; with the escape sequences of its colours, if they are wanted.
    pub(crate) fn screen(&self, colours: bool) -> String {
        let arguments = ["capture-pane", "-p", "-e"];
        let output = succeeded(&mut self.tmux(&arguments[..if colours { 3 } else { 2 }]));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until all of some texts stand on the screen.
    pub(crate) fn shows(&self, texts: &[&str]) {
        let begin = Instant::now();
        loop {
            let screen = self.screen(false);
            let Some(missing) = texts.iter().find(|text| !screen.contains(**text)) else { return };
            let log = || std::fs::read_to_string(self.directory.join("server.log")).unwrap_or_default();
            assert!(begin.elapsed() < PATIENCE, "no `{missing}` on the screen:\n{screen}\n{}", log());
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // It may have ended already, and a second panic would hide the first.
        let _ = self.tmux(&["kill-server"]).output();
    }
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().expect("tmux");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
