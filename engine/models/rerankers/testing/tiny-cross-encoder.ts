import { copyFile, cp, mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { shippedModel } from "../../../shipped-models.ts"

const GRAPH = path.join(import.meta.dirname, "tiny-cross-encoder.onnx")

/** Creates the folder of a cross-encoder that counts the tokens of a text that are also in the question. */
export async function makeTinyCrossEncoder(folder: string): Promise<string> {
  await mkdir(path.join(folder, "onnx"), { recursive: true })
  for (const file of ["tokenizer.json", "tokenizer_config.json"]) {
    await cp(path.join(shippedModel, file), path.join(folder, file))
  }
  await writeFile(
    path.join(folder, "config.json"),
    '{"max_position_embeddings": 512, "id2label": {"0": "LABEL_0"}}',
  )
  await copyFile(GRAPH, path.join(folder, "onnx", "model.onnx"))
  return folder
}
