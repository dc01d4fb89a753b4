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
      about: "Shows which index is in use, what is being built, and what is kept for a rollback.",
      examples: [{ line: "fossick index status", about: "changes nothing" }],
      run: work("status"),
    }),
    check: command({
      about:
        "Reads every file of the index, and names what is missing or holds something else than was written.",
      examples: [
        {
          line: "fossick index check",
          about: "changes nothing; the exit code is 1 when something is damaged",
        },
      ],
      run: work("check"),
    }),
    repair: command({
      changes: () => true,
      about: `Brings damaged files back: what finds pages is rebuilt from the pages that can be read; pages that cannot be
are fetched again by the next crawl. The crawler process does so when it starts.`,
      examples: [{ line: "fossick index repair", about: "without an appliance, or while it does not crawl" }],
      run: work("repair"),
    }),
    upgrade: command({
      changes: () => true,
      about: `Rebuilds the index for this version and the model in FOSSICK_MODEL, if it differs, and makes the vectors
that are missing. A running appliance does so by itself.`,
      examples: [{ line: "fossick index upgrade", about: "after an interruption it continues" }],
      run: work("upgrade"),
    }),
    model: command({
      changes: ({ args }) => args.model !== undefined,
      about: `Says which model makes the vectors, or changes it: \`english\` or \`multilingual\`, which ship with Fossick, a folder,
or \`auto\`, by the languages of the pages. A running appliance builds the index for it beside the one in use. FOSSICK_MODEL wins
when it is set.`,
      args: {
        model: {
          about: "auto, english, multilingual, or the folder of a model; left out, nothing changes",
          optional: true,
          complete: "files",
        },
      },
      examples: [
        { line: "fossick index model", about: "says which one, and why" },
        { line: "fossick index model multilingual", about: "for pages in several languages" },
        { line: "fossick index model auto", about: "as at the beginning" },
      ],
      async run({ args, json }) {
        const { indexSession } = await import("#engine/commands/index-session.ts")
        return await indexSession({ command: "model", model: args.model, json })
      },
    }),
    rollback: command({
      changes: () => true,
      about: "Goes back to the index that was in use before, with all that was crawled since.",
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
