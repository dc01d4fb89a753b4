import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Passage } from "../../reading/passages/passage.tsx"
import { languageName } from "../../reading/languages.ts"
import { Link } from "../link.tsx"
import { Block, Fact } from "../parts.tsx"
import { atTime, counted, whole } from "../words.ts"

type State = AnswerOf<"GET /admin/page">
type Page = NonNullable<State["page"]>

/** Number of passages shown before "show more". */
const FEW = 4

/** The page as stored in the index: its title, its dates, the passages that searches find. */
export function AsIndexed({ page, forms }: { readonly page: Page; readonly forms: State["other_forms"] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? page.passages : page.passages.slice(0, FEW)
  return (
    <Block id="indexed" title="In the index">
      <dl class="facts">
        <Fact name="Title" wide>
          <b>{page.title || "Untitled"}</b>
          {page.description !== null && <small>{page.description}</small>}
        </Fact>
        <Fact name="Language">{page.language === null ? "not known" : languageName(page.language)}</Fact>
        <Fact name="Text">
          {whole(page.characters)} characters
          <small>
            {page.type}, {counted(page.images, "image")}
          </small>
        </Fact>
        <Fact name="Published">{page.published_at === null ? "not known" : atTime(page.published_at)}</Fact>
        <Fact name="Crawled">{atTime(page.crawled_at)}</Fact>
        <Fact name="Sources">{page.sources.join(", ")}</Fact>
        {page.author !== null && <Fact name="Author">{page.author}</Fact>}
        {(page.topic !== null || page.unsafe) && (
          <Fact name="Kind">
            {page.topic} {page.unsafe && <Chip tone="warn">For adults</Chip>}
          </Fact>
        )}
        {forms.length > 0 && (
          <Fact name="Other addresses">
            {forms.map(({ url, format }) => (
              <Link key={url} to={{ view: "page", url, query: null }}>
                {format}{" "}
              </Link>
            ))}
          </Fact>
        )}
      </dl>
      <h3>{counted(page.passages_total, "passage")}</h3>
      <Passages passages={shown} />
      {page.passages.length > shown.length && (
        <p class="row">
          <Button icon="down" onClick={() => setWhole(true)}>
            {page.passages.length === page.passages_total
              ? "Show all"
              : `Show the first ${whole(page.passages.length)}`}
          </Button>
        </p>
      )}
    </Block>
  )
}

const NOTHING: ReadonlySet<string> = new Set()

/** The passages that searches find, each separately, below its headings. */
export const Passages = ({ passages }: { readonly passages: Page["passages"] }) => (
  <ol class="passages">
    {passages.map(({ text, shown, headings }, index) => (
      <li key={index}>
        {headings.length > 0 && <b>{headings.join(" › ")}</b>}
        <Passage text={shown ?? text} wanted={NOTHING} />
      </li>
    ))}
  </ol>
)
