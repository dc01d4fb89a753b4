import { PageLink } from "../../reading/page-link.tsx"
import { StoredImage } from "./result.tsx"
import type { Result } from "../use-search.ts"

interface Picture {
  readonly page: Result
  readonly url: string
  readonly description: string
}

/** The pictures of the pages that were found, each once, in the order of the pages. */
export function picturesOf(results: readonly Result[]): Picture[] {
  const seen = new Set<string>()
  return results
    .flatMap((page) =>
      (page.images ?? []).map((image) =>
        typeof image === "string" ? { page, url: image, description: "" } : { page, ...image },
      ),
    )
    .filter(({ url }) => !seen.has(url) && seen.add(url))
}

/** Text that is already next to a picture isn't repeated as its description. */
const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase()

/** Pictures, as they were when crawled; each links to its page. */
export function Images({ pictures }: { readonly pictures: readonly Picture[] }) {
  if (pictures.length === 0) return <p class="quiet">No images from these pages yet.</p>
  return (
    <ul class="images">
      {pictures.map(({ page, url, description }) => (
        <li key={url} data-picture>
          <PageLink to={page.url}>
            <StoredImage
              page={page.url}
              image={url}
              alt={isSame(description, page.title) ? "" : description}
            />
            <span>{page.title}</span>
          </PageLink>
        </li>
      ))}
    </ul>
  )
}
