import { keyReference } from "#engine/models/servers/settings.ts"
import { baseUrl, integer, type Setting, SettingsError, text } from "#base/settings.ts"

const llmUrl = baseUrl(
  {
    name: "FOSSICK_LLM_URL",
    default: "",
    about:
      "Base address of an OpenAI-compatible server whose model writes answers, such as `http://localhost:11434/v1`. If empty, answers consist of the pages' own sentences.",
  },
  "; set the key in FOSSICK_LLM_API_KEY",
)

/** Fields that only Fossick may set. */
const OURS = ["model", "messages", "stream", "n", "response_format"]

const llmBody: Setting<Readonly<Record<string, unknown>>> = {
  name: "FOSSICK_LLM_BODY",
  default: "",
  // Some gateways expect the key in this field.
  secret: true,
  about:
    'Extra fields for each request to FOSSICK_LLM_URL, as a JSON object, such as `{"reasoning_effort":"none"}`; they override those that Fossick sends.',
  parse(value) {
    if (value === "") return {}
    let given: unknown
    try {
      given = JSON.parse(value)
    } catch {
      throw new Error('must be a JSON object, such as {"reasoning_effort":"none"}')
    }
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw new Error('must be a JSON object, such as {"reasoning_effort":"none"}')
    }
    const ours = OURS.filter((name) => Object.hasOwn(given, name))
    if (ours.length > 0) throw new Error(`must not contain ${ours.join(", ")}, which Fossick sets`)
    return given as Readonly<Record<string, unknown>>
  },
}

/** Settings of the language model that writes answers and reports. */
export const chatModelSettings = {
  llmUrl,
  llmModel: text({
    name: "FOSSICK_LLM_MODEL",
    default: "",
    about: "Name of the model at FOSSICK_LLM_URL; required if that is set.",
  }),
  llmApiKey: keyReference("FOSSICK_LLM_API_KEY", "FOSSICK_LLM_URL"),
  llmBody,
  llmTimeoutMs: integer(
    {
      name: "FOSSICK_LLM_TIMEOUT_MS",
      default: "20000",
      about:
        "Milliseconds that the model has for one answer, including the wait for its turn; after that, the answer consists of the pages' own sentences. In a report: the longest pause once the model has begun to write.",
    },
    100,
    600_000,
  ),
  llmLoadSeconds: integer(
    {
      name: "FOSSICK_LLM_LOAD_SECONDS",
      default: "180",
      about:
        "Seconds to wait for a model that is still loading: at the start, while it is unavailable, and in reports. Answers wait no longer than FOSSICK_LLM_TIMEOUT_MS.",
    },
    1,
    3600,
  ),
  llmRetries: integer(
    {
      name: "FOSSICK_LLM_RETRIES",
      default: "2",
      about:
        "How many times to retry a request after a temporary failure (no connection, 408, 429, 5xx), first after half a second, or later if the server asks for it.",
    },
    0,
    10,
  ),
  llmConcurrency: integer(
    {
      name: "FOSSICK_LLM_CONCURRENCY",
      default: "2",
      about: "Answers that the model may write at the same time.",
    },
    1,
    64,
  ),
  llmContextTokens: integer(
    {
      name: "FOSSICK_LLM_CONTEXT_TOKENS",
      default: "0",
      about:
        "Tokens that the model can read and write in one request; sources are cut to fit. 0 asks the server, and uses 8192 if it doesn't say.",
    },
    0,
    10_000_000,
  ),
  llmThinkingTokens: integer(
    {
      name: "FOSSICK_LLM_THINKING_TOKENS",
      default: "2048",
      about: "Tokens for the model's thinking, added to those for its answer once it has been seen to think.",
    },
    0,
    100_000,
  ),
}

/** Checks settings that depend on each other. @throws SettingsError */
export function checkChatModel({ llmUrl: url, llmModel: model }: { llmUrl: string; llmModel: string }): void {
  if (url !== "" && model === "") {
    throw new SettingsError(["FOSSICK_LLM_MODEL must be set together with FOSSICK_LLM_URL"])
  }
  if (url === "" && model !== "") {
    throw new SettingsError(["FOSSICK_LLM_URL must be set together with FOSSICK_LLM_MODEL"])
  }
}
