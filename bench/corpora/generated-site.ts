import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** A site of made-up pages on loopback, which may change while it is served. */
export interface GeneratedSite extends AsyncDisposable {
  /** Address of the home page. */
  readonly url: string
  /** Answers so far, robots.txt among them. */
  requests(): number
  /** Bytes sent so far, headers included. */
  bytes(): number
  /** Writes the first `count` pages anew. */
  change(count: number): void
  /** Whether answers carry an ETag and conditional requests are heeded. At first they do. */
  validators: boolean
}

export interface GeneratedSiteOptions {
  readonly pages: number
  /** Paragraphs of a page, of some 60 words each. */
  readonly paragraphs: number
  /** Sites of other names have other pages. Default: "". */
  readonly name?: string
}

/** Links from each page to further ones: enough for the last page to be a few steps away. */
const LINKS = 10

/** Serves pages `/0.html` to `/<pages - 1>.html`; each links to ten others, and all are reached from the first. */
export async function serveGenerated({
  pages,
  paragraphs,
  name = "",
}: GeneratedSiteOptions): Promise<GeneratedSite> {
  let requests = 0
  let changed = 0
  let edition = 0
  const closed = { bytes: 0 }
  const open = new Set<Socket>()
  const site = { validators: true }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    requests += 1
    const page = Number(/^\/(\d+)\.html$/.exec(request.url ?? "")?.[1] ?? (request.url === "/" ? 0 : -1))
    if (page < 0 || page >= pages) {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.\n")
      return
    }
    const version = page < changed ? edition : 0
    const etag = `"${page}-${version}"`
    const headers = { "content-type": "text/html; charset=utf-8", ...(site.validators ? { etag } : {}) }
    if (site.validators && request.headers["if-none-match"] === etag) response.writeHead(304, headers).end()
    else response.writeHead(200, headers).end(pageHtml(page, version, { pages, paragraphs, name }))
  }

  const server = createServer(answer)
  server.keepAliveTimeout = 60_000
  server.on("connection", (socket) => {
    open.add(socket)
    socket.once("close", () => {
      open.delete(socket)
      closed.bytes += socket.bytesWritten
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return Object.assign(site, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    bytes: () => [...open].reduce((sum, socket) => sum + socket.bytesWritten, closed.bytes),
    change: (count: number) => {
      changed = count
      edition += 1
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  })
}

const WORDS =
  `harbour lantern meadow engine copper window river thunder garden market bridge silver morning winter
  candle mountain letter forest island needle orchard paper quarry ribbon saddle timber valley whistle anchor basket cellar
  dragon ember feather granite hammer indigo jacket kettle ladder mirror nettle oyster pepper quiver rocket spindle tunnel`.split(
    /\s+/,
  )

function pageHtml(
  page: number,
  version: number,
  { pages, paragraphs, name }: Required<GeneratedSiteOptions>,
): string {
  const bytes = createHash("sha512").update(`${page} ${version}${name}`).digest()
  let at = page
  const word = () => {
    at += 1
    return WORDS[((bytes[at % 64] ?? 0) * 31 + at * (page + 7)) % WORDS.length] ?? "harbour"
  }
  const sentence = (length: number) => `${Array.from({ length }, word).join(" ")}.`
  const text = Array.from(
    { length: paragraphs },
    () => `<p>${sentence(18)} ${sentence(22)} ${sentence(20)}</p>`,
  ).join("\n")
  const links = Array.from({ length: LINKS }, (_, link) => page * LINKS + link + 1)
    .filter((target) => target < pages)
    .map((target) => `<li><a href="/${target}.html">Page ${target}</a></li>`)
    .join("")
  return `<!doctype html><html lang="en"><head><title>Page ${page}: ${word()} ${word()}</title></head>
<body><nav><ul>${links}</ul></nav><main><article><h1>Page ${page}</h1>${text}</article></main></body></html>`
}
