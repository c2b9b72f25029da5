import type { ApiKeys } from '../identity/identity.ts'
import type { PublicStackOptions } from '../runtime/stack/options.ts'
import type { PublicStack } from '../runtime/stack/public-stack.ts'
import type { MailOptions, TestMail } from './mails.ts'
import type { TestUser, UserOptions } from './users.ts'
import type { WaitOptions } from './wait-until.ts'

export type TestStackOptions = Partial<PublicStackOptions>

/** A running backend, and what tests ask of one. */
export type TestStack = PublicStack & {
  readonly keys: ApiKeys
  /** A statement as `postgres`, whatever row security says.
   *  @param text With `$1 …` for values. */
  query<R = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** A confirmed user with a session. */
  createUser(options?: UserOptions): Promise<TestUser>
  /** The newest mail to an address; waits for it. */
  lastMail(to: string, options?: MailOptions): Promise<TestMail>
  /** Waits until a statement finds rows, such as the result of a background job.
   *  @returns the rows. */
  waitForRows<R = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: WaitOptions,
  ): Promise<[R, ...R[]]>
}
