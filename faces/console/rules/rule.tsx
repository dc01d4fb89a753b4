import { Button } from "../../design/button.tsx"
import { Field, TextArea } from "../../design/field.tsx"
import { appliance } from "../../session/appliance.ts"
import { bound } from "../asking/use-form-problems.ts"
import { Link } from "../link.tsx"
import { Form, Head, Loading, Problem } from "../parts.tsx"
import type { Place, RuleKind } from "../place.ts"
import { usePolled } from "../asking/use-polled.ts"
import { BeforeAfter } from "./before-after.tsx"
import { BoostFields, PinFields, SynonymFields } from "./fields.tsx"
import { draftOf, KIND_NAMES, newDraft } from "./rule-draft.ts"
import { type RuleStart, type RuleWriting, useRule } from "./use-rule.ts"

const ABOUT: Readonly<Record<RuleKind, string>> = {
  synonym: "Words or phrases that mean the same thing find the same pages.",
  pin: "Puts a page at the position you choose for certain questions.",
  boost: "Raises or lowers the score of pages depending on their origin, type, language or age.",
}

/** Number of unanswered questions offered as a start for a synonym. */
const MOST_OFFERED = 5

/** One rule: the form, a trial on questions, and saving. */
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
    // The text must not change while the user is typing.
    () => null,
  )
  const rule = value?.rules.find(({ id }) => id === place.id)
  const kind = rule?.kind ?? place.kind
  // A synonym is usually created for an unanswered question, so it begins with one unless another is given.
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
        <Problem title="Rule not found" text="It may have been removed." />
      )}
      {value !== null && isOpen && value.unanswered.length > 1 && (
        <nav class="reports" aria-label="Questions without an answer">
          <span class="small">Most often asked, but not answered:</span>
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

/** The form of the rule, with the effects of the rule beside it. */
function Writing({ sources, ...start }: RuleStart & { readonly sources: readonly string[] }) {
  const writing = useRule(start)
  const { draft, rule, problems } = writing
  const fields = { draft, onChange: writing.change, wrong: problems.wrong }
  return (
    <Form
      form={problems.form}
      class="rule-form"
      onSubmit={() => {
        if (writing.isTried) void writing.save()
        else writing.tryIt()
      }}
    >
      <div class="rule-fields card">
        {draft.kind === "synonym" && <SynonymFields {...fields} />}
        {draft.kind === "pin" && <PinFields {...fields} />}
        {draft.kind === "boost" && <BoostFields {...fields} sources={sources} />}
        {start.isNew && (
          <Field
            {...bound(fields, "id")}
            label="Id"
            hint="Lower-case letters, digits and hyphens. If you leave it empty, one is generated."
            placeholder={rule.id}
          />
        )}
      </div>
      <Trying writing={writing} />
    </Form>
  )
}

/** Tries the rule on questions, shows its effects, and saves it. */
function Trying({ writing }: { readonly writing: RuleWriting }) {
  const { tried, isTried, problems, tryIt } = writing
  return (
    <div class="rule-tried">
      <div class="card">
        <TextArea
          name="try"
          label="Try it with"
          hint="Questions, one per line. The judged questions and those that people ask most are tried as well."
          value={writing.questions}
          onWrite={writing.setQuestions}
        />
        <p class="row">
          <Button look={isTried ? "plain" : "primary"} icon="why" onClick={tryIt}>
            See before and after
          </Button>
          <Button
            look={isTried ? "primary" : "plain"}
            icon="check"
            disabled={writing.isBusy}
            onClick={() => void writing.save()}
          >
            Save
          </Button>
          <Link to={writing.after} class="button quiet">
            Cancel
          </Link>
        </p>
        {problems.problem !== null && <Problem title="The rule was not saved" text={problems.problem} />}
        {tried !== null && !isTried && (
          <p class="small">You have changed the rule: the results below are from before the change.</p>
        )}
      </div>
      {tried !== null && (
        <div class="card">
          <BeforeAfter
            change={{ rules: [tried.rule], without: [] }}
            questions={tried.questions}
            onDone={writing.onTried}
          />
        </div>
      )}
    </div>
  )
}
