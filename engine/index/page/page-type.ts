/** The format of a page: web pages, texts of several kinds, and the document formats that Fossick reads. */
export const PAGE_TYPES = [
  "html",
  "text",
  "markdown",
  "pdf",
  "docx",
  "pptx",
  "xlsx",
  "odt",
  "odp",
  "ods",
  "rtf",
  "epub",
  "asciidoc",
  "rst",
  "org-mode",
  "notebook",
  "openapi",
  "code",
  "picture",
] as const

export type PageType = (typeof PAGE_TYPES)[number]

/** The type of addresses without a known file ending. */
const USUAL = "html"
const ENDINGS: ReadonlyMap<string, PageType> = new Map([
  ...PAGE_TYPES.map((type) => [type, type] as const),
  ["txt", "text"],
  ["md", "markdown"],
  ["mdown", "markdown"],
  ["mkd", "markdown"],
])

/** The type suggested by an address. */
export function typeOfAddress(url: string): PageType {
  const ending = /\.([a-z]+)$/i.exec(URL.parse(url)?.pathname ?? "")?.[1]
  return ENDINGS.get(ending?.toLowerCase() ?? "") ?? USUAL
}

/** The type of a page, as recorded when it was read, or as its address suggests if it was read before types were stored. */
export const typeOf = ({ type, url }: { readonly type?: PageType; readonly url: string }): PageType =>
  type ?? typeOfAddress(url)

const PRESENTATIONS: ReadonlySet<string> = new Set(["pptx", "odp"] satisfies PageType[])

/** Whether pages of this type are slides. */
export const isPresentation = (type: string): boolean => PRESENTATIONS.has(type)

/** The page or slide of a document in words: `page 12`, `pages 12–13`, `slide 3`. @param page as in `Passage` */
export function pageInWords(page: string, type: string): string {
  const word = isPresentation(type) ? "slide" : "page"
  return `${word}${page.includes("–") ? "s" : ""} ${page}`
}
