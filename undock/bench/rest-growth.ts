import { createCatalogLoader } from '../src/rest/schema-cache/catalog-loader.ts'
import { openTestDatabase } from '../src/testing/database.ts'
import { compareLoad } from './load.ts'
import { startUndock } from './peers.ts'
import { LISTS_WITH_EMBED, READ_BY_KEY } from './rest.ts'
import { milliseconds, rate, table } from './table.ts'

const CONNECTIONS = 16
const ROWS = [1_000, 100_000, 1_000_000]
/** Rows that one call inserts, few enough for the statement timeout. */
const PART = 100_000
const TABLES = [10, 100, 1_000]

/** The same reads with an increasing number of rows, and the cost of the schema cache with an increasing number of
 *  tables. */
export async function benchGrowth(): Promise<string> {
  return [await growRows(), await growTables()].join('\n\n')
}

async function growRows(): Promise<string> {
  const peer = await startUndock()
  const grow = async (from: number, to: number): Promise<void> => {
    const response = await fetch(`${peer.url}/rest/v1/rpc/grow`, {
      method: 'POST',
      headers: { apikey: peer.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ from_id: from + 1, to_id: to }),
    })
    if (!response.ok) throw new Error(`The rows were refused: ${response.status} ${await response.text()}`)
  }
  try {
    const lines: string[][] = []
    let rows = 0
    for (const size of ROWS) {
      for (; rows < size; rows = Math.min(size, rows + PART)) await grow(rows, Math.min(size, rows + PART))
      const line = [`${size.toLocaleString('en')} rows`]
      for (const { request } of [READ_BY_KEY, LISTS_WITH_EMBED]) {
        const [figures] = await compareLoad([peer], request, CONNECTIONS)
        line.push(figures ? rate(figures.perSecond) : '–')
      }
      lines.push(line)
    }
    return table(['', READ_BY_KEY.name, LISTS_WITH_EMBED.name], lines)
  } finally {
    await peer.stop()
  }
}

/** CPU time of undock's own process, which other load on the machine disturbs less than elapsed time. */
async function growTables(): Promise<string> {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const lines: string[][] = []
  for (const size of TABLES) {
    const { db, close } = await openTestDatabase()
    for (let at = 0; at < size; at += 50) {
      const tables = Array.from({ length: Math.min(50, size - at) }, (_, index) => tableNumber(at + index))
      await db.exec(tables.join('\n'))
    }
    const loader = await createCatalogLoader(
      db,
      { schemas: ['public'], extra_search_path: ['public', 'extensions'], max_rows: 0 },
      silent,
    )
    const first = await cpu(() => loader.current())
    const after = async (script: string): Promise<number> => {
      await db.exec(script)
      return cpu(() => loader.current())
    }
    const RELOAD = `notify pgrst, 'reload schema'`
    const columns = []
    for (const column of [1, 2, 3, 4]) columns.push(await after(`alter table public.t1 add column more_${column} int`))
    const withFunction = await after('create function public.one() returns int language sql return 1')
    const nothingNew = Math.min(await after(RELOAD), await after(RELOAD), await after(RELOAD))
    await db.exec("create type public.mood as enum ('calm'); alter table public.t1 add column mood public.mood")
    const withType = await after("alter type public.mood add value 'wild'")
    const withName = await after('alter table public.t1 rename to first')
    await loader.close()
    await close()
    lines.push([
      `${size.toLocaleString('en')} tables`,
      ...[first, Math.min(...columns), withFunction, withType, nothingNew, withName].map(milliseconds),
    ])
  }
  return table(
    [
      'CPU time',
      'schema cache, first load',
      'after DDL on one table',
      'after a function is made',
      'after a type in use changed',
      "after `notify pgrst, 'reload schema'`",
      'after a table changed its name',
    ],
    lines,
  )
}

const tableNumber = (index: number): string => `
  create table public.t${index} (
    id int primary key, title text not null default 'x', count int, at timestamptz default now(), data jsonb,
    parent int ${index === 0 ? '' : `references public.t${index - 1}`}, owner uuid, price numeric(10, 2)
  );`

async function cpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
