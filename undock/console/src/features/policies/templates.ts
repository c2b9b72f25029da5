import type { Column } from '../catalog.ts'
import type { Draft } from './policy-sql.ts'

export type Template = { readonly title: string; readonly draft: Draft }

const OWNER_NAMES = ['user_id', 'owner_id', 'owner', 'author_id', 'created_by', 'profile_id', 'account_id']

/** Policies to begin with. The sub-select lets Postgres ask for the user once a statement, not once a row. */
export function templatesFor(columns: readonly Column[]): readonly Template[] {
  const uuids = columns.filter(({ baseType }) => baseType === 'uuid').map(({ name }) => name)
  const owner = OWNER_NAMES.find((name) => uuids.includes(name)) ?? 'user_id'
  const isOwn = `${owner} = (select auth.uid())`
  const draft = (changes: Partial<Draft> & Pick<Draft, 'name'>): Draft => ({
    command: 'SELECT',
    roles: ['authenticated'],
    isPermissive: true,
    using: '',
    check: '',
    ...changes,
  })
  return [
    {
      title: 'Everybody reads all rows',
      draft: draft({ name: 'everybody reads', roles: ['anon', 'authenticated'], using: 'true' }),
    },
    { title: 'Signed-in users read all rows', draft: draft({ name: 'signed-in users read', using: 'true' }) },
    { title: 'Users read their own rows', draft: draft({ name: 'users read their own', using: isOwn }) },
    {
      title: 'Users do everything with their own rows',
      draft: draft({ name: 'users manage their own', command: 'ALL', using: isOwn, check: isOwn }),
    },
    {
      title: 'Users insert rows of their own',
      draft: draft({ name: 'users insert their own', command: 'INSERT', check: isOwn }),
    },
    {
      title: 'Only with a second factor (restrictive)',
      draft: draft({
        name: 'second factor',
        command: 'ALL',
        isPermissive: false,
        using: "(select auth.jwt() ->> 'aal') = 'aal2'",
      }),
    },
  ]
}
