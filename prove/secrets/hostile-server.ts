import { createServer } from "node:http"
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net"
import { gunzipSync } from "node:zlib"

/** A third-party server, on this machine. */
export interface Foreign extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

/**
 * A site, a model server, a facilitator, a receiver and a proxy in one, as careless as real servers can be: when they
 * refuse a request, they repeat it with all its headers. Every second call to a path gets a proper answer.
 */
export async function startEchoServer(): Promise<
  Foreign & { readonly wasShown: (secret: string) => boolean }
> {
  const calls = new Map<string, number>()
  const headers: string[] = []
  const server = createServer((request, response) => {
    let body = ""
    headers.push(...Object.values(request.headers).flat().map(String))
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const { pathname: path } = new URL(request.url ?? "/", "http://any")
      const nth = (calls.get(path) ?? 0) + 1
      calls.set(path, nth)
      const said = JSON.stringify({
        error: { message: "no entry", headers: request.headers, url: request.url, body },
      })
      const isOpen = path.startsWith("/open")
      if (path === "/robots.txt") response.writeHead(404).end()
      else if (path.startsWith("/form")) {
        const page = `<title>Log in</title><form method=post action=/form><input name=user><input type=password name=pass></form>`
        response.writeHead(200, { "content-type": "text/html" }).end(page)
      } else if (path.endsWith("/chat/completions") && nth % 2 === 1) {
        const message = { role: "assistant", content: "Pumps are cleaned with water. [1]" }
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }))
      } else if (isOpen || (path.startsWith("/hook") && nth % 2 === 1)) {
        const [what, sentence] = path.startsWith("/open-later")
          ? ["Valves", "Valves are turned twice a year, in spring and in autumn. "]
          : ["Pumps", "Pumps are cleaned with water every month. "]
        const page = `<title>Open</title><h1>${what}</h1><p>${sentence.repeat(20)}</p>`
        response.writeHead(200, { "content-type": "text/html", "set-cookie": "visit=1" }).end(page)
      } else
        response
          .writeHead(path.startsWith("/hook") ? 500 : 401, { "content-type": "application/json" })
          .end(said)
    })
  })
  // A CONNECT request, as sent to a proxy.
  server.on("connect", (request, socket) => {
    const said = JSON.stringify(request.headers)
    socket.end(
      `HTTP/1.1 407 Proxy Authentication Required ${said.slice(0, 100)}\r\nContent-Length: ${said.length}\r\n\r\n${said}`,
    )
  })
  server.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    wasShown: (secret) => headers.some((header) => header.includes(secret)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A receiver of traces that records the data it is sent. It refuses every second call, and repeats that call's headers. */
export async function startCollector(): Promise<Foreign & { readonly bodies: readonly Uint8Array[] }> {
  const bodies: Uint8Array[] = []
  let calls = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      bodies.push(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body)
      calls += 1
      response
        .writeHead(calls % 2 === 0 ? 401 : 200, { "content-type": "application/json" })
        .end(calls % 2 === 0 ? JSON.stringify({ message: "no entry", headers: request.headers }) : "{}")
    })
  })
  server.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Server messages in PostgreSQL's protocol: a letter, then the length of the rest including the length's own four bytes. */
function postgresMessage(letter: string, rest: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(rest.length + 4, 1)
  return Buffer.concat([head, rest])
}

/** A PostgreSQL server that asks for the password in plain text, and repeats it when it refuses it. */
export async function startEchoPostgres(): Promise<Foreign & { readonly passwords: readonly string[] }> {
  const passwords: string[] = []
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (chunk: Buffer) => {
      if (chunk[0] !== "p".charCodeAt(0)) {
        const isTls = chunk.length === 8
        // AuthenticationCleartextPassword.
        socket.write(isTls ? "N" : postgresMessage("R", Buffer.from([0, 0, 0, 3])))
        return
      }
      const said = chunk.subarray(5, -1).toString()
      passwords.push(said)
      const fields = ["SFATAL", "C28P01", `Mno entry with ${said}`, `Dthe password was ${said}`, ""]
      socket.end(postgresMessage("E", Buffer.from(fields.map((field) => `${field}\0`).join(""))))
    })
  })
  server.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://fossick@127.0.0.1:${port}/fossick`,
    port,
    passwords,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A mail server that repeats the commands it refuses, with the login still in base64. */
export async function startEchoMail(): Promise<Foreign> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined)
    socket.write("220 mail ESMTP\r\n")
    socket.on("data", (chunk) => {
      for (const line of String(chunk)
        .split("\r\n")
        .filter((one) => one !== "")) {
        if (/^(?:EHLO|HELO)/i.test(line)) socket.write("250-mail\r\n250 AUTH PLAIN LOGIN\r\n")
        else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n")
        else socket.write(`535 5.7.8 no entry with ${line}\r\n`)
      }
    })
  })
  server.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done))
    },
  }
}
