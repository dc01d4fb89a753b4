import type { AnswerOf } from "../../../api/client/client.ts"
import { Progress } from "../../design/progress.tsx"
import { appliance } from "../../session/appliance.ts"
import { Block, Head, Tile } from "../parts.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useActions } from "../asking/use-actions.ts"
import { IDLE_MS, LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { counted, lasting, rate, share, whole } from "../words.ts"
import { BySource } from "./by-source.tsx"
import { Model } from "./model.tsx"

/** Maximum number of sources in one call. Any others are listed on their own screen. */
const SOURCES_LOOKED_AT = 1000

async function look(signal: AbortSignal) {
  const [{ index }, { sources }, order] = await Promise.all([
    appliance.call("GET /admin/index", { signal }),
    appliance.call("GET /admin/sources", { query: { limit: SOURCES_LOOKED_AT }, signal }),
    appliance.call("GET /admin/vectors", { signal }),
  ])
  return { index, sources, order }
}

/** The progress of the vectors, their order, and the model that creates them. */
export function Vectors() {
  const polled = usePolled("vectors", look, ({ index }) =>
    index.pages_without_vectors > 0 ? LIVE_MS : IDLE_MS,
  )
  const { value, refresh } = polled
  const actions = useActions(refresh)
  return (
    <>
      <Head
        title="Vectors"
        page="Vectors"
        under={
          <p>Searches find pages by their words at once, and by their meaning once they have vectors.</p>
        }
      />
      <PolledStatus of={polled} actions={actions} />
      {value !== null && (
        <>
          <Far index={value.index} />
          <Order order={value.order} />
          <BySource sources={value.sources} first={value.order.first_source} actions={actions} />
          <Model />
        </>
      )}
    </>
  )
}

type Index = AnswerOf<"GET /admin/index">["index"]

function Far({ index }: { readonly index: Index }) {
  const { passages, passages_without_vectors: waiting, pages, pages_without_vectors: pagesWaiting } = index
  const done = passages - waiting
  return (
    <section class="block" aria-label="Progress">
      <Progress label="Passages with vectors" value={done} max={Math.max(1, passages)} />
      <dl class="tiles">
        <Tile name="Done" value={passages === 0 ? "–" : share(done, passages)}>
          {counted(done, "passage")}
        </Tile>
        <Tile name="Left" value={whole(waiting)}>
          {pagesWaiting === 0
            ? `none of ${counted(pages, "page")} waiting`
            : `passages in ${counted(pagesWaiting, "page")}`}
        </Tile>
        <Tile name="Rate" value={index.vectors_per_second === null ? "–" : rate(index.vectors_per_second)}>
          {index.vectors_per_second === null ? "none in progress" : "passages per second, last minute"}
        </Tile>
        <Tile
          name="Time left"
          value={waiting === 0 || index.seconds_left === null ? "–" : lasting(index.seconds_left)}
        >
          {waiting === 0
            ? "all passages have vectors"
            : index.seconds_left === null
              ? "too early to tell"
              : "at this rate"}
        </Tile>
      </dl>
    </section>
  )
}

type Step = AnswerOf<"GET /admin/vectors">["order"][number]

const STEPS: Readonly<Record<Step, readonly [name: string, why: string]>> = {
  changed: ["Changed pages", "their text changed since the last crawl"],
  asked: ["Pages that questions found", "someone is looking for them now"],
  first: ["The source you put first", ""],
  new: ["All others", "in the order they came in"],
}

const Order = ({
  order: { order, first_source: first },
}: {
  readonly order: AnswerOf<"GET /admin/vectors">
}) => (
  <Block id="order" title="Order">
    <ol class="vector-order">
      {order.map((step) => (
        <li key={step}>
          <span>
            <strong>{STEPS[step][0]}</strong>
            <small>{step === "first" ? (first ?? "none: choose one below") : STEPS[step][1]}</small>
          </span>
        </li>
      ))}
    </ol>
  </Block>
)
