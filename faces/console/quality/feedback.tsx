import type { AnswerOf } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { since } from "../../reading/dates.ts"
import { PageLink } from "../../reading/page-link.tsx"
import { Nothing } from "../parts.tsx"
import { More, useFirstRows } from "../asking/more.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { whole } from "../words.ts"

type Said = AnswerOf<"GET /admin/feedback">["feedback"][number]

/** Opinions of people and programs on answers. */
export function FeedbackList() {
  const rows = useFirstRows()
  const polled = useAnswer("GET /admin/feedback", { query: { limit: rows.limit } })
  const { value } = polled
  return (
    <section class="block" aria-label="All feedback">
      <PolledStatus of={polled} />
      {value !== null && value.feedback.length === 0 && (
        <Nothing icon="like" title="No feedback yet">
          <p>
            Ratings from the thumbs under an answer on the search page, and ratings that programs send to{" "}
            <code>/feedback</code>, appear here.
          </p>
        </Nothing>
      )}
      {value !== null && value.feedback.length > 0 && (
        <>
          <Table
            caption="Feedback"
            columns={COLUMNS}
            rows={value.feedback}
            keyOf={(one) => one.feedback_id}
          />
          <More
            rows={rows}
            shown={value.feedback.length}
            total={value.total}
            label="More feedback"
            unit={["entry", "entries"]}
          />
        </>
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Said>[] = [
  { heading: "Rating", cell: (one) => <Score said={one} /> },
  { heading: "Comment", cell: (one) => <Words said={one} /> },
  { heading: "Pages", cell: (one) => <Pages urls={pagesOf(one)} /> },
  { heading: "When", cell: ({ at }) => <span class="when">{since(at)}</span> },
  { heading: "Key", cell: (one) => <code>{one.key_id}</code> },
]

/** Ratings given with the thumbs on the search page. */
const HELPED = [1, "1", "good", "yes"]
const DID_NOT = [0, -1, "0", "-1", "bad", "no"]

function Score({ said }: { readonly said: Said }) {
  const given = said.human_score ?? said.agent_score
  const by = said.human_score == null && said.agent_score != null ? " (a program)" : ""
  if (given == null) return <>–</>
  if (HELPED.includes(given))
    return (
      <Chip tone="good" icon="like">
        Helped{by}
      </Chip>
    )
  if (DID_NOT.includes(given))
    return (
      <Chip tone="bad" icon="dislike">
        Did not help{by}
      </Chip>
    )
  return (
    <Chip>
      {given}
      {by}
    </Chip>
  )
}

function Words({ said }: { readonly said: Said }) {
  const { comment, response_delivered: answer } = said
  const more = moreOf(said)
  if (comment == null && answer == null && more.length === 0) return <>–</>
  return (
    <>
      {comment != null && <span class="explained">{comment}</span>}
      {answer != null && (
        <details class="numbers-of">
          <summary>The rated answer</summary>
          <p class="said-of">{answer}</p>
        </details>
      )}
      {more.length > 0 && (
        <details class="numbers-of">
          <summary>Details</summary>
          <p class="said-of">{more.map(([name, text]) => `${name}: ${text}`).join("\n")}</p>
        </details>
      )}
    </>
  )
}

/** All fields without a column of their own in the table, each with its name on this screen. */
function moreOf(said: Said): readonly (readonly [name: string, text: string])[] {
  const { human_score: human, agent_score: agent, used_ids: ids, used_citations: quotes } = said
  const labelled = (scores: unknown) =>
    ((scores ?? []) as readonly { readonly label: string; readonly value: unknown }[])
      .map(({ label, value }) => `${label} ${String(value)}`)
      .join(", ")
  const judged = (said.urls_scores ?? []).map((one) => {
    const { url, id, agent_score: score, scores, comment } = one as Readonly<Record<string, unknown>>
    const parts = [url ?? id, score, labelled(scores), comment]
    return parts.filter((part) => part != null && part !== "").join(" · ")
  })
  const all: readonly (readonly [string, string | number | null | undefined])[] = [
    ["A program’s score", human == null ? null : agent],
    ["Other scores", labelled(said.extra_scores)],
    ["Quotes used", quotes?.join(" · ")],
    ["Results used", ids?.join(", ")],
    ["Pages judged", judged.join("\n")],
    ["Request", said.request_id],
    ["Session", said.session_id],
  ]
  return all.flatMap(([name, text]) => (text == null || text === "" ? [] : [[name, `${text}`] as const]))
}

/** Pages that the feedback names: those used, and those judged one by one. */
function pagesOf({ used_urls: used, urls_scores: scored }: Said): readonly string[] {
  const judged = (scored ?? []).flatMap((one) => {
    const { url } = one as { readonly url?: unknown }
    return typeof url === "string" ? [url] : []
  })
  return [...new Set([...(used ?? []), ...judged])]
}

const SHOWN = 5

const Pages = ({ urls }: { readonly urls: readonly string[] }) =>
  urls.length === 0 ? (
    <>–</>
  ) : (
    <ul class="pages-named explained">
      {urls.slice(0, SHOWN).map((url) => (
        <li key={url}>
          <PageLink to={url}>{url}</PageLink>
        </li>
      ))}
      {urls.length > SHOWN && <li>and {whole(urls.length - SHOWN)} more</li>}
    </ul>
  )
