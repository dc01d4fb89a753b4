import { createHash } from "node:crypto"

import type { Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"
import { sendPrepared } from "../server/wire/prepared-body.ts"
import type { BuiltFaces } from "./built.ts"
import { openSearchDescription } from "./open-search.ts"

/** The pages of the faces by their paths. */
const PAGES: Readonly<Record<string, string>> = { "/": "search", "/console": "console" }
/** The script for pages of other people, at an address that stays; and where it is by what it holds. */
const WIDGET = "/widget.js"
const WIDGET_FACTS = "/widget.json"
const FILES = "/faces/"
const OPEN_SEARCH = "/opensearch.xml"
/** In the name of a file: what it holds never changes. */
const HASHED = /-[\w-]{8}\.\w+$/
const YEAR_SECONDS = 31_536_000
/** A new version of the widget is everywhere after an hour, and nobody waits for it. */
const WIDGET_CACHE = "public, max-age=3600, stale-while-revalidate=86400"

/**
 * Scripts, styles and pictures of this server alone, none of them in the page itself. Nothing that a crawl read can
 * become a script: texts are put into pages as text, and where a browser knows trusted types it refuses anything else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ")

export interface FacesParts {
  /** Called for the first page; again after it failed. */
  readonly open: () => Promise<BuiltFaces>
  /** Told why there are no pages. */
  readonly onProblem: (error: unknown) => void
  /** Address under which people reach the appliance; empty: as they asked. */
  readonly publicUrl: string
  /** Whether people may search without signing in. */
  readonly isOpen: () => Promise<boolean>
}

/**
 * The pages for people: `/` for those who ask for HTML (others are led to the handbook, as ever), `/console`, what these
 * load from `/faces/`, the widget for pages of other people, and a description for browsers that want the appliance for a search engine.
 */
export function faces({ open, onProblem, publicUrl, isOpen }: FacesParts): Middleware {
  let opening: Promise<BuiltFaces> | undefined
  const built = () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined
      onProblem(error)
      throw new ApiError(503, NO_BUILD)
    }))
  return async (ctx, next) => {
    const { path } = ctx
    const face = PAGES[path]
    const isWidget = path === WIDGET || path === WIDGET_FACTS
    const isOurs = face !== undefined || isWidget || path.startsWith(FILES) || path === OPEN_SEARCH
    if (!isOurs || (ctx.method !== "GET" && ctx.method !== "HEAD")) {
      await next()
      return
    }
    if (path === OPEN_SEARCH) {
      ctx.type = "application/opensearchdescription+xml"
      ctx.body = openSearchDescription(publicUrl || `${ctx.protocol}://${ctx.host}`, await isOpen())
      return
    }
    if (path === "/") {
      ctx.vary("Accept")
      // A program that did not ask for a page gets what it always got.
      if (!/\btext\/html\b/i.test(ctx.get("Accept"))) {
        await next()
        return
      }
    }
    const all = await built()
    const widget = all.script("widget")
    if (widget && (isWidget || path === FILES + widget.name)) {
      // Pages of other sites load it, and check it by its digest: for that they have to be let read it.
      ctx.set("Access-Control-Allow-Origin", "*")
      ctx.set("Cross-Origin-Resource-Policy", "cross-origin")
      if (path === WIDGET_FACTS) {
        ctx.set("Cache-Control", "no-cache")
        ctx.body = widgetFacts(widget)
        return
      }
      sendPrepared(ctx, widget.file, path === WIDGET ? WIDGET_CACHE : FOR_GOOD)
      return
    }
    const file = face === undefined ? all.file(path.slice(FILES.length)) : all.page(face)
    if (file === undefined) {
      await next()
      return
    }
    if (face !== undefined) ctx.set("Content-Security-Policy", POLICY)
    sendPrepared(ctx, file, HASHED.test(path) ? FOR_GOOD : "no-cache")
  }
}

const FOR_GOOD = `public, max-age=${YEAR_SECONDS}, immutable`

/** What a page says that wants this very script and no other (Subresource Integrity). */
const widgetFacts = ({ name, file }: NonNullable<ReturnType<BuiltFaces["script"]>>) => ({
  script: `faces/${name}`,
  integrity: `sha384-${createHash("sha384").update(file.plain).digest("base64")}`,
  bytes: (file.br ?? file.plain).length,
})

const NO_BUILD =
  "The web pages of this appliance are not built; the server's log says why. The API works without them."
