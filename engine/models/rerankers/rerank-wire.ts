import { ModelServerError } from "../servers/model-server.ts"

/** The request formats of reranker servers. All return an `index` and a score for each text, best first. */
export interface RerankShape {
  readonly name: "cohere" | "tei"
  body(model: string, question: string, texts: readonly string[]): object
}

/** `POST /rerank` of Cohere and Jina, which vLLM, Infinity and llama.cpp support as well. */
const cohere: RerankShape = {
  name: "cohere",
  body: (model, query, documents) => ({
    ...(model !== "" && { model }),
    query,
    documents,
    top_n: documents.length,
  }),
}

/** `POST /rerank` of Text Embeddings Inference. */
const tei: RerankShape = {
  name: "tei",
  body: (_model, query, texts) => ({ query, texts, truncate: true }),
}

export const RERANK_SHAPES = { cohere, tei } as const

interface RankedItem {
  readonly index?: unknown
  /** Cohere and Jina. */
  readonly relevance_score?: unknown
  /** Text Embeddings Inference. */
  readonly score?: unknown
}

/** One number for each text, in order, on the server's own scale. @throws ModelServerError */
export function scoresIn(answer: unknown, count: number): number[] {
  const list = Array.isArray(answer)
    ? (answer as unknown[])
    : ((answer ?? {}) as { results?: unknown }).results
  if (!Array.isArray(list)) throw strange("no list of scores")
  if (list.length !== count) throw strange(`${list.length} scores for ${count} texts`)
  const scores = Array.from<number | undefined>({ length: count })
  for (const item of list as (RankedItem | null)[]) {
    const { index, relevance_score: relevance, score = relevance } = item ?? {}
    const isPlace = Number.isInteger(index) && (index as number) >= 0 && (index as number) < count
    if (!isPlace || scores[index as number] !== undefined) {
      throw strange("an `index` that belongs to no text, or the same one twice")
    }
    if (typeof score !== "number" || !Number.isFinite(score)) throw strange("a score that is not a number")
    scores[index as number] = score
  }
  return scores as number[]
}

const strange = (what: string) => new ModelServerError(`gave ${what}`, { status: 200 })
