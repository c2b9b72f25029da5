// Run by carrel.ts on a backend with data on disk: a large library, read by members and guests and arranged by editors.

import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { CARD } from '../../src/features/documents/card.ts'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { median } from '../../undock/bench/table.ts'
import { drawPassage, drawRank, randomNumbers, wordOf } from './vocabulary.ts'

/** Milliseconds and bytes of the write-ahead log, medians. */
export type Cost = { readonly time: number; readonly log: number }
export type LibraryFigures = {
  readonly documents: number
  readonly members: number
  readonly guests: number
  readonly shelf: Readonly<Record<Role, number[]>>
  readonly search: Readonly<Record<Role, number[]>>
  readonly tag: Cost
  readonly field: Cost
  readonly rule: Cost
}
type Role = 'member' | 'guest'

const NAME = 'Bench'
const DOCUMENTS = 100_000
const COLLECTIONS = 100
/** Nested collections to which the rule applies. */
const INSIDE = 6
/** Documents with text, and passages of each, across all collections. */
const TEXTS = 1_000
const PASSAGES = 20
const APART = 97
const INDEXED_AT_ONCE = 50
const MEMBERS = 1_000
const GUESTS = 200
const AT_ONCE = 1_000
/** Documents to which the app applies a rule in one call. */
const RULE_AT_ONCE = 100
const WARM_UP = 5
const READS = 50
const ROUNDS = 3
const PASSWORD = 'carrel-demo-library'

const url = process.env.SUPABASE_URL ?? ''
const owner = await signIn('demo@carrel.local')
const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
await database.connect()
const library = await findLibrary()
const documents = await idsOf('true')
const inside = await idsOf('c.parent_id is not null')
const tag = await findTag()
const field = await findField()
const rule = await findRule()
const people = { member: await signIn(addressOf('member', 1)), guest: await signIn(addressOf('guest', 1)) }
const random = randomNumbers(7)

const figures: LibraryFigures = {
  documents: documents.length,
  members: MEMBERS,
  guests: GUESTS,
  shelf: { member: await measureShelf(people.member), guest: await measureShelf(people.guest) },
  search: { member: await measureSearch(people.member), guest: await measureSearch(people.guest) },
  tag: await measure(tagDocuments, untag),
  field: await measure(setField, untag),
  // Once, because it takes minutes.
  rule: await costOf(applyRule),
}
await untag()
await database.end()
console.log(JSON.stringify(figures))

function addressOf(role: Role, number: number): string {
  return `${role}-${number}@bench.example.org`
}

async function signIn(email: string): Promise<SupabaseClient<Database>> {
  const client = createClient<Database>(url, process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
  if (error) throw error
  return client
}

/** The first page of the newest documents, as requested by the app. */
function measureShelf(person: SupabaseClient<Database>): Promise<number[]> {
  return timeReads(() =>
    person
      .from('documents')
      .select(CARD, { count: 'exact' })
      .eq('library_id', library)
      .is('deleted_at', null)
      .order('created_at', { ascending: false })
      .order('id')
      .limit(100)
      .throwOnError(),
  )
}

function measureSearch(person: SupabaseClient<Database>): Promise<number[]> {
  return timeReads(() => {
    const query = Array.from({ length: 3 }, () => wordOf(drawRank(random))).join(' ')
    return person.rpc('search_passages', { library, query }).throwOnError()
  })
}

async function timeReads(read: () => PromiseLike<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = -WARM_UP; round < READS; round++) {
    const started = performance.now()
    await read()
    if (round >= 0) times.push(performance.now() - started)
  }
  return times
}

/** Measures an action done and undone just before: a page's first change after a checkpoint logs all of it. */
async function measure(act: (round: number) => Promise<void>, undo?: () => Promise<void>): Promise<Cost> {
  await act(0)
  const costs: Cost[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    await undo?.()
    costs.push(await costOf(() => act(round)))
  }
  return { time: median(costs.map(({ time }) => time)), log: median(costs.map(({ log }) => log)) }
}

async function costOf(act: () => Promise<void>): Promise<Cost> {
  const [before, started] = [await logPosition(), performance.now()]
  await act()
  const time = performance.now() - started
  return { time, log: Number((await logPosition()) - before) }
}

async function logPosition(): Promise<bigint> {
  const { rows } = await database.query<{ at: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at`,
  )
  return BigInt(rows[0]?.at ?? 0)
}

async function tagDocuments(): Promise<void> {
  const rows = inside
    .slice(0, AT_ONCE)
    .map((document_id: string) => ({ library_id: library, document_id, tag_id: tag }))
  await owner.from('document_tags').upsert(rows, { ignoreDuplicates: true }).throwOnError()
}

async function untag(): Promise<void> {
  await database.query('delete from public.document_tags where tag_id = $1', [tag])
  await database.query('delete from public.field_values where field_id = $1', [field])
}

async function setField(round: number): Promise<void> {
  await owner.rpc('set_field_value', { documents: inside.slice(0, AT_ONCE), field, value: round + 100 }).throwOnError()
}

async function applyRule(): Promise<void> {
  for (let first = 0; first < inside.length; first += RULE_AT_ONCE) {
    const some = inside.slice(first, first + RULE_AT_ONCE)
    const { data } = await owner.rpc('apply_rule', { rule, documents: some }).throwOnError()
    const failed = data.find(({ problem }) => problem)
    if (failed) throw new Error(JSON.stringify(failed.problem))
  }
}

async function idsOf(condition: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select d.id from public.documents d join public.collections c on c.id = d.collection_id
     where d.library_id = $1 and ${condition} order by d.id`,
    [library],
  )
  return rows.map(({ id }) => id)
}

async function findLibrary(): Promise<string> {
  const { data: known } = await owner.from('libraries').select('id').eq('name', NAME).maybeSingle().throwOnError()
  if (known) return known.id
  await database.query('begin')
  // Triggers of documents and members aren't measured and would take an hour.
  const tables = ['documents', 'versions', 'members', 'collection_grants']
  for (const table of tables) await database.query(`alter table public.${table} disable trigger user`)
  const made = await fill()
  for (const table of tables) await database.query(`alter table public.${table} enable trigger user`)
  await database.query('commit')
  for (const table of [...tables, 'passages']) await database.query(`vacuum analyze public.${table}`)
  await indexTexts(made)
  await database.query('update public.libraries set name = $2 where id = $1', [made, NAME])
  return made
}

/** Creates a new library's collections, people and documents. The first collections are nested in another. */
async function fill(): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `insert into public.libraries (name, created_by) select 'Unfinished', id from public.profiles where display_name = 'Dana Demo' returning id`,
  )
  const made = rows[0]?.id ?? ''
  await database.query(
    `with outer_one as (
       insert into public.collections (library_id, name) values ($1, 'Outer') returning id
     )
     insert into public.collections (library_id, parent_id, name, position)
     select $1, case when n <= $2 then outer_one.id end, 'Collection ' || n, n from outer_one, generate_series(1, $3::integer) n`,
    [made, INSIDE, COLLECTIONS],
  )
  await database.query(
    `insert into auth.users (id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
       raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token, email_change, email_change_token_new)
     select gen_random_uuid(), u.instance_id, u.aud, u.role, k.role || '-' || n || '@bench.example.org', u.encrypted_password, now(),
       u.raw_app_meta_data, jsonb_build_object('display_name', k.role || '-' || n), now(), now(), '', '', '', ''
     from auth.users u, (values ('member', $1::integer), ('guest', $2::integer)) k (role, count), generate_series(1, k.count) n
     where u.email = 'demo@carrel.local'`,
    [MEMBERS, GUESTS],
  )
  await database.query(
    `insert into auth.identities (id, user_id, provider_id, provider, identity_data, last_sign_in_at, created_at, updated_at)
     select gen_random_uuid(), u.id, u.id::text, 'email', jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true),
       now(), now(), now() from auth.users u where u.email like '%@bench.example.org'`,
  )
  await database.query(
    `insert into public.members (library_id, user_id, role)
     select $1, u.id, (case when u.email like 'guest-%' then 'guest' when u.email like 'member-%' then 'reader' else 'owner' end)::public.member_role
     from auth.users u where u.email like '%@bench.example.org' or u.email = 'demo@carrel.local'`,
    [made],
  )
  await database.query(
    `insert into public.collection_grants (library_id, collection_id, user_id, role)
     select $1, c.id, m.user_id, 'reader' from public.members m
     join public.collections c on c.library_id = $1 and c.position in (10 + abs(hashtext(m.user_id::text)) % 40, 60)
     where m.library_id = $1 and m.role = 'guest'`,
    [made],
  )
  await database.query(
    `with places as (
       select array_agg(id order by position) as ids from public.collections where library_id = $1 and name like 'Collection %'
     )
     insert into public.documents (library_id, collection_id, kind, title, state, created_by, created_at)
     select $1, places.ids[1 + n % $2], 'note', 'Note ' || n, 'ready', o.user_id, now() - n * interval '1 minute'
     from places, public.members o, generate_series(0, $3::integer - 1) n
     where o.library_id = $1 and o.role = 'owner'`,
    [made, COLLECTIONS, DOCUMENTS],
  )
  await database.query(
    `with added as (
       insert into public.versions (library_id, document_id, number, body, mime_type, size_bytes)
       select library_id, id, 1, 'bench', 'text/markdown', 5 from public.documents where library_id = $1 returning id, document_id
     )
     update public.documents d set current_version_id = a.id, mime_type = 'text/markdown', size_bytes = 5 from added a where a.document_id = d.id`,
    [made],
  )
  await addPassages(made)
  return made
}

async function addPassages(made: string): Promise<void> {
  await database.query('drop index if exists public.passages_embedding_idx')
  const drawn = randomNumbers(1)
  const contents = Array.from({ length: TEXTS * PASSAGES }, () => drawPassage(drawn).map(wordOf).join(' '))
  await database.query(
    `insert into public.passages (id, library_id, document_id, version_id, ordinal, start_offset, end_offset, content, content_hash,
       embedding, embedding_model)
     select gen_random_uuid(), d.library_id, d.id, d.current_version_id, (t.n - 1) % $4, t.n, t.n + 1, t.content, md5(t.content),
       array_fill(0.05, array[384]), 'lexical-384-v1'
     from unnest($2::text[]) with ordinality as t (content, n)
     join (
       select d.*, row_number() over (order by d.created_at, d.id) as n from public.documents d where d.library_id = $1
     ) d on d.n = (1 + (t.n - 1) / $4) * $3`,
    [made, contents, APART, PASSAGES],
  )
}

/** Indexes a few documents per transaction, and then updates the statistics for the next. */
async function indexTexts(made: string): Promise<void> {
  const { rows } = await database.query<{ id: string }>(
    'select distinct document_id as id from public.passages where library_id = $1',
    [made],
  )
  for (let first = 0; first < rows.length; first += INDEXED_AT_ONCE) {
    const some = rows.slice(first, first + INDEXED_AT_ONCE).map(({ id }) => id)
    await database.query('select private.index_document(id) from unnest($1::uuid[]) id', [some])
    await database.query('select private.fold_word_changes($1)', [made])
    for (const table of ['all_passage_terms', 'words', 'word_changes'])
      await database.query(`vacuum analyze private.${table}`)
  }
}

async function findTag(): Promise<string> {
  const { data: known } = await owner.from('tags').select('id').eq('library_id', library).maybeSingle().throwOnError()
  if (known) return known.id
  const { data } = await owner
    .from('tags')
    .insert({ library_id: library, name: 'bench' })
    .select('id')
    .single()
    .throwOnError()
  return data.id
}

async function findField(): Promise<string> {
  const { data: known } = await owner
    .from('collection_fields')
    .select('id')
    .eq('library_id', library)
    .maybeSingle()
    .throwOnError()
  if (known) return known.id
  const collection = await outerCollection()
  const made = { collection, field: null as unknown as string, name: 'Amount', kind: 'number' as const }
  const { data } = await owner.rpc('save_field', made).throwOnError()
  return data.id
}

async function findRule(): Promise<string> {
  const { data: known } = await owner.from('rules').select('id').eq('library_id', library).maybeSingle().throwOnError()
  if (known) return known.id
  const { data } = await owner
    .rpc('save_rule', {
      library,
      rule: {
        name: 'Bench',
        is_on: false,
        collection_id: await outerCollection(),
        conditions: [{ on: 'title', value: 'Note' }],
        actions: [
          { do: 'tag', tag },
          { do: 'set', field, value: 1 },
        ],
      },
    })
    .throwOnError()
  return data.id
}

async function outerCollection(): Promise<string> {
  const { data } = await owner
    .from('collections')
    .select('id')
    .eq('library_id', library)
    .eq('name', 'Outer')
    .single()
    .throwOnError()
  return data.id
}
