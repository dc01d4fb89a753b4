import { useState } from "preact/hooks"

import { Field, Select, TextArea } from "../../design/field.tsx"
import { onceReleased } from "../../design/once-released.ts"
import type { Draft } from "./draft.ts"
import { type Change, Group, type GroupProps } from "./group.tsx"
import { LoginFields } from "./login-fields.tsx"
import { otherProblems, type Problem, wrongWith } from "./use-preview.ts"

/** Fields of a source that the form shows. */
const SHOWN = [
  "name",
  "seeds",
  "scope",
  "include",
  "exclude",
  "limits.pages",
  "limits.depth",
  "rendering",
  "politeness.delayMs",
  "politeness.robots",
  "login",
  "pages.language",
  "sitemaps",
  "schedule",
]

/** The fields of a source. What is wrong is told at the field, once somebody has left it or asked to save. */
export function SourceForm({
  draft,
  problems,
  isAsked,
  isNew,
  onChange,
}: {
  readonly draft: Draft
  readonly problems: readonly Problem[]
  /** Somebody wanted to save it: all that is wrong is told. */
  readonly isAsked: boolean
  readonly isNew: boolean
  readonly onChange: Change
}) {
  const [left, setLeft] = useState<readonly string[]>([])
  const group: GroupProps = {
    draft,
    onChange,
    wrong: (...fields) =>
      isAsked || fields.some((field) => left.includes(field)) ? wrongWith(problems, fields) : null,
    exactly: (field) => {
      const own = problems.find((problem) => problem.field === field)
      return own === undefined ? null : `It ${own.message}.`
    },
    onLeft: (field) => () =>
      onceReleased(() => setLeft((before) => (before.includes(field) ? before : [...before, field]))),
  }
  const others = isAsked ? otherProblems(problems, SHOWN) : []
  return (
    <div class="source-form">
      {others.length > 0 && (
        <ul class="notice bad plain" role="alert">
          {others.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}.
            </li>
          ))}
        </ul>
      )}
      <What {...group} isNew={isNew} />
      <Which {...group} />
      <How {...group} />
      <LoginFields {...group} />
      <When {...group} />
    </div>
  )
}

function What({ draft, onChange, wrong, onLeft, isNew }: GroupProps & { readonly isNew: boolean }) {
  return (
    <Group title="What">
      <Field
        label="Name"
        name="name"
        value={draft.name}
        readOnly={!isNew}
        hint={isNew ? "Its pages are filed under it." : "The name stays: its pages are filed under it."}
        wrong={wrong("name")}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
        onBlur={onLeft("name")}
      />
      <TextArea
        label="Start addresses"
        name="seeds"
        rows={rowsOf(draft.seeds)}
        value={draft.seeds}
        hint="An address a line. Every run starts here."
        wrong={wrong("seeds")}
        onInput={(event) => onChange({ seeds: event.currentTarget.value })}
        onBlur={onLeft("seeds")}
      />
    </Group>
  )
}

function Which({ draft, onChange, wrong, onLeft }: GroupProps) {
  return (
    <Group title="Which pages">
      <Select
        label="Scope"
        name="scope"
        value={draft.scope}
        options={[
          { value: "host", label: "The whole host" },
          { value: "prefix", label: "Only below the folder of the start" },
          { value: "domain", label: "All hosts of the domain" },
        ]}
        wrong={wrong("scope")}
        onChoose={(scope) => onChange({ scope })}
      />
      <Field
        label="Pages at most"
        name="pages"
        value={draft.pages}
        placeholder="usually 10000"
        wrong={wrong("limits.pages")}
        onInput={(event) => onChange({ pages: event.currentTarget.value })}
        onBlur={onLeft("limits.pages")}
      />
      <TextArea
        label="Leave out"
        name="exclude"
        rows={rowsOf(draft.exclude)}
        value={draft.exclude}
        hint={
          <>
            A pattern a line, such as <code>*.pdf</code> or <code>/archive/**</code>.
          </>
        }
        wrong={wrong("exclude")}
        onInput={(event) => onChange({ exclude: event.currentTarget.value })}
        onBlur={onLeft("exclude")}
      />
      <TextArea
        label="Only these"
        name="include"
        rows={rowsOf(draft.include)}
        value={draft.include}
        hint="Patterns; empty: all in the scope."
        wrong={wrong("include")}
        onInput={(event) => onChange({ include: event.currentTarget.value })}
        onBlur={onLeft("include")}
      />
      <Field
        label="Link steps from the start at most"
        name="depth"
        value={draft.depth}
        placeholder="usually 10"
        wrong={wrong("limits.depth")}
        onInput={(event) => onChange({ depth: event.currentTarget.value })}
        onBlur={onLeft("limits.depth")}
      />
      <TextArea
        label="Sitemaps beside those the site names"
        name="sitemaps"
        value={draft.sitemaps}
        wrong={wrong("sitemaps")}
        onInput={(event) => onChange({ sitemaps: event.currentTarget.value })}
        onBlur={onLeft("sitemaps")}
      />
    </Group>
  )
}

function How({ draft, onChange, wrong, onLeft }: GroupProps) {
  return (
    <Group title="How they are read">
      <Select
        label="Browser"
        name="rendering"
        value={draft.rendering}
        options={[
          { value: "auto", label: "Where a page comes without text" },
          { value: "http", label: "Never" },
          { value: "browser", label: "For every page" },
        ]}
        wrong={wrong("rendering")}
        onChoose={(rendering) => onChange({ rendering })}
      />
      <Select
        label="robots.txt"
        name="robots"
        value={draft.robots}
        options={[
          { value: "as-set", label: "As the appliance is set" },
          { value: "obeyed", label: "Obey it" },
          { value: "ignored", label: "Pass it over: the site is mine" },
        ]}
        wrong={wrong("politeness.robots")}
        onChoose={(robots) => onChange({ robots })}
      />
      <Field
        label="Milliseconds between two requests"
        name="delayMs"
        value={draft.delayMs}
        placeholder="as the appliance is set"
        wrong={wrong("politeness.delayMs")}
        onInput={(event) => onChange({ delayMs: event.currentTarget.value })}
        onBlur={onLeft("politeness.delayMs")}
      />
      <Field
        label="Language of pages that name none"
        name="language"
        value={draft.language}
        placeholder="en"
        wrong={wrong("pages.language")}
        onInput={(event) => onChange({ language: event.currentTarget.value })}
        onBlur={onLeft("pages.language")}
      />
    </Group>
  )
}

function When({ draft, onChange, wrong, onLeft }: GroupProps) {
  return (
    <Group title="When it runs">
      <Select
        label="Schedule"
        name="when"
        value={draft.when}
        options={[
          { value: "hours", label: "Every so many hours" },
          { value: "cron", label: "By a cron line" },
          { value: "by-hand", label: "When it is asked to" },
        ]}
        wrong={draft.when === "by-hand" ? wrong("schedule") : null}
        onChoose={(when) => onChange({ when })}
      />
      {draft.when === "hours" && (
        <Field
          label="Hours from run to run"
          name="everyHours"
          value={draft.everyHours}
          wrong={wrong("schedule")}
          onInput={(event) => onChange({ everyHours: event.currentTarget.value })}
          onBlur={onLeft("schedule")}
        />
      )}
      {draft.when === "cron" && (
        <>
          <Field
            label="Cron line"
            name="cron"
            value={draft.cron}
            placeholder="15 3 * * *"
            hint="Minute, hour, day of month, month, day of week."
            wrong={wrong("schedule.cron")}
            onInput={(event) => onChange({ cron: event.currentTarget.value })}
            onBlur={onLeft("schedule.cron")}
          />
          <Field
            label="Time zone"
            name="timeZone"
            value={draft.timeZone}
            placeholder="UTC"
            wrong={wrong("schedule.timeZone")}
            onInput={(event) => onChange({ timeZone: event.currentTarget.value })}
            onBlur={onLeft("schedule.timeZone")}
          />
        </>
      )}
    </Group>
  )
}

const MOST_ROWS = 8

/** As high as what is written. */
const rowsOf = (lines: string): number => Math.min(MOST_ROWS, Math.max(2, lines.split("\n").length))
