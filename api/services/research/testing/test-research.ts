import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"
import type { Embedder } from "#engine"
import { ByteBudget } from "#base/flow/memory/byte-budget.ts"
import { readSettings } from "#base/settings.ts"

import { type Accounts, openAccounts } from "../../../identity/accounts/accounts.ts"
import { apiSettings } from "../../../settings.ts"
import { openResearch } from "../open-research.ts"
import type { OpenedResearch } from "../research.ts"

/** Accounts and research over one connection, as in the appliance. */
export async function openTestResearch(
  db: StateStore,
  embedder: Pick<Embedder, "embed" | "traits">,
  log: Logger,
  settings: NodeJS.ProcessEnv = {},
  turnMs?: number,
): Promise<OpenedResearch & { readonly accounts: Accounts }> {
  const config = readSettings(apiSettings, settings)
  const accounts = await openAccounts(db, config, () => {})
  const pages = new ByteBudget(2 ** 26)
  return {
    ...openResearch(db, config, {
      accounts,
      embedder,
      unitReader: null,
      chatModel: null,
      pages,
      log,
      ...(turnMs !== undefined && { turnMs }),
    }),
    accounts,
  }
}
