// Third-party query builders, ORMs and job queues: each creates a table in its own way, fails in a transaction that must leave
// nothing, and commits another.
import { setTimeout as sleep } from 'node:timers/promises'
import { MikroORM, EntitySchema as MikroSchema } from '@mikro-orm/postgresql'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { makeWorkerUtils, run as runWorker } from 'graphile-worker'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { DataTypes, Sequelize } from 'sequelize'
import { DataSource, EntitySchema } from 'typeorm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: Stack
let client: pg.Client
beforeAll(async () => {
  project = await makeProject({ 'config.toml': 'project_id = "orms"\n[edge_runtime]\nenabled = false\n' })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
  client = new pg.Client(stack.dbUrl)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await stack?.stop()
  await project?.remove()
})

const namesIn = async (table: string): Promise<string[]> =>
  (await client.query(`select name from ${table} order by id`)).rows.map(({ name }) => name)
const refused = new Error('This transaction is rolled back')

test('Kysely', async () => {
  type Tables = { kysely_things: { id: number; name: string } }
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: stack.dbUrl }) }),
  })
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () => ({
        '1_things': {
          up: (schema) =>
            schema.schema
              .createTable('kysely_things')
              .addColumn('id', 'serial', (column) => column.primaryKey())
              .addColumn('name', 'text', (column) => column.notNull())
              .execute(),
        },
      }),
    },
  })
  // In parallel, the second waits for the first one's advisory lock and has nothing left to do.
  const ends = await Promise.all([migrator.migrateToLatest(), migrator.migrateToLatest()])
  expect(ends.map(({ error }) => error)).toEqual([undefined, undefined])
  await db.insertInto('kysely_things').values({ id: 1, name: 'kept' }).execute()
  await expect(
    db.transaction().execute(async (tx) => {
      await tx.insertInto('kysely_things').values({ id: 2, name: 'undone' }).execute()
      // Meanwhile, another connection of the pool reads.
      expect(await db.selectFrom('kysely_things').select('name').execute()).toEqual([{ name: 'kept' }])
      throw refused
    }),
  ).rejects.toBe(refused)
  expect(await namesIn('kysely_things')).toEqual(['kept'])
  await db.destroy()
})

test('Knex', async () => {
  const db = knex({ client: 'pg', connection: stack.dbUrl })
  await db.schema.createTable('knex_things', (table) => {
    table.increments('id')
    table.text('name').notNullable()
  })
  await db.transaction((tx) => tx('knex_things').insert({ name: 'kept' }))
  await expect(
    db.transaction(async (tx) => {
      await tx('knex_things').insert({ name: 'undone' })
      await tx.transaction((inner) => inner('knex_things').insert({ name: 'undone, too' }))
      throw refused
    }),
  ).rejects.toBe(refused)
  expect(await namesIn('knex_things')).toEqual(['kept'])
  expect(await db.schema.hasTable('knex_things')).toBe(true)
  await db.destroy()
})

test('Sequelize', async () => {
  const db = new Sequelize(stack.dbUrl, { logging: false })
  const Thing = db.define(
    'Thing',
    { name: { type: DataTypes.TEXT, allowNull: false }, kind: DataTypes.ENUM('large', 'small') },
    { tableName: 'sequelize_things', timestamps: false },
  )
  await db.sync()
  await db.sync({ alter: true })
  await Thing.create({ name: 'kept', kind: 'small' })
  await expect(
    db.transaction({ isolationLevel: 'SERIALIZABLE' as never }, async (transaction) => {
      await Thing.create({ name: 'undone' }, { transaction })
      const locked = await Thing.findAll({ lock: true, skipLocked: true, transaction })
      expect(locked).toHaveLength(2)
      throw refused
    }),
  ).rejects.toBe(refused)
  expect(await namesIn('sequelize_things')).toEqual(['kept'])
  await db.close()
})

test('TypeORM', async () => {
  const Thing = new EntitySchema<{ id: number; name: string; tags: string[] }>({
    name: 'typeorm_things',
    columns: {
      id: { type: Number, primary: true, generated: 'increment' },
      name: { type: 'text' },
      tags: { type: 'text', array: true, default: [] },
    },
  })
  const db = await new DataSource({
    type: 'postgres',
    url: stack.dbUrl,
    entities: [Thing],
    synchronize: true,
  }).initialize()
  await db.getRepository(Thing).save({ name: 'kept', tags: ['a'] })
  await expect(
    db.transaction(async (manager) => {
      await manager.getRepository(Thing).save({ name: 'undone' })
      throw refused
    }),
  ).rejects.toBe(refused)
  expect(await namesIn('typeorm_things')).toEqual(['kept'])
  await db.synchronize()
  await db.destroy()
})

test('MikroORM', async () => {
  const Thing = new MikroSchema<{ id: number; name: string }>({
    name: 'MikroThing',
    tableName: 'mikro_things',
    properties: { id: { type: 'number', primary: true }, name: { type: 'text' } },
  })
  const orm = await MikroORM.init({ clientUrl: stack.dbUrl, entities: [Thing], schema: 'public' })
  await orm.schema.update({ safe: true })
  await orm.em.fork().insert(Thing, { id: 1, name: 'kept' })
  await expect(
    orm.em.fork().transactional(async (em) => {
      em.create(Thing, { id: 2, name: 'undone' })
      await em.flush()
      throw refused
    }),
  ).rejects.toBe(refused)
  expect(await namesIn('mikro_things')).toEqual(['kept'])
  await orm.close()
})

test('Drizzle', async () => {
  const things = pgTable('drizzle_things', { id: integer().primaryKey(), name: text().notNull() })
  const pool = new pg.Pool({ connectionString: stack.dbUrl })
  const db = drizzle(pool)
  await db.execute('create table drizzle_things (id int primary key, name text not null)')
  await db.insert(things).values({ id: 1, name: 'kept' })
  await expect(
    db.transaction(async (tx) => {
      await tx.insert(things).values({ id: 2, name: 'undone' })
      throw refused
    }),
  ).rejects.toBe(refused)
  expect(await namesIn('drizzle_things')).toEqual(['kept'])
  await pool.end()
})

test('pg-boss: one worker gets each job, and retries it after a failure', async () => {
  const boss = new PgBoss(stack.dbUrl)
  boss.on('error', () => undefined)
  await boss.start()
  await boss.createQueue('letters', { retryLimit: 1, retryDelay: 0 })
  const seen: unknown[] = []
  const work = async (jobs: { data: unknown }[]): Promise<void> => {
    for (const { data } of jobs) {
      seen.push(data)
      if (seen.length === 1) throw new Error('once')
    }
  }
  for (let worker = 0; worker < 3; worker++) await boss.work('letters', { pollingIntervalSeconds: 0.5 }, work)
  await boss.send('letters', { to: 'ada' })
  await expect.poll(() => seen, { timeout: 30_000 }).toEqual([{ to: 'ada' }, { to: 'ada' }])
  await boss.stop({ graceful: false })
})

test('Graphile Worker: notifications deliver each job to one of several workers', async () => {
  const seen: number[] = []
  const utils = await makeWorkerUtils({ connectionString: stack.dbUrl })
  await utils.migrate()
  const workers = await Promise.all(
    [1, 2].map(() =>
      runWorker({
        connectionString: stack.dbUrl,
        concurrency: 2,
        noHandleSignals: true,
        taskList: {
          count: async (payload) => {
            await sleep(5)
            seen.push((payload as { n: number }).n)
          },
        },
      }),
    ),
  )
  for (let n = 0; n < 20; n++) await utils.addJob('count', { n })
  await expect.poll(() => seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n))
  await Promise.all(workers.map((worker) => worker.stop()))
  await utils.release()
})
