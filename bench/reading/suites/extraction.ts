import type { Extracted } from "#crawler"
import type { Case, Code } from "../suite.ts"
import { textOfMarkdown } from "../scoring.ts"

type Extract = (html: string, url: string) => Extracted
type Decode = (body: Uint8Array, declared: string | null) => string

/** Pages as a crawl reads them: decoded, then extracted. */
export async function pageReader(code: Code): Promise<(one: Case<unknown>) => Extracted> {
  const { extractHtml } = await code.load<{ extractHtml: Extract }>("page/extract/extract.ts")
  const { decodeText } = await code.load<{ decodeText: Decode }>("page/charset.ts")
  return ({ input, url }) => extractHtml(decodeText(input, null), url)
}

/** What the page says, as the index gets it. */
export const textOf = ({ markdown }: Extracted): string => textOfMarkdown(markdown)

/** The same below its title, for suites whose expected text has the title in it. */
export const titledTextOf = (reading: Extracted): string => `${reading.title}\n${textOf(reading)}`

export const markdownOf = ({ markdown }: Extracted): string => markdown
