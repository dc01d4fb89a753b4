import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"
import { FAILURES } from "./base/testing/failures.ts"
import { PATIENCE } from "./base/testing/patience.ts"
import { WORKERS } from "./base/testing/workers.ts"
import { keepCompiled } from "./command/compile-cache.js"
import { LONG_FILES } from "./prove/suite/long-files.ts"
import { missingNeeds, needTags } from "./prove/suite/needs.ts"
import { ClosingReport } from "./prove/suite/report.ts"
import { STATE_FILES } from "./prove/suite/state-files.ts"

// Settings for the processes that run tests, and for those that tests start.
await keepCompiled(process.env)

const missing = await missingNeeds()
const ROOT = import.meta.dirname
const FLOORS = "{base,engine,crawler,api,faces,command,docs}"
const BROWSERS = "**/*.browser.test.ts"
const FILES = globSync([`${FLOORS}/**/*.test.ts`, "*.test.ts"], { cwd: ROOT })
const PROOFS = globSync("{bench,prove,docker,deploy}/**/*.test.ts", { cwd: ROOT })
const filesWith = (text: RegExp, files = FILES) =>
  files.filter((file) => text.test(readFileSync(join(ROOT, file), "utf8")))

/** The main paths, for `npm test`: a page from its address to the index, a question from its key to the answer, each face and door once. */
const STORIES = [
  "api/one-appliance.test.ts",
  "api/doors/mcp/mcp.test.ts",
  "api/doors/x402/clients.test.ts",
  "command/commands/pages/crawl.test.ts",
  "faces/console/first-run/first-run.browser.test.ts",
  "faces/search/search.browser.test.ts",
]

/** Files that start whole appliances, commands, database servers or chains, and take a long time. */
const APPLIANCES = filesWith(
  /startAppliance|killableAppliance|WholeCrawler|killAgainAndAgain|PostgresServer\.start|startChain|testing\/fossick\.ts|"[^"]*\b(?:main|start)\.ts"\)|fossick\.js"/,
)

/** Files that change their process for every file after them. Clocks, spies and settings are restored: see `leftovers.ts`. */
const APART = filesWith(
  /\bvi\.(?:(?:do)?[mM]ock\(|resetModules)|syncBuiltinESMExports|process\.(?:chdir|umask)|setGlobalDispatcher/,
  [...FILES, ...PROOFS],
)

/** Slow files come first, so that no processor ends up waiting for the last of them. */
class LongOnesFirst extends BaseSequencer {
  override async sort(...given: Parameters<BaseSequencer["sort"]>): ReturnType<BaseSequencer["sort"]> {
    const files = await super.sort(...given)
    const isLong = ({ moduleId }: (typeof files)[number]) =>
      /\/(?:prove|bench)\/|\.browser\.test\.ts$/.test(moduleId)
    return [...files.filter(isLong), ...files.filter((file) => !isLong(file))]
  }
}

interface ProjectOptions {
  readonly exclude?: readonly string[]
  /** Whether each file gets its own process; otherwise files share processes, which load the product once. */
  readonly isolate?: boolean
  readonly globalSetup?: readonly string[]
  readonly setupFiles?: readonly string[]
}

const project = (
  name: string,
  include: readonly string[],
  { exclude = [], isolate = false, globalSetup = [], setupFiles = [] }: ProjectOptions = {},
) => ({
  extends: true as const,
  test: {
    name,
    include: [...include],
    exclude: [...configDefaults.exclude, ...exclude],
    isolate,
    globalSetup: [...globalSetup],
    setupFiles: ["prove/suite/leftovers.ts", ...setupFiles],
  },
})

/** Two projects: one for files that may share processes, one for the others. */
const withApart = (name: string, files: readonly string[], options: ProjectOptions) => [
  project(
    name,
    files.filter((file) => !APART.includes(file)),
    options,
  ),
  project(
    `${name} apart`,
    files.filter((file) => APART.includes(file)),
    { ...options, isolate: true },
  ),
]

export default defineConfig({
  test: {
    // Builds the pages for people once for all tests that show them.
    globalSetup: ["prove/suite/run-folder.ts", "faces/build/before-tests.ts"],
    tags: needTags(missing),
    ...WORKERS,
    ...PATIENCE,
    ...FAILURES,
    reporters: ["default", new ClosingReport(missing)],
    sequence: { sequencer: LongOnesFirst },
    passWithNoTests: false,
    projects: [
      project("units", FILES, { exclude: [BROWSERS, ...LONG_FILES, ...APPLIANCES, ...APART, ...STORIES] }),
      project("apart", APART, {
        exclude: [BROWSERS, ...LONG_FILES, ...APPLIANCES, ...STORIES, ...PROOFS],
        isolate: true,
      }),
      project("stories", STORIES, { isolate: true }),
      project("browsers", [BROWSERS], { exclude: STORIES }),
      ...withApart("long", LONG_FILES, { exclude: [...APPLIANCES, ...STORIES] }),
      ...withApart("appliances", APPLIANCES, { exclude: [BROWSERS, ...STORIES] }),
      ...withApart("proofs", PROOFS, { exclude: [BROWSERS] }),
      ...(missing.some(({ name }) => name === "postgresql")
        ? []
        : withApart("postgres", STATE_FILES, {
            globalSetup: ["base/store/testing/own-server.ts"],
            setupFiles: ["base/store/testing/on-server.ts"],
          })),
    ],
  },
})
