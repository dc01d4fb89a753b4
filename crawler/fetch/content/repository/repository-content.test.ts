import { symlinkSync, utimesSync, writeFileSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import type { Repository } from "../../../source.ts"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { GitWork } from "../../../testing/git/git-work.ts"
import { AddressGuard } from "../../guard/address-guard.ts"
import type { ContentEntry } from "../content.ts"
import { forgetCopies } from "../local-copy.ts"
import { Mirror } from "./mirror.ts"
import { RepositoryContent } from "./repository-content.ts"

const ADDRESS = "https://git.example/acme/handbook/blob/main/"
const at = (path: string) => `${ADDRESS}${path}` as PageUrl
const ALL = { maxBytes: 1_000_000 }
const { signal } = new AbortController()
const guard = new AddressGuard({ allowed: [], connections: 1, connectTimeoutMs: 1000 })

/** A repository on this machine, and a mirror of it. */
function handbook() {
  const folder = temporaryFolder()
  const work = new GitWork(join(folder.path, "handbook"))
  const content = (more: Partial<Repository> = {}) => {
    const repository = { url: work.root, ref: null, paths: [], token: null, user: null, ...more }
    return new RepositoryContent(repository, ADDRESS, new Mirror(folder.path, "handbook", repository))
  }
  /** The files that a run lists: each path, with its last change. */
  const list = async (of: RepositoryContent) => {
    await of.open({ guard })
    const entries: ContentEntry[] = []
    const troubles: string[] = []
    const onTrouble = (note: string) => Promise.resolve(void troubles.push(note))
    for await (const some of of.list({ signal, onTrouble })) entries.push(...some)
    return {
      times: new Map(entries.map(({ url, changedAt }) => [url.slice(ADDRESS.length), changedAt])),
      troubles,
    }
  }
  return { work, folder: folder.path, content, list, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** Who last changed a file and when, according to its page. */
async function lastChange(of: RepositoryContent, path: string) {
  const result = await of.load(at(path), ALL)
  if (result.kind !== "fetched") throw new Error(JSON.stringify(result))
  return [result.facts?.author, (result.facts?.publishedAt?.getTime() ?? 0) / 1000]
}

const tags = ["git"]

test("each file has the author and time of the last commit that changed it", { tags }, async () => {
  using one = handbook()
  const { work } = one
  const first = work.at
  work.write("a.md", "A")
  work.write("docs/b c.md", "B")
  work.commit()
  work.author = "bob"
  work.write("a.md", "A2")
  work.write(".mailmap", "Bob Builder <who@example.com> bob <who@example.com>\n")
  const second = work.at
  work.commit()
  const content = one.content()
  expect([...(await one.list(content)).times.keys()]).toEqual(["a.md", "docs/b%20c.md"])
  expect(await lastChange(content, "a.md")).toEqual(["Bob Builder", second])
  expect(await lastChange(content, "docs/b%20c.md")).toEqual(["Ann Author", first])
})

test("a merge counts only for the files that it changed itself", { tags }, async () => {
  using one = handbook()
  const { work } = one
  for (const name of ["ours.md", "theirs.md", "both.md"]) work.write(name, "0")
  work.commit()
  work.git("checkout", "--quiet", "-b", "side")
  work.author = "Sue Side"
  work.write("theirs.md", "side")
  work.write("both.md", "side")
  const side = work.at
  work.commit()
  work.git("checkout", "--quiet", "main")
  work.author = "Max Main"
  work.write("ours.md", "main")
  work.write("both.md", "main")
  const main = work.at
  work.commit()
  expect(() => work.git("merge", "--quiet", "side")).toThrow("Command failed: git merge")
  work.author = "Mia Merger"
  work.write("both.md", "main and side")
  const merge = work.at
  work.commit("merge")
  const content = one.content()
  await one.list(content)
  expect(await lastChange(content, "ours.md")).toEqual(["Max Main", main])
  expect(await lastChange(content, "theirs.md")).toEqual(["Sue Side", side])
  expect(await lastChange(content, "both.md")).toEqual(["Mia Merger", merge])
})

test(
  "changed content has a new time, even when a force-push gave its commit the old one",
  { tags },
  async () => {
    using one = handbook()
    const { work } = one
    work.write("a.md", "A")
    work.write("b.md", "B")
    const made = work.at
    work.commit()
    const content = one.content()
    const before = (await one.list(content)).times
    for (const text of ["A1", "A2", "A3"]) {
      work.at = made
      work.write("a.md", text)
      work.git("add", "--all")
      work.git("commit", "--quiet", "--amend", "--message=again")
      const { times } = await one.list(content)
      expect(times.get("b.md")).toBe(before.get("b.md"))
      expect(times.get("a.md")).not.toBe(before.get("a.md"))
      expect(Math.abs(times.get("a.md")! - made * 1000)).toBeLessThan(20 * 60_000)
      before.set("a.md", times.get("a.md")!)
    }
  },
)

test("only files are pages: no links, submodules, Git files or Git LFS placeholders", { tags }, async () => {
  using one = handbook()
  const { work } = one
  work.write("a.md", "A")
  work.write(".github/workflows/test.yml", "on: push\n")
  work.write(".gitignore", "node_modules\n")
  work.write("docs/.gitkeep", "")
  work.write(
    "film.mp4",
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
  )
  symlinkSync("/etc/passwd", join(work.root, "passwd.md"))
  const commit = work.commit()
  work.git("update-index", "--add", "--cacheinfo", `160000,${commit},other`)
  work.git("commit", "--quiet", "--message=submodule")
  const content = one.content()
  expect([...(await one.list(content)).times.keys()]).toEqual([
    ".github/workflows/test.yml",
    "a.md",
    "film.mp4",
  ])
  expect(await content.load(at("passwd.md"), ALL)).toMatchObject({ kind: "skipped", because: "gone" })
  expect(await content.load(at("other"), ALL)).toMatchObject({ kind: "skipped", because: "gone" })
  expect(await content.load(at("film.mp4"), ALL)).toMatchObject({
    kind: "skipped",
    because: "unsupported-type",
    detail: "Git LFS stores its content outside the repository",
  })
})

test("an unchanged file is not read, and an oversized one never is", { tags }, async () => {
  using one = handbook()
  const { work } = one
  work.write("a.md", "Hello")
  work.write("large.md", "x".repeat(11))
  work.commit()
  const content = one.content()
  await one.list(content)
  const first = await content.load(at("a.md"), ALL)
  if (first.kind !== "fetched") throw new Error(first.kind)
  expect(Buffer.from(first.body).toString()).toBe("Hello")
  const validators = { etag: first.headers.etag!, lastModified: null }
  expect(await content.load(at("large.md"), { maxBytes: 10 })).toMatchObject({ because: "too-large" })
  // Without the mirror's packs, reading any content fails.
  for (const name of readdirSync(join(one.folder, "repositories"), { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".pack")) rmSync(join(one.folder, "repositories", name))
  const later = one.content()
  expect(await later.load(at("a.md"), { ...ALL, validators })).toMatchObject({ kind: "not-modified" })
  expect(await later.load(at("a.md"), ALL)).toMatchObject({ kind: "failed", transient: true })
})

test(
  "odd names lead to their files, and names that aren't UTF-8 are listed in the note",
  { tags },
  async () => {
    using one = handbook()
    const { work } = one
    const names = [
      "Übersicht & mehr.md",
      "a\nb.md",
      "100%.md",
      "tab\there.md",
      "-c.md",
      ":(glob)x.md",
      "line\u2028end.md",
    ]
    for (const name of names) work.write(name, name)
    writeFileSync(Buffer.from(join(work.root, "latin1-\xe9.md"), "latin1"), "x")
    work.commit()
    const content = one.content()
    const { times, troubles } = await one.list(content)
    expect([...times.keys()].sort()).toEqual(names.map(encodeURIComponent).sort())
    expect(troubles).toEqual([expect.stringMatching(/^left out of .*: latin1-\uFFFD\.md$/)])
    for (const name of names) {
      const result = await content.load(at(encodeURIComponent(name)), ALL)
      expect(result.kind === "fetched" && Buffer.from(result.body).toString()).toBe(name)
    }
  },
)

test("a branch, a tag and paths select what is read; a missing one is named", { tags }, async () => {
  using one = handbook()
  const { work } = one
  for (const name of ["README.md", "docs/a.md", "docs/deep/b.md", "docs2/c.md", "src/d.ts"])
    work.write(name, name)
  work.commit()
  work.git("tag", "--annotate", "--message=1", "v1")
  work.write("docs/new.md", "new")
  work.commit()
  work.git("branch", "release/2")
  const paths = async (more: Partial<Repository>) => [...(await one.list(one.content(more))).times.keys()]
  expect(await paths({ ref: "v1", paths: ["docs/", "README.md"] })).toEqual([
    "README.md",
    "docs/a.md",
    "docs/deep/b.md",
  ])
  expect(await paths({ ref: "release/2", paths: ["docs"] })).toEqual([
    "docs/a.md",
    "docs/deep/b.md",
    "docs/new.md",
  ])
  await expect(paths({ ref: "v9" })).rejects.toThrow(`The repository ${work.root} has no branch or tag v9.`)
  await expect(paths({ paths: ["nothing"] })).rejects.toThrow(
    `There are no files in ${work.root} at nothing.`,
  )
})

test(
  "a damaged mirror is fetched again, and stale locks of a killed git don't block the next run",
  { tags },
  async () => {
    using one = handbook()
    const { work } = one
    work.write("a.md", "A")
    work.commit()
    const content = one.content()
    const before = await one.list(content)
    const mirror = join(one.folder, "repositories", readdirSync(join(one.folder, "repositories"))[0]!)
    writeFileSync(join(mirror, "git/refs/fossick/at.lock"), "")
    writeFileSync(join(mirror, "git/packed-refs.lock"), "")
    writeFileSync(join(mirror, "git/objects/pack/tmp_pack_a1B2c3"), "PACK")
    work.write("b.md", "B")
    work.commit()
    expect([...(await one.list(content)).times.keys()]).toEqual(["a.md", "b.md"])
    expect(readdirSync(join(mirror, "git/objects/pack"))).not.toContain("tmp_pack_a1B2c3")
    for (const harm of ["files", "git/HEAD", "git/objects/pack"]) {
      rmSync(join(mirror, harm), { recursive: true })
      if (harm === "files") writeFileSync(join(mirror, harm), "\0\0\0\0")
      expect([harm, (await one.list(content)).times.get("a.md")]).toEqual([harm, before.times.get("a.md")])
      expect(await lastChange(content, "a.md")).toEqual(["Ann Author", 1_700_000_000])
    }
  },
)

test(
  "a mirror is deleted with its source, but not before a new source can be declared",
  { tags },
  async () => {
    using one = handbook()
    one.work.write("a.md", "A")
    one.work.commit()
    await one.list(one.content())
    const mirrors = join(one.folder, "repositories")
    await forgetCopies(one.folder, [])
    expect(readdirSync(mirrors)).toHaveLength(1)
    utimesSync(join(mirrors, readdirSync(mirrors)[0]!), 1, 1)
    await forgetCopies(one.folder, ["other", "handbook"])
    expect(readdirSync(mirrors)).toHaveLength(1)
    await forgetCopies(one.folder, ["other"])
    expect(readdirSync(mirrors)).toEqual([])
  },
)

test("the repository that Fossick itself runs in is ignored, even if it has a remote", { tags }, async () => {
  using one = handbook()
  one.work.write("a.md", "A")
  const commit = one.work.commit()
  const around = new GitWork(join(one.folder, "around"))
  around.git("remote", "add", "origin", join(one.folder, "nowhere"))
  const before = process.cwd()
  process.chdir(around.root)
  try {
    expect(await one.content().fingerprint()).toContain(commit)
    expect([...(await one.list(one.content())).times.keys()]).toEqual(["a.md"])
  } finally {
    process.chdir(before)
  }
})

test("a fingerprint is the branch's commit, or the reason why there is none", { tags }, async () => {
  using one = handbook()
  const { work } = one
  work.write("a.md", "A")
  work.commit()
  const content = new RepositoryContent(
    { url: work.root, ref: "main", paths: [], token: null, user: null },
    ADDRESS,
    null,
  )
  const first = await content.fingerprint()
  work.git("checkout", "--quiet", "-b", "other")
  work.write("a.md", "B")
  work.commit()
  expect(await content.fingerprint()).toBe(first)
  work.git("branch", "--force", "main", "other")
  expect(await content.fingerprint()).not.toBe(first)
  rmSync(join(work.root, ".git"), { recursive: true })
  expect(await content.fingerprint()).toMatch(/^The folder .* isn't a Git repository\./)
})

test("readers files set who may read the files below them, and are not pages", { tags }, async () => {
  using one = handbook()
  const { work } = one
  work.write(".fossick-readers.yaml", "allow: [group:staff]\n")
  work.write("a.md", "A")
  // This file's name sorts before the folder's readers file.
  work.write("hr/#1.md", "One")
  work.write("hr/.fossick-readers.yaml", "files: { '#1.md': { allow: [group:hr] } }\n")
  work.write("hr/2.md", "Two")
  work.write("it/b.md", "B")
  symlinkSync("../a.md", join(work.root, "it/.fossick-readers.yaml"))
  work.commit()
  const readersOf = async (of: RepositoryContent, path: string) => {
    const result = await of.load(at(path), ALL)
    return result.kind === "fetched" ? result.readers?.allow : result.kind
  }
  const content = one.content()
  const first = await one.list(content)
  expect([...first.times.keys()]).toEqual(["a.md", "hr/%231.md", "hr/2.md", "it/b.md"])
  expect(first.troubles.join()).toContain("it/.fossick-readers.yaml")
  // A source limited to some paths still applies the readers files above them.
  for (const each of [content, one.content(), one.content({ paths: ["hr"] })]) {
    if (each !== content) await each.open({ guard })
    expect(await readersOf(each, "hr/%231.md")).toEqual([["group:staff"], ["group:hr"]])
    expect(await readersOf(each, "hr/2.md")).toEqual([["group:staff"]])
  }
  expect(await readersOf(content, "it/b.md")).toEqual([["group:staff"], []])
  expect(await readersOf(content, ".fossick-readers.yaml")).toBe("skipped")
  // If the readers change, an unchanged file gets a different time and a different validator.
  const { headers } = (await content.load(at("a.md"), ALL)) as { headers: { etag: string } }
  work.write(".fossick-readers.yaml", "allow: [group:all]\n")
  work.commit()
  const second = await one.list(content)
  expect(second.times.get("a.md")).not.toBe(first.times.get("a.md"))
  const validators = { etag: headers.etag, lastModified: null }
  expect(await content.load(at("a.md"), { ...ALL, validators })).toMatchObject({
    kind: "fetched",
    readers: { allow: [["group:all"]] },
  })
})

test(
  "a file is found without a listing, once or repeatedly, as the last run fetched it",
  { tags },
  async () => {
    using one = handbook()
    const { work } = one
    work.write("a.md", "A")
    work.write("b.md", "B")
    work.commit()
    const unlisted = one.content()
    const said = async (path: string) => {
      const result = await unlisted.load(at(path), ALL)
      if (result.kind === "fetched") return Buffer.from(result.body).toString()
      return result.kind === "failed" ? result.detail : result.kind
    }
    expect(await said("a.md")).toMatch(/hasn't been fetched yet/)
    await one.list(one.content())
    expect([await said("a.md"), await said("b.md"), await said("c.md")]).toEqual(["A", "B", "skipped"])
    work.write("b.md", "B2")
    work.write("c.md", "C")
    work.commit()
    expect(await said("b.md")).toBe("B")
    await one.list(one.content())
    expect([await said("c.md"), await said("b.md"), await said("a.md")]).toEqual(["C", "B2", "A"])
  },
)
