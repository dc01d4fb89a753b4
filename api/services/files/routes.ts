import { extname } from "node:path"

import type { Router } from "@koa/router"

import { environment, readSettings } from "#base/settings.ts"
import { isDocumentAddress } from "#crawler/page/content-type.ts"
import { mediaType } from "#crawler/page/headers/media-type.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { percentDecoded } from "#base/text/percent-decoded.ts"
import { mayRead } from "#engine/index/page/readers.ts"
import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import { clientGone, type Context, type Middleware, type RequestState } from "../../context.ts"
import { findPage } from "../../core/read/find-page.ts"
import { ApiError } from "../../errors.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import type { PageKnowledge } from "../pages/page-knowledge.ts"

/** The first segment of files' addresses, unless their source specifies another. */
export const FILES = "files"
const PATH = new RegExp(`^/${FILES}/([^/]+)/(.+)$`, "s")

export interface FileNeeds {
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  readonly pages: PageKnowledge
}

/** The call for originals, which is admitted in the same way as reading a stored page. */
export function fileRoutes(router: Router<RequestState>, { accounts, admissions, pages }: FileNeeds): void {
  // Larger files never become pages, but a file can grow before the next run notices.
  const { maxBytes } = readSettings(crawlerSettings, environment())
  const key = authentication(accounts.keys, { bodyKey: false }).beforeBody
  const admit = admission(admissions, "extract", { isStored: true })
  router.get(PATH, key, admit, fileOf(pages, maxBytes))
}

/** GET /files/{source}/{path}: an original, as long as its page is in the index and the caller may see it. */
function fileOf(knowledge: PageKnowledge, maxBytes: number): Middleware {
  return async (ctx) => {
    const file = await found(ctx, knowledge, maxBytes)
    if (file === null) throw new ApiError(404, NOT_THERE)
    const { headers, body, type } = file
    ctx.type = type
    ctx.set({
      "Cache-Control": "private, no-cache",
      ETag: headers.etag ?? "",
      "Content-Disposition": SHOWN.test(ctx.type) ? "inline" : "attachment",
      "Content-Security-Policy": ctx.type === PDF ? PASSIVE : `sandbox; ${PASSIVE}`,
    })
    ctx.body = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
  }
}

const NOT_THERE =
  "There is no such file: no source has it, it is too large, its page is not in the index, or your key may not see it."

const PDF = "application/pdf"
/** An opened file must not act with the rights of the user who opens it, because strangers may have written it. */
const PASSIVE = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:"
/** Types that browsers display. */
const SHOWN = /^(?:text\/(?:plain|html)|application\/pdf|image\/(?:png|jpeg|webp)$)/

/**
 * The content type with which a browser displays a file: any kind of text becomes plain text.
 * @param given the media type that was stored with the file
 */
function typeOf(url: PageUrl, given: string | undefined): string {
  const type = mediaType(given)
  if (type === "text/html" || type === PDF) return type
  if (type.startsWith("text/")) return PLAIN
  const ending = extname(new URL(url).pathname).toLowerCase()
  if (ending === ".html" || ending === ".htm") return "text/html"
  if (ending === ".pdf") return PDF
  return isDocumentAddress(url) || PICTURE.test(ending) ? ending : PLAIN
}

const PLAIN = "text/plain; charset=utf-8"

/** Images that text recognition reads; vector graphics may contain scripts. */
const PICTURE = /^\.(?:png|jpe?g|webp|tiff?)$/

async function found(ctx: Context, knowledge: PageKnowledge, maxBytes: number) {
  const [, name = "", rest = ""] = PATH.exec(ctx.path) ?? []
  const held = await knowledge.content(percentDecoded(name) ?? "")
  const url = held && toPageUrl(`${held.source.seeds[0]}${rest}`)
  if (!held || !url) return null
  const { key, reach } = ctx.state
  const page = await findPage(url, { reach, knowledge, signal: clientGone(ctx) })
  if (page === null) return null
  const loaded = await held.content.load(page.url, { maxBytes })
  if (loaded.kind !== "fetched") return null
  // The file's readers may have been narrowed since its page was indexed.
  const { readers } = loaded
  if (readers && key.principals !== null && !mayRead(new Set(key.principals), readers)) return null
  return { ...loaded, type: typeOf(page.url, loaded.headers["content-type"]) }
}
