import type { CosineRange } from "../../embedder.ts"
import { baseUrl, integer, oneOf, type Setting, SettingsError, text, type Values } from "#base/settings.ts"

/** The largest models of today have 4,096. */
export const MAX_DIMENSIONS = 8192

const embeddingsUrl = baseUrl(
  {
    name: "FOSSICK_EMBEDDINGS_URL",
    default: "",
    about:
      "Base address of a server that makes the vectors instead of FOSSICK_MODEL, up to the path that `/embeddings` or `/embed` follows, such as `http://localhost:8000/v1`; empty makes them here. Every passage and every question is sent there.",
  },
  "; FOSSICK_EMBEDDINGS_KEY takes a key",
)

const embeddingsCosines: Setting<CosineRange> = {
  name: "FOSSICK_EMBEDDINGS_COSINES",
  default: "0,1",
  about:
    "Cosines that FOSSICK_EMBEDDINGS_MODEL gives texts that have nothing to do with each other, and texts that mean the same, such as `0.7,1` for models of the E5 family.",
  parse(value) {
    const [unrelated = Number.NaN, same = Number.NaN, ...others] = value.split(",").map(Number)
    if (others.length === 0 && unrelated >= -1 && unrelated < same && same <= 1) return { unrelated, same }
    throw new Error("must be two numbers from -1 to 1, the first one less, such as 0.7,1")
  },
}

const rerankerUrl = baseUrl(
  {
    name: "FOSSICK_RERANKER_URL",
    default: "",
    about:
      "Base address of a server that compares a question with the passages found, up to the path that `/rerank` follows; empty asks none. Questions and passages are sent there.",
  },
  "; FOSSICK_RERANKER_KEY takes a key",
)

/** A key, or a reference to it: `${NAME}` or `file:/path`. */
export const keyReference = (name: Setting<string>["name"], url: string): Setting<string> =>
  text({
    name,
    default: "",
    about: `Key sent to ${url} as \`Authorization: Bearer\`, or where it stands: \`\${NAME}\` or \`file:/path\`; empty sends none.`,
    secret: true,
  })

/** Settings of models on other servers, and of rerankers. */
export const modelServerSettings = {
  embeddingsUrl,
  embeddingsModel: text({
    name: "FOSSICK_EMBEDDINGS_MODEL",
    default: "",
    about:
      "Name of the model at FOSSICK_EMBEDDINGS_URL, required together with it. With its dimensions and the prefixes it names the vectors: another name has the index built anew.",
  }),
  embeddingsKey: keyReference("FOSSICK_EMBEDDINGS_KEY", "FOSSICK_EMBEDDINGS_URL"),
  embeddingsApi: oneOf(
    {
      name: "FOSSICK_EMBEDDINGS_API",
      default: "auto",
      about:
        "What FOSSICK_EMBEDDINGS_URL speaks: `openai` (`/embeddings`), `tei` (`/embed` of Text Embeddings Inference), or `auto`, which asks for `/embeddings` and, where there is none, for `/embed`.",
    },
    "auto",
    "openai",
    "tei",
  ),
  embeddingsDimensions: integer(
    {
      name: "FOSSICK_EMBEDDINGS_DIMENSIONS",
      default: "0",
      about:
        "Dimensions of the vectors of FOSSICK_EMBEDDINGS_MODEL, for models that can shorten them and to start while the server is away; 0 asks the server once and keeps what it says.",
    },
    0,
    MAX_DIMENSIONS,
  ),
  embeddingsQuestionPrefix: text({
    name: "FOSSICK_EMBEDDINGS_QUESTION_PREFIX",
    default: "",
    about: "What is written before a question for FOSSICK_EMBEDDINGS_MODEL, such as `query: `.",
  }),
  embeddingsPassagePrefix: text({
    name: "FOSSICK_EMBEDDINGS_PASSAGE_PREFIX",
    default: "",
    about: "What is written before a passage for FOSSICK_EMBEDDINGS_MODEL, such as `passage: `.",
  }),
  embeddingsCosines,
  embeddingsBatch: integer(
    {
      name: "FOSSICK_EMBEDDINGS_BATCH",
      default: "32",
      about: "Texts in one request to FOSSICK_EMBEDDINGS_URL. A server that takes fewer gets them in halves.",
    },
    1,
    2048,
  ),
  embeddingsTimeoutMs: integer(
    {
      name: "FOSSICK_EMBEDDINGS_TIMEOUT_MS",
      default: "2000",
      about:
        "Milliseconds for which a question waits for its vector from FOSSICK_EMBEDDINGS_URL; then words alone answer. Texts of pages may take thirty times as long.",
    },
    50,
    60_000,
  ),
  reranker: text({
    name: "FOSSICK_RERANKER",
    default: "",
    about:
      "Folder of a cross-encoder, a model that reads a question and a passage together, in the layout of FOSSICK_MODEL; empty uses none. Not together with FOSSICK_RERANKER_URL.",
  }),
  rerankerUrl,
  rerankerModel: text({
    name: "FOSSICK_RERANKER_MODEL",
    default: "",
    about: "Name of the model at FOSSICK_RERANKER_URL; empty for a server that has one alone.",
  }),
  rerankerKey: keyReference("FOSSICK_RERANKER_KEY", "FOSSICK_RERANKER_URL"),
  rerankerApi: oneOf(
    {
      name: "FOSSICK_RERANKER_API",
      default: "auto",
      about:
        "What `/rerank` at FOSSICK_RERANKER_URL speaks: `cohere` (Cohere, Jina, vLLM, Infinity, llama.cpp), `tei` (Text Embeddings Inference), or `auto`, which tries both.",
    },
    "auto",
    "cohere",
    "tei",
  ),
  rerankerDepth: oneOf(
    {
      name: "FOSSICK_RERANKER_DEPTH",
      default: "advanced",
      about: "The lowest search depth at which the reranker is asked.",
    },
    "advanced",
    "basic",
  ),
  rerankerTimeoutMs: integer(
    {
      name: "FOSSICK_RERANKER_TIMEOUT_MS",
      default: "2000",
      about:
        "Milliseconds for which a question waits for the reranker; then the ranking stays as it was without it.",
    },
    50,
    60_000,
  ),
}

/** Settings that contradict each other. @throws SettingsError */
export function checkModelServers(
  settings: Partial<
    Pick<Values<typeof modelServerSettings>, "embeddingsUrl" | "embeddingsModel" | "reranker" | "rerankerUrl">
  >,
): void {
  const { embeddingsUrl = "", embeddingsModel = "", reranker = "", rerankerUrl = "" } = settings
  const problems = []
  if (embeddingsUrl !== "" && embeddingsModel === "") {
    problems.push("FOSSICK_EMBEDDINGS_MODEL must be set together with FOSSICK_EMBEDDINGS_URL")
  }
  if (embeddingsUrl === "" && embeddingsModel !== "") {
    problems.push("FOSSICK_EMBEDDINGS_URL must be set together with FOSSICK_EMBEDDINGS_MODEL")
  }
  if (reranker !== "" && rerankerUrl !== "") {
    problems.push("FOSSICK_RERANKER must not be set together with FOSSICK_RERANKER_URL")
  }
  if (problems.length > 0) throw new SettingsError(problems)
}
