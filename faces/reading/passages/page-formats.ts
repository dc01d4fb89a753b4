import type { AnswerOf } from "../../../api/client/client.ts"
import type { IconName } from "../../design/icons.tsx"

export type PageType = AnswerOf<"POST /search">["results"][number]["type"]

type Format = readonly [name: string, icon: IconName]

/** The name of each type of page, and its icon. */
const FORMATS = {
  html: ["Web page", "page"],
  text: ["Text", "page"],
  markdown: ["Markdown", "page"],
  pdf: ["PDF", "page"],
  docx: ["Word", "page"],
  pptx: ["PowerPoint", "slides"],
  xlsx: ["Excel", "sheet"],
  odt: ["Text document", "page"],
  odp: ["Slides", "slides"],
  ods: ["Spreadsheet", "sheet"],
  rtf: ["Text document", "page"],
  epub: ["E-book", "book"],
  asciidoc: ["AsciiDoc", "page"],
  rst: ["reStructuredText", "page"],
  "org-mode": ["Org", "page"],
  notebook: ["Notebook", "code"],
  openapi: ["OpenAPI", "code"],
  code: ["Source code", "code"],
  picture: ["Picture", "image"],
} satisfies Record<PageType, Format>

export const PAGE_TYPES = Object.keys(FORMATS) as readonly PageType[]

/** A type that only a newer appliance knows is shown as it is. */
export function formatOf(type: string): { readonly name: string; readonly icon: IconName } {
  const [name, icon] = (FORMATS as Readonly<Record<string, Format>>)[type] ?? [type, "page"]
  return { name, icon }
}
