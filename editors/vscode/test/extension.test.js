// The extension itself, in a stand-in for the editor, with the client library and a server that it starts.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { make, install } = require('./vscode.js');

const command = process.env.TRACEC;
const configuration = { path: command, kernels: ['6.12'] };
const { vscode, seen } = make(configuration);
install(vscode);
const { activate, deactivate } = require('../extension.js');

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tracec-')), 'a.trc');
const NO_CANCEL = new vscode.CancellationTokenSource().token;

/** Returns a document as the editor holds it. */
function opened(text) {
  return {
    uri: vscode.Uri.file(file), fileName: file, languageId: 'trc', version: 1, isUntitled: false, text,
    getText() { return this.text; },
    save: async () => true,
    get lineCount() { return this.text.split('\n').length; },
  };
}

/** Replaces a part of a document on its first line, and returns the diagnostics that are shown next. */
async function typed(document, from, to, text) {
  const shown = new Promise((resolve) => { seen.published = resolve; });
  document.text = document.text.slice(0, from) + text + document.text.slice(to);
  document.version += 1;
  const range = new vscode.Range(0, from, 0, to);
  const change = { range, rangeOffset: from, rangeLength: to - from, text };
  await seen.events.change.fire({ document, contentChanges: [change], reason: undefined });
  return shown;
}

/** Returns the position behind a part of a document's first line. */
function behind(document, part) {
  return new vscode.Position(0, document.text.indexOf(part) + part.length);
}

test('the extension in its editor', { skip: command ? false : 'TRACEC does not name the command', timeout: 60000 }, async (t) => {
  const document = opened('session a { trace sched:sched_swich if prev_comm == "bash"; }\n');
  vscode.workspace.textDocuments.push(document);
  vscode.window.activeTextEditor = { document };
  const first = new Promise((resolve) => { seen.published = resolve; });
  const context = { subscriptions: [] };
  await activate(context);

  await t.test('each command of the package is registered', () => {
    const named = require('../package.json').contributes.commands.map(({ command }) => command);
    assert.deepStrictEqual([...seen.commands.keys()].sort(), named.sort());
  });

  await t.test('diagnostics are shown with code and page', async () => {
    const [said] = await first;
    assert.strictEqual(said.code.value, 'T0101');
    assert.match(said.code.target.toString(), /unknown_event\.md$/);
    assert.strictEqual(said.severity, vscode.DiagnosticSeverity.Error);
    assert.strictEqual(said.range.start.character, document.text.indexOf('sched:'));
  });

  await t.test('a fix is offered', async () => {
    const [said] = seen.diagnostics.get(document.uri.toString());
    const asked = { diagnostics: [said], only: undefined, triggerKind: 1 };
    const actions = await seen.providers.CodeActions.provideCodeActions(document, said.range, asked, NO_CANCEL);
    assert.strictEqual(actions[0].title, 'did you mean `sched:sched_switch`?');
    const [edit] = actions[0].edit.changes.get(document.uri.toString());
    assert.deepStrictEqual([edit.newText, edit.range], ['sched:sched_switch', said.range]);
  });

  await t.test('an edit is checked', async () => {
    const at = document.text.indexOf('swich');
    assert.deepStrictEqual(await typed(document, at, at + 5, 'switch'), []);
  });

  await t.test('completion and hover know the kernel', async () => {
    const { CompletionItem, Hover } = seen.providers;
    const at = behind(document, 'if pre');
    const { items } = await CompletionItem.provideCompletionItems(document, at, NO_CANCEL, { triggerKind: 0 });
    // Numbers cannot be compared with the string behind the place.
    assert.deepStrictEqual(items.map((item) => item.label), ['prev_comm']);
    const hover = await Hover.provideHover(document, at, NO_CANCEL);
    assert.match(JSON.stringify(hover.contents), /char\[16\] prev_comm/);
  });

  await t.test('hints say where conditions run', async () => {
    const hints = await seen.providers.InlayHints.provideInlayHints(document, new vscode.Range(0, 0, 2, 0), NO_CANCEL);
    assert.deepStrictEqual(hints.map((hint) => hint.label), ['kernel']);
  });

  await t.test('commands run tracec in a terminal', async () => {
    for (const name of ['plan', 'explain', 'run']) {
      await seen.commands.get(`tracec.${name}`)();
    }
    assert.deepStrictEqual(seen.typed, [
      [`${command} plan ${file} --kernel 6.12`, true],
      [`${command} explain ${file} --kernel 6.12`, true],
      // Recording waits for the user's Enter.
      [`${command} run ${file}`, false],
    ]);
    assert.strictEqual(vscode.window.terminals.length, 1);
    vscode.window.activeTextEditor = undefined;
    await seen.commands.get('tracec.plan')();
    assert.deepStrictEqual(seen.messages, ['information: Open a .trc file, and save it.']);
  });

  await t.test('other kernels in the settings start another server', async () => {
    configuration.kernels = ['6.1', '6.12'];
    const shown = new Promise((resolve) => { seen.published = (found) => found.length > 0 && resolve(found); });
    document.text = document.text.replace('sched:sched_switch if prev_comm == "bash"', 'block:block_io_start');
    await seen.events.configuration.fire({ affectsConfiguration: (section) => section === 'tracec' });
    const [said] = await shown;
    assert.match(said.message, /on 6\.1, not on 6\.12/);
  });

  /** Returns the servers that run. */
  const servers = () => {
    const children = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'args=']).toString().split('\n');
    return children.filter((line) => line.startsWith(`${command} lsp`)).length;
  };
  const changed = () => seen.events.configuration.fire({ affectsConfiguration: (section) => section === 'tracec' });

  await t.test('two settings that change at once leave one server', async () => {
    await Promise.all([changed(), changed(), seen.commands.get('tracec.restart')()]);
    assert.strictEqual(servers(), 1);
  });

  await t.test('a path that is corrected starts the server', async () => {
    configuration.path = '/nonexistent/tracec';
    await changed();
    assert.match(seen.messages.at(-1), /^error: tracec: \/nonexistent\/tracec does not start/);
    configuration.path = command;
    await changed();
    assert.strictEqual(servers(), 1);
  });

  await t.test('documents of another scheme are left alone', () => {
    const { match } = vscode.languages;
    const selector = seen.selectors.Hover;
    assert.strictEqual(match(selector, document), 10);
    assert.strictEqual(match(selector, { languageId: 'trc', uri: { scheme: 'git' } }), 0);
  });

  await t.test('what is registered is taken back', async () => {
    await deactivate();
    context.subscriptions.forEach((one) => one.dispose());
    assert.strictEqual(seen.commands.size, 0);
    assert.deepStrictEqual(Object.keys(seen.providers), []);
  });
});
