// The package that is installed into the editor: it can be made, and holds what the extension needs and no tests.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');

const root = path.join(__dirname, '..');
const vsce = path.join(root, 'node_modules/.bin/vsce');
const run = (...args) => execFileSync(vsce, args, { cwd: root, encoding: 'utf8' });

test('the extension packages', () => {
  const to = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tracec-')), 'tracec.vsix');
  run('package', '--skip-license', '--out', to);
  // A zip archive.
  assert.strictEqual(fs.readFileSync(to).subarray(0, 2).toString(), 'PK');
  const files = run('ls').split('\n');
  for (const needed of ['extension.js', 'server.js', 'syntaxes/trc.tmLanguage.json', 'language-configuration.json',
    'node_modules/vscode-languageclient/package.json']) {
    assert.ok(files.includes(needed), `no ${needed} in ${files.length} files`);
  }
  assert.deepStrictEqual(files.filter((file) => file.startsWith('test/') || file.endsWith('.vsix')), []);
});
