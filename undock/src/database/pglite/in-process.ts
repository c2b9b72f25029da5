import { Duplex } from 'node:stream'
import type { Engine, Session } from '../session.ts'

/** What a server answers when a login succeeded: AuthenticationOk and ReadyForQuery. */
const LOGGED_IN = Buffer.from('520000000800000000' + '5a0000000549', 'hex')
const ENDS_EXCHANGE = [...Buffer.from('QS')]
const HEADER = 5

/** Connects node-postgres to PGlite, which has no port, within this process. Until the client ends, all others wait.
 *  @param user Of the session. */
export function connectInProcess(engine: Pick<Engine, 'withSessionOf'>, user: string): Duplex {
  let session: Session | undefined
  let release = (): void => undefined
  let unsent = Buffer.alloc(0)
  let isStarted = false

  async function answer(chunk: Buffer): Promise<void> {
    unsent = Buffer.concat([unsent, chunk])
    if (!isStarted) {
      isStarted = true
      unsent = unsent.subarray(unsent.readUInt32BE(0))
      stream.push(LOGGED_IN)
    }
    let end = 0
    for (let at = 0; at + HEADER <= unsent.length; ) {
      const type = unsent[at] ?? 0
      at += 1 + unsent.readUInt32BE(at + 1)
      if (at <= unsent.length && ENDS_EXCHANGE.includes(type)) end = at
    }
    const messages = unsent.subarray(0, end)
    unsent = unsent.subarray(end)
    if (session && end > 0) stream.push(await session.exchange(messages))
  }

  function connect(): void {
    const hold = (lent: Session) =>
      new Promise<void>((resolve) => {
        session = lent
        release = resolve
        stream.emit('connect')
      })
    engine.withSessionOf(user, hold).catch((error: Error) => stream.destroy(error))
  }

  const stream = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => void answer(chunk).then(() => done(), done),
    final(done) {
      this.push(null)
      done()
    },
    destroy(error, done) {
      release()
      done(error)
    },
  })
  return Object.assign(stream, { connect, setNoDelay: () => undefined, ref: () => undefined, unref: () => undefined })
}
