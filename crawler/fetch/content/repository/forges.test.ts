import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readSourceSpec } from "../../../sources/source-spec.ts"
import { withoutSecrets } from "../../../sources/shown-source.ts"
import { SourceError } from "../../../sources/written/source-problem.ts"
import { sourceBy } from "../../../source.ts"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { GitWork } from "../../../testing/git/git-work.ts"
import { recognizeStart } from "../kinds.ts"
import { filesAt, marksAt } from "./forges.ts"

test("a start that is a repository is recognised, with the address of its files on a known forge", async () => {
  const found = async (start: string) => {
    const recognized = await recognizeStart(start)
    return recognized && [recognized.fields.repository, recognized.address ?? null, recognized.name]
  }
  const handbook = "https://github.com/acme/handbook.git"
  const blob = "https://github.com/acme/handbook/blob"
  const cases = new Map<string, unknown>([
    ["https://github.com/acme/handbook", [{ url: handbook }, `${blob}/HEAD/`, "handbook"]],
    ["github.com/acme/handbook/", [{ url: handbook }, `${blob}/HEAD/`, "handbook"]],
    [handbook, [{ url: handbook }, `${blob}/HEAD/`, "handbook"]],
    [
      "https://github.com/acme/handbook/tree/next/docs/en%20US",
      [{ url: handbook, ref: "next", paths: ["docs/en US"] }, `${blob}/next/`, "handbook"],
    ],
    [
      "https://gitlab.acme.example/it/docs/handbook",
      [
        { url: "https://gitlab.acme.example/it/docs/handbook.git" },
        "https://gitlab.acme.example/it/docs/handbook/-/blob/HEAD/",
        "handbook",
      ],
    ],
    [
      "https://gitlab.com/acme/handbook/-/tree/main",
      [
        { url: "https://gitlab.com/acme/handbook.git", ref: "main" },
        "https://gitlab.com/acme/handbook/-/blob/main/",
        "handbook",
      ],
    ],
    [
      "https://codeberg.org/acme/handbook/src/branch/main/docs",
      [
        { url: "https://codeberg.org/acme/handbook.git", ref: "main", paths: ["docs"] },
        "https://codeberg.org/acme/handbook/src/branch/main/",
        "handbook",
      ],
    ],
    [
      "https://codeberg.org/acme/handbook",
      [{ url: "https://codeberg.org/acme/handbook.git" }, null, "handbook"],
    ],
    [
      "https://bitbucket.org/acme/handbook",
      [
        { url: "https://bitbucket.org/acme/handbook.git" },
        "https://bitbucket.org/acme/handbook/src/HEAD/",
        "handbook",
      ],
    ],
    [
      "https://git.acme.example/handbook.git",
      [{ url: "https://git.acme.example/handbook.git" }, null, "handbook"],
    ],
  ])
  for (const [start, expected] of cases) expect([start, await found(start)]).toEqual([start, expected])
  for (const site of [
    "https://github.com/acme",
    "https://github.com/acme/handbook/issues",
    "https://github.com/features/actions",
    "https://github.blog/engineering/git",
    "https://gitlab.acme.example/help/user",
    "https://gitlab.acme.example/acme/handbook/-/issues",
    "https://docs.acme.example/handbook",
    "docs.acme.example",
  ])
    expect([site, await found(site)]).toEqual([site, null])
  for (const [start, https] of [
    ["git@github.com:acme/handbook.git", "https://github.com/acme/handbook.git"],
    ["ssh://git@git.acme.example:2222/acme/handbook.git", "https://git.acme.example/acme/handbook.git"],
  ] as const)
    await expect(recognizeStart(start)).rejects.toThrow(`not over ssh. Try ${https}, with a token`)
})

test(
  "a folder that is a repository is recognised, and a folder inside one is just a folder",
  { tags: ["git"] },
  async () => {
    using folder = temporaryFolder()
    const work = new GitWork(join(folder.path, "notes"))
    mkdirSync(join(work.root, "docs"))
    work.git("clone", "--quiet", "--bare", work.root, join(folder.path, "bare.git"))
    const fields = async (path: string) => (await recognizeStart(join(folder.path, path)))?.fields
    expect(await fields("notes")).toEqual({ repository: { url: work.root } })
    expect(await fields("bare.git")).toEqual({ repository: { url: join(folder.path, "bare.git") } })
    expect(await fields("notes/docs")).toEqual({ folder: join(work.root, "docs") })
  },
)

test("a branch's name is percent-encoded in addresses, except for its slashes", () => {
  expect(filesAt({ url: "https://github.com/acme/handbook.git", ref: "release/2 #1" })).toBe(
    "https://github.com/acme/handbook/blob/release/2%20%231/",
  )
  expect(filesAt({ url: "/srv/git/handbook", ref: "main" })).toBe(null)
})

test("an invalid repository is refused, and the message names the field", () => {
  const wrong = (repository: object | string, seeds = "https://git.example/files/") => {
    try {
      readSourceSpec({ name: "a", seeds, repository })
      return null
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      return error.problems.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ")
    }
  }
  const url = "https://git.example/acme/handbook.git"
  expect(wrong(url)).toBe(null)
  expect(wrong("/srv/git/handbook")).toBe(null)
  expect(wrong({ url, ref: "release/2.1", paths: "docs/", token: "${GIT_TOKEN}", user: "reader" })).toBe(null)
  expect(wrong(url, "https://git.example/files")).toMatch(/^seeds must be a single address that ends with \//)
  expect(wrong("git@git.example:acme/handbook.git")).toMatch(/ssh is not supported/)
  expect(wrong("ext::sh -c id")).toMatch(/^repository\.url must be an https address/)
  expect(wrong("file:///srv/git/handbook")).toMatch(/^repository\.url must be an https address/)
  expect(wrong("https://ann:pw@git.example/a.git")).toMatch(
    /^repository\.url must not contain a user or password/,
  )
  expect(wrong({ url, token: "ghp_12345" })).toMatch(/^repository\.token must name a secret, not contain it/)
  expect(wrong({ url, token: "ghp_12345" })).not.toContain("ghp_12345")
  expect(wrong({ url, user: "reader" })).toBe("repository.user has no effect without a token; remove it")
  expect(wrong({ url: "/srv/git/a", token: "${T}" })).toBe(
    "repository.token has no effect for a folder; remove it",
  )
  for (const ref of ["--upload-pack=id", "a b", "a..b", "+main", "main:other", "a.lock", "@{-1}"])
    expect([ref, wrong({ url, ref })]).toEqual([ref, "repository.ref isn't the name of a branch or tag"])
  for (const path of ["/etc", "../a", "a/../b", "a//b", ":(glob)a"])
    expect([path, wrong({ url, paths: [path] })]).toEqual([
      path,
      expect.stringMatching(/^repository\.paths\.0 must be/),
    ])
})

test("a token that is not set is reported before the first run, and a literal one is never shown", () => {
  const repository = { url: "https://git.example/acme/handbook.git", token: "${GIT_TOKEN}" }
  const written = { name: "a", seeds: "https://git.example/files/", repository }
  const read = (env: NodeJS.ProcessEnv) => readSourceSpec(written, { env, webhookNetworks: [] })
  expect(() => read({})).toThrow(/repository\.token.* cannot be used: the secret \$\{GIT_TOKEN\} is not set/)
  expect(withoutSecrets(read({ GIT_TOKEN: "glpat-1" })).repository?.token).toBe("${GIT_TOKEN}")
  expect(withoutSecrets({ repository: { ...repository, token: "glpat-1" } }).repository.token).toBe(
    "(hidden)",
  )
})

test("the admin API can't create a source that reads a repository", () => {
  const spec = { seeds: ["https://git.example/files/"], repository: { url: "/srv/git/private" } }
  expect(sourceBy("api", spec).repository).toBe(null)
})

test("line links have the format of their forge, wherever it runs", () => {
  const lines = { line: "L", heading: "" }
  expect(marksAt("https://github.com/acme/handbook/blob/main/")).toEqual(lines)
  expect(marksAt("https://code.acme.example/it/handbook/-/blob/main/")).toEqual(lines)
  expect(marksAt("https://code.acme.example/it/handbook/src/branch/main/")).toEqual(lines)
  expect(marksAt("https://bitbucket.org/acme/handbook/src/main/")).toEqual({
    line: "lines-",
    heading: "markdown-header-",
  })
  expect(marksAt("http://localhost:8080/files/handbook/")).toBe(null)
})
