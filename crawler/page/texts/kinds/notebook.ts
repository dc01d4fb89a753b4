import { textFormat } from "../text-format.ts"

/** Jupyter notebooks (https://nbformat.readthedocs.io/). */
export const notebook = textFormat({
  name: "notebook",
  types: ["application/x-ipynb+json"],
  looseTypes: ["application/json"],
  extensions: ["ipynb"],
  async load() {
    const { readNotebook } = await import("../data/notebook.ts")
    return readNotebook
  },
})
