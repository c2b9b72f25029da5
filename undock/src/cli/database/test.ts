import { statSync } from 'node:fs'
import { glob, readdir } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { readPsqlFile } from '../../database/statements/psql-script.ts'
import { connectionTo } from '../../kernel/url.ts'
import { type BackendOptions, findWorkdir } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { findDatabase } from '../running.ts'

/** What a file's TAP says. @property faults What the summary lists of a file that failed. */
type TestCounts = { readonly passed: number; readonly failed: number; readonly faults: readonly string[] }

/** `undock db test`: runs the pgTAP files of supabase/tests and prints their TAP output. The database is the one that
 *  SUPABASE_DB_URL names (inside `undock run`), the running stack's, or a new one in memory.
 *  @returns 0 when every test of every file passed. */
export async function dbTest(named: readonly string[], options: BackendOptions): Promise<number> {
  const folder = join(findWorkdir(options.workdir), 'supabase')
  const paths = named.length > 0 ? named : [join(folder, 'tests')]
  const groups = await Promise.all(paths.map((path) => findTests(path, folder)))
  const missing = paths.filter((_, n) => groups[n]?.files.length === 0)
  if (missing.length > 0) {
    console.error(`No test files found: ${missing.join(', ')}.`)
    return 1
  }
  const files = [...new Set(groups.flatMap((group) => group.files))]
  const { url, close } = await findDatabase(options)
  const pgtap = await withClient(url, (client) => client.query(`select from pg_extension where extname = 'pgtap'`))
  try {
    const outcomes: TestCounts[] = []
    for (const path of files)
      outcomes.push(await runFile(url, { name: relative(folder, path), path, folder: groups[0]?.folder ?? folder }))
    const passed = outcomes.reduce((sum, one) => sum + one.passed, 0)
    const failed = outcomes.reduce((sum, one) => sum + one.failed, 0)
    console.log(`# ${files.length} files\n${passed} passed, ${failed} failed`)
    const broken = files.flatMap((path, index) => {
      const { faults = [] } = outcomes[index] ?? {}
      return faults.length === 0 ? [] : [relative(folder, path), ...faults.map((fault) => `  ${fault}`)]
    })
    if (broken.length > 0) console.log(['', 'Test Summary Report', '-------------------', ...broken].join('\n'))
    console.log(`Result: ${broken.length === 0 ? 'PASS' : 'FAIL'}`)
    return broken.length === 0 ? 0 : 1
  } finally {
    // Like the CLI, so that schema differences don't include it.
    if (pgtap.rowCount === 0) await withClient(url, (client) => client.query('drop extension if exists pgtap'))
    await close()
  }
}

/** Finds the test files of a path or pattern, which is relative to the current folder, as for the CLI, or to `supabase/`. A folder
 *  contains all test files below it. Also returns the folder that paths of `\i` refer to. */
async function findTests(name: string, supabaseFolder: string): Promise<{ files: string[]; folder: string }> {
  for (const base of [process.cwd(), supabaseFolder]) {
    const path = resolve(base, name)
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
    const names = isFolder
      ? (await readdir(path, { recursive: true })).filter((one) => ['.sql', '.pg'].includes(extname(one)))
      : await Array.fromAsync(glob(name, { cwd: base }))
    const files = names.sort().map((one) => resolve(isFolder ? path : base, one))
    if (files[0]) return { files, folder: isFolder ? path : dirname(files[0]) }
  }
  return { files: [], folder: supabaseFolder }
}

type TestFile = {
  readonly name: string
  readonly path: string
  /** The folder that the paths of `\i` refer to. */
  readonly folder: string
}

/** Each file has its own connection, which ends a transaction that it leaves open. It is read as by psql, which runs the
 *  files of `supabase test db`, and ends at its first error. */
async function runFile(url: string, { name, path, folder }: TestFile): Promise<TestCounts> {
  console.log(`# ${name}`)
  const client = new pg.Client({ ...connectionTo(url), types: AS_TEXT })
  await client.connect()
  const lines: string[] = []
  try {
    await client.query('create extension if not exists pgtap with schema extensions')
    const variables = new Map<string, string>()
    const run = (text: string) => client.query<(string | null)[]>({ text, rowMode: 'array' })
    const print = ({ rows }: pg.QueryArrayResult) => lines.push(...rows.map((row) => row.join('|')))
    for (const { text, gset, isGexec, rows } of readPsqlFile({ path, folder, variables })) {
      if (rows !== undefined) {
        await pipeline([rows], client.query(from(text)))
        continue
      }
      const result = await run(text)
      if (gset !== null) setVariables(variables, gset, result)
      else if (isGexec) for (const statement of result.rows.flat()) print(await run(statement ?? ''))
      else print(result)
    }
  } catch (error) {
    lines.push(`not ok - ${name} stopped: ${error instanceof Error ? error.message : error}`)
  } finally {
    await client.end()
  }
  for (const line of lines) console.log(line)
  return count(lines.join('\n').split('\n'))
}

/** Values as Postgres writes them, as psql prints them. */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as pg.CustomTypesConfig

function setVariables(variables: Map<string, string>, prefix: string, { rows, fields }: pg.QueryArrayResult): void {
  if (rows.length !== 1) throw new Error(`\\gset needs one row, not ${rows.length}`)
  for (const [place, { name }] of fields.entries()) {
    const value: string | null = rows[0]?.[place]
    if (value === null) variables.delete(prefix + name)
    else variables.set(prefix + name, value)
  }
}

/** Reads TAP as pg_prove does: TODO tests don't fail, and a file must run as many tests as planned. */
export function count(lines: readonly string[]): TestCounts {
  const results = lines.flatMap((line) => {
    const [whole, not, number, text = ''] = /^(not )?ok\b(?: (\d+))?(?:\s*-\s*)?(.*)/.exec(line) ?? []
    if (whole === undefined) return []
    return [{ number, name: number ?? text, isFailed: not !== undefined && !/# TODO\b/i.test(line) }]
  })
  const failures = results.filter(({ isFailed }) => isFailed)
  // After a rollback, pgTAP counts from an earlier test again.
  const order = results.flatMap(({ number }, index) =>
    number === undefined || Number(number) === index + 1
      ? []
      : [`Tests out of sequence. Found (${number}) but expected (${index + 1})`],
  )
  const [plan, second] = lines.flatMap((line) => /^1\.\.(\d+)/.exec(line)?.[1] ?? [])
  const planFault =
    plan === undefined
      ? ['No plan found in TAP output']
      : second !== undefined
        ? ['More than one plan found in TAP output']
        : Number(plan) === results.length
          ? order
          : [`Bad plan. You planned ${plan} tests but ran ${results.length}.`]
  const names = failures.map(({ name }) => name).join(', ')
  return {
    passed: results.length - failures.length,
    failed: failures.length || planFault.length,
    faults: [
      ...(failures.length > 0 ? [`Failed test${failures.length === 1 ? '' : 's'}: ${names}`] : []),
      ...planFault,
    ],
  }
}
