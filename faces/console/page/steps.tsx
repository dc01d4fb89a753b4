import type { AnswerOf } from "../../../api/client/client.ts"
import { Icon } from "../../design/icons.tsx"
import { Block } from "../parts.tsx"

type Step = AnswerOf<"GET /admin/why">["steps"][number]

const NAMES: Readonly<Record<string, string>> = {
  source: "Source",
  found: "Found",
  robots: "robots.txt",
  outcome: "Last visit",
  text: "Text",
  duplicates: "Other addresses",
  index: "Index",
  removal: "Removal",
  visits: "Visits",
  rank: "Rank",
}

const VERDICTS = {
  yes: { icon: "check", said: "passed" },
  no: { icon: "close", said: "stopped here" },
  note: { icon: "info", said: "for information" },
} as const

/** The conditions for a search to find the page, in the order they apply. */
export const Steps = ({ steps }: { readonly steps: readonly Step[] }) => (
  <Block id="why" title="Why">
    <ol class="why-steps" aria-label="Every rule, with its reason">
      {steps.map(({ name, verdict, text }) => (
        <li key={name} class={verdict}>
          <Icon name={VERDICTS[verdict].icon} />
          <b>
            {NAMES[name] ?? name}
            <span class="unseen">, {VERDICTS[verdict].said}</span>
          </b>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  </Block>
)
