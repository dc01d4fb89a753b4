import { Field, Select, TextArea } from "../../design/field.tsx"
import { PAGE_TYPES } from "../../reading/passages/page-formats.ts"
import { bound, type DraftForm } from "../asking/use-form-problems.ts"
import { Checks } from "./check.tsx"
import type { RuleDraft } from "./rule-draft.ts"

type Fields = DraftForm<RuleDraft>

export const SynonymFields = (form: Fields) => {
  const { draft, onChange, wrong } = form
  return (
    <>
      <Choice
        legend="Direction"
        chosen={draft.isMutual ? "mutual" : "one-way"}
        options={[
          ["mutual", "All mean the same thing"],
          ["one-way", "One way: the first also finds the others"],
        ]}
        onChoose={(value) => onChange({ isMutual: value === "mutual" })}
      />
      <TextArea
        {...bound(form, "words")}
        label={draft.isMutual ? "Words or phrases" : "A question with one of these"}
        hint="One per line, or separated by commas."
        rows={3}
        wrong={wrong("words") ?? wrong("from")}
      />
      {!draft.isMutual && <TextArea {...bound(form, "to")} label="also finds these" rows={3} />}
    </>
  )
}

export const PinFields = (form: Fields) => (
  <>
    <TextArea {...bound(form, "questions")} label="For these questions" hint="One per line." rows={3} />
    <Choice
      legend="Which questions it applies to"
      chosen={form.draft.match}
      options={[
        ["equal", "Those with the same words in this order"],
        ["words", "All that contain these words"],
      ]}
      onChoose={(value) => form.onChange({ match: value === "words" ? "words" : "equal" })}
    />
    <Field {...bound(form, "url")} type="url" label="Page" hint="The page's address, as shown in results." />
    <Field {...bound(form, "position")} type="number" label="Position" hint="1 is the first." />
  </>
)

export const BoostFields = ({ sources, ...form }: Fields & { readonly sources: readonly string[] }) => {
  const { draft, onChange, wrong } = form
  const named = [...new Set([...sources, ...draft.sources])]
  return (
    <>
      <Field
        {...bound(form, "factor")}
        type="number"
        label="Factor"
        hint="Multiplies a page's score: 1.5 raises it, 0.5 lowers it. From 0.25 to 4."
      />
      {named.length > 0 && (
        <Checks
          legend="From these sources"
          names={named}
          chosen={draft.sources}
          wrong={wrong("where.sources")}
          onChange={(chosen) => onChange({ sources: chosen })}
        />
      )}
      <TextArea
        {...bound(form, "paths", "where.paths")}
        label="Under these paths"
        hint={
          <>
            Such as <code>/v2/*</code>, one per line.
          </>
        }
      />
      <TextArea {...bound(form, "domains", "where.domains")} label="On these domains" />
      <Checks
        legend="Of these types"
        names={PAGE_TYPES}
        chosen={draft.types}
        wrong={wrong("where.types")}
        onChange={(types) => onChange({ types })}
      />
      <div class="pair">
        <Field
          {...bound(form, "languages", "where.languages")}
          label="In these languages"
          hint="Two-letter codes, such as en, de."
          value={draft.languages.replaceAll("\n", ", ")}
        />
        <Field {...bound(form, "younger", "where.youngerThanDays")} type="number" label="Newer than (days)" />
        <Field {...bound(form, "older", "where.olderThanDays")} type="number" label="Older than (days)" />
      </div>
      {wrong("where") !== null && (
        <p class="wrong-of" role="alert">
          Choose at least one condition.
        </p>
      )}
    </>
  )
}

/** A choice between two alternatives, announced as one question. */
function Choice({
  legend,
  chosen,
  options,
  onChoose,
}: {
  readonly legend: string
  readonly chosen: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChoose: (value: string) => void
}) {
  return (
    <Select
      name={legend}
      label={legend}
      value={chosen}
      options={options.map(([value, label]) => ({ value, label }))}
      onChoose={onChoose}
    />
  )
}
