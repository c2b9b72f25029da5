import type { Db } from '../database/db.ts'
import { findCaller } from './callers.ts'
import { explainAccess } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { type Ask, questionFor } from './questions.ts'

export { AccessQuestionError, type Explanation } from './explanation.ts'
export { ACTIONS } from './questions.ts'

/** @property as A role, or a user by id, address or phone number. @property claims Replace or join those of the user. */
export type ExplainRequest = Ask & {
  readonly as: string
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** @property caller Who was asked about, as policies see it. */
export type Answer = Explanation & { readonly caller: { readonly role: string; readonly claims: object } }

/** Explains whether somebody may do something, and why. Nothing is kept.
 *  @throws {AccessQuestionError} when there is no such caller or target. */
export async function explain(db: Db, { as, claims, ...ask }: ExplainRequest): Promise<Answer> {
  const caller = await findCaller(db, as, claims)
  return { caller, ...(await explainAccess(db, questionFor(caller, ask))) }
}
