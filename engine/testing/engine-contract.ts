import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, describe } from "vitest"
import type { Engine, PageFilter } from "#engine/engine.ts"
import { pagesComeAndGo } from "./contract/pages.ts"
import { anIndexMoves } from "./contract/moves.ts"
import { aQuestion } from "./contract/questions.ts"
import { theNeedle } from "./contract/needles.ts"
import { languagesOfPages } from "./contract/languages.ts"
import { passages } from "./contract/passages.ts"
import { aFilter } from "./contract/filters.ts"
import { readersOfPages } from "./contract/readers.ts"
import { aPreference } from "./contract/preferences.ts"
import { pagesOfOneText } from "./contract/duplicates.ts"
import { hitsOfOneHost } from "./contract/hosts.ts"
import { facetsOfPages } from "./asking/counting.ts"
import { rulesOfTheOperator } from "./asking/ruling.ts"
import { whatIsTyped } from "./asking/suggesting.ts"
import { processes } from "./contract/processes.ts"
import type { AdapterUnderTest, OpenOptions, Stage } from "./contract/stage.ts"

const CHILD = new URL("engine-child.ts", import.meta.url).pathname

/** The promises of the `Engine` port, as stories. Every adapter runs them. */
export function describeEngine(name: string, adapter: AdapterUnderTest): void {
  describe(`${name} keeps the engine's promises:`, () => {
    let place: string
    const opened: Engine[] = []
    const children: ChildProcess[] = []

    beforeEach(async () => {
      place = await adapter.freshPlace()
    })
    afterEach(async () => {
      for (const child of children.splice(0)) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill("SIGKILL")
          await once(child, "exit")
        }
      }
      await Promise.all(opened.splice(0).map((engine) => engine[Symbol.asyncDispose]()))
      await adapter.removePlace(place)
    })

    async function open(options?: OpenOptions): Promise<Engine> {
      const engine = await adapter.open(place, options)
      opened.push(engine)
      return engine
    }

    function spawnChild(role: "reader" | "writer") {
      const child = spawn(process.execPath, [CHILD, adapter.module, place, role], {
        stdio: ["pipe", "pipe", "inherit"],
      })
      children.push(child)
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async () => {
        const { value, done } = await lines.next()
        if (done) throw new Error(`The ${role} process ended early.`)
        return value
      }
      return { child, next }
    }

    const found = async (engine: Engine, text: string, filter?: PageFilter) => {
      const { hits } = await engine.search({ text, limit: 10, ...(filter ? { filter } : {}) })
      return hits.map((hit) => hit.url)
    }
    /** Searches by words alone, so nothing is found by vector similarity. */
    const foundByWords = async (engine: Engine, text: string, filter?: PageFilter) => {
      const { hits } = await engine.search({
        text,
        limit: 10,
        arms: "lexical",
        ...(filter ? { filter } : {}),
      })
      return hits.map((hit) => hit.url).sort()
    }

    const stage: Stage = { adapter, place: () => place, opened, open, found, foundByWords, spawnChild }
    pagesComeAndGo(stage)
    anIndexMoves(stage)
    aQuestion(stage)
    theNeedle(stage)
    languagesOfPages(stage)
    passages(stage)
    aFilter(stage)
    readersOfPages(stage)
    aPreference(stage)
    pagesOfOneText(stage)
    hitsOfOneHost(stage)
    whatIsTyped(stage)
    facetsOfPages(stage)
    rulesOfTheOperator(stage)
    processes(stage)
  })
}
