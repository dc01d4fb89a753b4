import { spawn } from "node:child_process"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { CHILD_ENV } from "#base/testing/child-env.ts"

/** A real Git server on loopback that speaks smart HTTP, run by git-http-backend(1), as on web servers. */
export interface GitServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Each request, such as `GET /a.git/info/refs?service=git-upload-pack`. */
  readonly requests: readonly string[]
}

/**
 * @param root the folder of the repositories
 * @param credentials the required `user:password`; `null` if none is required
 * @param answer can answer a request instead; returns whether it did
 */
export async function startGitServer(
  root: string,
  credentials: string | null = null,
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<GitServer> {
  const wanted = credentials === null ? null : `Basic ${Buffer.from(credentials).toString("base64")}`
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (answer(request, response)) return
    if (wanted !== null && request.headers.authorization !== wanted)
      response.writeHead(401, { "www-authenticate": 'Basic realm="Git"' }).end("no")
    else runBackend(root, request, response)
  })
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening)
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Runs git-http-backend as a CGI program (RFC 3875). */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost")
  const { headers } = request
  const backend = spawn("git", ["-c", "safe.directory=*", "http-backend"], {
    env: {
      ...CHILD_ENV,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      ...(headers["content-length"] !== undefined && { CONTENT_LENGTH: headers["content-length"] }),
      ...(typeof headers["git-protocol"] === "string" && { GIT_PROTOCOL: headers["git-protocol"] }),
    },
    stdio: ["pipe", "pipe", "ignore"],
  })
  backend.stdin.on("error", () => undefined)
  request.pipe(backend.stdin)
  response.on("close", () => backend.kill())
  let head = Buffer.alloc(0)
  backend.stdout.on("data", (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk)
      return
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf("\r\n\r\n")
    if (end < 0) return
    const lines = head.toString("latin1", 0, end).split("\r\n")
    const fields = lines.map((line) => line.split(/: */, 2) as [string, string])
    const status = Number(fields.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200)
    response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== "Status")))
    response.write(head.subarray(end + 4))
  })
  backend.stdout.on("end", () => response.end())
}
