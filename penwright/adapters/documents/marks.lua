-- Makes comments and tracked changes of the marks of penwright/domain/text/word_marks.py.
local COMMENT, CHANGE = '\u{2E28}\u{FDD1}', '\u{2E28}\u{FDD3}'
local CLOSE, OVER = '\u{FDD2}\u{2E29}', '\u{2E28}\u{FDD4}\u{2E29}'
local number = 0

local function said(hex)
  local parts = {}
  for part in (hex:gsub('%x%x', function(pair) return string.char(tonumber(pair, 16)) end) .. '\31'):gmatch('(.-)\31') do
    parts[#parts + 1] = part
  end
  return table.unpack(parts)
end

local function comment(hex)
  local author, date, text = said(hex)
  number = number + 1
  local known = { id = tostring(number), author = author, date = date }
  return pandoc.Span({ pandoc.Str(text) }, pandoc.Attr('', { 'comment-start' }, known)),
    pandoc.Span({}, pandoc.Attr('', { 'comment-end' }, { id = tostring(number) }))
end

-- The pieces of a word with marks: text, and marks as tables.
local function pieces(text)
  local found = {}
  while text ~= '' do
    local place, mark, hex, after, kind = #text + 1, nil, nil, nil, nil
    for _, sign in ipairs { COMMENT, CHANGE, OVER } do
      local at = text:find(sign, 1, true)
      if at and at < place then place, kind = at, sign end
    end
    if place > 1 then found[#found + 1] = pandoc.Str(text:sub(1, place - 1)) end
    if not kind then break end
    if kind == OVER then text, mark = text:sub(place + #OVER), { over = true }
    else
      hex, after = text:sub(place + #kind):match('^(%x+)' .. CLOSE .. '(.*)$')
      text, mark = after or '', { kind = kind, hex = hex or '' }
    end
    found[#found + 1] = mark
  end
  return found
end

local function marked(inlines)
  local kept = pandoc.Inlines {}
  local into, open = kept, nil
  for _, it in ipairs(inlines) do
    local parts = it.t == 'Str' and pieces(it.text) or { it }
    for _, part in ipairs(parts) do
      if part.over then
        if open then kept:insert(pandoc.Span(into, open)) end
        into, open = kept, nil
      elseif part.kind == COMMENT then
        local first, last = comment(part.hex)
        kept:insert(first)
        kept:insert(last)
      elseif part.kind == CHANGE then
        local kind, author, date = said(part.hex)
        open, into = pandoc.Attr('', { kind }, { author = author, date = date }), pandoc.Inlines {}
      else into:insert(part) end
    end
  end
  if open then kept:insert(pandoc.Span(into, open)) end
  return kept
end

return { { Inlines = marked } }
