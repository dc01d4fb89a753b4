import { type Arena, type Attack, type Kind, unless } from "./attack.ts"
import { PageReader } from "#crawler/visit/reader.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"
import { bytes } from "#crawler/testing/test-site.ts"

/** What a page tries: HTML, in which SECRET is the private service. */
const TRIES: Readonly<Record<string, string>> = {
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
  "a service worker": `<script>navigator.serviceWorker?.register("/sw.js").catch(() => 0)</script>`,
  WebRTC: `<script>const c = new RTCPeerConnection({ iceServers: [{ urls: "turn:AUTHORITY?transport=tcp", username: "a", credential: "b" }, { urls: "stun:AUTHORITY" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o))</script>`,
  WebTransport: `<script>try { new WebTransport("https://AUTHORITY/transport") } catch {}</script>`,
  "a popup": `<script>open("SECRET/popup")</script>`,
  "a download": `<a id="d" download href="SECRET/download">x</a><script>d.click()</script>`,
  "a form": `<form id="f" method="post" target="_blank" action="SECRET/form"></form><script>f.submit()</script>`,
  "a redirect of an image": `<img src="/to-secret">`,
  "a redirect of fetch": `<script>fetch("/to-secret", { mode: "no-cors" }).catch(() => 0)</script>`,
  "an SVG image with a picture": `<svg xmlns="http://www.w3.org/2000/svg"><image href="SECRET/svg"/><use href="SECRET/use#a"/></svg>`,
  "a name that leads there": `<img src="http://inner.example:PORT/named">`,
  "another spelling": `<img src="http://0x7f.1:PORT/hex"><img src="http://[::ffff:7f00:1]:PORT/mapped">`,
  "a ping of a link": `<a id="p" href="#x" ping="SECRET/ping">x</a><script>p.click()</script>`,
  "a report of a policy": `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri SECRET/report"><img src="/x.png">`,
}
/** Tries that lead the page itself away; each is a page of its own. */
const LEAVING: Readonly<Record<string, string>> = {
  "going there": `<script>location = "SECRET/location"</script>`,
  "replacing itself": `<script>location.replace("SECRET/replace")</script>`,
  "a refresh": `<meta http-equiv="refresh" content="0;url=SECRET/refresh">`,
  "going to a file": `<script>location = "file:///etc/passwd"</script>`,
  "a form that posts itself": `<form id="f" method="post" action="SECRET/self"></form><script>f.submit()</script>`,
}

/** Renders a page with this, and leaves what it was refused to the look at the private service. */
const tried = (name: string, html: string): Attack => ({
  name,
  play: async (arena) => {
    const { inner, evil, internet } = arena
    const port = inner.authority.split(":")[1]!
    internet.lead("inner.example", "127.0.0.1")
    const path = `/t/${encodeURIComponent(name)}`
    const body = html
      .replaceAll("SECRET", inner.origin)
      .replaceAll("AUTHORITY", inner.authority)
      .replaceAll("PORT", port)
    evil.serve({
      [path]: `<!doctype html><title>x</title><body><p>Words that are here to be read by all who come to this page of the site.</p>${body}</body>`,
      "/to-secret": (_, response) =>
        void response.writeHead(302, { location: inner.url("/redirected") }).end(),
      "/sw.js": bytes(`fetch("${inner.origin}/sw", {mode:"no-cors"})`, { "content-type": "text/javascript" }),
    })
    const result = await (await browser(arena)).read(arena.at(path), { rendering: "browser", settleMs: 300 })
    const text = JSON.stringify(result)
    return unless(!text.includes("root:") && !text.includes(INNER_WORDS), () => text.slice(0, 300))
  },
})

/** What the private service says to whoever asks it. */
export const INNER_WORDS = "words of the private service"

let shared: PageReader | null = null
async function browser({ internet }: Arena): Promise<PageReader> {
  shared ??= new PageReader(
    testConfig({
      FOSSICK_ALLOWED_NETWORKS: "",
      FOSSICK_BROWSER_PATH: (await findTestBrowser()) ?? "",
      FOSSICK_RENDER_TIMEOUT_MS: "30000",
    }),
    { rendering: "browser", resolve: internet.resolve },
  )
  return shared
}

/** Ends the browser. */
export async function closeBrowser(): Promise<void> {
  await shared?.[Symbol.asyncDispose]()
  shared = null
}

/** With `scale` below a half all that do not leave the page are tried by one page. */
export const browsing = (scale: number): Kind => {
  const { "a report of a policy": policy = "", ...others } = TRIES
  const inPage: Attack[] =
    scale < 0.5
      ? [
          {
            ...tried("all at once", Object.values(others).join("\n")),
            name: `${Object.keys(others).length} tries of one page`,
          },
          tried("a report of a policy", policy),
        ]
      : Object.entries(TRIES).map(([name, html]) => tried(name, html))
  return {
    kind: "pages in a browser",
    must: "reach nothing but by the guard",
    attacks: [...inPage, ...Object.entries(LEAVING).map(([name, html]) => tried(name, html))],
  }
}
/** How many tries {@link browsing} makes, however they are put together. */
export const BROWSER_TRIES = Object.keys(TRIES).length + Object.keys(LEAVING).length
