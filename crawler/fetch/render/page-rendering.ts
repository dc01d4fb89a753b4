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
import type { Visit, VisitOptions } from "../../reading.ts"
import type { Rendering } from "../../source.ts"
import type { Renderer } from "./renderer.ts"
import { isScriptShell, isThin } from "../../page/script-shell.ts"

export interface PageRenderingOptions {
  readonly config: CrawlerConfig
  readonly guard: AddressGuard
  /** The browser, which others may use as well. */
  readonly renderer: () => Promise<Renderer>
  /** Of a source with a login. */
  readonly session?: Session | undefined
  /** How a fetched page is read without a browser. */
  readonly read: (fetched: Fetched, deadline: number, options: VisitOptions) => Promise<Visit>
  /** How a page is fetched, redirects included. */
  readonly fetch: (url: PageUrl, options: VisitOptions) => Promise<FetchResult>
}

/** Live calls keep so much of their time for reading what the browser ends with. */
const READING_MS = 500

/** Reads pages through a browser where that is asked for or needed. */
export class PageRendering {
  readonly #options: PageRenderingOptions

  constructor(options: PageRenderingOptions) {
    this.#options = options
  }

  /** Reads a page that was fetched. `deadline`: of the visit; only live calls are held to it while they render. */
  async read(
    fetched: Fetched,
    rendering: Rendering,
    deadline: number,
    options: VisitOptions,
  ): Promise<Visit> {
    const { read } = this.#options
    if (rendering === "http" || !isHtml(fetched)) return await read(fetched, deadline, options)
    if (rendering === "browser") return await this.#render(fetched, deadline, options)
    // Reading it gives its bytes away, and the browser may need them.
    const copy = { ...fetched, body: Uint8Array.from(fetched.body) }
    const visit = await read(fetched, deadline, options)
    if (visit.kind !== "read" || !isThin(visit.reading.extracted.markdown)) return visit
    const charset = charsetParameter(copy.headers["content-type"])
    if (!(await isScriptShell(decodeText(copy.body, charset)))) return visit
    return await this.#render(copy, deadline, options, visit)
  }

  /** `sent`: what was read of the page as the server sent it. */
  async #render(
    fetched: Fetched,
    deadline: number,
    options: VisitOptions,
    sent?: Extract<Visit, { kind: "read" }>,
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
      ...(options.timeoutMs === undefined ? {} : { deadline: deadline - READING_MS }),
    })
    if (result.kind === "no-browser") return sent ? unread(sent, result.detail) : noBrowser(result.detail)
    // The site has answered, whatever became of the page in the browser.
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

/** A shell's text ("Please switch on JavaScript") is not the page's: better none than that. Its links are its own. */
function unread({ reading }: Extract<Visit, { kind: "read" }>, detail: string): Visit {
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
