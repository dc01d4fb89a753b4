/** A room whose tests are tested by changing the code they cover. */
export interface MutatedRoom {
  readonly name: string
  /** Files to mutate, as patterns from the root. */
  readonly mutate: readonly string[]
  /** Tests that should notice the changes, as patterns from the root; patterns with `!` are excluded. */
  readonly tests: readonly string[]
  /** Whether every unnoticed mutant was judged: then any new unnoticed mutant is a fault, whatever the share of the others. */
  readonly isJudged: boolean
}

interface RoomOptions {
  readonly moreTests?: readonly string[]
  /** Tests that kill processes, which see no change made in this process and take long, and tests that need their own thread. */
  readonly withoutTests?: readonly string[]
}

/** The one-line program of a thread: a test sees its effects, but Stryker sees no test in another thread. */
const THREADS = ["!base/process/threads/work-thread.ts"]

const room = (
  name: string,
  isJudged: boolean,
  { moreTests = [], withoutTests = [] }: RoomOptions = {},
): MutatedRoom => ({
  name,
  mutate: [`${name}/**/*.ts`, `!${name}/**/*.test.ts`, `!${name}/**/testing/**`, ...THREADS],
  tests: [`${name}/**/*.test.ts`, ...moreTests, ...withoutTests.map((file) => `!${file}`)],
  isJudged,
})

/** The test that compares names, defaults and words of settings with the handbook. */
const SETTINGS = "docs/settings.test.ts"

export const ROOMS: readonly MutatedRoom[] = [
  room("base/audit", true),
  room("base/flow", true),
  room("base/text", true),
  room("base/telemetry/log", true, { moreTests: [SETTINGS] }),
  room("base/outbound", true),
  room("base/process", true),
  room("base/store", false),
  room("base/telemetry/traces", true, { moreTests: [SETTINGS] }),
  {
    name: "base",
    mutate: ["base/*.ts", "!base/*.test.ts", "!base/fossick-version.ts"],
    tests: ["base/*.test.ts"],
    isJudged: true,
  },
  room("engine/search/ranking", true),
  room("crawler/fetch", true),
  room("crawler/crawl/frontier", true),
  room("crawler/upkeep/removals", true),
  room("api/identity/accounts", false, {
    moreTests: [SETTINGS],
    withoutTests: [
      "api/identity/accounts/kill.test.ts",
      "api/identity/accounts/two-processes.test.ts",
      // This test replaces a module that other tests in the same thread have already loaded.
      "api/identity/accounts/billing/read-only-folder.test.ts",
    ],
  }),
  room("api/doors/x402", false, { moreTests: [SETTINGS], withoutTests: ["api/doors/x402/crash.test.ts"] }),
]
