import { Icon, type IconName } from "../../design/icons.tsx"
import type { Result } from "../use-search.ts"

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
}

export const formatName = (type: string): string => FORMATS[type]?.[0] ?? type

/** How many colours of tiles there are, in search.css. */
const TILES = 6

/** The first letter of a site on its own colour: the site's icon would be asked for from outside. */
function Tile({ host }: { readonly host: string }) {
  let sum = 0
  for (const letter of host) sum = (sum * 31 + letter.charCodeAt(0)) % 997
  return (
    <span class={`tile tile-${sum % TILES}`} aria-hidden="true">
      {host
        .replace(/^www\./, "")
        .charAt(0)
        .toUpperCase()}
    </span>
  )
}

/** Where a result comes from: source, site, and the way to it. */
export function SourceLine({ result: { url, sources, type } }: { readonly result: Result }) {
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: "" }
  const steps = pathname.split("/").filter((step) => step !== "")
  const [, icon] = FORMATS[type] ?? ["", "page"]
  const [source] = sources ?? []
  return (
    <p class="source-line">
      <Tile host={host} />
      <span class="way">
        {source !== undefined && <b>{source}</b>}
        <span>
          {[host, ...steps.map(readable)].map((step, index) => (
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

function readable(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
