import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { startCheapVectors } from "#engine/testing/model-server.ts"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { COMMANDS } from "./registry.ts"
import { FOSSICK, Fossick } from "./testing/fossick.ts"

// Every command prints text from pages, addresses and errors; a terminal must never interpret this text.

/** Clears the screen, sets the window's title, rings the bell, reverses the text direction, and starts the line over. */
const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eevil\u2066\u2069\u200f"
// oxlint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/

const opened = new AsyncDisposableStack()
let site: TestSite
let dir: string
let crawled: Ended

interface Ended {
  readonly code: number
  readonly text: string
}

/** Commands that run in a process of their own here: they end their process, or they test the whole path that text takes to a terminal. */
const OF_THEIR_OWN = ["start", "crawl", "mcp"]
const vectors = opened.use(await startCheapVectors())
const fossick = opened.use(new Fossick())

/** Runs `fossick <name>`. */
function run(name: string, ...args: string[]): Promise<Ended> {
  const env = {
    ...CHILD_ENV,
    FOSSICK_DATA_DIR: join(dir, "data"),
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_SOURCES_FILE: join(dir, "sources.yaml"),
    FOSSICK_UNIT_READER: "off",
    ...vectors.settings,
    FOSSICK_API_KEY: "a-key-that-only-this-test-knows",
    ...(name === "start" && { FOSSICK_PORT: HOSTILE }),
  }
  if (!OF_THEIR_OWN.includes(name)) {
    return fossick.run(dir, [name, ...args], env).then(({ code, out, err }) => ({ code, text: out + err }))
  }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [FOSSICK, name, ...args],
      { cwd: dir, env },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), text: stdout + stderr })
      },
    )
    child.stdin?.end()
  })
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-terminal-"))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  // Written as a character, the bell would make the body binary.
  const hostile = HOSTILE.replaceAll("\u0007", "&#7;")
  const page = (title: string) =>
    `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>
     <h2>Part ${hostile}</h2><p>Pumps ${hostile} move water from one place to another, by pressure, all day long and all night.</p>
     <p><a href="/gone${encodeURI("\u202e")}">${hostile}</a> <a href="/moved">on</a></p></main></body></html>`
  site = opened.use(
    await startTestSite({
      "/": page(`Pumps ${hostile}`),
      "/moved": (_, response) =>
        void response.writeHead(302, { Location: "http://\u009b31m.example/" }).end(),
    }),
  )
  await writeFile(
    join(dir, "sources.yaml"),
    JSON.stringify({ sources: [{ name: "pumps", seeds: [site.url("/")], rendering: "http" }] }),
  )
  crawled = await run("crawl", site.url("/"), "--rendering", "http", "--source", "pumps")
})
afterAll(() => opened.disposeAsync())

/** Calls of every command, with the options that print the most. Commands missing from all lists here fail the last test. */
const CALLS: Readonly<Record<string, (at: TestSite) => readonly (readonly string[])[]>> = {
  // The setting below makes this command fail.
  start: () => [[]],
  crawl: (at) => [[at.url("/gone%E2%80%AE"), "--rendering", "http"], [`http://${HOSTILE}/`]],
  sources: () => [["list"], ["show", "pumps"], ["apply"], ["show", HOSTILE]],
  jobs: () => [["list"], ["show", "1"], ["list", "--json"], [HOSTILE]],
  removals: () => [["list"], [HOSTILE]],
  search: () => [["pumps"], [`--${HOSTILE}`]],
  index: () => [["status"], [HOSTILE]],
  export: () => [[HOSTILE, HOSTILE]],
  import: () => [[`${HOSTILE}.fossick`]],
  backups: () => [["list"], [HOSTILE]],
  alerts: () => [["test"], [HOSTILE]],
  backup: () => [[HOSTILE, HOSTILE]],
  service: () => [["install", "--dry-run"], [HOSTILE]],
  restore: () => [[`${HOSTILE}.tar`]],
  why: (at) => [[at.url("/gone%E2%80%AE")], [HOSTILE]],
  try: (at) => [
    [at.url("/"), "--rendering", "http"],
    [at.url("/moved"), "--rendering", "http"],
  ],
  keys: () => [["make", "--name", `n ${HOSTILE}`], ["list"], [HOSTILE]],
  payments: () => [["days"], [HOSTILE]],
  watches: () => [["list", "--url", HOSTILE], ["show", HOSTILE], [HOSTILE]],
  queries: () => [["zero", "--url", HOSTILE], ["clear"], [HOSTILE]],
  rules: () => [["list"], ["apply", HOSTILE], [HOSTILE]],
  judge: () => [[HOSTILE]],
  mcp: () => [["--url", HOSTILE]],
  doctor: () => [[], [HOSTILE]],
  audit: () => [[], ["--object", HOSTILE], [HOSTILE]],
  outbound: () => [[], [HOSTILE]],
  state: () => [["move", "--to", HOSTILE], [HOSTILE]],
  verify: () => [[HOSTILE]],
  completion: () => [["bash"], [HOSTILE]],
  collections: () => [["put", `c ${HOSTILE}`, "pumps"], ["list"], [HOSTILE]],
}
describe("no terminal control sequence is written by", () => {
  test.each(Object.keys(CALLS))("fossick %s", async (name) => {
    for (const args of CALLS[name]!(site)) {
      const { text } = await run(name, ...args)
      expect([name, args, text, OBEYED.test(text)]).toEqual([name, args, text, false])
      expect(text).not.toBe("")
    }
  })

  test("any command, since all of them are covered here", () => {
    expect(Object.keys(COMMANDS).filter((name) => !(name in CALLS))).toEqual([])
  })
})

test("page text is still shown, as plain text", async () => {
  expect(crawled.text).toMatch(/1 {2}indexed/)
  expect(crawled.text).not.toMatch(OBEYED)
  const { text } = await run("search", "pumps")
  expect(text).toContain("\\u001b]0;owned")
  const found = JSON.parse((await run("search", "pumps", "--json")).text) as { hits: { title: string }[] }
  expect(found.hits[0]!.title).toContain("\u009b31m\u202eevil")
})
