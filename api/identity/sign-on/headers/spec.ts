/** A declared proxy that signs people in and says in headers who they are. */
export interface HeadersSpec {
  /** IP addresses and ranges of the proxy; headers from elsewhere are ignored. */
  readonly addresses: readonly string[]
  readonly userHeader: string
  readonly groupsHeader: string
  readonly groupsSeparator: string
  readonly nameHeader: string
  readonly emailHeader: string
}
