"""Two hundred texts that try to run, load, send or restyle something where a text is shown."""

RUN = "window.broken=1"
AWAY = "https://evil.example/x"

_ELEMENTS = (
    "<script>{run}</script>",
    "<script src={away}></script>",
    "<SCRIPT\n>{run}</SCRIPT >",
    "<img src=x onerror={run}>",
    "<img src={away}>",
    "<img srcset='{away} 1x'>",
    "<image href={away}>",
    "<svg onload={run}>",
    "<svg><script>{run}</script></svg>",
    "<svg><a href='javascript:{run}'>x</a></svg>",
    "<svg><animate onbegin={run} attributeName=x dur=1s>",
    "<svg><use href='{away}#x'/></svg>",
    "<iframe src='javascript:{run}'></iframe>",
    "<iframe srcdoc='<script>parent.{run}</script>'></iframe>",
    "<iframe src={away}></iframe>",
    "<object data={away}></object>",
    "<embed src={away}>",
    "<video src={away} onerror={run}></video>",
    "<audio src=x onerror={run}>",
    "<source src={away}>",
    "<video><source onerror={run}></video>",
    "<video poster={away}></video>",
    "<track src={away}>",
    "<style>body{{background:url({away})}}</style>",
    "<style>@import '{away}';</style>",
    "<link rel=stylesheet href={away}>",
    "<link rel=preload as=image href={away}>",
    "<base href={away}>",
    "<meta http-equiv=refresh content='0;url={away}'>",
    "<form action={away}><input name=a></form>",
    "<input autofocus onfocus={run}>",
    "<button formaction='javascript:{run}' autofocus>x</button>",
    "<textarea autofocus onfocus={run}></textarea>",
    "<select autofocus onfocus={run}></select>",
    "<details open ontoggle={run}>x</details>",
    "<marquee onstart={run}>x</marquee>",
    "<body onload={run}>",
    "<body background={away}>",
    "<table background={away}><tr><td>x</table>",
    "<div style='background:url({away})'>x</div>",
    "<p style='position:fixed;inset:0;background:red'>x</p>",
    "<b onmouseover={run}>x</b>",
    "<a href='{away}' ping='{away}' onclick={run}>x</a>",
    "<x onclick={run}>x</x>",
    "<math><maction actiontype=statusline xlink:href='javascript:{run}'>x</maction></math>",
    "<math><mtext><table><mglyph><style><img src=x onerror={run}></style></mglyph></table></mtext></math>",
    "<noscript><p title='</noscript><img src=x onerror={run}>'></noscript>",
    "<template><script>{run}</script></template>",
    "<plaintext><script>{run}</script>",
    "<xmp><script>{run}</script></xmp>",
    "<title><script>{run}</script></title>",
    "<isindex action={away}>",
    "<svg><foreignObject><iframe src='javascript:{run}'/></foreignObject></svg>",
    "<frameset onload={run}>",
    "<!--><script>{run}</script-->",
    "<![CDATA[<script>{run}</script>]]>",
    "<?xml <script>{run}</script>?>",
    "<a href='java\tscript:{run}'>x</a>",
    "<a href='&#106;avascript:{run}'>x</a>",
    "<div><!-- INK: <script>{run}</script> --></div>",
    "<scr<script>ipt>{run}</scr</script>ipt>",
)
_LINKS = (
    "javascript:{run}",
    "JaVaScRiPt:{run}",
    "javascript&colon;{run}",
    "java\tscript:{run}",
    " javascript:{run}",
    "&#106;avascript:{run}",
    "\x01javascript:{run}",
    "vbscript:msgbox(1)",
    "data:text/html,<script>{run}</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "data:image/svg+xml,<svg onload={run}>",
    "file:///etc/passwd",
    "blob:{away}",
    "view-source:{away}",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "javascript://%0a{run}",
)
_FORMS = ("[x]({})", "[x](<{}>)", "![x]({})", "[x][1]\n\n[1]: {}", "<{}>", "[![x]({})]({})")
_AROUND = ("{}", "> {}", "- {}", "`{}`", "```html\n{}\n```", "# {}")


def vectors() -> tuple[str, ...]:
    """The texts, each of its own kind."""
    elements = [each.format(run=RUN, away=AWAY) for each in _ELEMENTS]
    links = [each.format(run=RUN, away=AWAY) for each in _LINKS]
    linked = [form.replace("{}", each) for each in links for form in _FORMS]
    wrapped = [around.format(each) for each in elements[:12] for around in _AROUND[1:]]
    return tuple(dict.fromkeys((*elements, *linked, *wrapped)))
