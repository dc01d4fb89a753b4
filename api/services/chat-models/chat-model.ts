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
  /** Told the reply as far as it has come, whenever it has grown. */
  readonly onText?: (text: string) => void
}

/** What a model wrote, without what it thought. */
export interface Reply {
  readonly text: string
  /** Whether it reached the end of its tokens in the middle of something. */
  readonly isCut: boolean
}

/** What a model is told, in at most so many tokens by {@link tokensOf}. */
export type Prompt = (room: number) => readonly ChatMessage[]

/** A language model that continues a conversation. */
export interface ChatModel extends AsyncDisposable {
  /**
   * The model's reply.
   * @throws ChatModelError when there is none within the time or it is no reply; whatever `signal` aborts with
   */
  reply(prompt: Prompt, options: ReplyOptions): Promise<Reply>
  /** Why there are no replies at present, as a sentence for anybody to read; null when nothing is known to be wrong. */
  readonly outage: string | null
}

/** Why a model gave no reply; goes on a sentence or stands alone. The message holds nothing of the conversation. */
export class ChatModelError extends Error {
  override readonly name = "ChatModelError"
}
