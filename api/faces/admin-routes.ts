import type { Router } from "@koa/router"

import type { SourceTable } from "#crawler/sources/source-table.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"

import type { RequestState } from "../context.ts"
import { strictBody } from "../server/middleware/query-parameters.ts"
import { applianceBody } from "./appliance-body.ts"
import { ApplianceName } from "./appliance-name.ts"

/** What the appliance is called, and whether anything was ever crawled with it. */
export function applianceRoutes(
  router: Router<RequestState>,
  { db, sources }: { readonly db: StateStore; readonly sources: Pick<SourceTable, "list"> },
): void {
  const read = strictBody(applianceBody)
  const shown = () => ({
    name: new ApplianceName(db).get(),
    is_new: sources.list().length === 0 && sourceNames(db).every((name) => name === HANDBOOK_SOURCE),
  })

  router.get("/appliance", (ctx) => {
    ctx.body = shown()
  })

  router.put("/appliance", (ctx) => {
    const { name: given } = read(ctx)
    const name = given?.replaceAll(/\s+/g, " ").trim() ?? ""
    new ApplianceName(db).set(name === "" ? null : name)
    ctx.body = shown()
  })
}
