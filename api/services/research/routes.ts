import type { Router } from "@koa/router"

import type { DiskRoom } from "#base/disk-space.ts"

import type { Admissions } from "../../identity/accounts/limits/admission.ts"
import type { KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { Middleware, RequestState } from "../../context.ts"
import { roomOnDisk } from "../../room-on-disk.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import { research, type ResearchEndpointParts, researchStatus } from "./research.ts"

/** A task, and how it is doing. */
export function researchRoutes(
  router: Router<RequestState>,
  opened: ResearchEndpointParts,
  {
    keys,
    admissions,
    keyAndBody,
    mayKeep,
  }: {
    readonly keys: Pick<KeyStore, "verify">
    readonly admissions: Admissions
    /** Let in a call whose key may be in its body. */
    readonly keyAndBody: readonly Middleware[]
    readonly mayKeep: Pick<DiskRoom, "isLow">
  },
): void {
  const admit = admission(admissions, "research")
  router.post("/research", ...keyAndBody, roomOnDisk(mayKeep), admit, research(opened))
  const key = authentication(keys, { bodyKey: false }).beforeBody
  router.get("/research/:id", key, researchStatus(opened.tasks))
}
