export interface ChatMessage {
  readonly role: "system" | "user"
  readonly content: string
}

/** The form that a reply is to have. */
export interface ReplyForm {
  /** Letters, digits and `_`. */
  readonly name: string
  /** A JSON schema whose root is an object. */
  readonly schema: Readonly<Record<string, unknown>>
}

export interface ReplyOptions {
  /** Tokens of the reply, what the model thinks before it not counted. */
  readonly maxTokens: number
  readonly signal: AbortSignal
  /** Asked of the server where it can hold a model to it; elsewhere the messages alone ask for it. */
  readonly form?: ReplyForm
  /** `report`: minutes may pass, so a model that is being loaded is waited for. Default `answer`. */
  readonly patience?: "answer" | "report"
  /** Called with the reply so far, each time it grows. */
  readonly onText?: (text: string) => void
}

/** A model's reply without its reasoning. */
export interface Reply {
  readonly text: string
  /** Whether the reply was cut off at its token limit. */
  readonly isCut: boolean
}

/** The messages for a model, in at most this many tokens by {@link tokensOf}. */
export type Prompt = (room: number) => readonly ChatMessage[]

/** A language model that continues a conversation. */
export interface ChatModel extends AsyncDisposable {
  /**
   * The model's reply.
   * @throws ChatModelError when there is none in time or it is invalid; the reason of `signal`
   */
  reply(prompt: Prompt, options: ReplyOptions): Promise<Reply>
  /** Why there are no replies at present, as a sentence for anybody to read; null when nothing is known to be wrong. */
  readonly outage: string | null
}

/**
 * Why a model gave no reply; continues a sentence or is one alone. The message contains nothing from the
 * conversation.
 */
export class ChatModelError extends Error {
  override readonly name = "ChatModelError"
}
