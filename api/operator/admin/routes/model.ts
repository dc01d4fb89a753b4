import { isAbsolute } from "node:path"

import type { Router } from "@koa/router"

import type { Values } from "#base/settings.ts"
import { EngineError } from "#engine"
import { shippedModelOf } from "#engine/shipped-models.ts"
import {
  type AvailableModel,
  askForModel,
  availableModels,
} from "#engine/lifecycle/generations/model-change.ts"
import { type IndexStatus, indexStatus, whyThisModel } from "#engine/lifecycle/generations/status.ts"
import { openGenerations } from "#engine/open-engine.ts"
import type { engineSettings } from "#engine/settings.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { strictBody, unprocessable } from "../../../server/middleware/query-parameters.ts"
import { modelBody, NAMED_MODELS } from "../schemas.ts"

type EngineConfig = Values<typeof engineSettings>

/** Which model makes the vectors, and another one instead: the crawler process builds the index for it, as after `fossick index model`. */
export function modelRoutes(
  router: Router<RequestState>,
  { engineConfig }: { readonly engineConfig: EngineConfig },
): void {
  const read = strictBody(modelBody)

  router.get("/model", async (ctx) => {
    ctx.body = await stateOf(engineConfig)
  })

  router.post("/model", async (ctx) => {
    const { model } = read(ctx)
    const setting = settingOf(engineConfig)
    if (setting !== null) {
      throw new ApiError(
        409,
        `The settings name the model ${setting} and win. Empty FOSSICK_MODEL or FOSSICK_EMBEDDINGS_URL, and restart, to choose one here.`,
      )
    }
    if (!NAMED_MODELS.some((name) => name === model) && !isAbsolute(model)) {
      throw unprocessable([
        {
          field: "model",
          message: `must be one of ${NAMED_MODELS.join(", ")}, or the whole path of a folder`,
        },
      ])
    }
    {
      await using context = await openGenerations({ ...engineConfig, model: "" }, { purpose: "answers" })
      await askForModel(context.file, model).catch((error: unknown) => {
        if (!(error instanceof EngineError) || error.code !== "MODEL_UNAVAILABLE") throw error
        throw unprocessable([{ field: "model", message: `cannot be used: ${error.message}` }])
      })
    }
    ctx.status = 202
    ctx.body = await stateOf(engineConfig)
  })
}

const settingOf = ({ embeddingsUrl, embeddingsModel, model }: EngineConfig): string | null =>
  (embeddingsUrl === "" ? model : embeddingsModel) || null

/** Opened anew for each call: this process knows the model it answers with, and another one may be wanted since. */
async function stateOf(config: EngineConfig): Promise<object> {
  await using context = await openGenerations(config, { purpose: "answers" })
  const status = await indexStatus(context, config.rollbackDays, settingOf(config) ?? "")
  const { model, current, modelServer } = status
  return {
    model: {
      in_use: current.embedder === null ? null : named(current.embedder),
      setting: model.setting,
      wanted: model.wanted,
      chosen: model.chosen,
      because: whyThisModel(model),
      suited: model.suited,
      languages: model.languages,
      server_problem: modelServer?.problem ?? null,
    },
    change: changeOf(status),
    available: (await availableModels(config.dataDir)).map(availableOnWire),
  }
}

/** How far the index for another model is; null when none is to be built. */
function changeOf({ current, building, due }: IndexStatus): object | null {
  const embedder = building?.embedder ?? due?.embedder
  // An index of an older format may be built anew for the same model.
  if (embedder === undefined || embedder === current.embedder) return null
  const isCopied = building !== null && (building.pages ?? 0) >= (current.pages ?? 0)
  return {
    to: named(embedder),
    state: building ? "building" : "waiting",
    pages: building?.pages ?? 0,
    of_pages: current.pages,
    pages_without_vectors: building?.pagesWithoutVectors ?? null,
    passages_without_vectors: building?.passagesWithoutVectors ?? null,
    vectors_per_second: building?.vectorsPerSecond ?? null,
    // Pages that are still to come have vectors to make, too.
    seconds_left: isCopied ? building.secondsLeft : null,
  }
}

const named = (embedder: string) => ({ name: shippedModelOf(embedder), embedder })

const availableOnWire = ({ name, folder, embedder, dimensions, scripts }: AvailableModel) => ({
  name,
  folder,
  embedder,
  dimensions,
  scripts,
})
