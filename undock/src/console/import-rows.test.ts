import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestConsole, type TestConsole } from '../testing/console.ts'

let on: TestConsole
beforeAll(async () => {
  on = await startTestConsole()
})
afterAll(() => on.close())

const importBody = (head: object, rows: readonly unknown[]) =>
  [{ schema: 'public', table: 'goods', rows: rows.length, ...head }, ...rows]
    .map((line) => JSON.stringify(line))
    .join('\n')
async function sendImport(head: object, rows: readonly unknown[]): Promise<[number, Record<string, unknown>]> {
  const response = await on.ask('/api/import', { method: 'POST', body: importBody(head, rows) })
  return [response.status, (await response.json()) as Record<string, unknown>]
}
const countGoods = async () =>
  (await on.query({ statements: [{ text: 'select count(*), max(id) from public.goods' }] }))[0]?.rows[0]

test('imports many rows in one transaction', async () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => [String(n + 10), `a${n}`, n % 2 ? '1.5' : null])
  expect(await sendImport({ columns: ['id', 'code', 'price'] }, rows)).toEqual([200, { count: 2_500 }])
  expect(await countGoods()).toEqual(['2500', '2509'])
})

test.each([
  [
    'a value of the wrong type',
    ['code', 'price'],
    ['x1', 'cheap'],
    'price',
    'invalid input syntax for type numeric: "cheap"',
  ],
  ['a number out of range', ['code', 'price'], ['x1', '123456'], 'price', 'numeric field overflow'],
  ['a long string', ['code', 'price'], ['too long', '1'], 'code', 'value too long for type character varying(5)'],
  ['null', ['code', 'price'], [null, '1'], 'code', 'null value in column "code"'],
  ['a duplicate value', ['code', 'price'], ['f1', '1'], 'code', 'duplicate key value'],
  ['a failed check', ['code', 'price'], ['x1', '-1'], 'price', 'violates check constraint'],
  ['a missing foreign row', ['code', 'note'], ['x1', '77777'], 'note', 'violates foreign key constraint'],
  ['an invalid character', ['code', 'price'], ['x\u0000', '1'], 'code', 'invalid byte sequence'],
])('rejects %s with its row and column, and imports nothing', async (_what, [, other], bad, column, message) => {
  const before = await countGoods()
  const good = Array.from({ length: 1_200 }, (_, n) => [`f${n}`, other === 'note' ? '1' : '2'])
  const [status, fault] = await sendImport({ columns: ['code', other] }, [
    ...good.slice(0, 1_100),
    bad,
    ...good.slice(1_100),
  ])
  expect([status, fault.row, fault.column]).toEqual([422, 1_101, column])
  expect(fault.message).toContain(message)
  expect(await countGoods()).toEqual(before)
})

test('imports nothing if the request ends early or has another format', async () => {
  const before = await countGoods()
  const head = { columns: ['code'] }
  expect(await sendImport({ ...head, rows: 3 }, [['y1'], ['y2']])).toEqual([
    400,
    { message: 'The rows cannot be imported: 3 rows were announced, but 2 arrived.' },
  ])
  expect((await sendImport(head, [['y1'], [7]]))[0]).toBe(400)
  expect((await sendImport(head, [['y1'], ['y2', 'y3']]))[0]).toBe(400)
  expect(await sendImport({ columns: ['kode'] }, [['y1']])).toEqual([
    422,
    { message: 'There is no column "kode" in public.goods.' },
  ])
  expect((await on.ask('/api/import', { method: 'POST', body: 'code\ny1' })).status).toBe(400)
  const abort = new AbortController()
  const endless = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode(`${importBody({ ...head, rows: 9 }, [['y1']])}\n`))
      await new Promise(() => abort.abort())
    },
  })
  await expect(
    on.ask('/api/import', { method: 'POST', body: endless, duplex: 'half', signal: abort.signal } as Parameters<
      typeof on.ask
    >[1]),
  ).rejects.toThrow('abort')
  expect(await countGoods()).toEqual(before)
})

test('skips or updates rows whose key exists', async () => {
  const columns = ['id', 'code', 'price']
  const priceOf = async (id: string) =>
    (await on.query({ statements: [{ text: 'select code, price from public.goods where id = $1', values: [id] }] }))[0]
      ?.rows[0]
  const rows = [
    ['10', 'new', '7'],
    ['90001', 'k1', '8'],
    ['90001', 'k1', '9'],
  ]
  expect(await sendImport({ columns, onConflict: 'skip' }, rows)).toEqual([200, { count: 1 }])
  expect([await priceOf('10'), await priceOf('90001')]).toEqual([
    ['a0', null],
    ['k1', '8.00'],
  ])
  // The last of several rows with one key wins.
  expect(await sendImport({ columns, onConflict: 'update' }, rows)).toEqual([200, { count: 3 }])
  expect([await priceOf('10'), await priceOf('90001')]).toEqual([
    ['new', '7.00'],
    ['k1', '9.00'],
  ])
  // Other unique constraints still apply.
  const [status, fault] = await sendImport({ columns, onConflict: 'update' }, [['90002', 'k1', '1']])
  expect([status, fault.row, fault.column]).toEqual([422, 1, 'code'])
  expect(await sendImport({ columns: ['code'], onConflict: 'update' }, [['k2']])).toEqual([
    422,
    { message: 'Rows are updated by their primary key: id.' },
  ])
  const [refused, fault2] = await sendImport(
    { table: 'notes', columns: ['id', 'body'], as: 'ada@example.com', onConflict: 'update' },
    [['4', 'hers now']],
  )
  expect([refused, fault2.code]).toEqual([422, '42501'])
})

test('row security applies to each imported row', async () => {
  const head = { table: 'notes', columns: ['id', 'owner'], as: 'ada@example.com' }
  const [status, fault] = await sendImport(head, [
    ['9001', on.ada],
    ['9002', '00000000-0000-0000-0000-000000000001'],
  ])
  expect([status, fault.code, fault.row]).toEqual([422, '42501', 2])
  expect(await sendImport(head, [['9001', on.ada]])).toEqual([200, { count: 1 }])
})
