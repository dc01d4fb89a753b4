import { connect } from "node:net"
import { pause } from "#base/flow/pause.ts"
import { InvalidClientMetadataError } from "@modelcontextprotocol/sdk/server/auth/errors.js"
import { oauthProvider } from "../../api/identity/oauth/oauth-provider.ts"
import { OAuthStore } from "../../api/identity/oauth/oauth-store.ts"
import { memoryState, SEARCH_KEY, serveApp, TEST_KEY } from "../../api/testing/serve-app.ts"
import { WebhookSender } from "#crawler/reporting/webhooks/webhook-sender.ts"
import { defineSource } from "#crawler"
import { parseSources } from "#crawler/sources/file/sources-file.ts"
import { type Arena, type Attack, CASES, type Kind, unless } from "./attack.ts"

/** A server's response to these bytes, until it closes the connection or has been silent for a while. */
async function answerTo(arena: Pick<Arena, "app">, text: string): Promise<string> {
  const { hostname, port } = new URL(arena.app.url)
  const socket = connect(Number(port), hostname)
  let said = ""
  let heard = 0
  socket.on("data", (chunk) => {
    said += chunk.toString("latin1")
    heard = 0
  })
  socket.on("error", () => undefined)
  socket.write(text, "latin1")
  while (!socket.destroyed && heard < SILENCE) {
    await pause(20)
    heard += 1
  }
  socket.destroy()
  return said
}

/** If a server sends nothing for this many turns of 20 ms, its response is complete. */
const SILENCE = 20
const AUTHORIZED = `Host: x\r\nAuthorization: Bearer ${TEST_KEY}\r\nContent-Type: application/json\r\n`
const SECOND = `GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`
const statuses = (said: string): string[] => said.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []

/** One request that some servers read as two: it must get one response, a refusal, or two responses if both are complete requests. */
const smuggled = (name: string, text: string, most = 1): Attack => ({
  name,
  play: async (arena) => {
    const before = arena.app.requests()
    const said = await answerTo(arena, text)
    const taken = arena.app.requests() - before
    const codes = statuses(said)
    return unless(
      taken <= most &&
        codes.length <= most &&
        !codes.some((code) => code.startsWith("2") || code.startsWith("5")),
      () => `${taken} requests were accepted, with answers ${codes.join(", ")}`,
    )
  },
})

const chunked = (chunks: string) =>
  `POST /search HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\n\r\n${chunks}`
const smuggling: readonly Attack[] = [
  smuggled(
    "length and chunks",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  ),
  smuggled(
    "chunks and length",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n0\r\n\r\n${SECOND}`,
  ),
  smuggled(
    "chunks twice",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SECOND}`,
  ),
  smuggled(
    "chunks under another name",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SECOND}`,
  ),
  smuggled(
    "a space before the colon",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SECOND}`,
  ),
  smuggled(
    "a folded header",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SECOND}`,
    2,
  ),
  smuggled(
    "two lengths",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Content-Length: 2\r\nContent-Length: 70\r\n\r\n{}${SECOND}`,
  ),
  smuggled(
    "a list of lengths",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Content-Length: 2, 70\r\n\r\n{}${SECOND}`,
  ),
  smuggled("a negative length", `POST /search HTTP/1.1\r\n${AUTHORIZED}Content-Length: -1\r\n\r\n${SECOND}`),
  smuggled(
    "a length with a sign",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Content-Length: +2\r\n\r\n{}${SECOND}`,
  ),
  smuggled(
    "a length that is too large for a number",
    `POST /search HTTP/1.1\r\n${AUTHORIZED}Content-Length: 99999999999999999999999\r\n\r\n{}`,
  ),
  smuggled("only line feeds", `GET /smuggled HTTP/1.1\nHost: x\n\n${SECOND}`),
  smuggled(
    "a line feed within a header",
    `GET /x HTTP/1.1\r\nHost: x\r\nX-A: b\nContent-Length: 70\r\n\r\n${SECOND}`,
  ),
  smuggled("a carriage return within a header", `GET /x HTTP/1.1\r\nHost: x\r\nX-A: b\rX-C: d\r\n\r\n`),
  smuggled("a NUL within a header", `GET /x HTTP/1.1\r\nHost: x\r\nX-A: b\0c\r\n\r\n`),
  smuggled("a chunk size that is too large for a number", chunked("ffffffffffffffffff\r\nx")),
  smuggled("a chunk with a sign", chunked(`-1\r\n${SECOND}`)),
  smuggled("a chunk whose size ends with a line feed", chunked(`2\n{}\n0\n\n${SECOND}`)),
  smuggled("endless chunk extensions", chunked(`2;${"a".repeat(100_000)}\r\n{}\r\n0\r\n\r\n`)),
  smuggled("a line feed in the extension of a chunk", chunked(`2;\n${SECOND}\r\n{}\r\n0\r\n\r\n`)),
  smuggled("no host", "GET /x HTTP/1.1\r\n\r\n"),
  smuggled("two hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
  smuggled("the same host twice", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
  smuggled("no version", "GET /\r\n\r\n"),
  smuggled("another version", "GET / HTTP/9.9\r\nHost: x\r\n\r\n"),
  smuggled("the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  smuggled("a line of a megabyte", `GET /${"a".repeat(1 << 20)} HTTP/1.1\r\nHost: x\r\n\r\n`),
  smuggled("ten thousand headers", `GET /x HTTP/1.1\r\nHost: x\r\n${"X-A: b\r\n".repeat(10_000)}\r\n`),
]

const ENDS = "%0d%0aX-Evil:%201%0d%0a%0d%0a<script>evil()</script>"
/** Line breaks in values that are returned in headers. */
const headers: readonly Attack[] = [
  `GET /${ENDS} HTTP/1.1`,
  `GET /docs/${ENDS} HTTP/1.1`,
  `GET /search?q=${ENDS} HTTP/1.1`,
  `GET /searxng/search?q=${ENDS}&format=json HTTP/1.1`,
  `GET /searxng/search?q=pumps${ENDS}";filename="evil.html&format=csv HTTP/1.1`,
  `GET /searxng/search?q=pumps${ENDS}&format=rss HTTP/1.1`,
  `GET /read/http://x/${ENDS} HTTP/1.1`,
  `GET //evil.example/${ENDS} HTTP/1.1`,
  `GET /oauth/authorize?redirect_uri=http://x/${ENDS}&client_id=${ENDS}&state=${ENDS} HTTP/1.1`,
  `GET /suggest?q=${ENDS} HTTP/1.1`,
  `OPTIONS /search HTTP/1.1\r\nOrigin: http://x${ENDS}\r\nAccess-Control-Request-Method: POST`,
  `GET /x HTTP/1.1\r\nX-Request-Id: a${ENDS}`,
  `GET /x HTTP/1.1\r\nX-Forwarded-Host: evil.example${ENDS}`,
].map((line) => ({
  name: JSON.stringify(line.slice(0, 60)),
  play: async (arena: Arena) => {
    const said = await answerTo(arena, `${line}\r\n${AUTHORIZED}Connection: close\r\n\r\n`)
    const head = said.split("\r\n\r\n")[0] ?? ""
    const isText = !/content-type: text\/html/i.test(head) || !said.includes("<script>evil()")
    return unless(
      !/^x-evil:/im.test(head) && isText && !statuses(said).some((code) => code.startsWith("5")),
      () => said.slice(0, 300),
    )
  },
}))

const paths: readonly Attack[] = ["/docs/", "/assets/", "/thumbnails/", "/read/", "/console/", "/"].flatMap(
  (root) =>
    CASES.pathsUpwards.map((up) => ({
      name: `${root}${up}`,
      play: async (arena: Arena) => {
        const path = `${root}${`${up}/`.repeat(8)}etc/passwd`
        const said = await answerTo(arena, `GET ${path} HTTP/1.1\r\n${AUTHORIZED}Connection: close\r\n\r\n`)
        return unless(!said.includes("root:") && !statuses(said).some((code) => code.startsWith("5")), () =>
          said.slice(0, 300),
        )
      },
    })),
)

/** Whether every object has the property that prototype pollution would add. */
const isPolluted = (): boolean => ({} as Record<string, unknown>)["polluted"] !== undefined
const CALLS: Readonly<Record<string, string>> = {
  "/search": `"query": "pumps"`,
  "/extract": `"urls": "http://evil.example/"`,
  "/crawl": `"url": "http://evil.example/"`,
  "/map": `"url": "http://evil.example/"`,
  "/research": `"input": "pumps", "output_schema": {"properties": {"__proto__": {"type": "string", "description": "x"}, "a": {"type": "string", "description": "x"}}}`,
}
const pollution: readonly Attack[] = [
  ...Object.entries(CALLS).flatMap(([path, needed]) =>
    CASES.pollutions.map((pollution) => ({
      name: `${path} with ${pollution}`,
      play: async (arena: Arena) => {
        const { status } = await arena.app.post(path, null, { body: `{${needed}, ${pollution}}` })
        return unless(!isPolluted() && status < 500, () => `${status}, polluted: ${isPolluted()}`)
      },
    })),
  ),
  ...CASES.pollutedQueries.map((query) => ({
    name: `in a query string: ${query}`,
    play: async (arena: Arena) => {
      const response = await fetch(`${arena.app.url}/suggest${query}`, {
        headers: { Authorization: `Bearer ${SEARCH_KEY}` },
      })
      return unless(!isPolluted() && response.status < 500, () => String(response.status))
    },
  })),
  {
    name: "in JSON-LD",
    play: async (arena) => {
      arena.evil.serve({
        "/ld": `<script type="application/ld+json">{"@type":"Article","__proto__":{"polluted":1},"headline":"x"}</script><p>words</p>`,
      })
      await arena.reader.read(arena.at("/ld"))
      return unless(!isPolluted(), () => "polluted")
    },
  },
  {
    name: "in the sources file",
    play: async () => {
      try {
        parseSources(
          "sources:\n  - name: x\n    __proto__: { polluted: 1 }\n    seeds: [http://evil.example/]\n    constructor: { prototype: { polluted: 1 } }\n",
          "sources.yaml",
        )
      } catch {
        // Unknown fields are refused.
      }
      return unless(!isPolluted(), () => "polluted")
    },
  },
  {
    name: "in a source",
    play: async () => {
      try {
        defineSource(
          JSON.parse(
            `{"name": "x", "seeds": ["http://evil.example/"], "__proto__": {"polluted": 1}}`,
          ) as never,
        )
      } catch {
        // Unknown fields are refused, as above.
      }
      return unless(!isPolluted(), () => "polluted")
    },
  },
]

const PATTERNS = CASES.patterns.map((pattern) => pattern.replace("LONG", "x".repeat(100_000)))
/** Time limit in milliseconds: far more than any of these takes. */
const PATTERN_MS = 20_000
const patterns: readonly Attack[] = PATTERNS.flatMap((pattern) =>
  ["select_paths", "exclude_domains"].map((field) => ({
    name: `${field} ${JSON.stringify(pattern.slice(0, 30))}`,
    play: async (arena: Arena) => {
      arena.evil.serve({ "/p": `<a href="/${"a".repeat(2000)}!">x</a>` })
      const { status, body } = await arena.app.post(
        "/map",
        { url: arena.at("/p"), [field]: [pattern] },
        { signal: AbortSignal.timeout(PATTERN_MS) },
      )
      return unless([200, 400, 422].includes(status), () => `${status} ${JSON.stringify(body).slice(0, 200)}`)
    },
  })),
)

/** Redirect addresses that a program asks for, and that the operating system would open immediately. */
const redirectUris: readonly Attack[] = CASES.redirectUris.map((uri) => ({
  name: uri,
  play: async () => {
    const db = memoryState()
    try {
      const provider = oauthProvider({
        store: new OAuthStore(db),
        documents: { client: async () => null },
        ask: () => Promise.reject(new Error("nobody is asked")),
        resource: "http://localhost/mcp",
      })
      const refused = await Promise.resolve()
        .then(() => provider.clientsStore.registerClient!({ redirect_uris: [uri] }))
        .then(
          () => false,
          (error: unknown) => error instanceof InvalidClientMetadataError,
        )
      return unless(refused, () => "it was registered")
    } finally {
      db.close()
    }
  },
}))

/** More wrong keys on the sign-in page than a person would type by mistake. */
const guesses: readonly Attack[] = [
  {
    name: "forty keys on the sign-in page",
    tries: 40,
    play: async ({ app }: Arena) => {
      const signIn = async (key: string) =>
        (
          await fetch(`${app.url}/session`, {
            method: "POST",
            headers: { "Content-Type": "application/json", Origin: app.url },
            body: JSON.stringify({ key }),
          })
        ).status
      const codes = await Promise.all(Array.from({ length: 40 }, (_, at) => signIn(`fsk-guess-${at}`)))
      const slowed = codes.filter((code) => code === 429).length
      return (
        unless(slowed >= 20 && codes.every((code) => code === 401 || code === 429), () => codes.join(" ")) ??
        unless((await signIn(TEST_KEY)) === 200, () => "a valid key is locked out")
      )
    },
  },
]

const webhooks: readonly Attack[] = CASES.webhookAddresses.map((address) => ({
  name: address,
  play: async (arena: Arena) => {
    const url = address.replace("PORT", arena.inner.authority.split(":")[1]!)
    await using sender = new WebhookSender({ networks: [], env: {}, userAgent: "test" })
    const posted = await sender
      .send(
        { id: "x", receiver: url, secret: null, body: "{}", headers: { "x-a": "b" } },
        AbortSignal.timeout(20_000),
      )
      .catch((error: Error) => ({ error: error.message }))
    return unless(posted.error !== null, () => JSON.stringify(posted))
  },
}))

const NESTED: Readonly<Record<string, string>> = {
  "unclosed lists": "[".repeat(100_000),
  "closed lists": `{"query": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  "closed objects": `{"query": ${'{"a":'.repeat(20_000)}1${"}".repeat(20_001)}`,
}
const nested: readonly Attack[] = Object.entries(NESTED).flatMap(([name, body]) =>
  ["/search", "/research", "/mcp", "/v2/search", "/v1/embeddings", "/admin/collections/x"].map((path) => ({
    name: `${path} with ${name}`,
    play: async ({ app }: Arena) => {
      const { status } = await fetch(app.url + path, {
        method: path.startsWith("/admin") ? "PUT" : "POST",
        headers: { Authorization: `Bearer ${TEST_KEY}`, "Content-Type": "application/json" },
        body,
      })
      return unless(status >= 400 && status < 500, () => String(status))
    },
  })),
)

const KEYLESS = ["/sources", "/searxng/search?q=x&format=json", "/searxng/config", "/metrics"]
/**
 * To the browser, a page whose host name was pointed at the appliance is the appliance's own, and its requests have all
 * the headers that say so.
 */
const rebound: readonly Attack[] = CASES.reboundNames.map((host) => ({
  name: host,
  tries: KEYLESS.length,
  play: async () => {
    const config = { openKey: SEARCH_KEY, searxngKey: SEARCH_KEY, metrics: "open" } as const
    await using app = await serveApp({ config })
    const said = await Promise.all(
      KEYLESS.map((path) =>
        answerTo(
          { app },
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`,
        ),
      ),
    )
    const codes = said.flatMap(statuses)
    return unless(codes.length === KEYLESS.length && codes.every((code) => code === "403"), () =>
      codes.join(", "),
    )
  },
}))

/** A server's response to these bytes, until it closes the connection or has sent this many responses. */
async function untilClosed(url: string, text: string, most: number): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(text)
  let said = ""
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    said += chunk.toString("latin1")
    if (statuses(said).length >= most) break
  }
  return said
}

const [FLOOD_SOCKETS, FLOOD_AHEAD, FLOOD_BUDGET] = [30, 40, 100]
const floods: readonly Attack[] = ["/docs/", "/openapi.json", "/", "/session", "/nothing"].map((path) => ({
  name: `${path}, ${FLOOD_AHEAD} requests ahead on each of ${FLOOD_SOCKETS} connections`,
  play: async () => {
    await using app = await serveApp({ config: { keylessPerMinute: FLOOD_BUDGET } })
    const text = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(FLOOD_AHEAD)
    const flood = Promise.all(
      Array.from({ length: FLOOD_SOCKETS }, () => untilClosed(app.url, text, FLOOD_AHEAD)),
    )
    const health = await fetch(`${app.url}/healthz`)
    const search = await app.post("/search", { query: "pumps" })
    const codes = (await flood).flatMap(statuses)
    const isBounded = codes.length < (FLOOD_SOCKETS * FLOOD_AHEAD) / 2 && codes.includes("429")
    return unless(
      health.status === 200 &&
        search.status === 200 &&
        isBounded &&
        !codes.some((code) => code.startsWith("5")),
      () => `${codes.length} answers; others were answered ${health.status} and ${search.status}`,
    )
  },
}))

export const REQUESTS: readonly Kind[] = [
  { kind: "request smuggling", must: "one refusal", attacks: smuggling },
  { kind: "line breaks in parameters", must: "no header and no body is added", attacks: headers },
  { kind: "path traversal", must: "no file is reached", attacks: paths, shortly: 3 },
  { kind: "prototype pollution in JSON, queries and YAML", must: "no object is changed", attacks: pollution },
  { kind: "slow patterns", must: "answered or refused in time", attacks: patterns, shortly: 3 },
  { kind: "endlessly nested bodies", must: "refused", attacks: nested },
  { kind: "calls without a key under a rebound name", must: "refused", attacks: rebound },
  {
    kind: "floods without a key",
    must: "cut short; others are answered",
    attacks: floods,
    shortly: 5,
  },
  { kind: "redirect addresses registered over OAuth", must: "refused", attacks: redirectUris },
  { kind: "guessed keys", must: "slowed down; nobody is locked out", attacks: guesses },
  { kind: "webhooks to private addresses", must: "not sent", attacks: webhooks },
]
