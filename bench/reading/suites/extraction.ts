import type { Extracted } from "#crawler"
import type { ReadBodyTask } from "#crawler/page/read-body.ts"
import type { Case, Code } from "../suite.ts"
import { textOfMarkdown } from "../scoring.ts"

type ReadBody = (task: ReadBodyTask) => Promise<Extracted>

/** Pages as a crawl reads them, by their bytes alone. */
export async function pageReader(code: Code): Promise<(one: Case<unknown>) => Promise<Extracted>> {
  const { readBody } = await code.load<{ readBody: ReadBody }>("page/read-body.ts")
  return ({ input, url }) =>
    readBody({ url, kind: "html", contentType: "text/html", charset: null, body: input })
}

/** The page's text, as the index gets it. */
export const textOf = ({ markdown }: Extracted): string => textOfMarkdown(markdown)

/** The same below its title, for suites whose expected text includes the title. */
export const titledTextOf = (reading: Extracted): string => `${reading.title}\n${textOf(reading)}`

export const markdownOf = ({ markdown }: Extracted): string => markdown
