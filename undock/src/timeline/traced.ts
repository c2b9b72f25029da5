import type { Batch, Db, Result, TransactionOptions } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailer } from '../kernel/mail-templates.ts'
import type { Principal } from '../kernel/service.ts'
import type { Statement } from '../kernel/sql.ts'
import type { SqlStatement } from './records.ts'
import { describeParameter, readableMailAddress } from './redaction.ts'
import { cutStatement, type Timeline, type Work } from './timeline.ts'

/** The database, with each statement of a request on the timeline. */
export function traceDb(db: Db, timeline: Timeline): Db {
  return {
    ...db,
    query(one) {
      const measure = timeline.current()
      if (!measure) return db.query(one)
      const wait = startWait()
      return measure(
        () => db.query(one, { onSession: wait.end }),
        (result) => sqlWork(null, wait, [one], result && [result]),
      )
    },
    run(batch: Batch) {
      const measure = timeline.current()
      if (!measure) return db.run(batch)
      const wait = startWait()
      return measure(
        () => db.run({ ...batch, onSession: wait.end }),
        (results) => sqlWork(roleOf(batch), wait, batch.statements, results),
      )
    },
    transaction(options, work) {
      const measure = timeline.current()
      if (!measure) return db.transaction(options, work)
      let first: Wait | null = startWait()
      return db.transaction({ ...options, onSession: first.end }, ({ query }) =>
        work({
          query: <R>(one: Statement) => {
            // The first statement includes waiting for the session.
            const wait = first ?? NO_WAIT
            first = null
            return measure(
              () => query<R>(one),
              (result) => sqlWork(roleOf(options), wait, [one], result && [result]),
              wait.began,
            )
          },
        }),
      )
    },
  }
}

/** The time spent waiting for a session. @property began A `performance.now()` time. */
type Wait = { readonly began: number | undefined; readonly waited: number; readonly end: () => void }

function startWait(): Wait {
  const began = performance.now()
  const wait = {
    began,
    waited: 0,
    end: () => {
      wait.waited = Math.round((performance.now() - began) * 100) / 100
    },
  }
  return wait
}

const NO_WAIT: Wait = { began: undefined, waited: 0, end: () => undefined }

const roleOf = ({ settings }: TransactionOptions): string | null => settings?.role ?? null

function sqlWork(
  role: string | null,
  { waited }: Wait,
  statements: readonly Statement[],
  results: readonly Result<unknown>[] | null,
): Work {
  return {
    kind: 'sql',
    role,
    waited,
    statements: statements.map(
      ({ text, values, countedBy }, index): SqlStatement => ({
        text: cutStatement(text),
        parameters: values.map(describeParameter),
        rows: rowsOf(results?.[index], countedBy),
      }),
    ),
  }
}

function rowsOf(result: Result<unknown> | undefined, countedBy: string | undefined): number | null {
  if (!result) return null
  const [row] = result.rows
  const counted =
    countedBy && row && typeof row === 'object' ? Object.entries(row).find(([name]) => name === countedBy) : null
  return counted ? Number(counted[1]) : result.rowCount
}

/** Identity, with the caller of each request on the timeline. */
export function traceIdentity(identity: Identity, timeline: Timeline): Identity {
  const told =
    <Of extends unknown[]>(authenticate: (...given: Of) => Promise<Principal>) =>
    async (...given: Of): Promise<Principal> => {
      const principal = await authenticate(...given)
      timeline.setCaller(principal)
      return principal
    }
  return {
    ...identity,
    authenticate: told(identity.authenticate),
    verify: told(identity.verify),
    forDataApi: (secret) => told(identity.forDataApi(secret)),
  }
}

/** The mailer, with each mail of a request on the timeline: subject and part of the address, without content. */
export function traceMailer(mailer: Mailer, timeline: Timeline): Mailer {
  return {
    send(mail) {
      const measure = timeline.current()
      if (!measure) return mailer.send(mail)
      return measure(
        () => mailer.send(mail),
        () => ({
          kind: 'mail',
          to: readableMailAddress(mail.to),
          subject: mail.subject,
        }),
      )
    },
  }
}
