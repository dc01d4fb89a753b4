import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const

export const judge = command({
  about: `Asks judged questions and says how well the expected pages rank: nDCG@10, hit@1, hit@3, and the rank of each
question's first expected page. Needs no running appliance.`,
  args: { file: { about: "file of judged questions, YAML or JSON" } },
  options: {
    depth: { value: "depth", choices: DEPTHS, about: "depth of the searches", default: "basic" },
    before: { value: "file", about: "rules to compare with, in the place of the appliance's" },
    after: { value: "file", about: "rules to judge, in the place of the appliance's" },
    against: { value: "file", about: "what an earlier run with --json wrote: compare with that" },
    "fail-below": { value: "ndcg", about: "exit with 1 when nDCG@10 is lower, 0 to 1" },
  },
  examples: [
    { line: "fossick judge judged.yaml --fail-below 0.8", about: "fails a build when ranking got worse" },
    { line: "fossick judge judged.yaml --after rules.yaml", about: "what new rules would change" },
    { line: "fossick judge judged.yaml --json > before.json", about: "to compare with another model later" },
  ],
  async run({ args, options, json }) {
    const failBelow = options["fail-below"] === undefined ? undefined : Number(options["fail-below"])
    if (failBelow !== undefined && !(failBelow >= 0 && failBelow <= 1)) {
      throw new ArgumentsError("--fail-below takes a number from 0 to 1.")
    }
    const { runJudge } = await import("../../../api/judging/judge-session.ts")
    const { depth, before, after, against } = options
    return await runJudge({ file: args.file, depth, before, after, against, failBelow, json })
  },
})
