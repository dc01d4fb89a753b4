import { createRequire } from "node:module"

export interface Tensor {
  readonly data: Float32Array
  readonly dims: readonly number[]
}

export interface Session {
  readonly inputNames: readonly string[]
  run(inputs: Record<string, unknown>): Promise<Record<string, Tensor>>
}

interface Runtime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => object
  readonly InferenceSession: { create(file: string, options: object): Promise<Session> }
}

/** The inference runtime that comes with transformers.js. */
export function onnxRuntime(): Runtime {
  const require = createRequire(import.meta.resolve("@xenova/transformers"))
  return require("onnxruntime-node") as Runtime
}
