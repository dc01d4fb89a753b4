import { readJsonLines } from "../data-files.ts"

/** What is asked in vain, and why. The site that is crawled for it is made of this list (`bench/quality/misses/world.ts`). */
export const missQuestions = readJsonLines(new URL("misses.jsonl", import.meta.url), {
  properties: {
    /** What the site does with the page that is asked for, or what the request does. */
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
    /** How it is asked. */
    by: { enum: ["question", "address"] },
    /** Any of these is right; none: it is found. */
    causes: { elements: { type: "string" } },
    /** The thing asked for, two words that no other page has. */
    thing: { type: "string" },
    question: { type: "string" },
  },
  // Of the request. `{host}` stands for that of a site that nobody crawls.
  optionalProperties: { parameters: { values: {} } },
})

export type MissQuestion = (typeof missQuestions)[number]
export type Seed = MissQuestion["seed"]
