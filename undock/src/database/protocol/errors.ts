import { DatabaseError } from 'pg-protocol'

/** Returns an error of ours in the shape of Postgres' own, so that every service renders them alike. The reference of
 *  errors quotes the comments below that begin with a code. */
export function databaseError(message: string, code: string, hint?: string): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error')
  error.severity = 'ERROR'
  error.code = code
  if (hint) error.hint = hint
  return error
}

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`

const statementLimitHint = (limit: number): string =>
  `It ran for more than ${seconds(limit)}. Raise statement_timeout under [limits] in supabase/undock.toml if it should.`

/** 57014, like Postgres' statement_timeout: the statement ran too long, and the engine was terminated. */
export const statementTimeout = (limit: number): DatabaseError =>
  databaseError('canceling statement due to statement timeout', '57014', statementLimitHint(limit))

/** 57P01: the statement was rolled back and may be retried. */
export const engineLost = (reason: string): DatabaseError =>
  databaseError(reason, '57P01', 'The statement had no effect. Send it again.')

/** 57P03: the engine has ended and can't be reopened at the moment. */
export const engineUnavailable = (reason: string): DatabaseError =>
  databaseError(
    reason,
    '57P03',
    "The disk may be full, or the database's folder not writable. The next statement tries again.",
  )

/** 55P03: no session was free in time. */
export class DatabaseBusyError extends DatabaseError {
  constructor(limit: number) {
    const message = `The database was busy for more than ${seconds(limit)}`
    super(message, message.length, 'error')
    this.severity = 'ERROR'
    this.code = '55P03'
    this.hint = 'Open transactions or long statements are keeping it busy. End them and try again.'
  }
}

export const engineBusy = (limit: number): DatabaseBusyError => new DatabaseBusyError(limit)

/** 22023, with SET ROLE's message. */
export const unknownRole = (name: string): DatabaseError => databaseError(`role "${name}" does not exist`, '22023')

/** 28000: a client with a password, or a scheduled job, must not be a superuser. */
export const superuserLoginRefused = (name: string): DatabaseError =>
  databaseError(
    `role "${name}" is a superuser, and superusers are not permitted to log in`,
    '28000',
    'Log in as postgres, which has the same rights as in a hosted project.',
  )

const LOST_WHILE_OPENING = ['Connection terminated unexpectedly', 'timeout expired']
/** Returns whether no server accepts connections, by its codes, socket codes, or a connection lost while opening. */
export function isUnreachable(error: unknown): boolean {
  const { code = '', message } = error as { code?: string; message?: string }
  return /^(57P0[123]|08\w{3}|E[A-Z]+)$/.test(code) || LOST_WHILE_OPENING.includes(message ?? '')
}
