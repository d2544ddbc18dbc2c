-- Leaves out what no text has: pictures, which are counted, and HTML that only shapes text. Words always stay.
local pictures = 0

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

local function inline(raw)
  local text = without_tags(raw.text)
  return text == '' and {} or pandoc.Str(text)
end

local function block(raw)
  local text = without_tags(raw.text)
  return text:match('%S') and pandoc.Para(pandoc.Inlines(text)) or {}
end

-- Places inside the document that was read are none in the text.
local function link(it)
  if FORMAT:match('^markdown') and not it.target:match('^%a+:') then return it.content end
end

return {
  {
    Link = link,
    Image = function(image) pictures = pictures + 1; return {} end,
    RawInline = inline,
    RawBlock = block,
    Div = function(div) return div.content end,
    Span = function(span) return span.content end,
  },
  {
    Pandoc = function(document)
      document.meta['penwright-pictures'] = tostring(pictures)
      return document
    end,
  },
}
