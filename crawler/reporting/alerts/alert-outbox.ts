import { sql, type SqlBool } from "kysely"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { Clock } from "#base/clock.ts"
import type { QueriedStore } from "#base/store/state-port.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { dueIndex, type Message, notTaken, type NotTaken, Outbox, outboxColumns } from "#base/work/outbox.ts"
import type { ChannelName } from "./channels/registry.ts"
import type { Notice } from "./alert-messages.ts"

/** The table of {@link AlertOutbox}; alert-book.ts creates it together with its own tables. */
export const alertMessages = (words: SchemaWords): string => {
  const { text, strict } = words
  return `create table alert_message (
     ${outboxColumns(words)}, channel ${text} not null, type ${text} not null, subject ${text} not null, body ${text} not null,
     data ${text} not null
   ) ${strict};
   ${dueIndex("alert_message")}`
}

/** Messages that were not accepted, by channel and state, for programs that read the store without {@link AlertOutbox}. */
export const alertsNotTaken = (db: QueriedStore): Promise<NotTaken[]> =>
  notTaken(db, "alert_message", "channel")

export type QueuedNotice = Message & Notice & { readonly channel: ChannelName }

interface AlertColumns extends Pick<Notice, "type" | "subject"> {
  readonly channel: ChannelName
  readonly body: string
  readonly data: string
}

/** Messages of one channel that are waiting to be sent, in `state.db`. */
export class AlertOutbox extends Outbox<Notice & { readonly channel: ChannelName }, AlertColumns> {
  readonly #channel: ChannelName

  /** The table must exist: see `AlertBook`. */
  constructor(db: StateStore, channel: ChannelName, clock: Clock) {
    super(db, {
      table: "alert_message",
      own: (row) => ({
        channel: row.channel,
        type: row.type,
        subject: row.subject,
        text: row.body,
        data: JSON.parse(row.data) as Notice["data"],
      }),
      inOrder: false,
      maySend: sql<SqlBool>`channel = ${channel}`,
      clock,
    })
    this.#channel = channel
  }

  /** Queues a message for each receiver, so that a failure with one does not affect the others. */
  async tell(receivers: readonly string[], { type, subject, text, data }: Notice): Promise<void> {
    for (const receiver of receivers)
      await this.put(receiver, {
        channel: this.#channel,
        type,
        subject,
        body: text,
        data: JSON.stringify(data),
      })
  }

  /** The channel's messages, newest first. */
  async latest(limit: number): Promise<QueuedNotice[]> {
    return await this.list({ limit }, { channel: this.#channel })
  }
}
