import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { NO_POSTGRES, postgresPrograms, PostgresServer } from "#base/store/testing/postgres-server.ts"
import { stateOn } from "#base/store/testing/state-on.ts"
import { chance } from "#base/testing/chance.ts"
import { type CrawledByThree, crawlWithThree } from "#crawler/testing/crawl-with-three.ts"
import { type Effort, type Proof, type Row, tries } from "../proof.ts"

const ROUNDS = 20
/** Number of pages in each of the five sources. */
const PAGES = 20
const LEAST_PAGES = 6
const FIRST_KILL = 2

export const proof: Proof = {
  title: "Loss of a crawler",
  promise:
    "If one of several crawlers dies, the others finish its work. Three crawlers share one state and its schedule: five sources of twenty pages, " +
    "two of them on one host. `kill -9` ends one of them at a random moment while it waits for a page. Every page must be indexed, only pages " +
    "that the lost crawler had requested may be requested again, and every host must get its pause between any two requests, whichever crawler " +
    "makes them.",
  async run(effort) {
    const faults: string[] = []
    const rows = [await play("state.db", "", effort, faults)]
    if (postgresPrograms() === null) effort.tell(`PostgreSQL was not tested: ${NO_POSTGRES}`)
    else {
      await using server = await PostgresServer.start()
      rows.push(await play("PostgreSQL", server.socketUrl(), effort, faults))
    }
    const columns = ["state", "rounds", "killed", "pages", "lost", "requested twice", "requests in a pause"]
    return { columns, rows, faults }
  },
}

async function play(store: string, state: string, effort: Effort, faults: string[]): Promise<Row> {
  using _ = stateOn(state)
  const rounds = tries(effort, ROUNDS)
  const pages = tries(effort, PAGES, LEAST_PAGES)
  const runs: CrawledByThree[] = []
  for (let round = 0; round < rounds; round++) {
    const random = chance(effort.seed * 7919 + round)
    // Each of the three crawlers makes five thirds of `pages` requests on average, so that one of them reaches this
    // number.
    const killAt = FIRST_KILL + random.below(pages)
    const dataDir = await mkdtemp(path.join(tmpdir(), "fossick-crawlers-"))
    try {
      const run = await crawlWithThree({ dataDir, state, pages, killAt })
      for (const fault of faultsOf(run))
        faults.push(`${store}, seed ${effort.seed}, round ${round}, killed with request ${killAt}: ${fault}`)
      runs.push(run)
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
    effort.tell(`${store}: round ${round + 1} of ${rounds}`)
  }
  const sum = (of: (run: CrawledByThree) => number) => runs.reduce((all, run) => all + of(run), 0)
  return [
    store,
    rounds,
    sum(({ isKilled }) => Number(isKilled)),
    sum(({ pages }) => pages),
    sum(({ pages, indexed }) => pages - indexed),
    sum(({ twice }) => twice),
    sum(({ hurried }) => hurried),
  ]
}

function* faultsOf({ pages, indexed, isKilled, twice, ofLost, crawlers, hurried }: CrawledByThree) {
  if (!isKilled) yield "no crawler was killed"
  if (indexed !== pages) yield `${indexed} of ${pages} pages were indexed`
  if (twice > ofLost)
    yield `${twice} pages were requested again, but the lost crawler had requested only ${ofLost}`
  if (crawlers < 2) yield "one crawler did all the work"
  if (hurried > 0) yield `${hurried} requests came during their host's pause`
}
