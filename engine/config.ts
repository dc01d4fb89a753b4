import { integer, type Setting, text } from "./settings.ts"

const modelHub: Setting<string> = {
  name: "FOSSICK_MODEL_HUB",
  default: "",
  about: "Base address of a model hub; empty keeps the appliance offline.",
  // A wrong one may hold a password; a right one is part of messages.
  secret: true,
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https address")
    if (url.username !== "" || url.password !== "") {
      throw new Error("must be an address without user name and password")
    }
    return value
  },
}

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
  modelHub,
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
