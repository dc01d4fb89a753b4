import type { JsonSchema } from "../schema/schemas.ts"

/** The API, asked as one caller: what it answers with 200. */
export interface Api {
  get(path: string): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
}

/** What a tool gives: the same for models and for programs. */
export interface ToolAnswer {
  readonly text: string
  /** As the tool's output schema says; left out with a failure. */
  readonly structured?: Readonly<Record<string, unknown>>
  readonly failed?: boolean
}

type Given = Readonly<Record<string, unknown>>
export type ObjectSchema = { readonly type: "object" } & JsonSchema

/** What models can do here. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** What it is good for; models choose by this. */
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** The endpoint that must be served for it. */
  readonly endpoint: string
  /** Whether it asks the web, and not the index alone. */
  readonly isLive: boolean
  /** @throws what the API refuses */
  run(api: Api, given: Given): Promise<ToolAnswer>
}
