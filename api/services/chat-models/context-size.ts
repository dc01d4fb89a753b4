import type { ModelServer } from "#engine/models/servers/model-server.ts"

/** Maximum size of a response: a list of models takes a few kilobytes, or a megabyte for a gateway with a thousand models. */
const MAX_BYTES = 8 * 1024 * 1024

export interface ContextAsked {
  /** The server at the address in the settings, under which `/models` is found. */
  readonly server: Pick<ModelServer, "get">
  /** The server's root, where some servers report more than OpenAI's API has fields for. */
  readonly root: Pick<ModelServer, "get" | "post">
  readonly model: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

type Json = Readonly<Record<string, unknown>>

/**
 * How many tokens a model can read and write together, according to its server; `null` if the server doesn't report it.
 * The configured size takes precedence over the trained size, because servers truncate longer texts, some of them
 * silently.
 */
export async function contextSize({
  server,
  root,
  model,
  timeoutMs,
  signal,
}: ContextAsked): Promise<number | null> {
  const limits = { timeoutMs, maxBytes: MAX_BYTES, signal }
  const ask = async (question: Promise<unknown>): Promise<Json> => {
    try {
      return ((await question) ?? {}) as Json
    } catch {
      signal.throwIfAborted()
      return {}
    }
  }
  // All requests are sent at once, because each server knows only some of these addresses and an answer is waiting for
  // the result.
  const [models, props, lmStudio, running, shown] = await Promise.all([
    ask(server.get("/models", limits)),
    ask(root.get("/props", limits)),
    ask(root.get("/api/v0/models", limits)),
    ask(root.get("/api/ps", limits)),
    ask(root.post("/api/show", { model }, limits)),
  ])
  const listed = ofModel(models["data"], model)
  const studio = ofModel(lmStudio["data"], model)
  return (
    // Reported by vLLM; by llama.cpp, for one slot or for all of its slots; by LM Studio.
    size(listed["max_model_len"]) ??
    size(inner(props, "default_generation_settings")["n_ctx"]) ??
    size(inner(listed, "meta")["n_ctx"]) ??
    size(studio["loaded_context_length"]) ??
    ollamaSize(ofModel(running["models"], model), shown) ??
    // Reported by LM Studio before the model is loaded; by OpenRouter and Together; by Groq; by Mistral.
    size(studio["max_context_length"]) ??
    size(listed["context_length"]) ??
    size(listed["context_window"]) ??
    size(listed["max_context_length"])
  )
}

/** Ollama's default on a machine with less than 24 GB of graphics memory; Ollama cuts off the beginning of longer texts. */
const OLLAMA_DEFAULT = 4096

/** Ollama reports the trained size, too, but uses the configured one. */
function ollamaSize(running: Json, { parameters, model_info: info }: Json): number | null {
  const inUse = size(running["context_length"])
  if (inUse !== null) return inUse
  if (info === undefined && parameters === undefined) return null
  const set = /^num_ctx\s+(\d+)/m.exec(typeof parameters === "string" ? parameters : "")?.[1]
  if (set !== undefined) return Number(set)
  const trained = Object.entries((info ?? {}) as Json).find(([name]) => name.endsWith(".context_length"))?.[1]
  return Math.min(OLLAMA_DEFAULT, size(trained) ?? OLLAMA_DEFAULT)
}

/** A model's entry in a list; if the list has only one entry, that entry. */
function ofModel(list: unknown, model: string): Json {
  if (!Array.isArray(list)) return {}
  const models = list.filter((one): one is Json => typeof one === "object" && one !== null)
  const names = [model, `${model}:latest`]
  const named = models.find(({ id, name, model: known }) =>
    [id, name, known].some((one) => names.includes(one as string)),
  )
  return named ?? (models.length === 1 ? models[0]! : {})
}

const inner = (of: Json, name: string): Json => (of[name] ?? {}) as Json

const size = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : null
