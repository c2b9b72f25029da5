import type { Principal } from '../kernel/service.ts'
import { keyword, sql } from '../kernel/sql.ts'
import { type AccessQuestion, AccessQuestionError } from './explanation.ts'

export const ACTIONS = [
  'select',
  'insert',
  'update',
  'delete',
  'download',
  'upload',
  'remove',
  'listen',
  'send',
] as const
type Action = (typeof ACTIONS)[number]

/** @property target A table or view (`schema.name`), a stored file (`bucket/path`) or a Realtime topic. */
export type Ask = {
  readonly action: Action
  readonly target: string
  readonly where?: string | undefined
  readonly row?: object | undefined
  readonly returning?: boolean | undefined
}

type Part = Omit<AccessQuestion, 'caller'>

/** Converts a question to the statement that the named service would send. @throws {AccessQuestionError} */
export function questionFor(caller: Principal, ask: Ask): AccessQuestion {
  return { caller, ...partFor(caller, ask) }
}

function partFor(caller: Principal, { action, target, where, row, returning = false }: Ask): Part {
  switch (action) {
    case 'select':
    case 'insert':
    case 'update':
    case 'delete': {
      const dot = target.indexOf('.')
      const [schema, table] = dot === -1 ? ['public', target] : [target.slice(0, dot), target.slice(dot + 1)]
      return {
        command: action,
        schema,
        table,
        where: where === undefined ? null : keyword(where),
        values: row ?? null,
        returning,
      }
    }
    case 'listen':
    case 'send':
      return {
        command: action === 'listen' ? 'select' : 'insert',
        schema: 'realtime',
        table: 'messages',
        values: { topic: target, extension: 'broadcast', ...row },
        settings: { 'realtime.topic': target },
      }
    case 'download':
    case 'upload':
    case 'remove':
      return filePart(caller, action, target, row)
  }
}

const OPERATIONS = {
  download: 'storage.object.get_authenticated',
  upload: 'storage.object.upload',
  remove: 'storage.object.delete_many',
} as const

function filePart({ claims }: Principal, action: keyof typeof OPERATIONS, target: string, row?: object): Part {
  const slash = target.indexOf('/')
  if (slash < 1) throw new AccessQuestionError(`"${target}" names no file: write BUCKET/PATH.`)
  const [bucket, name] = [target.slice(0, slash), target.slice(slash + 1)]
  const objects = {
    schema: 'storage',
    table: 'objects',
    settings: { 'storage.operation': OPERATIONS[action], 'storage.allow_delete_query': 'true' },
  }
  const where = sql`bucket_id = ${bucket} and name = ${name}`
  if (action === 'download') return { ...objects, command: 'select', where }
  // Storage deletes with RETURNING, so SELECT policies apply too.
  if (action === 'remove') return { ...objects, command: 'delete', where, returning: true }
  const owner = claims.sub === undefined ? {} : { owner: claims.sub, owner_id: claims.sub }
  return { ...objects, command: 'insert', values: { bucket_id: bucket, name, ...owner, ...row } }
}
