/** Media types that are read as plain text or markdown. Documents (PDF, Office) and structured texts have separate registries. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(["text/plain", "text/markdown", "text/x-markdown"])

/** Markdown, and Markdown with components (MDX) or code that is run elsewhere (Quarto, R Markdown). */
export const MARKDOWN_ENDINGS = ["md", "markdown", "mdown", "mkd", "mkdn", "mdx", "qmd", "rmd"] as const

const MARKDOWN = new RegExp(`\\.(?:${MARKDOWN_ENDINGS.join("|")})$`, "i")

/** Whether a file with this name is markdown, regardless of the type sent by its server. */
export const isMarkdownAddress = (url: string): boolean => MARKDOWN.test(URL.parse(url)?.pathname ?? "")

/** Whether the file can contain JavaScript statements. */
export const isMdxAddress = (url: string): boolean => /\.mdx$/i.test(URL.parse(url)?.pathname ?? "")
