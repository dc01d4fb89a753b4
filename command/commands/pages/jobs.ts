import { JOB_STATES } from "#crawler/job.ts"
import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { command, type GroupSpec } from "../../spec.ts"

const job = { job: { about: "job number, as shown by fossick jobs list" } } as const

function numberOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ArgumentsError(`${text} is not the number of a job`)
  return Number(text)
}

const session = () => import("#crawler/commands/jobs-session.ts")

export const jobs: GroupSpec = {
  about: "Shows running and finished crawls, and pauses, resumes and cancels them.",
  commands: {
    list: command({
      about: "Shows the newest jobs.",
      options: {
        source: { value: "name", about: "only jobs of this source" },
        state: { value: "state", about: "only jobs in this state", choices: JOB_STATES },
        limit: { value: "n", about: "how many to show", default: "20" },
      },
      json: "one JSON object per line, for programs",
      examples: [{ line: "fossick jobs list --state failed --limit 5", about: "recent failures" }],
      async run({ options: { source, state, limit: text }, json }) {
        const limit = wholeNumber("--limit", text, 1, 9_999_999)
        return await (await session()).listJobs({ source, state, limit }, json)
      },
    }),
    show: command({
      about: "Shows one job in detail: counts by outcome, failures, its log.",
      args: job,
      options: {
        outcome: {
          value: "name",
          about:
            "show every address with this outcome instead: failed, dns, empty and so on; with --json one object per line",
        },
      },
      examples: [
        { line: "fossick jobs show 12", about: "with the last 50 lines of its log" },
        { line: "fossick jobs show 12 --outcome empty", about: "all pages that were empty" },
      ],
      async run({ args, options: { outcome }, json }) {
        const { listAddresses, showJob } = await session()
        const id = numberOf(args.job)
        return outcome === undefined ? await showJob(id, json) : await listAddresses(id, outcome, json)
      },
    }),
    pause: command({
      changes: () => true,
      about: "Pauses a job once its current pages have been read. The remaining pages are remembered.",
      args: job,
      examples: [{ line: "fossick jobs pause 12", about: "until it is resumed" }],
      run: async ({ args, json }) => await (await session()).pauseJob(numberOf(args.job), json),
    }),
    resume: command({
      changes: () => true,
      about: "Continues a job where it was paused.",
      args: job,
      examples: [
        {
          line: "fossick jobs resume 12",
          about: "the running appliance continues it, or else the next one to start",
        },
      ],
      run: async ({ args, json }) => await (await session()).resumeJob(numberOf(args.job), json),
    }),
    "skip-host": command({
      changes: () => true,
      about:
        "Skips a host for the rest of a run. Its known pages are kept; the next run visits the host again.",
      args: { ...job, host: { about: "name of the host, with its port if that is not the usual one" } },
      examples: [
        {
          line: "fossick jobs skip-host 12 old.example.org",
          about: "instead of waiting for a host that is down",
        },
      ],
      run: async ({ args, json }) => await (await session()).skipHost(numberOf(args.job), args.host, json),
    }),
    cancel: command({
      changes: () => true,
      about: "Ends a job for good. Pages that were read stay in the index.",
      args: job,
      examples: [{ line: "fossick jobs cancel 12", about: "whether it is running, waiting or paused" }],
      run: async ({ args, json }) => await (await session()).cancelJob(numberOf(args.job), json),
    }),
  },
}
