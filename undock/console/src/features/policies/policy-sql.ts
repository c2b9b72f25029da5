import { ident, qualified } from '../../lib/sql.ts'
import type { Policy } from '../catalog.ts'
import type { Command } from './queries.ts'

type Described = { readonly command: string; readonly roles: readonly string[]; readonly isPermissive: boolean }

/** A policy's scope, such as `select for authenticated, restrictive`. */
export const policyText = ({ command, roles, isPermissive }: Described): string =>
  `${command.toLowerCase()} for ${roles.join(', ')}${isPermissive ? '' : ', restrictive'}`

export const POLICY_COMMANDS = ['ALL', 'SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const
export type PolicyCommand = (typeof POLICY_COMMANDS)[number]

/** A policy in a form; an empty expression means none. */
export type Draft = {
  readonly name: string
  readonly command: PolicyCommand
  readonly roles: readonly string[]
  readonly isPermissive: boolean
  readonly using: string
  readonly check: string
}

type Table = { readonly schema: string; readonly name: string }

/** The expressions of each command: INSERT has no old row, SELECT and DELETE no new one. */
export const takes = (command: PolicyCommand): { using: boolean; check: boolean } => ({
  using: command !== 'INSERT',
  check: command === 'ALL' || command === 'INSERT' || command === 'UPDATE',
})

export const draftOf = ({ name, command, roles, isPermissive, using, check }: Policy): Draft => ({
  name,
  command: command as PolicyCommand,
  roles,
  isPermissive,
  using: using ?? '',
  check: check ?? '',
})

export const emptyDraft = (command: Command = 'select', role = 'authenticated'): Draft => ({
  name: '',
  command: command.toUpperCase() as PolicyCommand,
  roles: [role],
  isPermissive: true,
  using: '',
  check: '',
})

/** Whether a draft is complete: a name, a role, and an expression for its command. */
export function isReady({ name, command, roles, using, check }: Draft): boolean {
  const taken = takes(command)
  const hasExpression = (taken.using && using.trim() !== '') || (taken.check && check.trim() !== '')
  return name.trim() !== '' && roles.length > 0 && hasExpression
}

/** Returns the statements that create or change a policy; empty if it's incomplete or unchanged. */
export function draftSql(table: Table, policy: Policy | null, draft: Draft): string {
  if (!isReady(draft)) return ''
  return policy ? changePolicySql(table, policy, draft) : createPolicySql(table, draft)
}

/** `public` isn't a role's name but a keyword. */
const rolesSql = (roles: readonly string[]): string =>
  roles.length === 0 || roles.includes('public') ? 'public' : roles.map(ident).join(', ')

export function createPolicySql(table: Table, draft: Draft): string {
  const { using, check } = expressionsOf(draft)
  return `${[
    `create policy ${ident(draft.name)} on ${qualified(table.schema, table.name)}`,
    ...(draft.isPermissive ? [] : ['  as restrictive']),
    `  for ${draft.command.toLowerCase()} to ${rolesSql(draft.roles)}`,
    ...(using ? [`  using (${using})`] : []),
    ...(check ? [`  with check (${check})`] : []),
  ].join('\n')};`
}

export const dropPolicySql = ({ schema, name }: Table, policy: string): string =>
  `drop policy ${ident(policy)} on ${qualified(schema, name)};`

/** Changes a policy in place. Drops and recreates it if the command, the kind or the presence of an expression changes, which Postgres
 *  can't alter. @returns an empty text if nothing changes. */
export function changePolicySql(table: Table, policy: Policy, draft: Draft): string {
  const before = draftOf(policy)
  const [old, next] = [expressionsOf(before), expressionsOf(draft)]
  const isReplaced =
    draft.command !== before.command ||
    draft.isPermissive !== before.isPermissive ||
    (old.using !== '' && next.using === '') ||
    (old.check !== '' && next.check === '')
  if (isReplaced) return `${dropPolicySql(table, before.name)}\n${createPolicySql(table, draft)}`
  const target = (name: string) => `alter policy ${ident(name)} on ${qualified(table.schema, table.name)}`
  const parts = [
    ...(rolesSql(draft.roles) === rolesSql(before.roles) ? [] : [`  to ${rolesSql(draft.roles)}`]),
    ...(next.using === old.using ? [] : [`  using (${next.using})`]),
    ...(next.check === old.check ? [] : [`  with check (${next.check})`]),
  ]
  return [
    ...(draft.name === before.name ? [] : [`${target(before.name)} rename to ${ident(draft.name)};`]),
    ...(parts.length === 0 ? [] : [`${[target(draft.name), ...parts].join('\n')};`]),
  ].join('\n')
}

/** Postgres prints expressions in parentheses. */
const expressionsOf = ({ command, using, check }: Draft): { using: string; check: string } => ({
  using: takes(command).using ? bare(using) : '',
  check: takes(command).check ? bare(check) : '',
})

/** Removes the outer parentheses of an expression. */
export function bare(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('(') || !trimmed.endsWith(')')) return trimmed
  let depth = 0
  let quote = ''
  for (const [at, char] of [...trimmed].entries()) {
    if (quote) {
      if (char === quote) quote = ''
    } else if (char === "'" || char === '"') quote = char
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0 && at < trimmed.length - 1) return trimmed
  }
  return trimmed.slice(1, -1).trim()
}
