import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { keyword } from '../kernel/sql.ts'
import { createTrial, type Trial } from './caller-session.ts'
import { COMMANDS, type MatrixRow } from './matrix.ts'
import type { Command } from './relation.ts'

const STRANGERS: readonly { readonly who: string; readonly principal: Principal }[] = [
  { who: 'without a token', principal: { role: 'anon', claims: { role: 'anon' } } },
  {
    who: 'signed in, owning nothing',
    principal: {
      role: 'authenticated',
      claims: { role: 'authenticated', sub: '00000000-0000-4000-8000-000000000000' },
    },
  },
]

/** Writes a pgTAP file that fails if strangers can read, add, change or delete more than now. Tries each command on
 *  each table and rolls it back: what's refused or finds no row becomes a test, anything else a comment that asks
 *  whether it's intended. An empty table hides a leak, so a good seed matters. */
export function writeLeakTests(db: Db, rows: readonly MatrixRow[]): Promise<string> {
  return asProjectUser(db).transaction({ settings: LIMITS, end: 'rollback' }, async (tx) => {
    const parts: string[] = []
    let count = 0
    for (const { who, principal } of STRANGERS) {
      const trial = createTrial(tx, principal, { settings: {}, readsOnly: false })
      const lines: string[] = []
      for (const row of rows) for (const command of COMMANDS) lines.push(...(await linesFor(trial, row, command, who)))
      count += lines.filter((line) => line.startsWith('select')).length
      parts.push(
        `select set_config('request.jwt.claims', ${quote(JSON.stringify(principal.claims))}, true);\nset local role ${principal.role};`,
        ...lines,
        'reset role;\n',
      )
    }
    return `-- What strangers cannot do, as found by \`undock policies test\`. Edit this file as your policies change.
begin;
select plan(${count});

${parts.join('\n')}
select * from finish();
rollback;
`
  })
}

const LIMITS = { statement_timeout: '5000', lock_timeout: '1000' }

async function linesFor(trial: Trial, row: MatrixRow, command: Command, who: string): Promise<string[]> {
  if (row.isView && command !== 'select') return []
  const name = `${row.schema}.${row.name}`
  const text = statementFor(row, command)
  const outcome = await trial.asCaller(keyword(text), 'writes')
  if (!outcome.ok && outcome.fault.code === '42501')
    return [`select throws_ok(${quote(text)}, '42501', null, ${quote(`${who}: ${command} on ${name} is refused`)});`]
  if (!outcome.ok)
    return [
      `-- ${who}: ${command} on ${name} was not refused, but failed: ${outcome.fault.message}`.replaceAll('\n', ' '),
    ]
  if (outcome.result.rowCount === 0 && command !== 'insert')
    return [`select is_empty(${quote(text)}, ${quote(`${who}: ${command} on ${name} finds no row`)});`]
  return [`-- ${who}: ${command} on ${name} ${command === 'insert' ? 'adds a row' : 'finds rows'}. Is that intended?`]
}

function statementFor({ schema, name, firstColumn }: MatrixRow, command: Command): string {
  const target = `${identifier(schema)}.${identifier(name)}`
  switch (command) {
    case 'select':
      return `select 1 from ${target} limit 1`
    case 'insert':
      return `insert into ${target} default values`
    case 'update':
      return `update ${target} set ${identifier(firstColumn)} = ${identifier(firstColumn)} returning 1`
    case 'delete':
      return `delete from ${target} returning 1`
  }
}

const identifier = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
