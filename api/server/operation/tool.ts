import type { JsonSchema } from "../schema/schemas.ts"

/** Calls the API on behalf of one caller; returns the body of a 200 answer. */
export interface Api {
  get(path: string): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
}

/** A tool's answer, for models and programs alike. */
export interface ToolAnswer {
  readonly text: string
  /** Data that fits the tool's output schema; left out on failure. */
  readonly structured?: Readonly<Record<string, unknown>>
  readonly failed?: boolean
}

type Given = Readonly<Record<string, unknown>>
export type ObjectSchema = { readonly type: "object" } & JsonSchema

/** A tool for models. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** The tool's purpose; models choose tools by this text. */
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** The endpoint that must be served for the tool to be offered. */
  readonly endpoint: string
  /** Whether the tool reads the web as well as the index. */
  readonly isLive: boolean
  /** @throws the API's refusals */
  run(api: Api, given: Given): Promise<ToolAnswer>
}
