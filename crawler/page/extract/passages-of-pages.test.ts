import { expect, test } from "vitest"
import { MAX_PASSAGE_CHARS, shownOf } from "#engine/index/page/passage.ts"
import { toPassages } from "#engine/text/passages.ts"

import { extractHtml } from "./extract-html.ts"

// A page with code, tables or definitions, in the markup of common web tools, and how its passages must look in
// results.

interface Case {
  readonly name: string
  readonly html: string
  /** Lines that follow each other in one passage, not counting blank lines between them. */
  readonly lines?: readonly (readonly string[])[]
  /** The cells of a row, or a name and its meaning. */
  readonly rows?: readonly (readonly string[])[]
  /** Patterns that no line may match. */
  readonly gone?: readonly RegExp[]
}

const doc = (body: string, title = "T", lang = "en") =>
  `<!doctype html><html lang="${lang}"><head><title>${title}</title></head><body><main><article>${body}</article></main></body></html>`
const P =
  "<p>This section explains how the feature behaves in practice, which defaults apply, and what an administrator should check before changing anything on a machine that is in use.</p>"
const P2 =
  "<p>Operators often ask which of the values matter on a small machine; the short answer is that only a handful do, and the rest can be left alone until something measures as slow.</p>"

const CASES: readonly Case[] = [
  {
    name: "apache: directives in a list item's example and a lone top link",
    html: doc(`<h1>Virtual Hosts</h1>${P}<h2>Examples</h2><ul><li><p>Several ports</p><div class="example"><h3>Server configuration</h3><pre class="prettyprint lang-config">Listen 80
Listen 8080

&lt;VirtualHost 172.20.30.40:80&gt;
    ServerName www.example.com
    DocumentRoot "/www/domain-80"
&lt;/VirtualHost&gt;</pre></div></li></ul>${P}</div><div class="top"><a href="#page-header"><img alt="top" src="../images/up.gif"></a></div><div class="section"><h2>More</h2>${P}</div>`),
    lines: [["Listen 80", "Listen 8080", "<VirtualHost 172.20.30.40:80>", "    ServerName www.example.com"]],
    gone: [/^top$/i],
  },
  {
    name: "docusaurus: token lines as spans with br in a list item",
    html: doc(
      `<h1>Install</h1>${P}<ol><li><p>Create the file:</p><div class="codeBlock"><pre class="prism-code language-yaml"><code><span class="token-line">services:<br></span><span class="token-line">  web:<br></span><span class="token-line">    image: nginx<br></span></code></pre><div class="buttonGroup"><button>Copy</button></div></div></li><li><p>Start.</p></li></ol>`,
    ),
    lines: [["services:", "  web:", "    image: nginx"]],
    gone: [/^copy$/i],
  },
  {
    name: "sphinx: parameter table with an empty first header",
    html: doc(
      `<h1>Limits</h1>${P}<table class="docutils"><thead><tr><th></th><th>Min</th><th>Max</th></tr></thead><tbody><tr><th>Workers</th><td>1</td><td>64</td></tr><tr><th>Timeout</th><td></td><td>30s</td></tr></tbody></table>`,
    ),
    rows: [
      ["", "Min", "Max"],
      ["Workers", "1", "64"],
      ["Timeout", "", "30s"],
    ],
  },
  {
    name: "long table repeats its header",
    html: doc(
      `<h1>Exit codes</h1>${P}<table><thead><tr><th>Code</th><th>Meaning</th></tr></thead><tbody>${Array.from({ length: 40 }, (_, i) => `<tr><td>${i + 10}</td><td>Reason number ${i + 10} stopped the job early</td></tr>`).join("")}</tbody></table>`,
    ),
    rows: [
      ["Code", "Meaning"],
      ["45", "Reason number 45 stopped the job early"],
    ],
  },
  {
    name: "javadoc: definition list",
    html: doc(
      `<h1>Method open</h1>${P}<dl class="notes"><dt>Parameters:</dt><dd><code>path</code> - the file to open</dd><dd><code>mode</code> - r or w</dd><dt>Returns:</dt><dd>the handle</dd><dt>Since:</dt><dd>1.4</dd></dl>`,
    ),
    gone: [/:\s*:/, /^:/],
  },
  {
    name: "apache: directive summary table (Description: :)",
    html: doc(
      `<h1>KeepAlive Directive</h1><table class="directive"><tr><th><a href="directive-dict.html#Description">Description:</a></th><td>Enables HTTP persistent connections</td></tr><tr><th><a href="directive-dict.html#Syntax">Syntax:</a></th><td><code>KeepAlive On|Off</code></td></tr><tr><th>Default:</th><td><code>KeepAlive On</code></td></tr></table>${P}`,
    ),
    rows: [
      ["Description:", "Enables HTTP persistent connections"],
      ["Syntax:", "KeepAlive On|Off"],
      ["Default:", "KeepAlive On"],
    ],
    gone: [/:\s*:/],
  },
  {
    name: "man page: options in a dl with code examples",
    html: doc(`<h1>tar</h1>${P}<dl><dt><b>-c</b>, <b>--create</b></dt><dd><p>Create a new archive.</p><pre>tar -cf a.tar foo bar
tar -tvf a.tar</pre></dd><dt><b>-x</b></dt><dd><p>Extract.</p></dd></dl>`),
    lines: [["tar -cf a.tar foo bar", "tar -tvf a.tar"]],
  },
  {
    name: "python with blank lines and deep indentation",
    html: doc(`<h1>Retry</h1>${P}<div class="highlight"><pre>def retry(call, times=3):
    for attempt in range(times):
        try:
            return call()
        except OSError:
            if attempt == times - 1:
                raise


print(retry(fetch))</pre></div>`),
    lines: [
      [
        "def retry(call, times=3):",
        "    for attempt in range(times):",
        "        try:",
        "            return call()",
      ],
    ],
  },
  {
    name: "german opening hours as key-value divs and Nach oben",
    html: doc(
      `<h1>Öffnungszeiten</h1><p>Das Freibad am Stadtwald öffnet im Sommer täglich, an Feiertagen gelten verkürzte Zeiten, bei Gewitter wird geschlossen.</p><table><tr><td>Montag</td><td>6:30 – 20:00</td></tr><tr><td>Dienstag</td><td>geschlossen</td></tr></table><p><a href="#">Nach oben</a></p>`,
      "Bad",
      "de",
    ),
    rows: [
      ["Montag", "6:30 – 20:00"],
      ["Dienstag", "geschlossen"],
    ],
    gone: [/^Nach oben$/],
  },
  {
    name: "back to top with arrow between sections",
    html: doc(
      `<h1 id="faq">FAQ</h1><h2 id="a">First</h2>${P}<p class="right"><a href="#faq">↑ Back to top</a></p><h2 id="b">Second</h2>${P}<p><a href="#faq">[top]</a></p>`,
    ),
    gone: [/back to top/i, /^\[?top\]?$/i],
  },
  {
    name: "rst: pilcrow and edit",
    html: doc(
      `<h1>Guide<a class="headerlink" href="#guide" title="Link to this heading">¶</a></h1>${P}<h2>Setup <span class="mw-editsection">[<a href="/edit?s=1">edit</a>]</span></h2>${P}<p><a href="https://github.com/o/r/edit/main/docs/a.md">Edit this page</a></p>`,
    ),
    gone: [/¶/, /^\[?edit\]?$/i, /^Edit this page$/],
  },
  {
    name: "chinese price table",
    html: doc(
      `<h1>收费标准</h1><p>本馆对成人、学生和老年人分别收费,节假日另行通知,团体票须提前三天预约。</p><table><tr><th>类别</th><th>票价</th><th>时段</th></tr><tr><td>成人</td><td>60元</td><td>全天</td></tr><tr><td>学生</td><td>30元</td><td>上午</td></tr></table>`,
      "票价",
      "zh",
    ),
    rows: [
      ["类别", "票价", "时段"],
      ["学生", "30元", "上午"],
    ],
  },

  {
    name: "asciidoctor: listing in a step, callout, table with block cells",
    html: doc(`<h1>Deploy</h1>${P2}<div class="olist"><ol><li><p>Apply it:</p><div class="listingblock"><div class="content"><pre class="highlight"><code class="language-bash">oc new-project demo
oc apply -f app.yaml \\
  --namespace demo
oc get pods</code></pre></div></div></li></ol></div><table class="tableblock"><thead><tr><th class="tableblock">Variable</th><th>Default</th><th>Meaning</th></tr></thead><tbody><tr><td><p class="tableblock"><code>POOL_SIZE</code></p></td><td><p class="tableblock">10</p></td><td><div class="content"><div class="paragraph"><p>Connections kept open.</p></div></div></td></tr></tbody></table>`),
    lines: [["oc new-project demo", "oc apply -f app.yaml \\", "  --namespace demo", "oc get pods"]],
    rows: [["POOL_SIZE", "10", "Connections kept open."]],
  },
  {
    name: "mediawiki: wikitable with row heads and a caption",
    html: doc(
      `<h1>Bridges</h1>${P2}<table class="wikitable"><caption>Longest spans</caption><tbody><tr><th>Name</th><th>Span (m)</th><th>Opened</th></tr><tr><th scope="row">Akashi Kaikyō</th><td>1991</td><td>1998</td></tr><tr><th scope="row">Xihoumen</th><td>1650</td><td></td></tr></tbody></table><p><a href="#top">Back to top</a></p>`,
    ),
    rows: [
      ["Name", "Span (m)", "Opened"],
      ["Akashi Kaikyō", "1991", "1998"],
      ["Xihoumen", "1650", ""],
    ],
    gone: [/back to top/i],
  },
  {
    name: "confluence: code panel in a table cell",
    html: doc(`<h1>Ports</h1>${P2}<table class="confluenceTable"><tbody><tr><th>Service</th><th>Command</th></tr><tr><td>web</td><td><pre>ss -ltn
ss -lun</pre></td></tr><tr><td>db</td><td><code>pg_isready -p 5432</code></td></tr></tbody></table>`),
    rows: [
      ["Service", "Command"],
      ["db", "pg_isready -p 5432"],
    ],
  },
  {
    name: "sql dump longer than a passage breaks between lines",
    html: doc(
      `<h1>Schema</h1>${P2}<pre><code class="language-sql">${Array.from({ length: 30 }, (_, i) => `CREATE INDEX idx_orders_${i} ON orders (column_${i}, created_at);`).join("\n")}</code></pre>`,
    ),
    lines: [
      [
        "CREATE INDEX idx_orders_0 ON orders (column_0, created_at);",
        "CREATE INDEX idx_orders_1 ON orders (column_1, created_at);",
      ],
    ],
  },
  {
    name: "docbook variablelist with terms ending in colons",
    html: doc(
      `<h1>Disk</h1>${P2}<div class="variablelist"><dl><dt><span class="term">size:</span></dt><dd><p>Bytes on disk.</p></dd><dt><span class="term">owner:</span></dt><dd><p>The user.</p></dd></dl></div>`,
    ),
    gone: [/:\s*:/],
  },
  {
    name: "french timetable and retour en haut",
    html: doc(
      `<h1>Horaires</h1><p>La navette circule tous les jours sauf le dimanche, et les horaires ci-dessous valent pour la saison d'été uniquement.</p><table><thead><tr><th>Arrêt</th><th>Matin</th><th>Soir</th></tr></thead><tbody><tr><td>Gare</td><td>7 h 10</td><td>18 h 05</td></tr><tr><td>Port</td><td>—</td><td>18 h 30</td></tr></tbody></table><div class="retour"><a href="#haut">Retour en haut de page</a></div>`,
      "Navette",
      "fr",
    ),
    rows: [
      ["Gare", "7 h 10", "18 h 05"],
      ["Port", "—", "18 h 30"],
    ],
    gone: [/Retour en haut/],
  },
  {
    name: "makefile with tabs in a tutorial step",
    html: doc(`<h1>Build</h1>${P2}<ul><li>Write this:<pre>all: main.o
\tcc -o app main.o

clean:
\trm -f *.o</pre></li></ul>`),
    lines: [["all: main.o"]],
  },
  {
    name: "github readme: pre in blockquote and copy button",
    html: doc(`<h1>Tool</h1>${P2}<blockquote><p>Try:</p><div class="snippet-clipboard-content"><pre><code>npm create tool@latest
cd my-app
npm run dev</code></pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy">Copy</clipboard-copy></div></div></blockquote>`),
    lines: [["npm create tool@latest", "cd my-app", "npm run dev"]],
    gone: [/^copy$/i],
  },
  {
    name: "japanese: ページの先頭へ",
    html: doc(
      `<h1>開館時間</h1><p>図書館は月曜日と祝日に休館します。学習室の利用には利用者カードが必要です。貸出は一人十冊まで、期間は二週間です。</p><table><tr><th>曜日</th><th>時間</th></tr><tr><td>火曜日</td><td>9時から19時</td></tr></table><p class="pagetop"><a href="#header">ページの先頭へ</a></p>`,
      "図書館",
      "ja",
    ),
    rows: [
      ["曜日", "時間"],
      ["火曜日", "9時から19時"],
    ],
    gone: [/ページの先頭へ/],
  },
  {
    name: "wide parameter table, long cells, header repeated",
    html: doc(
      `<h1>Parameters</h1>${P2}<table><thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead><tbody>${Array.from({ length: 12 }, (_, i) => `<tr><td><code>opt_${i}</code></td><td>string</td><td>Sets how the ${i}th stage of the pipeline treats records that arrive late, and whether they are kept for the next window.</td></tr>`).join("")}</tbody></table>`,
    ),
    rows: [
      ["Name", "Type", "Description"],
      [
        "opt_11",
        "string",
        "Sets how the 11th stage of the pipeline treats records that arrive late, and whether they are kept for the next window.",
      ],
    ],
  },
]

const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
const pairOf = ([name = "", value = ""]: readonly string[]): string =>
  `- ${name}${name.endsWith(":") ? "" : ":"} ${value}`

test.each(CASES)("$name", ({ html, lines = [], rows = [], gone = [] }) => {
  const { markdown } = extractHtml(html, "https://docs.example.com/a/b.html")
  const passages = toPassages(markdown).map(shownOf)
  const written = passages.flatMap((text) => text.split("\n"))
  for (const some of lines)
    expect(passages.map((text) => text.replaceAll("\n\n", "\n")).join("\u0000")).toContain(some.join("\n"))
  for (const cells of rows)
    expect(
      written.some((line) => line === rowOf(cells) || (cells.length === 2 && line === pairOf(cells))),
    ).toBe(true)
  for (const form of gone) expect(written.filter((line) => form.test(line))).toEqual([])
  expect(passages.filter((text) => text.length > MAX_PASSAGE_CHARS)).toEqual([])
})
