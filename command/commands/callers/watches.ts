import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { CHANGES } from "../../../api/services/watches/watch.ts"
import { command, type GroupSpec } from "../../spec.ts"

const MOST = 999_999_999
/** The value that removes a receiver. */
const NONE = "none"
const session = () => import("../../../api/operator/commands/asking/watches-session.ts")
const id = { id: { about: "id of the watch, as shown by fossick watches list" } } as const
const several = { several: true } as const
const url = {
  url: {
    value: "address",
    about: "address of the appliance; default: FOSSICK_PUBLIC_URL, else this machine at FOSSICK_PORT",
  },
} as const

function idOf(text: string): string {
  if (!/^[\w-]{1,100}$/.test(text)) throw new ArgumentsError(`${text} is not the id of a watch`)
  return text
}

export const watches: GroupSpec = {
  about: `Watches questions, sources and pages, and shows what changed. It asks a running appliance for the watches of
the key in FOSSICK_API_KEY.`,
  standard: "list",
  commands: {
    list: command({
      about: "Shows the watches of the key.",
      options: { all: { about: "the watches of all keys; needs an admin key" }, ...url },
      json: "one JSON object per line, for programs",
      examples: [{ line: "fossick watches list --all", about: "of all keys" }],
      run: async ({ options, json }) =>
        await (await session()).listWatches(options.all, { url: options.url, json }),
    }),
    add: command({
      about: "Watches a question, a source or a page. Only later changes are reported.",
      options: {
        question: {
          value: "text",
          about: "watch the pages that this question finds with a score of 0.25 or more",
        },
        source: { value: "name", about: "watch the pages of this source" },
        page: { value: "address", about: "watch this page" },
        include: { value: "pattern", ...several, about: "with --source: only matching addresses" },
        exclude: { value: "pattern", ...several, about: "with --source: skip matching addresses" },
        change: { value: "kind", ...several, choices: CHANGES, about: "only these changes; default: all" },
        name: { value: "text", about: "name in lists, feeds and messages" },
        webhook: { value: "address", about: "address that messages are sent to" },
        email: { value: "address", ...several, about: "recipients of e-mails" },
        every: { value: "minutes", about: "minimum time between messages", default: "0" },
        paused: { about: "hold messages; the feed continues" },
        ...url,
      },
      json: "the watch as one JSON object, with its webhook secret",
      examples: [
        {
          line: 'fossick watches add --question "how do I rotate keys?" --email ops@example.com',
          about: "get a message when an answer changes",
        },
        {
          line: "fossick watches add --source docs --change gone --webhook https://hooks.example.com/docs",
          about: "pages that are gone",
        },
      ],
      async run({ options, json }) {
        const { question, source, page, include, exclude, change, name, webhook, email, paused } = options
        const subjects = [question, source, page].filter((one) => one !== undefined)
        if (subjects.length !== 1) throw new ArgumentsError("add needs --question, --source or --page")
        if (source === undefined && include.length + exclude.length > 0) {
          throw new ArgumentsError("--include and --exclude need --source")
        }
        const given = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined)
        const body = {
          question,
          source,
          url: page,
          include: given(include),
          exclude: given(exclude),
          changes: given(change),
          name,
          webhook,
          emails: given(email),
          every_minutes: wholeNumber("--every", options.every, 0, MOST),
          paused,
        }
        return await (await session()).addWatch(body, { url: options.url, json })
      },
    }),
    show: command({
      about: "Shows a watch and its messages from the last week.",
      args: id,
      options: url,
      examples: [{ line: "fossick watches show 5b0a7c", about: "whether its messages arrive" }],
      run: async ({ args, options, json }) =>
        await (await session()).showWatch(idOf(args.id), { url: options.url, json }),
    }),
    change: command({
      about:
        "Changes how a watch reports; options that you leave out stay as they are. You cannot change what it watches: add another watch.",
      args: id,
      options: {
        change: {
          value: "kind",
          ...several,
          choices: CHANGES,
          about: "report only these changes from now on",
        },
        name: { value: "text", about: "name in lists, feeds and messages" },
        webhook: {
          value: "address",
          about: "new address that messages are sent to; none: no webhook",
        },
        email: { value: "address", ...several, about: "new recipients of e-mails; none: no e-mail" },
        every: { value: "minutes", about: "minimum time between messages" },
        paused: { about: "hold messages; the feed continues" },
        resumed: { about: "send messages again" },
        ...url,
      },
      json: "the watch as one JSON object",
      examples: [
        { line: "fossick watches change 5b0a7c --paused", about: "hold its messages for now" },
        {
          line: "fossick watches change 5b0a7c --webhook none --email ops@example.com",
          about: "by e-mail now",
        },
      ],
      async run({ args, options, json }) {
        const { change, name, webhook, email, every, paused, resumed } = options
        if (paused && resumed) throw new ArgumentsError("--paused and --resumed cannot be combined")
        const body = {
          ...(change.length > 0 && { changes: change }),
          ...(name !== undefined && { name }),
          ...(webhook !== undefined && { webhook: webhook === NONE ? null : webhook }),
          ...(email.length > 0 && { emails: email.filter((one) => one !== NONE) }),
          ...(every !== undefined && { every_minutes: wholeNumber("--every", every, 0, MOST) }),
          ...((paused || resumed) && { paused }),
        }
        if (Object.keys(body).length === 0) throw new ArgumentsError("change needs at least one option")
        return await (await session()).changeWatch(idOf(args.id), body, { url: options.url, json })
      },
    }),
    remove: command({
      about: "Ends a watch, its feed and its messages.",
      args: id,
      options: url,
      examples: [{ line: "fossick watches remove 5b0a7c", about: "for good" }],
      run: async ({ args, options, json }) =>
        await (await session()).removeWatch(idOf(args.id), { url: options.url, json }),
    }),
    entries: command({
      about: "Shows what changed, newest first.",
      args: id,
      options: {
        after: { value: "n", about: "only entries after this number, oldest first" },
        limit: { value: "n", about: "how many to show", default: "50" },
        diff: { about: "also show what changed in each page" },
        ...url,
      },
      json: "one JSON object per line, for programs",
      examples: [
        { line: "fossick watches entries 5b0a7c --diff", about: "the newest, with their changes" },
        { line: "fossick watches entries 5b0a7c --after 17 --json", about: "entries since number 17" },
      ],
      async run({ args, options: { after, limit, diff, url: at }, json }) {
        const wanted = {
          after: after === undefined ? undefined : wholeNumber("--after", after, 0, MOST),
          limit: wholeNumber("--limit", limit, 1, 1000),
          diff,
        }
        return await (await session()).listEntries(idOf(args.id), wanted, { url: at, json })
      },
    }),
  },
}
