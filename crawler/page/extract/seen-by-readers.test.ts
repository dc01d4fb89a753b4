import { expect, test } from "vitest"
import { extractHtml, toPlainText } from "./extract.ts"

// Pages of many kinds: text that readers see is extracted, and clutter is left out.

const P =
  "The harbour office opens at eight and closes at five on working days. Boats longer than twelve metres need a berth reservation, which the office confirms by telephone within a day. "
const filler = (n = 6) =>
  Array.from(
    { length: n },
    (_, i) =>
      `<p>${P}Paragraph ${i + 1} adds that tide tables hang beside the door and that the crane driver takes orders until noon.</p>`,
  ).join("\n")
const page = (body: string, head = "") =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Harbour handbook</title><script src="/app.js"></script>${head}</head><body><header><nav><a href="/">Home</a> <a href="/a">About</a></nav></header>${body}<footer>© Harbour 2026 <a href="/imprint">Imprint</a></footer></body></html>`
const main = (b: string) => page(`<main><h1>Harbour handbook</h1>${filler()}${b}</main>`)

interface Case {
  readonly kind: string
  readonly name: string
  readonly html: string
  /** Expected in the text. */
  readonly has?: readonly string[]
  readonly not?: readonly string[]
  /** Expected in the markdown. */
  readonly hasMd?: readonly RegExp[]
  readonly notMd?: readonly RegExp[]
}

const cases: Case[] = [
  {
    kind: "a lone link",
    name: "div with a lone link",
    html: main(`<div><a href="/berth.pdf">Berth application form (PDF)</a></div><p>${P}</p>`),
    has: ["Berth application form"],
  },
  {
    kind: "a lone link",
    name: "mailto in own paragraph",
    html: main(`<p>Write to us:</p><p><a href="mailto:crane@harbour.example">crane@harbour.example</a></p>`),
    has: ["crane@harbour.example"],
  },
  {
    kind: "a lone link",
    name: "tel",
    html: main(`<h2>Emergency</h2><p><a href="tel:+4940555">+49 40 555 777</a></p>`),
    has: ["+49 40 555 777"],
  },
  {
    kind: "a lone link",
    name: "li downloads after sentence",
    html: main(
      `<p>The forms you need:</p><ul><li><a href="/a.pdf">Mooring declaration</a></li><li><a href="/b.pdf">Waste manifest</a></li></ul><p>${P}</p>`,
    ),
    has: ["Mooring declaration", "Waste manifest"],
  },
  {
    kind: "a lone link",
    name: "p em link",
    html: main(
      `<p><em><strong><a href="/register">Register your boat online</a></strong></em></p><p>${P}</p>`,
    ),
    has: ["Register your boat online"],
  },
  {
    kind: "a lone link",
    name: "quoted link",
    html: main(`<blockquote><p><a href="https://law.example/7">Harbour Act, section 7</a></p></blockquote>`),
    has: ["Harbour Act, section 7"],
  },
  {
    kind: "a lone link",
    name: "two links paragraph",
    html: main(`<p><a href="/win">Windows installer</a> | <a href="/mac">macOS installer</a></p><p>${P}</p>`),
    has: ["Windows installer", "macOS installer"],
  },
  {
    kind: "a lone link",
    name: "button-like link",
    html: main(`<p class="cta"><a class="btn btn-primary" href="/tide.csv">Download the tide table</a></p>`),
    has: ["Download the tide table"],
  },
  ...[
    "Comments",
    "Contact us",
    "Share",
    "Related",
    "See also",
    "Tags",
    "subscribe(topic, callback)",
    "Follow",
    "Advertisement",
    "Newsletter",
    "Further reading",
    "More information",
    "Navigation",
    "Menu",
    "Login",
    "Search",
    "Categories",
    "Author",
    "Related links",
    "You may also like",
  ].map((h, i): Case => ({
    kind: "the section under a heading",
    name: h,
    html: main(
      `<h2>${h}</h2><p>The keyword gannet${i} is explained in this sentence, which nobody wrote for decoration.</p><pre><code>run --mode gannet-code${i}</code></pre><table><tr><th>k</th><th>v</th></tr><tr><td>rate</td><td>cormorant${i}</td></tr></table><h2>Next chapter</h2><p>${P}</p>`,
    ),
    has: [`gannet${i}`, `gannet-code${i}`, `cormorant${i}`],
  })),
  ...["Kommentare", "Teilen", "Kontakt", "Siehe auch", "Commentaires", "Partager", "Compartir", "関連"].map(
    (h, i): Case => ({
      kind: "the section under a heading",
      name: h,
      html: main(
        `<section><h3>${h}</h3><p>Der Begriff puffin${i} steht in einem ganzen Satz, den jemand lesen will, und zwar hier.</p></section><h2>Next</h2><p>${P}</p>`,
      ),
      has: [`puffin${i}`],
    }),
  ),
  {
    kind: "the clutter under a heading",
    name: "related links go",
    html: page(
      `<main><article><h1>Harbour handbook</h1>${filler(8)}</article><section><h2>Related articles</h2><ul>${[1, 2, 3, 4, 5, 6].map((n) => `<li><a href="/r${n}"><img src="/i${n}.jpg"><h3>Teaserfish ${n} swims around the pier again</h3></a></li>`).join("")}</ul></section></main>`,
    ),
    not: ["Teaserfish"],
  },
  {
    kind: "the clutter under a heading",
    name: "comment form goes",
    html: page(
      `<main><article><h1>Harbour handbook</h1>${filler(8)}</article><section><h2>Leave a comment</h2><form action="/c"><label>Your name <input></label><label>Your message <textarea></textarea></label><button>Post comment</button></form></section></main>`,
    ),
    not: ["Post comment", "Your name"],
  },
  ...[
    "menu",
    "related",
    "share",
    "social",
    "comments",
    "sidebar",
    "widget",
    "promo",
    "ad",
    "banner",
    "newsletter",
    "footer",
    "header",
    "nav",
    "breadcrumb",
    "meta",
    "tags",
    "author",
    "popup",
    "modal",
    "cookie",
    "sponsor",
    "toolbar",
    "pagination",
    "teaser",
    "login",
    "signup",
    "subscribe",
    "contact",
    "search",
    "archive",
    "rating",
    "links",
    "recommend",
    "trending",
    "notice",
    "overlay",
    "disclaimer",
    "hidden-info",
    "byline",
    "credits",
    "utility",
  ].map((w, i): Case => ({
    kind: "a box by the name",
    name: w,
    html: main(
      `<div ${i % 2 ? `class="${w} block"` : `id="${w}"`}><h2>Opening dishes</h2><p>Our kitchen serves stickleback${i} in butter, a plate of oysters and a soup that changes each day.</p><p>Vegetarian plates are marked on the board, and the cook answers questions about allergies at the counter.</p></div>`,
    ),
    has: [`stickleback${i}`],
  })),
  {
    kind: "a box by the name",
    name: "dl menu of prices",
    html: main(
      `<section id="menu"><h2>Menu</h2><dl><dt>Smoked eel</dt><dd>12 €</dd><dt>Turbot in brown butter</dt><dd>24 €</dd></dl></section>`,
    ),
    has: ["Smoked eel", "Turbot"],
  },
  {
    kind: "clutter by its name",
    name: "social bar goes",
    html: main(
      `<div class="social-share"><a href="https://fb.example">Facebook</a><a href="https://x.example">Twitter</a><a href="https://wa.example">WhatsApp</a></div>`,
    ),
    not: ["WhatsApp"],
  },
  {
    kind: "clutter by its name",
    name: "sidebar teasers go",
    html: page(
      `<div class="wrap"><div class="content"><h1>Harbour handbook</h1>${filler(8)}</div><div class="sidebar"><h3>Most read</h3><ul>${[1, 2, 3, 4, 5].map((n) => `<li><a href="/m${n}">Lobsterhead ${n} makes the news</a></li>`).join("")}</ul></div></div>`,
    ),
    not: ["Lobsterhead"],
  },
  {
    kind: "an accordion",
    name: "h3 button bootstrap",
    html: main(
      `<div class="accordion"><div class="accordion-item"><h3 class="accordion-header"><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#c1" aria-expanded="false" aria-controls="c1">How do I reserve a berth?</button></h3><div id="c1" class="accordion-collapse collapse"><div class="accordion-body">Call extension 12 before noon.</div></div></div></div>`,
    ),
    has: ["How do I reserve a berth?", "extension 12"],
    hasMd: [/#+ How do I reserve a berth\?/],
  },
  {
    kind: "an accordion",
    name: "button.accordion w3schools",
    html: main(
      `<button class="accordion">May I bring a dog?</button><div class="panel"><p>Dogs stay on the leash on all piers.</p></div><button class="accordion">Is there water on the pier?</button><div class="panel"><p>Taps stand at every tenth berth.</p></div>`,
    ),
    has: ["May I bring a dog?", "leash", "Is there water on the pier?"],
  },
  {
    kind: "an accordion",
    name: "details summary",
    html: main(
      `<details><summary>What does a night cost?</summary><p>Two euros for each metre of length.</p></details>`,
    ),
    has: ["What does a night cost?", "Two euros"],
  },
  {
    kind: "an accordion",
    name: "dt button",
    html: main(
      `<dl><dt><button aria-expanded="false" aria-controls="x">Where is the fuel dock?</button></dt><dd id="x">Behind the ice house.</dd></dl>`,
    ),
    has: ["Where is the fuel dock?", "ice house"],
  },
  {
    kind: "an accordion",
    name: "div role button",
    html: main(
      `<div class="faq"><div role="button" tabindex="0" aria-expanded="false">Can I pay by card?</div><div class="answer">Yes, at the office.</div></div>`,
    ),
    has: ["Can I pay by card?", "at the office"],
  },
  {
    kind: "an accordion",
    name: "tabs",
    html: main(
      `<div role="tablist"><button role="tab" id="t1" aria-controls="p1" aria-selected="true">Linux setup</button><button role="tab" id="t2" aria-controls="p2">Windows setup</button></div><div role="tabpanel" id="p1" aria-labelledby="t1"><p>Use the package harbourctl.</p></div><div role="tabpanel" id="p2" aria-labelledby="t2" hidden><p>Use the installer file.</p></div>`,
    ),
    has: ["Linux setup", "Windows setup", "harbourctl", "installer file"],
  },
  {
    kind: "an accordion",
    name: "label checkbox accordion",
    html: main(
      `<input type="checkbox" id="q9" class="toggle"><label for="q9">Who cleans the slipway?</label><div class="content"><p>The harbour crew does, each Monday.</p></div>`,
    ),
    has: ["Who cleans the slipway?", "each Monday"],
  },
  {
    kind: "an accordion",
    name: "aria-hidden visible",
    html: main(`<p aria-hidden="true">Visible bellbuoy sentence that readers see on the page.</p>`),
    has: ["bellbuoy"],
  },
  {
    kind: "a button that acts",
    name: "action buttons out",
    html: main(
      `<p>${P}</p><button>Copy to clipboard</button><button type="submit">Send request</button><button aria-label="Share">Share this</button>`,
    ),
    not: ["Copy to clipboard", "Send request", "Share this"],
  },
  {
    kind: "an accordion",
    name: "div button sibling",
    html: main(
      `<div class="faq-item"><button type="button" class="faq-q" aria-expanded="false"><span>Do you rent kayaks?</span><svg></svg></button><div class="faq-a" style="max-height:0;overflow:hidden"><p>From May to September.</p></div></div>`,
    ),
    has: ["Do you rent kayaks?", "May to September"],
  },
  {
    kind: "a formula",
    name: "katex",
    html: main(
      `<p>The force is <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>F</mi><mo>=</mo><mi>m</mi><mi>a</mi></mrow><annotation encoding="application/x-tex">F = m a</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="mord">F</span><span class="mrel">=</span><span class="mord">ma</span></span></span></span> here.</p>`,
    ),
    hasMd: [/\$F = m a\$/],
    notMd: [/F=ma/, /\$F = m a\$.*F\s*=\s*ma/],
  },
  {
    kind: "a formula",
    name: "math/tex display",
    html: main(`<script type="math/tex; mode=display">\\int_0^1 x^2 dx</script>`),
    hasMd: [/\$\$\s*\\int_0\^1 x\^2 dx\s*\$\$/],
  },
  {
    kind: "a formula",
    name: "mathml no annotation",
    html: main(`<p>Then <math><mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac></math> falls.</p>`),
    hasMd: [/\\frac\{1\}\{x\^\{?2\}?\}/],
  },
  {
    kind: "a formula",
    name: "mathjax3",
    html: main(
      `<p>So <mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true"><mjx-mi></mjx-mi></mjx-math><mjx-assistive-mml><math><msqrt><mi>k</mi></msqrt></math></mjx-assistive-mml></mjx-container> grows.</p>`,
    ),
    hasMd: [/\\sqrt\{k\}/],
  },
  {
    kind: "a formula",
    name: "wikipedia img",
    html: main(
      `<p>And <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math alttext="{\\displaystyle e^{i\\pi }=-1}"><semantics><mrow><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup></mrow><annotation encoding="application/x-tex">{\\displaystyle e^{i\\pi }=-1}</annotation></semantics></math></span><img src="/x.svg" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle e^{i\\pi }=-1}"></span> holds.</p>`,
    ),
    hasMd: [/\$[^$]*e\^\{i\\pi ?\}=-1[^$]*\$/],
    notMd: [/e\^\{i\\pi.*e\^\{i\\pi/],
  },
  {
    kind: "a formula",
    name: "raw tex delimiters",
    html: main(`<p>The root \\(a^2 + b^2\\) is long.</p>`),
    has: ["a^2 + b^2"],
  },
  {
    kind: "a formula",
    name: "money stays",
    html: main(`<p>It costs $5 on Monday and $7 on Sunday.</p>`),
    has: ["$5 on Monday and $7 on Sunday"],
  },
  {
    kind: "code",
    name: "table gutter",
    html: main(
      `<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2\n3</pre></div></td><td class="code"><div class="highlight"><pre><span class="k">def</span> moor():\n    tie()\n    <span class="k">return</span> 61\n</pre></div></td></tr></table>`,
    ),
    hasMd: [/```[\w]*\ndef moor\(\):\n {4}tie\(\)\n {4}return 61\n```/],
    notMd: [/^1\s*$/m],
  },
  {
    kind: "code",
    name: "github lines",
    html: main(
      `<table class="js-file-line-container"><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">let a = 1</td></tr><tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">let b = 2</td></tr></table>`,
    ),
    hasMd: [/let a = 1\n+.*let b = 2/s],
  },
  {
    kind: "code",
    name: "inline span ln",
    html: main(
      `<div class="highlight"><pre><code class="language-go"><span class="line"><span class="ln">1</span><span class="cl">package main\n</span></span><span class="line"><span class="ln">2</span><span class="cl">func main() {}\n</span></span></code></pre></div>`,
    ),
    hasMd: [/```go\npackage main\nfunc main\(\) \{\}\n```/],
  },
  {
    kind: "code",
    name: "ol lines",
    html: main(
      `<pre class="prettyprint lang-js"><ol class="linenums"><li class="L0"><code>var q = 3;</code></li><li class="L1"><code>run(q);</code></li></ol></pre>`,
    ),
    hasMd: [/```(js|javascript)\nvar q = 3;\nrun\(q\);\n```/],
  },
  {
    kind: "code",
    name: "numbers kept",
    html: main(`<pre><code>1 apple\n2 pears\n5 plums</code></pre>`),
    hasMd: [/1 apple\n2 pears\n5 plums/],
  },
  {
    kind: "code",
    name: "hugo lntable",
    html: main(
      `<div class="highlight"><div style="color:#f8f8f2;background-color:#272822"><table style="border-spacing:0"><tr><td style="vertical-align:top"><pre tabindex="0"><code><span style="margin-right:.4em;user-select:none">1\n</span><span style="user-select:none">2\n</span></code></pre></td><td><pre tabindex="0"><code class="language-yaml" data-lang="yaml">port: 80\nhost: quay\n</code></pre></td></tr></table></div></div>`,
    ),
    hasMd: [/```yaml\nport: 80\nhost: quay\n```/],
    notMd: [/^\s*1\s*$/m],
  },
  {
    kind: "a shadow root",
    name: "slots",
    html: page(
      `<main><h1>Harbour handbook</h1>${filler()}<my-card><template shadowrootmode="open"><style>h2{}</style><h2><slot name="title">No title</slot></h2><div><slot></slot></div><p>Shadow sandpiper closes.</p></template><span slot="title">Light turnstone</span><p>Default slot dunlin text.</p></my-card></main>`,
    ),
    has: ["Light turnstone", "dunlin", "sandpiper"],
    not: ["No title"],
  },
  {
    kind: "a shadow root",
    name: "whole page in shadow",
    html: `<!doctype html><title>App</title><body><app-root><template shadowrootmode="open"><main><h1>Knot guide</h1>${filler(3)}<p>The phalarope knot holds wet rope.</p></main></template></app-root></body>`,
    has: ["phalarope"],
  },
  {
    kind: "a shadow root",
    name: "plain template stays out",
    html: main(`<template><p>Inert redshank text</p></template>`),
    not: ["redshank"],
  },
  {
    kind: "a lone link",
    name: "wordpress file block",
    html: main(
      `<div class="wp-block-file"><a href="/t.pdf">Berth tariff of the year</a><a href="/t.pdf" class="wp-block-file__button" download>Download</a></div><p>${P}</p>`,
    ),
    has: ["Berth tariff of the year"],
  },
  {
    kind: "a lone link",
    name: "chinese attachments",
    html: main(
      `<p>${"港务局负责泊位的分配和起重机的调度。".repeat(20)}</p><p>附件：</p><p><a href="/a.doc">1. 泊位申请表.doc</a></p><p><a href="/b.doc">2. 废物清单.doc</a></p><p>特此通知。</p>`,
    ),
    has: ["泊位申请表", "废物清单"],
  },
  {
    kind: "an accordion",
    name: "gov.uk, whose heading says how to open it",
    html: main(
      `<div class="govuk-accordion__section"><div class="govuk-accordion__section-header"><h2><button type="button" aria-controls="c1" aria-expanded="false"><span><span>Who may moor here?</span></span><span class="govuk-accordion__section-toggle"><span>Show</span></span></button></h2></div><div id="c1"><p>Residents. ${P}</p></div></div>`,
    ),
    hasMd: [/## Who may moor here\?/, /Residents/],
  },
  {
    kind: "an accordion",
    name: "elementor, whose title is a link without an address",
    html: main(
      `<div><div id="t1" role="button" aria-controls="tc1" aria-expanded="false"><span aria-hidden="true"><i class="fas fa-plus"></i></span><a tabindex="0">Is there a crane?</a></div><div id="tc1" role="region"><p>Two. ${P}</p></div></div>`,
    ),
    hasMd: [/# Is there a crane\?\n\nTwo/],
  },
  {
    kind: "code",
    name: "syntaxhighlighter of wordpress",
    html: main(
      `<div class="syntaxhighlighter jscript"><table><tbody><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><div class="container"><div class="line number1"><code class="jscript keyword">var</code> <code class="jscript plain">prime = 61;</code></div><div class="line number2"><code class="jscript spaces">&nbsp;&nbsp;</code><code class="jscript plain">show(prime);</code></div></div></td></tr></tbody></table></div>`,
    ),
    hasMd: [/var prime = 61;\n\s+show\(prime\);/],
  },
  {
    kind: "a shadow root",
    name: "named slots in the order of the root",
    html: main(
      `<x-card><template shadowrootmode="open"><h2><slot name="t"></slot></h2><div><slot></slot></div></template><p>Second curlew.</p><span slot="t">First plover</span></x-card>`,
    ),
    hasMd: [/First plover[\s\S]*Second curlew/],
  },
  {
    kind: "an article",
    name: "more from",
    html: page(
      `<div id="page"><div class="story"><h1>Quay reopens</h1>${filler(7)}</div><div class="x7"><h4>More from Harbour Daily</h4><div class="card"><a href="/1"><img src="a.jpg"></a><a href="/1">Craneman wins the golden hook award</a></div><div class="card"><a href="/2"><img src="b.jpg"></a><a href="/2">Ferry timetable changes next week</a></div><div class="card"><a href="/3"><img src="b.jpg"></a><a href="/3">Harbour seals move south</a></div></div></div>`,
    ),
    has: ["tide tables"],
    not: ["golden hook", "Ferry timetable"],
  },
  {
    kind: "an article",
    name: "short article long legal",
    html: page(
      `<div class="a"><h1>Ferry cancelled</h1><p>The evening ferry to Norderhook is cancelled on Friday because of fog, and the morning ferry takes all passengers.</p><p>Tickets stay valid for a week.</p></div><div class="b"><p>${"By using this website you accept our cookies and privacy terms, and all liability for the content of linked pages is excluded to the extent permitted by law. ".repeat(14)}</p></div>`,
    ),
    has: ["Norderhook", "valid for a week"],
  },
]

test.each(cases)(
  "$kind is read as readers see it: $name",
  ({ html, has = [], not = [], hasMd = [], notMd = [] }) => {
    const { markdown } = extractHtml(html, "https://h.example/docs/page")
    const text = toPlainText(markdown)
    for (const part of has) expect(text).toContain(part)
    for (const part of not) expect(text).not.toContain(part)
    for (const part of hasMd) expect(markdown).toMatch(part)
    for (const part of notMd) expect(markdown).not.toMatch(part)
  },
)
