import { literal } from '../../lib/sql.ts'
import type { RelationDetail } from '../catalog.ts'
import type { Draft } from './policy-sql.ts'

export type Template = { readonly title: string; readonly draft: Draft }

const OWNER_NAMES = ['user_id', 'owner_id', 'owner', 'author_id', 'created_by', 'profile_id', 'account_id']

/** The column that probably contains a row's owner; null without one. */
export function ownerColumn({ columns }: Pick<RelationDetail, 'columns'>): string | null {
  const uuids = columns.filter(({ baseType }) => baseType === 'uuid').map(({ name }) => name)
  return OWNER_NAMES.find((name) => uuids.includes(name)) ?? null
}

/** Policies to begin with. The sub-select makes Postgres look up the user once per statement, not once per row.
 *  @param bucket The bucket that a policy on files is for. */
export function templatesFor(relation: RelationDetail, bucket = 'my-bucket'): readonly Template[] {
  if (relation.schema === 'storage' && relation.name === 'objects') return fileTemplates(bucket)
  const owner = ownerColumn(relation)
  return [...ROW_TEMPLATES, ...(owner === null ? [] : ownTemplates(owner)), SECOND_FACTOR]
}

const draft = (changes: Partial<Draft> & Pick<Draft, 'name'>): Draft => ({
  command: 'SELECT',
  roles: ['authenticated'],
  isPermissive: true,
  using: '',
  check: '',
  ...changes,
})

const ROW_TEMPLATES: readonly Template[] = [
  {
    title: 'Everybody reads all rows',
    draft: draft({ name: 'everybody reads', roles: ['anon', 'authenticated'], using: 'true' }),
  },
  { title: 'Signed-in users read all rows', draft: draft({ name: 'signed-in users read', using: 'true' }) },
]

const SECOND_FACTOR: Template = {
  title: 'Only with a second factor (restrictive)',
  draft: draft({
    name: 'second factor',
    command: 'ALL',
    isPermissive: false,
    using: "(select auth.jwt() ->> 'aal') = 'aal2'",
  }),
}

function ownTemplates(owner: string): readonly Template[] {
  const isOwn = `${owner} = (select auth.uid())`
  return [
    { title: 'Users read their own rows', draft: draft({ name: 'users read their own', using: isOwn }) },
    {
      title: 'Users do everything with their own rows',
      draft: draft({ name: 'users manage their own', command: 'ALL', using: isOwn, check: isOwn }),
    },
    {
      title: 'Users insert rows of their own',
      draft: draft({ name: 'users insert their own', command: 'INSERT', check: isOwn }),
    },
  ]
}

/** For files, whose folder of a user has the user's id as its name. */
function fileTemplates(bucket: string): readonly Template[] {
  const inBucket = `bucket_id = ${literal(bucket).trim()}`
  const isOwn = `${inBucket} and (storage.foldername(name))[1] = (select auth.uid())::text`
  return [
    {
      title: 'Users do everything with files in the folder of their id',
      draft: draft({ name: `own folder of ${bucket}`, command: 'ALL', using: isOwn, check: isOwn }),
    },
    {
      title: 'Signed-in users read all files of the bucket',
      draft: draft({ name: `signed-in users read ${bucket}`, using: inBucket }),
    },
    {
      title: 'Signed-in users upload to the bucket',
      draft: draft({ name: `signed-in users upload to ${bucket}`, command: 'INSERT', check: inBucket }),
    },
    {
      title: 'Everybody reads all files of the bucket',
      draft: draft({ name: `everybody reads ${bucket}`, roles: ['anon', 'authenticated'], using: inBucket }),
    },
  ]
}
