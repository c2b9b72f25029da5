import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Db } from '../../../src/database/db.ts'
import { splitStatements } from '../../../src/database/statements/split-statements.ts'

/** Loads the specs' fixtures into a stack's database. Their scripts are written for psql and an empty database; a project's
 *  already has the schemas `public` and `extensions`.
 *  @param folder The specs' folder.
 *  @returns extensions the engine lacks, and what couldn't be created without them */
export async function loadFixtures(db: Db, folder: string): Promise<ReadonlySet<string>> {
  const script = await readScript(join(folder, 'fixtures/load.sql'))
  const missing = new Set<string>()
  await db.transaction({}, async (transaction) => {
    const run = (text: string) => transaction.query({ text, values: [] })
    await run('alter extension pgcrypto set schema public')
    for (const { text } of splitStatements(forProject(script))) {
      await run('savepoint fixture')
      try {
        await run(text)
        await run('release savepoint fixture')
      } catch {
        await run('rollback to savepoint fixture')
        const name = CREATED.exec(text)?.[1]
        if (name !== undefined) missing.add(name)
      }
    }
    // The specs connect as a superuser, who may call the settings function.
    await run('grant usage on schema test to authenticator')
    for (const name of ['search_path', 'check_function_bodies', 'client_min_messages']) await run(`reset ${name}`)
  })
  // Plans and their estimates depend on it.
  await db.query({ text: 'vacuum analyze', values: [] })
  return missing
}

const CREATED =
  /^create (?:or replace )?(?:extension|table|foreign table|view|function) (?:if not exists )?(?:\w+\.)?(\w+)/im

/** Reads a psql script with its includes. */
async function readScript(path: string): Promise<string> {
  const text = await readFile(path, 'utf8')
  const lines = text.split('\n').map(async (line) => {
    const included = /^\\ir (\S+)/.exec(line)?.[1]
    // The only conditional script is for another storage engine.
    if (included?.endsWith('orioledb.sql')) return ''
    return included === undefined ? line : readScript(join(dirname(path), included))
  })
  return (await Promise.all(lines)).filter((line) => !line.startsWith('\\set')).join('\n')
}

const forProject = (script: string): string =>
  script
    .replace(/:"PGUSER"/g, 'authenticator')
    .replace(/:DBNAME/g, 'postgres')
    .replace(/^DROP SCHEMA IF EXISTS .*;$/gm, '')
    .replace(/^CREATE SCHEMA (public|extensions);$/gm, '')
    .replace(/^(BEGIN|COMMIT);$/gm, '')
    .replace(COPY, (_all, target: string, rows: string) => insertRows(target, rows))

const COPY = /^COPY (.+) FROM STDIN CSV DELIMITER '\|';\n([\s\S]*?)\n\\\.$/gm

function insertRows(target: string, rows: string): string {
  const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`
  const values = rows.split('\n').map((row) => `(${row.split('|').map(literal).join(', ')})`)
  return `insert into ${target} values ${values.join(', ')};`
}
