import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../../api/operator/rules/rules-session.ts")

export const rules: GroupSpec = {
  about: `Synonyms, pins and boosts, which change the ranking. A running appliance applies a change from its next
question on; nothing is indexed again.`,
  standard: "list",
  commands: {
    apply: command({
      changes: () => true,
      about: "Replaces all rules with those of a file.",
      args: { file: { about: "rules file, YAML or JSON" } },
      examples: [{ line: "fossick rules apply rules.yaml", about: "rules that are not in it are deleted" }],
      run: async ({ args, json }) => await (await session()).applyRules(args.file, json),
    }),
    list: command({
      about: "Shows the rules.",
      json: "one JSON array, for programs",
      examples: [{ line: "fossick rules list", about: "one per line" }],
      run: async ({ json }) => await (await session()).listRules(json),
    }),
    export: command({
      about: "Writes the rules as a file that apply reads.",
      examples: [
        { line: "fossick rules export > rules.yaml", about: "including changes over the admin API" },
      ],
      run: async () => await (await session()).exportRules(),
    }),
  },
}
