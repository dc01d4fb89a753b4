import type { Logger } from "pino"

import type { Accounts } from "../identity/accounts/accounts.ts"
import type { Feature } from "../feature.ts"

interface Needs {
  /** Folder of the pages for people, whose `dist` contains the build; if left out, none are served. */
  readonly facesDir?: string
  readonly accounts: Pick<Accounts, "keys">
  readonly config: { readonly openKey: string; readonly publicUrl: string }
  readonly log: Logger
}

const NOT_OPEN =
  "FOSSICK_OPEN_KEY is not a valid key with the role search: searching in a browser requires signing in"

/** The pages for people. */
export const faces = {
  name: "faces",
  async serve(_router, { facesDir, accounts, config, log }) {
    if (facesDir === undefined) return undefined
    const [{ openBuilt }, { faces: serveFaces }, { openKeyOf }] = await Promise.all([
      import("./built.ts"),
      import("./faces.ts"),
      import("../identity/sessions/presented.ts"),
    ])
    const isOpen = async () => (await openKeyOf(accounts.keys, config.openKey)) !== null
    if (config.openKey !== "" && !(await isOpen())) log.warn(NOT_OPEN)
    return {
      middleware: serveFaces({
        open: () => openBuilt(facesDir),
        onProblem: (err) => log.error({ err }, "the web pages could not be built"),
        publicUrl: config.publicUrl,
        isOpen,
      }),
    }
  },
} as const satisfies Feature<Needs>
