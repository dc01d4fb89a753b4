import { describe, expect, it } from "vitest"
import { readPage } from "../testing/read-page.ts"

const A = (s: string) =>
  `${s} The answer takes a sentence or two, so that it reads as prose and is long enough to count as such.`

/** The name of the case, its markup, the text expected from it, and the text that must be missing. */
const CASES: readonly (readonly [string, string, readonly string[], (readonly string[])?])[] = [
  [
    "heading around a button",
    `<h2><button aria-expanded="false" aria-controls="a1">May I swim here?</button></h2><div id="a1"><p>${A("Yes.")}</p></div><h2><button>Is it cold?</button></h2><div>${A("Very.")}</div>`,
    ["## May I swim here?\n\nYes.", "## Is it cold?\n\nVery."],
  ],
  [
    "Bootstrap",
    `<div class="accordion"><div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button" type="button" data-bs-toggle="collapse" data-bs-target="#c1" aria-expanded="true" aria-controls="c1">Where do I park?</button></h2><div id="c1" class="accordion-collapse collapse show"><div class="accordion-body">${A("Behind.")}</div></div></div></div>`,
    ["## Where do I park?\n\nBehind."],
  ],
  [
    "W3Schools",
    `<button class="accordion">Can I pay later?</button><div class="panel"><p>${A("No.")}</p></div><button class="accordion">Do you ship?</button><div class="panel"><p>${A("Yes.")}</p></div>`,
    ["# Can I pay later?\n\nNo.", "# Do you ship?\n\nYes."],
  ],
  [
    "tabs that name no panel, as Docusaurus makes them",
    `<div><ul role="tablist"><li role="tab" aria-selected="true">npm</li><li role="tab">Yarn</li></ul><div><div role="tabpanel"><pre><code>npm i mill</code></pre></div><div role="tabpanel"><pre><code>yarn add mill</code></pre></div></div></div>`,
    ["# npm\n\n```\nnpm i mill\n```", "# Yarn\n\n```\nyarn add mill\n```"],
  ],
  [
    "tabs that name panels of one command each",
    `<ul role="tablist"><li><a role="tab" href="#t8">npm</a></li><li><a role="tab" href="#t9">pnpm</a></li></ul><div id="t8" role="tabpanel"><pre><code>npm i</code></pre></div><div id="t9" role="tabpanel"><pre><code>pnpm i</code></pre></div>`,
    ["# npm\n\n```\nnpm i", "# pnpm\n\n```\npnpm i"],
  ],
  [
    "labels of radio buttons above their blocks, as MkDocs makes them",
    `<div><input checked id="t1" name="t" type="radio"><input id="t2" name="t" type="radio"><div><label for="t1">pip</label><label for="t2">Docker</label></div><div><div><p>${A("Run pip.")}</p></div><div><p>${A("Pull it.")}</p></div></div></div>`,
    ["# pip\n\nRun pip.", "# Docker\n\nPull it."],
  ],
  [
    "labels of radio buttons above a single block",
    `<div><div><input id="s1" name="s" type="radio"><label for="s1">Small</label><input id="s2" name="s" type="radio"><label for="s2">Large</label></div><div><p>${A("Choose.")}</p></div></div>`,
    ["Choose."],
    ["# Small", "# Large"],
  ],
  [
    "dt with a button",
    `<dl><dt><button aria-expanded="false">How big is it?</button></dt><dd>${A("Big.")}</dd><dt><button aria-expanded="false">How old?</button></dt><dd>${A("Old.")}</dd></dl>`,
    ["**How big is it?**", "**How old?**"],
  ],
  [
    "summary",
    `<details><summary>What is a fyke?</summary><p>${A("A net.")}</p></details>`,
    ["What is a fyke?"],
  ],
  [
    "role button",
    `<div class="faq"><div role="button" tabindex="0" aria-expanded="false" aria-controls="r1">Are dogs allowed?</div><div id="r1">${A("On a lead.")}</div></div>`,
    ["# Are dogs allowed?\n\nOn a lead."],
  ],
  [
    "checkbox label",
    `<div class="tab"><input type="checkbox" id="chk1"><label for="chk1">Who runs it?</label><div class="tab-content">${A("We do.")}</div></div><div class="tab"><input type="checkbox" id="chk2"><label for="chk2">Since when?</label><div class="tab-content">${A("Long since.")}</div></div>`,
    ["# Who runs it?\n\nWe do.", "# Since when?\n\nLong since."],
  ],
  [
    "actions stay out",
    `<h2>Install<button class="copy-link" aria-label="Copy link">Copy link</button></h2><p>${A("Run it.")}</p><div><button>Copy</button><pre><code>npm i</code></pre></div><div><button type="submit">Submit</button><p>${A("We keep nothing.")}</p></div><button onclick="share()">Share</button><div>${A("Shared.")}</div><p>Press <button>Play</button> now.</p>`,
    ["## Install\n", "npm i"],
    ["Copy", "Submit", "Share\n"],
  ],
  [
    "menu button stays out",
    `<button aria-expanded="false" aria-controls="m1">Toggle menu</button><ul id="m1"><li><a href="/a">First place to go</a></li><li><a href="/b">Second place to go</a></li><li><a href="/c">Third place to go</a></li></ul>`,
    [],
    ["Toggle menu"],
  ],
  [
    "tabs head their panels",
    `<div role="tablist"><button role="tab" id="t1" aria-controls="p1" aria-selected="true">macOS</button><button role="tab" id="t2" aria-controls="p2">Windows</button></div><div role="tabpanel" id="p1"><p>${A("brew.")}</p></div><div role="tabpanel" id="p2"><p>${A("winget.")}</p></div>`,
    ["# macOS\n\nbrew.", "# Windows\n\nwinget."],
  ],
  [
    "column heads that sort",
    `<table><thead><tr><th><button>Name</button></th><th><button>Depth <span aria-hidden="true">▲</span></button></th></tr></thead><tbody><tr><td>Cod</td><td>40</td></tr></tbody></table>`,
    ["| Name | Depth"],
  ],
  [
    "aria-hidden text is text",
    `<p aria-hidden="true">${A("Seen by eyes alone.")}</p><div aria-hidden="true" class="panel"><p>Closed panel with its own words.</p></div>`,
    ["Seen by eyes alone.", "Closed panel with its own words."],
  ],
  [
    "aria-hidden icons and doubles",
    `<p>Open <i class="material-icons" aria-hidden="true">chevron_right</i> the <span class="sr-only">gate</span><span aria-hidden="true">gate</span> slowly.</p>`,
    ["gate"],
    ["chevron", "gategate", "gate gate"],
  ],

  [
    "Radix",
    `<div data-state="closed"><h3 data-state="closed"><button type="button" aria-controls="radix-1" aria-expanded="false" data-state="closed" id="radix-0">Wie lange dauert der Versand?<svg aria-hidden="true"></svg></button></h3><div data-state="closed" id="radix-1" role="region" aria-labelledby="radix-0"><div>${A("Drei Tage.")}</div></div></div>`,
    ["### Wie lange dauert der Versand?\n\nDrei Tage."],
  ],
  [
    "Headless UI dt",
    `<dl><div><dt><button id="h1" type="button" aria-expanded="false"><span>Gibt es Rabatt?</span><span class="ml-6"><svg></svg></span></button></dt><dd id="hp1">${A("Ja.")}</dd></div></dl>`,
    ["**Gibt es Rabatt?**"],
  ],
  [
    "details with a heading",
    `<details><summary><h3>Kann ich stornieren?</h3></summary><p>${A("Bis zum Vortag.")}</p></details>`,
    ["### Kann ich stornieren?\n\nBis"],
  ],
  [
    "items of boxes without roles",
    `<div class="q"><button class="t">Erste Frage hier?</button><div class="b">${A("Eins.")}</div></div><div class="q"><button class="t">Zweite Frage hier?</button><div class="b">${A("Zwei.")}</div></div>`,
    ["# Erste Frage hier?\n\nEins.", "# Zweite Frage hier?\n\nZwei."],
  ],
  [
    "link as control",
    `<a class="btn" data-toggle="collapse" href="#cx" role="button" aria-expanded="false" aria-controls="cx">Welche Größe passt?</a><div class="collapse" id="cx"><div class="card">${A("Die größere.")}</div></div>`,
    ["Welche Größe passt?"],
  ],
  [
    "list items",
    `<ul class="faq-list"><li><button aria-expanded="true">Ist das sicher?</button><p>${A("Ja, sicher.")}</p></li><li><button aria-expanded="false">Ist das billig?</button><p hidden="until-found">${A("Nein.")}</p></li></ul>`,
    ["Ist das sicher?", "Ist das billig?"],
  ],
  [
    "read more and show code",
    `<p>${A("Text.")}</p><button aria-expanded="false" aria-controls="more">Mehr anzeigen</button><div id="more"><p>${A("Noch mehr.")}</p></div><button>Download</button><pre>x = 1</pre><button>Download</button><pre>y = 1</pre>`,
    ["Noch mehr.", "x = 1"],
    ["Download"],
  ],
  [
    "tabs by data attributes",
    `<ul class="nav nav-tabs"><li><button class="nav-link active" data-bs-toggle="tab" data-bs-target="#home">Zuhause</button></li><li><button class="nav-link" data-bs-toggle="tab" data-bs-target="#prof">Unterwegs</button></li></ul><div class="tab-content"><div class="tab-pane show active" id="home">${A("Daheim.")}</div><div class="tab-pane" id="prof">${A("Fort.")}</div></div>`,
    ["Zuhause\n\nDaheim.", "Unterwegs\n\nFort."],
  ],
  [
    "form buttons stay out",
    `<form><p>${A("Ihre Angaben.")}</p><button>Weiter</button><div>${A("Hinweis zum Datenschutz.")}</div></form><div class="r"><button>Gefällt mir</button><span>12</span></div>`,
    [],
    ["Weiter\n", "Gefällt"],
  ],
  [
    "vote and follow beside posts",
    `<article><h2>Beitrag</h2><button aria-pressed="false">Folgen</button><div>${A("Erster Beitrag.")}</div></article><article><h2>Beitrag 2</h2><button aria-pressed="false">Folgen</button><div>${A("Zweiter Beitrag.")}</div></article>`,
    ["Erster Beitrag."],
    ["Folgen"],
  ],
  [
    "paragraph with a button that opens a note",
    `<p>Der Hafen <button aria-expanded="false" aria-controls="n1">1</button> liegt im Norden. ${A("So.")}</p><div id="n1" hidden>x</div>`,
    ["Der Hafen"],
    [],
  ],
  [
    "aria-hidden marquee doubles",
    `<div class="marquee"><div>Leuchtturm seit 1911</div><div aria-hidden="true">Leuchtturm seit 1911</div></div>`,
    ["Leuchtturm seit 1911"],
    ["Leuchtturm seit 1911\n\nLeuchtturm seit 1911"],
  ],
]

describe("controls that head a block", () => {
  it.each(CASES.map(([name, html, wanted, unwanted = []]) => ({ name, html, wanted, unwanted })))(
    "$name",
    ({ html, wanted, unwanted }) => {
      const { markdown } = readPage(html)
      for (const text of wanted) expect(markdown).toContain(text)
      for (const text of unwanted) expect(markdown).not.toContain(text)
    },
  )
})
