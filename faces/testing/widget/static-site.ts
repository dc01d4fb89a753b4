import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".xml": "application/xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
}

export interface StaticSite extends AsyncDisposable {
  readonly origin: string
}

/** Serves a folder, which may be filled later, as hosts of static sites do: `/a` is `a.html` or `a/index.html`. */
export async function serveFolder(folder: string): Promise<StaticSite> {
  const server = createServer(({ url = "/" }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, "http://site").pathname))
    const found = [path, `${path}.html`, join(path, "index.html")]
      .map((one) => join(folder, one))
      .find((one) => one.startsWith(folder) && existsSync(one) && statSync(one).isFile())
    response.statusCode = found === undefined ? 404 : 200
    response.setHeader("Content-Type", TYPES[extname(found ?? ".html")] ?? "application/octet-stream")
    response.end(found === undefined ? "" : readFileSync(found))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
