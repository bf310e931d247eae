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

/** Returns the tokens of each line of a text: where each begins and ends, and its scopes, the innermost last. */
async function coloured(text) {
  const grammar = await loaded;
  let stack = INITIAL;
  const lines = text.split('\n').map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return { line, tokens };
  });
  return { lines, isClosed: stack.depth === 1 };
}

/** Returns the words of a text, each with its innermost scope. */
async function scopes(text) {
  const { lines } = await coloured(text);
  const all = lines.flatMap(({ line, tokens }) =>
    tokens.map((token) => [line.slice(token.startIndex, token.endIndex).trim(), token.scopes.at(-1)]));
  return all.filter(([word]) => word !== '');
}

function files(directory) {
  return fs.readdirSync(directory, { recursive: true }).filter((name) => name.endsWith('.trc'))
    .map((name) => path.join(directory, name));
}

/** Returns the words that begin statements, each with its contexts and forms, from the table of the language. */
function beginnings() {
  const source = fs.readFileSync(path.join(root, 'grammar/src/words.rs'), 'utf8');
  const table = source.slice(source.indexOf('pub const CLAUSES'), source.indexOf('pub fn clause_words'));
  const words = new Map();
  let context;
  for (const [, of, word, form] of table.matchAll(/^ {4}(\w+) \{|^ {8}"(\w+)": "((?:[^"\\]|\\.)*)"/gm)) {
    context = of ?? context;
    if (word !== undefined) {
      words.set(word, [...(words.get(word) ?? []), [context, form.replaceAll('\\"', '"')]]);
    }
  }
  return words;
}

/** Statements of the language around one more. */
const AROUND = {
  File: ['', ''],
  Session: ['session a {\n', '\n}'],
  Block: ['session a {\ntrace b:c {\n', '\n}\n}'],
  Event: ['class a {\n', '\n}'],
};

/** The words inside of statements that are keywords wherever they stand. */
const INSIDE = ['if', 'else', 'in', 'having', 'except', 'once', 'after', 'with', 'has', 'struct'];

/**
 * Returns what stands in a text: `[kind, line, column, text]` of each comment, string, number and word. It knows as much
 * of the language as that needs, and nothing of the grammar.
 */
function lexemes(text) {
  const pattern = /(?<comment>\/\/.*$)|(?<c>`[^`]*`)|(?<string>"(?:[^"\\]|\\.)*")|(?<number>(?<![\w.%@$*])[0-9]\w*)|(?<word>[A-Za-z_]\w*)/g;
  const all = [];
  text.split('\n').forEach((line, row) => {
    // Templates have strings and words of their own; headers are paths.
    const part = line.replace(/\bprint\s+".*$/, (template) => 'print'.padEnd(template.length))
      .replace(/^(\s*include\s+)<.*$/, '$1');
    for (const match of part.matchAll(pattern)) {
      const [kind, found] = Object.entries(match.groups).find(([, found]) => found !== undefined);
      all.push([kind, row, match.index, found]);
    }
  });
  return all;
}

const OF_KIND = { comment: /^comment\./, c: /^string\./, string: /^string\./, number: /^constant\.numeric\./ };

test('comments, strings, numbers and keywords of each example have their scopes', async () => {
  const all = ['examples', 'stdlib', 'tests/live'].flatMap((folder) => files(path.join(root, folder)));
  assert.ok(all.length > 60, `${all.length} files`);
  const begins = beginnings();
  const counts = {};
  const seen = new Set();
  for (const file of all) {
    const text = fs.readFileSync(file, 'utf8');
    const { lines, isClosed } = await coloured(text);
    assert.ok(isClosed, `${file}: a string or comment has no end`);
    for (const [kind, row, column, found] of lexemes(text)) {
      const { line, tokens } = lines[row];
      const place = `${file}:${row + 1}:${column + 1}: ${found}`;
      const of = (at) => tokens.find((token) => token.startIndex <= at && at < token.endIndex).scopes.join(' ');
      const has = (at, scope) => of(at).split(' ').some((one) => scope.test(one));
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (kind !== 'word') {
        for (let at = column; at < column + found.length; at += 1) {
          assert.ok(has(at, OF_KIND[kind]), `${place} is a ${kind}, and has ${of(at)}`);
        }
        continue;
      }
      assert.ok(!has(column, /^(comment|string)\./), `${place} is in no string, and has ${of(column)}`);
      const before = line.slice(0, column).trimEnd();
      const isFirst = (before === '' || before.endsWith('{') && / \{$/.test(before) || before.endsWith(';'))
        && /^\s*($|[\w"`{;(<@*%])/.test(line.slice(column + found.length));
      if (isFirst && begins.has(found) || INSIDE.includes(found) && /[\w)}"] $|^\s*$/.test(line.slice(0, column))) {
        seen.add(found);
        assert.ok(has(column, /^keyword\./), `${place} is a keyword, and has ${of(column)}`);
      }
    }
  }
  for (const [kind, least] of [['comment', 200], ['string', 30], ['number', 500], ['word', 2000]]) {
    assert.ok(counts[kind] > least, `${counts[kind]} times a ${kind}`);
  }
  for (const word of ['session', 'trace', 'on', 'trigger', 'print', 'redact', 'const', 'if', 'use']) {
    assert.ok(seen.has(word), `no file has ${word}`);
  }
});

test('each word that begins a statement is a keyword where it does', async () => {
  const words = beginnings();
  assert.ok(words.size > 30, `${words.size} words`);
  for (const [word, forms] of words) {
    for (const [context, form] of forms) {
      const [head, tail] = AROUND[context];
      for (const statement of [form, `x;\n${form}`]) {
        const found = await scopes(`${head}    ${statement}${tail}`);
        const scope = found.find(([of]) => of === word)?.[1];
        assert.ok(scope?.startsWith('keyword.'), `${context}: ${statement}: ${scope}`);
      }
    }
  }
});

test('a word that is also the name of a field is a keyword only where it begins a statement', async () => {
  const found = await scopes('session a { trace b:c if filter == 1 && entry.output > stop; }');
  for (const word of ['filter', 'entry', 'output', 'stop']) {
    const scope = found.find(([part]) => part.split(/\W+/).includes(word))[1];
    assert.ok(!scope.startsWith('keyword.'), `${word}: ${scope}`);
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
  const found = new Map(await scopes(text));
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
