// How the settings become command lines. It does not need VS Code, so that tests run it as it is.
'use strict';

/** The arguments that name kernels. */
function kernels(settings) {
  return (settings.kernels ?? []).flatMap((kernel) => ['--kernel', kernel]);
}

/** The command of the language server. */
function server(settings) {
  return { command: settings.path || 'tracec', args: ['lsp', ...kernels(settings)] };
}

/** The command line of a subcommand for a file, for a terminal. */
function commandLine(settings, subcommand, file) {
  const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const named = subcommand === 'run' ? [] : kernels(settings).slice(0, 2);
  return [settings.path || 'tracec', subcommand, file, ...named].map(quoted).join(' ');
}

module.exports = { server, commandLine };
