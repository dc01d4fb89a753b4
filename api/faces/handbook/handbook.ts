import { readFile } from "node:fs/promises"
import type { Context, Middleware } from "koa"
import { originOf } from "../../context.ts"
import { digestOf, prepare, type PreparedBody, sendPrepared } from "../../server/wire/prepared-body.ts"
import { escapeHtml } from "./escape-html.ts"
import { pageHtml } from "./page-template.ts"
import { type Docs, type DocsPage, readDocs } from "./read-docs.ts"

export interface HandbookOptions {
  /** Folder of Markdown files; its `README.md` is the front page and the table of contents. */
  readonly docsDir: string
  /**
   * Address at which users reach the appliance, such as `http://localhost:8080`, for canonical links and the site map.
   * If left out, canonical links are relative and the site map uses the host of the request, so a crawl stores pages
   * under the very address it was started with.
   */
  readonly publicUrl?: string
  /** Notice at the top of each page; null for none. */
  readonly notice?: string | null
  /** The public key with which the widget on each page searches the handbook; null if there is nothing to search yet. If left out, no page has the widget. */
  readonly searchKey?: () => Promise<string | null>
  /** HTML that other parts add to the end of a page, by page name; made when the page is first requested. */
  readonly appended?: Readonly<Record<string, () => Promise<string>>>
}

/** Everything on a page comes from this server, and its scripts insert content only as plain text. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Koa middleware that serves the handbook as web pages, without a key:
 * `/docs/`, `/docs/<page>`, `/docs/<drawing>.svg`, `/docs/handbook.css`, `/docs/handbook.js`, `/docs/icon.svg`, `/docs/sitemap.xml`, `/robots.txt`; `/` leads to
 * `/docs/`. Any other path goes to the next middleware. The pages are read and rendered at the first request and
 * kept; a failed first read is tried again at the next request.
 *
 * @example
 * const app = new Koa()
 * app.use(handbook({ docsDir: join(import.meta.dirname, "../docs") }))
 */
export function handbook({
  docsDir,
  publicUrl,
  notice = null,
  searchKey = async () => null,
  appended = {},
}: HandbookOptions): Middleware {
  const base = publicUrl?.replace(/\/+$/, "")
  let loading: Promise<Site> | undefined
  const site = (): Promise<Site> =>
    (loading ??= loadSite(docsDir).catch((error: unknown) => {
      loading = undefined
      throw error
    }))

  /** The pages by name, with the HTML to add at their end. */
  const whole = new Map<string, Promise<DocsPage>>()
  const pageOf = async (docs: Docs, name: string): Promise<DocsPage | undefined> => {
    const page = docs.pages.get(name)
    const more = appended[name]
    if (page === undefined || more === undefined) return page
    const made = whole.get(name)
    if (made !== undefined) return made
    const making = more().then((html) => ({ ...page, html: page.html + html }))
    whole.set(name, making)
    making.catch(() => whole.delete(name))
    return making
  }

  return async (ctx, next) => {
    const path = ctx.path
    if (path !== "/" && path !== "/robots.txt" && path !== "/docs" && !path.startsWith("/docs/")) {
      await next()
    } else if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      refuseMethod(ctx)
    } else {
      const key = path.startsWith("/docs/") ? await searchKey() : null
      ctx.set("Content-Security-Policy", CONTENT_SECURITY_POLICY)
      ctx.set("X-Content-Type-Options", "nosniff")
      ctx.set("Referrer-Policy", "no-referrer")
      if (path === "/") redirect(ctx, 302, "docs/")
      else if (path === "/docs") redirect(ctx, 301, "docs/")
      else if (path === "/robots.txt") ctx.body = robotsTxt(base ?? originOf(ctx))
      else {
        const name = path.slice("/docs/".length)
        const loaded = await site()
        await serveFile(ctx, loaded, {
          name,
          page: await pageOf(loaded.docs, name),
          base,
          notice,
          searchKey: key,
        })
      }
    }
  }
}

interface Asked {
  readonly name: string
  readonly page: DocsPage | undefined
  readonly base: string | undefined
  readonly notice: string | null
  readonly searchKey: string | null
}

async function serveFile(ctx: Context, site: Site, asked: Asked): Promise<void> {
  const { docs } = site
  const { name, base, notice, searchKey } = asked
  // The site map depends on the address the caller used.
  if (name === "sitemap.xml" && base === undefined) {
    ctx.type = "xml"
    ctx.set("Cache-Control", "no-cache")
    ctx.lastModified = site.modified
    ctx.body = siteMap(docs, originOf(ctx))
    if (ctx.fresh) ctx.status = 304
    return
  }
  const body = site.prepared.get(`${name} ${searchKey ?? ""}`) ?? preparing(site, asked)
  if (body !== null) {
    ctx.lastModified = site.modified
    // A browser may keep a page but must check each time whether it is still current, which is cheap and never shows an
    // old page.
    sendPrepared(ctx, await body, "no-cache")
    return
  }
  const other = sameUnderOtherName(docs, name)
  if (other !== null) return redirect(ctx, 301, other)
  const toRoot = "../".repeat(name.split("/").length - 1)
  ctx.status = 404
  ctx.type = "html"
  ctx.body = pageHtml({
    docs,
    page: notFoundPage(name, toRoot),
    canonical: null,
    toRoot,
    version: site.version,
    notice,
    searchKey,
  })
}

/** A file of the handbook, prepared once and then reused; null if there is none with that name. */
function preparing(site: Site, { name, page, base, notice, searchKey }: Asked): Promise<PreparedBody> | null {
  const { docs, css, script, icon, version, prepared } = site
  const keep = (type: string, text: string) => {
    const making = prepare(type, text)
    prepared.set(`${name} ${searchKey ?? ""}`, making)
    return making
  }
  if (name === "handbook.css") return keep("text/css; charset=utf-8", css)
  if (name === "handbook.js") return keep("text/javascript; charset=utf-8", script)
  if (name === "icon.svg") return keep("image/svg+xml", icon)
  if (name === "sitemap.xml") return keep("application/xml; charset=utf-8", siteMap(docs, base!))
  const figure = docs.figures.get(name)
  if (figure !== undefined) return keep("image/svg+xml", figure)
  if (page === undefined) return null
  const canonical = base === undefined ? `./${page.name}` : `${base}/docs/${page.name}`
  return keep(
    "text/html; charset=utf-8",
    pageHtml({ docs, page, canonical, toRoot: "", version, notice, searchKey }),
  )
}

interface Site {
  readonly docs: Docs
  readonly css: string
  readonly script: string
  readonly icon: string
  /** When the newest part of any page changed: the navigation is on every page, so all pages change together. */
  readonly modified: Date
  /** Part of the addresses of the style sheet and the script; changes whenever they do. */
  readonly version: string
  /** The bodies requested so far, by name and key; there are a few hundred at most. */
  readonly prepared: Map<string, Promise<PreparedBody>>
}

async function loadSite(docsDir: string): Promise<Site> {
  const [docs, css, script, icon] = await Promise.all([
    readDocs(docsDir),
    readFile(new URL("handbook.css", import.meta.url), "utf8"),
    readFile(new URL("handbook.js", import.meta.url), "utf8"),
    readFile(new URL("icon.svg", import.meta.url), "utf8"),
  ])
  const newest = Math.max(0, ...[...docs.pages.values()].map((page) => page.modified.getTime()))
  return {
    docs,
    css,
    script,
    icon,
    modified: new Date(newest),
    version: digestOf(css + script).slice(0, 8),
    prepared: new Map(),
  }
}

function redirect(ctx: Context, status: 301 | 302, to: string): void {
  // The redirect is relative, so that it also works behind a proxy that serves the appliance under a path.
  ctx.redirect(to)
  ctx.status = status
}

function refuseMethod(ctx: Context): void {
  ctx.status = 405
  ctx.set("Allow", "GET, HEAD")
  ctx.body = { detail: { error: "Method not allowed. Use GET." } }
}

/** The real location of `crawl.md`, `crawl/`, `README.md` and similar names, as a relative address, or null. */
function sameUnderOtherName(docs: Docs, asked: string): string | null {
  const slash = asked.endsWith("/")
  const bare = asked.replace(/\/$/, "").replace(/\.(md|html)$/, "")
  const name = bare === "README" || bare === "index" ? "" : bare
  if (asked === "" || !docs.pages.has(name)) return null
  return `${slash ? "../" : "./"}${name}`
}

function notFoundPage(name: string, toRoot: string): DocsPage {
  return {
    name: `/${name}`,
    title: "Page not found",
    description: "The handbook has no page at this address.",
    html: `<h1>Page not found</h1>
<p>The handbook has no page <code>${escapeHtml(name)}</code>. The contents list every page;
the <a href="${toRoot || "./"}">front page</a> describes each of them.</p>
`,
    modified: new Date(0),
  }
}

function robotsTxt(origin: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${origin}/docs/sitemap.xml\n`
}

function siteMap(docs: Docs, origin: string): string {
  const urls = [...docs.pages.values()].map(
    (page) =>
      `<url><loc>${escapeHtml(`${origin}/docs/${page.name}`)}</loc><lastmod>${page.modified.toISOString()}</lastmod></url>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("\n")}
</urlset>
`
}
