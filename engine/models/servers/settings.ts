import type { CosineRange } from "../../embedder.ts"
import { baseUrl, integer, oneOf, type Setting, SettingsError, text, type Values } from "#base/settings.ts"

/** Maximum number of dimensions; the largest models today have 4,096. */
export const MAX_DIMENSIONS = 8192

const embeddingsUrl = baseUrl(
  {
    name: "FOSSICK_EMBEDDINGS_URL",
    default: "",
    about:
      "Base address of a server that makes the vectors instead of FOSSICK_MODEL, without `/embeddings` or `/embed`, such as `http://localhost:8000/v1`. Every passage and every question is sent there. If empty, the appliance makes the vectors.",
  },
  "; set the key in FOSSICK_EMBEDDINGS_KEY",
)

const embeddingsCosines: Setting<CosineRange> = {
  name: "FOSSICK_EMBEDDINGS_COSINES",
  default: "0,1",
  about:
    "Cosines that FOSSICK_EMBEDDINGS_MODEL gives to unrelated texts, and to texts with the same meaning, such as `0.7,1` for models of the E5 family.",
  parse(value) {
    const [unrelated = Number.NaN, same = Number.NaN, ...others] = value.split(",").map(Number)
    if (others.length === 0 && unrelated >= -1 && unrelated < same && same <= 1) return { unrelated, same }
    throw new Error("must be two numbers from -1 to 1, the first one lower, such as 0.7,1")
  },
}

const rerankerUrl = baseUrl(
  {
    name: "FOSSICK_RERANKER_URL",
    default: "",
    about:
      "Base address of a server that compares a question with the passages found, without `/rerank`. Questions and passages are sent there. If empty, no server is asked.",
  },
  "; set the key in FOSSICK_RERANKER_KEY",
)

/** A key, or a reference to it: `${NAME}` or `file:/path`. */
export const keyReference = (name: Setting<string>["name"], url: string): Setting<string> =>
  text({
    name,
    default: "",
    about: `Key sent to ${url} as \`Authorization: Bearer\`, or a reference to it: \`\${NAME}\` or \`file:/path\`; empty sends none.`,
    secret: true,
  })

/** Settings of models on other servers, and of rerankers. */
export const modelServerSettings = {
  embeddingsUrl,
  embeddingsModel: text({
    name: "FOSSICK_EMBEDDINGS_MODEL",
    default: "",
    about:
      "Name of the model at FOSSICK_EMBEDDINGS_URL; required if that is set. The name, the dimensions and the prefixes identify the vectors: if one of them changes, the index is rebuilt.",
  }),
  embeddingsKey: keyReference("FOSSICK_EMBEDDINGS_KEY", "FOSSICK_EMBEDDINGS_URL"),
  embeddingsApi: oneOf(
    {
      name: "FOSSICK_EMBEDDINGS_API",
      default: "auto",
      about:
        "API of FOSSICK_EMBEDDINGS_URL: `openai` (`/embeddings`), `tei` (`/embed` of Text Embeddings Inference), or `auto`, which tries `/embeddings` and, if there is none, `/embed`.",
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
        "Dimensions of the vectors of FOSSICK_EMBEDDINGS_MODEL, for models that can shorten them, and for starting while the server is down; 0 asks the server once and remembers the answer.",
    },
    0,
    MAX_DIMENSIONS,
  ),
  embeddingsQuestionPrefix: text({
    name: "FOSSICK_EMBEDDINGS_QUESTION_PREFIX",
    default: "",
    about: "Prefix for questions to FOSSICK_EMBEDDINGS_MODEL, such as `query: `.",
  }),
  embeddingsPassagePrefix: text({
    name: "FOSSICK_EMBEDDINGS_PASSAGE_PREFIX",
    default: "",
    about: "Prefix for passages to FOSSICK_EMBEDDINGS_MODEL, such as `passage: `.",
  }),
  embeddingsCosines,
  embeddingsBatch: integer(
    {
      name: "FOSSICK_EMBEDDINGS_BATCH",
      default: "32",
      about: "Texts in one request to FOSSICK_EMBEDDINGS_URL. If the server accepts fewer, requests are halved.",
    },
    1,
    2048,
  ),
  embeddingsTimeoutMs: integer(
    {
      name: "FOSSICK_EMBEDDINGS_TIMEOUT_MS",
      default: "2000",
      about:
        "Milliseconds that a question waits for its vector from FOSSICK_EMBEDDINGS_URL; after that, it is answered by words alone. Texts of pages may take thirty times as long.",
    },
    50,
    60_000,
  ),
  reranker: text({
    name: "FOSSICK_RERANKER",
    default: "",
    about:
      "Folder of a cross-encoder, a model that reads a question and a passage together, in the layout of FOSSICK_MODEL; empty uses none. Can't be combined with FOSSICK_RERANKER_URL.",
  }),
  rerankerUrl,
  rerankerModel: text({
    name: "FOSSICK_RERANKER_MODEL",
    default: "",
    about: "Name of the model at FOSSICK_RERANKER_URL; empty for a server that has only one.",
  }),
  rerankerKey: keyReference("FOSSICK_RERANKER_KEY", "FOSSICK_RERANKER_URL"),
  rerankerApi: oneOf(
    {
      name: "FOSSICK_RERANKER_API",
      default: "auto",
      about:
        "API of `/rerank` at FOSSICK_RERANKER_URL: `cohere` (Cohere, Jina, vLLM, Infinity, llama.cpp), `tei` (Text Embeddings Inference), or `auto`, which tries both.",
    },
    "auto",
    "cohere",
    "tei",
  ),
  rerankerDepth: oneOf(
    {
      name: "FOSSICK_RERANKER_DEPTH",
      default: "advanced",
      about: "The lowest search depth that uses the reranker.",
    },
    "advanced",
    "basic",
  ),
  rerankerTimeoutMs: integer(
    {
      name: "FOSSICK_RERANKER_TIMEOUT_MS",
      default: "2000",
      about:
        "Milliseconds that a question waits for the reranker; after that, results are ranked without it.",
    },
    50,
    60_000,
  ),
}

/** Rejects settings that contradict each other. @throws SettingsError */
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
