-- Leaves out what no text has: pictures, which are counted, and HTML that only shapes text. Words always stay.
local pictures, captions = 0, 0
local reads = FORMAT:match('^markdown')
local scholarly = reads and PANDOC_WRITER_OPTIONS.extensions:includes('citations')

local shapes = {}
for name in ([[a abbr b big blockquote br center cite div em font h1 h2 h3 h4 h5 h6 hr i img li mark ol p pre s
  script small span strike strong style sub sup table tbody td th thead tr tt u ul]]):gmatch('%w+') do
  shapes[name] = true
end

local function without_tags(html)
  return (html:gsub('</?(%a[%w]*)[^>]*>', function(name)
    if shapes[name:lower()] then return '' end
  end):gsub('<!%-%-.-%-%->', ''))
end

-- LaTeX stays what it is where LaTeX is written.
local function stays(raw) return FORMAT == 'latex' and (raw.format == 'tex' or raw.format == 'latex') end

local function inline(raw)
  if stays(raw) then return end
  local text = without_tags(raw.text)
  return text == '' and {} or pandoc.Str(text)
end

local function block(raw)
  if stays(raw) then return end
  local text = without_tags(raw.text)
  return text:match('%S') and pandoc.Para(pandoc.Inlines(text)) or {}
end

-- Places inside the document that was read are none in the text.
local function link(it)
  if reads and not it.target:match('^%a+:') then return it.content end
end

-- A formula that is set apart stands on lines of its own, within its paragraph.
local function apart(inlines)
  local kept, after = pandoc.Inlines {}, false
  for _, it in ipairs(inlines) do
    local blank = it.t == 'Space' or it.t == 'SoftBreak'
    if it.t == 'Math' and it.mathtype == 'DisplayMath' then
      while #kept > 0 and (kept[#kept].t == 'Space' or kept[#kept].t == 'SoftBreak') do kept:remove() end
      local before = #kept == 0 and '' or '\n'
      kept:insert(pandoc.RawInline('markdown', before .. '$$\n' .. it.text:match('^%s*(.-)%s*$') .. '\n$$'))
      after = true
    elseif not (after and blank) then
      if after and not (it.t == 'Str' and it.text:match('^[.,;:!?)]')) then kept:insert(pandoc.RawInline('markdown', '\n')) end
      kept:insert(it)
      after = false
    end
  end
  return kept
end

-- A caption is no paragraph of the text: it stands in italics.
local function in_italics(blocks)
  local function marked(it)
    it.content = { pandoc.Emph(it.content:walk { Emph = function(within) return within.content end }) }
    return it
  end
  return blocks:walk { Para = marked, Plain = function(it) return pandoc.Para(marked(it).content) end }
end

-- What remains of a figure: its caption, and what is no picture.
local function figure(it)
  if not reads then return end
  local kept = it.content:filter(function(block) return pandoc.utils.stringify(block) ~= '' end)
  if #it.caption.long > 0 then captions = captions + 1 end
  return kept .. in_italics(it.caption.long)
end

local function table_caption(it)
  if not reads or scholarly then return end
  it.caption.long = in_italics(it.caption.long)
  return it
end

local function is_abstract(block)
  local named = block.t == 'Header' or block.t == 'Para'
  return named and pandoc.utils.stringify(block):lower():match('^abstract[.:]?$') ~= nil
end

-- What stands below the word "Abstract", before the next heading, is the abstract of a paper.
local function with_abstract(document)
  if not scholarly or document.meta.abstract then return document end
  local first, last
  for place, block in ipairs(document.blocks) do
    if first and block.t == 'Header' then last = place break end
    if not first and is_abstract(block) then first = place
    elseif not first and block.t == 'Header' then return document end
  end
  if not last or last == first + 1 then return document end
  local abstract, rest = pandoc.Blocks {}, pandoc.Blocks {}
  for place, block in ipairs(document.blocks) do
    local into = place > first and place < last and abstract or rest
    if place ~= first then into:insert(block) end
  end
  document.blocks = rest
  document.meta.abstract = pandoc.MetaBlocks(abstract)
  return document
end

-- The abstract as one line of Markdown, its line ends as U+001F.
local function one_line(abstract)
  if not abstract then return nil end
  local blocks = pandoc.utils.type(abstract) == 'Blocks' and abstract or pandoc.Blocks { pandoc.Plain(abstract) }
  local options = pandoc.WriterOptions { wrap_text = 'wrap-none' }
  local said = pandoc.write(pandoc.Pandoc(blocks), { format = 'markdown_strict', extensions = {
    'footnotes', 'pipe_tables', 'strikeout', 'tex_math_dollars', 'citations' } }, options)
  local line = said:match('^%s*(.-)%s*$'):gsub('\n', '\31')
  return pandoc.MetaInlines { pandoc.RawInline('markdown', line) }
end

return {
  {
    Link = link,
    Image = function(image) pictures = pictures + 1; return {} end,
    RawInline = inline,
    RawBlock = block,
    Figure = figure,
    Table = table_caption,
    Div = function(div) return div.content end,
    Span = function(span) return span.content end,
  },
  {
    Pandoc = function(document)
      document.meta['penwright-pictures'] = tostring(pictures)
      document.meta['penwright-captions'] = tostring(captions)
      if reads then
        document = with_abstract(document)
        document.meta['penwright-abstract'] = one_line(document.meta.abstract)
        return document:walk { Para = function(para) return pandoc.Para(apart(para.content)) end }
      end
      return document
    end,
  },
}
