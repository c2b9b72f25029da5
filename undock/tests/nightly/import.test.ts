import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { rowsOf, SCHEMA, TRIGGERS } from '../support/import-project.ts'
import { type ImportSide, query, startSide, stopSide } from '../support/import-sides.ts'

const PEOPLE = 40

let told = ''
beforeEach(() => {
  told = ''
  vi.spyOn(console, 'error').mockImplementation((text) => {
    told += `${text}\n`
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('from one backend to another', () => {
  let source: ImportSide
  let target: ImportSide
  beforeAll(async () => {
    source = await startSide({ 'migrations/1_a.sql': SCHEMA, 'migrations/2_b.sql': rowsOf(PEOPLE) })
    target = await startSide({ 'migrations/1_a.sql': SCHEMA, 'migrations/2_b.sql': TRIGGERS })
  })
  afterAll(async () => {
    await stopSide(source)
    await stopSide(target)
  })

  const undockImport = (...words: string[]) =>
    runCli(['import', '--db-url', source.stack.dbUrl, '--yes', '--workdir', target.project.folder, ...words])

  test('copies all rows unchanged, and sequences continue', async () => {
    expect(await undockImport(), told).toBe(0)
    expect(told).not.toContain('in the source, and')
    const all = (table: string) => `select to_jsonb(t) as row from ${table} t order by 1`
    for (const table of ['profiles', 'departments', 'rooms', '"Odd ""na.me"', 'mails', 'events'])
      expect(await query(target, all(`public.${table}`)), table).toEqual(await query(source, all(`public.${table}`)))
    expect(await query(target, all('auth.identities'))).toEqual(await query(source, all('auth.identities')))
    expect(
      await query(
        target,
        `select count(*)::int as users, count(encrypted_password)::int as passwords,
        count(nullif(recovery_token, ''))::int as tokens, (select count(*)::int from auth.mfa_factors) as factors,
        (select count(*)::int from auth.sessions) as sessions from auth.users`,
      ),
    ).toEqual([{ users: PEOPLE, passwords: PEOPLE, tokens: 0, factors: PEOPLE, sessions: 0 }])
    expect(await query(target, "insert into public.departments (name) values ('east') returning id")).toEqual([
      { id: 3 },
    ])
    expect(await query(target, 'insert into public."Odd ""na.me" default values returning id::int')).toEqual([
      { id: PEOPLE + 1 },
    ])
  })

  test('rejects tables with rows; --replace empties them', async () => {
    expect(await undockImport()).toBe(1)
    expect(told).toContain('These tables already have rows:')
    expect(told).toContain('--replace')
    expect(await undockImport('--replace'), told).toBe(0)
    expect(told).toMatch(/Emptied first: .*auth\.sessions.*public\.departments/)
    expect(await query(target, 'select count(*)::int as n from public.departments')).toEqual([{ n: 2 }])
  })

  test('a sample includes all rows it refers to, through cycles', async () => {
    expect(await undockImport('--tables', 'Odd "na.me,events', '--sample', '3', '--replace'), told).toBe(0)
    const [counts] = await query(
      target,
      `
      select (select count(*)::int from public."Odd ""na.me") as odd, (select count(*)::int from public.rooms) as rooms,
        (select count(*)::int from public.events) as events, (select count(*)::int from public.profiles) as profiles,
        (select count(*)::int from public.departments) as departments, (select count(*)::int from auth.users) as users,
        (select count(*)::int from auth.identities) as identities, (select count(*)::int from public.mails) as mails`,
    )
    // Each profile references its mentor, so one includes all.
    expect(counts).toEqual({
      odd: 3,
      rooms: 3,
      events: 3,
      profiles: PEOPLE,
      departments: 2,
      users: PEOPLE,
      identities: PEOPLE,
      mails: 0,
    })
  })

  test('anonymizes all personal data, keeps keys valid and copies no secrets', async () => {
    expect(await undockImport('--anonymize', '--replace'), told).toBe(0)
    expect(told).toContain('public.profiles.email (e-mail)')
    expect(told).toContain('public.mails.address (e-mail)')
    expect(told).not.toContain('encrypted_password')
    const everything = await query<{ text: string }>(
      target,
      `
      select (select json_agg(t) from auth.users t)::text || (select json_agg(t) from auth.identities t)::text
        || (select json_agg(t) from public.profiles t)::text || (select json_agg(t) from public.mails t)::text as text`,
    )
    const text = everything[0]?.text ?? ''
    expect(text).not.toMatch(/real\.example/i)
    expect(text).not.toMatch(/Real Name|\+4930|secret/)
    expect(text).toContain('12345678901234567890')
    const [counts] = await query(
      target,
      `
      select count(distinct p.email)::int as emails, count(distinct p.phone)::int as phones, count(distinct p.full_name)::int as names,
        bool_and(p.email::text = u.email and u.raw_user_meta_data ->> 'email' = u.email) as "isSame",
        bool_and(p.phone ~ '^\\+4[0-9]{10}$') as "isPhone", bool_and(p.about ->> 'plain' = 'kept') as "isKept",
        count(u.encrypted_password)::int as passwords, (select count(*)::int from auth.mfa_factors) as factors,
        (select count(*)::int from public.mails m join public.profiles p on p.email = m.address) as linked
      from public.profiles p join auth.users u using (id)`,
    )
    expect(counts).toEqual({
      emails: PEOPLE,
      phones: PEOPLE,
      names: PEOPLE,
      isSame: true,
      isPhone: true,
      isKept: true,
      passwords: 0,
      factors: 0,
      linked: PEOPLE,
    })
  })

  test('a sample finds referenced rows by their original values', async () => {
    expect(await undockImport('--tables', 'mails', '--sample', '2', '--anonymize', '--replace'), told).toBe(0)
    expect(
      await query(
        target,
        'select count(*)::int as n from public.mails m join public.profiles p on p.email = m.address',
      ),
    ).toEqual([{ n: 2 }])
  })

  test('undock.toml names columns, and a given key makes the same fakes again', async () => {
    const settings = 'import.anonymize = ["public.departments.name"]\nimport.keep = ["public.profiles.phone"]\n'
    await target.project.write('undock.toml', settings)
    vi.stubEnv('UNDOCK_IMPORT_KEY', 'a secret text of more than 32 characters')
    const read = 'select name, (select min(phone) from public.profiles) as phone from public.departments order by id'
    expect(await undockImport('--anonymize', '--replace'), told).toBe(0)
    const rows = await query(target, read)
    expect(rows[0]).toEqual({ name: expect.not.stringMatching(/north/), phone: '+49300000001' })
    expect(await undockImport('--anonymize', '--replace'), told).toBe(0)
    expect(await query(target, read)).toEqual(rows)

    await target.project.write('undock.toml', 'import.keep = ["public.mails.address"]\n')
    expect(await undockImport('--anonymize', '--replace')).toBe(1)
    expect(told).toContain('public.mails.address refers to public.profiles.email: keep both')
    await target.project.write(
      'undock.toml',
      'import.anonymize = ["public.profiles.nothing", "public.profiles.mood"]\n',
    )
    expect(await undockImport('--anonymize', '--replace')).toBe(1)
    expect(told).toContain('names public.profiles.nothing, but there is no such column')
    await target.project.write('undock.toml', '')
  })
})
