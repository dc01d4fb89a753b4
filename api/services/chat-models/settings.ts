import { keyReference } from "#engine/models/servers/settings.ts"
import { baseUrl, integer, type Setting, SettingsError, text } from "#base/settings.ts"

const llmUrl = baseUrl(
  {
    name: "FOSSICK_LLM_URL",
    default: "",
    about:
      "Base address of an OpenAI-compatible server whose model writes answers, such as `http://localhost:11434/v1`; empty means that answers are made of the pages' own sentences.",
  },
  "; FOSSICK_LLM_API_KEY takes a key",
)

/** Members that are ours to set. */
const OURS = ["model", "messages", "stream", "n", "response_format"]

const llmBody: Setting<Readonly<Record<string, unknown>>> = {
  name: "FOSSICK_LLM_BODY",
  default: "",
  // Some gateways take a key there.
  secret: true,
  about:
    'Further members of each request to FOSSICK_LLM_URL, as a JSON object, such as `{"reasoning_effort":"none"}`; they win over those that Fossick sends.',
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
    if (ours.length > 0) throw new Error(`must not hold ${ours.join(", ")}, which Fossick sets`)
    return given as Readonly<Record<string, unknown>>
  },
}

/** Settings of the language model that writes answers and reports. */
export const chatModelSettings = {
  llmUrl,
  llmModel: text({
    name: "FOSSICK_LLM_MODEL",
    default: "",
    about: "Name of the model at FOSSICK_LLM_URL; required together with it.",
  }),
  llmApiKey: keyReference("FOSSICK_LLM_API_KEY", "FOSSICK_LLM_URL"),
  llmBody,
  llmTimeoutMs: integer(
    {
      name: "FOSSICK_LLM_TIMEOUT_MS",
      default: "20000",
      about:
        "Milliseconds the model may take for one answer, waiting for its turn included; then the pages' own sentences answer. In a report: for which it may fall silent once it writes.",
    },
    100,
    600_000,
  ),
  llmLoadSeconds: integer(
    {
      name: "FOSSICK_LLM_LOAD_SECONDS",
      default: "180",
      about:
        "Seconds for which a model that is still being loaded is waited for, at the start, while it is away, and by reports; answers wait no longer than FOSSICK_LLM_TIMEOUT_MS.",
    },
    1,
    3600,
  ),
  llmRetries: integer(
    {
      name: "FOSSICK_LLM_RETRIES",
      default: "2",
      about:
        "How often a request that failed for a reason that may pass (no connection, 408, 429, 5xx) is sent again, after half a second at first, or as long as the server asks for.",
    },
    0,
    10,
  ),
  llmConcurrency: integer(
    {
      name: "FOSSICK_LLM_CONCURRENCY",
      default: "2",
      about: "Answers that the model may be writing at the same time.",
    },
    1,
    64,
  ),
  llmContextTokens: integer(
    {
      name: "FOSSICK_LLM_CONTEXT_TOKENS",
      default: "0",
      about:
        "Tokens that the model can read and write in one request; sources are cut to fit. 0 asks the server, and takes 8192 where it does not say.",
    },
    0,
    10_000_000,
  ),
  llmThinkingTokens: integer(
    {
      name: "FOSSICK_LLM_THINKING_TOKENS",
      default: "2048",
      about:
        "Tokens that a model may think for before it answers, added to those of its answer once it was seen to think.",
    },
    0,
    100_000,
  ),
}

/** Settings that need each other. @throws SettingsError */
export function checkChatModel({ llmUrl: url, llmModel: model }: { llmUrl: string; llmModel: string }): void {
  if (url !== "" && model === "") {
    throw new SettingsError(["FOSSICK_LLM_MODEL must be set together with FOSSICK_LLM_URL"])
  }
  if (url === "" && model !== "") {
    throw new SettingsError(["FOSSICK_LLM_URL must be set together with FOSSICK_LLM_MODEL"])
  }
}
