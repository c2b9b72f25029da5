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

/** @property as A role, or a user by id, address or phone number. @property claims Replace or join those of the user.
 *  @property readsOnly Whether who asks may change nothing: then no command that writes is tried. */
export type ExplainRequest = Ask & {
  readonly readsOnly?: boolean | undefined
  readonly as: string
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** @property caller Who was asked about, as policies see it. */
export type Answer = Explanation & { readonly caller: { readonly role: string; readonly claims: object } }

/** Explains whether somebody may do something, and why. Nothing is kept.
 *  @throws {AccessQuestionError} when there is no such caller or target. */
export async function explain(db: Db, { as, claims, readsOnly = false, ...ask }: ExplainRequest): Promise<Answer> {
  const caller = await findCaller(db, as, claims)
  return { caller, ...(await explainAccess(db, { ...questionFor(caller, ask), readsOnly })) }
}

/** Explains what the database decided about a request that happened, as things are now. Nothing is kept.
 *  @param row The values of an INSERT or UPDATE, because bodies are not kept.
 *  @throws {AccessQuestionError} when it is no request that can be explained. */
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
