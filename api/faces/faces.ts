import type { Context, Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"
import type { BuiltFaces, FaceFile } from "./built.ts"
import { openSearchDescription } from "./open-search.ts"

/** The pages of the faces by their paths. */
const PAGES: Readonly<Record<string, string>> = { "/": "search", "/console": "console" }
const FILES = "/faces/"
const OPEN_SEARCH = "/opensearch.xml"
/** In the name of a file: what it holds never changes. */
const HASHED = /-[\w-]{8}\.\w+$/
const YEAR_SECONDS = 31_536_000

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
  readonly isOpen: () => boolean
}

/**
 * The pages for people: `/` for those who ask for HTML (others are led to the handbook, as ever), `/console`, what these
 * load from `/faces/`, and a description for browsers that want the appliance for a search engine.
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
    const isOurs = face !== undefined || path.startsWith(FILES) || path === OPEN_SEARCH
    if (!isOurs || (ctx.method !== "GET" && ctx.method !== "HEAD")) {
      await next()
      return
    }
    if (path === OPEN_SEARCH) {
      ctx.type = "application/opensearchdescription+xml"
      ctx.body = openSearchDescription(publicUrl || `${ctx.protocol}://${ctx.host}`, isOpen())
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
    const file = face === undefined ? all.file(path.slice(FILES.length)) : all.page(face)
    if (file === undefined) {
      await next()
      return
    }
    if (face !== undefined) ctx.set("Content-Security-Policy", POLICY)
    send(ctx, file, HASHED.test(path))
  }
}

const NO_BUILD =
  "The pages of this appliance are not built; the server's log says why. The API works without."

function send(ctx: Context, file: FaceFile, isHashed: boolean): void {
  ctx.status = 200
  ctx.set("Content-Type", file.type)
  ctx.set("Cache-Control", isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache")
  ctx.vary("Accept-Encoding")
  const encoding = ctx.acceptsEncodings(
    ...[file.br && "br", file.gzip && "gzip", "identity"].filter((one) => typeof one === "string"),
  )
  const body = encoding === "br" ? file.br : encoding === "gzip" ? file.gzip : null
  ctx.etag = `${file.etag}${body === null ? "" : `-${String(encoding)}`}`
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  if (body !== null) ctx.set("Content-Encoding", String(encoding))
  ctx.body = body ?? file.plain
  // Koa sets one of its own by the body.
  ctx.set("Content-Type", file.type)
}
