import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { MADE_UP, type MadeUp } from "#base/testing/made-up.ts"
import type { Effort, Outcome, Proof } from "../proof.ts"

const ROOT = join(import.meta.dirname, "../..")
/** How many times more cases are tried than in a test. */
const TIMES = 100
/** No limit: here, no property is cut short to save time. */
const NO_LIMIT_MS = 2 ** 31 - 1

interface Area {
  readonly what: string
  readonly held: string
  readonly test: string
}

export const AREAS: readonly Area[] = [
  {
    what: "addresses",
    held: "one spelling for each, which still leads to the same page, without password or fragment",
    test: "engine/index/page/page-url.property.test.ts",
  },
  {
    what: "domain rules",
    held: "a simple implementation, label by label",
    test: "engine/index/page/domains.property.test.ts",
  },
  {
    what: "crawl scopes",
    held: "a simple implementation, letter by letter",
    test: "crawler/crawl/scope/scope.property.test.ts",
  },
  {
    what: "dates",
    held: "a calendar counted day by day; no text causes an error",
    test: "base/text/written-date.test.ts",
  },
  {
    what: "score fusion",
    held: "scores between 0 and 1, in order; no page ranks lower for matching more",
    test: "engine/search/ranking/fusion.test.ts",
  },
  {
    what: "word statistics of pages",
    held: "the formulas, implemented a second time",
    test: "engine/search/ranking/word-evidence.property.test.ts",
  },
  {
    what: "passages",
    held: "each word once and in order; no passage longer than promised",
    test: "engine/text/passages.property.test.ts",
  },
  {
    what: "filters and facets, embedded index",
    held: "a simple implementation, compared with searches of a real index",
    test: "engine/adapters/embedded/filter.property.test.ts",
  },
  {
    what: "filters, Meilisearch and OpenSearch",
    held: "a simple implementation, compared with an interpreter of the filters sent",
    test: "engine/adapters/filters.property.test.ts",
  },
]

export const proof: Proof = {
  title: "Property-based tests",
  promise:
    "Rules that must hold for every value are tested with a very large number of generated values ([fast-check](https://fast-check.dev)), " +
    "against a second, " +
    "deliberately simple implementation where there can be one. The test suite generates hundreds or thousands of cases for each property; this " +
    "run generates a hundred times as many.",
  run: (effort) => held(effort, AREAS),
}

/** Checks the properties of these areas, one after the other. */
export async function held({ scale, seed, tell }: Effort, areas: readonly Area[]): Promise<Outcome> {
  const rows: (readonly [string, string, number, number, number])[] = []
  const faults: string[] = []
  for (const { what, held, test } of areas) {
    // Areas run one after the other, because vitest uses the whole machine.
    // oxlint-disable-next-line no-await-in-loop
    const { cases, failures } = await tried(test, { times: TIMES * scale, seed })
    const all = cases.reduce((sum, one) => sum + one, 0)
    tell(`${what}: ${cases.length} properties, ${all} cases, ${failures.length} failed`)
    rows.push([what, held, cases.length, all, failures.length])
    if (cases.length === 0) faults.push(`${test} has no property`)
    faults.push(...failures.map((failure) => `${test}: ${failure}`))
  }
  const sum = (at: 2 | 3 | 4) => rows.reduce((all, row) => all + row[at], 0)
  return {
    columns: ["subject", "checked against", "properties", "cases", "failed"],
    rows: [...rows, ["total", "", sum(2), sum(3), sum(4)]],
    faults,
  }
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly message?: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[]
    }>
  }>
}

async function tried(test: string, { times, seed }: Omit<MadeUp, "counts">) {
  const dir = await mkdtemp(join(tmpdir(), "fossick-properties-"))
  try {
    const [report, counts] = [join(dir, "report.json"), join(dir, "counts")]
    await writeFile(counts, "")
    // Variables that vitest sets for its own tests must not reach the tests that run here.
    const outer = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"))
    const env = {
      ...Object.fromEntries(outer),
      [MADE_UP]: JSON.stringify({ times, seed, counts } satisfies MadeUp),
    }
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs")
    const command = [
      vitest,
      "run",
      test,
      "--reporter=json",
      `--outputFile=${report}`,
      `--testTimeout=${NO_LIMIT_MS}`,
    ]
    // vitest exits with 1 when a property fails: the report says which one.
    await promisify(execFile)(process.execPath, command, { cwd: ROOT, env, maxBuffer: 64 << 20 }).catch(
      () => undefined,
    )
    const { testResults } = JSON.parse(await readFile(report, "utf8")) as Report
    const failures = testResults.flatMap(({ status, message = "", assertionResults }) => {
      const failed = assertionResults.filter((one) => one.status === "failed")
      if (failed.length === 0 && status === "failed") return [message]
      return failed.map(({ fullName, failureMessages: [why = ""] }) => `${fullName}: ${why.slice(0, 1000)}`)
    })
    const cases = (await readFile(counts, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map(Number)
    return { cases, failures }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
