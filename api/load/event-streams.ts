/** Streams of events that are open at one time: each holds a connection. */
export class EventStreams {
  readonly most: number
  #open = 0
  #refused = 0

  constructor(most: number) {
    this.most = most
  }

  get open(): number {
    return this.#open
  }

  /** How many were refused since the start. */
  get refused(): number {
    return this.#refused
  }

  /** @returns gives the place back, once; null where there is none */
  enter(): (() => void) | null {
    if (this.#open >= this.most) {
      this.#refused++
      return null
    }
    this.#open++
    let isOpen = true
    return () => {
      if (isOpen) this.#open--
      isOpen = false
    }
  }
}
