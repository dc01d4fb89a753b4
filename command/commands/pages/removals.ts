import type { RemovalsArguments } from "#crawler/commands/removals/removals-session.ts"
import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { command, type GroupSpec } from "../../spec.ts"

const MOST = 999_999_999
const limit = { limit: { value: "n", about: "how many pages to show", default: "100" } } as const
const source = { source: { about: "name of the source" } } as const
const anySource = { source: { about: "name of a source; default: all", optional: true } } as const

async function run(args: RemovalsArguments): Promise<number> {
  const { removals: session } = await import("#crawler/commands/removals/removals-session.ts")
  return await session(args)
}

export const removals: GroupSpec = {
  about: `Shows pages that seem to be gone, if a source has too many of them to remove without your approval. Removes or keeps
these pages, and restores removed pages.`,
  standard: "list",
  commands: {
    list: command({
      about: "Shows the sources that are waiting for your decision, or the pages of one, with the reasons.",
      args: anySource,
      options: limit,
      examples: [
        { line: "fossick removals", about: "the sources that are waiting" },
        { line: "fossick removals list handbook", about: "the pages of one" },
      ],
      run: ({ args, options, json }) =>
        run({
          command: "list",
          source: args.source ?? null,
          limit: wholeNumber("--limit", options.limit, 1, MOST),
          json,
        }),
    }),
    approve: command({
      changes: () => true,
      about: "Removes the pages of a source that seem to be gone.",
      args: source,
      examples: [{ line: "fossick removals approve handbook", about: "you can restore them for a while" }],
      run: ({ args, json }) => run({ command: "approve", source: args.source, json }),
    }),
    reject: command({
      changes: () => true,
      about:
        "Keeps the pages of a source that seem to be gone. Two more runs must find them gone before they count as gone again.",
      args: source,
      examples: [
        { line: "fossick removals reject handbook", about: "if the site was only temporarily broken" },
      ],
      run: ({ args, json }) => run({ command: "reject", source: args.source, json }),
    }),
    removed: command({
      about: "Shows removed pages, for as long as they are kept.",
      args: anySource,
      options: limit,
      examples: [{ line: "fossick removals removed handbook --limit 20", about: "the pages of one source" }],
      run: ({ args, options, json }) =>
        run({
          command: "removed",
          source: args.source ?? null,
          limit: wholeNumber("--limit", options.limit, 1, MOST),
          json,
        }),
    }),
    restore: command({
      changes: () => true,
      about: "Restores removed pages: those you name, all of a source, or those that one run found gone.",
      args: { url: { about: "addresses of pages", several: true, optional: true } },
      options: {
        source: { value: "name", about: "all removed pages of this source" },
        job: { value: "n", about: "pages that this run found gone" },
      },
      examples: [
        { line: "fossick removals restore https://docs.example.com/setup", about: "one page" },
        { line: "fossick removals restore --source handbook", about: "all pages of a source" },
      ],
      run({ args: { url: urls }, options: { source: of, job }, json }) {
        const ways = [urls.length > 0, of !== undefined, job !== undefined].filter(Boolean).length
        if (ways !== 1) throw new ArgumentsError("restore needs addresses, --source or --job")
        const pages =
          of !== undefined
            ? { source: of }
            : job !== undefined
              ? { job: wholeNumber("--job", job, 1, MOST) }
              : { urls }
        return run({ command: "restore", pages, json })
      },
    }),
  },
}
