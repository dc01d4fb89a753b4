/** Media types that are read as plain text or markdown. Documents (PDF, Office) have a registry of their own. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(["text/plain", "text/markdown", "text/x-markdown"])

/** Whether a file of this name is markdown, whatever type its server gives it. */
export const isMarkdownAddress = (url: string): boolean =>
  /\.(?:md|markdown|mdown|mkd)$/i.test(URL.parse(url)?.pathname ?? "")
