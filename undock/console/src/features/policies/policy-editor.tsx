import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Input, Select, TextArea } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { literal } from '../../lib/sql.ts'
import type { Policy, RelationDetail } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import {
  type Draft,
  draftOf,
  draftSql,
  emptyDraft,
  isReady,
  POLICY_COMMANDS,
  type PolicyCommand,
  takes,
} from './policy-sql.ts'
import { type Command, requestRolesQuery } from './queries.ts'
import { Trial } from './trial.tsx'

type PolicyEditorProps = {
  relation: RelationDetail
  policy: Policy | null
  /** For a new policy: the bucket (for files), and the suggested command and role. */
  bucket?: string | undefined
  command?: Command | undefined
  role?: string | undefined
  onDone: () => void
}

/** Creates or changes a policy: shows its SQL live, tries it on real rows, and applies it as a migration. */
export function PolicyEditor({ relation, policy, bucket, command, role, onDone }: PolicyEditorProps) {
  const [draft, setDraft] = useState<Draft>(policy ? draftOf(policy) : emptyDraft(command, role))
  const [isApplying, setIsApplying] = useState(false)
  const sql = draftSql(relation, policy, draft)
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Panel title={policy ? `Change “${policy.name}”` : 'New policy'}>
        <div className="grid gap-3 p-3">
          {policy ? null : <TemplateField relation={relation} bucket={bucket} onChoose={setDraft} />}
          <PolicyFields draft={draft} onChange={setDraft} />
        </div>
      </Panel>
      <div className="grid min-w-0 content-start gap-6">
        <Panel title="SQL">
          <pre className="overflow-auto whitespace-pre-wrap p-3 font-mono text-xs">
            {sql ||
              (isReady(draft) ? '-- Nothing is changed yet.' : '-- A policy needs a name, a role and an expression.')}
          </pre>
        </Panel>
        {relation.rowSecurity ? null : (
          <p className="text-[13px] text-warn">
            Row security is off for this table: policies have no effect until it is enabled.
          </p>
        )}
        <Trial relation={relation} sql={sql} command={tried(draft.command)} role={draft.roles[0]} />
        <div className="flex justify-end gap-2">
          <Button onClick={onDone}>Cancel</Button>
          <Button look="primary" disabled={sql === ''} onClick={() => setIsApplying(true)}>
            Review and apply …
          </Button>
        </div>
      </div>
      {isApplying ? (
        <ApplyDialog
          title={policy ? 'Change the policy' : 'Create the policy'}
          sql={sql}
          name={`${policy ? 'change' : 'create'}_policy_${relation.name}_${draft.name}`}
          onApplied={onDone}
          onClose={() => setIsApplying(false)}
        />
      ) : null}
    </div>
  )
}

const tried = (command: PolicyCommand): Command => (command === 'ALL' ? 'select' : (command.toLowerCase() as Command))

type TemplateFieldProps = {
  relation: RelationDetail
  bucket: string | undefined
  onChoose: (draft: Draft) => void
}

/** Offers common policies to start from. */
function TemplateField({ relation, bucket, onChoose }: TemplateFieldProps) {
  const templates = templatesFor(relation, bucket)
  return (
    <Select
      label="Begin with"
      hint={
        relation.schema === 'storage' || ownerColumn(relation) !== null
          ? null
          : 'With a column such as user_id, of the type uuid, there are also policies by which users have rows of their own.'
      }
      defaultValue=""
      onValue={(value) => {
        const template = templates[Number(value)]
        if (value !== '' && template) onChoose(template.draft)
      }}
    >
      <option value="">An empty policy</option>
      {templates.map(({ title }, index) => (
        <option key={title} value={index}>
          {title}
        </option>
      ))}
    </Select>
  )
}

type PolicyFieldsProps = { draft: Draft; onChange: (draft: Draft) => void }

/** A policy's name, scope and expressions. */
function PolicyFields({ draft, onChange }: PolicyFieldsProps) {
  const { using, check } = takes(draft.command)
  const set = (changes: Partial<Draft>) => onChange({ ...draft, ...changes })
  return (
    <>
      <Input label="Name" value={draft.name} onValue={(name) => set({ name })} />
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <Select
          label="Command"
          value={draft.command}
          onValue={(value) => set({ command: value as PolicyCommand })}
          options={POLICY_COMMANDS}
        />
        <Select
          label="Kind"
          hint={
            draft.isPermissive
              ? 'One true permissive policy is enough.'
              : 'It narrows what permissive policies allow: all restrictive ones must be true.'
          }
          value={draft.isPermissive ? 'permissive' : 'restrictive'}
          onValue={(value) => set({ isPermissive: value === 'permissive' })}
          options={['permissive', 'restrictive']}
        />
      </div>
      <Roles roles={draft.roles} onChange={(roles) => set({ roles })} />
      {using ? (
        <TextArea
          label="Using"
          hint="Which existing rows: an expression over the row's columns, such as user_id = (select auth.uid())."
          {...EXPRESSION}
          value={draft.using}
          onValue={(using) => set({ using })}
        />
      ) : null}
      {check ? (
        <TextArea
          label="With check"
          hint={using ? 'Which rows may be the result; empty for the same as “using”.' : 'Which rows may be inserted.'}
          {...EXPRESSION}
          value={draft.check}
          onValue={(check) => set({ check })}
        />
      ) : null}
    </>
  )
}

const EXPRESSION = { rows: 2, className: 'field-sizing-content max-h-60 font-mono text-xs' }

function Roles({ roles, onChange }: { roles: readonly string[]; onChange: (roles: readonly string[]) => void }) {
  const rolesQuery = useQuery(requestRolesQuery)
  const names = [...new Set(['public', ...(rolesQuery.data ?? ['anon', 'authenticated']), ...roles])]
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium text-[13px] text-ink-soft">Roles</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {names.map((name) => (
          <Checkbox
            key={name}
            label={name === 'public' ? 'public (everyone)' : name}
            checked={roles.includes(name)}
            onChecked={(isChecked) => onChange(isChecked ? [...roles, name] : roles.filter((one) => one !== name))}
          />
        ))}
      </div>
    </fieldset>
  )
}

type Template = { readonly title: string; readonly draft: Draft }

const OWNER_NAMES = ['user_id', 'owner_id', 'owner', 'author_id', 'created_by', 'profile_id', 'account_id']

/** Returns the column that probably contains a row's owner, or null. */
function ownerColumn({ columns }: Pick<RelationDetail, 'columns'>): string | null {
  const uuids = columns.filter(({ baseType }) => baseType === 'uuid').map(({ name }) => name)
  return OWNER_NAMES.find((name) => uuids.includes(name)) ?? null
}

/** Policies to start from. The sub-select makes Postgres look up the user once per statement, not once per row.
 *  @param bucket The bucket that a policy on files is for. */
function templatesFor(relation: RelationDetail, bucket = 'my-bucket'): readonly Template[] {
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
    title: 'Everyone reads all rows',
    draft: draft({ name: 'everyone reads', roles: ['anon', 'authenticated'], using: 'true' }),
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
      title: 'Users insert their own rows',
      draft: draft({ name: 'users insert their own', command: 'INSERT', check: isOwn }),
    },
  ]
}

/** For files: each user's folder is named after their id. */
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
      title: 'Everyone reads all files of the bucket',
      draft: draft({ name: `everyone reads ${bucket}`, roles: ['anon', 'authenticated'], using: inBucket }),
    },
  ]
}
