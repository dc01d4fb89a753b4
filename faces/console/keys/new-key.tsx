import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Field, Select, TextArea } from "../../design/field.tsx"
import { useActions } from "../asking/use-actions.ts"
import { bound, type DraftForm, useFormProblems } from "../asking/use-form-problems.ts"
import { Form, Problem } from "../parts.tsx"
import { Check, Checks } from "../rules/check.tsx"
import { type KeyDraft, type KeyKind, LASTING, makeKey, newKeyDraft } from "./key-draft.ts"
import type { Made } from "./made-key.tsx"

const KINDS: readonly { readonly value: KeyKind; readonly label: string }[] = [
  { value: "search", label: "A program or person that searches" },
  { value: "service", label: "A front end that searches for its users" },
  { value: "write", label: "A program that sends documents" },
  { value: "public", label: "Web pages: a public key" },
  { value: "operator", label: "A person who runs crawls" },
  { value: "admin", label: "A person who runs the appliance" },
]

const ABOUT: Readonly<Record<KeyKind, string>> = {
  search: "Searches and reads pages within the limits you set.",
  service:
    "Names a user in each call, signed with its own secret, and finds only pages that this user may read.",
  write: "Sends and deletes documents, and can't search or read anything.",
  public:
    "Safe to put into web pages: it searches one source, and only pages on the origins that you list can use it.",
  operator: "Searches and runs crawls: sees sources, runs and removals, but can't change sources or readers.",
  admin: "Can do everything, including using this console.",
}

/** Asks for a new key's properties, and creates it. */
export function NewKey({
  sources,
  ofDocuments,
  collections,
  onMade,
  onClose,
}: {
  readonly sources: readonly string[]
  /** The sources that programs send documents to. */
  readonly ofDocuments: readonly string[]
  readonly collections: readonly string[]
  readonly onMade: (made: Made) => void
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useState(() => newKeyDraft(sources))
  const { form, wrong, problem, tell } = useFormProblems()
  const { isBusy, doing } = useActions(() => {})
  const make = async () => {
    tell(null)
    try {
      onMade(await makeKey(draft))
    } catch (error) {
      tell(error)
      throw error
    }
  }
  const onChange = (fields: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...fields }))
  const fields = { draft, onChange, wrong }
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form
        form={form}
        class="new-key"
        onSubmit={() => {
          void doing("The key was created", make)
        }}
      >
        <Field
          {...bound(fields, "name")}
          label="Name"
          hint="Who or what the key is for, such as chat on the intranet."
        />
        <Select
          name="kind"
          label="For"
          hint={ABOUT[draft.kind]}
          value={draft.kind}
          options={KINDS}
          onChoose={(kind) => onChange({ kind, sources: [] })}
        />
        {(draft.kind === "search" || draft.kind === "service") && (
          <Sees {...fields} of={sources} ofCollections={collections} />
        )}
        {draft.kind === "write" && <SendsTo {...fields} of={ofDocuments} />}
        {draft.kind === "public" && <WebPages {...fields} of={sources} />}
        {draft.kind !== "public" && (
          <Select
            name="days"
            label="How long the key is valid"
            value={draft.days}
            options={LASTING}
            onChoose={(days) => onChange({ days })}
          />
        )}
        <Limits {...fields} />
        {problem !== null && <Problem title="The key was not created" text={problem} />}
        <p class="row">
          <Button type="submit" look="primary" icon="key" disabled={isBusy}>
            Create the key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </Form>
    </Dialog>
  )
}

const Limits = (form: DraftForm<KeyDraft>) => (
  <div class="pair">
    <Field
      {...bound(form, "credits")}
      type="number"
      label="Credits per month"
      hint="Leave it empty for no limit."
    />
    <Field
      {...bound(form, "rate_limits")}
      label="Calls"
      hint="For example, search=60/m. Leave it empty for the appliance's limits."
    />
  </div>
)

type KeyForm = DraftForm<KeyDraft> & {
  /** Names of the sources to choose from. */
  readonly of: readonly string[]
}

/** The sources and collections whose pages a key sees, and the users and groups that it reads as. */
const Sees = ({ of, ofCollections, ...form }: KeyForm & { readonly ofCollections: readonly string[] }) => {
  const {
    draft: { sources, collections },
    onChange,
    wrong,
  } = form
  return (
    <>
      <Checks
        legend="Sees pages from"
        names={of}
        chosen={sources}
        wrong={wrong("sources")}
        onChange={(chosen) => onChange({ sources: chosen })}
      />
      {ofCollections.length > 0 && (
        <Checks
          legend="and in these collections"
          names={ofCollections}
          chosen={collections}
          wrong={wrong("collections")}
          onChange={(chosen) => onChange({ collections: chosen })}
        />
      )}
      {sources.length + collections.length === 0 && (
        <p class="small">Choose none to let the key see pages from all sources.</p>
      )}
      {form.draft.kind === "search" && (
        <TextArea
          {...bound(form, "principals")}
          label="Reads pages as"
          hint="Users and groups, one per line: group:hr or user:anna@example.com. If this is empty, the key can read only pages that everybody may read."
        />
      )}
    </>
  )
}

/** The sources that a writing key fills. */
const SendsTo = ({ draft: { sources }, onChange, wrong, of }: KeyForm) => (
  <>
    {of.length > 0 && (
      <Checks
        legend="Sends documents to"
        names={of}
        chosen={sources}
        wrong={wrong("sources")}
        onChange={(chosen) => onChange({ sources: chosen })}
      />
    )}
    {sources.length === 0 && (
      <p class="small">
        {of.length > 0
          ? "Choose none to let the key send to all document sources."
          : "No source accepts documents yet; the key can send to any that you declare later."}
      </p>
    )}
  </>
)

/** The source that a public key searches, and the web pages that may use it. */
const WebPages = ({ of, ...form }: KeyForm) => (
  <>
    <Select
      name="source"
      label="Source"
      value={form.draft.source}
      wrong={form.wrong("source")}
      options={of.map((one) => ({ value: one, label: one }))}
      onChoose={(source) => form.onChange({ source })}
    />
    <TextArea
      {...bound(form, "origins")}
      label="Web pages that can use the key"
      hint="Their origins, such as https://docs.example.com, one per line."
    />
    <Check
      label="Can also ask for answers"
      isOn={form.draft.answers}
      onChange={(answers) => form.onChange({ answers })}
    />
  </>
)
