import type { Feature } from "../../feature.ts"
import type { ObjectSchema, Tool, ToolAnswer } from "../operation/tool.ts"
import { plainField } from "../operation/published.ts"
import type { RequestSchema } from "../wire/validate.ts"
import type { Warned } from "./answers.ts"
import { fetchPage, searchPages } from "./connector-tools.ts"
import { fetchSchema, searchResultsSchema } from "./output.ts"

const idSchema = (name: string, description: string): ObjectSchema => ({
  type: "object",
  properties: { [name]: { type: "string", description } },
  required: [name],
})

/**
 * All tools, including those of features. `search` and `fetch` have the formats that deep-research clients expect from
 * connectors. The others have the tool and parameter names of Tavily's MCP server, and the schemas of the endpoints.
 */
export async function toolsOf(
  features: readonly Pick<Feature<never>, "name" | "tools">[],
): Promise<readonly Tool[]> {
  const ofFeatures = await Promise.all(features.map(async ({ tools }) => await tools?.()))
  return [...connectorTools, ...ofFeatures.flatMap((tools) => tools ?? [])]
}

const connectorTools: readonly Tool[] = [
  {
    name: "search",
    title: "Find pages",
    description:
      "Finds pages in this index that answer a question. Returns ids, titles and addresses for `fetch`, best first; no results means that nothing here fits.",
    inputSchema: idSchema("query", "The question, in plain words."),
    outputSchema: searchResultsSchema,
    endpoint: "/search",
    isLive: false,
    run: searchPages,
  },
  {
    name: "fetch",
    title: "Read a page from the index",
    description:
      "Returns the whole text of a page in this index as the crawler last read it, including pages behind a login, with the dates of publication and of the last check.",
    inputSchema: idSchema("id", "An id from `search`, or the address of a page."),
    outputSchema: fetchSchema,
    endpoint: "/pages",
    isLive: false,
    run: fetchPage,
  },
]

/** A tool's answer, with the warnings from the API's answer. */
export function warned(answer: unknown, given: ToolAnswer): ToolAnswer {
  const warnings = ((answer as Warned).warnings ?? []).map(({ text }) => text)
  if (warnings.length === 0) return given
  return {
    ...given,
    text: [given.text, ...warnings.map((one) => `Note: ${one}`)].join("\n\n"),
    ...(given.structured && { structured: { ...given.structured, warnings } }),
  }
}

/** The input schema of a tool that accepts these body fields. */
export function pick<T>(schema: RequestSchema<T>, names: readonly (keyof T & string)[]): ObjectSchema {
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, plainField(schema.properties[name]!)])),
    required: schema.required,
  }
}
