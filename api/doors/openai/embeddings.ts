import type { Embedder } from "#engine"
import { ModelOutage } from "#engine/models/servers/availability.ts"

import { searchCost } from "../../identity/accounts/billing/credits.ts"
import { type Middleware, clientGone } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { pathParameter } from "../../server/middleware/query-parameters.ts"
import { FieldReader } from "../../server/wire/fields.ts"

/** Maximum number of texts in one call; with the bundled model, they take several seconds of processor time. */
const MAX_TEXTS = 256
/** OpenAI's own bound is 8,192 tokens; the models here read only about the first 500, and the rest has no effect on the vector. */
const MAX_CHARS = 40_000
/** The name that stands for whichever model is loaded. */
const LOADED = "default"

type LoadedEmbedder = Pick<Embedder, "id" | "dimensions" | "embed">

/** POST /v1/embeddings: vectors of texts, from the same model as the index. */
export function embeddings(embedder: LoadedEmbedder): Middleware {
  return async (ctx) => {
    const body = new FieldReader(ctx.state.body)
    const model = body.requiredString("model", 1000)
    const texts = textsOf(body)
    const format = body.oneOf("encoding_format", ["float", "base64"]) ?? "float"
    const as = body.oneOf("input_type", ["query", "document", "passage"])
    body.only([embedder.dimensions], ["dimensions"], "The length of the model's vectors is fixed.")
    body.passedOver("user")
    body.end()
    requireModel(embedder, model)
    const { bill } = ctx.state
    const cost = searchCost("basic")
    await bill.reserve(cost)
    // Stays 0 for model servers that don't report token usage; no real text has that count.
    let tokens = 0
    const asked = {
      as: as === "query" ? "question" : "passage",
      priority: "query",
      signal: clientGone(ctx),
      onTokens: (read: number) => (tokens = read),
    } as const
    const vectors = await embedder.embed(texts, asked).catch((error: unknown) => {
      if (error instanceof ModelOutage) throw new ApiError(503, error.message)
      throw error
    })
    await bill.settle(cost, { depth: "embeddings", query: undefined })
    ctx.body = {
      object: "list",
      data: vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: format === "base64" ? base64Of(vector) : [...vector],
      })),
      model: embedder.id,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
  }
}

/** GET /v1/models, /v1/models/{model}: the loaded model. */
export function models(embedder: Pick<Embedder, "id">, isList: boolean): Middleware {
  return async (ctx) => {
    const model = { id: embedder.id, object: "model", created: 0, owned_by: "fossick" }
    if (!isList) requireModel(embedder, pathParameter(ctx, "model"))
    ctx.body = isList ? { object: "list", data: [model] } : model
  }
}

function requireModel({ id }: Pick<Embedder, "id">, model: string): void {
  if (model === id || model === LOADED) return
  throw new ApiError(404, `Invalid model. Must be ${JSON.stringify(id)}, the loaded model, or "${LOADED}".`)
}

function textsOf(body: FieldReader): readonly string[] {
  const given = body.any("input")
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  const isText = (one: unknown): one is string =>
    typeof one === "string" && one !== "" && one.length <= MAX_CHARS
  if (texts.length > 0 && texts.length <= MAX_TEXTS && texts.every(isText)) return texts
  const isTokens = texts.some((one) => typeof one === "number" || Array.isArray(one))
  throw body.refusal(
    "input",
    isTokens
      ? "Must be text, since other models' tokens mean nothing to this one. In LangChain, set check_embedding_ctx_length=False."
      : `Must be a string or a list of at most ${MAX_TEXTS} strings, each of 1 to ${MAX_CHARS} characters.`,
  )
}

/** Encodes a vector as little-endian 32-bit floats, as OpenAI does. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString("base64")
}
