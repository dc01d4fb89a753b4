import { Fragment } from "preact"

import { Chip } from "../../design/chip.tsx"
import { bestPassages } from "../../reading/passages/best-passages.ts"
import { onDay, since } from "../../reading/dates.ts"
import { MarkedText } from "../../reading/marked-text.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { type Place, placeOf, wayIn } from "../../reading/passages/place-in-page.ts"
import { Passage } from "../../reading/passages/passage.tsx"
import { addressOf } from "../../session/appliance.ts"
import type { Asked } from "../asked.ts"
import { Folded } from "./folded.tsx"
import { SourceLine } from "./source-line.tsx"
import type { Result } from "../use-search.ts"
import { Why } from "./why.tsx"

/** Maximum number of passages shown for a page; the rest are in its stored copy. */
const MOST_PASSAGES = 2
/** Maximum number of lines of code, table rows or list items in each passage. */
const MOST_LINES = [6, 3] as const

/** One result. */
export function ResultCard({
  result,
  wanted,
  onOpen,
}: {
  readonly result: Result
  /** Words of the question. */
  readonly wanted: ReadonlySet<string>
  readonly onOpen: (copy: NonNullable<Asked["copy"]>) => void
}) {
  const { url, title, published_date: published, checked_at: checked, explain } = result
  const passages = bestPassages(result.content, wanted, MOST_PASSAGES)
  const places = passages.map(({ at }) => placeOf(result, at))
  return (
    <article class="result">
      <div class="text">
        <SourceLine result={result} />
        <h2>
          <PageLink to={wayIn(result, places)} isResult>
            <MarkedText text={title || url} wanted={wanted} />
          </PageLink>
        </h2>
        {passages.map(({ text }, index) => (
          <Fragment key={index}>
            {places[index]?.text !== places[index - 1]?.text && <PlaceLine place={places[index]} />}
            <Passage text={text} wanted={wanted} most={MOST_LINES[index]!} />
          </Fragment>
        ))}
        <div class="facts">
          {published != null && <time dateTime={new Date(published).toISOString()}>{onDay(published)}</time>}
          {checked !== undefined && (
            <span title={`A crawl last found this page on ${onDay(checked)}`}>
              checked <time dateTime={checked}>{since(checked)}</time>
            </span>
          )}
          <button
            type="button"
            class="link"
            aria-label={`Stored copy of ${title || url}`}
            onClick={() => onOpen({ url, passage: passages[0]?.text ?? "" })}
          >
            Stored copy
          </button>
          {result.other_forms?.map(({ url: other, format }) => (
            <PageLink key={other} to={other}>
              As {format.toUpperCase()}
            </PageLink>
          ))}
          <Folded result={result} />
          {result.addresses_models === true && (
            <Chip tone="warn" icon="alert" title="Its text is not used in answers">
              Contains instructions for language models
            </Chip>
          )}
          {explain && <Why explain={explain} score={result.score} />}
        </div>
      </div>
      <Thumbnail result={result} />
    </article>
  )
}

/** A line with the place of the passage that follows. */
function PlaceLine({ place }: { readonly place: Place | null | undefined }) {
  if (place == null) return null
  return (
    <p class="section">
      <i aria-hidden="true">› </i>
      {place.to === undefined ? place.text : <PageLink to={place.to}>{place.text}</PageLink>}
    </p>
  )
}

/** The page's first picture, from the appliance's own store; nothing if the page has none. */
function Thumbnail({ result: { url, images = [] } }: { readonly result: Result }) {
  const [image] = images
  if (image === undefined) return null
  return <StoredImage page={url} image={typeof image === "string" ? image : image.url} alt="" />
}

/** A picture as it was when crawled. A picture that hasn't been checked yet isn't shown. */
export function StoredImage({
  page,
  image,
  alt,
}: {
  readonly page: string
  readonly image: string
  readonly alt: string
}) {
  const source = addressOf(`thumbnails?${new URLSearchParams({ page, image }).toString()}`)
  return (
    <img
      class="thumbnail"
      src={source}
      alt={alt}
      loading="lazy"
      decoding="async"
      width="96"
      height="72"
      onError={(event) => event.currentTarget.closest("[data-picture], img")?.setAttribute("hidden", "")}
    />
  )
}
