import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import type { PageUrl } from "#engine"
import type { Repository } from "../../../source.ts"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { type GitServer, startGitServer } from "../../../testing/git/git-server.ts"
import { GitWork } from "../../../testing/git/git-work.ts"
import { AddressGuard } from "../../guard/address-guard.ts"
import { Mirror } from "./mirror.ts"
import { RepositoryContent } from "./repository-content.ts"

// Tests against git-http-backend, the program that web servers run for Git.

const ADDRESS = "https://git.example/files/"
const TOKEN = "glpat-a1b2c3d4e5f6g7h8"
const tags = ["git"]
const { signal } = new AbortController()
const guardOf = (...allowed: string[]) =>
  new AddressGuard({ allowed, connections: 4, connectTimeoutMs: 5000 })

/** A repository on this machine, served over HTTP. */
function served() {
  const folder = temporaryFolder()
  const work = new GitWork(join(folder.path, "all/acme/handbook.git"))
  work.write("a.md", "A")
  work.commit()
  const content = (more: Partial<Repository> & Pick<Repository, "url">) => {
    const repository = { ref: null, paths: [], token: null, user: null, ...more }
    return new RepositoryContent(repository, ADDRESS, new Mirror(folder.path, "handbook", repository))
  }
  const listed = async (of: RepositoryContent, guard = guardOf("127.0.0.1")) => {
    await of.open({ guard })
    const urls: string[] = []
    for await (const some of of.list({ signal, onTrouble: () => Promise.resolve() }))
      urls.push(...some.map(({ url }) => url.slice(ADDRESS.length)))
    return urls
  }
  const root = join(folder.path, "all")
  return {
    work,
    root,
    folder: folder.path,
    content,
    listed,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const refsOf = ({ requests }: GitServer) => requests.filter((one) => one.startsWith("GET"))
const packsOf = ({ requests }: GitServer) => requests.filter((one) => one.startsWith("POST"))

test("a repository is fetched over smart HTTP, and later only its new commits", { tags }, async () => {
  using one = served()
  await using server = await startGitServer(one.root)
  const content = one.content({ url: `${server.origin}/acme/handbook.git/` })
  expect(await one.listed(content)).toEqual(["a.md"])
  const first = server.requests.length
  expect(await one.listed(content)).toEqual(["a.md"])
  // Git asks for the branch's commit, and requests no pack.
  expect(server.requests.slice(first).map((request) => request.split(" ")[0])).toEqual(["GET", "POST"])
  one.work.write("b.md", "B")
  one.work.commit()
  expect(await one.listed(content)).toEqual(["a.md", "b.md"])
  const loaded = await content.load(`${ADDRESS}b.md` as PageUrl, { maxBytes: 100 })
  expect(loaded.kind === "fetched" && Buffer.from(loaded.body).toString()).toBe("B")
})

test(
  "a token gives access to a repository, is sent only to its server, and is never written to disk",
  { tags },
  async () => {
    using one = served()
    await using server = await startGitServer(one.root, `reader:${TOKEN}`)
    vi.stubEnv("HANDBOOK_TOKEN", TOKEN)
    const url = `${server.origin}/acme/handbook.git`
    const content = one.content({ url, token: "${HANDBOOK_TOKEN}", user: "reader" })
    expect(await one.listed(content)).toEqual(["a.md"])
    expect(packsOf(server).length).toBeGreaterThan(0)
    const mirrors = join(one.folder, "repositories")
    const secret = [TOKEN, Buffer.from(`reader:${TOKEN}`).toString("base64")]
    const holding = readdirSync(mirrors, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => secret.some((text) => readFileSync(file).includes(text)))
    expect(holding).toEqual([])
  },
)

test(
  "a wrong or missing token fails with advice, and the message never shows the token",
  { tags },
  async () => {
    using one = served()
    await using server = await startGitServer(one.root, `git:${TOKEN}`)
    const url = `${server.origin}/acme/handbook.git`
    vi.stubEnv("HANDBOOK_TOKEN", "wrong-token")
    const why = async (more: Partial<Repository> = {}) =>
      await one
        .listed(one.content({ url, ...more }))
        .catch((error: Error) => `${error.name}: ${error.message}`)
    expect(await why({ token: "${HANDBOOK_TOKEN}" })).toBe(
      `Error: ${url} rejected the token (401). It may be wrong or expired, or not allowed to read the repository.`,
    )
    expect(await why()).toBe(
      `Error: ${url} can't be read without a token (401), or there is no such repository.`,
    )
    expect(await why({ token: "${NO_SUCH_TOKEN}" })).toBe(
      "Error: the secret ${NO_SUCH_TOKEN} is not set in the crawler's environment",
    )
  },
)

test("an address without a repository, or a server that is down, is reported", { tags }, async () => {
  using one = served()
  const server = await startGitServer(one.root, null, (request, response) => {
    if (request.url?.startsWith("/page") !== true) return false
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>")
    return true
  })
  const why = async (path: string) =>
    await one.listed(one.content({ url: `${server.origin}${path}` })).catch((error: Error) => error.message)
  expect(await why("/acme/nothing.git")).toBe(
    `There is no repository at ${server.origin}/acme/nothing.git (404), or you need a token to see it.`,
  )
  expect(await why("/page")).toBe(
    `${server.origin}/page isn't a Git repository. Use the address that you give to git clone.`,
  )
  await server[Symbol.asyncDispose]()
  expect(await why("/acme/handbook.git")).toMatch(
    /^http.*\/acme\/handbook\.git cannot be read: .*\(ECONNREFUSED\)$/,
  )
})

test("a redirect is followed on the same host only; another host is never asked", { tags }, async () => {
  using one = served()
  const asked: string[] = []
  const other = createServer((request, response) => {
    asked.push(request.url ?? "")
    response.end()
  })
  await new Promise<void>((listening) => {
    other.listen(0, "127.0.0.1", listening)
  })
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await using server = await startGitServer(one.root, null, (request, response) => {
    const { url = "" } = request
    const to = url.startsWith("/acme/handbook/")
      ? url.replace("/acme/handbook/", "/acme/handbook.git/")
      : url.startsWith("/moved/")
        ? `${elsewhere}${url}`
        : url.startsWith("/circle/")
          ? url
          : null
    if (to !== null) response.writeHead(301, { location: to }).end()
    return to !== null
  })
  const { origin } = server
  expect(await one.listed(one.content({ url: `${origin}/acme/handbook` }))).toEqual(["a.md"])
  expect(refsOf(server)).toHaveLength(2)
  await expect(one.listed(one.content({ url: `${origin}/moved` }))).rejects.toThrow(
    `${origin}/moved redirects to ${elsewhere}/moved. If that is the repository, use its address in the source.`,
  )
  await expect(one.listed(one.content({ url: `${origin}/circle` }))).rejects.toThrow("redirects in a loop")
  expect(asked).toEqual([])
  other.close()
})

test("no connection is made to an address that the guard rejects", { tags }, async () => {
  using one = served()
  await using server = await startGitServer(one.root)
  const url = `${server.origin}/acme/handbook.git`
  await expect(one.listed(one.content({ url }), guardOf())).rejects.toThrow(
    /cannot be read: 127\.0\.0\.1 isn't a public address/,
  )
  const byName = url.replace("127.0.0.1", "localhost")
  await expect(one.listed(one.content({ url: byName }), guardOf())).rejects.toThrow(
    /cannot be read: localhost has no public address/,
  )
  expect(server.requests).toEqual([])
})

test("the Git settings of the user and the environment are ignored", { tags }, async () => {
  using one = served()
  await using server = await startGitServer(one.root)
  await using trap = await startGitServer(one.root)
  for (const [name, value] of Object.entries({
    http_proxy: trap.origin,
    GIT_CONFIG_PARAMETERS: `'url.${trap.origin}.insteadOf=${server.origin}'`,
    GIT_DIR: "/nowhere",
    GIT_TRACE_CURL: join(one.folder, "trace"),
  }))
    vi.stubEnv(name, value)
  const content = one.content({ url: `${server.origin}/acme/handbook.git` })
  expect(await one.listed(content)).toEqual(["a.md"])
  expect(trap.requests).toEqual([])
  expect(readdirSync(one.folder)).not.toContain("trace")
})
