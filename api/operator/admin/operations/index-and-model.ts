import { bodyOf } from "../../../server/operation/published.ts"
import { accepted, ok, operations } from "../../../server/operation/operation.ts"
import {
  amount,
  byName,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  orNull,
  text,
} from "../../../server/schema/schemas.ts"

/** The models that ship with Fossick, and `auto`, which lets Fossick choose: see `model-choice.ts` in the engine. */
export const NAMED_MODELS = ["auto", "english", "multilingual"] as const
const SHIPPED = ["english", "multilingual"] as const

const modelName = object({
  name: orNull(oneOf(SHIPPED, "Name of a model that ships with Fossick; null for any other.")),
  embedder: text("Id of the model, with a hash of its weights."),
})
const passagesASecond = orNull(
  amount(
    "Passages embedded per second, over the last minute; null while none are embedded, or if it is too early to tell.",
  ),
)

const ModelState = namedObject("ModelState", {
  model: object({
    in_use: orNull(modelName),
    setting: orNull(text("The model in the settings, which takes precedence; null if none is set.")),
    wanted: text("The requested model: `auto`, a name or a folder."),
    chosen: orNull(oneOf(SHIPPED, "The model that `auto` chose.")),
    because: text("Why this model is used, in words."),
    suited: orNull(
      oneOf(SHIPPED, "The model that would suit the pages' languages, if `auto` chose another one."),
    ),
    languages: orNull(
      byName(count(), "Pages by language (ISO 639-1); an empty name for pages in an unknown language."),
    ),
    unread_questions: orNull(
      object(
        {
          count: count("Questions that only the multilingual model can read."),
          of: count("Recent questions that were checked."),
        },
        "How many of the last 200 questions are in a language that the multilingual model reads and the current model doesn't. Null for fewer than 3, for up to 5 %, and while `FOSSICK_QUERY_LOG_DAYS` is 0.",
      ),
    ),
    server_problem: orNull(text("Why the model server isn't returning vectors; null if it is.")),
  }),
  change: orNull(
    object({
      to: modelName,
      state: oneOf(["waiting", "building"], "`waiting`: not started yet, because crawls go first."),
      pages: count("Pages copied to the new index."),
      of_pages: orNull(count()),
      pages_without_vectors: orNull(count("Copied pages that have no vectors yet.")),
      passages_without_vectors: orNull(count()),
      vectors_per_second: passagesASecond,
      seconds_left: orNull(count("Null without an estimate, and while pages are still being copied.")),
    }),
  ),
  available: listOf(
    object({
      name: orNull(
        oneOf(SHIPPED, "Null for a model that does not ship with Fossick; request it by its folder."),
      ),
      folder: text(),
      embedder: text(),
      dimensions: count("Dimensions of a vector."),
      scripts: orNull(listOf(text("Unicode name of a script."))),
    }),
  ),
})
const IndexState = namedObject("IndexState", {
  index: object({
    engine: text("Where the index is kept: `embedded`, `meilisearch` or `opensearch`."),
    embedder: text("Id of the model that makes the vectors."),
    dimensions: count("Dimensions of a vector."),
    pages: count(),
    passages: count(),
    pages_without_vectors: count("Pages that searches find only by their words until they have vectors."),
    passages_without_vectors: count("Passages of those pages; approximate on Meilisearch."),
    vectors_per_second: passagesASecond,
    seconds_left: orNull(
      count("Estimated seconds until all pages have vectors; 0 if they all do, null without an estimate."),
    ),
  }),
  machine: object({
    disk_free_bytes: orNull(count("Free bytes on the data folder's disk; null if unknown.")),
    disk_bytes: orNull(count("Size of that disk; null if unknown.")),
    memory_free_bytes: count("Free memory; in a container, within its limit."),
    memory_bytes: count("Total memory."),
    process_memory_bytes: count("Memory of the process that answers; crawls run in another one."),
  }),
})

/** The index, and the model that makes its vectors. */
export const indexOperations = operations("Pages", "admin", {
  indexState: {
    at: "GET /admin/index",
    access: "operator",
    summary: "The size of the index, the progress of its vectors, and the machine's free space",
    description:
      "Searches find new pages by their words at once; their vectors are made in the background. `seconds_left` is estimated from the rate of the last minute.",
    answers: ok(IndexState, "The index."),
    examples: [{ summary: "The index" }],
  },
  modelState: {
    at: "GET /admin/model",
    access: "operator",
    summary: "The embedding model in use and why, the available models, and the progress of a change",
    description:
      "`change` is null unless the model is being changed. Until the change is complete, the current index answers with its own model.",
    answers: ok(ModelState, "The model."),
    refusals: [503],
    examples: [{ summary: "The model" }],
  },
  changeModel: {
    at: "POST /admin/model",
    summary: "Use another embedding model",
    description:
      "Works like `fossick index model`: the crawler process builds a second index from the indexed pages, and searches switch to it once it is complete. `auto` chooses based on the pages in the index. Refused with 409 if the model is set in the settings.",
    body: bodyOf({
      model: text(
        `${NAMED_MODELS.map((name) => `\`${name}\``).join(", ")}, or the full path of a folder with a model.`,
        { minLength: 1 },
      ),
    }),
    answers: accepted(ModelState, "The model and the change."),
    refusals: [409, 422, 503],
    examples: [{ summary: "Back to the default", body: { model: "auto" } }],
  },
})
