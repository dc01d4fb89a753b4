import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { since } from "../../reading/dates.ts"
import { Block, Loading, Nothing, Problem, ResultChip, Tile } from "../parts.tsx"
import { PolledStatus } from "../asking/status.tsx"
import { type Actions, useActions } from "../asking/use-actions.ts"
import { IDLE_MS, LIVE_MS, useAnswer } from "../asking/use-polled.ts"
import { atTime, size, until, whole } from "../words.ts"
import { Snippet } from "./snippet.tsx"

type Answer = AnswerOf<"GET /admin/backups">
type Run = Answer["runs"][number]
type File = NonNullable<Answer["files"]>[number]

const DECLARE = `backup:
  folder: /backups
  schedule: 30 2 * * *
  keep: 7`

/** Scheduled backups: their times, the latest results, the stored backups, and a button to create one now. */
export function Backups() {
  const polled = useAnswer("GET /admin/backups", {}, ({ runs }) =>
    runs.some(isUnderWay) ? LIVE_MS : IDLE_MS,
  )
  const { value, problem, refresh } = polled
  const actions = useActions(refresh)
  if (value === null) return problem === null ? <Loading /> : <Problem text={problem} onAgain={refresh} />
  const { plan, runs, files } = value
  if (plan === null) return <NotDeclared />
  return (
    <>
      <PolledStatus of={polled} actions={actions} />
      <Plan plan={plan} runs={runs} files={files} actions={actions} />
      <Files files={files} />
      <Block id="runs" title="Runs">
        {runs.length === 0 ? (
          <p class="small">No backups yet.</p>
        ) : (
          <Table caption="Backups made" columns={RUNS} rows={runs} keyOf={({ id }) => String(id)} />
        )}
      </Block>
    </>
  )
}

const NotDeclared = () => (
  <>
    <Nothing icon="copy" title="No backup schedule yet">
      <p>
        Create a folder for your backups, add this block to the sources file, at the same level as{" "}
        <code>sources:</code>, and run <code>fossick sources apply</code>. The appliance then makes a backup
        every night at 02:30 UTC.
      </p>
    </Nothing>
    <Snippet name="the block for sources.yaml" text={DECLARE} />
    <p class="small">Or make one now, on the appliance's machine:</p>
    <Snippet name="the command" text="npx fossick backup /backups/fossick.tar" />
  </>
)

function Plan({
  plan,
  runs,
  files,
  actions: { isBusy, act },
}: Pick<Answer, "runs" | "files"> & {
  readonly plan: NonNullable<Answer["plan"]>
  readonly actions: Actions
}) {
  const last = runs.find(({ ended_at: at }) => at !== null)
  const run = () => act("A backup will start soon", "POST /admin/backups/run")
  return (
    <section class="block" aria-label="The plan">
      <dl class="tiles">
        <Tile name="Last backup" value={last?.ended_at == null ? "none yet" : since(last.ended_at)}>
          {last !== undefined && <ResultChip state={last.state} result={null} />}
        </Tile>
        <Tile name="Next backup" value={plan.next_run_at === null ? "on request" : until(plan.next_run_at)}>
          {scheduleOf(plan.schedule)}
        </Tile>
        <Tile name="Kept" value={files === null ? "–" : whole(files.length)}>
          the newest {whole(plan.keep)} are kept
        </Tile>
      </dl>
      {last?.error != null && <p class="reason">{last.error}</p>}
      <p class="row">
        <Button
          look="primary"
          icon="copy"
          disabled={isBusy || runs.some(isUnderWay)}
          onClick={() => void run()}
        >
          {runs.some(isUnderWay) ? "Backup in progress" : "Back up now"}
        </Button>
        <span class="small">
          into <code>{plan.folder}</code>
        </span>
      </p>
    </section>
  )
}

const Files = ({ files }: Pick<Answer, "files">) => (
  <Block id="files" title="Files">
    {files === null && (
      <p class="reason">The folder cannot be read from here: it may not be mounted where the API runs.</p>
    )}
    {files?.length === 0 && <p class="small">No files yet.</p>}
    {files !== null && files.length > 0 && (
      <>
        <Table caption="Backup files" columns={FILES} rows={files} keyOf={({ path }) => path} />
        <p class="small">
          Restoring replaces everything in the appliance. Stop the appliance, then run this command on its
          machine.
        </p>
        <Snippet
          name="the command to restore"
          text={`npx fossick restore ${quoted(files[0]!.path)} --force`}
        />
      </>
    )}
  </Block>
)

const isUnderWay = ({ state }: Run): boolean => state === "queued" || state === "running"

const quoted = (path: string) => (/^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

function scheduleOf(schedule: NonNullable<Answer["plan"]>["schedule"]): string {
  if (schedule === null) return "no schedule"
  if (schedule.every_hours !== null) return `every ${whole(schedule.every_hours)} h`
  return `${schedule.cron ?? ""} (${schedule.time_zone})`
}

const FILES: readonly Column<File>[] = [
  { heading: "File", cell: ({ path }) => <code>{path}</code> },
  { heading: "Made", cell: ({ made_at: at }) => <time dateTime={at}>{atTime(at)}</time> },
  { heading: "Size", isNumber: true, cell: ({ bytes }) => size(bytes) },
]

const RUNS: readonly Column<Run>[] = [
  {
    heading: "Started",
    cell: ({ asked_at: at, trigger }) => (
      <>
        <time dateTime={at}>{atTime(at)}</time>
        <p class="small">{trigger === "schedule" ? "on schedule" : "manually"}</p>
      </>
    ),
  },
  {
    heading: "Result",
    cell: ({ state, error, note }) => (
      <>
        <ResultChip state={state} result={null} />
        {(error ?? note) !== null && <p class="reason">{error ?? note}</p>}
      </>
    ),
  },
  { heading: "Pages", isNumber: true, cell: ({ pages }) => (pages === null ? "–" : whole(pages)) },
  { heading: "Size", isNumber: true, cell: ({ bytes }) => (bytes === null ? "–" : size(bytes)) },
  { heading: "File", cell: ({ file }) => (file === null ? "–" : <code>{file}</code>) },
]
