import type { Extracted } from "#crawler"
import type { ReadBodyTask } from "#crawler/page/read-body.ts"
import type { Case, Code } from "../suite.ts"
import { textOfMarkdown } from "../texts.ts"

type ReadBody = (task: ReadBodyTask) => Promise<Extracted>

/** Reads pages as a crawl does, from their bytes alone. */
export async function pageReader(code: Code): Promise<(one: Case<unknown>) => Promise<Extracted>> {
  const { readBody } = await code.load<{ readBody: ReadBody }>("page/read-body.ts")
  return ({ input, url }) =>
    readBody({ url, kind: "html", contentType: "text/html", charset: null, body: input })
}

/** The page's text, as the index gets it. */
export const textOf = ({ markdown }: Extracted): string => textOfMarkdown(markdown)

/** A page's title and text, read or expected. The title is a separate field in our readings and in the suites. */
export const titled = (title: string, text: string): string => `${title}\n${text}`

export const markdownOf = ({ markdown }: Extracted): string => markdown
