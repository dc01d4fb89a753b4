import { wholeNumber } from "#base/command-arguments.ts"
import { PAGE_TYPES } from "#engine/index/page/page-type.ts"
import { command } from "../../spec.ts"

const several = { value: "name", several: true } as const

export const search = command({
  about: "Searches the index, whether or not the appliance is running. Needs no key.",
  args: { question: { about: "what you want to know", several: true } },
  options: {
    limit: { value: "n", about: "how many pages to show, 1 to 100", default: "5" },
    source: { ...several, about: "only pages from this source; repeatable" },
    collection: { ...several, about: "only pages from this collection's sources; repeatable" },
    type: { value: "type", several: true, choices: PAGE_TYPES, about: "only pages of this type; repeatable" },
  },
  examples: [
    { line: 'fossick search "how do I reset my password?"', about: "the five best pages" },
    { line: "fossick search --source docs --type pdf pump seals", about: "in the PDFs of one source" },
    { line: "fossick search --limit 1 --json reset password", about: "the best one, for a program" },
  ],
  async run({ args, options, json }) {
    const limit = wholeNumber("--limit", options.limit, 1, 100)
    const { searchedSources } = await import("../../../api/operator/commands/searched-sources.ts")
    const sources = await searchedSources(options.source, options.collection)
    const filter = { ...(sources && { sources }), types: options.type }
    const { search: run } = await import("#engine/commands/search-session.ts")
    const { withHandbookApart } = await import("#crawler/commands/with-handbook-apart.ts")
    return await withHandbookApart((through) =>
      run({ text: args.question.join(" ").trim(), limit, json, filter, through }),
    )
  },
})
