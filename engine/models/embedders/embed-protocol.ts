import type { TokenVectors } from "../../embedder.ts"

/** How token states are combined into one vector. */
export type Pooling = "mean" | "cls"

export interface WorkerSetup {
  /** Absolute path of the model folder. */
  readonly folder: string
  /** Absolute path of the ONNX file with the weights. */
  readonly weights: string
  /** Path of the graph to open: the same file, or one that refers to the weights in it. */
  readonly graph: string
  readonly maxTokens: number
  readonly pooling: Pooling
}

/** The purpose of a thread: `background` threads give way to all other work on the machine. */
export type Purpose = "background" | "answers"

export type ToWorker =
  | { readonly kind: "ready?" }
  | {
      readonly kind: "embed" | "tokens"
      readonly text: string
      /** The prefix that the model needs before the text. */
      readonly prefix: string
      /** Whether to return the vectors of the tokens too. */
      readonly withTokens: boolean
    }
  | { readonly kind: "leave" }

/**
 * A worker responds to each message once it has processed the earlier ones: to `embed` with `vector`, to `tokens` with
 * `tokens`, to either with `failed`, to `ready?` with `ready`, to `leave` with `left`. A worker that can't load its
 * model sends `unusable`, and nothing after that.
 */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "left" }
  | { readonly kind: "unusable"; readonly message: string }
  | {
      readonly kind: "vector"
      readonly vector: Float32Array
      /** How many tokens the model read, including those it adds itself. */
      readonly tokensRead: number
      readonly tokens?: TokenVectors
    }
  | { readonly kind: "tokens"; readonly tokens: TokenVectors }
  | { readonly kind: "failed"; readonly message: string }
