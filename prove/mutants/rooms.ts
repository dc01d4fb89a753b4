/** A room whose tests are tried by changing what they test. */
export interface MutatedRoom {
  readonly name: string
  /** Files that are changed, as patterns from the root. */
  readonly mutate: readonly string[]
  /** Tests that are to notice, as patterns from the root. */
  readonly tests: readonly string[]
  /** Every mutant that no test notices was judged: a further one is a fault, whatever the share of the others. */
  readonly isJudged: boolean
}

const room = (name: string, isJudged: boolean, moreTests: readonly string[] = []): MutatedRoom => ({
  name,
  mutate: [`${name}/**/*.ts`, `!${name}/**/*.test.ts`, `!${name}/**/testing/**`],
  tests: [`${name}/**/*.test.ts`, ...moreTests],
  isJudged,
})

export const ROOMS: readonly MutatedRoom[] = [
  room("base/flow", false),
  room("base/text", false),
  room("base/log", false),
  room("base/process", false),
  room("base/store", false),
  {
    name: "base",
    mutate: ["base/*.ts", "!base/*.test.ts", "!base/fossick-version.ts"],
    tests: ["base/*.test.ts"],
    isJudged: false,
  },
  room("engine/ranking", false),
  room("crawler/fetch", false),
  room("crawler/frontier", false, ["crawler/crawl/**/*.test.ts"]),
  room("crawler/removals", false),
  room("api/accounts", false),
  room("api/x402", false),
]
