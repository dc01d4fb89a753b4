import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Pages of another site. */
export interface HostPages extends AsyncDisposable {
  readonly origin: string
}

/** A page of another site. */
export interface HostPage {
  readonly html: string
  /** The page's Content-Security-Policy; omitted if there is none. */
  readonly csp?: string
}

/** Serves pages on their own origin. @param page returns the page for a path, given the origin */
export async function serveHostPages(
  page: (path: string, origin: string) => HostPage | null,
): Promise<HostPages> {
  let origin = ""
  const server = createServer(({ url = "/" }, response) => {
    const found = page(new URL(url, origin).pathname, origin)
    response.statusCode = found === null ? 404 : 200
    response.setHeader("Content-Type", "text/html; charset=utf-8")
    if (found?.csp !== undefined) response.setHeader("Content-Security-Policy", found.csp)
    response.end(found?.html ?? "")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
