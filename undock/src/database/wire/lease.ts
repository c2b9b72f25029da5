import type { Engine, Session } from '../session.ts'

/** The engine's session, held until it is given back. */
export type Lease = Session & { release(): void }

/** Waits for its turn, then holds the session: nobody else reaches the engine until `release`.
 *  @throws 55P03 when the turn does not come in time. */
export function holdSession(engine: Engine): Promise<Lease> {
  return new Promise((resolve, reject) => {
    engine.exclusive((session) => new Promise<void>((release) => resolve({ ...session, release }))).catch(reject)
  })
}
