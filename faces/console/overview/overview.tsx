import { Icon } from "../../design/icons.tsx"
import { Progress } from "../../design/progress.tsx"
import { Link } from "../link.tsx"
import { Block, Head, Nothing, Tile } from "../parts.tsx"
import { RunTable } from "../sources/run-table.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { IDLE_MS, LIVE_MS, usePolled } from "../asking/use-polled.ts"
import { counted, lasting, rate, share, size, whole } from "../words.ts"
import { Charts } from "./charts.tsx"
import { type Need, needsOf } from "./needs.ts"
import { isLive, look, type Seen } from "./seen.ts"

const PLACES: Readonly<Record<string, string>> = {
  embedded: "the index on this machine",
  meilisearch: "Meilisearch",
  opensearch: "OpenSearch",
}

/** The state of the appliance: its contents, its latest work, and what it needs from the operator. */
export function Overview() {
  const polled = usePolled("overview", look, (seen) => (isLive(seen) ? LIVE_MS : IDLE_MS))
  const { value } = polled
  return (
    <>
      <Head title="Overview" page="Overview" />
      <PolledStatus of={polled} />
      {value !== null && (
        <>
          <Needs needs={needsOf(value)} />
          <Tiles seen={value} />
          <Charts />
          <Block
            id="last-runs"
            title={
              <>
                Latest runs <Link to={{ view: "runs", source: null }}>All runs</Link>
              </>
            }
          >
            {value.jobs.length === 0 ? (
              <Nothing icon="clock" title="No runs yet">
                <p>
                  {value.sources.total === 0
                    ? "Add a source to crawl its pages and make them searchable."
                    : "Run a source, or wait for its schedule."}
                </p>
              </Nothing>
            ) : (
              <RunTable caption="Latest runs" jobs={value.jobs} />
            )}
          </Block>
        </>
      )}
    </>
  )
}

function Needs({ needs }: { readonly needs: readonly Need[] }) {
  return (
    <Block id="needs" title="Needs your attention">
      {needs.length === 0 ? (
        <p class="well">
          <Icon name="check" /> Nothing right now.
        </p>
      ) : (
        <ul class="needs">
          {needs.map(({ tone, icon, title, text, to, todo }) => (
            <li key={title} class={tone}>
              <Icon name={icon} />
              <p>
                <strong>{title}</strong>
                <span>{text}</span>
              </p>
              {to !== null && (
                <Link to={to} class="button">
                  {todo}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Block>
  )
}

function Tiles({ seen: { index, machine, sources } }: { readonly seen: Seen }) {
  const { pages, passages, passages_without_vectors: waiting } = index
  const paused = sources.sources.filter((source) => source.paused).length
  return (
    <section aria-label="At a glance">
      <dl class="tiles">
        <Tile name="Pages" value={whole(pages)}>
          {sources.total === 0 ? "no sources yet" : `from ${counted(sources.total, "source")}`}
          {paused > 0 && `, ${whole(paused)} paused`}
        </Tile>
        <Tile name="Passages" value={whole(passages)}>
          in {PLACES[index.engine] ?? index.engine}
        </Tile>
        <Tile
          name={<Link to={{ view: "vectors" }}>Vectors</Link>}
          value={passages === 0 ? "–" : share(passages - waiting, passages)}
        >
          <Progress label="Passages with vectors" value={passages - waiting} max={Math.max(1, passages)} />
          {vectorsLeft(index)}
        </Tile>
        <Tile name="Disk" value={machine.disk_free_bytes === null ? "–" : size(machine.disk_free_bytes)}>
          <Used what="Disk used" free={machine.disk_free_bytes} of={machine.disk_bytes} />
        </Tile>
        <Tile name="Memory" value={size(machine.memory_free_bytes)}>
          <Used what="Memory used" free={machine.memory_free_bytes} of={machine.memory_bytes} />
          <span>{size(machine.process_memory_bytes)} used by Fossick</span>
        </Tile>
      </dl>
    </section>
  )
}

function vectorsLeft({
  passages,
  passages_without_vectors: waiting,
  vectors_per_second: perSecond,
  seconds_left: seconds,
}: Seen["index"]) {
  if (passages === 0) return <span>no passages yet</span>
  if (waiting === 0) return <span>all passages have vectors</span>
  return (
    <>
      <span>{whole(waiting)} to go</span>
      <span>
        {seconds === null || perSecond === null
          ? "found by their words for now"
          : `${lasting(seconds)} left, ${rate(perSecond)} a second`}
      </span>
    </>
  )
}

function Used({
  what,
  free,
  of,
}: {
  readonly what: string
  readonly free: number | null
  readonly of: number | null
}) {
  if (free === null || of === null) return <span>not known</span>
  return (
    <>
      <Progress label={what} value={of - free} max={of} />
      <span>free of {size(of)}</span>
    </>
  )
}
