import { useEffect } from "preact/hooks"

import type { AnswerOf, Rule } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { appliance } from "../../session/appliance.ts"
import { Fact, Problem } from "../parts.tsx"
import { useCall } from "../asking/use-call.ts"
import { counted } from "../words.ts"
import { rankColumns, ScoreChange } from "./rank.tsx"

type Found = AnswerOf<"POST /admin/rules/preview">["questions"][number]
type Judged = AnswerOf<"POST /admin/judged-questions/preview">

/** Rules to create or replace, and rules to remove. */
export interface Change {
  readonly rules: readonly Rule[]
  readonly without: readonly string[]
}

/** Maximum number of logged questions used in a preview. */
const MOST_LOGGED = 30
/** Number of results shown per question. */
const SHOWN = 5

interface Preview {
  readonly found: readonly Found[]
  readonly judged: Judged
  /** Whether people's questions are stored. */
  readonly isLogged: boolean
}

/** The effect of changed rules on questions, shown before the rules are saved. */
export function BeforeAfter({
  change,
  questions,
  onDone,
}: {
  readonly change: Change
  /** Questions to ask besides the most frequent and the judged ones. */
  readonly questions: readonly string[]
  /** Called when the rules have been tried: with null, or with the error, which is the appliance's message about the rules. */
  readonly onDone?: (error: unknown) => void
}) {
  const { value, problem, isBusy, call } = useCall<Preview>()
  const key = JSON.stringify([change, questions])
  useEffect(() => {
    call(async (signal) => {
      try {
        const preview = await previewOf(change, questions, signal)
        if (!signal.aborted) onDone?.(null)
        return preview
      } catch (error) {
        if (!signal.aborted) onDone?.(error)
        throw error
      }
    })
  }, [key])
  if (problem !== null) return <Problem title="This change cannot be tried out" text={problem} />
  const isAsking = isBusy || value === null
  return (
    <section class="before-after" aria-label="Before and after" aria-busy={isAsking}>
      <p role="status" class={isAsking ? "loading" : "unseen"}>
        {isAsking ? "Asking every question twice…" : "The results before and after the change are shown."}
      </p>
      {!isAsking && <Shown preview={value} asked={questions} />}
    </section>
  )
}

async function previewOf(
  { rules, without }: Change,
  questions: readonly string[],
  signal: AbortSignal,
): Promise<Preview> {
  const { enabled, total } = await appliance.call("GET /admin/queries", { query: { limit: 1 }, signal })
  const hasLogged = enabled && total > 0
  const body = {
    rules,
    without,
    ...(questions.length > 0 && { questions }),
    ...(hasLogged && { logged: MOST_LOGGED }),
  }
  const [{ questions: found }, judged] = await Promise.all([
    appliance.call("POST /admin/rules/preview", { body, signal }),
    appliance.call("POST /admin/judged-questions/preview", { body: { rules, without }, signal }),
  ])
  return { found, judged, isLogged: enabled }
}

function Shown({
  preview: { found, judged, isLogged },
  asked,
}: {
  readonly preview: Preview
  readonly asked: readonly string[]
}) {
  return (
    <>
      <h2>Judged questions</h2>
      {judged.asked === 0 ? (
        <p class="small">No judged questions yet. Judge a few to see what each change does to their ranks.</p>
      ) : (
        <JudgedChange judged={judged} />
      )}
      <h2>{isLogged ? "Questions that people asked" : "Questions to try"}</h2>
      {found.length === 0 && (
        <p class="small">
          {isLogged ? "No questions yet." : "Enter some questions above to see what they find."}
        </p>
      )}
      <FoundChange found={found} asked={asked} />
    </>
  )
}

/** The scores of the judged questions, and the questions whose rank changes. */
function JudgedChange({ judged }: { readonly judged: Judged }) {
  const { before, after, questions } = judged
  return (
    <>
      <dl class="sums">
        <Fact name="nDCG@10">
          <ScoreChange before={before.ndcg} after={after.ndcg} />
        </Fact>
        <Fact name="hit@1">
          <ScoreChange before={before.hit1} after={after.hit1} />
        </Fact>
        <Fact name="Better">{judged.better}</Fact>
        <div>
          <dt>Worse</dt>
          <dd class={judged.worse > 0 ? "bad" : undefined}>{judged.worse}</dd>
        </div>
      </dl>
      {judged.asked < judged.total && (
        <p class="small">
          {judged.asked} of {counted(judged.total, "question")} were asked, the same ones each time.
        </p>
      )}
      {questions.length === 0 ? (
        <p class="small">
          {judged.asked === 1
            ? "The judged question keeps its rank."
            : `All ${judged.asked} judged questions keep their ranks.`}
        </p>
      ) : (
        <Table
          caption="Judged questions with a different rank"
          columns={JUDGED_COLUMNS}
          rows={questions}
          keyOf={({ id }) => id}
        />
      )}
    </>
  )
}

const JUDGED_COLUMNS: readonly Column<Judged["questions"][number]>[] = [
  { heading: "Question", cell: ({ question }) => question },
  ...rankColumns((one: Judged["questions"][number]) => one),
]

/** Questions whose results change. Questions in `asked` are shown even if theirs don't. */
function FoundChange({
  found,
  asked,
}: {
  readonly found: readonly Found[]
  readonly asked: readonly string[]
}) {
  const isWanted = ({ question }: Found) => asked.some((one) => one.trim() === question.trim())
  const shown = [...found.filter(isWanted), ...found.filter((one) => one.changed && !isWanted(one))]
  const same = found.length - shown.length
  return (
    <>
      {shown.map((one) => (
        <QuestionFound key={one.question} found={one} />
      ))}
      {same > 0 && (
        <p class="small">
          {counted(same, shown.length > 0 ? "other question" : "question")} {same === 1 ? "finds" : "find"}{" "}
          the same pages as before.
        </p>
      )}
    </>
  )
}

function QuestionFound({ found: { question, before, after, changed } }: { readonly found: Found }) {
  return (
    <article class="found-question" aria-label={question}>
      <h3>
        {question} {changed ? <Chip tone="accent">Changes</Chip> : <Chip>Stays the same</Chip>}
      </h3>
      <div class="sides">
        <Side name="Before" hits={before} />
        <Side name="After" hits={after} others={before} />
      </div>
    </article>
  )
}

function Side({
  name,
  hits,
  others,
}: {
  readonly name: string
  readonly hits: Found["before"]
  readonly others?: Found["before"]
}) {
  return (
    <div>
      <h4>{name}</h4>
      {hits.length === 0 ? (
        <p class="small">Nothing found.</p>
      ) : (
        <ol aria-label={name}>
          {hits.slice(0, SHOWN).map(({ url, title }, index) => {
            const was = others?.findIndex((one) => one.url === url)
            return (
              <li key={url} class={was !== undefined && was !== index ? "moved" : undefined}>
                <span class="title" title={url}>
                  {title || url}
                </span>
                {was === -1 && <Chip tone="good">New</Chip>}
                {was !== undefined && was > index && <Chip tone="good">From {was + 1}</Chip>}
                {was !== undefined && was >= 0 && was < index && <Chip tone="warn">From {was + 1}</Chip>}
              </li>
            )
          })}
        </ol>
      )}
    </div>
  )
}
