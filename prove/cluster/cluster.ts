import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { openOpenSearch } from "#engine/adapters/opensearch/opensearch-engine.ts"
import type { Engine } from "#engine"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startCluster, type TestCluster } from "#engine/testing/opensearch/cluster/start-cluster.ts"
import { aPage, rareWord } from "#engine/testing/pages.ts"
import { chance } from "#base/testing/chance.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"

const ROUNDS = 6
/** Number of pages indexed in a round, and in one call. */
const PAGES = 600
const PAGES_PER_CALL = 10
/** Number of clients that search at the same time, and of questions that each of them asks. */
const CLIENTS = 4
const QUESTIONS = 150
const CHECKS_AT_A_TIME = 8

export const proof: Proof = {
  title: "Loss of a cluster node",
  promise:
    "If a node of an OpenSearch cluster dies, no acknowledged page and no search is lost. In a cluster of three nodes, `kill -9` ends one while " +
    "pages are indexed (every second time, the node that manages the cluster), and another while four clients search. Every acknowledged page must " +
    "be found by its unique word, be returned in full and get its vectors. Every question must be answered with the page it is about.",
  async run(effort) {
    const rounds = tries(effort, ROUNDS)
    const dir = await mkdtemp(path.join(tmpdir(), "fossick-cluster-"))
    try {
      await using cluster = await startCluster()
      const tally = new Tally()
      for (let round = 0; round < rounds; round++) await play({ cluster, dir, round, effort, tally })
      return tally.outcome()
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
}

class Tally {
  readonly #columns = [
    "killed during",
    "kills",
    "calls",
    "failed",
    "slowest call, s",
    "pages lost",
    "fully restored after, s",
  ]
  readonly faults: string[] = []
  readonly #of = { indexing: new Phase(), searching: new Phase() }

  phase(name: "indexing" | "searching"): Phase {
    return this.#of[name]
  }

  outcome(): Outcome {
    const rows = Object.entries(this.#of).map(
      ([name, { kills, calls, failed, slowestMs, lost, wholeMs }]) => [
        name,
        kills,
        calls,
        failed,
        (slowestMs / 1000).toFixed(1),
        lost,
        (wholeMs / 1000).toFixed(0),
      ],
    )
    return { columns: this.#columns, rows, faults: this.faults }
  }
}

class Phase {
  kills = 0
  calls = 0
  failed = 0
  slowestMs = 0
  lost = 0
  /** The longest time from a kill until all copies were back, including the restart of the node. */
  wholeMs = 0

  async time<T>(call: () => Promise<T>): Promise<T> {
    this.calls++
    const began = performance.now()
    try {
      return await call()
    } catch (error) {
      this.failed++
      throw error
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began)
    }
  }
}

interface Round {
  readonly cluster: TestCluster
  readonly dir: string
  readonly round: number
  readonly effort: Effort
  readonly tally: Tally
}

async function play(given: Round): Promise<void> {
  const { cluster, dir, round, effort, tally } = given
  const share = Math.min(1, effort.scale * ROUNDS)
  const playing: Playing = {
    ...given,
    pages: Math.max(60, Math.round(PAGES * share)),
    questions: Math.max(20, Math.round(QUESTIONS * share)),
    fault: (what) => void tally.faults.push(`seed ${effort.seed}, round ${round}: ${what}`),
  }
  const open = (mode: "read" | "write") =>
    openOpenSearch({
      cluster: { urls: cluster.urls, login: null, tls: { ca: null, cert: null, key: null } },
      spread: { shards: 3, replicas: 1 },
      name: `proof-${round}`,
      lockDir: dir,
      embedder: new HashingEmbedder(),
      mode,
    })
  await using writer = await open("write")
  await cluster.whole()
  const { acknowledged, victim } = await dieWhileIndexing(playing, writer)
  await using reader = await open("read")
  await dieWhileSearching(playing, reader, (victim + 1) % cluster.urls.length)
  tally.phase("searching").lost += await missing(reader, acknowledged, playing.fault)
}

interface Playing extends Round {
  readonly pages: number
  /** Number of questions that each client asks. */
  readonly questions: number
  readonly fault: (what: string) => void
}

/** @returns the pages that were acknowledged, and the node that died */
async function dieWhileIndexing(playing: Playing, writer: Engine) {
  const { cluster, pages, fault, round, effort, tally } = playing
  const indexing = tally.phase("indexing")
  const random = chance(effort.seed * 7919 + round)
  const killAt = random.next() * 0.6 + 0.2
  const manager = await cluster.manager()
  const victim = round % 2 === 0 ? manager : (manager + 1) % cluster.urls.length
  let killed: number | null = null
  const acknowledged = new Set<number>()
  for (let at = 0; at < pages; at += PAGES_PER_CALL) {
    const some = Array.from({ length: Math.min(PAGES_PER_CALL, pages - at) }, (_, i) => at + i)
    // The node dies somewhere in the middle of this call.
    const dies = killed === null && at >= pages * killAt
    const written = indexing.time(() => writer.index(some.map(pageOf)))
    if (dies) {
      killed = performance.now()
      await cluster.kill(victim)
      indexing.kills++
      effort.tell(
        `round ${round}: node ${victim} killed${victim === manager ? ", the manager," : ""} while page ${at} was written`,
      )
    }
    try {
      await written
      for (const page of some) acknowledged.add(page)
    } catch (error) {
      fault(`pages from ${at} on were not written: ${String(error)}`)
    }
  }
  await writer.settled()
  indexing.lost += await missing(writer, acknowledged, fault)
  await restart(cluster, victim, indexing, killed!)
  indexing.lost += await missing(writer, acknowledged, fault)
  const { pagesWithoutVectors, pages: counted } = await writer.stats()
  if (counted !== pages || pagesWithoutVectors > 0) {
    fault(`${counted} of ${pages} pages are in the index, ${pagesWithoutVectors} of them without vectors`)
  }
  return { acknowledged, victim }
}

async function dieWhileSearching(playing: Playing, reader: Engine, victim: number): Promise<void> {
  const { cluster, pages, questions, fault, round, effort, tally } = playing
  const searching = tally.phase("searching")
  let asked = 0
  let died: Promise<number> | null = null
  const kill = async () => {
    await cluster.kill(victim)
    searching.kills++
    effort.tell(`round ${round}: node ${victim} killed after ${asked} questions`)
    return performance.now()
  }
  const client = async (number: number) => {
    const random = chance(effort.seed * 7919 + round * 977 + number)
    for (let i = 0; i < questions; i++) {
      const page = random.below(pages)
      asked++
      if (asked >= (questions * CLIENTS) / 3) died ??= kill()
      try {
        const { hits } = await searching.time(() => reader.search({ text: rareWord(page), limit: 3 }))
        if (hits[0]?.url !== pageOf(page).url) {
          searching.lost++
          fault(`question ${rareWord(page)} found ${hits[0]?.url ?? "nothing"}`)
        }
      } catch (error) {
        fault(`question ${rareWord(page)} failed: ${String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  await restart(cluster, victim, searching, await died!)
}

/** Starts a killed node again, and waits until all copies are back. */
async function restart(cluster: TestCluster, victim: number, phase: Phase, killedAt: number): Promise<void> {
  await cluster.restart(victim)
  await cluster.whole()
  phase.wholeMs = Math.max(phase.wholeMs, performance.now() - killedAt)
}

/** Number of pages that can't be found by their word, or aren't returned in full. */
async function missing(
  engine: Engine,
  acknowledged: ReadonlySet<number>,
  fault: (what: string) => void,
): Promise<number> {
  let lost = 0
  const left = [...acknowledged]
  const check = async () => {
    for (let number = left.pop(); number !== undefined; number = left.pop()) {
      const page = pageOf(number)
      const [{ hits }, stored] = await Promise.all([
        engine.search({ text: rareWord(number), limit: 1, arms: "lexical" }),
        engine.get(page.url),
      ])
      if (hits[0]?.url === page.url && stored?.markdown === page.markdown) continue
      lost++
      fault(`${page.url} was acknowledged, but ${stored ? "is not found" : "is gone"}`)
    }
  }
  await Promise.all(Array.from({ length: CHECKS_AT_A_TIME }, check))
  return lost
}

const pageOf = (number: number) =>
  aPage(`proof/${number}`, {
    title: `Chapter ${number}`,
    markdown: `The word ${rareWord(number)} stands here.\n\n${"Much is said besides. ".repeat(20)}`,
  })
