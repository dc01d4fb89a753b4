import { degradedNote } from "../../../server/tools/answers.ts"
import { researchText } from "../../../server/tools/answer-text.ts"
import { noteOf, reportSchema } from "../../../server/tools/output.ts"
import { pick, warned } from "../../../server/tools/tools.ts"
import type { Tool } from "../../../server/operation/tool.ts"
import { researchSchema } from "../request.ts"

/** The tool that requests a report, as in Tavily's MCP server. */
export const researchTool: Tool = {
  name: "tavily_research",
  title: "Research",
  description:
    "Researches a question in this index from several angles and returns a report in which every statement cites its source. Takes seconds to minutes.",
  inputSchema: pick(researchSchema, ["input", "model"]),
  outputSchema: reportSchema,
  endpoint: "/research",
  isLive: false,
  run: async (api, given) => {
    const answer = (await api.post("/research", given)) as {
      readonly content?: unknown
      readonly sources?: readonly { readonly title: string; readonly url: string }[]
    }
    const { content, sources = [] } = answer
    if (content === undefined) return { text: researchText(answer), failed: true }
    return warned(answer, {
      text: researchText(answer),
      structured: {
        ...noteOf(degradedNote(answer)),
        content,
        sources: sources.map(({ title, url }) => ({ title, url })),
      },
    })
  },
}
