import { isAuthError } from '@supabase/supabase-js'
import { onlineManager } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { EdgeFunctionError } from '../lib/backend/edge-function-error.ts'
import { msg, t } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'
import { isMissingPart } from '../lib/offline/app-files.ts'
import { isUnreachable } from '../lib/offline/network.ts'
import { describeProblem, refusedBy } from './problem.ts'

export type Failure = {
  title: string
  advice: string
  worthRetrying: boolean
}

const Reported = z.object({
  message: z.catch(z.string(), ''),
  code: lenient(z.string()),
  status: lenient(z.number()),
  statusCode: lenient(z.coerce.number()),
})

const NOTHING_KNOWN: z.infer<typeof Reported> = { message: '' }

/** Errors that the clients throw when they can't parse a response. */
const UNREAD = new Set(['StorageUnknownError', 'AuthUnknownError'])

/** Status of an edge function that is missing (404) or can't start (500, 503). */
const IS_DOWN = new Set([404, 500, 503])

/** Milliseconds between attempts at what failed on screen. */
export const RETRY_INTERVAL = 5_000

/** Milliseconds until a query is fetched again: a screen recovers with the server.
 *  @param otherwise The milliseconds while the server works; false for never. */
export const refetchAfter = (error: unknown, otherwise: number | false = false): number | false =>
  onlineManager.isOnline() && isOutage(error) ? RETRY_INTERVAL : otherwise

const UNKNOWN = msg('Something went wrong')
const OFFLINE: Failure = {
  title: msg('You’re offline'),
  advice: msg('What you’ve already opened stays readable. Loading continues when the network is back.'),
  worthRetrying: true,
}
const NOT_STORED: Failure = {
  ...OFFLINE,
  advice: msg('This page isn’t stored on this device yet. It opens when you’re back online.'),
}
const BACKEND_GONE: Failure = {
  title: msg('Can’t reach the server'),
  advice: msg('Nothing is lost. Try again in a moment.'),
  worthRetrying: true,
}
const BACKEND_ILL: Failure = { ...BACKEND_GONE, title: msg('The server has a problem') }
const FUNCTION_DOWN: Failure = {
  title: msg('Part of the server isn’t running'),
  advice: msg(
    'The rest of the library works, and nothing is lost. Administrators can find the cause in the edge function log.',
  ),
  worthRetrying: true,
}
const SIGNED_OUT: Failure = {
  title: msg('Your session has ended'),
  advice: msg('Sign in again to continue where you were.'),
  worthRetrying: true,
}
const DENIED: Failure = {
  title: msg('You don’t have access'),
  advice: msg('Your role in this library doesn’t allow this. An owner of the library can change your role.'),
  worthRetrying: false,
}
const MISSING: Failure = {
  title: msg('There’s nothing here'),
  advice: msg('It may have been deleted or moved, or it belongs to a library you’re not a member of.'),
  worthRetrying: false,
}
const TOO_MANY: Failure = {
  title: msg('Too many attempts'),
  advice: msg('Wait a minute, then try again.'),
  worthRetrying: false,
}

/** Describes anything thrown by a request, loader or render: what went wrong, and what to do. */
export function describeFailure(error: unknown, online: boolean = onlineManager.isOnline()): Failure {
  const refusal = refusalOf(error)
  if (refusal) return { ...describeProblem(refusal), worthRetrying: false }
  const failure = recognise(error, online)
  if (failure) return { ...failure, title: t(failure.title), advice: t(failure.advice) }
  const advice = reportedBy(error).message || t('The cause is unknown. Try again, or reload the page.')
  return { title: t(UNKNOWN), advice, worthRetrying: false }
}

/** Like describeFailure, as a single text. */
export function failureText(error: unknown): string {
  const failure = describeFailure(error)
  if (isUnknown(failure)) return failure.advice
  const { title, advice } = failure
  return [/[.!?؟]$/.test(title) ? title : `${title}.`, advice].filter(Boolean).join(' ')
}

/** Whether the backend says that this doesn't exist for this person. Cached data must then disappear. */
export function isRefused(error: unknown): boolean {
  const failure = refusalOf(error) ? undefined : recognise(error, true)
  return failure === MISSING || failure === DENIED
}

/** Whether the whole server fails, or rejects the person's token: this passes without anyone's help. */
export function isOutage(error: unknown): boolean {
  const failure = recognise(error, true)
  return failure === BACKEND_GONE || failure === BACKEND_ILL || failure === SIGNED_OUT
}

/** Whether the backend rejects the person's token. A new one may help. */
export const isSignedOut = (error: unknown): boolean => recognise(error, true) === SIGNED_OUT

/** Timeouts aren't retried: the person would wait as long again. */
export const isTimeout = (error: unknown): boolean => /timed out/i.test(String((error as Error | null)?.message))

/** Whether the backend didn't respond. */
export const isUnanswered = (error: unknown): boolean => isUnreachable(reportedBy(error).message)

export const isUnknown = (failure: Failure): boolean => failure.title === t(UNKNOWN)

function refusalOf(error: unknown): unknown {
  if (error instanceof EdgeFunctionError) return error.didRun && error.status < 500 ? error.body : undefined
  const refusal = refusedBy(error)
  // Missing rights have one explanation, unless there is a hint.
  return reportedBy(error).code === '42501' && !refusal?.hint ? undefined : refusal
}

function reportedBy(error: unknown): z.infer<typeof Reported> {
  const reported = Reported.safeParse(error)
  return reported.success ? reported.data : NOTHING_KNOWN
}

function recognise(error: unknown, online: boolean): Failure | undefined {
  if (isMissingPart(error)) return NOT_STORED
  const { code, status, statusCode } = reportedBy(error)
  const http = status ?? statusCode
  const unreachable = isUnanswered(error) || (isAuthError(error) && error.name === 'AuthRetryableFetchError')
  if (unreachable && !(http && http >= 500)) return online ? BACKEND_GONE : OFFLINE
  if (error instanceof EdgeFunctionError && !error.didRun && IS_DOWN.has(error.status)) return FUNCTION_DOWN
  if (isForeignAnswer(error, code) || PASSING.test(code ?? '')) return BACKEND_ILL
  if (code === 'PGRST116' || http === 404 || http === 406) return MISSING
  if (code === '42501' || http === 403) return DENIED
  if (code === 'PGRST301' || code === 'PGRST303' || http === 401) return SIGNED_OUT
  if (http === 429) return TOO_MANY
  if (http && http >= 500) return BACKEND_ILL
}

/** Postgres' and PostgREST's codes of errors that may not happen again: deadlocks, locks, too few connections, a restart. */
const PASSING = /^(?:40|53|57P|58|XX)\w{2,3}$|^55P03$|^PGRST00\d$/

/** Whether the response comes from another server, for example at a wrong address. Its text must not be shown. */
const isForeignAnswer = (error: unknown, code: string | undefined): boolean =>
  error instanceof Error && ((error.name === 'PostgrestError' && !code) || UNREAD.has(error.name))
