"""Texts of students that would run, fetch or show something on the page of whoever grades them.

``RUN`` changes the page's title, without a character that Markdown would not let into a tag; CANARY is the address of a
server that should hear nothing.
"""

RUN = "Object.assign(document,{title:/pwned/.source})"
UP = "Object.assign(parent.document,{title:/pwned/.source})"
ESSAYS = [
    f"<script>{RUN}</script>",
    f"<SCRIPT\n>{RUN}</SCRIPT\n>",
    f"<img src=x onerror={RUN}>",
    f"<img src=\"x\"\nonerror=\"{RUN}\">",
    f"<svg onload={RUN}>", f"<svg><script>{RUN}</script></svg>", f"<svg/onload={RUN}//",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><a xlink:href=\"javascript:{RUN}\"><text y=20>click</text></a></svg>",
    f"<iframe srcdoc=\"<script>{UP}</script>\"></iframe>", f"<iframe src=\"javascript:{UP}\"></iframe>",
    "<iframe src=CANARY/iframe></iframe>", "<object data=CANARY/object></object><embed src=CANARY/embed>",
    f"<details open ontoggle={RUN}>x</details>", f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video>", f"<audio src=x onerror={RUN}>", f"<body onload={RUN}>",
    f"<p style=\"animation: x\" onanimationstart={RUN}>x</p><style>@keyframes x {{}}</style>",
    "<style>@import \"CANARY/import\";</style>", "<p style=\"background: url(CANARY/style)\">x</p>",
    "<p style=\"background: image-set('CANARY/image-set' 1x)\">x</p>",
    "<p style=\"background: \\75rl(CANARY/escaped)\">x</p>", "<p style=\"list-style: u\\72l('CANARY/list')\">x</p>",
    f"<!--><script>{RUN}</script>-->", f"<!--->\n<script>{RUN}</script>-->", f"<!-- --!><script>{RUN}</script>",
    f"<![CDATA[><script>{RUN}</script>]]>", f"<?x ><script>{RUN}</script>?>", f"<!x ><script>{RUN}</script>",
    "<link rel=stylesheet href=CANARY/link>", "<meta http-equiv=refresh content=\"0;url=CANARY/refresh\">",
    "<base href=CANARY/><img src=base>", "<img srcset=\"CANARY/srcset 1x\">", "<img src=\"//CANARY/scheme\">",
    "<picture><source srcset=CANARY/source><img></picture>", "<table background=CANARY/table><tr><td>x</table>",
    "<form action=CANARY/form id=formgrader><input name=base_url></form>",
    "<input class=\"score tabbable\" id=check-keep value=99 autofocus>", "<a id=submission_id></a><a id=base_url></a>",
    f"<span data-link=\"{RUN}\" data-toggle=tooltip data-html=true title=\"<img src=x onerror={RUN}>\">x</span>",
    f"<div class=\"jp-Mermaid\"><pre class=\"mermaid\">graph LR; a[<img src=x onerror={RUN}>]</pre></div>",
    f"```mermaid\n<img src=x onerror={RUN}>\n```", f"~~~ mermaid\n</pre><script>{RUN}</script>\n~~~",
    "![x](CANARY/picture)", "![x][1]\n\n[1]: CANARY/reference", "![x](attachment:missing.png)",
    f"[x](javascript:{RUN})", f"[x]( java&#115;cript:{RUN} )", f"<javascript:{RUN}>", "[x](data:text/html,x)",
    f"[x]\n\n[x]: javascript:{RUN}", "[x](vbscript:x)", f"[x](https://example.org \"x\" onclick={RUN})",
    f"$$\\href{{javascript:{RUN}}}{{x}}$$", "$\\style{background: url(CANARY/math)}{x}$",
    f"$\\text{{<img src=x onerror={RUN}>}}$", "\\begin{equation}\\require{html}\\class{score}{x}\\end{equation}",
    f"$\\unicode{{x3c}}\\cssId{{check-keep}}{{<script>{RUN}</script>}}$", f"$x$<script>{RUN}</script>$y$",
    f"`<script>{RUN}</script>", f"```\n</code></pre><script>{RUN}</script>\n```", f"```\n```\n<script>{RUN}</script>",
    f"``````\n<script>{RUN}</script>\n`````````\n<script>{RUN}</script>", f"~~~\n~~~\n<script>{RUN}</script>",
    f"```\r<script>{RUN}</script>", f"```\x0c<script>{RUN}</script>", f"```\u2028```\u2028<script>{RUN}</script>",
    f"    \n</pre><script>{RUN}</script>", f"> ```\n<script>{RUN}</script>", f"- ```\n\n<script>{RUN}</script>",
    f"&lt;script&gt;{RUN}&lt;/script&gt;", f"&#60;script>{RUN}</script>", f"\\<script>{RUN}</script>",
    f"<math><mtext></form><form><mglyph><style></math><img src=x onerror={RUN}>",
    f"<noscript><p title=\"</noscript><img src=x onerror={RUN}>\">", f"<template><script>{RUN}</script></template>",
    f"<select><template><img src=x onerror={RUN}>", f"<textarea><script>{RUN}</script>", "<title>pwned</title>",
    "<plaintext>", "{{ 7 * 7 }} {% raw %}", f"<scr\x00ipt>{RUN}</script>", f"\ufeff<script>{RUN}</script>",
    f"\x1b]8;;javascript:{RUN}\x07x\x1b]8;;\x07 \x1b[2J", "\u202eevil\u202c",
]


def essays(canary: str) -> list[str]:
    """All of them, with the address of the server that should hear nothing."""
    return [text.replace("//CANARY", canary.removeprefix("http:")).replace("CANARY", canary) for text in ESSAYS]
