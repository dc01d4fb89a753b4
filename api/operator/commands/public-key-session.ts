import { tellChange } from "#base/audit/command-actor.ts"
import { keyChange } from "#base/audit/field-changes.ts"
import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"

import { unknownSource } from "#crawler/sources/source-names.ts"
import { withState } from "#crawler/commands/with-state.ts"

import { rateLimitsText } from "../../identity/accounts/rates/rate-limits.ts"
import type { PublicKey } from "../../identity/accounts/public-keys/public-key.ts"
import { MOST_PUBLIC_KEYS, PublicKeyStore } from "../../identity/accounts/public-keys/public-key-store.ts"
import { MOST_MONTHLY_CREDITS, readPublicKey } from "../../identity/accounts/public-keys/read-spec.ts"
import { openCollections, unknownCollection } from "../../identity/accounts/reach/collections.ts"
import { onWire } from "../../identity/public-keys/admin-routes.ts"

/** The options of `fossick keys public`. */
export interface PublicKeyOptions {
  readonly source: string | undefined
  readonly collection: string | undefined
  readonly origin: readonly string[]
  readonly answers: boolean
  readonly name: string
  readonly credits: string | undefined
  readonly "rate-limits": string | undefined
}

/** The options, keyed by the fields into which they are read. */
const OPTION: Readonly<Record<string, string>> = { origins: "--origin", rate_limits: "--rate-limits" }

/** Makes a public key. @returns the exit code. @throws ArgumentsError, CommandError */
export async function createPublicKey(options: PublicKeyOptions, json: boolean): Promise<number> {
  const { source, collection, origin, answers, name, credits, "rate-limits": rates } = options
  const most = credits === undefined ? null : wholeNumber("--credits", credits, 0, MOST_MONTHLY_CREDITS)
  return await withState(async (db) => {
    const collections = openCollections(db)
    const read = await readPublicKey(
      { name, source, collection, origins: origin, answers, rate_limits: rates, credits: most },
      {
        unknownSource: (names) => unknownSource(db, names),
        unknownCollection: (names) => unknownCollection(collections, names),
      },
    )
    if ("problems" in read) {
      const lines = read.problems.map(({ field, message }) => `${OPTION[field] ?? `--${field}`} ${message}.`)
      throw new ArgumentsError(lines.map((line) => line.replace(/\?\.$/, "?")).join("\n"))
    }
    const store = new PublicKeyStore(db)
    if (!(await store.hasRoom()))
      throw new CommandError(`There can be at most ${MOST_PUBLIC_KEYS} public keys.`)
    const made = await store.create(read.spec)
    tellChange(keyChange(made, "made", "public-keys"))
    process.stdout.write(json ? `${JSON.stringify(publicKeyOnWire(made))}\n` : `${made.text}\n`)
    process.stderr.write("A public key: you can put it in the source code of your web pages.\n")
    return EXIT.ok
  })
}

/** A public key as `fossick keys list --json` shows it. */
export const publicKeyOnWire = (key: PublicKey) => ({ role: "public", ...onWire(key) })

/** Describes a public key on one line. */
export function publicKeyLine(key: PublicKey): string {
  const day = (time: Date) => time.toISOString().slice(0, 10)
  const { source, collection, origins, answers, credits, rateLimits, disabledAt } = key
  const limits = [
    source === null ? `collection ${collection}` : `source ${source}`,
    `for pages on ${origins.join(", ")}`,
    answers ? "answers" : "",
    credits === null ? "" : `${credits} credits a month`,
    rateLimits === null ? "" : `at most ${rateLimitsText(rateLimits)} per address`,
  ]
  const state = `made ${day(key.createdAt)}${disabledAt === null ? "" : `, disabled ${day(disabledAt)}`}`
  return [key.id, "public", state, key.name, key.text, limits.filter((one) => one !== "").join("; ")]
    .filter((one) => one !== "")
    .join("  ")
}
