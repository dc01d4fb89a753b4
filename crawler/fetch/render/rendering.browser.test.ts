import { createSocket } from "node:dgram"
import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import type { Reading } from "../../reading.ts"
import { PageReader } from "../visit/reader.ts"
import type { Visit, VisitOptions } from "../../reading.ts"
import { ReadingPlaces } from "../visit/reading-places.ts"
import { openSourceReader } from "../visit/source-reader.ts"
import { defineSource } from "../../source.ts"
import { browserProcesses } from "../../testing/browser-processes.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { FakeInternet, PUBLIC_ADDRESS } from "../../testing/fake-internet.ts"
import { findTestBrowser } from "../../testing/test-browser.ts"
import {
  article,
  bytes,
  html,
  redirect,
  startTestSite,
  type Answer,
  type TestSite,
} from "../../testing/test-site.ts"

const browserPath = await findTestBrowser()

const TEXT =
  "Windmills grind grain with the force of the wind, and have done so for a thousand years. ".repeat(6)

/** A page without text whose content `script` creates. */
function shell(script: string, options: { head?: string; body?: string } = {}): string {
  return `<!doctype html><html lang="en"><head><title>Shell</title>${options.head ?? ""}</head><body>
<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>${options.body ?? ""}
<script type="module">
const root = document.getElementById("root")
const text = ${JSON.stringify(TEXT)}
${script}
</script></body></html>`
}

const ARTICLE = `root.innerHTML = "<main><h1>Windmills</h1><p>" + text + "</p></main>"`

const configFor = (networks: string) =>
  testConfig({ FOSSICK_BROWSER_PATH: browserPath ?? "", FOSSICK_ALLOWED_NETWORKS: networks })

describe("pages made by scripts", { tags: ["chromium"] }, () => {
  let site: TestSite
  /** Uses the browser shared by all these tests. */
  let places: ReadingPlaces
  let reader: PageReader

  beforeAll(async () => {
    site = await startTestSite({ "/robots.txt": "User-agent: *\nDisallow: /private/" })
    places = new ReadingPlaces(configFor(site.authority))
    reader = new PageReader(configFor(site.authority), { places })
  })
  afterAll(async () => {
    await reader[Symbol.asyncDispose]()
    await places[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  const visit = (path: string, answers: Record<string, Answer> = {}, options: VisitOptions = {}) => {
    site.serve(answers)
    return reader.visit(site.url(path) as PageUrl, { rendering: "auto", ...options })
  }

  test("do not include an ordinary short page, which is read as sent, without a browser", async () => {
    const reading = await readingOf(
      visit("/short", { "/short": "<title>Closed</title><p>Closed on Mondays.</p>" }),
    )
    expect(reading).toMatchObject({ extracted: { markdown: expect.stringContaining("Closed") } })
    expect(reading.rendered).toBeUndefined()
    expect(await browserProcesses()).toEqual([])
  })

  test("reach no private host when a name's address changes meanwhile", async () => {
    using internet = new FakeInternet({ "docs.example": PUBLIC_ADDRESS, "inside.example": "127.0.0.1" })
    await using inside = await startTestSite({ "/secret": article("Secret") })
    const at = (host: string, path: string) => inside.url(path).replace("127.0.0.1", host)
    inside.serve({
      "/": (request, response) => {
        html(
          shell(`for (const url of ["${at("inside.example", "/secret")}", "/secret"])
            await fetch(url, { mode: "no-cors" }).catch(() => {})
          ${ARTICLE}`),
          { connection: "close" },
        )(request, response)
        // The browser requests the page itself and resolves the name to another address.
        internet.lead("docs.example", "127.0.0.1")
      },
    })
    await using moving = new PageReader(configFor(""), {
      rendering: "browser",
      resolve: internet.resolve,
      places,
    })
    await moving.visit(at("docs.example", "/") as PageUrl)
    expect(inside.requests).toEqual(["/"])
  })

  test("have the text and links that a script fetches, and are requested once", async () => {
    const reading = await readingOf(
      visit("/app/", {
        "/app/": html(
          shell(
            `const data = await (await fetch("data.json")).json()
            root.innerHTML = "<main><h1>Windmills</h1><p>" + data.text + "</p><a href='next?page=2'>Next</a></main>"
            document.title = "Windmills"`,
          ),
          { etag: '"shell"' },
        ),
        "/app/data.json": bytes(JSON.stringify({ text: TEXT }), { "content-type": "application/json" }),
      }),
    )
    expect(reading.rendered).toBe(true)
    expect(reading.extracted.title).toBe("Windmills")
    expect(reading.extracted.markdown).toContain("force of the wind")
    expect(reading.extracted.links.map(({ url }) => url)).toContain(site.url("/app/next?page=2"))
    expect(reading.bytes).toBeGreaterThan(TEXT.length)
    expect(site.requests.filter((path) => path === "/app/")).toHaveLength(1)
    // A document that scripts fill in has no validators, because it stays the same when the data changes.
    expect(reading.validators).toBeUndefined()
  })

  test("have text from shadow roots, slots and frames of the same site where it is displayed", async () => {
    const { extracted } = await readingOf(
      visit("/shadow", {
        "/shadow": shell(`${ARTICLE}
          customElements.define("x-card", class extends HTMLElement {
            connectedCallback() {
              this.attachShadow({ mode: "open" }).innerHTML = "<p>Before the sails <slot></slot> after the sails " + text + "</p>"
            }
          })
          root.firstChild.insertAdjacentHTML("beforeend", "<x-card><b>turn the stones</b></x-card>" +
            "<iframe src='/frames/inner' width='600' height='400'></iframe>")`),
        "/frames/inner": article("Millstones", { links: ["deeper"] }),
      }),
    )
    expect(extracted.markdown).toMatch(/Before the sails \*\*turn the stones\*\* after the sails/)
    expect(extracted.links.map(({ url }) => url)).toContain(site.url("/frames/deeper"))
  })

  test("keep what the server says about the page, and gain what a script adds", async () => {
    const fromHeader = await readingOf(
      visit("/tagged", { "/tagged": html(shell(ARTICLE), { "x-robots-tag": "noindex" }) }),
    )
    expect(fromHeader.extracted.robots.noindex).toBe(true)
    const fromScript = await readingOf(
      visit("/meta", {
        "/meta": shell(
          `${ARTICLE}; document.head.insertAdjacentHTML("beforeend", "<meta name=robots content=nofollow>")`,
        ),
      }),
    )
    expect(fromScript.extracted.robots).toEqual({ noindex: false, nofollow: true })
  })

  test("turn navigation by script into an ordinary redirect", async () => {
    const asked: string[] = []
    const options: VisitOptions = {
      onRedirect: async (to) => {
        asked.push(to)
        return await reader.disallowed(to)
      },
    }
    const reading = await readingOf(
      visit(
        "/old",
        {
          "/old": shell(`location.replace("/hop")`),
          "/hop": redirect("/new"),
          "/new": article("Moved windmills"),
        },
        options,
      ),
    )
    expect(reading.url).toBe(site.url("/new"))
    expect(asked).toEqual([site.url("/hop"), site.url("/new")])
    site.serve({
      "/robots.txt": bytes("User-agent: *\nDisallow: /private/", { "content-type": "text/plain" }),
    })
    expect(await visit("/in", { "/in": shell(`location.href = "/private/page"`) }, options)).toMatchObject({
      kind: "skipped",
      because: "robots",
    })
    expect(site.requests).not.toContain("/private/page")
  })

  test("that navigate from page to page end in a redirect loop", async () => {
    const answers = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`/round/${n}`, shell(`location.href = "/round/${n + 1}"`)]),
    )
    expect(await visit("/round/0", answers)).toMatchObject({
      kind: "failed",
      because: "redirect-loop",
    })
  })

  test("start with nothing from earlier pages", async () => {
    const page = shell(`${ARTICLE}
      root.querySelector("p").prepend("seen before: " + (document.cookie + localStorage.getItem("seen")) + ". ")
      document.cookie = "seen=1"; localStorage.setItem("seen", "yes")`)
    for (const path of ["/first", "/second"]) {
      const { extracted } = await readingOf(visit(path, { [path]: page }))
      expect(extracted.markdown).toContain("seen before: null")
    }
  })

  test("are always rendered when the source asks for it, and the browser identifies itself", async () => {
    const agents: (string | undefined)[] = []
    const reading = await readingOf(
      visit(
        "/always",
        {
          "/always": article("Always", {
            head: `<script>fetch("/agent").then(() => document.querySelector("h1").after(document.createElement("hr")))</script>`,
          }),
          "/agent": (request, response) => {
            agents.push(request.headers["user-agent"])
            response.end()
          },
        },
        { rendering: "browser" },
      ),
    )
    expect(reading.rendered).toBe(true)
    expect(agents).toEqual([expect.stringMatching(/compatible; FossickBot\/1\.0\) Chrome\/\d+/)])
  })

  describe("behind the address guard", () => {
    let canary: Awaited<ReturnType<typeof startCanary>>
    beforeAll(async () => {
      canary = await startCanary()
    })
    afterAll(() => canary[Symbol.asyncDispose]())

    test("no way of loading a resource reaches a blocked address", async () => {
      const { tcp, udp } = canary
      site.serve({
        "/to-private": redirect(`http://127.0.0.1:${tcp}/redirected`),
        "/late.js": bytes(`import "http://127.0.0.1:${tcp}/module.js"`, {
          "content-type": "text/javascript",
        }),
        "/probe": shell(
          `const http = ["127.0.0.1", "localhost", "a.localhost", "[::1]", "0x7f.1", "[::ffff:127.0.0.1]"].map((host) => "http://" + host + ":${tcp}/")
          const tries = []
          for (const url of [...http, "http://169.254.169.254/latest/meta-data/", "/to-private", "file:///etc/passwd", "https://127.0.0.1:${tcp}/"]) {
            tries.push(fetch(url, { mode: "no-cors" }).then(async (answer) => url + " " + await answer.text(), () => ""))
            for (const [tag, attribute] of [["img", "src"], ["script", "src"], ["iframe", "src"], ["video", "src"], ["object", "data"], ["embed", "src"]]) {
              const element = document.createElement(tag)
              element[attribute] = url
              document.body.append(element)
            }
            for (const rel of ["stylesheet", "prefetch", "preload", "preconnect", "dns-prefetch", "modulepreload", "prerender", "icon", "manifest"]) {
              const link = document.createElement("link")
              Object.assign(link, { rel, href: url, as: "script" })
              document.head.append(link)
            }
            try { navigator.sendBeacon(url, "x") } catch {}
            try { new EventSource(url) } catch {}
            try { open(url) } catch {}
            try { new Worker(URL.createObjectURL(new Blob(["fetch('" + url + "', {mode:'no-cors'})"]))) } catch {}
            try { new SharedWorker(URL.createObjectURL(new Blob(["fetch('" + url + "', {mode:'no-cors'})"]))) } catch {}
          }
          for (const scheme of ["ws", "wss"]) for (const host of ["127.0.0.1", "localhost"]) {
            try { new WebSocket(scheme + "://" + host + ":${tcp}/") } catch {}
          }
          try {
            const peer = new RTCPeerConnection({ iceServers: [
              { urls: "stun:127.0.0.1:${udp}" }, { urls: "turn:127.0.0.1:${udp}", username: "a", credential: "b" },
              { urls: "turn:127.0.0.1:${tcp}?transport=tcp", username: "a", credential: "b" } ] })
            peer.createDataChannel("x")
            await peer.setLocalDescription(await peer.createOffer())
          } catch {}
          try { new WebTransport("https://127.0.0.1:${udp}/") } catch {}
          try { await navigator.serviceWorker.register("/late.js") } catch {}
          const style = document.createElement("style")
          style.textContent = "@import 'http://127.0.0.1:${tcp}/style.css';"
          document.head.append(style)
          const form = Object.assign(document.createElement("form"), { action: http[0], method: "post", target: "_blank" })
          document.body.append(form); form.submit()
          const rules = Object.assign(document.createElement("script"), { type: "speculationrules" })
          rules.textContent = JSON.stringify({ prefetch: [{ urls: http, eagerness: "immediate" }], prerender: [{ urls: http, eagerness: "immediate" }] })
          document.head.append(rules)
          const answers = (await Promise.all(tries)).join("")
          ${ARTICLE}
          root.querySelector("p").prepend("answers: " + answers + ". ")`,
        ),
      })
      const { extracted } = await readingOf(
        reader.visit(site.url("/probe") as PageUrl, { rendering: "auto" }),
      )
      expect(extracted.markdown).toContain("answers:")
      expect(extracted.markdown).not.toContain("root:")
      expect(extracted.markdown).not.toContain("canary")
      expect(site.requests).toContain("/to-private")
      expect(canary.reached).toEqual([])
    })

    test("a script that navigates to a blocked address ends the visit as blocked", async () => {
      for (const to of [`http://127.0.0.1:${canary.tcp}/`, "http://169.254.169.254/latest/"]) {
        site.serve({ "/away": shell(`location.href = "${to}"`) })
        const options = { rendering: "auto" } as const
        expect(await reader.visit(site.url("/away") as PageUrl, options)).toMatchObject({
          kind: "failed",
          because: "blocked-address",
        })
      }
      expect(canary.reached).toEqual([])
    })
  })
})

describe("without a browser", () => {
  const config = testConfig({ FOSSICK_BROWSER_PATH: "/no/such/browser" })

  test("a page that needs one says so, and its links are kept", async () => {
    await using site = await startTestSite({ "/": shell(ARTICLE, { body: `<a href="/other">Other</a>` }) })
    await using reader = new PageReader(config, { rendering: "auto" })
    const reading = await readingOf(reader.visit(site.url("/") as PageUrl))
    expect(reading.extracted.markdown).toBe("")
    expect(reading.emptyBecause).toMatch(/needs a browser.*\/no\/such\/browser/)
    expect(reading.extracted.links.map(({ url }) => url)).toEqual([site.url("/other")])
  })

  test("a page that shares its text with another address is read as sent, with a warning", async () => {
    const sent = article("Mills", { text: TEXT, head: `<script src="/app.js"></script>` })
    await using site = await startTestSite({ "/": sent, "/guide": sent })
    await using reader = new PageReader(config, { rendering: "auto" })
    expect((await readingOf(reader.visit(site.url("/") as PageUrl))).doubt).not.toContain("same text")
    const reading = await readingOf(reader.visit(site.url("/guide") as PageUrl))
    expect(reading.extracted.markdown).toContain("Windmills")
    expect(reading.doubt).toMatch(/same text for this address as for .*\/no\/such\/browser/)
    const again = await readingOf(reader.visit(site.url("/") as PageUrl))
    expect(again.doubt).toContain(`as for ${site.url("/guide")}`)
  })

  test("a source that requires one for all its pages does not start", async () => {
    const source = defineSource({ seeds: ["https://example.com/"], rendering: "browser" })
    await using fixture = await CrawlFixture.open()
    const options = { db: fixture.db, author: "operator", first: "unkept" } as const
    await expect(openSourceReader(source, config, options)).rejects.toThrow(
      /needs a browser, but FOSSICK_BROWSER_PATH/,
    )
  })
})

async function readingOf(visit: Promise<Visit>): Promise<Reading> {
  const done = await visit
  if (done.kind !== "read") throw new Error(JSON.stringify(done))
  return done.reading
}

/** Starts sockets on loopback that the page must not reach. */
async function startCanary() {
  const reached: string[] = []
  const server = createServer((socket) => {
    reached.push("tcp")
    socket.end("HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 6\r\n\r\ncanary")
  })
  await new Promise<void>((listening) => {
    server.listen(0, "::", listening)
  })
  const datagrams = createSocket("udp4", () => {
    reached.push("udp")
  })
  await new Promise<void>((bound) => {
    datagrams.bind(0, "127.0.0.1", bound)
  })
  return {
    reached,
    tcp: (server.address() as AddressInfo).port,
    udp: datagrams.address().port,
    async [Symbol.asyncDispose]() {
      datagrams.close()
      await new Promise((closed) => server.close(closed))
    },
  }
}
