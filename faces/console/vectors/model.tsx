import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Select } from "../../design/field.tsx"
import { Progress } from "../../design/progress.tsx"
import { Confirm } from "../confirm.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { useAnswer } from "../asking/use-polled.ts"
import { counted, lasting, rate, whole } from "../words.ts"
import { Block } from "../parts.tsx"

type State = AnswerOf<"GET /admin/model">
type Named = NonNullable<State["model"]["in_use"]>

const nameOf = ({ name, embedder }: Named): string => name ?? embedder

const LABELS: Readonly<Record<string, string>> = {
  auto: "Automatic: based on page languages",
  english: "English",
  multilingual: "Multilingual",
}

/** The model that creates the vectors, the reason why it is used, and a way to change it. */
export function Model() {
  // Fetched separately, and rarely, because the appliance reads the folders of all models.
  const polled = useAnswer("GET /admin/model")
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <Block id="model" title="Model">
      <PolledStatus of={polled} actions={actions} />
      {value !== null && <Choice state={value} actions={actions} />}
    </Block>
  )
}

function Choice({ state, actions }: { readonly state: State; readonly actions: Actions }) {
  const { model, change, available } = state
  const [chosen, choose] = useState<string | null>(null)
  const [isAsked, ask] = useState(false)
  const wanted = chosen ?? model.wanted
  const options = [
    { value: "auto", label: LABELS["auto"]! },
    ...available.map(({ name, folder }) => ({
      value: name ?? folder,
      label: LABELS[name ?? ""] ?? folder,
    })),
  ]
  if (!options.some(({ value }) => value === model.wanted))
    options.push({ value: model.wanted, label: model.wanted })
  const offer = change === null && model.setting === null ? whyMultilingual(model) : null
  const use = () =>
    actions.act("The model has been changed", "POST /admin/model", { body: { model: wanted } })
  return (
    <>
      <p>
        <strong>{model.in_use === null ? "No model is in use yet" : nameOf(model.in_use)}</strong>
        <span class="small"> {model.because}</span>
      </p>
      {model.server_problem !== null && <p class="reason">{model.server_problem}</p>}
      {change !== null && <Change change={change} />}
      {offer !== null && (
        <div class="model-offer">
          <p>{offer}</p>
          <Button
            disabled={actions.isBusy}
            onClick={() => {
              choose("multilingual")
              ask(true)
            }}
          >
            Use the multilingual model
          </Button>
        </div>
      )}
      {model.setting === null ? (
        <div class="model-choice">
          <Select label="Model" name="model" value={wanted} options={options} onChoose={choose} />
          <Button disabled={wanted === model.wanted || actions.isBusy} onClick={() => ask(true)}>
            Change the model
          </Button>
        </div>
      ) : (
        <p class="small">
          The model is set to <code>{model.setting}</code> in the settings, which take precedence. To choose
          here, clear <code>FOSSICK_MODEL</code> and restart.
        </p>
      )}
      {isAsked && (
        <Confirm
          title={`Use ${LABELS[wanted] ?? wanted}?`}
          yes="Change the model"
          no="Cancel"
          onYes={() => void use()}
          onClose={() => ask(false)}
        >
          <p>
            If this is not the model in use, a new index will be built for it, and the current one will answer
            until the new one is complete. All passages will get new vectors, which will take as long as the
            first time.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** Why the multilingual model would be better; null if nothing suggests it, or if it was requested. */
function whyMultilingual({ wanted, suited, unread_questions: unread }: State["model"]): string | null {
  if (wanted === "multilingual") return null
  if (unread !== null)
    return `${whole(unread.count)} of the last ${counted(unread.of, "question")} are in a language that the model in use does not read, but the multilingual model does.`
  return suited === "multilingual"
    ? "Many pages are in a language that the model in use does not read, but the multilingual model does."
    : null
}

function Change({ change }: { readonly change: NonNullable<State["change"]> }) {
  const all = change.of_pages ?? 0
  const left = change.pages_without_vectors
  return (
    <div class="model-change">
      <p>
        <strong>Changing to {LABELS[nameOf(change.to)] ?? nameOf(change.to)}</strong>
        <span class="small">
          {change.state === "waiting"
            ? "Not started yet: crawls go first."
            : `${whole(change.pages)} of ${counted(all, "page")} copied`}
        </span>
      </p>
      <Progress
        label="Pages with vectors of the new model"
        value={left === null ? change.pages : change.pages - left}
        max={Math.max(1, all)}
      />
      {change.vectors_per_second !== null && (
        <p class="small">
          {rate(change.vectors_per_second)} passages a second
          {change.seconds_left !== null && `, ${lasting(change.seconds_left)} left`}
        </p>
      )}
    </div>
  )
}
