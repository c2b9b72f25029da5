import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase, testMajor } from '../../testing/database.ts'
import { openInstallation, provideInstallation } from './installation.ts'

// Extensions whose library may be missing: compiled (undock/native) or from the machine's PostgreSQL. `postgres` creates and uses
// each on the database port; missing ones are skipped.

await provideInstallation(testMajor, () => undefined)
const { extensions } = openInstallation(testMajor)
const testWith = (name: string) => test.skipIf(!extensions.has(name))

let database: TestDatabase
let client: pg.Client
const notices: string[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  client = new pg.Client(database.url)
  client.on('notice', ({ message = '' }) => notices.push(message))
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.close()
})

const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
const create = (name: string) => client.query(`create extension ${name} with schema extensions cascade`)

testWith('rum')('rum: an index orders the found texts by their rank', async () => {
  await create('rum')
  await client.query(`
    create table public.texts (id int, words tsvector);
    insert into public.texts select i, to_tsvector('simple', 'row ' || i || case when i % 3 = 0 then ' rare rare' when i = 7 then ' rare' else '' end) from generate_series(1, 300) i;
    create index on public.texts using rum (words extensions.rum_tsvector_ops);
    set enable_seqscan = off; set enable_sort = off`)
  const query = `from public.texts where words @@ 'rare'::tsquery order by words <=> 'rare'::tsquery`
  const plan = await rows(`explain select id ${query} limit 5`)
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using texts_words_idx/)
  expect((await rows(`select id ${query}`)).at(-1)).toEqual({ id: 7 })
  await client.query('reset all')
})

testWith('hypopg')('hypopg: the planner uses an index that does not exist', async () => {
  await create('hypopg')
  await client.query('create table public.numbers as select i as n from generate_series(1, 10000) i; analyze numbers')
  const plan = async () =>
    (await rows('explain select * from public.numbers where n = 1')).map((row) => row['QUERY PLAN']).join('\n')
  expect(await plan()).toMatch(/Seq Scan/)
  await client.query(`select hypopg_create_index('create index on public.numbers (n)')`)
  expect(await plan()).toMatch(/btree_numbers_n/)
})

testWith('hypopg')('index_advisor: names the indexes that a query would use, also of a view’s tables', async () => {
  await create('index_advisor')
  await client.query(`
    create table public.authors (id int primary key, name text, tags json);
    create table public.books (id int primary key, author_id int, title text);
    create view public.shelf as select title, name from books join authors on authors.id = author_id;
    insert into public.authors select i, 'author ' || i from generate_series(1, 5000) i;
    insert into public.books select i, i % 5000, 'book ' || i from generate_series(1, 50000) i;
    analyze authors, books`)
  const advise = async (query: string) => (await rows('select * from index_advisor($1)', [query]))[0]
  const advice = await advise('select title from public.shelf where name = $1;')
  expect(advice).toMatchObject({
    index_statements: [
      'CREATE INDEX ON public.authors USING btree (name)',
      'CREATE INDEX ON public.books USING btree (author_id)',
    ],
    errors: [],
  })
  expect(advice.total_cost_after).toBeLessThan(advice.total_cost_before / 10)
  expect(await advise('select title from public.books where id = 3')).toMatchObject({
    index_statements: [],
    errors: [],
  })
  expect(await advise('select 1; drop table public.books')).toMatchObject({
    errors: ['the query contains a semicolon'],
  })
  expect(await advise('select nothing from public.books')).toMatchObject({
    errors: ['column "nothing" does not exist'],
  })
  expect(await rows('select * from hypopg_list_indexes')).toEqual([])
})

testWith('plpgsql_check')('plpgsql_check: finds a column that does not exist', async () => {
  await create('plpgsql_check')
  await client.query(`
    create table public.people (name text);
    create function public.wrong() returns text language plpgsql as $$ begin return (select nick from people); end $$`)
  expect(
    await rows(`select plpgsql_check_function as line from plpgsql_check_function('public.wrong()')`),
  ).toContainEqual({ line: expect.stringContaining('column "nick" does not exist') })
})

testWith('pgaudit')('pgaudit: statements are logged for those who ask for it', async () => {
  await create('pgaudit')
  await client.query('create table public.watched (id int)')
  await client.query(`set pgaudit.log_client = on; set pgaudit.log_level = notice; set pgaudit.log = 'write'`)
  await client.query('insert into public.watched values (1)')
  await client.query('reset pgaudit.log')
  expect(notices).toContainEqual(
    expect.stringMatching(/^AUDIT: SESSION,\d+,1,WRITE,INSERT,.*insert into public\.watched/),
  )
})

testWith('http')('http: a statement reads a page', async () => {
  const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await create('http')
    const { port } = server.address() as AddressInfo
    expect(await rows('select status, content from http_get($1)', [`http://127.0.0.1:${port}/`])).toEqual([
      { status: 200, content: 'hello' },
    ])
  } finally {
    server.close()
  }
})

testWith('postgis')('postgis: distances on the globe, and an index of places', async () => {
  await create('postgis')
  await client.query(`
    create table public.places (name text, at geography(point));
    insert into public.places values ('Berlin', 'point(13.405 52.52)'), ('Paris', 'point(2.3522 48.8566)'), ('Rome', 'point(12.4964 41.9028)');
    create index on public.places using gist (at)`)
  expect(
    await rows(
      `select name, round(st_distance(at, (select at from places where name = 'Berlin')) / 1000)::int as km from places order by km`,
    ),
  ).toEqual([
    { name: 'Berlin', km: 0 },
    { name: 'Paris', km: 880 },
    { name: 'Rome', km: 1182 },
  ])
  const moved = `st_transform('srid=4326;point(13.405 52.52)'::geometry, 3857)`
  expect(await rows(`select st_astext(${moved}, 0) as point`)).toEqual([{ point: 'POINT(1492238 6894700)' }])
  expect(await rows(`select count(*)::int as known from spatial_ref_sys where srid = 25832`)).toEqual([{ known: 1 }])
})

testWith('postgis')('postgis: data of PROJ does not depend on the environment, and rows become GeoJSON', async () => {
  expect(
    await rows(`select st_astext(st_transform('srid=25832;point(500000 5500000)'::geometry, 4326), 4) as p`),
  ).toEqual([{ p: 'POINT(9 49.6525)' }])
  expect(await rows(`select st_asgeojson(places)::jsonb -> 'geometry' as at from places where name = 'Paris'`)).toEqual(
    [{ at: { type: 'Point', coordinates: [2.3522, 48.8566] } }],
  )
  expect(
    await rows(
      `select length(st_asmvt(t)) > 0 as tile from (select st_asmvtgeom(at::geometry, st_makeenvelope(2, 48, 3, 49, 4326)) as g from places) t`,
    ),
  ).toEqual([{ tile: true }])
})

testWith('postgis_topology')('postgis_topology is created along with it', async () => {
  await client.query('create extension postgis_topology')
  await client.query('reset search_path')
  expect(await rows('select count(*)::int as topologies from topology.topology')).toEqual([{ topologies: 0 }])
})

testWith('postgis_tiger_geocoder')(
  'postgis_tiger_geocoder: addresses are taken apart, and postgres may fill its tables',
  async () => {
    await client.query('create extension postgis_tiger_geocoder cascade; set search_path = public, extensions, tiger')
    expect(
      await rows(
        `select address, streetname, zip from tiger.normalize_address('1 Devonshire Place, Boston, MA 02109')`,
      ),
    ).toEqual([{ address: 1, streetname: 'Devonshire', zip: '02109' }])
    await client.query(
      `insert into tiger.loader_platform (os) values ('mine'); grant usage on schema tiger, tiger_data to anon; reset search_path`,
    )
  },
)

testWith('address_standardizer_data_us')('address_standardizer: parts of an address', async () => {
  await client.query(
    'create extension address_standardizer with schema extensions; create extension address_standardizer_data_us with schema extensions',
  )
  expect(
    await rows(
      `select house_num, city from extensions.standardize_address('us_lex', 'us_gaz', 'us_rules', '123 Main Street, Kansas City, MO')`,
    ),
  ).toMatchObject([{ house_num: '123' }])
})

testWith('postgis_sfcgal')('postgis_sfcgal: the volume of a solid', async () => {
  await create('postgis_sfcgal')
  expect(
    await rows(`select st_area(cg_extrude('polygon((0 0, 0 2, 2 2, 2 0, 0 0))'::geometry, 0, 0, 1)) > 0 as solid`),
  ).toEqual([{ solid: true }])
})

testWith('postgis_raster')('postgis_raster: it reads no file, and no project may change that', async () => {
  await create('postgis_raster')
  expect(await rows('select st_width(st_makeemptyraster(3, 2, 0, 0, 1)) as width')).toEqual([{ width: 3 }])
  for (const name of ['gdal_enabled_drivers', 'enable_outdb_rasters'])
    await expect(client.query(`set postgis.${name} = 'on'`)).rejects.toMatchObject({ code: '42501' })
})

testWith('pg_hashids')('pg_hashids: the codes of hashids.org', async () => {
  await create('pg_hashids')
  expect(
    await rows(
      `select id_encode(1001) as short, id_encode(1234567, 'This is my salt', 10) as long, id_decode_once('jNl') as id`,
    ),
  ).toEqual([{ short: 'jNl', long: 'PlRPdzxpR7', id: '1001' }])
})

testWith('pg_partman')('pg_partman: makes the partitions of a table, ahead of its rows', async () => {
  await client.query(`
    create schema partman; create extension pg_partman with schema partman;
    create table public.events (at timestamptz not null, what text) partition by range (at);
    select partman.create_parent('public.events', 'at', '1 day', p_premake := 3)`)
  expect(
    await rows(`select count(*)::int as partitions from pg_inherits where inhparent = 'public.events'::regclass`),
  ).toEqual([{ partitions: 8 }])
  await client.query('call partman.run_maintenance_proc()')
})

testWith('pg_repack')('pg_repack: finds the table that its client would rewrite', async () => {
  await create('pg_repack')
  await client.query('create table public.bloated (id int primary key)')
  expect(await rows(`select relname from repack.tables where relid = 'public.bloated'::regclass`)).toEqual([
    { relname: 'public.bloated' },
  ])
})

testWith('pgrouting')('pgrouting: the shortest path', async () => {
  await create('pgrouting')
  expect(
    await rows(`select array_agg(node::int order by seq) as path from pgr_dijkstra(
      'select * from (values (1, 1, 2, 1.0), (2, 2, 3, 1.0), (3, 1, 3, 5.0)) e (id, source, target, cost)', 1, 3, true)`),
  ).toEqual([{ path: [1, 2, 3] }])
})
