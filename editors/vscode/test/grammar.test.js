// The TextMate grammar on all examples and modules of the library.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { loadWASM, OnigScanner, OnigString } = require('vscode-oniguruma');
const { INITIAL, Registry } = require('vscode-textmate');

const root = path.join(__dirname, '../../..');

async function grammar() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer;
  await loadWASM(wasm);
  const file = path.join(__dirname, '../syntaxes/trc.tmLanguage.json');
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new OnigScanner(patterns),
      createOnigString: (text) => new OnigString(text),
    }),
    loadGrammar: async () => JSON.parse(fs.readFileSync(file, 'utf8')),
  });
  return registry.loadGrammar('source.trc');
}

const loaded = grammar();

/** Returns the words of a text, each with its innermost scope. */
async function scopes(text) {
  const { tokenizeLine } = await loaded.then((loaded) => ({ tokenizeLine: loaded.tokenizeLine.bind(loaded) }));
  let stack = INITIAL;
  const all = [];
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = tokenizeLine(line, stack);
    all.push(...tokens.map((token) => [line.slice(token.startIndex, token.endIndex).trim(), token.scopes.at(-1)]));
    stack = ruleStack;
  }
  return { all: all.filter(([word]) => word !== ''), isClosed: stack.depth === 1 };
}

function files(directory) {
  return fs.readdirSync(directory, { recursive: true }).filter((name) => name.endsWith('.trc'))
    .map((name) => path.join(directory, name));
}

test('each example is coloured to its end', async () => {
  const all = [...files(path.join(root, 'examples')), ...files(path.join(root, 'stdlib'))];
  assert.ok(all.length > 20, `${all.length} files`);
  for (const file of all) {
    const { all: words, isClosed } = await scopes(fs.readFileSync(file, 'utf8'));
    assert.ok(isClosed, `${file}: a string or comment has no end`);
    const declared = words.filter(([, scope]) => scope.startsWith('keyword.'));
    assert.ok(declared.length > 0, `${file}: no keyword`);
  }
});

test('words have the scope of what they are', async () => {
  const text = `//! doc
use std::errno;
session disk(min: size = 64KiB) {
    trace block:block_rq_issue if bytes >= min && comm !~ "kw*" { trigger stacktrace count 5; }
    stop after 30s; // end
}
class c { print "a {x:#x} b" }`;
  const { all } = await scopes(text);
  const found = new Map(all);
  for (const [word, scope] of [
    ['session', 'keyword.declaration.trc'],
    ['disk', 'entity.name.type.trc'],
    ['trace', 'keyword.control.trc'],
    ['trigger', 'keyword.control.trc'],
    ['block_rq_issue', 'entity.name.function.event.trc'],
    ['if', 'keyword.other.trc'],
    ['64KiB', 'constant.numeric.trc'],
    ['kw*', 'string.quoted.double.trc'],
    ['>=', 'keyword.operator.trc'],
    ['// end', 'comment.line.double-slash.trc'],
    ['//! doc', 'comment.line.documentation.trc'],
    ['print', 'keyword.other.trc'],
  ]) {
    assert.strictEqual(found.get(word), scope, word);
  }
});
