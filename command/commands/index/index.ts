import { command, type GroupSpec } from "../../spec.ts"

const work =
  (name: "status" | "check" | "repair" | "upgrade" | "rollback" | "drop") =>
  async (given: { readonly json: boolean }) => {
    const { indexSession } = await import("#engine/commands/index-session.ts")
    return await indexSession({ command: name, json: given.json })
  }

export const index: GroupSpec = {
  about:
    "Shows which index is in use, rebuilds it for a new version or model, and goes back to the previous one.",
  commands: {
    status: command({
      about: "Shows which index is in use, which is being built, and which is kept for a rollback.",
      examples: [{ line: "fossick index status", about: "changes nothing" }],
      run: work("status"),
    }),
    check: command({
      about: "Reads every file of the index, and lists those that are missing or changed.",
      examples: [
        {
          line: "fossick index check",
          about: "changes nothing; the exit code is 1 if something is damaged",
        },
      ],
      run: work("check"),
    }),
    repair: command({
      changes: () => true,
      about: `Repairs damaged files: the search structures are rebuilt from the pages that can be read; the next crawl fetches
the others again. The crawler process does so when it starts.`,
      examples: [
        { line: "fossick index repair", about: "without a running appliance, or while it is not crawling" },
      ],
      run: work("repair"),
    }),
    upgrade: command({
      changes: () => true,
      about: `Rebuilds the index for this version and the model in FOSSICK_MODEL, if it differs, and makes the vectors
that are missing. A running appliance does so automatically.`,
      examples: [{ line: "fossick index upgrade", about: "continues after an interruption" }],
      run: work("upgrade"),
    }),
    model: command({
      changes: ({ args }) => args.model !== undefined,
      about: `Shows which model makes the vectors, or changes it: \`english\` or \`multilingual\`, which ship with Fossick, a folder,
or \`auto\`, which chooses based on the languages of the pages. A running appliance builds the new index beside the one in use.
FOSSICK_MODEL wins if it is set.`,
      args: {
        model: {
          about: "auto, english, multilingual, or the folder of a model; without it, nothing changes",
          optional: true,
          complete: "files",
        },
      },
      examples: [
        { line: "fossick index model", about: "shows which one, and why" },
        { line: "fossick index model multilingual", about: "for pages in several languages" },
        { line: "fossick index model auto", about: "back to the default" },
      ],
      async run({ args, json }) {
        const { indexSession } = await import("#engine/commands/index-session.ts")
        return await indexSession({ command: "model", model: args.model, json })
      },
    }),
    rollback: command({
      changes: () => true,
      about: "Goes back to the previous index, including everything crawled since.",
      examples: [{ line: "fossick index rollback", about: "as long as it is kept" }],
      run: work("rollback"),
    }),
    drop: command({
      changes: () => true,
      about: "Deletes the index that is kept for a rollback.",
      examples: [{ line: "fossick index drop", about: "frees its disk space" }],
      run: work("drop"),
    }),
  },
}
