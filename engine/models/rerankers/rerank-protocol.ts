export interface RerankSetup {
  /** Absolute path of the model folder. */
  readonly folder: string
  /** Absolute path of the ONNX file. */
  readonly weights: string
  readonly maxTokens: number
}

export interface ToReranker {
  readonly question: string
  readonly text: string
}

/** A worker responds to each message with `logit` or `failed`. If it can't load its model, it sends `unusable` and nothing after that. */
export type FromReranker =
  | { readonly kind: "logit"; readonly logit: number }
  | { readonly kind: "failed" | "unusable"; readonly message: string }
