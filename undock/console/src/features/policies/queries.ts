import { queryOptions } from '@tanstack/react-query'
import type { Answer } from '../../../../src/access/index.ts'
import type { Access, MatrixRow } from '../../../../src/access/matrix.ts'
import { readJson, service } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'

export type { Access, Answer, MatrixRow }

export const COMMANDS = ['select', 'insert', 'update', 'delete'] as const
export type Command = (typeof COMMANDS)[number]
export const ROLES = ['anon', 'authenticated', 'service_role'] as const
export type Role = (typeof ROLES)[number]

/** Schemas whose tables have policies, although the Data API doesn't expose them. */
const SERVICE_SCHEMAS = ['storage', 'realtime']

/** What each role may do with each table.
 *  @param exposed The schemas of the Data API. */
export const matrixQuery = (exposed: readonly string[]) => {
  const schemas = [...new Set([...exposed, ...SERVICE_SCHEMAS])]
  return queryOptions({
    queryKey: [...catalogKey, 'matrix', schemas],
    queryFn: ({ signal }) =>
      service<MatrixRow[]>(`/undock/v1/policies?${new URLSearchParams(schemas.map((one) => ['schema', one]))}`, {
        signal,
      }),
  })
}

/** The filters of the matrix. */
export const SHOWN = {
  open: { name: 'Open to strangers', title: 'anon may read or change rows, or calls a policy for it' },
  off: { name: 'Row security off', title: 'Grants alone decide' },
  closed: { name: 'Closed by row security', title: 'Row security is on, and no policy is for anon or authenticated' },
} as const
export type Shown = keyof typeof SHOWN

export function isShown({ access, isView, isRowSecurityEnabled }: MatrixRow, shown: Shown | undefined): boolean {
  const kinds = (role: Role) => COMMANDS.map((command) => access[role][command].kind)
  const isOpen = (kind: Access['kind']) => kind !== 'refused' && kind !== 'nothing'
  switch (shown) {
    case undefined:
      return true
    case 'open':
      return kinds('anon').some(isOpen)
    case 'off':
      return !isView && !isRowSecurityEnabled
    case 'closed':
      return isRowSecurityEnabled && ![...kinds('anon'), ...kinds('authenticated')].some(isOpen)
  }
}

/** A cell of the matrix as a word, and as a sentence. */
export function accessText({ kind, policies, columns }: Access): { word: string; sentence: string } {
  const only = columns ? ` Only the columns ${columns.join(', ')}.` : ''
  switch (kind) {
    case 'refused':
      return { word: '–', sentence: 'Refused: the role has no privilege.' }
    case 'nothing':
      return { word: 'none', sentence: `No row: row security is on and no policy is for this role.${only}` }
    case 'all':
      return { word: 'all', sentence: `All rows: row security is off, or does not apply to this role.${only}` }
    case 'view':
      return { word: 'view', sentence: `The rows that the view's owner may read.${only}` }
    case 'policy':
      return {
        word: 'policy',
        sentence: `${policies.length > 0 ? `The rows that these allow: ${policies.join(', ')}.` : 'The rows that the caller may read in the tables of the view.'}${only}`,
      }
  }
}

/** A question about a past request or any caller. `row` is the text of a JSON object. */
export type Question = {
  readonly request?: string | undefined
  readonly as?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly where?: string | undefined
  readonly row?: string | undefined
  readonly returning?: true | undefined
}

export const isComplete = ({ request, as, action, target }: Question): boolean =>
  request !== undefined || (as !== undefined && action !== undefined && target !== undefined)

/** Asks why a caller can or can't do something. Not cached, because the answer is about now. */
export const explainQuery = (question: Question) =>
  queryOptions({
    queryKey: ['explain', question],
    staleTime: 0,
    queryFn: ({ signal }) => {
      const { request, row: text, ...ask } = question
      const row = text ? (JSON.parse(text) as unknown) : undefined
      return service<Answer>('/undock/v1/explain', {
        method: 'POST',
        signal,
        body: request === undefined ? { ...ask, row } : { request, row },
      })
    },
  })

/** The roles that a request can have. */
export const requestRolesQuery = queryOptions({
  queryKey: [...catalogKey, 'request roles'],
  queryFn: ({ signal }) =>
    readJson<string>(
      `select to_json(rolname) from pg_roles
       where pg_has_role('authenticator', oid, 'member') and rolname <> 'authenticator' and not rolsuper
       order by rolname not in ('anon', 'authenticated'), rolname`,
      [],
      { signal },
    ),
})
