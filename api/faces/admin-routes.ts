import type { Router } from "@koa/router"

import type { SourceTable } from "#crawler/sources/source-table.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"

import type { RequestState } from "../context.ts"
import { serve } from "../server/serving/serve-operation.ts"
import { applianceOperations } from "./appliance-operations.ts"
import { ApplianceName } from "./appliance-name.ts"

/** Routes for the appliance's name, and for whether it has ever crawled anything. */
export function applianceRoutes(
  router: Router<RequestState>,
  { db, sources }: { readonly db: StateStore; readonly sources: Pick<SourceTable, "list"> },
): void {
  const shown = async () => ({
    name: await new ApplianceName(db).get(),
    is_new:
      (await sources.list()).length === 0 &&
      (await sourceNames(db)).every((name) => name === HANDBOOK_SOURCE),
  })

  serve(router, applianceOperations.getAppliance, shown)

  serve(router, applianceOperations.nameAppliance, async ({ body: { name: given } }) => {
    const name = given?.replaceAll(/\s+/g, " ").trim() ?? ""
    await new ApplianceName(db).set(name === "" ? null : name)
    return await shown()
  })
}
