export interface ChatMessage {
  readonly role: "system" | "user"
  readonly content: string
}

/** The form that a reply must have. */
export interface ReplyForm {
  /** The form's name: letters, digits and `_`. */
  readonly name: string
  /** A JSON schema whose root is an object. */
  readonly schema: Readonly<Record<string, unknown>>
}

export interface ReplyOptions {
  /** Maximum number of tokens in the reply, not counting reasoning before it. */
  readonly maxTokens: number
  readonly signal: AbortSignal
  /** The form of the reply, enforced by servers that can do so; for others, only the messages ask for it. */
  readonly form?: ReplyForm
  /** With `report`, the reply may take minutes, so the call waits for a model that is still loading. Default `answer`. */
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

/** Makes the messages for a model, with at most this many tokens according to {@link tokensOf}. */
export type Prompt = (room: number) => readonly ChatMessage[]

/** A language model that continues a conversation. */
export interface ChatModel extends AsyncDisposable {
  /**
   * The model's reply.
   * @throws ChatModelError if there is no reply in time or it is invalid; the reason of `signal`
   */
  reply(prompt: Prompt, options: ReplyOptions): Promise<Reply>
  /** Why there are no replies at present, as a sentence for any reader; `null` if no problem is known. */
  readonly outage: string | null
}

/**
 * Why a model returned no reply. The message continues a sentence or forms one, and contains nothing from the
 * conversation.
 */
export class ChatModelError extends Error {
  override readonly name = "ChatModelError"
}
