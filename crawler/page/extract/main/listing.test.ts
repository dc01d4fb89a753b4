import { describe, expect, test } from "vitest"

import { extractHtml } from "../extract-html.ts"

interface ListingCase {
  readonly name: string
  readonly url: string
  readonly html: string
  readonly isListing: boolean
}

const SENTENCES = [
  "The pump is switched off and left to cool before anything is opened.",
  "A worn seal shows as a thin line of oil along the lower edge of the housing.",
  "Take out the four screws in turn, and keep them in their order on a cloth.",
  "Most faults of this kind come from dirt that was carried in with the water.",
  "When the ring sits well it cannot be turned by hand any more.",
  "Note the pressure before and after, since the difference tells how far it has worn.",
  "In winter the line is drained, because frost would burst the smaller valves.",
  "An engineer of the plant looks at the readings once a week and signs them.",
]
const prose = (from: number, many: number) =>
  Array.from({ length: many }, (_, at) => SENTENCES[(from + at) % SENTENCES.length]).join(" ")
const paragraphs = (many: number, more = "") =>
  Array.from({ length: many }, (_, at) => `<p>${prose(at, 4)}${more}</p>`).join("")
const each = (many: number, write: (at: number) => string) =>
  Array.from({ length: many }, (_, at) => write(at)).join("")
const names = [
  "Seals",
  "Valves",
  "Bearings",
  "Rotors",
  "Filters",
  "Gauges",
  "Hoses",
  "Flanges",
  "Motors",
  "Tanks",
]
const name = (at: number) => `${names[at % names.length]} of series ${at + 1}`
const doc = (title: string, body: string, { html = "", bodyClass = "" } = {}) =>
  `<!doctype html><html lang="en"${html === "" ? "" : ` class="${html}"`}><head><title>${title} · Pump works</title></head>` +
  `<body${bodyClass === "" ? "" : ` class="${bodyClass}"`}><header><a href="/">Pump works</a><nav><a href="/docs/">Docs</a><a href="/blog/">Blog</a></nav></header>` +
  `${body}<footer><p>Pump works, 12 Mill Lane</p></footer></body></html>`

const LISTING_CASES: readonly ListingCase[] = [
  {
    name: "a tag archive of WordPress with excerpts",
    url: "https://w.example/tag/seals/",
    isListing: true,
    html: doc(
      "Seals",
      `<main><h1 class="page-title">Tag: <span>Seals</span></h1>${each(6, (at) => `<article class="post type-post tag-seals"><h2 class="entry-title"><a href="/2024/0${at + 1}/post-${at}/" rel="bookmark">${name(at)}</a></h2><div class="entry-summary"><p>${prose(at, 2)} <a class="more-link" href="/2024/0${at + 1}/post-${at}/">Continue reading</a></p></div></article>`)}</main>`,
      { bodyClass: "archive tag tag-seals tag-12 wp-custom-logo" },
    ),
  },
  {
    name: "a category archive of WordPress that shows whole posts",
    url: "https://w.example/category/repairs/page/2/",
    isListing: true,
    html: doc(
      "Repairs",
      `<main><h1>Category: Repairs</h1>${each(4, (at) => `<article class="post hentry"><h2 class="entry-title"><a href="/repair-${at}/" rel="bookmark">${name(at)}</a></h2><div class="entry-content">${paragraphs(3)}</div></article>`)}<nav class="pagination"><a href="/category/repairs/">1</a></nav></main>`,
      { bodyClass: "archive paged category category-repairs category-3" },
    ),
  },
  {
    name: "a post of WordPress with its tags below",
    url: "https://w.example/2024/05/changing-a-seal/",
    isListing: false,
    html: doc(
      "Changing a seal",
      `<main><article class="post category-repairs tag-seals"><h1>Changing a seal</h1>${paragraphs(5)}<p>Tags: <a rel="tag" href="/tag/seals/">seals</a>, <a rel="tag" href="/tag/pumps/">pumps</a>, <a rel="tag" href="/tag/oil/">oil</a></p></article></main>`,
      { bodyClass: "single single-post postid-12" },
    ),
  },
  {
    name: "a page of tags of Hugo",
    url: "https://h.example/tags/",
    isListing: true,
    html: doc(
      "Tags",
      `<main><h1>Tags</h1><ul>${each(14, (at) => `<li><a href="/tags/t${at}/">${name(at)}</a> (${at + 1})</li>`)}</ul></main>`,
    ),
  },
  {
    name: "a term page of Hugo with dates",
    url: "https://h.example/tags/oil/",
    isListing: true,
    html: doc(
      "Oil",
      `<main class="taxonomy"><h1>Oil</h1><ul>${each(5, (at) => `<li><time datetime="2024-0${at + 1}-02">2 May 2024</time> <a href="/posts/p${at}/">${name(at)} and what was learned from it</a></li>`)}</ul></main>`,
    ),
  },
  {
    name: "an archive of Jekyll by year",
    url: "https://j.example/archive/",
    isListing: true,
    html: doc(
      "Archive",
      `<div class="page-content"><h1>Archive</h1>${each(3, (year) => `<h2>${2020 + year}</h2><ul>${each(8, (at) => `<li><span>May ${at + 1}</span> <a href="/${2020 + year}/05/p${at}.html">${name(at)}: how it went</a></li>`)}</ul>`)}</div>`,
    ),
  },
  {
    name: "a page of a tag in the documentation of Docusaurus",
    url: "https://d.example/docs/tags/pressure",
    isListing: true,
    html: doc(
      "3 docs tagged with pressure",
      `<main><header><h1>3 docs tagged with "pressure"</h1><a href="/docs/tags">View All Tags</a></header><section>${each(3, (at) => `<article class="margin-vert--lg"><a href="/docs/p${at}"><h2>${name(at)}</h2></a><p>${prose(at, 1)}</p></article>`)}</section></main>`,
      { html: "docs-wrapper plugin-docs plugin-id-default docs-tags-doc-list-page" },
    ),
  },
  {
    name: "the blog list of Docusaurus",
    url: "https://d.example/blog",
    isListing: true,
    html: doc(
      "Blog",
      `<main>${each(5, (at) => `<article><header><h2><a itemprop="url" href="/blog/p${at}">${name(at)}</a></h2><time datetime="2024-05-0${at + 1}">May ${at + 1}, 2024</time></header><div class="markdown">${paragraphs(1)}</div><footer><a href="/blog/p${at}"><b>Read more</b></a></footer></article>`)}</main>`,
      { html: "blog-wrapper plugin-blog blog-list-page" },
    ),
  },
  {
    name: "the tags of mkdocs-material, with the pages of each",
    url: "https://m.example/tags/",
    isListing: true,
    html: doc(
      "Tags",
      `<main><article class="md-content__inner md-typeset"><h1 id="tags">Tags</h1><p>Following is a list of relevant tags:</p>${each(4, (tag) => `<h2 id="tag:${tag}"><span class="md-tag">${names[tag]}</span></h2><ul>${each(3, (at) => `<li><a href="../guide-${tag}-${at}/">${name(at)}</a></li>`)}</ul>`)}</article></main>`,
    ),
  },
  {
    name: "the pages of an author",
    url: "https://n.example/author/mia-berg/",
    isListing: true,
    html: doc(
      "Mia Berg",
      `<main><h1>Mia Berg</h1><p>Mia writes about pumps and wells.</p>${each(8, (at) => `<div class="card"><a href="/stories/s${at}"><h3>${name(at)}</h3></a><p>${prose(at, 1)}</p></div>`)}</main>`,
    ),
  },
  {
    name: "the front page of a manual: a bare table of contents",
    url: "https://s.example/index.html",
    isListing: true,
    html: doc(
      "Manual",
      `<div role="main"><h1>Manual of the pump</h1><div class="toctree-wrapper"><ul>${each(30, (at) => `<li><a href="chapter-${at}.html">${at + 1}. ${name(at)}</a></li>`)}</ul></div></div>`,
    ),
  },
  {
    name: "a table of contents that says what each chapter is about",
    url: "https://s.example/guide/index.html",
    isListing: false,
    html: doc(
      "Guide",
      `<main><h1>Guide to the pump</h1>${paragraphs(2)}<dl>${each(9, (at) => `<dt><a href="part-${at}.html">${name(at)}</a></dt><dd>${prose(at, 2)}</dd>`)}</dl></main>`,
    ),
  },
  {
    name: "a glossary whose entries lead to each other",
    url: "https://g.example/glossary/",
    isListing: false,
    html: doc(
      "Glossary",
      `<main><h1>Glossary</h1><p>${each(20, (at) => `<a href="#g${at}">${names[at % 10]}</a> `)}</p><dl>${each(20, (at) => `<dt id="g${at}"><a href="/terms/${at}">${name(at)}</a></dt><dd>${prose(at, 1)} See <a href="/terms/${at + 1}">${name(at + 1)}</a>.</dd>`)}</dl></main>`,
    ),
  },
  {
    name: "an article full of links, as in an encyclopedia",
    url: "https://e.example/wiki/Pump",
    isListing: false,
    html: doc(
      "Pump",
      `<main><h1>Pump</h1>${each(8, (at) => `<p>${SENTENCES.map((one, i) => one.replace(/(\w+ \w+) (\w+ \w+)/, `$1 <a href="/wiki/W${at}-${i}">$2</a>`)).join(" ")}</p>`)}<h2>See also</h2><ul>${each(12, (at) => `<li><a href="/wiki/S${at}">${name(at)}</a></li>`)}</ul></main>`,
    ),
  },
  {
    name: "a list of good links to other sites",
    url: "https://a.example/awesome-pumps/",
    isListing: false,
    html: doc(
      "Awesome pumps",
      `<main><h1>Awesome pumps</h1><p>What the trade reads.</p><ul>${each(25, (at) => `<li><a href="https://site${at}.example/">${name(at)}</a></li>`)}</ul></main>`,
    ),
  },
  {
    name: "an article that belongs to a category by its address",
    url: "https://c.example/category/repairs/changing-a-seal",
    isListing: false,
    html: doc(
      "Changing a seal",
      `<main><article><h1>Changing a seal</h1>${paragraphs(6)}<h2>Tools</h2><p>${prose(2, 3)}</p></article><aside class="related"><a href="/a">A</a><a href="/b">B</a></aside></main>`,
    ),
  },
  {
    name: "page two of a news site's front, with teasers",
    url: "https://news.example/page/2/",
    isListing: true,
    html: doc(
      "News",
      `<main>${each(9, (at) => `<article class="teaser"><h2><a href="/2024/05/n${at}">${name(at)} delivered</a></h2><time datetime="2024-05-01">1 May</time><p>${prose(at, 2)}</p></article>`)}<a rel="next" href="/page/3/">Older</a></main>`,
    ),
  },
  {
    name: "the reference of a command with a list of its options first",
    url: "https://r.example/reference/pumpctl",
    isListing: false,
    html: doc(
      "pumpctl",
      `<main><h1>pumpctl</h1><ul>${each(10, (at) => `<li><a href="/reference/pumpctl#o${at}">--option-${at}</a></li>`)}</ul>${each(10, (at) => `<h2 id="o${at}"><a href="/reference/pumpctl#o${at}">--option-${at}</a></h2><p>${prose(at, 2)}</p><pre>pumpctl --option-${at} 12</pre>`)}</main>`,
    ),
  },
  {
    name: "a short note with two links",
    url: "https://x.example/moved",
    isListing: false,
    html: doc(
      "Moved",
      `<main><h1>The shop has moved</h1><p>We are now in Mill Lane. See <a href="/map">the map</a> and <a href="/hours">our hours</a>.</p></main>`,
    ),
  },
  {
    name: "a table of values whose names lead to pages",
    url: "https://t.example/spec/limits",
    isListing: false,
    html: doc(
      "Limits",
      `<main><h1>Limits of the pumps</h1><table><tr><th>Part</th><th>Pressure</th><th>Flow</th><th>Made of</th><th>Serviced</th></tr>${each(15, (at) => `<tr><td><a href="/parts/${at}">${names[at % 10]} ${at}</a></td><td>${at + 3}.5 bar</td><td>${at * 12} l/min</td><td>stainless steel 1.4301</td><td>every ${at + 1},000 hours</td></tr>`)}</table></main>`,
    ),
  },
]

describe("a page that lists other pages is distinguished from one with its own text", () => {
  test.each(LISTING_CASES.map((one) => [one.name, one] as const))("%s", (_, { url, html, isListing }) => {
    expect(extractHtml(html, url).isListing ?? false).toBe(isListing)
  })
})
