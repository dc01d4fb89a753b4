import { useContext, useEffect, useRef, useState } from "preact/hooks"

import { FossickError, type Rule } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Field, TextArea } from "../../design/field.tsx"
import { toast } from "../../design/toast.tsx"
import { appliance, inWords as problemInWords } from "../../session/appliance.ts"
import { Going, Link } from "../link.tsx"
import { Head, Loading, Problem } from "../parts.tsx"
import type { Place, RuleKind } from "../place.ts"
import { usePolled } from "../use-polled.ts"
import { BeforeAfter } from "./before-after.tsx"
import { BoostFields, PinFields, SynonymFields } from "./fields.tsx"
import { draftOf, newDraft, type RuleDraft, ruleOf } from "./rule-draft.ts"

export const KIND_NAMES: Readonly<Record<RuleKind, string>> = {
  synonym: "Synonym",
  pin: "Pin",
  boost: "Boost",
}

const ABOUT: Readonly<Record<RuleKind, string>> = {
  synonym: "Words or phrases that mean the same find each other.",
  pin: "Puts a page in a place of your choice for certain questions.",
  boost: "Multiplies the score of pages by where they are from, what they are, or how old.",
}

/** Unanswered questions that are offered to begin a synonym with. */
const MOST_OFFERED = 5

/** One rule: written, tried on questions, saved. */
export function RuleEditor({ place }: { readonly place: Extract<Place, { readonly view: "rule" }> }) {
  const { value, problem, refresh } = usePolled(
    "rules to edit",
    async (signal) => {
      const [{ rules }, { sources }, { queries }] = await Promise.all([
        appliance.call("GET /admin/rules", { signal }),
        appliance.call("GET /admin/sources", { query: { limit: 1000 }, signal }),
        appliance.call("GET /admin/queries", { query: { report: "zero", limit: MOST_OFFERED }, signal }),
      ])
      return {
        rules,
        sources: sources.map(({ name }) => name),
        unanswered: queries.map(({ question }) => question),
      }
    },
    // What is being written is not to change under somebody's hands.
    () => null,
  )
  const rule = value?.rules.find(({ id }) => id === place.id)
  const kind = rule?.kind ?? place.kind
  // A synonym is mostly made for a question that was not answered: without another one it begins with that.
  const isOpen = place.id === null && place.kind === "synonym" && place.question === null
  const question = isOpen ? (value?.unanswered[0] ?? null) : place.question
  const title =
    place.id === null ? `New ${KIND_NAMES[kind].toLowerCase()}` : `${KIND_NAMES[kind]} ${place.id}`
  return (
    <>
      <Head title={title} page={title} under={ABOUT[kind]} />
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && place.id !== null && rule === undefined && (
        <Problem title="There is no such rule" text="It may have been removed meanwhile." />
      )}
      {value !== null && isOpen && value.unanswered.length > 1 && (
        <nav class="reports" aria-label="Questions without an answer">
          <span class="small">Asked most, and not answered:</span>
          {value.unanswered.map((one) => (
            <Link key={one} to={{ ...place, question: one }} class="chip">
              {one}
            </Link>
          ))}
        </nav>
      )}
      {value !== null && (place.id === null || rule !== undefined) && (
        <Writing
          start={rule === undefined ? newDraft(place.kind, question, place.url) : draftOf(rule)}
          isNew={place.id === null}
          asked={place.question}
          tries={question}
          others={value.rules.map(({ id }) => id).filter((id) => id !== place.id)}
          sources={value.sources}
        />
      )}
    </>
  )
}

function Writing({
  start,
  isNew,
  asked,
  tries,
  others,
  sources,
}: {
  readonly start: RuleDraft
  readonly isNew: boolean
  /** The question to try it with at first. */
  readonly tries: string | null
  /** The question that the rule is for. */
  readonly asked: string | null
  /** Ids of other rules. */
  readonly others: readonly string[]
  readonly sources: readonly string[]
}) {
  const [draft, setDraft] = useState(start)
  const [questions, setQuestions] = useState(tries ?? "")
  const [tried, setTried] = useState<{ readonly rule: Rule; readonly questions: readonly string[] } | null>(
    null,
  )
  const [problems, setProblems] = useState<FossickError["problems"]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const go = useContext(Going)
  const form = useRef<HTMLFormElement>(null)
  const rule = ruleOf(draft, others)
  const isTried = tried !== null && JSON.stringify(tried.rule) === JSON.stringify(rule)
  const change = (fields: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...fields }))
  const tell = (error: unknown) => {
    const found = error instanceof FossickError ? error.problems : []
    setProblems(found)
    setProblem(found.length > 0 ? null : problemInWords(error))
  }
  useEffect(() => {
    // The first thing that is wrong is where somebody goes on.
    if (problems.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus()
  }, [problems])
  const tryIt = () => {
    setProblems([])
    setProblem(null)
    setTried({ rule, questions: questionsOf(questions, draft) })
  }
  const save = async () => {
    setBusy(true)
    setProblems([])
    setProblem(null)
    try {
      if (isNew) await appliance.call("POST /admin/rules", { body: rule })
      else await appliance.call("PUT /admin/rules/{id}", { path: { id: rule.id }, body: rule })
      toast(`${KIND_NAMES[rule.kind]} ${rule.id} is saved and counts from now on`)
      go(asked === null ? { view: "rules" } : { view: "question", question: asked })
    } catch (error) {
      tell(error)
      setBusy(false)
    }
  }
  const fields = { draft, onChange: change, wrong: (field: string) => wrongOf(problems, field) }
  return (
    <form
      ref={form}
      class="rule-form"
      noValidate
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        if (isTried) void save()
        else tryIt()
      }}
    >
      <div class="rule-fields card">
        {draft.kind === "synonym" && <SynonymFields {...fields} />}
        {draft.kind === "pin" && <PinFields {...fields} />}
        {draft.kind === "boost" && <BoostFields {...fields} sources={sources} />}
        {isNew && (
          <Field
            name="id"
            label="Id"
            hint="Lower-case letters, digits and hyphens; made up for you if you leave it empty."
            value={draft.id}
            placeholder={rule.id}
            wrong={wrongOf(problems, "id")}
            onWrite={(id) => change({ id })}
          />
        )}
      </div>
      <div class="rule-tried">
        <div class="card">
          <TextArea
            name="try"
            label="Try it with"
            hint="Questions, one on each line, besides those that people asked most and those that are judged."
            rows={2}
            value={questions}
            onWrite={setQuestions}
          />
          <p class="row">
            <Button look={isTried ? "plain" : "primary"} icon="why" onClick={tryIt}>
              See before and after
            </Button>
            <Button
              look={isTried ? "primary" : "plain"}
              icon="check"
              disabled={isBusy}
              onClick={() => void save()}
            >
              Save
            </Button>
            <Link
              to={asked === null ? { view: "rules" } : { view: "question", question: asked }}
              class="button quiet"
            >
              Cancel
            </Link>
          </p>
          {problem !== null && <Problem title="It was not saved" text={problem} />}
          {tried !== null && !isTried && (
            <p class="small">It was changed since: what stands below is of before.</p>
          )}
        </div>
        {tried !== null && (
          <div class="card">
            <BeforeAfter
              change={{ rules: [tried.rule], without: [] }}
              questions={tried.questions}
              onDone={(error) => {
                if (error instanceof FossickError && error.problems.length > 0) {
                  setTried(null)
                  tell(error)
                }
              }}
            />
          </div>
        )}
      </div>
    </form>
  )
}

/** Questions of one preview at most. */
const MOST_QUESTIONS = 20

/** What somebody wrote to try, and what a pin is for. */
function questionsOf(written: string, { kind, questions }: RuleDraft): readonly string[] {
  const lines = `${written}\n${kind === "pin" ? questions : ""}`.split("\n").map((one) => one.trim())
  return [...new Set(lines.filter((one) => one !== ""))].slice(0, MOST_QUESTIONS)
}

/** What is wrong with a field, or with one of its entries: `words`, `rules[0].words`, `where.paths[0]`. */
function wrongOf(problems: FossickError["problems"], field: string): string | null {
  for (const problem of problems) {
    if (typeof problem === "string") continue
    const named = problem.field.replace(/^rules\[0\]\./, "")
    if (named === field || named.startsWith(`${field}[`) || named.startsWith(`${field}.`)) {
      return problem.message
    }
  }
  return null
}
