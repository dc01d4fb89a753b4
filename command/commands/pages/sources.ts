import type { FileArguments } from "#crawler/commands/sources/file-session.ts"
import type { SourcesArguments } from "#crawler/commands/sources/sources-session.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { type ArgumentSpec, command, type GroupSpec } from "../../spec.ts"

const file: { readonly file: ArgumentSpec & { readonly optional: true } } = {
  file: {
    optional: true,
    about: "the file of sources; else what FOSSICK_SOURCES_FILE names, else sources.yaml",
    complete: "files",
  },
}
const name = { name: { about: "name of the source" } } as const

async function run(args: Partial<SourcesArguments> & Pick<SourcesArguments, "command" | "json">) {
  const { sources: session } = await import("#crawler/commands/sources/sources-session.ts")
  return await session({ subject: "", removePages: false, ...args })
}

async function runFile(args: Omit<FileArguments, "references">) {
  const { sourcesOfFile } = await import("#crawler/commands/sources/file-session.ts")
  const { sourceReferences } = await import("../../../api/operator/commands/source-references.ts")
  return await sourcesOfFile({ ...args, references: sourceReferences })
}

async function runSources(names: readonly string[], json: boolean): Promise<number> {
  const { crawl } = await import("#crawler/commands/crawl/crawl-session.ts")
  return await crawl({ names, failed: false, json })
}

const checks = {
  "skip-secrets": { about: "do not look whether the secrets it names are set here" },
  strict: { about: "refuse what is only warned of: keys, collections and settings that name no source" },
} as const

export const sources: GroupSpec = {
  about: `Declares what is crawled, and when: in a file, sources.yaml, which a starting appliance applies, too. Shows
and runs what is declared.`,
  commands: {
    add: command({
      about: `Looks once at a site, folder, archive, mailbox or Git repository and proposes a source for it, with five pages as
they read. For a site: what made it, its scope, sitemap and login, whether it needs a browser, how long a crawl takes.
For the others: their files by kind and size, and what can't be read. Asks before it writes.`,
      args: {
        start: {
          about:
            "address of a site, where a path limits the crawl to that section, of a Git repository or of a mailbox (imaps://); or a file or folder: /srv/policies, ./notes",
          complete: "files",
        },
      },
      options: {
        write: { about: "add the source to the file of sources without asking" },
        "ignore-robots": { about: "the site is yours: read what robots.txt forbids, and propose to do so" },
      },
      examples: [
        { line: "fossick sources add docs.example.com", about: "shows the proposal, then asks" },
        { line: "fossick sources add https://example.com/wiki/ --write", about: "without asking" },
        { line: "fossick sources add /srv/policies", about: "the files of a folder" },
        { line: "fossick sources add https://github.com/acme/manual", about: "the files of a repository" },
      ],
      async run({ args, options, json }) {
        const { start } = args
        const { recognizeStart } = await import("#crawler/fetch/content/kinds.ts")
        const recognized = await recognizeStart(start)
        if (recognized !== null) {
          const { addContent } = await import("#crawler/commands/sources/add-content-session.ts")
          const { filesAddress } = await import("../../../api/operator/commands/asking/appliance-address.ts")
          return await addContent({ start: recognized, filesAt: filesAddress(), write: options.write, json })
        }
        const { addressArgument } = await import("#crawler/commands/why/address-argument.ts")
        const { addSource } = await import("#crawler/commands/sources/add-session.ts")
        return await addSource({
          url: addressArgument(start),
          mayBeHttp: !start.includes("://"),
          write: options.write,
          ignoresRobots: options["ignore-robots"],
          json,
        })
      },
    }),
    validate: command({
      about: "Says what is wrong with the file, and what in it cannot work here.",
      args: file,
      options: checks,
      examples: [
        { line: "fossick sources validate", about: "of sources.yaml" },
        { line: "fossick sources validate --skip-secrets", about: "on a machine that has no secrets" },
      ],
      run: ({ args, options, json }) =>
        runFile({
          command: "validate",
          file: args.file ?? "",
          skipSecrets: options["skip-secrets"],
          strict: options.strict,
          json,
        }),
    }),
    plan: command({
      about: "Says what applying the file would change. Changes nothing.",
      args: file,
      options: checks,
      examples: [{ line: "fossick sources plan sources.yaml", about: "of this file" }],
      run: ({ args, options, json }) =>
        runFile({
          command: "plan",
          file: args.file ?? "",
          skipSecrets: options["skip-secrets"],
          strict: options.strict,
          json,
        }),
    }),
    apply: command({
      changes: () => true,
      about: "Declares the sources of the file. The appliance also does it at every start.",
      args: file,
      options: {
        "remove-pages": { about: "also remove the pages of sources that are no longer in it" },
        run: { about: "then run those that are new or changed, and show how it goes" },
        ...checks,
      },
      examples: [
        { line: "fossick sources apply", about: "those of sources.yaml" },
        { line: "fossick sources apply --run", about: "and crawls what is new or changed" },
      ],
      run: ({ args, options, json }) =>
        runFile({
          command: "apply",
          file: args.file ?? "",
          removePages: options["remove-pages"],
          skipSecrets: options["skip-secrets"],
          strict: options.strict,
          json,
          ...(options.run && { run: runSources }),
        }),
    }),
    list: command({
      about: "Shows all declared sources, with their next runs.",
      json: "one JSON object a line, for programs",
      examples: [{ line: "fossick sources list", about: "as a table" }],
      run: ({ json }) => run({ command: "list", json }),
    }),
    show: command({
      about: "Shows all about one source.",
      args: name,
      examples: [{ line: "fossick sources show docs", about: "with its next five runs" }],
      run: ({ args, json }) => run({ command: "show", subject: args.name, json }),
    }),
    export: command({
      about: `Writes all declared sources, with their login settings, as a file of sources to standard output. It also reads
the state of an older Fossick that this one refuses.`,
      examples: [
        { line: "fossick sources export > saved.yaml", about: "including those made in the console" },
      ],
      async run() {
        const { exportSources } = await import("#crawler/commands/sources/export-session.ts")
        return await exportSources()
      },
    }),
    run: command({
      changes: () => true,
      about: "Runs sources now and shows how it goes, as fossick crawl does.",
      args: { names: { about: "names of sources", several: true, optional: true } },
      options: {
        all: { about: "all that are not paused" },
        failed: { about: "only the pages that could not be read the last time" },
      },
      json: "one JSON object a line instead of the display",
      examples: [
        { line: "fossick sources run docs", about: "whatever its schedule says" },
        { line: "fossick sources run docs wiki", about: "two of them" },
        { line: "fossick sources run --all", about: "all that are not paused" },
        { line: "fossick sources run docs --failed", about: "only what failed" },
      ],
      async run({ args, options, json }) {
        if (options.all === args.names.length > 0)
          throw new ArgumentsError("Name the sources to run, or give --all")
        const { crawl } = await import("#crawler/commands/crawl/crawl-session.ts")
        return await crawl({ names: options.all ? "all" : args.names, failed: options.failed, json })
      },
    }),
    pause: command({
      changes: () => true,
      about: "Holds a source's schedule.",
      args: name,
      examples: [{ line: "fossick sources pause docs", about: "until it is resumed" }],
      run: ({ args, json }) => run({ command: "pause", subject: args.name, json }),
    }),
    resume: command({
      changes: () => true,
      about: "Resumes a source's schedule.",
      args: name,
      examples: [{ line: "fossick sources resume docs", about: "from its next time on" }],
      run: ({ args, json }) => run({ command: "resume", subject: args.name, json }),
    }),
    accept: command({
      changes: () => true,
      about: `Accepts where a source's hosts are now: a run stops when one has moved to another network. Also for
the name of a crawl that was never declared.`,
      args: name,
      examples: [{ line: "fossick sources accept docs", about: "its next run goes by what it finds" }],
      run: ({ args, json }) => run({ command: "accept", subject: args.name, json }),
    }),
    delete: command({
      changes: () => true,
      about: "Forgets a source. Its pages stay in the index, unless told otherwise.",
      args: name,
      options: {
        "remove-pages": {
          about: "remove its pages, too; also for the name of a crawl that was never declared",
        },
      },
      examples: [{ line: "fossick sources delete docs --remove-pages", about: "with all its pages" }],
      run: ({ args, options, json }) =>
        run({ command: "delete", subject: args.name, removePages: options["remove-pages"], json }),
    }),
  },
}
