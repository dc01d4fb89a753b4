import { hash } from "node:crypto"
import type { PageUrl } from "#engine"
import { callerHere } from "#base/flow/caller.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { AddressGuard } from "../guard/address-guard.ts"
import { decodeText } from "../../page/charset.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { sniff } from "../../page/content-type.ts"
import { charsetParameter, mediaType } from "../../page/headers/media-type.ts"
import type { Fetched, FetchResult } from "../fetch.ts"
import type { Session } from "../session.ts"
import type { LeftToScripts } from "../../page/extract/facts/left-to-scripts.ts"
import { toPlainText } from "../../page/extract/markdown/plain-text.ts"
import type { Reading, Visit, VisitOptions } from "../../reading.ts"
import type { Rendering } from "../../source.ts"
import type { Renderer } from "./renderer.ts"
import { LINKS_LEFT, type Reason, Trials } from "./trials.ts"
import { refreshTarget } from "../../page/refresh-target.ts"
import { isScriptShell, isThin } from "../../page/script-shell.ts"

export interface PageRenderingOptions {
  readonly config: CrawlerConfig
  readonly guard: AddressGuard
  /** The browser, which can be shared with others. */
  readonly renderer: () => Promise<Renderer>
  /** The session of a source with a login. */
  readonly session?: Session | undefined
  /** Reads a fetched page without a browser. */
  readonly read: (fetched: Fetched, deadline: number, options: VisitOptions) => Promise<Visit>
  /** Fetches a page and follows redirects. */
  readonly fetch: (url: PageUrl, options: VisitOptions) => Promise<FetchResult>
}

/** Time that live calls reserve for reading the page after rendering in the browser. */
const READING_MS = 500
/** Minimum number of additional characters, about a word or two, for a browser to count as having found more text. */
const MORE_CHARS = 10

type Read = Extract<Visit, { kind: "read" }>

/** Reads pages in a browser where that is requested or needed. */
export class PageRendering {
  readonly #options: PageRenderingOptions
  readonly #trials = new Trials()

  constructor(options: PageRenderingOptions) {
    this.#options = options
  }

  /** Reads a page that was fetched. `deadline`: when the visit must end; while rendering, it applies to live calls only. */
  async read(
    fetched: Fetched,
    rendering: Rendering,
    deadline: number,
    options: VisitOptions,
  ): Promise<Visit> {
    const { read } = this.#options
    if (!isHtml(fetched)) return await read(fetched, deadline, options)
    if (rendering === "browser") return await this.#render(fetched, deadline, options)
    // Reading the page transfers its bytes, and the browser may still need them.
    const copy = rendering === "http" ? null : { ...fetched, body: Uint8Array.from(fetched.body) }
    const visit = await read(fetched, deadline, options)
    if (visit.kind !== "read") return visit
    // The page only redirects to the wanted one. If it redirects only readers without scripts, its scripts are tried
    // first.
    const { refresh } = visit.reading.extracted
    if (refresh && refresh.unscripted !== true && refreshTarget(visit.reading) !== null) return visit
    if (copy !== null && isThin(visit.reading.extracted.markdown)) {
      const charset = charsetParameter(copy.headers["content-type"])
      if (await isScriptShell(decodeText(copy.body, charset)))
        return await this.#render(copy, deadline, options, visit)
    }
    return await this.#tried(visit, copy, deadline, options)
  }

  /** Opens a page that has text in a browser, if the browser might find more on it. `copy`: null if no browser may be used. */
  async #tried(sent: Read, copy: Fetched | null, deadline: number, options: VisitOptions): Promise<Visit> {
    const { reading } = sent
    const { url, extracted } = reading
    const { leftToScripts } = extracted
    if (leftToScripts === undefined) return sent
    const text = this.#trials.met(url, hash("sha256", extracted.markdown, "base64url"))
    const isKnown = text.isShell || options.isShell === true
    const other = [...text.urls].find((one) => one !== url) ?? url
    const reasons: Reason[] = []
    if (isKnown || text.urls.size > 1) reasons.push("same-text")
    if (leftToScripts.panels > 0) reasons.push("panels")
    if (leftToScripts.branches > 0) reasons.push("branches")
    const reason = reasons.find((one) => (one === "same-text" && isKnown) || this.#trials.areWorth(url, one))
    if (reason === undefined) return sent
    const doubt = doubtOf(reason, leftToScripts, other)
    if (copy === null) return doubted(sent, `${doubt}, and the source is read without a browser`)
    const rendered = await this.#render(copy, deadline, options, sent, doubt)
    if (rendered.kind !== "read" || rendered.reading.rendered !== true) return rendered
    const hasMore = isMore(reason, reading, rendered.reading)
    this.#trials.end(url, reason, hasMore)
    if (!hasMore) return sent
    if (reason !== "same-text") return rendered
    text.isShell = true
    text.urls.delete(url)
    const readAnew = [...text.urls]
    text.urls.clear()
    return { kind: "read", reading: { ...rendered.reading, isShell: true, readAnew } }
  }

  /**
   * `sent`: the page as read without a browser. `doubt`: what may be missing from it. A page passed with a `doubt` has
   * text, and is stored as it was sent if no browser can read it.
   */
  async #render(
    fetched: Fetched,
    deadline: number,
    options: VisitOptions,
    sent?: Read,
    doubt?: string,
  ): Promise<Visit> {
    const { config, read, fetch } = this.#options
    const renderer = await this.#options.renderer()
    const result = await renderer.render({
      guard: this.#options.guard,
      party: callerHere() ?? this,
      document: fetched,
      follow: async (url) =>
        (await options.onRedirect?.(url)) ?? (await fetch(url, { ...options, validators: undefined })),
      session: this.#options.session,
      maxChars: config.maxBytes,
      timeoutMs: config.renderTimeoutMs,
      signal: options.signal,
      screenshot: options.screenshot,
      settleMs: options.settleMs,
      isOpenElsewhere: (mark) => this.#trials.isOpen(fetched.url, mark),
      ...(options.timeoutMs === undefined ? {} : { deadline: deadline - READING_MS }),
    })
    if (sent && doubt !== undefined && (result.kind === "no-browser" || result.kind === "failed"))
      return doubted(sent, `${doubt}; ${result.detail}`)
    if (result.kind === "no-browser") return sent ? unread(sent, result.detail) : noBrowser(result.detail)
    // The site has responded, even if the browser failed on the page.
    if (result.kind === "failed") return { ...result, status: result.status ?? fetched.status }
    if (result.kind !== "rendered") return result
    const { document, html, bytes, refused, screenshot } = result
    const body = new TextEncoder().encode(html)
    const headers = { ...document.headers, "content-type": "text/html; charset=utf-8" }
    const until = options.timeoutMs === undefined ? steadyNow() + config.timeoutMs : deadline
    const visit = await read({ ...document, headers, body }, until, options)
    if (visit.kind !== "read") return visit
    const { validators: _, ...reading } = visit.reading
    const page = {
      ...reading,
      bytes: document.body.byteLength + bytes,
      rendered: true,
      ...(screenshot && { screenshot }),
    }
    if (page.extracted.markdown.trim() !== "") return { kind: "read", reading: page }
    const emptyBecause = ["no main content found, even in a browser", ...refused].join("; ")
    return { kind: "read", reading: { ...page, emptyBecause } }
  }
}

function isHtml({ headers, body, url }: Fetched): boolean {
  return sniff(mediaType(headers["content-type"]), body, url).kind === "html"
}

/** Returns what might be missing from a page that came with text. */
function doubtOf(reason: Reason, { panels, branches }: LeftToScripts, other: PageUrl): string {
  const ends = "until its scripts have run in a browser"
  if (reason === "panels") return `${countOf(panels, "panel")} of the page may be empty ${ends}`
  if (reason === "branches") return `${countOf(branches, LINKS_LEFT)} of the page may lack its links ${ends}`
  return `the site sends the same text for this address as for ${other}, and its scripts may turn each into a different page`
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const doubted = ({ reading }: Read, doubt: string): Visit => ({
  kind: "read",
  reading: { ...reading, doubt },
})

function isMore(reason: Reason, sent: Reading, rendered: Reading): boolean {
  const { markdown, links } = rendered.extracted
  if (reason === "same-text") return wordsOf(markdown) !== wordsOf(sent.extracted.markdown)
  const before = new Set(sent.extracted.links.map(({ url }) => url))
  const { host } = new URL(sent.url)
  const leadsOn = links.some(({ url }) => !before.has(url) && new URL(url).host === host)
  return leadsOn || wordsOf(markdown).length > wordsOf(sent.extracted.markdown).length + MORE_CHARS
}

const wordsOf = (markdown: string): string => toPlainText(markdown).replace(/\s+/g, " ").trim()

/** Returns the page without text: a shell's text ("Please switch on JavaScript") is not the page's text, so it is better to have none. Its links do belong to the page. */
function unread({ reading }: Read, detail: string): Visit {
  const { validators: _, ...rest } = reading
  return {
    kind: "read",
    reading: {
      ...rest,
      extracted: { ...reading.extracted, markdown: "" },
      emptyBecause: `the page needs a browser; ${detail}`,
    },
  }
}

function noBrowser(detail: string): Visit {
  return { kind: "failed", because: "unreadable", detail, transient: false }
}
