/** How token states become one vector. */
export type Pooling = "mean" | "cls"

export interface WorkerSetup {
  /** Absolute path of the model folder. */
  readonly folder: string
  /** Absolute path of the ONNX file. */
  readonly weights: string
  readonly maxTokens: number
  readonly pooling: Pooling
}

export type ToWorker = { readonly kind: "embed"; readonly text: string } | { readonly kind: "close" }

/** A worker says `ready` or `unusable` once, then answers each text before it gets the next. */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "unusable"; readonly message: string }
  | { readonly kind: "vector"; readonly vector: Float32Array }
  | { readonly kind: "failed"; readonly message: string }
