import { useEffect } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Head, Loading, Problem } from "../parts.tsx"
import { draftOf } from "./draft.ts"
import { useCall } from "../asking/use-call.ts"
import { Writing } from "./writing.tsx"
import { Yaml } from "./yaml.tsx"

const ORIGINS = {
  file: "From the sources file",
  api: "From the console or API",
  "one-off": "One-off",
} as const

/** The form of a source; it can also declare a one-off crawl as a source. A source from the sources file is only shown here, and has to be changed in the file. */
export function EditSource({ source: name }: { readonly source: string }) {
  const { value, problem, call } = useCall<AnswerOf<"GET /admin/sources/{name}/written">>()
  const ask = () =>
    call((signal) => appliance.call("GET /admin/sources/{name}/written", { path: { name }, signal }))
  useEffect(ask, [name])
  const under = (
    <>
      {value !== null && <Chip>{ORIGINS[value.origin]}</Chip>}
      <Link to={{ view: "runs", source: name }}>Runs for this source</Link>
    </>
  )
  return (
    <>
      <Head title={name} page={`Source ${name}`} under={under} />
      {problem !== null && <Problem text={problem} onAgain={ask} />}
      {value === null && problem === null && <Loading />}
      {value?.origin === "file" && (
        <>
          <p class="notice plain">
            <span>
              This source is declared in the sources file. Change it there, then run{" "}
              <code>fossick sources apply</code>.
            </span>
          </p>
          <Yaml text={value.yaml} />
        </>
      )}
      {value?.origin === "one-off" && (
        <p class="notice plain">
          This is a one-off crawl. Save it to keep it as a source, with a schedule if you like.
        </p>
      )}
      {value !== null && value.origin !== "file" && (
        <Writing
          start={draftOf(value.source)}
          isNew={false}
          after={(source, isRun) => (isRun ? { view: "runs", source } : { view: "sources" })}
        />
      )}
    </>
  )
}
