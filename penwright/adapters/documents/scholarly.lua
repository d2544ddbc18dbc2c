-- Commands of LaTeX in a text become what they say; one that is unknown stays as it is written, words and all.
local function is_tex(raw) return raw.format == 'tex' or raw.format == 'latex' end

local function said(raw)
  local blocks = pandoc.read(raw.text, 'latex').blocks
  return pandoc.utils.stringify(blocks) ~= '' and blocks or nil
end

local function inline(raw)
  if is_tex(raw) then
    local blocks = said(raw)
    return blocks and pandoc.utils.blocks_to_inlines(blocks) or pandoc.Str(raw.text)
  end
end

local function block(raw)
  if is_tex(raw) then return said(raw) or pandoc.Para(pandoc.Str(raw.text)) end
end

-- A text that ends with a heading has its list of references below that, and needs no other.
local function titled(document)
  local last = document.blocks[#document.blocks]
  if last and last.t == 'Header' then document.meta['reference-section-title'] = nil end
  return document
end

return {{ RawInline = inline, RawBlock = block, Pandoc = titled }}
