import { ArgumentsError } from "#base/command-arguments.ts"
import { command } from "../../spec.ts"

export const exportIndex = command({
  about: `Writes the whole index, pages with their vectors, into one file that fossick import reads, on this or another
machine, with this or another engine. The appliance can keep serving and crawling in the meantime. After an interruption, run the
export again: it continues. With --warc, the file is a WARC file
with the texts of the pages that everybody may read, for other programs or for a source that is an archive.`,
  args: { file: { about: "the file to write; - for standard output", complete: "files" } },
  options: {
    force: { about: "replace the file if it exists" },
    warc: { about: "write the texts of the pages as a WARC file, with a name that ends in .warc.gz" },
    source: { about: "with --warc: only the pages of this source", value: "name" },
  },
  examples: [
    { line: "fossick export pages.fossick", about: "into a file" },
    { line: "fossick export --warc docs.warc.gz --source docs", about: "the texts of one source" },
    { line: "fossick export - | ssh other fossick import -", about: "to another machine" },
  ],
  async run({ args: { file }, options, json }) {
    if (file === "-" && json)
      throw new ArgumentsError("--json and - both use standard output: use only one of them")
    if (options.warc) {
      const { runWarcExport } = await import("#engine/commands/run-warc-export.ts")
      const { closedSources } = await import("#crawler/sources/readers/closed-sources.ts")
      return await runWarcExport(file, { ...options, json, closed: closedSources })
    }
    if (options.source !== undefined) throw new ArgumentsError("--source needs --warc")
    const { runExport } = await import("#engine/commands/run-export.ts")
    return await runExport(file, { force: options.force, json })
  },
})
