import type { Transport } from './deps.ts'
import { frameText } from './protocol/wire.ts'

/** The messages for one client of long polling, until it asks for them. */
export class LongPollSession implements Transport {
  readonly carrier = 'long polling'
  readonly silence: number
  readonly #window: number
  readonly #onEnd: () => void
  #messages: string[] = []
  #bytes = 0
  #isOpen = true
  /** Ends the wait of the current poll. */
  #wake: () => void = () => undefined

  /** @param window Milliseconds that a request waits for messages. */
  constructor(window: number, onEnd: () => void) {
    this.#window = window
    // As in Phoenix. A client that is there asks again at once.
    this.silence = window * 1.5
    this.#onEnd = onEnd
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get backlog(): number {
    return this.#bytes
  }

  send(wire: Buffer): void {
    this.#messages.push(frameText(wire))
    this.#bytes += wire.length
    this.#wake()
  }

  /** The messages since the last call. Waits for one, and gives up after the window, when the client has gone, when the
   *  session ends, or when the client asks once more. */
  async take(gone: AbortSignal): Promise<readonly string[]> {
    this.#wake()
    if (this.#messages.length === 0 && this.#isOpen) await this.#nextMessage(gone)
    if (gone.aborted) return []
    const messages = this.#messages
    this.#messages = []
    this.#bytes = 0
    return messages
  }

  close(): void {
    this.terminate()
  }

  terminate(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#wake()
    this.#onEnd()
  }

  #nextMessage(gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(late)
        gone.removeEventListener('abort', wake)
        resolve()
      }
      const late = setTimeout(wake, this.#window)
      gone.addEventListener('abort', wake)
      this.#wake = wake
    })
  }
}
