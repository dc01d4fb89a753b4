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
  readonly InferenceSession: { create(file: string, options: object): Promise<Session> }
}

/**
 * The inference runtime that transformers.js brings.
 *
 * Its native part registers itself once per process: when the last thread that loaded it has ended, no new
 * thread can load it ("Module did not self-register"). So the thread that starts workers loads it too.
 */
export function onnxRuntime(): Runtime {
  const require = createRequire(import.meta.resolve("@xenova/transformers"))
  return require("onnxruntime-node") as Runtime
}
