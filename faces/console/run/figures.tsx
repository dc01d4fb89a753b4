import type { AnswerOf } from "../../../api/client/client.ts"
import { Progress } from "../../design/progress.tsx"
import { Fact, isOpen } from "../parts.tsx"
import { failedIn } from "../sources/run-table.tsx"
import { rate, whole } from "../words.ts"
import type { Measured } from "./meter.ts"

/** The progress and speed of the run. */
export function Figures({
  job,
  done,
  measured: { perSecond, before },
}: {
  readonly job: AnswerOf<"GET /admin/jobs/{id}">
  readonly done: number
  readonly measured: Measured
}) {
  const { changes, queued } = job
  const isLive = isOpen(job.state)
  return (
    <section aria-label="Figures">
      {isLive && (
        <Progress
          label="Addresses visited, out of those known so far"
          value={done}
          max={Math.max(1, done + queued)}
        />
      )}
      <dl class="tiles run-tiles">
        <Fact name="Visited">{whole(done)}</Fact>
        <Fact name={isLive ? "In the queue" : "Not visited"}>{whole(queued)}</Fact>
        {isLive && (
          <Fact name="Per second">
            {job.state !== "running" || perSecond === null ? "–" : rate(perSecond)}
            <Curve values={before} />
          </Fact>
        )}
        <Fact name="New">{whole(changes.new)}</Fact>
        <Fact name="Changed">{whole(changes.changed)}</Fact>
        <Fact name="Removed">{whole(changes.gone)}</Fact>
        <Fact name="Failed">{whole(failedIn(job))}</Fact>
      </dl>
    </section>
  )
}

const [WIDTH, HEIGHT] = [120, 32]

/** The rate since the screen was opened, as a line; the numbers next to it show the same rate. */
function Curve({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return null
  const most = Math.max(...values, 1e-9)
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`
  })
  return (
    <svg class="curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" stroke-width="2" />
    </svg>
  )
}
