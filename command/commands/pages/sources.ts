import type { FileArguments } from "#crawler/commands/sources/file-session.ts"
import type { SourcesArguments } from "#crawler/commands/sources/sources-session.ts"
import { ArgumentsError } from "#base/command-arguments.ts"
import { type ArgumentSpec, command, type GroupSpec } from "../../spec.ts"

const file: { readonly file: ArgumentSpec & { readonly optional: true } } = {
  file: {
    optional: true,
    about: "the sources file; default: FOSSICK_SOURCES_FILE, else sources.yaml",
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
  "skip-secrets": { about: "do not check whether the secrets that the file uses are set on this machine" },
  strict: { about: "treat warnings as errors, such as a key limited to a source that does not exist" },
} as const

export const sources: GroupSpec = {
  about: `Declares what is crawled, and when, in the file sources.yaml, which the appliance also applies when it starts.
Shows and runs the declared sources.`,
  commands: {
    add: command({
      about: `Checks a site, folder, archive, mailbox or Git repository once and proposes a source for it, with the text of five
pages. For a site, shows what it is made with, its scope, sitemap and login, whether it needs a browser, and how
long a crawl takes. For the others, shows the files by kind and size, and which can't be read. Asks before it writes.`,
      args: {
        start: {
          about:
            "address of a site (a path limits the crawl to that section), Git repository or mailbox (imaps://); or a file or folder: /srv/policies, ./notes",
          complete: "files",
        },
      },
      options: {
        write: { about: "add the source to the sources file without asking" },
        "ignore-robots": {
          about: "ignore robots.txt, now and in the proposed source; only for a site that you own",
        },
      },
      examples: [
        { line: "fossick sources add docs.example.com", about: "shows the proposal, then asks" },
        { line: "fossick sources add https://example.com/wiki/ --write", about: "without asking" },
        { line: "fossick sources add /srv/policies", about: "the files in a folder" },
        { line: "fossick sources add https://github.com/acme/manual", about: "the files in a repository" },
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
      about: "Shows the errors in the file, and anything that cannot work here.",
      args: file,
      options: checks,
      examples: [
        { line: "fossick sources validate", about: "checks sources.yaml" },
        { line: "fossick sources validate --skip-secrets", about: "on a machine without the secrets" },
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
      about: "Shows what applying the file would change. Changes nothing.",
      args: file,
      options: checks,
      examples: [{ line: "fossick sources plan sources.yaml", about: "for this file" }],
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
      about: "Declares the sources in the file. The appliance also does this at every start.",
      args: file,
      options: {
        "remove-pages": { about: "also remove the pages of sources that are no longer in the file" },
        run: { about: "then run the new and changed sources, and show the progress" },
        ...checks,
      },
      examples: [
        { line: "fossick sources apply", about: "the sources in sources.yaml" },
        { line: "fossick sources apply --run", about: "and crawls the new and changed ones" },
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
      json: "one JSON object per line, for programs",
      examples: [{ line: "fossick sources list", about: "as a table" }],
      run: ({ json }) => run({ command: "list", json }),
    }),
    show: command({
      about: "Shows one source in detail.",
      args: name,
      examples: [{ line: "fossick sources show docs", about: "with its next five runs" }],
      run: ({ args, json }) => run({ command: "show", subject: args.name, json }),
    }),
    export: command({
      about: `Writes all declared sources, with their login settings, as a sources file to standard output. It can also read state from an older version of Fossick that this version refuses to start with.`,
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
      about: "Runs sources now and shows the progress, as fossick crawl does.",
      args: { names: { about: "names of sources", several: true, optional: true } },
      options: {
        all: { about: "all sources that are not paused" },
        failed: { about: "only the pages that failed last time" },
      },
      json: "one JSON object per line instead of the display",
      examples: [
        { line: "fossick sources run docs", about: "whatever its schedule says" },
        { line: "fossick sources run docs wiki", about: "two of them" },
        { line: "fossick sources run --all", about: "all sources that are not paused" },
        { line: "fossick sources run docs --failed", about: "only the failed pages" },
      ],
      async run({ args, options, json }) {
        if (options.all === args.names.length > 0)
          throw new ArgumentsError("Name the sources to run, or add --all")
        const { crawl } = await import("#crawler/commands/crawl/crawl-session.ts")
        return await crawl({ names: options.all ? "all" : args.names, failed: options.failed, json })
      },
    }),
    pause: command({
      changes: () => true,
      about: "Pauses a source's schedule.",
      args: name,
      examples: [{ line: "fossick sources pause docs", about: "until it is resumed" }],
      run: ({ args, json }) => run({ command: "pause", subject: args.name, json }),
    }),
    resume: command({
      changes: () => true,
      about: "Resumes a source's schedule.",
      args: name,
      examples: [{ line: "fossick sources resume docs", about: "starting with its next run" }],
      run: ({ args, json }) => run({ command: "resume", subject: args.name, json }),
    }),
    accept: command({
      changes: () => true,
      about: `Accepts the current addresses of a source's hosts. Needed after a run stopped because a host had moved to another network. This also
works with the name of a one-off crawl.`,
      args: name,
      examples: [{ line: "fossick sources accept docs", about: "the next run accepts the new addresses" }],
      run: ({ args, json }) => run({ command: "accept", subject: args.name, json }),
    }),
    delete: command({
      changes: () => true,
      about: "Deletes a source. Its pages stay in the index unless you add --remove-pages.",
      args: name,
      options: {
        "remove-pages": {
          about: "remove its pages as well; this also works with the name of a one-off crawl",
        },
      },
      examples: [{ line: "fossick sources delete docs --remove-pages", about: "with all its pages" }],
      run: ({ args, options, json }) =>
        run({ command: "delete", subject: args.name, removePages: options["remove-pages"], json }),
    }),
  },
}
