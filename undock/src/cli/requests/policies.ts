import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { MatrixRow } from '../../access/index.ts'
import { COMMANDS, ROLES, type Role } from '../../access/matrix.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { tableOf } from '../report.ts'
import { ask, findRunning } from '../running.ts'

type PoliciesOptions = BackendOptions & { readonly output: 'pretty' | 'json' }

/** `undock policies`: prints what each role can do with each exposed table and view. */
export async function policies({ output, ...options }: PoliciesOptions): Promise<number> {
  const answer = await ask(await findRunning(findBackend(options)), '/policies')
  if (!answer) return 1
  const rows = (await answer.json()) as MatrixRow[]
  console.log(output === 'json' ? JSON.stringify(rows, null, 2) : matrixText(rows))
  return 0
}

type PolicyTestsOptions = BackendOptions & { readonly file: string; readonly force: boolean }

/** `undock policies test`: writes a pgTAP file for `undock db test` that checks what others can't do. @throws {UsageError} if the file
 *  exists. */
export async function writePolicyTests({ file, force, ...options }: PolicyTestsOptions): Promise<number> {
  const backend = findBackend(options)
  const path = join(backend.workdir, 'supabase', file)
  if (existsSync(path) && !force)
    throw new UsageError(
      `${relative(process.cwd(), path)} already exists. Overwrite it with --force, or choose another file with --file.`,
    )
  const answer = await ask(await findRunning(backend), '/policies/test')
  if (!answer) return 1
  const text = await answer.text()
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  const questions = text.split('\n').filter((line) => line.startsWith('-- ') && line.endsWith('Is that intended?'))
  console.log(`Wrote ${relative(process.cwd(), path)}. Run it with \`undock db test\`.`)
  if (questions.length > 0)
    console.log(`\nStrangers can do this:\n${questions.map((line) => `  ${line.slice(3)}`).join('\n')}`)
  return 0
}

const LETTERS = { select: 's', insert: 'i', update: 'u', delete: 'd' } as const

function matrixText(rows: readonly MatrixRow[]): string {
  if (rows.length === 0) return 'The exposed schemas have no tables or views.'
  const cells = rows.map((row) => [
    `${row.schema}.${row.name}${row.isView ? ' (view)' : ''}`,
    ...ROLES.map((role) => cellText(row, role)),
  ])
  return `${tableOf([['Table', ...ROLES], ...cells])}\n\n${CELL_LEGEND}.`
}

export const CELL_LEGEND =
  'S select, I insert, U update, D delete: upper case for all rows, lower case for those that a policy allows, · for none'

/** Formats what a role can do, such as `Si··`. */
export function cellText({ access }: MatrixRow, role: Role): string {
  return COMMANDS.map((command) => {
    const { kind } = access[role][command]
    if (kind === 'refused' || kind === 'nothing') return '·'
    return kind === 'policy' ? LETTERS[command] : LETTERS[command].toUpperCase()
  }).join('')
}
