import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { Chart } from "../../design/chart.tsx"
import { Icon } from "../../design/icons.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { RankParts } from "../../reading/rank-parts.tsx"
import { addressOf, appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Block, Head, Loading, Nothing, Problem } from "../parts.tsx"
import { RULE_KINDS } from "../place.ts"
import { usePolled } from "../asking/use-polled.ts"
import { atTime, hundredths } from "../words.ts"
import { GradeOf, type History, JudgedPages, useJudgement } from "./judged-pages.tsx"

type Found = AnswerOf<"POST /admin/rules/preview">["questions"][number]["after"][number]

const RULES = { synonym: "Add a synonym", pin: "Pin a page", boost: "Boost pages" } as const

/** In a chart of ranks, the position of any page below the first ten: at the bottom, while the first is at the top. */
const NOT_FOUND = 11

/** One question: its results and their explanations, possible fixes, and its scores over time. */
export function Question({ question }: { readonly question: string }) {
  const { value, problem, refresh } = usePolled(
    `question ${question}`,
    async (signal) => {
      const [{ questions }, { questions: judged }] = await Promise.all([
        // Asked like a user's question, but not logged.
        appliance.call("POST /admin/rules/preview", { body: { questions: [question] }, signal }),
        appliance.call("GET /admin/judged-questions", { query: { question }, signal }),
      ])
      const id = judged[0]?.id
      const history =
        id === undefined
          ? null
          : await appliance.call("GET /admin/judged-questions/{id}", { path: { id }, signal })
      return { found: questions[0]?.after ?? [], history }
    },
    () => null,
  )
  return (
    <>
      <Head
        title={question}
        page={question}
        under={
          <>
            <span>What this question finds now, and what you can do about it.</span>
            <a href={addressOf(`?q=${encodeURIComponent(question)}`)}>Open on the search page</a>
          </>
        }
      />
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && (
        <Known
          key={value.history?.changed_at ?? "not judged"}
          question={question}
          found={value.found}
          history={value.history}
          onChanged={refresh}
        />
      )}
    </>
  )
}

function Known({
  question,
  found,
  history,
  onChanged,
}: {
  readonly question: string
  readonly found: readonly Found[]
  readonly history: History | null
  readonly onChanged: () => void
}) {
  const judgement = useJudgement(question, history, onChanged)
  return (
    <>
      <nav class="actions remedies" aria-label="What you can do about it">
        {RULE_KINDS.map((kind, index) => (
          <Link
            key={kind}
            to={{ view: "rule", id: null, kind, question, url: null }}
            class={index === 0 && found.length === 0 ? "button primary" : "button"}
          >
            <Icon name="plus" />
            {RULES[kind]}
          </Link>
        ))}
        <Link to={{ view: "add-source", url: null }} class="button">
          <Icon name="globe" />
          Add a source
        </Link>
      </nav>
      <div class="question-parts">
        <Block id="found-now" title="What it finds now">
          {found.length === 0 ? (
            <Nothing icon="search" title="Nothing found">
              <p>
                If a page answers this in other words, add a synonym. If no page answers it, add a source that
                does.
              </p>
            </Nothing>
          ) : (
            <ol class="hits" aria-label="What it finds now">
              {found.map((hit, index) => (
                <li key={hit.url}>
                  <Result hit={hit} place={index + 1} question={question} />
                  <GradeOf judgement={judgement} url={hit.url} title={hit.title || hit.url} />
                </li>
              ))}
            </ol>
          )}
        </Block>
        <div class="beside-question">
          <JudgedPages
            judgement={judgement}
            found={found.map(({ url }) => url)}
            isJudged={history !== null}
          />
          {history !== null && <Ranks history={history} />}
        </div>
      </div>
    </>
  )
}

function Result({
  hit,
  place,
  question,
}: {
  readonly hit: Found
  readonly place: number
  readonly question: string
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class="hit">
      <h3>
        <span class="unseen">Rank {place}: </span>
        <PageLink to={hit.url} isApart>
          {hit.title || hit.url}
        </PageLink>
      </h3>
      <p class="small">{hit.url}</p>
      {hit.rules.length > 0 && (
        <p class="state">
          {hit.rules.map((rule) => (
            <Chip key={rule} tone="accent" icon="filter">
              {rule}
            </Chip>
          ))}
        </p>
      )}
      <details class="numbers-of" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Why this rank<span class="unseen">: {hit.title || hit.url}</span>
        </summary>
        {isOpen && <RankParts parts={hit.parts} score={hit.score} inWords={hundredths} />}
      </details>
      <p class="row">
        <Link to={{ view: "rule", id: null, kind: "pin", question, url: hit.url }} class="button quiet">
          <Icon name="up" />
          Pin it<span class="unseen">: {hit.title || hit.url}</span>
        </Link>
        <Link to={{ view: "page", url: hit.url, query: question }} class="button quiet">
          <Icon name="page" />
          Inspect the page<span class="unseen">: {hit.title || hit.url}</span>
        </Link>
      </p>
    </div>
  )
}

/** The rank of the first expected page, by run. */
function Ranks({ history: { history } }: { readonly history: History }) {
  if (history.length === 0) {
    return <p class="small">No run has asked this question yet. Ask all judged questions to see its rank.</p>
  }
  const points = history.toReversed().map(({ run, rank }) => ({
    label: atTime(run.started_at),
    // The best rank is at the top.
    value: NOT_FOUND - (rank ?? NOT_FOUND),
  }))
  const inWords = (value: number) => (value === 0 ? "not found" : `rank ${NOT_FOUND - value}`)
  return (
    <Block id="rank-by-run" title="Rank by run">
      <Chart
        label="Rank of the first expected page by run"
        of="Rank"
        points={points}
        most={NOT_FOUND - 1}
        inWords={inWords}
      />
    </Block>
  )
}
