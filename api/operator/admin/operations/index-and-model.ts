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

/** The models that ship with Fossick, and what leaves the choice to it: `model-choice.ts` of the engine. */
export const NAMED_MODELS = ["auto", "english", "multilingual"] as const
const SHIPPED = ["english", "multilingual"] as const

const modelName = object({
  name: orNull(oneOf(SHIPPED, "Of one that ships with Fossick.")),
  embedder: text("Id of the model, with a hash of its weights."),
})
const passagesASecond = orNull(
  amount(
    "Passages that got their vectors in a second, over the last minute; null while none are made, or it is too early to tell.",
  ),
)

const ModelState = namedObject("ModelState", {
  model: object({
    in_use: orNull(modelName),
    setting: orNull(text("The model that the settings name, which wins.")),
    wanted: text("What was asked for: `auto`, a name or a folder."),
    chosen: orNull(oneOf(SHIPPED, "What `auto` has come to.")),
    because: text("Why this one, for people."),
    suited: orNull(
      oneOf(SHIPPED, "What would suit the languages of the pages, when `auto` has come to another one."),
    ),
    languages: orNull(
      byName(count(), "Pages by language (ISO 639-1); empty for those whose language nobody knows."),
    ),
    unread_questions: orNull(
      object(
        {
          count: count("Questions that the multilingual model would read."),
          of: count("The last ones."),
        },
        "How many of the last 200 questions are in a language that the multilingual model reads and the current model doesn't. Null for fewer than 3, for up to 5 %, and while `FOSSICK_QUERY_LOG_DAYS` is 0.",
      ),
    ),
    server_problem: orNull(text("Why the server of models gives no vectors at present.")),
  }),
  change: orNull(
    object({
      to: modelName,
      state: oneOf(["waiting", "building"], "`waiting`: it has not begun, as crawls go first."),
      pages: count("Pages taken over."),
      of_pages: orNull(count()),
      pages_without_vectors: orNull(count("Of those taken over.")),
      passages_without_vectors: orNull(count()),
      vectors_per_second: passagesASecond,
      seconds_left: orNull(count("Null when nobody can tell, and while pages are still taken over.")),
    }),
  ),
  available: listOf(
    object({
      name: orNull(oneOf(SHIPPED, "Null of one that does not ship with Fossick: ask for it by its folder.")),
      folder: text(),
      embedder: text(),
      dimensions: count("Of a vector."),
      scripts: orNull(listOf(text("Unicode name of a script."))),
    }),
  ),
})
const IndexState = namedObject("IndexState", {
  index: object({
    engine: text("Where it is kept: `embedded`, `meilisearch` or `opensearch`."),
    embedder: text("Id of the model that makes its vectors."),
    dimensions: count("Of a vector."),
    pages: count(),
    passages: count(),
    pages_without_vectors: count("Pages found by their words only, until their vectors are made."),
    passages_without_vectors: count("Passages of those pages; on Meilisearch about."),
    vectors_per_second: passagesASecond,
    seconds_left: orNull(
      count("Until all have their vectors, as things go; 0 when all have, null when nobody can tell."),
    ),
  }),
  machine: object({
    disk_free_bytes: orNull(count("On the disk of the data folder; null where nobody knows.")),
    disk_bytes: orNull(count("All of it.")),
    memory_free_bytes: count("In a container, within its limit."),
    memory_bytes: count("All of it."),
    process_memory_bytes: count("Taken by the process that answers; crawls have one of their own."),
  }),
})

/** The index, and the model that makes its vectors. */
export const indexOperations = operations("Pages", "admin", {
  indexState: {
    at: "GET /admin/index",
    summary: "What the index holds, how far its vectors are, and the room on the machine",
    description:
      "Pages are found by their words at once; their vectors are made in the background. `seconds_left` goes by the rate of the last minute, with whatever else the machine does meanwhile.",
    answers: ok(IndexState, "The index."),
    examples: [{ summary: "The index" }],
  },
  modelState: {
    at: "GET /admin/model",
    summary: "Which embedding model is used and why, which there are, and how far a change is",
    description:
      "`change` is null when no other model is to come. While one is, the index in use answers, with its own model.",
    answers: ok(ModelState, "The model."),
    refusals: [503],
    examples: [{ summary: "The model" }],
  },
  changeModel: {
    at: "POST /admin/model",
    summary: "Use another embedding model",
    description:
      "As `fossick index model` does: the crawler process builds an index for it beside the one in use, from the pages that are there, and searches switch to it when it is complete. `auto` leaves the choice to what the index holds. Refused with 409 where the settings name a model.",
    body: bodyOf({
      model: text(
        `${NAMED_MODELS.map((name) => `\`${name}\``).join(", ")}, or the whole path of a folder with a model.`,
        { minLength: 1 },
      ),
    }),
    answers: accepted(ModelState, "The model as it stands."),
    refusals: [409, 422, 503],
    examples: [{ summary: "As at the beginning", body: { model: "auto" } }],
  },
})
