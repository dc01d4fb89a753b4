import type { Engine, Hit, HitParts, Rule } from "#engine"

/** Number of results compared for each question. */
const COMPARED = 10

/** One result, either before or after the change. */
export interface ComparedHit {
  readonly url: string
  readonly title: string
  readonly score: number
  readonly rules: readonly string[]
  /** How the rank was calculated. */
  readonly parts: HitParts
}

export interface Comparison {
  readonly question: string
  readonly before: readonly ComparedHit[]
  readonly after: readonly ComparedHit[]
  /** Whether the pages or their order differ. */
  readonly changed: boolean
}

/** The results of questions with the current rules and with the changed ones. */
export async function compareRules(
  engine: Pick<Engine, "search">,
  questions: readonly string[],
  { before, after }: { readonly before: readonly Rule[]; readonly after: readonly Rule[] },
  signal?: AbortSignal,
): Promise<Comparison[]> {
  const compared: Comparison[] = []
  // Questions are asked one after the other, so that a preview does not delay searches.
  for (const question of questions) {
    const ask = async (rules: readonly Rule[]) => {
      const query = { text: question, limit: COMPARED, passagesPerPage: 0, withMarkdown: false, rules }
      return (await engine.search(query, signal ? { signal } : {})).hits.map(shown)
    }
    const found = { before: await ask(before), after: await ask(after) }
    const order = (hits: readonly ComparedHit[]) => hits.map(({ url }) => url).join("\n")
    compared.push({ question, ...found, changed: order(found.before) !== order(found.after) })
  }
  return compared
}

const shown = ({ url, title, score, parts, rules = [] }: Hit): ComparedHit => ({
  url,
  title,
  score,
  rules: rules.map(({ id }) => id),
  parts: {
    lexical: parts.lexical,
    passage: parts.passage,
    vector: parts.vector,
    late: parts.late,
    rerank: parts.rerank,
    fused: parts.fused,
    boost: parts.boost,
  },
})
