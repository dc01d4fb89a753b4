import { ChatModelError } from "../../api/services/chat-models/chat-model.ts"
import { openChatModel } from "../../api/services/chat-models/chat-server.ts"
import { tryModel } from "../../api/services/chat-models/try-model.ts"
import { type Check, note, wrong } from "./check.ts"
import { saidIn } from "./model-checks.ts"
import type { DoctorSettings } from "./settings-checks.ts"

const ADVICE =
  "Check FOSSICK_LLM_URL, FOSSICK_LLM_MODEL, FOSSICK_LLM_API_KEY and the server: docs/chat-models.md. Until then, answers quote sentences from the pages."

/**
 * Has the language model write a word, and reports what works. Everything sent is our own text, so the server's own
 * error can be shown.
 */
export const chatModelCheck = (settings: DoctorSettings): Check => ({
  name: "language model",
  async run() {
    if (settings.llmUrl === "" || settings.llmModel === "") return []
    await using model = openChatModel({ ...settings, llmRetries: 0 })
    try {
      const works = await tryModel(model!, settings.llmModel, new AbortController().signal)
      return note(works)
    } catch (error) {
      if (!(error instanceof ChatModelError)) throw error
      return wrong(`The language model cannot be used:  ${error.message}.${saidIn(error)}`, ADVICE)
    }
  },
})
