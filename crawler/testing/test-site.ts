import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** The response for one path of a test site: an HTML body, or a handler that does whatever it wants. */
export type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>)

/** A small website on a real socket. */
export interface TestSite extends AsyncDisposable {
  /** The site's address: `http://127.0.0.1:<port>`, or with the requested host. */
  readonly origin: string
  /** The site's address in the form that FOSSICK_ALLOWED_NETWORKS accepts: `127.0.0.1:<port>`. */
  readonly authority: string
  /** Requested paths, in order. */
  readonly requests: string[]
  url(path: string): string
  /** Replaces the responses for paths. */
  serve(answers: Readonly<Record<string, Answer>>): void
}

/** Starts a site. Keys of `answers` can include the query or not; other paths get the response for `*`, or 404. */
export async function startTestSite(
  answers: Readonly<Record<string, Answer>>,
  { host = "127.0.0.1", port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<TestSite> {
  const served = new Map(Object.entries(answers))
  const requests: string[] = []
  const server = createServer((request, response) => {
    const target = request.url ?? "/"
    requests.push(target)
    const answer = served.get(target) ?? served.get(target.split("?")[0] ?? "/") ?? served.get("*")
    if (answer === undefined) status(404)(request, response)
    else if (typeof answer === "string") html(answer)(request, response)
    else void Promise.resolve(answer(request, response)).catch(() => response.destroy())
  })
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((done, failed) => {
    server.once("error", failed)
    server.listen(port, host, done)
  })
  const authority = `${host}:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${authority}`,
    authority,
    requests,
    url: (path) => `http://${authority}${path}`,
    serve: (more) => {
      for (const [path, answer] of Object.entries(more)) served.set(path, answer)
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => {
        server.close(() => {
          done()
        })
        // Connections are closed even if they have requests in progress.
        for (const socket of sockets) socket.destroy()
      })
    },
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Responds with these bytes and headers. */
export function bytes(
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>>,
  code = 200,
): Handler {
  return (_, response) => {
    response.writeHead(code, headers).end(body)
  }
}

export function html(body: string, headers: Readonly<Record<string, string>> = {}): Handler {
  return bytes(body, { "content-type": "text/html; charset=utf-8", ...headers })
}

/** A page with an ETag or a Last-Modified date. A client that already has it gets a 304 response. */
export function conditional(
  body: string,
  validators: { readonly etag?: string; readonly lastModified?: string },
  type = "text/html; charset=utf-8",
): Handler {
  const { etag, lastModified } = validators
  const headers = {
    "content-type": type,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { "last-modified": lastModified }),
  }
  return (request, response) => {
    const { "if-none-match": tag, "if-modified-since": since } = request.headers
    const isSame = tag === undefined ? since !== undefined && since === lastModified : tag === etag
    if (isSame) response.writeHead(304, headers).end()
    else response.writeHead(200, headers).end(body)
  }
}

export function textFile(body: string): Handler {
  return bytes(body, { "content-type": "text/plain; charset=utf-8" })
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Handler {
  return bytes(`<html><body>${code}</body></html>`, { "content-type": "text/html", ...headers }, code)
}

export function redirect(to: string, code = 302): Handler {
  return bytes("", { location: to }, code)
}

/** Responds to the first `times` requests with 429, then with `then`. */
export function tooManyRequests(retryAfter: string, times: number, then: Handler): Handler {
  let seen = 0
  return (request, response) => {
    seen += 1
    if (seen <= times) status(429, { "retry-after": retryAfter })(request, response)
    else then(request, response)
  }
}

/** Sends headers and then nothing more. */
export function hangs(): Handler {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/html" })
    response.write("<html><body><p>and then")
  }
}

/** Drops the connection after part of the promised body. */
export function breaksOff(): Handler {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-length": "100000" })
    response.write("<html><body><p>only this much", () => {
      response.destroy()
    })
  }
}

/** Sends a whole body in one chunk, then closes the connection without the final empty chunk. */
export function unended(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Handler {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/html", ...headers })
    response.write(body, () => {
      response.destroy()
    })
  }
}

/** A text body of `size` bytes whose length isn't declared in advance. */
export function endless(size: number): Answer {
  return async (_, response) => {
    response.writeHead(200, { "content-type": "text/html" })
    const piece = "<p>more of the same</p>\n".repeat(2000)
    for (let sent = 0; sent < size && !response.destroyed; sent += piece.length) {
      if (!response.write(piece)) {
        await new Promise<void>((done) => {
          const goOn = () => {
            response.off("drain", goOn).off("close", goOn)
            done()
          }
          response.on("drain", goOn).on("close", goOn)
        })
      }
    }
    response.end()
  }
}

/** An article long enough to be recognised as main content. */
export function article(
  title: string,
  options: { links?: readonly string[]; head?: string; text?: string } = {},
): string {
  const links = (options.links ?? []).map((link) => `<li><a href="${link}">${link}</a></li>`).join("")
  const text =
    options.text ??
    `${title} is explained here in a few plain sentences, so that a reader knows what it is good for. ` +
      `It also says how ${title} is set up, what can go wrong with it, and where to look when it does.`
  return `<!doctype html><html lang="en"><head><title>${title}</title>${options.head ?? ""}</head>
<body><nav><ul>${links}</ul></nav><main><article><h1>${title}</h1><p>${text}</p><p>${text}</p></article></main></body></html>`
}
