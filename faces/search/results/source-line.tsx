import { Icon, type IconName } from "../../design/icons.tsx"
import { readableStep } from "../../reading/safe-link.ts"
import type { Result } from "../use-search.ts"
import { tileOf } from "./tile.ts"

/** What pages are written in, as people call it. */
const FORMATS: Readonly<Record<string, readonly [name: string, icon: IconName]>> = {
  html: ["Web page", "page"],
  text: ["Text", "page"],
  markdown: ["Markdown", "page"],
  pdf: ["PDF", "page"],
  docx: ["Word", "page"],
  odt: ["Text document", "page"],
  rtf: ["Text document", "page"],
  xlsx: ["Excel", "sheet"],
  ods: ["Spreadsheet", "sheet"],
  pptx: ["PowerPoint", "slides"],
  odp: ["Slides", "slides"],
  epub: ["E-book", "book"],
  picture: ["Picture", "page"],
}

export const formatName = (type: string): string => FORMATS[type]?.[0] ?? type

/** Where a result comes from: source, site, and the way to it. */
export function SourceLine({ result: { url, title, sources, type } }: { readonly result: Result }) {
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: "" }
  const steps = pathname.split("/").filter((step) => step !== "")
  const [, icon] = FORMATS[type] ?? ["", "page"]
  const [source] = sources ?? []
  // The site's own icon would be asked for from outside.
  const { letter, colour } = tileOf(host, source, title)
  return (
    <p class="source-line">
      <span class={`tile tile-${colour}`} aria-hidden="true">
        {letter}
      </span>
      <span class="way">
        {source !== undefined && <b>{source}</b>}
        <span>
          {[host, ...steps.map(readableStep)].map((step, index) => (
            <span key={index}>
              {index > 0 && <i aria-hidden="true"> › </i>}
              {step}
            </span>
          ))}
        </span>
      </span>
      {type !== "html" && (
        <span class="format">
          <Icon name={icon} /> {formatName(type)}
        </span>
      )}
    </p>
  )
}
