import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Progress } from "../../design/progress.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { useAnswer } from "../asking/use-polled.ts"
import { Block, Fact, Time } from "../parts.tsx"
import { counted, rate, share, size, whole } from "../words.ts"
import { Chart, type Line, type Span } from "./chart.tsx"

const SPANS = [
  { hours: 6, name: "6 hours" },
  { hours: 24, name: "1 day" },
  { hours: 168, name: "1 week" },
] as const

/** Recent hours or days, as measured: crawls, questions and their times, memory and disk. */
export function Charts() {
  const [hours, choose] = useState<number>(24)
  const polled = useAnswer("GET /admin/history", { query: { hours } })
  const { value } = polled
  return (
    <Block
      id="over-time"
      title={
        <>
          Over time
          <span class="spans" role="group" aria-label="Time range">
            {SPANS.map((span) => (
              <button
                key={span.hours}
                type="button"
                class="button quiet"
                aria-pressed={span.hours === hours}
                onClick={() => choose(span.hours)}
              >
                {span.name}
              </button>
            ))}
          </span>
        </>
      }
    >
      <PolledStatus of={polled} />
      {value !== null && <Drawn history={value} />}
    </Block>
  )
}

const milliseconds = (value: number) => (value >= 1000 ? `${rate(value / 1000)} s` : `${whole(value)} ms`)

type History = AnswerOf<"GET /admin/history">
type Points = History["points"]

/** Props of each chart. */
interface Measured {
  readonly time: Span
  readonly points: Points
}

const sum = (points: Points, of: (point: Points[number]) => number): number =>
  points.reduce((all, point) => all + of(point), 0)

function Drawn({ history }: { readonly history: History }) {
  const { points, memory_bytes: memory, disk_bytes: disk } = history
  const time = {
    at: points.map(({ at }) => Date.parse(at)),
    from: Date.parse(history.from),
    to: Date.parse(history.to),
    stepMs: history.step_seconds * 1000,
  }
  const measured = { time, points }
  return (
    <div class="charts">
      <CrawlRate {...measured} />
      <Questions {...measured} />
      <AnswerTimes {...measured} />
      <Used
        {...measured}
        title="Memory used"
        name="all"
        of={memory}
        free={(one) => one.memory_free_bytes}
        more={[{ name: "Fossick", tone: "good", values: points.map((one) => one.process_memory_bytes) }]}
      />
      {disk !== null && (
        <Used {...measured} title="Disk used" name="used" of={disk} free={(one) => one.disk_free_bytes} />
      )}
      <Fresh />
    </div>
  )
}

const perMinute = (count: number, seconds: number): number => (count * 60) / Math.max(1, seconds)

const CrawlRate = ({ time, points }: Measured) => (
  <Chart
    {...time}
    title="Crawl rate, visits per minute"
    now={counted(
      sum(points, (point) => point.visits),
      "visit",
    )}
    as="bars"
    lines={[
      {
        name: "succeeded",
        tone: "accent",
        values: points.map((one) => perMinute(one.visits - one.failed_visits, one.seconds)),
      },
      {
        name: "failed",
        tone: "bad",
        values: points.map((one) => perMinute(one.failed_visits, one.seconds)),
      },
    ]}
    shown={rate}
  />
)

function Questions({ time, points }: Measured) {
  const answered = sum(points, (point) => point.answered)
  const notAnswered = sum(points, (point) => point.refused + point.failed)
  return (
    <Chart
      {...time}
      title="Questions"
      now={
        <>
          {whole(answered)} answered{notAnswered > 0 && `, ${whole(notAnswered)} not`}
        </>
      }
      as="bars"
      lines={[
        { name: "answered", tone: "accent", values: points.map((one) => one.answered) },
        { name: "refused", tone: "warn", values: points.map((one) => one.refused) },
        { name: "failed", tone: "bad", values: points.map((one) => one.failed) },
      ]}
      shown={whole}
    />
  )
}

function AnswerTimes({ time, points }: Measured) {
  const slowest = Math.max(0, ...points.map((point) => point.slow_ms ?? 0))
  return (
    <Chart
      {...time}
      title="Response time"
      now={slowest === 0 ? "no questions" : `up to ${milliseconds(slowest)}`}
      as="lines"
      lines={[
        { name: "median", tone: "accent", values: points.map((one) => one.median_ms) },
        { name: "95th percentile", tone: "warn", values: points.map((one) => one.slow_ms) },
      ]}
      shown={milliseconds}
    />
  )
}

/** How much of something is used, against the total. */
function Used({
  points,
  time,
  title,
  name,
  of,
  free,
  more = [],
}: Measured & {
  readonly title: string
  readonly name: string
  readonly of: number
  readonly free: (point: Points[number]) => number | null
  readonly more?: readonly Line[]
}) {
  const used = points.map((point) => {
    const left = free(point)
    return left === null ? null : of - left
  })
  const now = used.at(-1) ?? null
  return (
    <Chart
      {...time}
      title={title}
      now={now === null ? "–" : `${size(now)} of ${size(of)}`}
      as="lines"
      most={of}
      lines={[{ name, tone: "accent", values: used }, ...more]}
      shown={size}
    />
  )
}

/** How long ago the pages were last crawled. */
function Fresh() {
  const { value } = useAnswer("GET /admin/freshness")
  if (value === null) return null
  const { pages } = value
  const rows = [
    ["within a day", value.within_day],
    ["within a week", value.within_week],
    ["within a month", value.within_month],
  ] as const
  return (
    <figure class="measured">
      <figcaption>
        <span>Freshness, pages last checked</span>
        <strong>{counted(pages, "page")}</strong>
      </figcaption>
      <dl class="fresh">
        {rows.map(([name, count]) => (
          <Fact key={name} name={name}>
            <Progress label={`Checked ${name}`} value={count} max={Math.max(1, pages)} />
            {pages === 0 ? "–" : share(count, pages)}
          </Fact>
        ))}
      </dl>
      {value.oldest_at !== null && (
        <p class="small">
          Oldest check: <Time at={value.oldest_at} />
        </p>
      )}
    </figure>
  )
}
