// The command lines that the extension makes, and a server that is started by one of them.
'use strict';

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const test = require('node:test');
const rpc = require('vscode-jsonrpc/node');
const { server, commandLine } = require('../server.js');

const path = process.env.TRACEC;

test('settings become command lines', () => {
  assert.deepStrictEqual(server({}), { command: 'tracec', args: ['lsp'] });
  assert.deepStrictEqual(server({ path: '/t', kernels: ['6.1', 'a'] }),
    { command: '/t', args: ['lsp', '--kernel', '6.1', '--kernel', 'a'] });
  assert.strictEqual(commandLine({ kernels: ['6.1'] }, 'plan', "/a b/it's.trc"), "tracec plan '/a b/it'\\''s.trc' --kernel 6.1");
  assert.strictEqual(commandLine({ kernels: ['6.1'] }, 'run', '/a.trc'), 'tracec run /a.trc');
});

test('the server answers', { skip: path ? false : 'TRACEC does not name the command' }, async () => {
  const { command, args } = server({ path, kernels: ['6.12'] });
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = rpc.createMessageConnection(child.stdout, child.stdin);
  connection.listen();
  const { capabilities } = await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  assert.strictEqual(capabilities.positionEncoding, 'utf-16');
  connection.sendNotification('initialized', {});
  const published = new Promise((resolve) => connection.onNotification('textDocument/publishDiagnostics', resolve));
  const uri = 'file:///project/a.trc';
  const text = 'session a { trace sched:sched_swich; }';
  connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'trc', version: 1, text } });
  const { diagnostics } = await published;
  assert.deepStrictEqual(diagnostics.map((said) => said.code), ['T0101']);
  const completion = await connection.sendRequest('textDocument/completion',
    { textDocument: { uri }, position: { line: 0, character: text.indexOf('swich') + 2 } });
  assert.ok(completion.items.some((item) => item.label === 'sched:sched_switch'));
  await connection.sendRequest('shutdown');
  connection.sendNotification('exit');
  assert.strictEqual(await new Promise((resolve) => child.on('exit', resolve)), 0);
});
