import { command } from "../../spec.ts"

export const importIndex = command({
  changes: () => true,
  about: `Reads a file that fossick export wrote, and adds its pages to the index named in the settings. Pages with the same
address are replaced, others stay. After an interruption, run the import again: it continues.`,
  args: { file: { about: "the file to read; - for standard input", complete: "files" } },
  options: { replace: { about: "remove the pages that are not in the file" } },
  examples: [
    { line: "fossick import pages.fossick", about: "adds to the index" },
    { line: "fossick import --replace pages.fossick", about: "makes the index match the file" },
  ],
  async run({ args: { file }, options, json }) {
    const { runImport } = await import("#engine/commands/run-import.ts")
    const { ImportedReaders } = await import("#crawler/sources/readers/imported-readers.ts")
    using readers = new ImportedReaders()
    return await runImport(file, { ...options, json, onPage: ({ page }) => readers.register(page) })
  },
})
