//! `tracec lsp`: the language server on standard input and output.

mod arena;
mod folder;
mod modules;
mod nearest;
mod transport;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::Failure;
use crate::cli::Kernels;
use crate::print;
use crate::selected_kernel::named;

/// Serves an editor until it says that it has ended, or is gone.
pub(crate) fn lsp(kernels: Kernels, import_path: Vec<PathBuf>) -> Result<ExitCode, Failure> {
    arena::share();
    // A kernel that does not exist is a mistake of the set-up. It is reported before an editor waits for a server.
    for name in &kernels.kernels {
        named(name)?;
    }
    let (incoming, outgoing, threads) = transport::stdio()?;
    // A client that is gone reads nothing. The thread that writes ends when nothing can be sent to it any more.
    let send = move |message| drop(outgoing.send(message));
    let surroundings = Arc::new(world::Surroundings { kernels, import_path });
    let result = tracec_lsp::serve(incoming.into_iter(), send, surroundings);
    if let Err(why) = result {
        // Input whose messages cannot be found ends the thread that reads: its error is the reason.
        let unread = threads.end()?.map(|error| format!(": {error}")).unwrap_or_default();
        print::complain(&format!("tracec: {why}{unread}\n"));
        return Ok(ExitCode::FAILURE);
    }
    threads.end()?;
    Ok(ExitCode::SUCCESS)
}
