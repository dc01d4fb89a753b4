import type { Docs, DocsPage } from "./read-docs.ts"
import { escapeHtml } from "./escape-html.ts"

interface TemplateInput {
  readonly docs: Docs
  readonly page: DocsPage
  /** Canonical address, absolute or from the root. */
  readonly canonical: string | null
  /** Relative path from the page to `/docs/`: empty, or `../../` once for each further path segment. */
  readonly toRoot: string
  /** Changes with the style sheet and the script, so that browsers never use an old version of either. */
  readonly version: string
  /** Notice at the top of the page; null for none. */
  readonly notice: string | null
  /** The widget's public key; null if the page has no widget. */
  readonly searchKey: string | null
}

/** A complete HTML document for one page of the handbook. It is readable without scripts: the widget is then replaced by a link to the search page. */
export function pageHtml({
  docs,
  page,
  canonical,
  toRoot,
  version,
  notice,
  searchKey,
}: TemplateInput): string {
  const order = docs.sections.flatMap((section) => section.entries)
  const at = order.findIndex((entry) => entry.name === page.name)
  const front = { name: "", label: "Contents" }
  const previous = at > 0 ? order[at - 1] : at === 0 ? front : undefined
  const next = page.name === "" || at >= 0 ? order[at + 1] : undefined
  const to = (name: string): string => (name === "" ? toRoot || "./" : `${toRoot}${escapeHtml(name)}`)
  const title = page.name === "" ? page.title : `${page.title} · Fossick handbook`

  const nav = docs.sections.map((section) => {
    const items = section.entries.map(({ name, label }) => {
      const current = name === page.name ? ' aria-current="page"' : ""
      return `<li><a href="${to(name)}"${current}>${escapeHtml(label)}</a></li>`
    })
    return `<h2>${escapeHtml(section.title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`
  })
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<meta name="description" content="${escapeHtml(page.description)}">`,
    canonical === null
      ? '<meta name="robots" content="noindex">'
      : `<link rel="canonical" href="${escapeHtml(canonical)}">`,
    `<link rel="icon" type="image/svg+xml" href="${toRoot}icon.svg">`,
    `<link rel="stylesheet" href="${toRoot}handbook.css?${version}">`,
    `<script src="${toRoot}handbook.js?${version}" defer></script>`,
    previous && `<link rel="prev" href="${to(previous.name)}">`,
    next && `<link rel="next" href="${to(next.name)}">`,
    searchKey === null
      ? undefined
      : `<script src="${toRoot}../widget.js" data-key="${escapeHtml(searchKey)}" data-button=".search" data-label="Search the handbook" data-links="here" data-answers defer></script>`,
  ]
  const turn = [
    previous &&
      `<a rel="prev" href="${to(previous.name)}"><small>Previous</small> ${escapeHtml(previous.label)}</a>`,
    next && `<a rel="next" href="${to(next.name)}"><small>Next</small> ${escapeHtml(next.label)}</a>`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
${head.filter((line) => line !== undefined).join("\n")}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${to("")}">Fossick <span>handbook</span></a>${searchKey === null ? "" : `\n<a class="search" href="${toRoot}../">Search <kbd>Ctrl K</kbd></a>`}
</header>
<nav class="contents" aria-label="Handbook">
<details>
<summary>Contents</summary>
${nav.join("\n")}
</details>
</nav>
${onThisPage(page.html)}<main id="content" tabindex="-1">${notice === null ? "" : `\n<p role="status"><strong>${escapeHtml(notice)}</strong></p>`}
<article>
${page.html}</article>
</main>
<footer>
<nav class="turn" aria-label="Previous and next page">
${turn.filter((link) => link !== undefined).join("\n")}
</nav>
</footer>
</body>
</html>
`
}

/** Maximum number of sections listed with their subsections; a page with more of them lists only its `h2` headings. */
const MOST_ENTRIES = 40

/** The list of a page's sections; empty if it has fewer than two. */
function onThisPage(html: string): string {
  const all = [...html.matchAll(/<h([23]) id="([^"]*)">(.*?)<a class="anchor"/g)].map(
    ([, depth, id, content = ""]) => ({ depth, id, text: content.replaceAll(/<[^>]*>/g, "") }),
  )
  const shown = all.length > MOST_ENTRIES ? all.filter(({ depth }) => depth === "2") : all
  if (shown.length < 2) return ""
  const items = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`,
  )
  return `<nav class="on-page" aria-label="On this page">
<details>
<summary>On this page</summary>
<ul>
${items.join("\n")}
</ul>
</details>
</nav>
`
}
