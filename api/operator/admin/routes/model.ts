import { isAbsolute } from "node:path"

import type { Router } from "@koa/router"

import type { Values } from "#base/settings.ts"
import { EngineError } from "#engine"
import { PLAIN_TRAITS } from "#engine/embedder.ts"
import { shippedModelOf } from "#engine/shipped-models.ts"
import {
  type AvailableModel,
  askForModel,
  availableModels,
} from "#engine/lifecycle/generations/model-change.ts"
import { MULTILINGUAL_FROM } from "#engine/lifecycle/generations/model-choice.ts"
import { type IndexStatus, indexStatus, whyThisModel } from "#engine/lifecycle/generations/status.ts"
import { openGenerations } from "#engine/open-engine.ts"
import { isUnreadBy } from "#engine/search/stages/language-notice.ts"
import type { engineSettings } from "#engine/settings.ts"
import { parseQueryText } from "#engine/text/query-text.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import type { QueryLog } from "../../../services/queries/query-log.ts"
import { unprocessable } from "../../../server/middleware/query-parameters.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { indexOperations, NAMED_MODELS } from "../operations/index-and-model.ts"

const LAST_QUESTIONS = 200
/** Minimum number of unread questions to report; fewer might just be one person's test. */
const LEAST_UNREAD = 3

type EngineConfig = Values<typeof engineSettings>

/** Shows which model makes the vectors, and switches to another one. The crawler process then builds the index for it, as after `fossick index model`. */
export function modelRoutes(
  router: Router<RequestState>,
  {
    engineConfig,
    queries,
  }: { readonly engineConfig: EngineConfig; readonly queries: Pick<QueryLog, "latest"> },
): void {
  serve(router, indexOperations.modelState, () => stateOf(engineConfig, queries))

  serve(router, indexOperations.changeModel, async ({ body: { model } }) => {
    const setting = settingOf(engineConfig)
    if (setting !== null) {
      throw new ApiError(
        409,
        `The model is set to ${setting} in the settings, which take precedence. To choose one here, clear FOSSICK_MODEL or FOSSICK_EMBEDDINGS_URL and restart.`,
      )
    }
    if (!NAMED_MODELS.some((name) => name === model) && !isAbsolute(model)) {
      throw unprocessable([
        {
          field: "model",
          message: `must be one of ${NAMED_MODELS.join(", ")}, or the full path of a folder`,
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
    return await stateOf(engineConfig, queries)
  })
}

const settingOf = ({ embeddingsUrl, embeddingsModel, model }: EngineConfig): string | null =>
  (embeddingsUrl === "" ? model : embeddingsModel) || null

/**
 * Opened for each call: this process knows the model it answers with, but the operator may have chosen another one
 * since.
 */
async function stateOf(config: EngineConfig, queries: Pick<QueryLog, "latest">) {
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
      unread_questions: await unreadQuestions(current.embedder, queries),
      server_problem: modelServer?.problem ?? null,
    },
    change: changeOf(status),
    available: (await availableModels(config.dataDir)).map(availableOnWire),
  }
}

/**
 * How many of the latest questions the multilingual model could read and the current one can't; null if there are only
 * a few.
 */
async function unreadQuestions(
  id: string | null,
  queries: Pick<QueryLog, "latest">,
): Promise<{ readonly count: number; readonly of: number } | null> {
  if (id === null) return null
  const asked = await queries.latest(LAST_QUESTIONS)
  const model = { id, traits: PLAIN_TRAITS }
  const count = asked.filter((one) => isUnreadBy(model, parseQueryText(one).text)).length
  return count >= LEAST_UNREAD && count > MULTILINGUAL_FROM * asked.length
    ? { count, of: asked.length }
    : null
}

/** The progress of the index for another model; null when none is being built. */
function changeOf({ current, building, due }: IndexStatus) {
  const embedder = building?.embedder ?? due?.embedder
  // An index in an older format can be rebuilt for the same model.
  if (embedder === undefined || embedder === current.embedder) return null
  const isCopied = building !== null && (building.pages ?? 0) >= (current.pages ?? 0)
  return {
    to: named(embedder),
    state: building ? ("building" as const) : ("waiting" as const),
    pages: building?.pages ?? 0,
    of_pages: current.pages,
    pages_without_vectors: building?.pagesWithoutVectors ?? null,
    passages_without_vectors: building?.passagesWithoutVectors ?? null,
    vectors_per_second: building?.vectorsPerSecond ?? null,
    // Pages that have yet to be added need vectors, too.
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
