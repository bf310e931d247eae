// A stand-in for the module `vscode`, which exists only inside the editor: it keeps what the extension registers and
// shows, so that a test can call it as the editor would.
'use strict';

const Module = require('node:module');

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end, endLine, endCharacter) {
    const isNumbers = typeof start === 'number';
    this.start = isNumbers ? new Position(start, end) : start;
    this.end = isNumbers ? new Position(endLine, endCharacter) : end;
  }
}

class Uri {
  constructor(url) {
    this.url = new URL(url);
    this.scheme = this.url.protocol.slice(0, -1);
    this.authority = this.url.host;
    this.path = decodeURIComponent(this.url.pathname);
    this.fsPath = this.path;
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(`file://${path}`);
  }
  with({ path }) {
    return Uri.file(path);
  }
  toString() {
    return this.url.href;
  }
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose;
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self === undefined ? listener : listener.bind(self);
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) {
    return Promise.all([...this.listeners].map((listener) => listener(value)));
  }
  dispose() {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: new EventEmitter().event };
  }
  cancel() {
    this.token.isCancellationRequested = true;
  }
  dispose() {}
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value === '' ? part : `${this.value}.${part}`);
  }
}
Object.assign(CodeActionKind, { Empty: new CodeActionKind('') });
for (const [name, value] of [
  ['QuickFix', 'quickfix'], ['Refactor', 'refactor'], ['RefactorExtract', 'refactor.extract'],
  ['RefactorInline', 'refactor.inline'], ['RefactorRewrite', 'refactor.rewrite'], ['Source', 'source'],
  ['SourceOrganizeImports', 'source.organizeImports'],
]) {
  CodeActionKind[name] = new CodeActionKind(value);
}

class MarkdownString {
  constructor(value = '') {
    this.value = value;
  }
  appendCodeblock(code, language) {
    this.value += `\`\`\`${language}\n${code}\n\`\`\``;
    return this;
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class WorkspaceEdit {
  constructor() {
    this.changes = new Map();
  }
  set(uri, edits) {
    this.changes.set(uri.toString(), edits);
  }
}

/** A class of the editor whose instances only carry what the client sets. */
const plain = (...names) => class {
  constructor(...values) {
    names.forEach((name, index) => { this[name] = values[index]; });
  }
};

/** Returns the stand-in, and what tests look at: `seen`. */
function make(configuration) {
  const events = {};
  const event = (name) => (events[name] ??= new EventEmitter()).event;
  const seen = { providers: {}, selectors: {}, commands: new Map(), diagnostics: new Map(), messages: [], typed: [], events };
  const registered = (kind) => (selector, provider) => {
    seen.providers[kind] = provider;
    seen.selectors[kind] = selector;
    return new Disposable(() => delete seen.providers[kind]);
  };
  const shown = (kind) => async (text) => {
    seen.messages.push(`${kind}: ${text}`);
  };
  const channel = { append() {}, appendLine() {}, replace() {}, clear() {}, show() {}, hide() {}, dispose() {} };
  const collection = () => ({
    set: (uri, found) => {
      seen.diagnostics.set(uri.toString(), found);
      return seen.published?.(found);
    },
    delete: (uri) => seen.diagnostics.delete(uri.toString()),
    clear: () => seen.diagnostics.clear(),
    dispose() {},
  });
  const vscode = {
    version: '1.82.0',
    Position, Range, Uri, Disposable, EventEmitter, CancellationTokenSource, CodeActionKind, MarkdownString, Diagnostic,
    WorkspaceEdit, CancellationError: class extends Error {},
    CallHierarchyItem: plain(), TypeHierarchyItem: plain(), CodeLens: plain('range'), DocumentLink: plain('range'),
    SymbolInformation: plain('name', 'kind'), SelectionRange: plain('range'), InlayHintLabelPart: plain('value'),
    CompletionItem: plain('label'), CompletionList: plain('items', 'isIncomplete'), CodeAction: plain('title', 'kind'),
    InlayHint: plain('position', 'label', 'kind'), TextEdit: plain('range', 'newText'), Hover: plain('contents', 'range'),
    Location: plain('uri', 'range'), DiagnosticRelatedInformation: plain('location', 'message'),
    SemanticTokensLegend: plain('tokenTypes', 'tokenModifiers'), SemanticTokens: plain('data', 'resultId'),
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    DiagnosticTag: { Unnecessary: 1, Deprecated: 2 }, CompletionItemTag: { Deprecated: 1 }, SymbolTag: { Deprecated: 1 },
    CompletionItemKind: { Text: 0 }, SymbolKind: {}, ProgressLocation: { Window: 10 }, FileType: { File: 1, Directory: 2 },
    CompletionTriggerKind: { Invoke: 0, TriggerCharacter: 1, TriggerForIncompleteCompletions: 2 },
    CodeActionTriggerKind: { Invoke: 1, Automatic: 2 }, InlayHintKind: { Type: 1, Parameter: 2 },
    DocumentHighlightKind: {}, FoldingRangeKind: {}, SignatureHelpTriggerKind: {}, NotebookCellKind: {},
    TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 },
    env: { language: 'en', appName: 'test' },
    workspace: {
      textDocuments: [], notebookDocuments: [], workspaceFolders: undefined,
      getConfiguration: (section) => ({ get: (key, otherwise) => (section === 'tracec' ? configuration[key] : otherwise) }),
      createFileSystemWatcher: () => ({
        onDidCreate: event('fileCreated'), onDidChange: event('fileChanged'), onDidDelete: event('fileDeleted'), dispose() {},
      }),
      onDidChangeConfiguration: event('configuration'), onDidOpenTextDocument: event('open'),
      onDidChangeTextDocument: event('change'), onDidCloseTextDocument: event('close'), onDidSaveTextDocument: event('save'),
      onWillSaveTextDocument: event('willSave'), onDidChangeWorkspaceFolders: event('folders'),
      onDidCreateFiles: event('created'), onDidRenameFiles: event('renamed'), onDidDeleteFiles: event('deleted'),
      onWillCreateFiles: event('willCreate'), onWillRenameFiles: event('willRename'), onWillDeleteFiles: event('willDelete'),
      onDidOpenNotebookDocument: event('openNotebook'), onDidCloseNotebookDocument: event('closeNotebook'),
      onDidChangeNotebookDocument: event('changeNotebook'), onDidSaveNotebookDocument: event('saveNotebook'),
    },
    window: {
      activeTextEditor: undefined, visibleTextEditors: [], terminals: [],
      tabGroups: { all: [], onDidChangeTabs: event('tabs'), onDidChangeTabGroups: event('groups') },
      onDidChangeActiveTextEditor: event('editor'), onDidChangeVisibleTextEditors: event('editors'),
      createOutputChannel: () => channel,
      createTerminal: (name) => {
        const terminal = { name, show() {}, sendText: (text, isEntered) => seen.typed.push([text, isEntered]) };
        vscode.window.terminals.push(terminal);
        return terminal;
      },
      showInformationMessage: shown('information'), showWarningMessage: shown('warning'), showErrorMessage: shown('error'),
    },
    commands: {
      registerCommand: (name, run) => {
        seen.commands.set(name, run);
        return new Disposable(() => seen.commands.delete(name));
      },
    },
    languages: {
      match: (selector, { languageId, uri }) => {
        const fits = ({ language, scheme }) => languageId === language && (scheme === undefined || scheme === uri.scheme);
        return selector.some(fits) ? 10 : 0;
      },
      createDiagnosticCollection: collection,
    },
  };
  // `registerHoverProvider` and its like.
  const { languages } = vscode;
  vscode.languages = new Proxy(languages, {
    get: (own, name) => own[name] ?? (/^register.*Provider$/.test(name) ? registered(name.slice(8, -8)) : undefined),
  });
  return { vscode, seen };
}

/** Makes `require('vscode')` return the stand-in. */
function install(vscode) {
  const load = Module._load;
  Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));
}

module.exports = { make, install };
