import { freeSpace } from "#base/free-space.ts"
import { baseUrl, integer, oneOf, type Setting, text } from "#base/settings.ts"
import { stateSettings } from "#base/store/postgres/state-location.ts"
import { opensearchSettings } from "./opensearch-settings.ts"
import { modelServerSettings } from "./models/servers/settings.ts"
import { folderOf } from "./shipped-models.ts"

const modelHub: Setting<string> = {
  name: "FOSSICK_MODEL_HUB",
  default: "",
  about: "Base address of a model hub; empty keeps the appliance offline.",
  // An invalid value could contain a password, so it is kept secret; a valid one can't, and appears in messages.
  secret: true,
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https address")
    if (url.username !== "" || url.password !== "") {
      throw new Error("must be an address without a user name or password")
    }
    return value
  },
}

const meiliUrl = baseUrl(
  {
    name: "FOSSICK_MEILI_URL",
    default: "http://127.0.0.1:7700",
    about: "Address of the Meilisearch server, when FOSSICK_ENGINE is `meilisearch`.",
  },
  "; set the key in FOSSICK_MEILI_KEY",
)

const meiliIndex: Setting<string> = {
  name: "FOSSICK_MEILI_INDEX",
  default: "fossick",
  about: "Prefix for the names of Fossick's indexes on the Meilisearch server.",
  parse(value) {
    if (/^[A-Za-z0-9_-]{1,100}$/.test(value)) return value
    throw new Error("must be at most 100 letters, digits, - and _")
  },
}

/** Settings of the engine. */
export const engineSettings = {
  dataDir: text({
    name: "FOSSICK_DATA_DIR",
    default: "index-data",
    about: "Folder for everything that the appliance stores.",
  }),
  ...stateSettings,
  engine: oneOf(
    {
      name: "FOSSICK_ENGINE",
      default: "embedded",
      about:
        "Where the index is kept: `embedded`, in the data folder, `meilisearch`, on a Meilisearch server, or `opensearch`, on an OpenSearch cluster.",
    },
    "embedded",
    "meilisearch",
    "opensearch",
  ),
  meiliUrl,
  meiliKey: text({
    name: "FOSSICK_MEILI_KEY",
    default: "",
    about: "Master key of the Meilisearch server; empty if it has none.",
    secret: true,
  }),
  meiliKeyFile: text({
    name: "FOSSICK_MEILI_KEY_FILE",
    default: "",
    about: "File with the master key, instead of FOSSICK_MEILI_KEY.",
  }),
  meiliIndex,
  ...opensearchSettings,
  model: {
    name: "FOSSICK_MODEL",
    default: "",
    about:
      "Embedding model: `english` or `multilingual`, which ship with Fossick, a folder, or a hub id such as `Xenova/bge-small-en-v1.5` (fetched from the hub only when FOSSICK_MODEL_HUB is set). Empty or `auto` means the one chosen with `fossick index model`, or else the one that suits the languages of the pages.",
    parse: (value): string => (value === "auto" ? "" : folderOf(value)),
  } satisfies Setting<string>,
  modelHub,
  embedThreads: integer(
    {
      name: "FOSSICK_EMBED_THREADS",
      default: "0",
      about:
        "Threads that embed pages; 0 means one for each processor, if they fit in a quarter of the memory. On Linux, everything else has priority over them.",
    },
    0,
    256,
  ),
  indexCacheMb: integer(
    {
      name: "FOSSICK_INDEX_CACHE_MB",
      default: "0",
      about:
        "Megabytes of an embedded index that the API process caches, so that searches don't read its files again. 0 means an eighth of the memory of the machine or container, at least 96. At most a third of the memory that calls and caches may use together, if that is set.",
    },
    0,
    1_000_000,
  ),
  ...modelServerSettings,
  minFreeMb: freeSpace({
    name: "FOSSICK_MIN_FREE_MB",
    default: "500",
    about:
      "Space to keep free on the disk of the data folder, in megabytes, with a unit (`2GB`) or as a percentage of the disk (`5%`). With less, crawls, vectors and images wait until there is room again, research, watches and crawl jobs are refused, and searches continue. 0 lets them fill the disk.",
  }),
  warnFreeMb: freeSpace({
    name: "FOSSICK_WARN_FREE_MB",
    default: "2000",
    about:
      "Free space on the same disk below which the log and `/readyz` warn the operator, in the format of FOSSICK_MIN_FREE_MB; 0 turns the warning off.",
  }),
  rollbackDays: integer(
    {
      name: "FOSSICK_ROLLBACK_DAYS",
      default: "7",
      about:
        "Days to keep the previous index after an upgrade or a change of model, so that you can go back to it.",
    },
    0,
    3650,
  ),
}
