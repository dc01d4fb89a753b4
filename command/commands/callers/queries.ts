import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../../api/operator/commands/asking/queries-session.ts")
const url = {
  url: {
    value: "address",
    about: "address of the appliance; else FOSSICK_PUBLIC_URL, else this machine at FOSSICK_PORT",
  },
} as const

const report = (name: "top" | "zero" | "low" | "slow", about: string, meaning: string) =>
  command({
    about,
    options: {
      from: { value: "time", about: "asked then or later, such as 2026-01-31T00:00:00Z" },
      before: { value: "time", about: "asked before then" },
      limit: { value: "n", about: "how many", default: "50" },
      ...url,
    },
    json: "one JSON object a line, for programs",
    examples: [{ line: `fossick queries ${name} --limit 20`, about: meaning }],
    run: async ({ options, json }) =>
      await (
        await session()
      ).showQueries(
        {
          report: name,
          from: options.from,
          before: options.before,
          limit: wholeNumber("--limit", options.limit, 1, 1000),
        },
        { url: options.url, json },
      ),
  })

export const queries: GroupSpec = {
  about: `What was asked, where FOSSICK_QUERY_LOG_DAYS has it kept. It asks a running appliance, with the key of the role
admin in FOSSICK_API_KEY.`,
  standard: "top",
  commands: {
    top: report("top", "Shows the questions that were asked most.", "what people look for"),
    zero: report(
      "zero",
      "Shows the questions that found nothing, or nothing likely to answer.",
      "which pages are missing",
    ),
    low: report("low", "Shows the questions whose best score was below 0.3.", "what is hardly found"),
    slow: report("slow", "Shows the questions that took longest.", "what to make quicker"),
    clear: command({
      about: "Forgets all questions, for good.",
      options: { yes: { about: "do it: nothing brings them back" }, ...url },
      examples: [{ line: "fossick queries clear --yes", about: "all of them" }],
      async run({ options: { yes, url: at }, json }) {
        if (!yes) throw new ArgumentsError("clear forgets all questions for good: say so with --yes")
        return await (await session()).clearQueries({ url: at, json })
      },
    }),
  },
}
