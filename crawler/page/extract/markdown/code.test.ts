import { describe, expect, it } from "vitest"
import { readPage } from "../testing/read-page.ts"

/** The name of the case, its markup, the text expected from it, and the text that must be missing. */
const CASES: readonly (readonly [string, string, readonly string[], (readonly string[])?])[] = [
  [
    "Hugo inline",
    `<div class="highlight"><pre tabindex="0" class="chroma"><code class="language-python" data-lang="python"><span class="line"><span class="ln">1</span><span class="cl">prime = 61
</span></span><span class="line"><span class="ln">2</span><span class="cl">other = 97
</span></span></code></pre></div>`,
    ["```python\nprime = 61\nother = 97\n```"],
  ],
  [
    "Pygments table",
    `<div class="highlight-python notranslate"><div class="highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span class="normal">1</span>
<span class="normal">2</span></pre></div></td><td class="code"><div><pre><span></span><span class="n">secret</span> <span class="o">=</span> <span class="mi">7</span>
<span class="nb">print</span><span class="p">(</span><span class="n">secret</span><span class="p">)</span>
</pre></div></td></tr></table></div></div>`,
    ["```python\nsecret = 7\nprint(secret)\n```"],
    ["| ", "1\n2"],
  ],
  [
    "Rouge table inside pre",
    `<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1
2
3
</pre></td><td class="rouge-code"><pre><span class="k">def</span> <span class="nf">go</span>
  <span class="mi">1</span>
<span class="k">end</span>
</pre></td></tr></tbody></table></code></pre></div></div>`,
    ["```ruby\ndef go\n  1\nend\n```"],
  ],
  [
    "Hexo figure",
    `<figure class="highlight js"><table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span><br></pre></td><td class="code"><pre><span class="line">let a = 1;</span><br><span class="line">let b = 2;</span><br></pre></td></tr></table></figure>`,
    ["```js\nlet a = 1;\nlet b = 2;\n```"],
  ],
  [
    "highlight.js-ln",
    `<pre><code class="hljs language-go"><table class="hljs-ln"><tbody><tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="1"><div class="hljs-ln-n" data-line-number="1"></div></td><td class="hljs-ln-line hljs-ln-code" data-line-number="1">package main</td></tr><tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="2"></td><td class="hljs-ln-line hljs-ln-code" data-line-number="2">
</td></tr><tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="3"></td><td class="hljs-ln-line hljs-ln-code" data-line-number="3">func main() {}</td></tr></tbody></table></code></pre>`,
    ["```go\npackage main\n\nfunc main() {}\n```"],
  ],
  [
    "GitHub blob",
    `<div class="blob-wrapper data type-javascript"><table class="highlight tab-size js-file-line-container" data-tab-size="8"><tbody><tr><td id="L1" class="blob-num js-line-number" data-line-number="1"></td><td id="LC1" class="blob-code blob-code-inner js-file-line"><span class="pl-k">const</span> a <span class="pl-c1">=</span> 1</td></tr><tr><td id="L2" class="blob-num js-line-number" data-line-number="2"></td><td id="LC2" class="blob-code blob-code-inner js-file-line">  run(a)</td></tr></tbody></table></div>`,
    ["const a = 1\n  run(a)\n```"],
    ["| "],
  ],
  [
    "react-syntax-highlighter",
    `<pre style="display:block"><code class="language-rust" style="white-space: pre;"><span class="linenumber react-syntax-highlighter-line-number" style="display: inline-block; min-width: 2.25em; padding-right: 1em; text-align: right; user-select: none;">1</span><span>fn main() {
</span><span class="linenumber react-syntax-highlighter-line-number" style="display: inline-block; user-select: none;">2</span><span>}
</span></code></pre>`,
    ["```rust\nfn main() {\n}\n```"],
  ],
  [
    "gutter beside, plain boxes",
    `<div class="flex-row"><div class="x7"><div>1</div><div>2</div><div>3</div></div><pre class="x9"><code class="lang-sh">cd /srv
ls
pwd</code></pre></div>`,
    ["```sh\ncd /srv\nls\npwd\n```"],
    ["1\n", "\n2"],
  ],
  [
    "VitePress numbers behind",
    `<div class="language-ts line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki"><code><span class="line"><span>const a = 1</span></span>
<span class="line"><span>const b = 2</span></span></code></pre><div class="line-numbers-wrapper" aria-hidden="true"><span class="line-number">1</span><br><span class="line-number">2</span><br></div></div>`,
    ["```ts\nconst a = 1\nconst b = 2\n```"],
    ["\nts\n", "1\n2", "1  \n2"],
  ],
  [
    "prettify list",
    `<pre class="prettyprint lang-java linenums prettyprinted"><ol class="linenums"><li class="L0"><span class="kwd">class</span><span class="pln"> A </span><span class="pun">{</span></li><li class="L1"><span class="pln">  int x;</span></li><li class="L2"><span class="pun">}</span></li></ol></pre>`,
    ["```java\nclass A {\n  int x;\n}\n```"],
  ],
  [
    "CodeMirror 5",
    `<div class="CodeMirror cm-s-default" data-mode="python"><div class="CodeMirror-scroll"><div class="CodeMirror-sizer"><div class="CodeMirror-lines"><div class="CodeMirror-code"><div style="position: relative;"><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber CodeMirror-gutter-elt">1</div></div><pre class=" CodeMirror-line "><span>import os</span></pre></div><div style="position: relative;"><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber CodeMirror-gutter-elt">2</div></div><pre class=" CodeMirror-line "><span>os.getcwd()</span></pre></div></div></div></div></div></div>`,
    ["import os\nos.getcwd()\n```"],
    ["1\n", "\n2"],
  ],
  [
    "Doxygen",
    `<div class="fragment"><div class="line"><a id="l00009" name="l00009"></a><span class="lineno">    9</span><span class="preprocessor">#include &lt;stdio.h&gt;</span></div>
<div class="line"><a id="l00010" name="l00010"></a><span class="lineno">   10</span> </div>
<div class="line"><a id="l00011" name="l00011"></a><span class="lineno">   11</span><span class="keywordtype">int</span> x;</div>
</div>`,
    ["```\n#include <stdio.h>\n\nint x;\n```"],
  ],
  [
    "javadoc source",
    `<pre><span class="source-line-no">001</span><span id="line-1">package a;</span>
<span class="source-line-no">002</span><span id="line-2"></span>
<span class="source-line-no">003</span><span id="line-3">class B {}</span>
</pre>`,
    ["```\npackage a;\n\nclass B {}\n```"],
  ],
  [
    "a code element called line-numbers",
    `<pre><code class="line-numbers language-css">a { color: red }</code></pre><pre class="line-numbers language-c" data-start="5"><code class="language-c">int y;<span aria-hidden="true" class="line-numbers-rows"><span></span></span></code></pre>`,
    ["```css\na { color: red }\n```", "```c\nint y;\n```"],
  ],
  [
    "numbers that are the code",
    `<pre><code class="language-csv"><span class="hljs-number">1</span>,<span class="hljs-string">ann</span>
<span class="hljs-number">2</span>,<span class="hljs-string">bob</span>
<span class="hljs-number">3</span>,<span class="hljs-string">cid</span></code></pre><pre><code>10 PRINT
20 GOTO 10</code></pre>`,
    ["1,ann\n2,bob\n3,cid", "10 PRINT\n20 GOTO 10"],
  ],
  [
    "ranking is a table",
    `<table class="ranking"><tr><th>#</th><th>Name</th></tr><tr><td>1</td><td>Ann</td></tr><tr><td>2</td><td>Bob</td></tr></table>`,
    ["| 1 | Ann |\n| 2 | Bob |"],
  ],
  [
    "label inside the code with a link as its button",
    `<pre><div class="head"><span>Python</span> <a role="button">Wrap lines</a></div><code>print(7)</code></pre>`,
    ["```python\nprint(7)\n```"],
  ],
  [
    "label with a language and a copy button",
    `<div class="code-block"><div class="code-header"><span>python</span><button>Copy</button></div><pre><code>print(7)</code></pre></div><div class="code-block"><div class="code-header"><span>app.yaml</span></div><pre><code>a: 1</code></pre></div>`,
    ["```python\nprint(7)\n```", "app.yaml"],
    ["Copy", "\npython\n"],
  ],
  [
    "languages by other marks",
    `<pre class="brush: php; gutter: false">echo 1;</pre><div class="highlight highlight-source-shell"><pre>ls -a</pre></div><div class="sourceCode"><pre class="sourceCode haskell"><code class="sourceCode haskell">main = x</code></pre></div><pre class="src src-emacs-lisp">(car x)</pre><pre lang="toml"><code>a = 1</code></pre><div class="mw-highlight mw-highlight-lang-lua mw-content-ltr"><pre>local x</pre></div><pre class="hljs sql">SELECT 1</pre>`,
    [
      "```php\necho",
      "```shell\nls",
      "```haskell\nmain",
      "```emacs-lisp\n(car",
      "```toml\na",
      "```lua\nlocal",
      "```sql\nSELECT",
    ],
  ],
  [
    "prompt that cannot be selected",
    `<pre><code class="language-console"><span class="prompt" style="user-select:none">$ </span>npm ci
<span class="prompt" style="user-select:none">$ </span>npm start</code></pre>`,
    ["```console\nnpm ci\nnpm start\n```"],
  ],

  [
    "Chroma table, div-wrapped",
    `<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre tabindex="0" class="chroma"><code><span class="lnt">10
</span><span class="lnt">11
</span></code></pre></td><td class="lntd"><pre tabindex="0" class="chroma"><code class="language-ini" data-lang="ini"><span class="line"><span class="cl">[core]
</span></span><span class="line"><span class="cl">x=1
</span></span></code></pre></td></tr></table></div></div>`,
    ["```ini\n[core]\nx=1\n```"],
    ["10\n11"],
  ],
  [
    "SyntaxHighlighter 3",
    `<div class="syntaxhighlighter jscript"><table border="0"><tbody><tr><td class="gutter"><div class="line number1 index0 alt2">1</div><div class="line number2 index1 alt1">2</div></td><td class="code"><div class="container"><div class="line number1 index0 alt2"><code class="jscript keyword">var</code> <code class="jscript plain">q = 4;</code></div><div class="line number2 index1 alt1"><code class="jscript plain">go(q);</code></div></div></td></tr></tbody></table></div>`,
    ["var q = 4;\ngo(q);\n```"],
    ["| 1"],
  ],
  [
    "cgit",
    `<table summary="blob content" class="blob"><tr><td class="linenumbers"><pre><a id="n1" href="#n1">1</a>
<a id="n2" href="#n2">2</a>
<a id="n3" href="#n3">3</a>
</pre></td><td class="lines"><pre><code>#!/bin/sh
exec true
# end
</code></pre></td></tr></table>`,
    ["```\n#!/bin/sh\nexec true\n# end\n```"],
    ["1\n2"],
  ],
  [
    "gitweb lines",
    `<div class="page_body"><div class="pre"><a id="l1" href="#l1" class="linenr">   1</a> [user]</div>
<div class="pre"><a id="l2" href="#l2" class="linenr">   2</a> name = Eve</div></div>`,
    ["name = Eve"],
    ["1 \\[user", "   2"],
  ],
  [
    "numbers told by user-select alone",
    `<pre><code><span class="a1" style="-webkit-user-select:none;user-select:none">1  </span>alpha()
<span class="a1" style="-webkit-user-select:none;user-select:none">2  </span>beta()
</code></pre>`,
    ["```\nalpha()\nbeta()\n```"],
  ],
  [
    "unnamed numbers in every line",
    `<pre><i>7</i> open(f)
<i>8</i> 
<i>9</i> close(f)
<i>10</i> exit()</pre>`,
    ["open(f)"],
    ["7 open", "10 exit", "8"],
  ],
  [
    "highlighted list is code, not numbers",
    `<pre><code><span class="token number">1</span> <span class="token operator">+</span> <span class="token number">1</span>
<span class="token number">2</span> <span class="token operator">*</span> <span class="token number">2</span>
<span class="token number">3</span> <span class="token operator">-</span> <span class="token number">1</span></code></pre>`,
    ["1 + 1\n2 * 2\n3 - 1"],
  ],
  [
    "numbered list of commands stays a list",
    `<ol><li><code>git init</code></li><li><code>git add .</code></li></ol>`,
    ["1. `git init`\n2. `git add .`"],
  ],
  [
    "dp-highlighter list",
    `<div class="dp-highlighter"><div class="bar"></div><ol start="1" class="dp-xml"><li class="alt"><span><span class="tag">&lt;a</span>&nbsp;b=<span>"c"</span>/&gt;&nbsp;&nbsp;</span></li><li class=""><span>&lt;d/&gt;</span></li></ol></div>`,
    ["<d/>", '<a b="c"/>'],
    [],
  ],
  [
    "gutter with br and a later pre",
    `<div class="wrap"><div class="line-nums"><span>1<br>2<br>3<br>4</span></div><div class="body"><pre><code class="language-kotlin">val a = 1
val b = 2
val c = 3
val d = 4</code></pre></div></div>`,
    ["```kotlin\nval a = 1\nval b = 2\nval c = 3\nval d = 4\n```"],
    ["1  \n2", "1\n2"],
  ],
  [
    "CodeMirror 6",
    `<div class="cm-editor"><div class="cm-scroller"><div class="cm-gutters" aria-hidden="true"><div class="cm-gutter cm-lineNumbers"><div class="cm-gutterElement">1</div><div class="cm-gutterElement">2</div></div></div><div class="cm-content" role="textbox" data-language="python"><div class="cm-line">def f(x):</div><div class="cm-line">    return x</div></div></div></div>`,
    ["```python\ndef f(x):\n    return x\n```"],
  ],
  [
    "shiki with line attributes and a title",
    `<figure data-rehype-pretty-code-figure=""><figcaption data-language="tsx">Button.tsx</figcaption><pre data-language="tsx"><code data-language="tsx" style="display:grid"><span data-line="">export const A = 1</span>
<span data-line=""> </span>
<span data-line="">export default A</span></code></pre></figure>`,
    ["```tsx\nexport const A = 1\n\nexport default A\n```"],
  ],
  [
    "one line with its number",
    `<pre class="code"><span class="lineno">1</span>make all</pre>`,
    ["```\nmake all\n```"],
  ],
  [
    "a copy button that is no button",
    `<div class="snippet"><div class="toolbar"><a role="button" class="copy-btn">Copy</a><span class="lang-label">Bash</span></div><pre>apt update</pre></div>`,
    ["```bash\napt update\n```"],
    ["Copy"],
  ],
  [
    "table of numbers and code words",
    `<table class="codes"><tr><td>1</td><td>open</td></tr><tr><td>2</td><td>closed</td></tr></table>`,
    ["| 1 | open |"],
  ],
]

describe("code", () => {
  it.each(CASES.map(([name, html, wanted, unwanted = []]) => ({ name, html, wanted, unwanted })))(
    "$name",
    ({ html, wanted, unwanted }) => {
      const { markdown } = readPage(html)
      for (const text of wanted) expect(markdown).toContain(text)
      for (const text of unwanted) expect(markdown).not.toContain(text)
    },
  )
})
