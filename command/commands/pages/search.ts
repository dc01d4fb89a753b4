import { wholeNumber } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const search = command({
  about: "Searches the index, beside a running appliance or without one. Needs no key.",
  args: { question: { about: "what you want to know", several: true } },
  options: { limit: { value: "n", about: "how many pages to show, 1 to 100", default: "5" } },
  examples: [
    { line: 'fossick search "how do I reset my password?"', about: "the five best pages" },
    { line: "fossick search --limit 1 --json reset password", about: "the best one, for a program" },
  ],
  async run({ args, options, json }) {
    const limit = wholeNumber("--limit", options.limit, 1, 100)
    const { search: run } = await import("#engine/commands/search-session.ts")
    const { withHandbookApart } = await import("#crawler/commands/with-handbook-apart.ts")
    return await withHandbookApart((through) =>
      run({ text: args.question.join(" ").trim(), limit, json, through }),
    )
  },
})
