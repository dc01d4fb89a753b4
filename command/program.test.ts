import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { EXIT } from "#base/exit-codes.ts"
import { fossickVersion } from "#base/fossick-version.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { readCommandLine } from "./program.ts"
import { COMMANDS } from "./registry.ts"
import { type CommandSpec, isGroup } from "./spec.ts"
import { FOSSICK } from "./testing/fossick.ts"

/** Every command by its path; groups are split into their commands. */
const all: [path: string, spec: CommandSpec][] = []
for (const [name, { load }] of Object.entries(COMMANDS)) {
  const spec = await load()
  if (!isGroup(spec)) all.push([name, spec])
  else for (const [one, inner] of Object.entries(spec.commands)) all.push([`${name} ${one}`, inner])
}

const answer = async (...args: string[]) => {
  const line = await readCommandLine(args)
  if (!("code" in line)) throw new Error(`understood as ${line.path}`)
  return line
}

describe("every command", () => {
  test.each(all)("%s shows examples that it can parse", async (path, spec) => {
    const help = await answer(...path.split(" "), "--help")
    expect(help).toMatchObject({ code: EXIT.ok, err: "" })
    for (const { line } of spec.examples) {
      expect(help.out).toContain(line)
      const [first, ...words] = wordsOf(line)
      expect(first).toBe("fossick")
      expect(await readCommandLine(words)).toMatchObject({ path })
    }
  })

  test.each(all.filter(([, { json }]) => json !== null))("%s takes --json", async (path, spec) => {
    const [, ...words] = wordsOf(spec.examples[0].line)
    expect(await readCommandLine([...words, "--json"])).toMatchObject({ path, given: { json: true } })
  })

  test("is listed by --help, which loads none of them", async () => {
    const { code, out } = await answer("--help")
    expect(code).toBe(EXIT.ok)
    for (const [name, { summary }] of Object.entries(COMMANDS)) {
      expect(out).toContain(`  ${name} `)
      expect(out).toContain(summary)
    }
    expect(await answer("help")).toEqual(await answer("--help"))
    expect(await answer("help", "jobs")).toEqual(await answer("jobs", "--help"))
  })
})

describe("invalid command lines", () => {
  test.each([
    [["crwl", "example.com"], "(Did you mean crawl?)"],
    [["jobs", "lst"], "(Did you mean list?)"],
    [["crawl", "example.com", "--dept", "3"], "(Did you mean --depth?)"],
    [["removals", "aprove", "docs"], "(Did you mean approve?)"],
    [["crawl"], "missing required argument 'start'"],
    [["backup", "a", "b"], "too many arguments"],
    [["jobs"], "Usage: fossick jobs"],
    [[], "Usage: fossick"],
  ])("%j gets a suggestion, and code 2", async (args, message) => {
    const line = await answer(...args)
    expect(line).toMatchObject({ code: EXIT.usage, out: "" })
    expect(line.err).toContain(message)
  })
})

describe("the program", () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [FOSSICK, ...args], { env: { PATH: process.env["PATH"], ...env } })

  test("prints its version", async () => {
    expect(await run(["--version"])).toEqual({ stdout: `${fossickVersion()}\n`, stderr: "" })
  })

  test("ends with the codes that the handbook lists", async () => {
    using folder = temporaryFolder()
    const env = { FOSSICK_DATA_DIR: folder.path }
    expect(await run(["jobs", "list"], env)).toEqual({ stdout: "No jobs.\n", stderr: "" })
    await expect(run(["jobs", "show", "7"], env)).rejects.toMatchObject({ code: EXIT.failed })
    await expect(run(["jobs", "shw", "7"], env)).rejects.toMatchObject({ code: EXIT.usage })
    await expect(run(["jobs", "list"], { FOSSICK_ENGINE: "none" })).rejects.toMatchObject({
      code: EXIT.usage,
    })
  })

  test.each([
    ["jobs list"],
    ["sources list"],
    ["removals"],
    ["removals removed"],
    ["keys list"],
    ["keys create"],
    ["collections set a b"],
    ["collections list"],
    ["collections delete a"],
    ["payments"],
    ["payments outcomes"],
    ["index status"],
    ["search nothing"],
    ["why https://example.com/"],
  ])("%s --json writes only JSON", async (line) => {
    using folder = temporaryFolder()
    const env = { FOSSICK_DATA_DIR: folder.path }
    if (line === "collections delete a") await run(["collections", "set", "a", "b"], env)
    const { stdout } = await run([...line.split(" "), "--json"], env)
    // An empty list has no lines.
    const texts = ["jobs list", "sources list"].includes(line) ? stdout.split("\n").filter(Boolean) : [stdout]
    for (const text of texts) expect(() => JSON.parse(text) as unknown).not.toThrow()
  })
})

/** The words of a command line up to a pipe or a redirection, without any variable assignments at its start. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "")
  const end = words.findIndex((word) => word === "|" || word === ">")
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  return words.slice(start, end === -1 ? undefined : end)
}
