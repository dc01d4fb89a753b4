import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeCertificate } from "#crawler/fetch/connect/make-certificate.ts"
import { SourceTls } from "#crawler/fetch/connect/source-tls.ts"
import { temporaryFolder, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { startSecureSite } from "#crawler/testing/secure-site.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import type { ReadResult } from "#crawler/reading.ts"
import { PageReader } from "#crawler/fetch/visit/reader.ts"
import { ReadingPlaces } from "#crawler/fetch/visit/reading-places.ts"
import { type Arena, type Attack, CASES, fewer, type Kind, unless } from "./attack.ts"
import { isShort } from "../proof.ts"
import { INNER_WORDS, type PrivateService } from "./private-service.ts"

const { pageTries: TRIES, securePageTries: SECURE_TRIES, leavingPageTries: LEAVING } = CASES

/** A page that makes this attempt. */
export const pageOf = (html: string, inner: Pick<PrivateService, "origin" | "authority" | "port">): string =>
  `<!doctype html><title>x</title><body><p>Words that are here to be read by all who come to this page of the site.</p>${html
    .replaceAll("SECRET", inner.origin)
    .replaceAll("AUTHORITY", inner.authority)
    .replaceAll("PORT", String(inner.port))}</body>`

/** A service worker that sends a request to the origin in its address. */
export const SERVICE_WORKER = `const asked = fetch(decodeURIComponent(location.search.slice(1)) + "/sw", { mode: "no-cors" }).catch(() => 0)
addEventListener("install", (event) => event.waitUntil(asked))`

/** Renders a page with this HTML; the check of the private service finds out whether anything got through. */
const rendered = async (arena: Arena, name: string, html: string): Promise<ReadResult> => {
  const { inner, evil, internet } = arena
  internet.lead("inner.example", "127.0.0.1")
  const path = `/t/${encodeURIComponent(name)}`
  evil.serve({
    [path]: pageOf(html, inner),
    "/to-secret": (_, response) => void response.writeHead(302, { location: inner.url("/redirected") }).end(),
  })
  return await (await browser(arena)).plain.read(arena.at(path), SETTLING)
}
const SETTLING = { settleMs: 300 }

const tried = (name: string, html: string, tries = 1): Attack => ({
  name,
  tries,
  play: async (arena) => asRead(await rendered(arena, name, html)),
})

/** Like `tried`, for a page over https. */
const triedSecurely = (name: string, html: string, tries = 1): Attack => ({
  name,
  tries,
  play: async (arena) => {
    const { secure, serve } = await browser(arena)
    return asRead(await secure.read(serve(pageOf(html, arena.inner)), SETTLING))
  },
})

/** If the browser stays on the page, the page was read, so all of its attempts were made. */
const asRead = (result: ReadResult): string | null =>
  unless(result.kind === "read", () => JSON.stringify(result).slice(0, 300)) ?? withoutSecrets(result)

const withoutSecrets = (result: ReadResult): string | null => {
  const text = JSON.stringify(result)
  return unless(!text.includes("root:") && !text.includes(INNER_WORDS), () => text.slice(0, 300))
}

const leaving = (name: string, html: string): Attack => ({
  name,
  play: async (arena) => withoutSecrets(await rendered(arena, name, html)),
})

interface Browser extends AsyncDisposable {
  /** Reads pages over http. */
  readonly plain: PageReader
  /** Reads pages of the attacker's site over https, with a certificate authority that the source trusts; in the same browser. */
  readonly secure: PageReader
  /** Makes the attacker's site serve this page. @returns its address */
  readonly serve: (page: string) => string
}

let shared: Promise<Browser> | null = null
/** The browser shared by all attacks, started by the first of them. */
export const browser = ({ networks }: Arena): Promise<Browser> => (shared ??= openBrowser(networks))

async function openBrowser(networks: readonly string[]): Promise<Browser> {
  await using opened = new AsyncDisposableStack()
  const config = testConfig({
    FOSSICK_ALLOWED_NETWORKS: networks.join(","),
    FOSSICK_BROWSER_PATH: (await findTestBrowser()) ?? "",
    FOSSICK_RENDER_TIMEOUT_MS: "30000",
    FOSSICK_READER_THREADS: "1",
  })
  const root = makeCertificate({ subject: "Evil Works Root", isAuthority: true })
  const caFile = join(opened.use(temporaryFolder()).path, "root.pem")
  writeFileSync(caFile, root.cert)
  let page = ""
  const site = opened.use(
    await startSecureSite(makeCertificate({ subject: "evil", names: ["evil.example"], issuer: root }), {
      answer: ({ url = "" }, response) => {
        const isWorker = url.startsWith("/sw.js")
        response
          .writeHead(200, { "content-type": isWorker ? "text/javascript" : "text/html" })
          .end(isWorker ? SERVICE_WORKER : page)
      },
    }),
  )
  const seeds = [site.url("/", "evil.example")]
  const places = opened.use(new ReadingPlaces(config))
  const common = { rendering: "browser", places } as const
  const plain = opened.use(new PageReader(config, common))
  const tls = new SourceTls({ seeds, caFile, clientCert: null, login: null }, {})
  const secure = opened.use(new PageReader(config, { ...common, tls }))
  const kept = opened.move()
  return {
    plain,
    secure,
    serve: (answer) => {
      page = answer
      return site.url("/page", "evil.example")
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Closes the browser. */
export async function closeBrowser(): Promise<void> {
  await (await shared)?.[Symbol.asyncDispose]()
  shared = null
}

/** A short run makes all attempts that stay on the page on a single page, and one attack that leaves it. */
export const browsing = (scale: number): Kind => {
  // A page with a policy would block the requests of the other attempts.
  const others = Object.fromEntries(Object.entries(TRIES).filter(([name]) => name !== "a report of a policy"))
  const together = (tries: typeof TRIES) =>
    [Object.values(tries).join("\n"), Object.keys(tries).length] as const
  const each = (tries: typeof TRIES, attack: (name: string, html: string) => Attack) =>
    Object.entries(tries).map(([name, html]) => attack(name, html))
  const inPage = isShort(scale)
    ? [
        tried("all at once", ...together(others)),
        triedSecurely("all of https at once", ...together(SECURE_TRIES)),
      ]
    : [...each(TRIES, tried), ...each(SECURE_TRIES, triedSecurely)]
  return {
    kind: "pages in a browser",
    must: "all connections go through the guard",
    attacks: [...inPage, ...fewer(each(LEAVING, leaving), scale, 6)],
  }
}
