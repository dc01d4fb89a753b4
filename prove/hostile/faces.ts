import { Parser } from "htmlparser2"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { toPassages } from "#engine/text/passages.ts"
import { toPageUrl } from "#engine"
import { FakeEngine, hit } from "../../api/testing/fake-engine.ts"
import { serveApp, TEST_KEY } from "../../api/testing/serve-app.ts"
import { type Attack, CASES, type Kind, unless } from "./attack.ts"

/** Anything that would run in an HTML document: an element, an event attribute, an address; null if there is nothing. */
function running(html: string): string | null {
  let found: string | null = null
  let element = ""
  const parser = new Parser({
    onopentag(name, attributes) {
      element = name
      for (const [attribute, value] of Object.entries(attributes)) {
        const address = value.replace(/[\s\p{Cc}]/gu, "").toLowerCase()
        const leads = /^(?:href|src|action|formaction|data|srcdoc|xlink:href)$/.test(attribute)
        if (
          (attribute.startsWith("on") && value.includes("evil")) ||
          (leads && /^(?:javascript:|vbscript:|data:text\/html)/.test(address)) ||
          attribute === "srcdoc"
        )
          found ??= `<${name} ${attribute}="${value}">`
      }
    },
    ontext(text) {
      if (element === "script" && text.includes("evil()")) found ??= `<script>${text.slice(0, 80)}`
    },
    onclosetag() {
      element = ""
    },
  })
  parser.end(html)
  return found
}

/** Each face, as served for a page and a question containing this text. */
const FACES: readonly (readonly [
  face: string,
  path: (text: string) => string,
  headers?: Record<string, string>,
])[] = [
  ["SearXNG's results", (text) => `/searxng/search?q=${encodeURIComponent(text)}&format=html`],
  ["SearXNG's engines, which have the names of sources", () => `/searxng/config`],
  ["a file of results", (text) => `/searxng/search?q=${encodeURIComponent(text)}&format=csv`],
  ["suggestions", (text) => `/suggest?q=${encodeURIComponent(text)}`],
  ["the sources of a key", () => `/sources`],
  ["a feed of results", (text) => `/searxng/search?q=${encodeURIComponent(text)}&format=rss`],
  ["a stored page", () => `/read/https://evil.example/page`, { Accept: "text/html" }],
  ["the search page", (text) => `/?q=${encodeURIComponent(text)}`],
  ["the handbook's search", (text) => `/docs/?q=${encodeURIComponent(text)}`],
  ["a missing page", (text) => `/docs/${encodeURIComponent(text)}`],
  ["the console", (text) => `/console/${encodeURIComponent(text)}`],
  ["suggestions of the browser", (text) => `/suggest/opensearch?q=${encodeURIComponent(text)}`],
]

const faces: readonly Attack[] = CASES.markup.map((payload) => ({
  name: JSON.stringify(payload),
  play: async () => {
    const url = toPageUrl("https://evil.example/page")!
    const escaped = payload.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
    const page = extractHtml(
      `<title>${escaped}</title><meta name="description" content="${escaped}"><meta name="author" content="${escaped}"><h1>${escaped}</h1><p>Words of ${escaped} for pumps.</p><h2>${escaped}</h2><p><img src="/p.png" alt="${escaped}"></p><pre>${escaped}</pre><p>${payload}</p>`,
      url,
    )
    const { title, description, author, markdown, images } = page
    const own = hit({
      url,
      title,
      description,
      author,
      markdown,
      images,
      passages: toPassages(markdown).map((passage, position) => ({ ...passage, position })),
      source: payload,
    })
    await using app = await serveApp({ engine: new FakeEngine([own]) })
    for (const [face, path, headers = {}] of FACES) {
      const response = await fetch(app.url + path(payload), {
        headers: { Authorization: `Bearer ${TEST_KEY}`, ...headers },
        redirect: "manual",
      })
      const text = await response.text()
      const type = response.headers.get("content-type") ?? ""
      const sniffs = response.headers.get("x-content-type-options") === "nosniff"
      const runs = /html|svg/.test(type) ? running(text) : null
      const fault = unless(
        response.status < 500 && runs === null && (sniffs || response.status >= 300),
        () => `${face}: ${response.status} ${type} ${String(runs)}`,
      )
      if (fault !== null) return fault
    }
    const { status, headers } = await app.post("/search", { query: payload })
    return unless(
      status < 500 && headers.get("content-type")?.startsWith("application/json") === true,
      () => `${status} ${headers.get("content-type")}`,
    )
  },
}))

export const FACE_ATTACKS: Kind = {
  kind: "markup in titles, text, descriptions and questions",
  must: "not run in any user interface",
  attacks: faces,
  shortly: 9,
}
