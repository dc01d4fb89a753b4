import type { RequestListener } from "node:http"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import type { TlsOptions } from "node:tls"
import type { MadeCertificate } from "../fetch/connect/make-certificate.ts"

/** A real https server on loopback. */
export interface SecureSite extends AsyncDisposable {
  readonly port: number
  /** `127.0.0.1:<port>` */
  readonly authority: string
  /** Requested paths, each with the common name of the client's certificate, or `null`. */
  readonly requests: readonly { readonly path: string; readonly client: string | null }[]
  /** `https://<host>:<port><path>` */
  url(path: string, host?: string): string
}

const PAGE = `<!doctype html><html lang="en"><head><title>Locks</title></head><body><main><h1>Locks</h1><p>${"A lock keeps a door shut until the right key turns in it, and has done so for four thousand years. ".repeat(6)}</p></main></body></html>`

/**
 * Serves a page on every path except robots.txt, or the response from `answer`.
 * @param chain the certificates that the server sends in addition to its own
 */
export async function startSecureSite(
  certificate: MadeCertificate,
  {
    chain = [],
    answer,
    ...tls
  }: TlsOptions & { readonly chain?: readonly MadeCertificate[]; readonly answer?: RequestListener } = {},
): Promise<SecureSite> {
  const requests: { path: string; client: string | null }[] = []
  const server: Server = createServer(
    {
      cert: [certificate, ...chain].map(({ cert }) => cert).join(""),
      key: certificate.key,
      ...tls,
    },
    (request, response) => {
      const client = (
        request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }
      ).getPeerCertificate().subject?.CN
      requests.push({ path: request.url ?? "", client: client ?? null })
      if (answer) answer(request, response)
      else if (request.url === "/robots.txt") response.writeHead(404).end()
      else response.writeHead(200, { "content-type": "text/html" }).end(PAGE)
    },
  )
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    authority: `127.0.0.1:${port}`,
    requests,
    url: (path, host = "127.0.0.1") => `https://${host}:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((closed) => {
        server.close(() => {
          closed()
        })
      })
    },
  }
}
