import { DatabaseError } from 'pg-protocol'

/** Errors of the embedded engine itself, shaped like Postgres' own so that every service renders them alike. */
function databaseError(message: string, code: string, hint: string): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error')
  error.severity = 'ERROR'
  error.code = code
  error.hint = hint
  return error
}

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`

/** 57014, as a statement_timeout would be: the statement ran too long and the engine was ended under it. */
export const statementTimeout = (limit: number): DatabaseError =>
  databaseError(
    'canceling statement due to statement timeout',
    '57014',
    `It ran for more than ${seconds(limit)}. Raise statement_timeout under [limits] in supabase/undock.toml if it should.`,
  )

/** 57P01: whatever the statement had done was rolled back; it may be sent again. */
export const engineLost = (reason: string): DatabaseError =>
  databaseError(reason, '57P01', 'Nothing of this statement was kept. Send it again.')

/** 57P03: the engine ended and cannot be opened for now. */
export const engineDown = (reason: string): DatabaseError =>
  databaseError(
    reason,
    '57P03',
    "The disk may be full, or the database's folder not writable. It is tried again with the next statement.",
  )

/** 55P03: another client keeps a transaction open. */
export const engineBusy = (limit: number): DatabaseError =>
  databaseError(
    `The database was busy for more than ${seconds(limit)}`,
    '55P03',
    'A client of the database port keeps a transaction open, or a statement runs for long. End it and try again.',
  )
