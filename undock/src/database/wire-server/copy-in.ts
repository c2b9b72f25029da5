import { encodeScript, type TransactionStatus } from '../protocol/exchange.ts'
import { encodeMessage } from '../protocol/frames.ts'
import type { ClientResponse } from './client-response.ts'
import { type FrontendMessage, ProtocolError } from './frontend-messages.ts'

/** The most bytes of a COPY: the engine takes it in one exchange, so its rows are collected here first. */
const MAX_COPY_SIZE = 512 * 1024 ** 2

const CANCEL_COPY = encodeMessage('f', 'only asked for its columns')

/** A COPY … FROM STDIN that is under way. */
export class CopyIn {
  /** The engine's CopyInResponse, which tells the client the format and the number of columns. */
  readonly response: Buffer
  readonly #query: Buffer
  #rows: Buffer[] = []
  #size = 0
  #isCancelled = false

  private constructor(query: Buffer, invitation: Buffer) {
    this.#query = query
    this.response = invitation
  }

  /** Begins the statement and cancels it, to get the engine's CopyInResponse.
   *  @returns null when it cannot begin; the transaction is unchanged. */
  static async begin(
    text: string,
    status: TransactionStatus,
    exchange: (messages: Buffer) => Promise<ClientResponse>,
  ): Promise<CopyIn | null> {
    const query = encodeMessage('Q', text)
    const trial = [query, CANCEL_COPY]
    const { copyIn } = await exchange(Buffer.concat(status === 'T' ? [SAVE, ...trial, RESTORE] : trial))
    return copyIn && new CopyIn(query, copyIn)
  }

  /** Lets the statement fail (57014) when the client has sent its rows. */
  cancel(): void {
    this.#isCancelled = true
    this.#rows = []
  }

  /** Takes the next message. @returns the messages for the engine when the client has finished, else null. */
  receive({ type, body }: FrontendMessage): Buffer[] | null {
    switch (type) {
      case 'd':
        this.#size += body.length
        // Rows beyond the limit are dropped; the statement fails at its end.
        if (this.#isCancelled) return null
        if (this.#size <= MAX_COPY_SIZE) this.#rows.push(encodeMessage('d', body))
        else this.#rows = []
        return null
      case 'c':
        if (this.#isCancelled) return [this.#query, encodeMessage('f', 'canceled by user request')]
        if (this.#size <= MAX_COPY_SIZE) return [this.#query, ...this.#rows, encodeMessage('c')]
        return [this.#query, encodeMessage('f', `more than ${MAX_COPY_SIZE} bytes; send it in parts`)]
      case 'f':
        return [this.#query, encodeMessage('f', body)]
      case 'S':
      case 'H':
        return null
      default:
        throw new ProtocolError(`unexpected message type "${type}" during COPY from stdin`)
    }
  }
}

const SAVE = encodeScript('savepoint undock_copy')
const RESTORE = encodeScript('rollback to savepoint undock_copy; release savepoint undock_copy')
