import { ModelServerError } from "../../servers/model-server.ts"

/** The request and response format of an embeddings server. */
export interface EmbeddingsShape {
  readonly name: "openai" | "tei"
  readonly path: string
  body(model: string, texts: readonly string[]): object
  /** One list of numbers for each text, in order; not validated further. @throws ModelServerError */
  vectors(answer: unknown, count: number): readonly unknown[]
  /** The number of tokens read, according to the server; `null` if it doesn't report the number. */
  tokens(answer: unknown): number | null
}

/** `POST /embeddings` of the OpenAI API, which vLLM, Infinity, llama.cpp, Ollama, TEI and others support as well. */
const openai: EmbeddingsShape = {
  name: "openai",
  path: "/embeddings",
  body: (model, texts) => ({ model, input: texts, encoding_format: "float" }),
  vectors(answer, count) {
    const { data } = (answer ?? {}) as { data?: unknown }
    if (!Array.isArray(data)) throw strange("no list `data`")
    const items = data as ({ index?: unknown; embedding?: unknown } | null)[]
    if (items.length !== count) throw strange(`${items.length} vectors for ${count} texts`)
    const ordered = Array.from<unknown>({ length: count })
    const seen = new Set<unknown>()
    for (const [place, item] of items.entries()) {
      const { index = place, embedding } = item ?? {}
      const isPlace = Number.isInteger(index) && (index as number) >= 0 && (index as number) < count
      if (!isPlace || seen.has(index)) throw strange("an `index` that belongs to no text, or the same one twice")
      seen.add(index)
      ordered[index as number] = embedding
    }
    return ordered
  },
  tokens(answer) {
    const read = (answer as { usage?: { prompt_tokens?: unknown } | null }).usage?.prompt_tokens
    return typeof read === "number" && Number.isSafeInteger(read) && read > 0 ? read : null
  },
}

/** `POST /embed` of Text Embeddings Inference. */
const tei: EmbeddingsShape = {
  name: "tei",
  path: "/embed",
  body: (_model, texts) => ({ inputs: texts, normalize: true, truncate: true }),
  vectors(answer, count) {
    if (!Array.isArray(answer)) throw strange("no list of vectors")
    if (answer.length !== count) throw strange(`${answer.length} vectors for ${count} texts`)
    return answer
  },
  tokens: () => null,
}

export const EMBEDDINGS_SHAPES = { openai, tei } as const

/**
 * A vector of unit length. If it is longer than wanted, it is truncated, which models trained for this allow
 * (Matryoshka representation learning, Kusupati et al. 2022).
 *
 * @param cutTo `null` leaves the length unchanged
 * @throws ModelServerError when it isn't a vector
 */
export function unitVector(given: unknown, cutTo: number | null): Float32Array {
  if (!Array.isArray(given) || given.length === 0) throw strange("something other than a list of numbers")
  const vector = Float32Array.from(given as number[]).subarray(0, cutTo ?? given.length)
  const isNumbers = (given as unknown[]).every((value) => typeof value === "number")
  let squares = 0
  for (const value of vector) squares += value * value
  if (!isNumbers || !Number.isFinite(squares)) throw strange("a vector with something other than numbers")
  if (squares === 0) throw strange("a vector of length zero")
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}

const strange = (what: string) => new ModelServerError(`gave ${what}`, { status: 200 })
