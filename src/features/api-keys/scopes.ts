import { t } from '../../lib/i18n/i18n.ts'

export const SCOPES = [
  'documents:read',
  'documents:write',
  'search',
  'comments:read',
  'comments:write',
  'members:read',
] as const
export type Scope = (typeof SCOPES)[number]

export function scopeLabel(scope: Scope): string {
  switch (scope) {
    case 'documents:read':
      return t('Read documents, collections and tags')
    case 'documents:write':
      return t('Add and change documents, collections and tags')
    case 'search':
      return t('Search')
    case 'comments:read':
      return t('Read comments')
    case 'comments:write':
      return t('Comment')
    case 'members:read':
      return t('Read names and roles of members')
  }
}

/** What a scope contains besides itself, as the database adds it. */
const INCLUDED: Partial<Record<Scope, readonly Scope[]>> = {
  'documents:write': ['documents:read'],
  'comments:read': ['documents:read'],
  'comments:write': ['comments:read', 'documents:read'],
}

/** Those that the chosen ones contain without having been chosen. */
export const includedScopes = (chosen: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set([...chosen].flatMap((scope) => INCLUDED[scope] ?? []))
