import { fenced } from "../../extract/markdown/markdown-escapes.ts"

/** A block of code in markdown, with its language if the language has a simple name. */
export function codeBlock(code: string, language: string): string {
  const block = fenced(code.replace(/^(?:[ \t]*\n)+/, "").trimEnd())
  if (!/^[\w+#.-]{1,20}$/.test(language)) return block
  const end = block.indexOf("\n")
  return `${block.slice(0, end)}${language}${block.slice(end)}`
}
