import type { IndexedSources } from "../../server/tools/answers.ts"
import type { Api } from "../../server/operation/tool.ts"

const HOW =
  "A search engine over pages that its operator chose. Use it first for anything these pages may cover: tavily_search returns passages, fetch the whole page. If it says that nothing here fits, the answer is not in this index."

/** Maximum number of sources listed: models read this with every conversation. */
const MOST_NAMED = 30

/**
 * The instructions for a model before its first call: the operator's notice, how to use the server, and the sources
 * that the key may see.
 * @param notice a further notice about the appliance, or null
 */
export async function instructionsFor(api: Api, notice: string | null): Promise<string> {
  const indexed = (await api.get("/sources").catch(() => null)) as IndexedSources | null
  return [indexed?.about, HOW, notice, indexed && listed(indexed)]
    .filter((part) => typeof part === "string")
    .join("\n\n")
}

/** The instructions without the parts that must be looked up: the operator's notice and the sources. */
export const plainInstructions = (notice: string | null): string =>
  notice === null ? HOW : `${HOW}\n\n${notice}`

function listed({ sources }: IndexedSources): string | null {
  // Either nothing is indexed yet, or the key may not see any source's name.
  if (sources.length === 0) return null
  const named = [...sources]
    .sort((a, b) => (b.pages ?? 0) - (a.pages ?? 0))
    .slice(0, MOST_NAMED)
    .map(({ name, pages, starts, checked_at: checked }) => {
      const facts = [
        pages !== null && (pages === 1 ? "1 page" : `${pages} pages`),
        starts[0],
        checked !== null && `last checked ${checked.slice(0, 10)}`,
      ].filter((one) => typeof one === "string")
      return `- ${name}: ${facts.join(", ")}`
    })
  const more = sources.length > MOST_NAMED ? [`- and ${sources.length - MOST_NAMED} more`] : []
  return ["Indexed:", ...named, ...more].join("\n")
}
