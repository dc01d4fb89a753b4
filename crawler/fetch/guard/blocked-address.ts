/** Thrown, and passed to sockets, when an address may not be reached. */
export class BlockedAddressError extends Error {
  readonly code = "BLOCKED_ADDRESS"

  constructor(message: string) {
    super(message)
    this.name = "BlockedAddressError"
  }
}

/** A source's host is no longer in the network in which it was first found. The message says so, and what the operator can do. */
export class NetworkChangedError extends BlockedAddressError {
  /** The host, without its port. */
  readonly host: string

  constructor(host: string, message: string) {
    super(message)
    this.name = "NetworkChangedError"
    this.host = host
  }
}
