import { isAuthError } from '@supabase/supabase-js'
import * as z from 'zod/mini'
import { msg, t } from './i18n.ts'
import { told } from './told.ts'

export type Failure = {
  title: string
  /** What the person can do about it. */
  advice: string
  worthRetrying: boolean
}

/** What an edge function of ours refused, in words that are written for people. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const Reported = z.object({
  message: z.catch(z.string(), ''),
  hint: z.catch(z.nullish(z.string()), undefined),
  code: z.catch(z.optional(z.string()), undefined),
  status: z.catch(z.optional(z.number()), undefined),
  statusCode: z.catch(z.optional(z.coerce.number()), undefined),
})

const NOTHING_KNOWN: z.infer<typeof Reported> = { message: '' }
const UNREACHABLE = /failed to fetch|networkerror|load failed|fetch failed|network request failed/i

/** What the clients throw when they cannot read an answer. */
const UNREAD = new Set(['StorageUnknownError', 'AuthUnknownError'])

const UNKNOWN = msg('Something went wrong')
const OFFLINE: Failure = {
  title: msg('You are offline'),
  advice: msg('What you have already opened stays readable. This goes on by itself when the network is back.'),
  worthRetrying: true,
}
const BACKEND_GONE: Failure = {
  title: msg('The library does not answer'),
  advice: msg('Its server could not be reached. Nothing is lost: try again in a moment.'),
  worthRetrying: true,
}
const BACKEND_ILL: Failure = {
  title: msg('The library has a problem of its own'),
  advice: msg('The server answered, but could not do it. Nothing is lost: try again in a moment.'),
  worthRetrying: true,
}
const SIGNED_OUT: Failure = {
  title: msg('Your session has ended'),
  advice: msg('Sign in again to go on where you were.'),
  worthRetrying: false,
}
const DENIED: Failure = {
  title: msg('This is not open to you'),
  advice: msg('Your role in this library does not allow it. An owner of the library can change that.'),
  worthRetrying: false,
}
const MISSING: Failure = {
  title: msg('There is nothing here'),
  advice: msg('It may have been deleted or moved, or it belongs to a library that you are not a member of.'),
  worthRetrying: false,
}
const TOO_MANY: Failure = {
  title: msg('Too many attempts'),
  advice: msg('Wait a minute, then try again.'),
  worthRetrying: false,
}

/** Says in plain words what went wrong and what to do, for anything that a request, a loader or a render can throw. */
export function describeFailure(error: unknown, online: boolean = globalThis.navigator?.onLine ?? true): Failure {
  const { title, advice, worthRetrying } = recognise(error, online)
  return { title: told(title), advice: told(advice), worthRetrying }
}

/** Whether the answer was that this is not, or no longer, there for this person: nothing to wait for, and nothing to go on
 *  showing. */
export function isRefused(error: unknown): boolean {
  const failure = recognise(error, true)
  return failure === MISSING || failure === DENIED
}

/** Whether nothing is known of a failure but what it says itself. */
export const isUnknown = (failure: Failure): boolean => failure.title === t(UNKNOWN)

function recognise(error: unknown, online: boolean): Failure {
  const reported = Reported.safeParse(error)
  const { message, hint, code, status, statusCode } = reported.success ? reported.data : NOTHING_KNOWN
  const http = status ?? statusCode
  const unreachable = UNREACHABLE.test(message) || (isAuthError(error) && error.name === 'AuthRetryableFetchError')
  if (unreachable && !(http && http >= 500)) return online ? BACKEND_GONE : OFFLINE
  if (error instanceof Refusal && error.status < 500) {
    const [, title = told(message), advice = ''] = /^(.*?[.!?])\s+(.*)$/s.exec(told(message)) ?? []
    return { title, advice, worthRetrying: false }
  }
  // Only a rule of our own database gives a hint, and it is written for people.
  if (hint && code && !code.startsWith('PGRST')) return { title: message, advice: hint, worthRetrying: false }
  if (isNonsense(error, code)) return BACKEND_ILL
  if (code === 'PGRST116' || http === 404 || http === 406) return MISSING
  if (code === '42501' || http === 403) return DENIED
  if (code === 'PGRST301' || code === 'PGRST303' || http === 401) return SIGNED_OUT
  if (http === 429) return TOO_MANY
  if (http && http >= 500) return BACKEND_ILL
  return {
    title: UNKNOWN,
    advice: message || msg('Nobody knows what. Try again, or reload the page.'),
    worthRetrying: false,
  }
}

/** Whether what came back was no answer of the service that was asked, as when something else listens at its address: what it
 *  says is for nobody. */
const isNonsense = (error: unknown, code: string | undefined): boolean =>
  error instanceof Error && ((error.name === 'PostgrestError' && !code) || UNREAD.has(error.name))
