import { Icon } from "../../design/icons.tsx"
import { formatOf } from "../../reading/passages/page-formats.ts"
import { readableStep } from "../../reading/safe-link.ts"
import type { Result } from "../use-search.ts"
import { tileOf } from "./tile.ts"

/** The origin of a result: source, site, and path. */
export function SourceLine({ result: { url, title, sources, type } }: { readonly result: Result }) {
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: "" }
  const steps = pathname.split("/").filter((step) => step !== "")
  const format = formatOf(type)
  const [source] = sources ?? []
  // The site's own icon isn't shown, because it would have to be fetched from outside.
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
          <Icon name={format.icon} /> {format.name}
        </span>
      )}
    </p>
  )
}
