import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

import { Field, Select, TextArea } from "../../design/field.tsx"
import { Check } from "./check.tsx"
import { PAGE_TYPES, type RuleDraft } from "./rule-draft.ts"

export interface FieldsProps {
  readonly draft: RuleDraft
  readonly onChange: (fields: Partial<RuleDraft>) => void
  /** What is wrong with a field, by its name in the rule; null: nothing. */
  readonly wrong: (field: string) => string | null
}

export function SynonymFields({ draft, onChange, wrong }: FieldsProps) {
  return (
    <>
      <Choice
        legend="How they belong together"
        chosen={draft.isMutual ? "mutual" : "one-way"}
        options={[
          ["mutual", "They mean each other"],
          ["one-way", "The first also find the second, not the other way round"],
        ]}
        onChoose={(value) => onChange({ isMutual: value === "mutual" })}
      />
      <TextArea
        name="words"
        label={draft.isMutual ? "Words or phrases" : "Who asks for one of these"}
        hint="One on each line, or between commas."
        rows={3}
        value={draft.words}
        wrong={wrong("words") ?? wrong("from")}
        onWrite={(words) => onChange({ words })}
      />
      {!draft.isMutual && (
        <TextArea
          name="to"
          label="also finds these"
          rows={3}
          value={draft.to}
          wrong={wrong("to")}
          onWrite={(to) => onChange({ to })}
        />
      )}
    </>
  )
}

export function PinFields({ draft, onChange, wrong }: FieldsProps) {
  return (
    <>
      <TextArea
        name="questions"
        label="For these questions"
        hint="One on each line."
        rows={3}
        value={draft.questions}
        wrong={wrong("questions")}
        onWrite={(questions) => onChange({ questions })}
      />
      <Choice
        legend="Which questions it fits"
        chosen={draft.match}
        options={[
          ["equal", "Those with the same words in this order"],
          ["words", "All that hold these words"],
        ]}
        onChoose={(value) => onChange({ match: value === "words" ? "words" : "equal" })}
      />
      <Field
        name="url"
        type="url"
        label="Page"
        hint="Its address, as results show it."
        value={draft.url}
        wrong={wrong("url")}
        onWrite={(url) => onChange({ url })}
      />
      <Field
        name="position"
        type="number"
        label="Place"
        hint="1 is the first."
        value={draft.position}
        wrong={wrong("position")}
        onWrite={(position) => onChange({ position })}
      />
    </>
  )
}

export function BoostFields({
  draft,
  onChange,
  wrong,
  sources,
}: FieldsProps & { readonly sources: readonly string[] }) {
  const toggled = <T extends string>(list: readonly T[], one: T): readonly T[] =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one]
  const named = [...new Set([...sources, ...draft.sources])]
  return (
    <>
      <Field
        name="factor"
        type="number"
        label="Factor"
        hint="The score of a page is multiplied by it: 1.5 lifts, 0.5 lowers. 0.25 to 4."
        value={draft.factor}
        wrong={wrong("factor")}
        onWrite={(factor) => onChange({ factor })}
      />
      {named.length > 0 && (
        <Group legend="Of these sources" wrong={wrong("where.sources")}>
          {named.map((name) => (
            <Check
              key={name}
              label={name}
              isOn={draft.sources.includes(name)}
              onChange={() => onChange({ sources: toggled(draft.sources, name) })}
            />
          ))}
        </Group>
      )}
      <TextArea
        name="paths"
        label="Under these paths"
        hint={
          <>
            Such as <code>/v2/*</code>, one on each line.
          </>
        }
        value={draft.paths}
        wrong={wrong("where.paths")}
        onWrite={(paths) => onChange({ paths })}
      />
      <TextArea
        name="domains"
        label="On these domains"
        value={draft.domains}
        wrong={wrong("where.domains")}
        onWrite={(domains) => onChange({ domains })}
      />
      <Group legend="Of these types" wrong={wrong("where.types")}>
        {PAGE_TYPES.map((type) => (
          <Check
            key={type}
            label={type}
            isOn={draft.types.includes(type)}
            onChange={() => onChange({ types: toggled(draft.types, type) })}
          />
        ))}
      </Group>
      <div class="pair">
        <Field
          name="languages"
          label="In these languages"
          hint="Two letters each, such as en, de."
          value={draft.languages.replaceAll("\n", ", ")}
          wrong={wrong("where.languages")}
          onWrite={(languages) => onChange({ languages })}
        />
        <Field
          name="younger"
          type="number"
          label="Younger than (days)"
          value={draft.younger}
          wrong={wrong("where.youngerThanDays")}
          onWrite={(younger) => onChange({ younger })}
        />
        <Field
          name="older"
          type="number"
          label="Older than (days)"
          value={draft.older}
          wrong={wrong("where.olderThanDays")}
          onWrite={(older) => onChange({ older })}
        />
      </div>
      {wrong("where") !== null && (
        <p class="wrong-of" role="alert">
          Say which pages: choose at least one condition.
        </p>
      )}
    </>
  )
}

/** One of two ways; read as one question. */
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

function Group({
  legend,
  wrong,
  children,
}: {
  readonly legend: string
  readonly wrong: string | null
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <fieldset class="checks" aria-describedby={wrong === null ? undefined : id}>
      <legend>{legend}</legend>
      {children}
      {wrong !== null && (
        <p class="wrong-of" id={id} role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  )
}
