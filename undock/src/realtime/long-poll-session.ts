import type { Transport } from './deps.ts'
import { frameText } from './protocol/wire.ts'

export class LongPollSession implements Transport {
  readonly carrier = 'long polling'
  readonly silence: number
  readonly #window: number
  readonly #onEnd: () => void
  #messages: string[] = []
  #bytes = 0
  #isOpen = true
  #wake: () => void = () => undefined

  /** @param window Milliseconds a request waits for messages. */
  constructor(window: number, onEnd: () => void) {
    this.#window = window
    // As in Phoenix: live clients poll again immediately.
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

  /** Returns the messages since the last call. Waits for one until the window ends, the client disconnects, the session
   *  ends or the client polls again. */
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
