import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { freePort } from "#base/testing/free-port.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startModelServer } from "#engine/testing/model-server.ts"
import { startReceiver } from "../../api/services/watches/testing/receiver.ts"
import { startFacilitator } from "../../api/doors/x402/testing/facilitator.ts"
import { noChain, startChain } from "../../api/doors/x402/testing/chain.ts"
import { payee } from "../../api/doors/x402/testing/wallets.ts"
import { Appliance } from "./appliance.ts"
import { ChangingSite } from "./site.ts"

export const SOURCE = "harbours"
/** Names of the two models that index rebuilds switch between. */
export const MODELS = ["words-a", "words-b"] as const
const ADMIN_KEY = "the-key-of-the-operator-of-this-proof"

/** Everything that the proof needs: an appliance, a site that it crawls, and all its counterparts, on loopback. */
export class World implements AsyncDisposable {
  readonly #held: AsyncDisposableStack
  readonly appliance: Appliance
  readonly dataDir: string
  readonly backups: string
  readonly site: ChangingSite
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>
  /** Null if no chain can be run: then no searches are sold. */
  readonly paid: { readonly url: string; readonly received: () => Promise<bigint> } | null
  /** The site never has fewer pages than this. */
  readonly leastPages: number
  /** The secret of the watch, known once the watch is created. */
  watchSecret: string = "whsec_"
  model: (typeof MODELS)[number] = MODELS[0]
  /** Whether the running supervisor has seen one of its processes die. */
  isWorn = false

  private constructor(
    parts: Pick<World, "appliance" | "dataDir" | "backups" | "site" | "receiver" | "paid" | "leastPages">,
    held: AsyncDisposableStack,
  ) {
    this.appliance = parts.appliance
    this.dataDir = parts.dataDir
    this.backups = parts.backups
    this.site = parts.site
    this.receiver = parts.receiver
    this.paid = parts.paid
    this.leastPages = parts.leastPages
    this.#held = held
  }

  /**
   * @param pages initial number of pages on the site, at least three quarters of which are kept
   * @param more more settings for the appliance
   */
  static async begin(pages: number, more: Readonly<Record<string, string>> = {}): Promise<World> {
    await using opened = new AsyncDisposableStack()
    const folder = opened.adopt(mkdtempSync(join(tmpdir(), "fossick-kills-")), (path) =>
      rmSync(path, { recursive: true, force: true }),
    )
    const [dataDir, backups] = [join(folder, "data"), join(folder, "backups")]
    mkdirSync(backups)
    const site = opened.use(await ChangingSite.start(pages))
    const models = opened.use(await startModelServer({ embedder: new HashingEmbedder() }))
    const secret: { of: World | null } = { of: null }
    const receiver = opened.use(await startReceiver(() => secret.of!.watchSecret))
    const sources = join(folder, "sources.yaml")
    writeFileSync(
      sources,
      `sources:
  - { name: ${SOURCE}, seeds: "${site.seed}", allowedNetworks: ["127.0.0.0/8"] }
backup: { folder: "${backups}", keep: 3 }
`,
    )
    const { paid, settings } = await selling(opened)
    const env = {
      FOSSICK_DATA_DIR: dataDir,
      FOSSICK_SOURCES_FILE: sources,
      FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
      FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
      FOSSICK_HANDBOOK: "off",
      FOSSICK_LOG_LEVEL: "warn",
      FOSSICK_EMBEDDINGS_URL: `${models.url}/v1`,
      FOSSICK_EMBEDDINGS_MODEL: MODELS[0],
      FOSSICK_ROLLBACK_DAYS: "0",
      ...settings,
      ...more,
    }
    const appliance = opened.use(new Appliance(env, await freePort(), ADMIN_KEY))
    const leastPages = Math.floor((pages * 3) / 4)
    const world = new World({ appliance, dataDir, backups, site, receiver, paid, leastPages }, opened.move())
    secret.of = world
    return world
  }

  /** Settings for the next start, in addition to those for every start. */
  get startedWith(): Readonly<Record<string, string>> {
    return { FOSSICK_EMBEDDINGS_MODEL: this.model }
  }

  /** Backups with a final name. */
  wholeBackups(): string[] {
    return readdirSync(this.backups)
      .filter((name) => name.endsWith(".tar"))
      .map((name) => join(this.backups, name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#held[Symbol.asyncDispose]()
  }
}

async function selling(opened: AsyncDisposableStack) {
  if (noChain !== "") return { paid: null, settings: {} }
  const chain = opened.use(await startChain())
  const facilitator = opened.use(await startFacilitator(chain.rpcUrl))
  const port = await freePort()
  const settings = {
    FOSSICK_X402_PORT: String(port),
    FOSSICK_X402_SOURCES: "*",
    X402_NETWORK: "eip155:84532",
    X402_PAY_TO: payee.address,
    X402_PUBLIC_URL: "https://search.example",
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.rpcUrl,
  }
  const paid = { url: `http://127.0.0.1:${port}`, received: () => chain.balance(payee.address) }
  return { paid, settings }
}
