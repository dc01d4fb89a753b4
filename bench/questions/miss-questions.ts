import { readJsonLines } from "../data-files.ts"

/** Questions that find nothing, and why. The crawled site is made from this list (`bench/quality/misses/world.ts`). */
export const missQuestions = readJsonLines(new URL("misses.jsonl", import.meta.url), {
  properties: {
    /** How the site responds for the page, or how the request is made. */
    seed: {
      enum: [
        "indexed",
        "robots",
        "noindex",
        "removed",
        "not-found",
        "excluded",
        "other-host",
        "beyond-limit",
        "never-run",
        "login-failed",
        "empty",
        "picture",
        "broken",
        "out-of-reach",
        "nowhere",
        "filtered",
      ],
    },
    /** Whether the page is searched for with a question or with its address. */
    by: { enum: ["question", "address"] },
    /** Each of these causes is correct; empty if the page is found. */
    causes: { elements: { type: "string" } },
    /** The thing asked for, two words that no other page has. */
    thing: { type: "string" },
    question: { type: "string" },
  },
  // Parameters of the request; `{host}` is replaced with the host of a site that is not crawled.
  optionalProperties: { parameters: { values: {} } },
})

export type MissQuestion = (typeof missQuestions)[number]
export type Seed = MissQuestion["seed"]
