import { createHash } from "node:crypto"

import type { Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"
import { sendPrepared } from "../server/wire/prepared-body.ts"
import type { BuiltFaces } from "./built.ts"
import { openSearchDescription } from "./open-search.ts"

/** The pages of the faces by their paths. */
const PAGES: Readonly<Record<string, string>> = { "/": "search", "/console": "console" }
/** The script for other people's pages, served at a stable address, and a description that includes the address with the script's hash. */
const WIDGET = "/widget.js"
const WIDGET_FACTS = "/widget.json"
const FILES = "/faces/"
const OPEN_SEARCH = "/opensearch.xml"
/** Matches file names that contain a hash: the contents of such files never change. */
const HASHED = /-[\w-]{8}\.\w+$/
const YEAR_SECONDS = 31_536_000
/** How long browsers may keep the widget: a new version reaches everyone within an hour, and nobody has to wait for a check. */
const WIDGET_CACHE = "public, max-age=3600, stale-while-revalidate=86400"

/**
 * Allows scripts, styles and pictures only from this server, and none inline. No crawled text can become a script: it
 * is inserted into pages as plain text, and browsers that support trusted types refuse anything else.
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
  /** Called for the first page, and again after a failure. */
  readonly open: () => Promise<BuiltFaces>
  /** Called with the reason when the pages are unavailable. */
  readonly onProblem: (error: unknown) => void
  /** Address at which people reach the appliance; empty to use the address of the request. */
  readonly publicUrl: string
  /** Whether people may search without signing in. */
  readonly isOpen: () => Promise<boolean>
}

/**
 * The pages for people: `/` for clients that accept HTML (others are redirected to the handbook, as before),
 * `/console`, the files that these load from `/faces/`, the widget for other people's pages, and a description for
 * browsers that want to use the appliance as a search engine.
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
      // A program that did not ask for a page gets the same response as before.
      if (!/\btext\/html\b/i.test(ctx.get("Accept"))) {
        await next()
        return
      }
    }
    const all = await built()
    const widget = all.script("widget")
    if (widget && (isWidget || path === FILES + widget.name)) {
      // Other sites' pages load the widget and check its digest, which requires permission to read it.
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

/** The attributes for a page that wants exactly this script (Subresource Integrity). */
const widgetFacts = ({ name, file }: NonNullable<ReturnType<BuiltFaces["script"]>>) => ({
  script: `faces/${name}`,
  integrity: `sha384-${createHash("sha384").update(file.plain).digest("base64")}`,
  bytes: (file.br ?? file.plain).length,
})

const NO_BUILD =
  "The web pages of this appliance are not built; the server's log says why. The API works without them."
