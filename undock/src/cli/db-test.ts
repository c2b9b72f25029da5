import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type BackendOptions, findWorkdir } from './arguments.ts'
import { findDatabase } from './running.ts'

type Outcome = { readonly passed: number; readonly failed: number }

/** `undock db test`: runs the pgTAP files of supabase/tests and prints their TAP output. The database is the one that
 *  SUPABASE_DB_URL names (inside `undock run`), the running stack's, or a new one in memory.
 *  @returns 0 when every test of every file passed. */
export async function dbTest(named: readonly string[], options: BackendOptions): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const folder = join(workdir, 'supabase')
  const patterns = named.length > 0 ? named : ['tests/**/*.sql', 'tests/**/*.pg']
  const files = (await Array.fromAsync(glob(patterns, { cwd: folder }))).sort()
  if (files.length === 0) {
    console.error(`No test files in ${join('supabase', 'tests')}.`)
    return 1
  }
  const { url, close } = await findDatabase(options)
  try {
    const outcomes: Outcome[] = []
    for (const file of files) outcomes.push(await runFile(url, join(folder, file), file))
    const passed = outcomes.reduce((sum, one) => sum + one.passed, 0)
    const failed = outcomes.reduce((sum, one) => sum + one.failed, 0)
    console.log(`# ${files.length} files\n${passed} passed, ${failed} failed`)
    return failed === 0 ? 0 : 1
  } finally {
    await close()
  }
}

/** Each file has a connection of its own, so that a transaction it leaves open ends with it. */
async function runFile(url: string, path: string, name: string): Promise<Outcome> {
  console.log(`# ${name}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const lines: string[] = []
  try {
    await client.query('create extension if not exists pgtap with schema extensions')
    const answers = [await client.query(await readFile(path, 'utf8'))].flat()
    for (const { rows } of answers as pg.QueryResult[]) {
      for (const row of rows) lines.push(...Object.values(row).map(String))
    }
  } catch (error) {
    lines.push(`not ok - ${name} stopped: ${error instanceof Error ? error.message : error}`)
  } finally {
    await client.end()
  }
  for (const line of lines) console.log(line)
  return count(lines.join('\n').split('\n'))
}

/** Counts the lines of TAP and compares them with the plan: a file that ends early has failed. */
function count(lines: readonly string[]): Outcome {
  const passed = lines.filter((line) => /^ok\b/.test(line)).length
  const failed = lines.filter((line) => /^not ok\b(?!.*# TODO)/.test(line)).length
  const planned = Number(lines.map((line) => /^1\.\.(\d+)/.exec(line)?.[1]).find(Boolean) ?? 0)
  return { passed, failed: failed + Math.max(0, planned - passed - failed) || (planned === 0 ? 1 : 0) }
}
