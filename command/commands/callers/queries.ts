import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../../api/operator/commands/asking/queries-session.ts")
const url = {
  url: {
    value: "address",
    about: "address of the appliance; default: FOSSICK_PUBLIC_URL, else this machine at FOSSICK_PORT",
  },
} as const

const report = (name: "top" | "zero" | "low" | "slow", about: string, meaning: string) =>
  command({
    about,
    options: {
      from: {
        value: "time",
        about: "only questions asked at this time or later, such as 2026-01-31T00:00:00Z",
      },
      before: { value: "time", about: "only questions asked before this time" },
      limit: { value: "n", about: "how many to show", default: "50" },
      ...url,
    },
    json: "one JSON object per line, for programs",
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
  about: `Shows the questions that were asked, if FOSSICK_QUERY_LOG_DAYS is set. It asks a running appliance, with
the admin key in FOSSICK_API_KEY.`,
  standard: "top",
  commands: {
    top: report("top", "Shows the questions that were asked most.", "what people look for"),
    zero: report(
      "zero",
      "Shows the questions that found nothing, or nothing likely to answer them.",
      "which pages are missing",
    ),
    low: report("low", "Shows the questions whose best score was below 0.3.", "what is hard to find"),
    slow: report("slow", "Shows the questions that took longest.", "what to speed up"),
    clear: command({
      about: "Deletes all stored questions. This cannot be undone.",
      options: { yes: { about: "confirm: this cannot be undone" }, ...url },
      examples: [{ line: "fossick queries clear --yes", about: "all of them" }],
      async run({ options: { yes, url: at }, json }) {
        if (!yes)
          throw new ArgumentsError(
            "clear deletes all stored questions, which cannot be undone: confirm with --yes",
          )
        return await (await session()).clearQueries({ url: at, json })
      },
    }),
  },
}
