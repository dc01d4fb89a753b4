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
import { type Arena, type Attack, fewer, type Kind, unless } from "./attack.ts"
import { isShort } from "../proof.ts"
import { INNER_WORDS, type PrivateService } from "./private-service.ts"

/** What a page tries: HTML, in which SECRET is the private service. */
export const TRIES: Readonly<Record<string, string>> = {
  "an image": `<img src="SECRET/img">`,
  "a set of images": `<img srcset="SECRET/set 2x" src="/none">`,
  "a frame": `<iframe src="SECRET/frame"></iframe>`,
  "a frame of a file": `<iframe src="file:///etc/passwd"></iframe>`,
  "a script": `<script src="SECRET/script"></script>`,
  "a module": `<script type="module">import "SECRET/module"</script>`,
  "a style sheet": `<link rel="stylesheet" href="SECRET/css">`,
  "an import of a style sheet": `<style>@import "SECRET/import";</style>`,
  "a font": `<style>@font-face { font-family: f; src: url(SECRET/font) } p { font-family: f }</style>`,
  "a background": `<style>body { background: url(SECRET/background) }</style>`,
  "a video": `<video src="SECRET/video" autoplay></video>`,
  "an object": `<object data="SECRET/object"></object>`,
  "an embedded thing": `<embed src="SECRET/embed">`,
  "a favicon": `<link rel="icon" href="SECRET/icon">`,
  "a manifest": `<link rel="manifest" href="SECRET/manifest">`,
  "a prefetch": `<link rel="prefetch" href="SECRET/prefetch"><link rel="dns-prefetch" href="SECRET"><link rel="preconnect" href="SECRET">`,
  "a preload": `<link rel="preload" as="fetch" href="SECRET/preload"><link rel="modulepreload" href="SECRET/modulepreload">`,
  "a prerendering": `<script type="speculationrules">{"prerender":[{"source":"list","urls":["SECRET/prerender"]}]}</script>`,
  fetch: `<script>fetch("SECRET/fetch", { mode: "no-cors" }).catch(() => 0)</script>`,
  XMLHttpRequest: `<script>const x = new XMLHttpRequest(); x.open("POST", "SECRET/xhr"); x.send("x")</script>`,
  "a beacon": `<script>navigator.sendBeacon("SECRET/beacon", "x")</script>`,
  "a WebSocket": `<script>new WebSocket("SECRET/socket".replace("http", "ws"))</script>`,
  "a stream of events": `<script>new EventSource("SECRET/events")</script>`,
  "a worker": `<script>new Worker(URL.createObjectURL(new Blob(['importScripts("SECRET/worker")'])))</script>`,
  "a worker's fetch": `<script>new Worker(URL.createObjectURL(new Blob(['fetch("SECRET/workerfetch", {mode:"no-cors"})'])))</script>`,
  "a shared worker": `<script>new SharedWorker(URL.createObjectURL(new Blob(['fetch("SECRET/shared", {mode:"no-cors"})'])))</script>`,
  "STUN of WebRTC": peer(`{ urls: "stun:AUTHORITY" }`),
  "TURN of WebRTC": peer(`{ urls: "turn:AUTHORITY", username: "a", credential: "b" }`),
  "TURN of WebRTC over TCP": peer(`{ urls: "turn:AUTHORITY?transport=tcp", username: "a", credential: "b" }`),
  "an end of WebRTC": `<script type="module">const [c, d] = [new RTCPeerConnection(), new RTCPeerConnection()]; c.createDataChannel("x"); await c.setLocalDescription(); await d.setRemoteDescription(c.localDescription); await d.setLocalDescription(); await c.setRemoteDescription(d.localDescription); await c.addIceCandidate({ sdpMid: "0", candidate: "candidate:1 1 udp 2130706431 127.0.0.1 PORT typ host" })</script>`,
  "a popup": `<script>open("SECRET/popup")</script>`,
  "a form": `<form id="f" method="post" target="_blank" action="SECRET/form"></form><script>f.submit()</script>`,
  "a redirect of an image": `<img src="/to-secret">`,
  "a redirect of fetch": `<script>fetch("/to-secret", { mode: "no-cors" }).catch(() => 0)</script>`,
  "an SVG image with a picture": `<svg xmlns="http://www.w3.org/2000/svg"><image href="SECRET/svg"/><use href="SECRET/use#a"/></svg>`,
  "a name that leads there": `<img src="http://inner.example:PORT/named">`,
  "another spelling": `<img src="http://0x7f.1:PORT/hex"><img src="http://[::ffff:7f00:1]:PORT/mapped">`,
  "a ping of a link": `<a id="p" href="#x" ping="SECRET/ping">x</a><script>p.click()</script>`,
  "a report of a policy": `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri SECRET/report"><img src="/x.png">`,
}
/** Tries of what only pages of https, or of this machine, may do. */
export const SECURE_TRIES: Readonly<Record<string, string>> = {
  "a service worker": `<script>navigator.serviceWorker.register("/sw.js?SECRET").catch(() => 0)</script>`,
  "a service worker past what stands in its way": `<script>ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, "/sw.js?SECRET").catch(() => 0)</script>`,
  "a service worker of a frame": `<iframe srcdoc="<script>navigator.serviceWorker.register('/sw.js?SECRET')</script>"></iframe>`,
  WebTransport: `<script>new WebTransport("https://AUTHORITY/transport").ready.catch(() => 0)</script>`,
  "WebTransport with a certificate of its own": `<script>new WebTransport("https://AUTHORITY/own", { serverCertificateHashes: [{ algorithm: "sha-256", value: new Uint8Array(32) }] }).ready.catch(() => 0)</script>`,
}
/** Tries that lead the page itself away; each is a page of its own. */
const LEAVING: Readonly<Record<string, string>> = {
  "going there": `<script>location = "SECRET/location"</script>`,
  "replacing itself": `<script>location.replace("SECRET/replace")</script>`,
  "a refresh": `<meta http-equiv="refresh" content="0;url=SECRET/refresh">`,
  "going to a file": `<script>location = "file:///etc/passwd"</script>`,
  "a download": `<a id="d" download href="SECRET/download">x</a><script>d.click()</script>`,
  "a form that posts itself": `<form id="f" method="post" action="SECRET/self"></form><script>f.submit()</script>`,
}

/** A connection of WebRTC by this server. */
function peer(server: string): string {
  return `<script>{ const c = new RTCPeerConnection({ iceServers: [${server}] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o)) }</script>`
}

/** A page that tries this. */
export const pageOf = (html: string, inner: Pick<PrivateService, "origin" | "authority" | "port">): string =>
  `<!doctype html><title>x</title><body><p>Words that are here to be read by all who come to this page of the site.</p>${html
    .replaceAll("SECRET", inner.origin)
    .replaceAll("AUTHORITY", inner.authority)
    .replaceAll("PORT", String(inner.port))}</body>`

/** A service worker, which asks the origin that its address names. */
export const SERVICE_WORKER = `const asked = fetch(decodeURIComponent(location.search.slice(1)) + "/sw", { mode: "no-cors" }).catch(() => 0)
addEventListener("install", (event) => event.waitUntil(asked))`

/** Renders a page with this, and leaves what it was refused to the look at the private service. */
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

/** The same, of a page of https. */
const triedSecurely = (name: string, html: string, tries = 1): Attack => ({
  name,
  tries,
  play: async (arena) => {
    const { secure, serve } = await browser(arena)
    return asRead(await secure.read(serve(pageOf(html, arena.inner)), SETTLING))
  },
})

/** A page that stays where it is was read, so that all of it had its turn. */
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
  /** Reads pages of http. */
  readonly plain: PageReader
  /** Reads pages of the attacker's site of https, whose authority the source trusts; in the same browser. */
  readonly secure: PageReader
  /** Has that site answer this. @returns its address */
  readonly serve: (page: string) => string
}

let shared: Promise<Browser> | null = null
/** The browser of all attacks, which starts with the first of them. */
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

/** Ends the browser. */
export async function closeBrowser(): Promise<void> {
  await (await shared)?.[Symbol.asyncDispose]()
  shared = null
}

/** A short run tries everything that stays on the page in one page, and one attack that leaves it. */
export const browsing = (scale: number): Kind => {
  // A page with a policy would keep the other tries from asking.
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
    must: "reach nothing but by the guard",
    attacks: [...inPage, ...fewer(each(LEAVING, leaving), scale, 6)],
  }
}
