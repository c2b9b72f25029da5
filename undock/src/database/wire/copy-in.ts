import { encodeScript } from '../engine/exchange.ts'
import type { TransactionStatus } from './backend.ts'
import { encodeMessage, type FrontendMessage, ProtocolViolation } from './frontend.ts'
import type { Filtered } from './response.ts'

/** The engine takes a whole COPY in one exchange, so the rows are gathered here first. */
const LARGEST_COPY = 512 * 1024 ** 2

const ABANDON = encodeMessage('f', 'only asked for its columns')

/** A COPY … FROM STDIN under way. */
export class CopyIn {
  /** The CopyInResponse, as the engine gave it: clients take the format and the number of columns from it. */
  readonly invitation: Buffer
  readonly #query: Buffer
  #rows: Buffer[] = []
  #size = 0

  private constructor(query: Buffer, invitation: Buffer) {
    this.#query = query
    this.invitation = invitation
  }

  /** Begins the statement and abandons it, to learn what the engine would answer.
   *  @returns null when it cannot begin; the state of the transaction is as before. */
  static async begin(
    text: string,
    status: TransactionStatus,
    exchange: (messages: Buffer) => Promise<Filtered>,
  ): Promise<CopyIn | null> {
    const query = encodeMessage('Q', text)
    const trial = [query, ABANDON]
    const { copyIn } = await exchange(Buffer.concat(status === 'T' ? [SAVE, ...trial, RESTORE] : trial))
    return copyIn && new CopyIn(query, copyIn)
  }

  /** Takes the next message. @returns what to send to the engine once the client has finished. */
  receive({ type, body }: FrontendMessage): Buffer[] | null {
    switch (type) {
      case 'd':
        this.#size += body.length
        // Rows beyond the limit are let go; the statement fails at its end.
        if (this.#size <= LARGEST_COPY) this.#rows.push(encodeMessage('d', body))
        else this.#rows = []
        return null
      case 'c':
        if (this.#size <= LARGEST_COPY) return [this.#query, ...this.#rows, encodeMessage('c')]
        return [this.#query, encodeMessage('f', `more than ${LARGEST_COPY} bytes; send it in parts`)]
      case 'f':
        return [this.#query, encodeMessage('f', body)]
      case 'S':
      case 'H':
        return null
      default:
        throw new ProtocolViolation(`unexpected message type "${type}" during COPY from stdin`)
    }
  }
}

const SAVE = encodeScript('savepoint undock_copy')
const RESTORE = encodeScript('rollback to savepoint undock_copy; release savepoint undock_copy')
