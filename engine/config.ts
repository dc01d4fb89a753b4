import { integer, text } from "./settings.ts"

/** Settings of the engine. */
export const engineSettings = {
  dataDir: text({
    name: "FOSSICK_DATA_DIR",
    default: "index-data",
    about: "Folder that holds everything the appliance keeps.",
  }),
  model: text({
    name: "FOSSICK_MODEL",
    default: "",
    about:
      "Embedding model: a folder, or a hub id such as `Xenova/bge-small-en-v1.5` (fetched from the hub only when FOSSICK_MODEL_HUB is set). Empty means the model that ships with Fossick.",
  }),
  modelHub: text({
    name: "FOSSICK_MODEL_HUB",
    default: "",
    about: "Base address of a model hub; empty keeps the appliance offline.",
  }),
  embedThreads: integer(
    {
      name: "FOSSICK_EMBED_THREADS",
      default: "0",
      about: "Threads that embed pages; 0 means one less than the machine has processors, at least 1.",
    },
    0,
    256,
  ),
}
