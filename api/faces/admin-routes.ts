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
  const shown = async () => ({
    name: await new ApplianceName(db).get(),
    is_new:
      (await sources.list()).length === 0 &&
      (await sourceNames(db)).every((name) => name === HANDBOOK_SOURCE),
  })

  router.get("/appliance", async (ctx) => {
    ctx.body = await shown()
  })

  router.put("/appliance", async (ctx) => {
    const { name: given } = read(ctx)
    const name = given?.replaceAll(/\s+/g, " ").trim() ?? ""
    await new ApplianceName(db).set(name === "" ? null : name)
    ctx.body = await shown()
  })
}
