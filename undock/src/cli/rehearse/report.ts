import { createHash } from 'node:crypto'
import { readMatrix } from '../../access/matrix.ts'
import { valueAt } from '../../config/values.ts'
import type { FunctionCheck } from '../../functions/runtime.ts'
import { type Contents, type Loss, lossesBetween, readContents } from '../../project-tools/contents.ts'
import { SCHEMAS_WITH_PROJECT_ROWS } from '../../project-tools/dump/pg-dump.ts'
import { DATABASE_PARTS, differencesOf, readLocal, valuesOf } from '../compare/compare.ts'
import { AUTH_FIELDS, DATA_API_FIELDS, hostedSettings, isSecret, STORAGE_FIELDS } from '../hosted/fields.ts'
import type { DeployedProject } from '../hosted/project.ts'
import { tableOf } from '../report.ts'
import { CELL_LEGEND, cellText } from '../requests/policies.ts'
import type { Step } from './deploy.ts'
import { type AppliedMigration, BLOCKED } from './observe.ts'

/** A project before or after the deployment: its contents, and named values of its parts. */
type Sight = Awaited<ReturnType<typeof lookAt>>

export async function lookAt({ deployed, stack }: DeployedProject) {
  const parts = new Map<string, ReadonlyMap<string, string>>()
  const { extensions, buckets, policies } = DATABASE_PARTS
  for (const [part, query = ''] of Object.entries({ extensions, buckets, policies }))
    parts.set(part, valuesOf(await readLocal(stack.dbUrl, query)))
  const settings = new Map<string, string>()
  for (const fields of [AUTH_FIELDS, DATA_API_FIELDS, STORAGE_FIELDS]) {
    const values = hostedSettings(fields, stack.config, deployed.unused)
    for (const field of fields) {
      const value = String(valueAt(values, field.name.split('.')) ?? '')
      settings.set(field.key ?? field.name, isSecret(field) && value ? digestOf(value) : value)
    }
  }
  for (const [name, value] of Object.entries(stack.config.db.settings)) settings.set(`db.settings.${name}`, `${value}`)
  const access = new Map<string, string>()
  for (const row of await readMatrix(stack.db, stack.config.api.schemas))
    for (const role of ['anon', 'authenticated'] as const)
      if (cellText(row, role) !== NONE) access.set(`${role} ${row.schema}.${row.name}`, cellText(row, role))
  const functions = Object.values(deployed.functions)
  parts.set('access', access).set('settings', settings)
  parts.set('secrets', new Map(Object.entries(deployed.secrets).map(([name, value]) => [name, digestOf(value)])))
  parts.set('functions', new Map(functions.map((one) => [one.slug, one.verify_jwt ? 'verifies tokens' : 'public'])))
  return { contents: await readContents(stack.dbUrl), parts }
}

/** How `undock policies` shows a role without access. */
const NONE = '····'

/** Whether a role can do more than before, or with more rows. */
const isWider = (before: string, after: string): boolean =>
  [...after].some((letter, at) => '·siudSIUD'.indexOf(letter) > '·siudSIUD'.indexOf(before[at] ?? ''))

/** Shows that a secret differs without showing its value. */
const digestOf = (secret: string): string => `secret ${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`

/** @property from Describes the data. */
type Deployment = { from: string; steps: Step[]; migrations: AppliedMigration[]; functions: readonly FunctionCheck[] }

/** @property problems Broken parts and lost data. @property changes Null if there is no value. */
type Report = ReturnType<typeof reportOf>

export function reportOf(deployment: Deployment, before: Sight, after: Sight) {
  const losses = lossesBetween(before.contents, after.contents)
  const changes = [...after.parts].flatMap(([part, there]) => {
    const differences = differencesOf(part, { here: before.parts.get(part) ?? new Map(), there })
    return differences.map(({ name, here, hosted }) => ({ part, name, before: here, after: hosted }))
  })
  const problems = [
    ...deployment.steps.flatMap(({ name, fault }) => (fault === null ? [] : [`${name}: ${fault}`])),
    ...losses.filter(({ count }) => count > 0).map(lossText),
    ...deployment.functions.flatMap(({ name, fault }) =>
      fault === null ? [] : [`The function ${name} can't boot: ${fault.split('\n', 1)[0]}`],
    ),
  ]
  return { ...deployment, problems, losses, changes }
}

const plural = (count: number, noun: string): string => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

const lossText = ({ kind, name, count }: Loss): string =>
  kind === 'table' || kind === 'column'
    ? `${name} is dropped, with ${plural(count, kind === 'table' ? 'row' : 'value')}`
    : `${name} loses ${plural(count, kind.slice(0, -1))}`

/** The report for people. @param before For the sizes of locked tables. */
export function reportText(report: Report, before: Contents): string {
  const tables = [...before.values()]
  const size = (table: string): string => {
    const found = tables.find(({ name }) => name === table)
    return found ? `${table} (${plural(found.rows, 'row')})` : table
  }
  const waits = ({ locks, rewritten, ms }: AppliedMigration): string => {
    const blocked = Map.groupBy(locks, ({ mode }) => `blocks ${BLOCKED[mode]}`)
    const effects = [...blocked].map(([verb, some]) => [verb, some.map(({ table }) => table)] as const)
    return [['rewrites', rewritten] as const, ...effects]
      .flatMap(([verb, names]) => (names.length > 0 ? [`${verb} ${names.map(size).join(', ')}`] : []))
      .concat(ms === null ? ['not in one transaction: its locks are unknown'] : [])
      .join('; ')
  }
  const sections: Readonly<Record<string, string[][]>> = {
    Deployment: report.steps.map(({ name, fault }) => [name, fault === null ? 'done' : 'failed']),
    Migrations: report.migrations.map((one) => [
      `${one.version}_${one.name ?? ''}`,
      one.ms === null ? '' : `${one.ms.toFixed(one.ms < 10 ? 1 : 0)} ms`,
      waits(one),
    ]),
    Lost: report.losses.map((loss) => [lossText(loss)]),
    [`Access (${CELL_LEGEND})`]: report.changes
      .filter(({ part }) => part === 'access')
      .map(({ name, before, after }) => [name, before ?? NONE, after ?? NONE] as const)
      .map(([name, was, is]) => [isWider(was, is) ? 'opens' : 'closes', name, was, '→', is]),
    Changed: report.changes
      .filter(({ part }) => part !== 'access')
      .map(({ part, name, before, after }) => [part, name, before ?? '-', '→', after ?? '-']),
  }
  const own = tables.filter(({ name }) => !SCHEMAS_WITH_PROJECT_ROWS.includes(name.split('.')[0] ?? ''))
  const count = own.reduce((sum, { rows }) => sum + rows, 0)
  return [
    `Rehearsed on ${report.from}: ${plural(own.length, 'table')}, ${plural(count, 'row')}`,
    ...Object.entries(sections).flatMap(([title, rows]) =>
      rows.length > 0 ? [`${title}\n${indented(tableOf(rows))}`] : [],
    ),
    report.problems.length === 0
      ? 'Nothing breaks, and no data is lost.'
      : `${plural(report.problems.length, 'problem')}:\n${indented(report.problems.join('\n'))}`,
  ].join('\n\n')
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ')
