// The extension: a language server, and commands that run tracec in a terminal.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { server, commandLine } = require('./server.js');

let client;
// The starts that were asked for, one after the other: two settings may change at the same moment.
let starting = Promise.resolve();

function settings() {
  const all = vscode.workspace.getConfiguration('tracec');
  return { path: all.get('path'), kernels: all.get('kernels') };
}

/** Ends the server. One that did not start, or has crashed, needs no end. */
async function stop() {
  const old = client;
  client = undefined;
  await old?.stop().catch(() => old.dispose?.().catch(() => {}));
}

async function restart() {
  await stop();
  // A document of another scheme, such as one of the two sides of a comparison, has no file that it could import.
  const schemes = ['file', 'untitled'];
  const documentSelector = schemes.map((scheme) => ({ scheme, language: 'trc' }));
  client = new LanguageClient('tracec', 'tracec', server(settings()), { documentSelector });
  try {
    await client.start();
  } catch (error) {
    // The settings can be corrected, which starts it again.
    const { command } = server(settings());
    vscode.window.showErrorMessage(`tracec: ${command} does not start: ${error.message ?? error}`);
  }
}

function start() {
  starting = starting.then(restart);
  return starting;
}

/** Runs a subcommand for the file of the editor, in a terminal, where it can be read and interrupted. */
async function inTerminal(subcommand) {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'trc' || document.isUntitled || !(await document.save())) {
    vscode.window.showInformationMessage('Open a .trc file, and save it.');
    return;
  }
  const known = vscode.window.terminals.find((terminal) => terminal.name === 'tracec');
  const terminal = known ?? vscode.window.createTerminal('tracec');
  terminal.show(true);
  // Recording needs root, which is the user's to give: the command waits for Enter.
  terminal.sendText(commandLine(settings(), subcommand, document.fileName), subcommand !== 'run');
}

async function activate(context) {
  for (const subcommand of ['plan', 'explain', 'run']) {
    const command = vscode.commands.registerCommand(`tracec.${subcommand}`, () => inTerminal(subcommand));
    context.subscriptions.push(command);
  }
  context.subscriptions.push(vscode.commands.registerCommand('tracec.restart', start));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('tracec') && start()),
  );
  await start();
}

function deactivate() {
  starting = starting.then(stop);
  return starting;
}

module.exports = { activate, deactivate };
