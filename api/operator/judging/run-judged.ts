import { createHash } from "node:crypto"

import type { Engine, Rule, SearchDepth } from "#engine"
import { GenerationFile } from "#engine/lifecycle/generations/generation-file.ts"

import type { Ruled } from "../rules/rule-store.ts"
import { judge, type Marks } from "./judge.ts"
import type { KeptQuestion } from "./judged-store.ts"
import type { RunFacts, RunStore } from "./run-store.ts"

/** Time between heartbeats of a run. */
const TOUCH_MS = 1000

/** A digest that is the same for the same rules, whatever the order in which they were created. */
export function rulesDigest(rules: readonly Rule[]): string {
  const sorted = rules.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 12)
}

/** The setup that questions are currently answered with. */
export async function factsNow(
  { engine, rules, dataDir }: { readonly engine: Engine; readonly rules: Ruled; readonly dataDir: string },
  { depth, note }: { readonly depth: SearchDepth; readonly note: string },
): Promise<Omit<RunFacts, "questions">> {
  const { embedder, pages } = await engine.stats()
  const { current } = await new GenerationFile(dataDir, engine.supports.adapter).read()
  return {
    depth,
    note,
    generation: current,
    embedder,
    pages,
    rulesVersion: rules.version,
    rulesDigest: rulesDigest(rules.rules),
  }
}

/**
 * Asks the questions of a run that has begun, and stores the marks. The run ends early if it is cancelled.
 * @returns the marks; null if the run ended early
 * @throws the error of a search, once the run has been marked as failed
 */
export async function runJudged(
  id: number,
  questions: readonly KeptQuestion[],
  {
    engine,
    runs,
    rules,
    depth,
  }: {
    readonly engine: Engine
    readonly runs: RunStore
    readonly rules: readonly Rule[]
    readonly depth: SearchDepth
  },
): Promise<Marks | null> {
  const unwanted = new AbortController()
  let touchedAt = Date.now()
  const onAsked = async (count: number) => {
    if (Date.now() - touchedAt < TOUCH_MS) return
    touchedAt = Date.now()
    if (!(await runs.touch(id, count))) unwanted.abort()
  }
  try {
    const marks = await judge(engine, questions, { depth, rules, signal: unwanted.signal, onAsked })
    await runs.finish(
      id,
      marks,
      marks.questions.map(({ ndcg, rank }, i) => ({ id: questions[i]!.id, ndcg, rank })),
      marks.degraded ?? null,
    )
    return marks
  } catch (error) {
    if (unwanted.signal.aborted) return null
    await runs.end(id, "failed", (error as Error).message)
    throw error
  }
}
