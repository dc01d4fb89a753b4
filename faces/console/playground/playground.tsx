import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Field, Select, TextArea } from "../../design/field.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { BASE } from "../../session/appliance.ts"
import { Block, Head, Loading, Problem } from "../parts.tsx"
import { Snippet } from "../upkeep/snippet.tsx"
import { type Called, useCall } from "../asking/use-call.ts"
import { usePolled } from "../asking/use-polled.ts"
import { whole } from "../words.ts"
import { type OfferedCall, offeredCalls } from "./offered-calls.ts"
import { type FilledCall, pathOf, snippetsOf } from "./snippets.ts"

const FIRST = "POST /search"

/** Makes any call of the API: choose it, fill it in, send it, and copy it as code. */
export function Playground() {
  // The document changes only with the version, so it isn't fetched again.
  const { value, problem, refresh } = usePolled("openapi", offeredCalls, () => null)
  const [chosen, choose] = useState(FIRST)
  const call = value?.find(({ id }) => id === chosen) ?? value?.[0]
  return (
    <>
      <Head
        title="Playground"
        page="Playground"
        under={<p>Calls that you send here are real, and use your session.</p>}
      />
      {problem !== null && <Problem text={problem} onAgain={refresh} />}
      {value === null && problem === null && <Loading />}
      {value !== null && call !== undefined && (
        <>
          <div class="chosen-call">
            <Select
              label="Call"
              name="call"
              value={call.id}
              options={value.map(({ id, summary }) => ({ value: id, label: `${id}: ${summary}` }))}
              onChoose={choose}
            />
          </div>
          <Try key={call.id} call={call} />
        </>
      )}
    </>
  )
}

interface Answer {
  readonly status: number
  readonly ms: number
  readonly text: string
}

/** The call with the values filled in; `wrong` says why its body cannot be sent. */
function useFilling(call: OfferedCall) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [body, setBody] = useState(call.body ?? "")
  const { value, wrong = null } = call.body === null || body.trim() === "" ? {} : parse(body)
  const given = (where: "path" | "query") =>
    Object.fromEntries(
      call.parameters.filter((one) => one.in === where).map(({ name }) => [name, values[name] ?? ""]),
    )
  const filled: FilledCall = {
    method: call.method,
    path: call.path,
    inPath: given("path"),
    inQuery: given("query"),
    body: value,
  }
  const isMissing = call.parameters.some(({ name, required }) => required && (values[name] ?? "") === "")
  const write = (name: string, text: string) => setValues({ ...values, [name]: text })
  return { values, write, body, setBody, wrong, filled, isMissing }
}

function Try({ call }: { readonly call: OfferedCall }) {
  const { values, write, body, setBody, wrong, filled, isMissing } = useFilling(call)
  const sent = useCall<Answer>()
  return (
    <div class="playground">
      <form
        class="block"
        onSubmit={(event) => {
          event.preventDefault()
          sent.call((signal) => send(filled, signal))
        }}
      >
        {call.parameters.map(({ name, in: where, description, required }) => (
          <Field
            key={`${where} ${name}`}
            label={required ? `${name} (required)` : name}
            name={name}
            hint={description.replaceAll("`", "")}
            value={values[name] ?? ""}
            required={required}
            onWrite={(text) => write(name, text)}
          />
        ))}
        {call.body !== null && (
          <TextArea
            label="Body"
            name="body"
            rows={Math.min(16, Math.max(4, body.split("\n").length + 1))}
            value={body}
            wrong={wrong}
            onWrite={setBody}
          />
        )}
        <p class="row">
          <Button
            type="submit"
            icon="play"
            look={call.method === "DELETE" ? "danger" : "primary"}
            disabled={sent.isBusy || isMissing || wrong !== null}
          >
            Send
          </Button>
          {sent.isBusy && (
            <Button look="quiet" onClick={sent.cancel}>
              Cancel
            </Button>
          )}
        </p>
      </form>
      <TakeAlong filled={filled} />
      <Reply sent={sent} />
    </div>
  )
}

/** The call as code in several languages. */
function TakeAlong({ filled }: { readonly filled: FilledCall }) {
  const [language, setLanguage] = useState("curl")
  const snippets = snippetsOf(BASE.href.replace(/\/$/, ""), filled)
  const snippet = snippets.find(({ name }) => name === language) ?? snippets[0]!
  return (
    <Block id="take-along" title="Use in code">
      <Tabs
        label="Languages"
        tabs={snippets.map(({ name }) => ({ name, label: name }))}
        chosen={snippet.name}
        onChoose={setLanguage}
      >
        <Snippet name={snippet.name} text={snippet.text} />
      </Tabs>
      <p class="small">
        Set <code>FOSSICK_API_KEY</code> to a key; <code>/admin</code> needs a key with the role admin.
      </p>
    </Block>
  )
}

const Reply = ({ sent: { value, problem, isBusy } }: { readonly sent: Called<Answer> }) => (
  <section class="block reply" aria-label="Response" aria-live="polite">
    <h2>
      Response
      {value !== null && (
        <Chip tone={value.status < 400 ? "good" : "bad"}>
          {value.status} in {whole(value.ms)} ms
        </Chip>
      )}
    </h2>
    {problem !== null && <Problem text={problem} />}
    {value === null ? (
      <p class="small">{isBusy ? "Sending…" : "Not sent yet."}</p>
    ) : (
      <pre tabIndex={0} role="region" aria-label="Response text">
        <code>{value.text}</code>
      </pre>
    )}
  </section>
)

function parse(text: string): { readonly value?: unknown; readonly wrong?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { wrong: `This is not valid JSON: ${(error as Error).message}` }
  }
}

/** Sends the call; the answer is shown as received, with JSON on separate lines. */
async function send(call: FilledCall, signal: AbortSignal): Promise<Answer> {
  const startedAt = performance.now()
  const response = await fetch(BASE.href.replace(/\/$/, "") + pathOf(call), {
    method: call.method,
    signal,
    ...(call.body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(call.body),
    }),
  })
  const text = await response.text()
  const ms = performance.now() - startedAt
  return { status: response.status, ms, text: setOut(text) }
}

function setOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
