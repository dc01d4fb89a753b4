import { pino } from "pino"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { ByteBudget } from "#base/flow/memory/byte-budget.ts"
import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { openActing } from "../identity/acting/acting.ts"
import { type Accounts, openAccounts } from "../identity/accounts/accounts.ts"
import type { KeySpec } from "../identity/accounts/keys/keys.ts"
import { apiSettings } from "../settings.ts"
import { ApplianceName } from "../faces/appliance-name.ts"
import { openFirecrawlJobs } from "../doors/firecrawl/open-firecrawl.ts"
import { openResearch } from "../services/research/open-research.ts"
import { PersonStore } from "../identity/people/person-store.ts"
import { personKeysOf } from "../identity/sign-on/file/declared.ts"
import type { SignOnSpec } from "../identity/sign-on/file/sign-on-file.ts"
import { openSignOn } from "../identity/sign-on/sign-on.ts"
import { NO_OUTAGE } from "../server/outage/state-outage.ts"
import { openSessions } from "../identity/sessions/sessions.ts"
import { type Answer, answerOf, memoryState, NO_PAGES, serveApp, withTestKeys } from "./serve-app.ts"

export interface ServedAccounts extends AsyncDisposable {
  readonly url: string
  readonly accounts: Accounts
  /** The connection that accounts use. */
  readonly db: StateStore
  readonly people: PersonStore
  readonly logLines: readonly string[]
  /** Creates a key with the role search, unless `spec` says otherwise. */
  key(spec?: Partial<KeySpec>): Promise<string>
  /** Makes a call with a key: POST if there is a body, otherwise GET. */
  call(path: string, key: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

interface Given extends NonNullable<Parameters<typeof serveApp>[0]> {
  readonly dir?: string
  /** The contents of a sign-on file. */
  readonly signOnSpec?: SignOnSpec | null
}

/** Serves the app on a socket, with accounts in memory or, with `dir`, in the `state.db` there. */
export async function serveAccounts({
  dir,
  signOnSpec = null,
  ...given
}: Given = {}): Promise<ServedAccounts> {
  const db = dir === undefined ? memoryState() : await openStateStore(dir)
  const config = { ...readSettings(apiSettings, {}), ...given.config }
  const people = new PersonStore(db)
  const personKeys = signOnSpec === null ? undefined : personKeysOf(signOnSpec, people)
  const bridge = { outage: NO_OUTAGE, journals: null, people: personKeys }
  const opened = await openAccounts(
    db,
    config,
    () => {},
    () => {},
    bridge,
  )
  const accounts = { ...opened, keys: withTestKeys(opened.keys) }
  const embedder = new HashingEmbedder()
  const log = pino({ level: "silent" })
  const research = openResearch(db, config, {
    accounts,
    embedder,
    unitReader: null,
    chatModel: null,
    pages: new ByteBudget(2 ** 26),
    ...(given.room && { room: given.room }),
    log,
  })
  const { chatModel = null, pages: knowledge = NO_PAGES } = given
  const sending = readSettings(crawlerSettings, { FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8" })
  const firecrawl = await openFirecrawlJobs(db, config, {
    accounts,
    knowledge,
    chatModel,
    sending,
    userAgent: "test",
    ...(given.room && { room: given.room }),
    log,
    pollMs: 20,
  })
  const signOnLines: string[] = []
  const signOn =
    signOnSpec && personKeys
      ? await openSignOn(signOnSpec, {
          db,
          accounts,
          people,
          keys: personKeys,
          log: pino({}, { write: (line: string) => void signOnLines.push(line) }),
          publicUrl: config.publicUrl,
          sessionHours: config.sessionHours,
          proxy: sending,
          userAgent: "test",
          env: {},
        })
      : undefined
  const acting =
    signOn && personKeys && openActing({ db, accounts, people, personKeys, providers: signOn.providers })
  const sessions = openSessions(db, accounts, config, NO_OUTAGE, signOn?.sessions)
  const name = new ApplianceName(db)
  const app = await serveApp({
    sessions,
    ...(signOn && { signOn }),
    ...(acting && { acting }),
    applianceName: () => name.get(),
    ...given,
    accounts,
    research,
    firecrawl,
  })
  return {
    url: app.url,
    accounts,
    db,
    people,
    get logLines() {
      return [...app.logLines, ...signOnLines]
    },
    key: (spec = {}) => opened.keys.create({ role: "search", ...spec }),
    async call(path, key, body, headers = {}) {
      return answerOf(
        await fetch(app.url + path, {
          method: body === undefined ? "GET" : "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await signOn?.[Symbol.asyncDispose]()
      await firecrawl[Symbol.asyncDispose]()
      await research.researchers[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
      db.close()
    },
  }
}
