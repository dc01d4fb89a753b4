import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

const MAX_NOTE_CHARS = 200
const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const

export const judge = command({
  changes: ({ options }) => options.import || options.save,
  about: `Asks judged questions and shows how well the expected pages rank: nDCG@10, hit@1, hit@3, and the rank of each
question's first expected page. Without a file it asks the questions stored beside the index, which the console
shows. Needs no running appliance.`,
  args: { file: { about: "file of judged questions, YAML or JSON", optional: true, complete: "files" } },
  options: {
    depth: { value: "depth", choices: DEPTHS, about: "depth of the searches", default: "basic" },
    before: { value: "file", about: "rules to compare with, instead of the appliance's" },
    after: { value: "file", about: "rules to judge, instead of the appliance's" },
    against: {
      value: "file",
      about: "compare with the output of an earlier run with --json, or with the latest saved run (latest)",
    },
    "fail-below": { value: "ndcg", about: "exit with 1 if nDCG@10 is lower than this, 0 to 1" },
    "fail-drop": { value: "ndcg", about: "exit with 1 if nDCG@10 fell by more than this, 0 to 1" },
    import: { about: "store the questions in the file beside the index" },
    save: { about: "save the results of the stored questions, with the date, the model and the rules" },
    note: { value: "text", about: "what the saved run is for", default: "" },
    export: { about: "write the stored questions to standard output as YAML, without asking them" },
  },
  examples: [
    { line: "fossick judge judged.yaml --fail-below 0.8", about: "fails a build if the ranking got worse" },
    { line: "fossick judge judged.yaml --after rules.yaml", about: "what new rules would change" },
    { line: "fossick judge judged.yaml --json > before.json", about: "to compare with another model later" },
    {
      line: "fossick judge judged.yaml --import --save",
      about: "stores the questions and today's results",
    },
    {
      line: "fossick judge --against latest --fail-drop 0.02",
      about: "the stored questions, compared with the latest saved run",
    },
  ],
  async run({ args, options, json, named }) {
    const share = (name: "fail-below" | "fail-drop") => {
      const value = options[name] === undefined ? undefined : Number(options[name])
      if (value === undefined || (value >= 0 && value <= 1)) return value
      throw new ArgumentsError(`--${name} takes a number from 0 to 1.`)
    }
    const [failBelow, failDrop] = [share("fail-below"), share("fail-drop")]
    const { depth, before, after, against, import: imports, save, note } = options
    const file = args.file ?? null
    if (imports && file === null) throw new ArgumentsError("--import needs a file of questions: name one.")
    if (save && file !== null && !imports) {
      throw new ArgumentsError(
        "--save saves the results of the stored questions: leave the file out, or add --import.",
      )
    }
    if (save && (before !== undefined || after !== undefined)) {
      throw new ArgumentsError("--save needs the appliance's own rules: leave --before and --after out.")
    }
    if (failDrop !== undefined && [before, after, against].every((one) => one === undefined)) {
      throw new ArgumentsError("--fail-drop needs a comparison: add --against, --before or --after.")
    }
    if (note.length > MAX_NOTE_CHARS) {
      throw new ArgumentsError(`--note must have at most ${MAX_NOTE_CHARS} characters.`)
    }
    if (named.has("note") && !save) throw new ArgumentsError("--note needs --save.")
    const { exportJudged, runJudge } = await import("../../../api/operator/judging/judge-session.ts")
    if (options.export) return await exportJudged()
    return await runJudge({
      file,
      depth,
      before,
      after,
      against,
      failBelow,
      failDrop,
      imports,
      save: save ? note : null,
      json,
    })
  },
})
