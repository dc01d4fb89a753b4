import type { Router } from "@koa/router"

import { sourceNames } from "#crawler/sources/source-names.ts"
import { firstSourceFile, putSourceFirst, readFirstSource } from "#engine/lifecycle/filling/first-source.ts"
import { URGENCIES } from "#engine/lifecycle/filling/waiting-pages.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../context.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { upkeepOperations } from "./operations.ts"

/** The order in which pages get their vectors: `/admin/vectors`. */
export function vectorRoutes(
  router: Router<RequestState>,
  {
    db,
    engineConfig: { dataDir },
  }: { readonly db: StateStore; readonly engineConfig: { readonly dataDir: string } },
): void {
  const file = firstSourceFile(dataDir)

  const state = async () => {
    const first = await readFirstSource(file)
    // A source that no longer exists has no pages to move to the front.
    return {
      order: URGENCIES,
      first_source: first !== null && (await sourceNames(db)).includes(first) ? first : null,
    }
  }

  serve(router, upkeepOperations.vectorOrder, state)

  serve(router, upkeepOperations.putSourceFirst, async ({ body: { source = null } }) => {
    if (source !== null && !(await sourceNames(db)).includes(source)) {
      throw unprocessable([
        {
          field: "source",
          message: `must be the name of a source; there is no source ${JSON.stringify(source)}`,
        },
      ])
    }
    await putSourceFirst(file, source)
    return await state()
  })
}
