import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { Field, Select } from "../../design/field.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { Loading, Nothing, Problem } from "../parts.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { counted } from "../words.ts"

type Setting = AnswerOf<"GET /admin/settings">["settings"][number]

const SHOWN = ["set", "all"] as const

/** Every setting and the origin of its value. Settings are changed where the appliance is started, not here. */
export function SettingList() {
  const [shown, show] = useState<(typeof SHOWN)[number]>("all")
  const [text, setText] = useState("")
  // Settings don't change after the start.
  const { value, problem, refresh } = useAnswer("GET /admin/settings", {}, () => null)
  if (value === null) return problem === null ? <Loading /> : <Problem text={problem} onAgain={refresh} />
  const words = text.toLowerCase().split(/\s+/)
  const rows = value.settings.filter(
    ({ name, about, from }) =>
      (shown === "all" || from !== "default") &&
      words.every((word) => `${name} ${about}`.toLowerCase().includes(word)),
  )
  return (
    <section class="block" aria-label="All settings">
      <p class="small">
        These are the values that the appliance started with. Set them in its environment or in its settings
        file, and restart; the environment wins. Secrets are not shown.
      </p>
      <div class="shown">
        <Field label="Find" name="find" value={text} placeholder="port, memory, log" onWrite={setText} />
        <Select
          label="Show"
          name="shown"
          value={shown}
          options={[
            { value: "all", label: "All" },
            { value: "set", label: "Only those set" },
          ]}
          onChoose={show}
        />
        <p class="small" role="status">
          {counted(rows.length, "setting")}
        </p>
      </div>
      {rows.length === 0 ? (
        <Nothing icon="search" title="No matching settings" />
      ) : (
        <Table caption="Settings" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    heading: "Setting",
    cell: ({ name, about }) => (
      <>
        <code class="strong">{name}</code>
        <p class="small">{about.replaceAll("`", "")}</p>
      </>
    ),
  },
  { heading: "Value", cell: valueOf },
  {
    heading: "From",
    cell: ({ from }) =>
      from === "default" ? <span class="small when">default</span> : <Chip tone="accent">{from}</Chip>,
  },
]

function valueOf({ value, secret, from, default: standard }: Setting) {
  if (secret) return <span class="small">{from === "default" ? "not set" : "set, not shown"}</span>
  if (value === null || value === "") return <span class="small">empty</span>
  return (
    <>
      <code>{value}</code>
      {from !== "default" && value !== standard && (
        <p class="small">{standard === "" ? "empty" : standard} by default</p>
      )}
    </>
  )
}
