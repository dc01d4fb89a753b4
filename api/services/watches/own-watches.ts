import { Refusal } from "#base/errors.ts"
import { transaction } from "#base/store/state-store.ts"

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { PageKnowledge } from "../pages/page-knowledge.ts"
import type { LookParts } from "./look.ts"
import type { WatchOutbox } from "./store/outbox.ts"
import { type OptionsBody, optionsOf, subjectOf, type WatchBody } from "./watch-body.ts"
import type { ReadQuestion, Watch } from "./watch.ts"
import type { WatchSecrets } from "./watch-secrets.ts"

/** Opened once, and shared by all calls. */
export interface WatchParts {
  readonly store: LookParts["store"]
  readonly outbox: WatchOutbox
  readonly secrets: WatchSecrets
  readonly hasMailServer: boolean
}

/** Rules for what may be watched, and who may receive mail. */
export interface WatchRules {
  readonly pages: PageKnowledge
  readonly readQuestion: ReadQuestion
  readonly config: SearchLimits & {
    readonly watchesPerKey: number
    readonly watchEmails: readonly string[]
  }
}

const NO_ROOM =
  "This request exceeds your plan's set usage limit. The data stored for this key has reached FOSSICK_KEY_STORED_MB on this server: delete watches, or wait until research and crawl jobs are deleted."

const unknown = () => new Refusal("missing", "This key has no such watch.")

/** One of the key's own watches; keys with the role admin see all watches. @throws Refusal */
export async function watchOf(
  id: string,
  key: Pick<ApiKey, "id" | "role">,
  { store }: Pick<WatchParts, "store">,
): Promise<Watch> {
  const watch = await store.get(id)
  if (watch === null || (watch.key !== key.id && key.role !== "admin")) throw unknown()
  return watch
}

/**
 * Creates a watch.
 * @param read reads the body; called only once the key is known to be allowed to watch
 * @throws Refusal
 */
export async function makeWatch(
  read: () => WatchBody,
  { key, reach }: { readonly key: ApiKey; readonly reach: Reach },
  { store, hasMailServer, pages, readQuestion, config }: WatchParts & WatchRules,
): Promise<Watch> {
  if (key.scope.endpoints?.includes("search") === false) {
    throw new Refusal("denied", "Access denied. A watch needs a key that may use /search.")
  }
  if (!(await store.hasRoom(key.id))) throw new Refusal("full", NO_ROOM)
  const wanted = read()
  const subject = await subjectOf(wanted, { reach, limits: config, knowledge: pages, readQuestion })
  const options = optionsOf(wanted, null, { key, emails: config.watchEmails, hasMailServer })
  const made = await store.create({ key: key.id, subject, ...options }, config.watchesPerKey)
  if (made !== null) return made
  throw new Refusal(
    "denied",
    `Access denied. This key has as many watches as FOSSICK_WATCHES_PER_KEY allows (${config.watchesPerKey}).`,
  )
}

/** Changes the given fields. @throws Refusal */
export async function changeWatch(
  id: string,
  given: OptionsBody,
  key: ApiKey,
  { store, hasMailServer, config }: Pick<WatchParts, "store" | "hasMailServer"> & Pick<WatchRules, "config">,
): Promise<Watch> {
  // In a transaction, so that no other call can change the fields that this one doesn't set.
  const changed = await transaction(store.db, async () => {
    const watch = await watchOf(id, key, { store })
    const options = optionsOf(given, watch, { key, emails: config.watchEmails, hasMailServer })
    return await store.change(watch.id, options)
  })
  if (changed === null) throw unknown()
  return changed
}
