import type { Db } from '../database/db.ts'
import { findCaller } from './callers.ts'
import { explainAccess } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { type Ask, questionFor } from './questions.ts'
import { type FindTarget, questionOf, type RecordedRequest } from './recorded.ts'

export { findCaller } from './callers.ts'
export { AccessQuestionError } from './explanation.ts'
export { writeLeakTests } from './leak-tests.ts'
export { type MatrixRow, readMatrix } from './matrix.ts'
export { ACTIONS } from './questions.ts'

/** @property as A role, or a user by id, address or phone number. @property claims Replace or extend the user's.
 *  @property readsOnly Whether the asker may not change anything: then no writing command is tried. */
export type ExplainRequest = Ask & {
  readonly readsOnly?: boolean | undefined
  readonly as: string
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** @property caller The caller as policies see it. */
export type Answer = Explanation & { readonly caller: { readonly role: string; readonly claims: object } }

/** Explains whether a caller may do something, and why. Changes nothing.
 *  @throws {AccessQuestionError} for an unknown caller or target. */
export async function explain(db: Db, { as, claims, readsOnly = false, ...ask }: ExplainRequest): Promise<Answer> {
  const caller = await findCaller(db, as, claims)
  return { caller, ...(await explainAccess(db, { ...questionFor(caller, ask), readsOnly })) }
}

/** Explains the database's decision about a past request, as things are now. Changes nothing.
 *  @param row Values of an INSERT or UPDATE, because bodies aren't kept.
 *  @throws {AccessQuestionError} if the request can't be explained. */
export async function explainRequest(
  db: Db,
  request: RecordedRequest,
  {
    findTarget,
    row,
    readsOnly = false,
  }: { readonly findTarget: FindTarget | null; readonly row?: object | undefined; readonly readsOnly?: boolean },
): Promise<Answer> {
  const question = await questionOf(request, findTarget, row)
  return { caller: question.caller, ...(await explainAccess(db, { ...question, readsOnly })) }
}
