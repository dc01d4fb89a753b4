import { wholeNumber } from "#base/command-arguments.ts"
import { command, type GroupSpec } from "../../spec.ts"
import { ENDPOINTS } from "../../../api/identity/accounts/keys/key-scope.ts"
import { ACTS_BY, KEY_ROLES, LIMIT_PERIODS } from "../../../api/identity/accounts/keys/keys.ts"

const session = () => import("../../../api/operator/commands/keys-session.ts")
const several = { value: "name", several: true } as const

export const keys: GroupSpec = {
  about: "Makes, lists, disables and enables API keys. A running appliance applies each change at once.",
  commands: {
    create: command({
      changes: () => true,
      about: "Makes a key and shows it, only this once.",
      options: {
        role: {
          value: "role",
          about:
            "what the key can do: search and read (search), only send and delete documents (write), search and run crawls (operator), or everything (admin)",
          choices: KEY_ROLES,
          default: "search",
        },
        name: { value: "text", about: "what the key is for, up to 100 characters", default: "" },
        expires: {
          value: "when",
          about: "when the key expires: days (30d), hours (12h), or a date (2027-01-31, UTC)",
        },
        credits: { value: "n", about: "how many credits the key can use" },
        per: { value: "period", about: "per month, or in total", choices: LIMIT_PERIODS, default: "month" },
        "rate-limits": {
          value: "list",
          about: "rate limits, such as search=100/m,*=1000/m, instead of FOSSICK_RATE_LIMITS",
        },
        "acts-for-people": {
          value: "how",
          about:
            "let the key act for people, with each person's rights: tokens accepts signed names, headers also plain ones",
          choices: ACTS_BY,
        },
        "make-keys": { about: "let the key make keys over the API, within its own limits" },
        endpoint: { ...several, choices: ENDPOINTS, about: "only this endpoint; repeatable" },
        source: { ...several, about: "only pages from this source; repeatable" },
        collection: { ...several, about: "only pages from this collection's sources; repeatable" },
        domain: { ...several, about: "only pages on this domain; repeatable" },
        reads: {
          value: "who",
          several: true,
          about:
            "let the key read what this user or group may read, such as group:hr or user:anna@example.com, in addition to pages for everybody; repeatable",
        },
        project: { ...several, about: "only calls for this project; repeatable" },
      },
      json: "the key, its id and its limits as one JSON object",
      examples: [
        { line: 'fossick keys create --name "support team"', about: "a key that can search" },
        { line: "fossick keys create --role admin", about: "a key that can do everything" },
        {
          line: "fossick keys create --role write --source tickets",
          about: "a key that sends tickets and can't search",
        },
        {
          line: "fossick keys create --collection public --credits 1000 --expires 30d",
          about: "a limited key",
        },
        {
          line: "fossick keys create --acts-for-people tokens --name chat",
          about: "for a front end that names the person it asks for",
        },
        {
          line: "fossick keys create --reads group:hr",
          about: "a key that can read what the group hr may read",
        },
      ],
      async run({ options, json }) {
        const { keySpec } = await import("../../../api/operator/commands/key-spec.ts")
        const spec = keySpec(options)
        return await (await session()).createKey(spec, json)
      },
    }),
    public: command({
      changes: () => true,
      about: "Makes a public key, which is safe to put into web pages, for a search box in documentation.",
      options: {
        source: { value: "name", about: "the source whose pages the key finds; either this or --collection" },
        collection: { value: "name", about: "the collection whose pages the key finds" },
        origin: {
          ...several,
          about: "origin of web pages that can use the key, such as https://docs.example.com; repeatable",
        },
        answers: { about: "let the key ask for answers" },
        name: { value: "text", about: "what the key is for, up to 100 characters", default: "" },
        credits: { value: "n", about: "how many credits all its callers together can use per month" },
        "rate-limits": {
          value: "list",
          about: "calls from each address, such as search=60/m, instead of FOSSICK_PUBLIC_RATE_LIMITS",
        },
      },
      json: "the key, its id and its limits as one JSON object",
      examples: [
        {
          line: "fossick keys public --source docs --origin https://docs.example.com --answers",
          about: "for the pages of one site",
        },
      ],
      async run({ options, json }) {
        const { createPublicKey } = await import("../../../api/operator/commands/public-key-session.ts")
        return await createPublicKey(options, json)
      },
    }),
    list: command({
      about: "Shows the keys: public keys in full, other keys without their secret.",
      json: "one JSON array, for programs",
      examples: [{ line: "fossick keys list", about: "with their ids" }],
      run: async ({ json }) => await (await session()).listKeys(json),
    }),
    usage: command({
      about: "Shows the usage of keys by day or month (UTC): calls and credits.",
      args: { key: { about: "id or name of a key; default: all keys", optional: true } },
      options: {
        days: { value: "n", about: "how many days, including today, 1 to 396", default: "30" },
        by: { value: "period", about: "sum by day or by month", choices: ["day", "month"], default: "day" },
      },
      json: "one JSON object per line",
      examples: [
        { line: "fossick keys usage", about: "all keys, by day" },
        {
          line: "fossick keys usage chat --by month --days 396",
          about: "the key with this name, for a year",
        },
      ],
      async run({ args, options, json }) {
        const days = wholeNumber("--days", options.days, 1, 396)
        return await (await session()).showUsage({ key: args.key ?? null, days, by: options.by, json })
      },
    }),
    disable: command({
      changes: () => true,
      about: "Disables a key until you enable it again.",
      args: { id: { about: "id of the key, as shown by fossick keys list" } },
      examples: [
        { line: "fossick keys disable 3f9c2a7be104", about: "at once, also in a running appliance" },
      ],
      run: async ({ args, json }) => await (await session()).switchKey(args.id, "disable", json),
    }),
    enable: command({
      changes: () => true,
      about: "Enables a disabled key again.",
      args: { id: { about: "id of the key, as shown by fossick keys list" } },
      examples: [{ line: "fossick keys enable 3f9c2a7be104", about: "at once, also in a running appliance" }],
      run: async ({ args, json }) => await (await session()).switchKey(args.id, "enable", json),
    }),
  },
}
