import Koa from "koa"

import { concealingReader } from "#crawler/fetch/visit/concealing-reader.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import { Admissions } from "../../identity/accounts/admission.ts"
import type { RequestState } from "../../context.ts"
import { openDoor } from "../door.ts"
import type { Feature, Served } from "../../feature.ts"
import { settingsOf } from "../../features.ts"
import { pageCounter } from "../../services/federation/page-count.ts"
import { authentication } from "../middleware/authentication.ts"
import { arrivingBodies, jsonBody } from "../middleware/json-body.ts"
import { reference } from "../openapi/serve.ts"
import { HANDBOOK_KEY } from "../../identity/public-keys/handbook-key.ts"
import { NO_OUTAGE } from "../outage/state-outage.ts"
import { refuseAll } from "../../read-only.ts"
import { httpServer } from "../http-server.ts"
import { nameCheck } from "../own-names.ts"
import { apiSettings } from "../../settings.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import { LiveMemory } from "../../core/read/live-memory.ts"
import type { AppParts } from "./parts.ts"

/** The parts that features take from the app by name, including the parts that the app was made from. */
export type Desk = AppParts & ReturnType<typeof deskOf>

/** Builds the parts that several features share. Each request has its own engine and reader, limited to the reach of its key. */
export function deskOf(parts: AppParts, features: readonly Feature<never>[]) {
  const describe = async () => (await import("../openapi/document.ts")).describedBy(features, parts.config)
  const { config, readOnly = null, federation, embedder, misses = null } = parts
  const accounts = { ...parts.accounts, keys: keysOf(parts) }
  const pageCount = pageCounter(parts.engine)
  const admissions = admissionsOf(parts, accounts, pageCount)
  const live: LiveParts = {
    embedder,
    memory: new LiveMemory(parts.memory.live, config),
    misses,
    mostHops: federation?.mostHops ?? 0,
  }
  const app = new Koa<RequestState>()
  const served: Served[] = []
  const arriving = arrivingBodies(config.bodyLimit)
  const key = authentication(accounts.keys, config)
  const body = jsonBody(config.bodyLimit, arriving)
  const { keepsNothing = () => false } = parts
  const { images, unitReader, chatModel, pages, outage = NO_OUTAGE } = parts
  return {
    app,
    /** What each feature adds to the app; complete once all features are served. */
    served,
    /** The endpoints of all features that models may use. */
    toolEndpoints: () => served.flatMap(({ toolEndpoints = [] }) => toolEndpoints),
    /** Serves the whole app without listening. */
    server: () => httpServer(app),
    accounts,
    admissions,
    outage,
    live,
    pageCount,
    readOnly,
    keepsNothing,
    apiSettings: { ...apiSettings, ...settingsOf(features) },
    /** Admits a call whose key may be in its body. */
    keyAndBody: [key.beforeBody, body, key.afterBody],
    /** Whether the disk has room for a call's data, and the data would outlive this process. */
    mayKeep: { isLow: () => keepsNothing() || (parts.room?.isLow() ?? false) },
    checkName: nameCheck(config),
    handbookSearchKey: async () =>
      parts.facesDir !== undefined && (await parts.handbookKey?.(HANDBOOK_KEY)) ? HANDBOOK_KEY : null,
    describe,
    /** Loads the tools offered to models. */
    loadTools: async () => (await import("../tools/tools.ts")).toolsOf(features),
    reference: () => reference(config.publicUrl, describe),
    /** Parts shared by the APIs other than our own. */
    door: {
      ...live,
      ...openDoor(accounts.keys, admissions, config.bodyLimit, arriving),
      limits: config,
      images,
      unitReader,
      chatModel,
      knowledge: pages,
      visits: pages,
      refuseLive: readOnly === null ? null : refuseAll(readOnly),
    },
  }
}

function admissionsOf(
  parts: AppParts,
  accounts: Accounts,
  pageCount: ReturnType<typeof pageCounter>,
): Admissions {
  const { federation, log } = parts
  return new Admissions({
    accounts,
    rateLimits: parts.config.rateLimits,
    memory: parts.memory,
    reach: {
      ...parts,
      reader: concealingReader(parts.reader, (url, reason) =>
        log.info({ host: URL.parse(url)?.host, reason }, "a live call could not reach a host"),
      ),
      collections: accounts.collections,
      readers: accounts.readers,
      sourceNames: async () => [...(await parts.sourceNames()), ...(federation?.sourceNames ?? [])],
      holderOf: federation && ((url) => federation.holderOf(url)),
      federated: federation && ((own) => federation.engine(own, pageCount)),
    },
  })
}

/** Also accepts the keys that MCP uses for inner calls on behalf of an admitted program, and knows the person that a service acts for. */
function keysOf({ accounts: { keys }, oauth, acting }: AppParts): Accounts["keys"] {
  return {
    ...keys,
    // Checked first, because an unknown key cannot be verified while the state server is away.
    verify: async (presented) => (await oauth?.verifyInside(presented)) ?? (await keys.verify(presented)),
    actFor: acting ?? ((presented, header) => keys.actFor(presented, header)),
  }
}
