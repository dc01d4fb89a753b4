import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { embeddedGenerations } from "#engine/adapters/embedded/embedded-generations.ts"
import type { GenerationAdapter } from "#engine/adapters/adapter.ts"
import type { Embedder } from "#engine/embedder.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { FollowingEngine } from "../following-engine.ts"
import type { GenerationContext } from "../generation-context.ts"
import { GenerationFile } from "../generation-file.ts"
import type { Models } from "../models.ts"

/** A data folder as seen by several processes, each with its own configured model. */
export class DataFolder implements AsyncDisposable {
  readonly dir: string
  readonly problems: string[] = []
  /** Ids of models that can still be opened. */
  readonly models = new Set(["first", "second"])

  readonly #adapterIn: (dir: string) => GenerationAdapter

  constructor(dir: string, adapterIn: (dir: string) => GenerationAdapter = embeddedGenerations) {
    this.dir = dir
    this.#adapterIn = adapterIn
  }

  /** @param adapterIn the index of an appliance with this data folder. Default: the embedded one */
  static async make(adapterIn?: (dir: string) => GenerationAdapter): Promise<DataFolder> {
    return new DataFolder(await mkdtemp(path.join(tmpdir(), "fossick-generations-")), adapterIn)
  }

  /** The generation context of a process for which this model is configured. */
  context(model = "first"): GenerationContext {
    const adapter = this.#adapterIn(this.dir)
    return {
      adapter,
      file: new GenerationFile(this.dir, adapter.name),
      models: this.#modelsOf(new HashingEmbedder(model)),
      onProblem: (error) => this.problems.push((error as Error).message),
    }
  }

  /** A process that answers searches. */
  reader(model = "first"): Promise<FollowingEngine> {
    return FollowingEngine.open(this.context(model))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.dir, { recursive: true, force: true })
  }

  #modelsOf(configured: Embedder): Models {
    return {
      configured,
      configuredFrom: configured.id,
      open: async ({ embedder }, from) =>
        from === embedder && this.models.has(embedder) ? new HashingEmbedder(embedder) : null,
    }
  }
}
