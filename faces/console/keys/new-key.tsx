import { useEffect, useRef, useState } from "preact/hooks"

import { FossickError } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Field, Select, TextArea } from "../../design/field.tsx"
import { appliance, inWords } from "../../session/appliance.ts"
import { Problem } from "../parts.tsx"
import { Check } from "../rules/check.tsx"
import { useActions } from "../use-actions.ts"

type Kind = "search" | "admin" | "public"

const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: "search", label: "A program or person that searches" },
  { value: "public", label: "Web pages: a public key" },
  { value: "admin", label: "Somebody who runs the appliance" },
]

const ABOUT: Readonly<Record<Kind, string>> = {
  search: "Searches and reads, as far as you let it.",
  public:
    "May stand in the source of web pages: it searches one source, and only pages of the origins that you list may use it.",
  admin: "May do everything, this console among it.",
}

const LASTING = [
  { value: "", label: "Until it is disabled" },
  { value: "1", label: "A day" },
  { value: "30", label: "30 days" },
  { value: "365", label: "A year" },
] as const

const DAY_MS = 86_400_000

/** What was made, shown once. */
export interface Made {
  readonly name: string
  readonly key: string
  readonly isPublic: boolean
}

/** Asks what a key is to be, and makes it. */
export function NewKey({
  sources,
  collections,
  onMade,
  onClose,
}: {
  readonly sources: readonly string[]
  readonly collections: readonly string[]
  readonly onMade: (made: Made) => void
  readonly onClose: () => void
}) {
  const [kind, setKind] = useState<Kind>("search")
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [chosenCollections, setChosenCollections] = useState<readonly string[]>([])
  const [source, setSource] = useState(sources[0] ?? "")
  const [origins, setOrigins] = useState("")
  const [isAnswering, setAnswering] = useState(false)
  const [days, setDays] = useState<(typeof LASTING)[number]["value"]>("")
  const [credits, setCredits] = useState("")
  const [rates, setRates] = useState("")
  const [failed, setFailed] = useState<unknown>(null)
  const { busy, act } = useActions(() => {})
  const form = useRef<HTMLFormElement>(null)
  const problems = failed instanceof FossickError ? failed.problems : []
  useEffect(() => {
    if (problems.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus()
  }, [failed])
  const wrong = (field: string): string | null => {
    for (const one of problems) {
      if (typeof one !== "string" && (one.field === field || one.field.startsWith(`${field}.`)))
        return one.message
    }
    return null
  }
  const limits = {
    name: name.trim(),
    ...(credits.trim() !== "" && { credits: Number(credits) }),
    ...(rates.trim() !== "" && { rate_limits: rates.trim() }),
  }
  const make = async (): Promise<Made> => {
    if (kind === "public") {
      const listed = origins.split(/[\s,]+/).filter((one) => one !== "")
      const body = { ...limits, source, origins: listed, answers: isAnswering }
      const { key } = await appliance.call("POST /admin/public-keys", { body })
      return { name: limits.name, key, isPublic: true }
    }
    const body = {
      ...limits,
      role: kind,
      ...(days !== "" && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      ...(kind === "search" && chosen.length > 0 && { sources: chosen }),
      ...(kind === "search" && chosenCollections.length > 0 && { collections: chosenCollections }),
    }
    const { key } = await appliance.call("POST /admin/keys", { body })
    return { name: limits.name, key, isPublic: false }
  }
  const submit = () =>
    void act(
      "make",
      async () => {
        setFailed(null)
        try {
          onMade(await make())
        } catch (error) {
          setFailed(error)
          throw error
        }
      },
      "The key is made",
    )
  return (
    <Dialog title="New key" onClose={onClose}>
      <form
        ref={form}
        class="new-key"
        noValidate
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Field
          name="name"
          label="Name"
          hint="Whom or what it is for, such as chat on the intranet."
          value={name}
          wrong={wrong("name")}
          onWrite={setName}
        />
        <Select name="kind" label="For" hint={ABOUT[kind]} value={kind} options={KINDS} onChoose={setKind} />
        {kind === "search" && (
          <Checks
            legend="Sees pages of"
            names={sources}
            chosen={chosen}
            wrong={wrong("sources")}
            onChange={setChosen}
          />
        )}
        {kind === "search" && collections.length > 0 && (
          <Checks
            legend="and of these collections"
            names={collections}
            chosen={chosenCollections}
            wrong={wrong("collections")}
            onChange={setChosenCollections}
          />
        )}
        {kind === "search" && chosen.length + chosenCollections.length === 0 && (
          <p class="small">None is chosen: it sees the pages of all sources.</p>
        )}
        {kind === "public" && (
          <>
            <Select
              name="source"
              label="Source"
              value={source}
              wrong={wrong("source")}
              options={sources.map((one) => ({ value: one, label: one }))}
              onChoose={setSource}
            />
            <TextArea
              name="origins"
              label="Web pages that may use it"
              hint="Their origins, such as https://docs.example.com, one on each line."
              value={origins}
              wrong={wrong("origins")}
              onWrite={setOrigins}
            />
            <Check label="May ask for answers, too" isOn={isAnswering} onChange={setAnswering} />
          </>
        )}
        {kind !== "public" && (
          <Select name="days" label="Valid" value={days} options={LASTING} onChoose={setDays} />
        )}
        <div class="pair">
          <Field
            name="credits"
            type="number"
            label="Credits a month"
            hint="Empty: no limit."
            value={credits}
            wrong={wrong("credits")}
            onWrite={setCredits}
          />
          <Field
            name="rate_limits"
            label="Calls"
            hint="Such as search=60/m. Empty: as the settings say."
            value={rates}
            wrong={wrong("rate_limits")}
            onWrite={setRates}
          />
        </div>
        {failed !== null && problems.length === 0 && (
          <Problem title="No key was made" text={inWords(failed)} />
        )}
        <p class="row">
          <Button type="submit" look="primary" icon="key" disabled={busy !== null}>
            Make the key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Dialog>
  )
}

function Checks({
  legend,
  names,
  chosen,
  wrong,
  onChange,
}: {
  readonly legend: string
  readonly names: readonly string[]
  readonly chosen: readonly string[]
  readonly wrong: string | null
  readonly onChange: (chosen: readonly string[]) => void
}) {
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {names.map((one) => (
        <Check
          key={one}
          label={one}
          isOn={chosen.includes(one)}
          onChange={(isOn) => onChange(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))}
        />
      ))}
      {wrong !== null && (
        <p class="wrong-of" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  )
}
