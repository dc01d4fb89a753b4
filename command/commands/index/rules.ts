import { command, type GroupSpec } from "../../spec.ts"

const session = () => import("../../../api/operator/rules/rules-session.ts")

export const rules: GroupSpec = {
  about: `Synonyms, pins and boosts, which change the ranking. A running appliance applies a change
starting with the next question; nothing is indexed again.`,
  standard: "list",
  commands: {
    apply: command({
      changes: () => true,
      about: "Replaces all rules with those in a file.",
      args: { file: { about: "rules file, YAML or JSON" } },
      examples: [
        { line: "fossick rules apply rules.yaml", about: "rules that are not in the file are deleted" },
      ],
      run: async ({ args, json }) => await (await session()).applyRules(args.file, json),
    }),
    list: command({
      about: "Shows the rules.",
      json: "one JSON array, for programs",
      examples: [{ line: "fossick rules list", about: "one per line" }],
      run: async ({ json }) => await (await session()).listRules(json),
    }),
    export: command({
      about: "Writes the rules as a file for fossick rules apply.",
      examples: [
        { line: "fossick rules export > rules.yaml", about: "including changes made through the admin API" },
      ],
      run: async () => await (await session()).exportRules(),
    }),
  },
}
