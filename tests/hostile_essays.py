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
    f"```mermaid\ngraph TD; A[\"<img src=x onerror={RUN}>\"]\n```",
    f"```mermaid\ngraph TD; click A \"javascript:{RUN}\"\n```",
    f"<div class=\"mermaid\">graph TD; A[<script>{RUN}</script>]</div>",
    f"```mermaid\n%%{{init: {{\"securityLevel\": \"loose\"}}}}%%\ngraph LR; A[<img src=x onerror={RUN}>]\n```",
    f"<pre class=\"mermaid\">graph TD; A-->B; click A call {RUN}</pre>",
    f"![x](data:image/svg+xml,<svg onload={RUN}>)", f"<math href=\"javascript:{RUN}\"><mi>x</mi></math>",
    f"<math><maction actiontype=\"statusline#{RUN}\">x</maction></math>",
    f"<math><annotation-xml encoding=\"text/html\"><script>{RUN}</script></annotation-xml></math>",
    f"<svg><foreignObject><body onload={RUN}></foreignObject></svg>",
    f"<svg><use href=\"data:image/svg+xml,<svg id=x onload={RUN}>#x\">",
    f"<a href=\"data:text/html,<script>{RUN}</script>\">x</a>", "[x](<data:text/html;base64,PHNjcmlwdD4=>)",
    f"<!-- <!-- --><script>{RUN}</script> -->", f"<!-- --\n><script>{RUN}</script><!-- -->",
    "<p style=\"\\62 ackground:\\75 rl(CANARY/css)\">x</p>", f"\x9b31m<script>{RUN}</script>\x1b[0m",
    "<style>\\40 import 'CANARY/import2';</style>",
]


def essays(canary: str) -> list[str]:
    """All of them, with the address of the server that should hear nothing."""
    return [text.replace("//CANARY", canary.removeprefix("http:")).replace("CANARY", canary) for text in ESSAYS]
