import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../../api/operator/rules/rules-session.ts")

export const rules: GroupSpec = {
  about: `Synonyms, pins and boosts: what you want of the ranking. A running appliance heeds a change with its next
question; nothing is indexed anew.`,
  standard: "list",
  commands: {
    apply: command({
      changes: () => true,
      about: "Makes the rules those of a file, and no others.",
      args: { file: { about: "file of rules, YAML or JSON" } },
      examples: [{ line: "fossick rules apply rules.yaml", about: "rules that are not in it are deleted" }],
      run: async ({ args, json }) => await (await session()).applyRules(args.file, json),
    }),
    list: command({
      about: "Shows the rules.",
      json: "one JSON array, for programs",
      examples: [{ line: "fossick rules list", about: "a line for each" }],
      run: async ({ json }) => await (await session()).listRules(json),
    }),
    export: command({
      about: "Writes the rules as a file that apply takes.",
      examples: [{ line: "fossick rules export > rules.yaml", about: "what the admin API changed, too" }],
      run: async () => await (await session()).exportRules(),
    }),
  },
}
