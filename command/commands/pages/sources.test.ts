import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { article, html, startTestSite, status } from "#crawler/testing/test-site.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { FOSSICK, Fossick, refusalOf } from "../../testing/fossick.ts"

const MAIN = fileURLToPath(import.meta.resolve("#crawler/main.ts"))

// The vectors' values don't matter here, and the real model would take time in each crawl.
const vectors = await startCheapVectors()
const fossick = new Fossick()
afterAll(async () => {
  await fossick[Symbol.asyncDispose]()
  await vectors[Symbol.asyncDispose]()
})

/** Runs a command in a data folder, with `sources.yaml` in it. */
const run = (folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  fossick.run(folder, args, { FOSSICK_DATA_DIR: join(folder, "data"), ...vectors.settings, ...env })

test.each([
  [[], "Usage: fossick sources"],
  [["destroy"], "unknown command 'destroy'"],
  [["show"], "missing required argument 'name'"],
  [["list", "docs"], "too many arguments"],
  [["show", "a", "b"], "too many arguments"],
  [["show", "a", "--remove-pages"], "unknown option '--remove-pages'"],
  [["list", "--colour"], "--colour"],
])("meaningless arguments are rejected: %j", async (args, message) => {
  expect(await refusalOf("sources", ...args)).toContain(message)
})

test("a site is examined, and its source added to the file, keeping comments; an unreadable site is not", async () => {
  using folder = temporaryFolder()
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a"] }),
    "/a": article("Chapter A"),
  })
  const file = join(folder.path, "sources.yaml")
  writeFileSync(file, "# ours\nsources:\n  - name: blog\n    seeds: blog.example.com # the blog\n")
  const asked = await run(folder.path, ["sources", "add", site.authority])
  expect(asked).toMatchObject({ code: 0, err: "" })
  // There is no user to answer, so nothing is written.
  expect(asked.out).toMatch(/2 pages as Fossick reads them\n {2}Home\n {4}http.*\n {4}Home is explained here/)
  expect(asked.out).toContain(`  - name: ${site.authority}\n`)
  expect(readFileSync(file, "utf8")).not.toContain(site.authority)

  const added = await run(folder.path, ["sources", "add", site.authority, "--write", "--json"])
  expect(added.code).toBe(0)
  const { source, pages, yaml } = JSON.parse(added.out) as Record<string, never>
  expect(source).toMatchObject({ seeds: [site.url("/")] })
  expect(pages).toHaveLength(2)
  expect(yaml).toContain("sources:\n")
  const written = readFileSync(file, "utf8")
  expect(written).toContain("# ours\n")
  expect(written).toContain("blog.example.com # the blog\n")
  expect(await run(folder.path, ["sources", "apply"])).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      new RegExp(`^\\+ ${site.authority}: new\n.* without pauses\n\\+ blog: new\n.*\n$`),
    ),
  })

  const refused = await run(folder.path, ["sources", "add", `${site.authority}/missing`, "--write"])
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.out).toContain("the site answered 404")
  expect(readFileSync(file, "utf8")).toBe(written)
})

test("a source goes from its file to its pages and back, without an appliance", async () => {
  using folder = temporaryFolder()
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a", "/b.pdf"] }),
    "/a": article("Chapter A"),
  })
  const declare = (yaml: string) => {
    writeFileSync(join(folder.path, "sources.yaml"), yaml)
  }
  declare("sources:\n  - name: docs\n")
  expect(await run(folder.path, ["sources", "apply"])).toEqual({
    code: 2,
    out: "",
    err: "sources.yaml:2:5: docs: seeds is missing\n",
  })
  declare(`sources: [{ name: docs, seeds: "${site.url("/")}", exclude: "*.pdf", rendering: http }]`)
  expect(await run(folder.path, ["sources", "apply"])).toEqual({
    code: 0,
    // This machine's own site is read without pauses.
    out: expect.stringMatching(
      /^\+ docs: new\n {4}a full crawl: page count not known yet, at most 10,000 .* without pauses\n$/,
    ),
    err: "",
  })

  // Given only a name, the command crawls the declared source.
  const crawl = await run(folder.path, ["crawl", "docs", "--json"])
  expect(crawl).toMatchObject({ code: 0, err: "" })
  expect(JSON.parse(crawl.out.trim().split("\n").at(-1) ?? "")).toMatchObject({
    event: "ended",
    state: "finished",
    outcomes: { indexed: 2 },
  })
  expect((await run(folder.path, ["crawl", "docs", "--limit", "5"])).err).toContain(
    "docs is a declared source",
  )
  expect((await run(folder.path, ["sources", "run", "blog"])).err).toContain(
    'There is no source "blog"; the sources are docs',
  )
  const all = await run(folder.path, ["sources", "list"])
  expect(all.out.split("\n")).toEqual([
    "NAME  PAGES  NEW  CHANGED  REMOVED  FAILED  VECTORS  LAST RESULT  ENDED UTC    NEXT UTC",
    expect.stringMatching(
      /^docs      2    2        0        0       0    100 %  finished     \d\d-\d\d \d\d:\d\d  on request$/,
    ),
    "",
  ])
  const whole = JSON.parse((await run(folder.path, ["sources", "list", "--json"])).out) as object
  expect(whole).toMatchObject({
    pages: 2,
    pagesWithVectors: 2,
    lastResult: {
      job: 1,
      result: "finished",
      reason: null,
      new: 2,
      changed: 0,
      gone: 0,
      failed: 0,
      skipped: 0,
    },
    lastJob: 1,
  })
  const mistyped = await run(folder.path, ["jobs", "list", "--source", "dosc"])
  expect(mistyped).toMatchObject({ code: 1, out: "" })
  expect(mistyped.err).toContain('There is no source "dosc"; did you mean "docs"?')
  const listed = await run(folder.path, ["jobs", "list"])
  expect(listed.out).toMatch(/^JOB +SOURCE +RESULT +TRIGGER .*\n1 +docs +finished +run .* 2 pages\n$/)

  expect(await run(folder.path, ["sources", "delete", "docs"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("docs is declared in sources.yaml: remove it there") as unknown,
  })
  declare("sources: []")
  expect(await run(folder.path, ["sources", "apply", "--remove-pages"])).toEqual({
    code: 0,
    out: "- docs: no longer declared; its 2 pages will be removed from the index\n2 pages removed\n",
    err: "",
  })
})

test("the crawler process runs a source by its schedule, and removes the pages of one that is deleted", async ({
  signal,
}) => {
  using folder = temporaryFolder()
  await using site = await startTestSite({ "/": article("Home") })
  const db = await openStateStore(join(folder.path, "data"))
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  const crawler = spawn(process.execPath, [MAIN], {
    env: {
      ...CHILD_ENV,
      ...vectors.settings,
      FOSSICK_DATA_DIR: join(folder.path, "data"),
      FOSSICK_LOG_LEVEL: "error",
    },
    stdio: ["ignore", "inherit", "inherit"],
  })
  const ended = once(crawler, "close")
  try {
    await sources.put(
      { name: "docs", seeds: site.url("/"), rendering: "http", schedule: { everyHours: 5 } },
      "file",
    )
    let job = (await jobs.list({ source: "docs" }))[0]
    while (job?.state !== "finished") {
      await sleep(50, undefined, { signal })
      job = (await jobs.list({ source: "docs" }))[0]
    }
    expect(job).toMatchObject({ trigger: "schedule", visits: "due", outcomes: { indexed: 1 } })
    const hours =
      (((await sources.get("docs"))?.nextRun?.getTime() ?? 0) - job.createdAt.getTime()) / 3_600_000
    expect(Math.round(hours * 100) / 100).toBe(5)

    await sources.delete("docs", { removePages: true, origin: "file" })
    while ((await sources.removals()).length > 0) await sleep(50, undefined, { signal })
    expect(await statement(db, "select count(*) as n from known_address").get()).toEqual({ n: 0 })
  } finally {
    crawler.kill("SIGTERM")
    await ended
    db.close()
  }
})

test("a source of documents can be declared before there is any state", async () => {
  using folder = temporaryFolder()
  const source = "name: notes, documents: true, seeds: https://notes.example/"
  writeFileSync(join(folder.path, "sources.yaml"), `sources: [{ ${source} }]\n`)
  for (const command of ["validate", "plan", "apply"])
    expect(await run(folder.path, ["sources", command])).toMatchObject({ code: 0, err: "" })
})

test("the backup section of the file is validated, planned, applied, shown and carried out", async () => {
  using folder = temporaryFolder()
  const at = (name: string) => join(folder.path, name)
  const declare = (block: string) => writeFileSync(at("sources.yaml"), `sources: []\n${block}`)
  const told = async (...args: string[]) => (await run(folder.path, args)).out
  declare("backup: { folder: data/backups, keep: 0, times: 3 }")
  expect(await run(folder.path, ["sources", "validate"])).toMatchObject({
    code: 2,
    err: `sources.yaml:2:39: backup.keep must be >= 1
sources.yaml:2:49: backup.times isn't a field of the backup; the fields are schedule, folder, keep, name
`,
  })
  declare("backup: { folder: data/backups }")
  expect((await run(folder.path, ["sources", "apply"])).err).toContain(
    `sources.yaml:2:19: backup.folder must not be in the data folder (${at("data")})`,
  )
  declare("backup: { folder: backups, schedule: 30 2 * * *, keep: 2 }")
  expect(await told("sources", "validate")).toBe("sources.yaml: 0 sources and a backup, no problems\n")
  expect(await told("sources", "plan")).toContain("+ backup: new\n")
  expect(await told("sources", "apply")).toContain("+ backup: new\n")
  expect(await told("sources", "list")).toMatch(
    /^Backup: next run \d{4}-\d\d-\d\d 02:30 UTC, last run never\./m,
  )
  const shown = await told("sources", "show", "backup")
  expect(shown).toContain(`files       ${at("backups")}, named fossick-<time>.tar; the newest 2 are kept`)
  expect(shown).toContain("schedule    30 2 * * * (UTC)")

  const failed = await run(folder.path, ["backups", "run"])
  expect(failed).toMatchObject({
    code: 1,
    err: `The backup folder ${at("backups")} doesn't exist: create or mount it.\n`,
  })
  declare("backup: { folder: backups, schedule: { everyHours: 12 }, keep: 3 }")
  expect(await told("sources", "plan")).toContain(`~ backup: changed
    schedule.cron: "30 2 * * *" -> null
    schedule.everyHours: null -> 12
    keep: 2 -> 3
`)
  declare("")
  expect(await told("sources", "apply")).toContain(
    "- backup: no longer declared; existing backup files are kept\n",
  )
  expect(await told("backups", "list")).toContain("No backup is declared.")
})

test("source names that keys, collections or settings use but nothing declares cause a warning, or an error on request", async () => {
  using folder = temporaryFolder()
  const env = { FOSSICK_X402_SOURCES: "wikki" }
  const file = join(folder.path, "sources.yaml")
  writeFileSync(
    file,
    "sources: [{ name: wiki, seeds: wiki.example.com }, { name: docs, seeds: docs.example.com }]",
  )
  // Before there is any state, only the setting is known.
  const first = await run(folder.path, ["sources", "validate"], env)
  expect(first).toEqual({
    code: 0,
    out: "sources.yaml: 2 sources, no problems\n",
    err: 'warning: FOSSICK_X402_SOURCES names the source "wikki", which is not declared; did you mean "wiki"?\n',
  })
  expect((await run(folder.path, ["sources", "validate", "--strict"], env)).code).toBe(2)
  expect((await run(folder.path, ["sources", "apply"])).code).toBe(0)
  await run(folder.path, ["collections", "set", "staff", "wiki", "docs"])
  await run(folder.path, ["keys", "create", "--name", "chat", "--source", "docs"])
  writeFileSync(file, "sources: [{ name: wiki, seeds: wiki.example.com }]")
  expect((await run(folder.path, ["sources", "apply"])).code).toBe(0)
  const { code, err } = await run(folder.path, ["sources", "plan"])
  expect(code).toBe(0)
  expect(err.split("\n")).toEqual([
    'warning: the collection "staff" names the source "docs", which is not declared',
    expect.stringMatching(/^warning: the key \w+ \(chat\) names the source "docs", which is not declared$/),
    "",
  ])
  const told = JSON.parse((await run(folder.path, ["sources", "validate", "--strict", "--json"])).out)
  expect(told.problems).toHaveLength(2)
})

test("a missing backup folder causes a warning, on the machine that should have it", async () => {
  using folder = temporaryFolder()
  const text = "sources: []\nbackup: { folder: away, schedule: 30 2 * * * }\n"
  writeFileSync(join(folder.path, "sources.yaml"), text)
  const away = `backup.folder: The backup folder ${join(folder.path, "away")} doesn't exist: create or mount it`
  expect(await run(folder.path, ["sources", "validate"])).toMatchObject({
    code: 0,
    err: `warning: ${away}\n`,
  })
  expect((await run(folder.path, ["sources", "validate", "--skip-secrets"])).err).toBe("")
  mkdirSync(join(folder.path, "away"))
  expect((await run(folder.path, ["sources", "validate"])).err).toBe("")
})

test("a secret may be set elsewhere, and errors are reported to programs too", async () => {
  using folder = temporaryFolder()
  writeFileSync(
    join(folder.path, "sources.yaml"),
    `sources:
  - { name: wiki, seeds: wiki.example.com, login: { kind: basic, user: ada, password: "\${WIKI_PASSWORD}" } }`,
  )
  const told = await run(folder.path, ["sources", "validate", "--json"])
  expect([told.code, JSON.parse(told.out)]).toEqual([
    2,
    {
      file: "sources.yaml",
      problems: [
        { line: 2, column: 87, message: expect.stringContaining("wiki: login.password cannot be used") },
      ],
    },
  ])
  expect((await run(folder.path, ["sources", "validate", "--skip-secrets"])).code).toBe(0)
  // The settings file has the same effect as the environment.
  writeFileSync(join(folder.path, "fossick.env"), "WIKI_PASSWORD=hunter2\n")
  expect(await run(folder.path, ["sources", "plan"])).toEqual({
    code: 0,
    out: "+ wiki: new\n    a full crawl: page count not known yet, at most 10,000 pages, 2 h 47 min at one request per host per second\n",
    err: "",
  })
})

test("several sources are run by one command, and new or changed ones when the file is applied", async () => {
  using folder = temporaryFolder()
  await using site = await startTestSite({ "/a": article("Harbour"), "/b": article("Lighthouse") })
  const declare = (...names: readonly string[]) => {
    const source = (name: string) => `{ name: ${name}, seeds: "${site.url(`/${name}`)}", rendering: http }`
    writeFileSync(join(folder.path, "sources.yaml"), `sources: [${names.map(source).join(", ")}]`)
  }
  declare("a", "b")
  const both = await run(folder.path, ["sources", "apply", "--run"])
  expect([both.code, both.err]).toEqual([0, ""])
  expect(both.out.split("\n").slice(-3)).toEqual(["a: finished", "b: finished", ""])

  declare("a", "b", "gone")
  const one = await run(folder.path, ["sources", "apply", "--run", "--json"])
  expect(one.code).toBe(1)
  const started = one.out.split("\n").filter((line) => line.includes('"started"'))
  expect(started.map((line) => (JSON.parse(line) as { source: string }).source)).toEqual(["gone"])

  expect((await run(folder.path, ["sources", "run", "a", "bb"])).err).toContain('did you mean "b"?')
  expect((await run(folder.path, ["sources", "run"])).err).toContain("or add --all")
  await run(folder.path, ["sources", "pause", "b"])
  const all = await run(folder.path, ["sources", "run", "--all"])
  expect([all.code, all.err]).toEqual([1, expect.stringContaining("Skipped, because they are paused: b.")])
  expect(all.out).toMatch(/\na: finished\ngone: failed, .*\n$/)
})

test("sources run by one command do not wait for a slow one, even without an appliance", async () => {
  using folder = temporaryFolder()
  await using site = await startTestSite({ "/b": article("Lighthouse"), "/c": article("Harbour") })
  // This site answers once the command has reported that both others have ended.
  const told = Promise.withResolvers<void>()
  await using sick = await startTestSite({
    "/robots.txt": status(404),
    "/a": async (request, response) => {
      await told.promise
      html(article("Windmill"))(request, response)
    },
  })
  const source = (name: string, url: string) => `{ name: ${name}, seeds: "${url}", rendering: http }`
  const all = [source("a", sick.url("/a")), source("b", site.url("/b")), source("c", site.url("/c"))]
  writeFileSync(join(folder.path, "sources.yaml"), `sources: [${all.join(", ")}]`)
  await run(folder.path, ["sources", "apply"])
  const child = spawn(process.execPath, [FOSSICK, "sources", "run", "--all", "--json"], {
    cwd: folder.path,
    env: {
      ...CHILD_ENV,
      ...vectors.settings,
      FOSSICK_DATA_DIR: join(folder.path, "data"),
      FOSSICK_FETCH_TIMEOUT_MS: "60000",
    },
  })
  const lines = createInterface({ input: child.stdout })
  const ended: string[] = []
  const names = new Map<number, string>()
  for await (const line of lines) {
    const event = JSON.parse(line) as { event: string; job: number; source?: string; result?: string }
    if (event.event === "started") names.set(event.job, event.source ?? "")
    if (event.event === "ended") ended.push(`${names.get(event.job)} ${event.result}`)
    if (ended.length === 2) told.resolve()
  }
  expect(ended.toSorted()).toEqual(["a finished", "b finished", "c finished"])
  expect(ended.at(-1)).toBe("a finished")
  expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(0)
})
