import { sql, type SqlBool } from "kysely"
import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { dueIndex, type Message, Outbox, OUTBOX_COLUMNS } from "#base/work/outbox.ts"
import type { DeliveryState } from "#base/work/retries.ts"
import type { ChannelName } from "./channels/registry.ts"
import type { Notice } from "./alert-messages.ts"

/** The table of {@link AlertOutbox}; alert-book.ts makes it with its own. */
export const ALERT_MESSAGES = `create table alert_message (
     ${OUTBOX_COLUMNS}, channel text not null, type text not null, subject text not null, body text not null,
     data text not null
   ) strict;
   ${dueIndex("alert_message")}`

/** Messages that were not taken, by channel and state, for programs that read the store without {@link AlertOutbox}. */
export const ALERTS_NOT_TAKEN = sql<{
  channel: ChannelName
  state: DeliveryState
  n: number
  error: string | null
}>`select channel, state, count(*) as n, max(error) as error from alert_message
  where state = 'given-up' or (state = 'waiting' and attempts > 0) group by channel, state`

export type QueuedNotice = Message & Notice & { readonly channel: ChannelName }

interface AlertColumns extends Pick<Notice, "type" | "subject"> {
  readonly channel: ChannelName
  readonly body: string
  readonly data: string
}

/** Messages of one channel that wait for it, in `state.db`. */
export class AlertOutbox extends Outbox<Notice & { readonly channel: ChannelName }, AlertColumns> {
  readonly #channel: ChannelName

  /** The table is there: see `AlertBook`. */
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

  /** Takes a message for each receiver, so that one who is refused costs no other theirs. */
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
