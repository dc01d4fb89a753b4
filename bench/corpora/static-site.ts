import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFile, stat } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"

/** A folder served as a web site on loopback. */
export interface StaticSite extends AsyncDisposable {
  /** Address of the home page, ending in `/`. */
  readonly url: string
  /** Requests answered so far. */
  requests(): number
}

interface StoredFile {
  readonly body: Buffer
  readonly headers: Record<string, string>
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".ico": "image/vnd.microsoft.icon",
  ".pdf": "application/pdf",
}

/**
 * Serves `folder` on a port of 127.0.0.1, with `home` (HTML) as its home page.
 *
 * Answers are kept in memory after the first read, so that a bench measures the crawler and not the disk.
 * They carry ETag and Last-Modified, and conditional requests get 304 (RFC 9110 §13).
 */
export async function serveFolder(folder: string, home: string): Promise<StaticSite> {
  const files = new Map<string, StoredFile | null>([
    ["/", stored(Buffer.from(home), "/index.html", new Date())],
  ])
  let requests = 0

  async function load(path: string): Promise<StoredFile | null> {
    const known = files.get(path)
    if (known !== undefined) return known
    const file = await read(folder, path)
    files.set(path, file)
    return file
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests++
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1")
    const file = url ? await load(url.pathname) : null
    if (!file) {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.\n")
    } else if (isUnchanged(request, file)) {
      response.writeHead(304, { etag: file.headers["etag"] }).end()
    } else {
      response.writeHead(200, file.headers).end(request.method === "HEAD" ? undefined : file.body)
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

async function read(folder: string, urlPath: string): Promise<StoredFile | null> {
  let path: string
  try {
    path = normalize(decodeURIComponent(urlPath))
  } catch {
    return null
  }
  // normalize() of an absolute path drops every leading `..`, so the result stays inside the folder.
  if (!path.startsWith("/") || path.includes("\0")) return null
  const file = join(folder, path.endsWith("/") ? `${path}index.html` : path)
  try {
    return stored(await readFile(file), file, (await stat(file)).mtime)
  } catch {
    return null
  }
}

function stored(body: Buffer, name: string, changed: Date): StoredFile {
  return {
    body,
    headers: {
      "content-type": TYPES[extname(name).toLowerCase()] ?? "application/octet-stream",
      "content-length": String(body.length),
      "last-modified": changed.toUTCString(),
      etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
    },
  }
}

function isUnchanged(request: IncomingMessage, file: StoredFile): boolean {
  const etag = request.headers["if-none-match"]
  if (etag !== undefined) return etag.split(/\s*,\s*/).includes(file.headers["etag"] ?? "")
  const since = request.headers["if-modified-since"]
  return since !== undefined && Date.parse(since) >= Date.parse(file.headers["last-modified"] ?? "")
}
