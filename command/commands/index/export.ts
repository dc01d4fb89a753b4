import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const exportIndex = command({
  about: `Writes the whole index, pages with their vectors, into one file that fossick import reads, on this or another
machine, with this or another engine. The appliance may serve and crawl meanwhile. After an interruption, run the
export again: it continues.`,
  args: { file: { about: "the file to write; - is the standard output", complete: "files" } },
  options: { force: { about: "replace the file if it is there" } },
  examples: [
    { line: "fossick export pages.fossick", about: "into a file" },
    { line: "fossick export - | ssh other fossick import -", about: "to another machine" },
  ],
  async run({ args: { file }, options, json }) {
    if (file === "-" && json) throw new ArgumentsError("--json and - both want the standard output")
    const { runExport } = await import("#engine/commands/run-export.ts")
    return await runExport(file, { ...options, json })
  },
})
