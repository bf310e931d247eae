-- Drives tracec's language server from Neovim, without a window, and writes what was seen as JSON.
-- Arguments by environment: TRACEC (the command), SESSION (a .trc file), SEEN (the file for the result).

local seen = {}
local path = vim.env.SESSION
vim.cmd('edit ' .. vim.fn.fnameescape(path))
local buffer = vim.api.nvim_get_current_buf()

local client = vim.lsp.start_client({
  name = 'tracec',
  cmd = { vim.env.TRACEC, 'lsp', '--kernel', '6.12' },
  root_dir = vim.fn.fnamemodify(path, ':h'),
})
vim.lsp.buf_attach_client(buffer, client)

local function wait(what, condition)
  if not vim.wait(20000, condition, 10) then
    seen.failed = what
  end
end

local function diagnostics()
  return vim.diagnostic.get(buffer)
end

-- Asks the server, as the functions of vim.lsp.buf do.
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params(0, vim.lsp.get_client_by_id(client).offset_encoding)
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

wait('diagnostics', function() return #diagnostics() > 0 end)
seen.diagnostics = {}
for _, said in ipairs(diagnostics()) do
  table.insert(seen.diagnostics, { code = said.code, line = said.lnum, column = said.col, message = said.message })
end

-- The fix of the misspelt event, by Neovim's own function that applies edits.
local said = diagnostics()[1]
local actions = ask('textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = {
    start = { line = said.lnum, character = said.col },
    ['end'] = { line = said.end_lnum, character = said.end_col },
  },
  context = { diagnostics = {} },
})
seen.action = actions[1].title
vim.lsp.util.apply_workspace_edit(actions[1].edit, vim.lsp.get_client_by_id(client).offset_encoding)
wait('no diagnostics', function() return #diagnostics() == 0 end)
seen.fixed = text()

-- An event is typed without its system: the words that Neovim inserts are what it makes of the items.
local event = vim.fn.search('trace sched', 'n')
local whole = vim.fn.getline(event)
vim.fn.setline(event, 'trace sched_sw')
wait('a mistake', function() return #diagnostics() > 0 end)
local found = ask('textDocument/completion', at(event, #vim.fn.getline(event)))
seen.words = {}
for _, item in ipairs(vim.lsp.util.text_document_completion_list_to_complete_items(found, 'sched_sw')) do
  table.insert(seen.words, item.word)
end
vim.fn.setline(event, 'trace ' .. seen.words[#seen.words] .. ';')
wait('an event', function() return #diagnostics() == 0 end)
vim.fn.setline(event, whole)

-- A field is typed.
local line = vim.fn.search('trace sched', 'n')
local before = vim.fn.getline(line):gsub(';.*$', '')
vim.fn.setline(line, before .. ' if prev_')
local items = ask('textDocument/completion', at(line, #vim.fn.getline(line))).items
seen.completion = {}
for _, item in ipairs(items) do
  table.insert(seen.completion, item.label)
end
vim.lsp.util.apply_text_edits({ items[1].textEdit }, buffer, vim.lsp.get_client_by_id(client).offset_encoding)
vim.fn.setline(line, vim.fn.getline(line) .. ' == "bash" && cpu > least;')
seen.typed = vim.fn.getline(line)

local hover = ask('textDocument/hover', at(line, #before + 6))
seen.hover = hover and hover.contents.value

local params = at(1, 6)
params.newName = 'most'
local rename = ask('textDocument/rename', params)
vim.lsp.util.apply_workspace_edit(rename, vim.lsp.get_client_by_id(client).offset_encoding)
seen.renamed = text()

vim.lsp.util.apply_text_edits(ask('textDocument/formatting', {
  textDocument = vim.lsp.util.make_text_document_params(),
  options = { tabSize = 4, insertSpaces = true },
}), buffer, vim.lsp.get_client_by_id(client).offset_encoding)
seen.formatted = text()

seen.hints = {}
for _, hint in ipairs(ask('textDocument/inlayHint', {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = { line = 0, character = 0 }, ['end'] = { line = 99, character = 0 } },
}) or {}) do
  table.insert(seen.hints, hint.label)
end

local file = io.open(vim.env.SEEN, 'w')
file:write(vim.json.encode(seen))
file:close()
vim.lsp.stop_client(client)
vim.cmd('qall!')
