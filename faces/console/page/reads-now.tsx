import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { appliance } from "../../session/appliance.ts"
import { Block, Fact, Problem } from "../parts.tsx"
import { Meaning } from "../run/meaning.tsx"
import { kindOf, shownOutcome } from "../run/outcomes.ts"
import { Busy } from "../asking/status.tsx"
import { useCall } from "../asking/use-call.ts"
import { counted, lasting, size } from "../words.ts"
import { Passages } from "./as-indexed.tsx"

type Tried = AnswerOf<"POST /admin/try">

const FEW = 3
const TONES = { pages: "good", postponed: "warn", skipped: "warn", failed: "bad" } as const

/** Reads the page now, as a run would, but stores nothing. */
export function ReadsNow({ url }: { readonly url: string }) {
  const { value, problem, isBusy, call, cancel } = useCall<Tried>()
  const read = (rendering?: "browser") =>
    call((signal) =>
      appliance.call("POST /admin/try", { body: { url, ...(rendering && { rendering }) }, signal }),
    )
  return (
    <Block id="now" title="How Fossick reads it now">
      {problem !== null && <Problem text={problem} onAgain={() => read()} />}
      {value !== null && !isBusy && <Outcome tried={value} />}
      {isBusy ? (
        <Busy label="Reading the page" onStop={cancel}>
          Reading the page as a run would …
        </Busy>
      ) : (
        <p class="row">
          <Button icon="play" onClick={() => read()}>
            Read it now
          </Button>
          <Button look="quiet" icon="globe" onClick={() => read("browser")}>
            Read it in a browser
          </Button>
        </p>
      )}
    </Block>
  )
}

function Outcome({ tried }: { readonly tried: Tried }) {
  const { outcome, detail, robots, reading, page, source, belongs } = tried
  return (
    <>
      <dl class="facts">
        <Fact name="A run would record" wide>
          <Chip tone={TONES[kindOf(outcome)]}>{shownOutcome(outcome)}</Chip>
          <small>{detail ?? <Meaning of={outcome} />}</small>
        </Fact>
        <Fact name="Source">
          {belongs ? source : "none; read with the default settings"}
          <small>{lasting(tried.took_ms / 1000)}</small>
        </Fact>
        <Fact name="robots.txt">
          {robots.obeyed ? (
            robots.allowed === false ? (
              <b>Forbids it</b>
            ) : robots.allowed === null ? (
              "Not known"
            ) : (
              "Allows it"
            )
          ) : (
            "Ignored"
          )}
        </Fact>
        {reading !== null && (
          <>
            <Fact name="Response">
              {reading.status} {reading.content_type}
              <small>{size(reading.bytes)}</small>
            </Fact>
            {(reading.noindex || reading.nofollow) && (
              <Fact name="Directives">
                {[reading.noindex && "noindex", reading.nofollow && "nofollow"].filter(Boolean).join(", ")}
              </Fact>
            )}
            <Fact name="Links">
              {counted(reading.links.total, "link")}
              <small>
                {reading.links.followed} followed, {reading.links.outside} outside the source
              </small>
            </Fact>
            {reading.canonical !== null && <Fact name="Canonical">{reading.canonical}</Fact>}
          </>
        )}
        {page !== null && (
          <Fact name="Title" wide>
            <b>{page.title || "Untitled"}</b>
            <small>{counted(page.passages.length, "passage")}</small>
          </Fact>
        )}
      </dl>
      {page !== null && <Passages passages={page.passages.slice(0, FEW)} />}
    </>
  )
}
