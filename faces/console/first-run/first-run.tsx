import { useRef, useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Field } from "../../design/field.tsx"
import { Icon } from "../../design/icons.tsx"
import { appliance } from "../../session/appliance.ts"
import { Adding } from "../add-source/add-source.tsx"
import { Link } from "../link.tsx"
import { Form, Head, Problem } from "../parts.tsx"
import { useCall } from "../asking/use-call.ts"
import { AskIt } from "./ask-it.tsx"
import { FirstCrawl } from "./first-crawl.tsx"

const STEPS = ["Name", "First source", "First crawl", "First question"] as const

/**
 * From a new appliance to its first answer: a name, a source from one look at its site, its crawl in progress, a
 * question.
 * @param source source that is being crawled; null before there is one
 */
export function FirstRun({
  source,
  onNamed,
}: {
  readonly source: string | null
  readonly onNamed: () => void
}) {
  const [isNamed, setNamed] = useState(false)
  const [pages, setPages] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)
  const step = source === null ? (isNamed ? 1 : 0) : pages === 0 ? 2 : 3
  const named = (isNew: boolean) => {
    setNamed(true)
    if (isNew) onNamed()
    // Screen readers announce the next step.
    setTimeout(() => heading.current?.focus())
  }
  return (
    <div class="first-run">
      <Head title="Set up this appliance" page="Set up" under={<p>Four steps to your first answer.</p>}>
        {step < 3 && (
          <Link to={{ view: "sources" }} class="button quiet">
            Skip this
          </Link>
        )}
      </Head>
      <ol class="steps" aria-label="Steps">
        {STEPS.map((name, index) => (
          <li
            key={name}
            class={index < step ? "done" : undefined}
            aria-current={index === step ? "step" : undefined}
          >
            {index < step ? <Icon name="check" /> : <b>{index + 1}</b>}
            <span>
              {name}
              {index < step && <span class="unseen"> (done)</span>}
            </span>
          </li>
        ))}
      </ol>
      {source === null && !isNamed && <Naming onNamed={named} />}
      {source === null && isNamed && (
        <>
          <h2 ref={heading} tabIndex={-1}>
            Which site should be crawled first?
          </h2>
          <Adding
            url={null}
            after={(name, isRun) => (isRun ? { view: "first-run", source: name } : { view: "sources" })}
          />
        </>
      )}
      {source !== null && (
        <>
          <FirstCrawl source={source} onPages={setPages} />
          <AskIt source={source} isReady={pages > 0} />
        </>
      )}
    </div>
  )
}

function Naming({ onNamed }: { readonly onNamed: (isNew: boolean) => void }) {
  const [name, setName] = useState("")
  const saving = useCall<void>()
  const save = () => {
    if (name.trim() === "") {
      onNamed(false)
      return
    }
    saving.call(async (signal) => {
      await appliance.call("PUT /admin/appliance", { body: { name }, signal })
      onNamed(true)
    })
  }
  return (
    <Form class="card naming" onSubmit={save}>
      <h2>Name your search</h2>
      <Field
        label="Name"
        name="name"
        value={name}
        placeholder="Fossick"
        hint="Shown beside the search box, for example the name of your team. You can leave it empty."
        onWrite={setName}
      />
      {saving.problem !== null && <Problem title="The name was not saved" text={saving.problem} />}
      <p class="row">
        <Button look="primary" icon="next" type="submit" disabled={saving.isBusy}>
          Continue
        </Button>
      </p>
    </Form>
  )
}
