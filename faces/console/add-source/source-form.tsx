import { useState } from "preact/hooks"

import { Select } from "../../design/field.tsx"
import { onceReleased } from "../../design/once-released.ts"
import type { Draft } from "./draft.ts"
import { type Change, Group, type GroupProps, Line, Lines } from "./group.tsx"
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

function What({ isNew, ...form }: GroupProps & { readonly isNew: boolean }) {
  return (
    <Group title="What">
      <Line
        form={form}
        label="Name"
        name="name"
        field="name"
        readOnly={!isNew}
        hint={isNew ? "Its pages are filed under it." : "The name stays: its pages are filed under it."}
      />
      <Lines
        form={form}
        label="Start addresses"
        name="seeds"
        field="seeds"
        hint="An address a line. Every run starts here."
      />
    </Group>
  )
}

function Which(form: GroupProps) {
  const { draft, onChange, wrong } = form
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
      <Line form={form} label="Pages at most" name="pages" field="limits.pages" placeholder="usually 10000" />
      <Lines
        form={form}
        label="Leave out"
        name="exclude"
        field="exclude"
        hint={
          <>
            A pattern a line, such as <code>*.pdf</code> or <code>/archive/**</code>.
          </>
        }
      />
      <Lines
        form={form}
        label="Only these"
        name="include"
        field="include"
        hint="Patterns; empty: all in the scope."
      />
      <Line
        form={form}
        label="Link steps from the start at most"
        name="depth"
        field="limits.depth"
        placeholder="usually 10"
      />
      <Lines form={form} label="Sitemaps beside those the site names" name="sitemaps" field="sitemaps" />
    </Group>
  )
}

function How(form: GroupProps) {
  const { draft, onChange, wrong } = form
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
      <Line
        form={form}
        label="Milliseconds between two requests"
        name="delayMs"
        field="politeness.delayMs"
        placeholder="as the appliance is set"
      />
      <Line
        form={form}
        label="Language of pages that name none"
        name="language"
        field="pages.language"
        placeholder="en"
      />
    </Group>
  )
}

function When(form: GroupProps) {
  const { draft, onChange, wrong } = form
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
        <Line form={form} label="Hours from run to run" name="everyHours" field="schedule" />
      )}
      {draft.when === "cron" && (
        <>
          <Line
            form={form}
            label="Cron line"
            name="cron"
            field="schedule.cron"
            placeholder="15 3 * * *"
            hint="Minute, hour, day of month, month, day of week."
          />
          <Line form={form} label="Time zone" name="timeZone" field="schedule.timeZone" placeholder="UTC" />
        </>
      )}
    </Group>
  )
}
