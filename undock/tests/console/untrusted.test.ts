// Any page can open a console URL, and any of the app's users can write texts that the console shows.
import { createClient } from '@supabase/supabase-js'
import { startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject } from '../support/project.ts'
import { expect, test } from './fixtures.ts'
import { SCREENS } from './screen-titles.ts'

test('sends no SQL from a URL before the user confirms', async ({ page }) => {
  const sent: string[] = []
  page.on('request', (request) => void (request.postData()?.includes('hostile_call') && sent.push(request.url())))
  const sql = 'hostile_call() is null'
  const filters = encodeURIComponent(JSON.stringify([['id', `= 1 or ${sql} or id =`, '1']]))
  await page.goto(`/tables/public/books?filters=${filters}`)
  await expect(page.getByRole('gridcell', { name: 'Book 1', exact: true })).toBeVisible()
  await page.goto(`/policies/explain?as=anon&action=delete&target=public.books&where=${encodeURIComponent(sql)}`)
  await expect(page.getByLabel('Which rows')).toHaveValue(sql)
  await expect(page.getByText('Who would do what?')).toBeVisible()
  expect(sent).toEqual([])
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect.poll(() => sent).toHaveLength(1)
})

/** As a name: markup and SQL and HTML quotes. */
const NAME = `<img src=x onerror=globalThis.stolen=1>"'</script>`
const LINK = 'javascript:globalThis.stolen=1'
const value = (text: string) => `'${text.replaceAll("'", "''")}'`
const name = (text: string) => `"${text.replaceAll('"', '""')}"`

const MIGRATION = `
  create schema ${name(NAME)};
  create schema "__proto__";
  create table "__proto__"."toString" ("constructor" int primary key);
  create type public.${name(`${NAME}e`)} as enum (${value(NAME)}, '__proto__');
  create table public.books (
    id int primary key, ${name(NAME)} text default ${value(NAME)}, "__proto__" text, "constructor" jsonb,
    kind public.${name(`${NAME}e`)}, url text, constraint ${name(NAME)} unique (url));
  comment on table public.books is ${value(NAME)};
  comment on column public.books."__proto__" is ${value(NAME)};
  create table ${name(NAME)}.${name(NAME)} (${name(NAME)} int primary key references public.books);
  insert into public.books values (1, ${value(NAME)}, ${value(LINK)}, '{"__proto__": "x"}', ${value(NAME)}, ${value(LINK)});
  alter table public.books enable row level security;
  create policy ${name(NAME)} on public.books using (url <> ${value(NAME)});
  create function public.${name(NAME)}(${name(NAME)} text) returns text language sql as $f$ select ${value(NAME)} $f$;
  comment on function public.${name(NAME)} is ${value(NAME)};
  create function public.fire() returns trigger language plpgsql as 'begin return new; end';
  create trigger ${name(NAME)} before insert on public.books for each row execute function public.fire();
  create view public.${name(`${NAME}v`)} as select * from public.books;
  create role ${name(NAME)};
  create publication ${name(NAME)};
  create extension pg_cron;
  select cron.schedule(${value(NAME)}, '0 0 1 1 *', ${value(NAME)});
  select vault.create_secret('x', ${value(NAME)}, ${value(NAME)});`

const FILES = [
  [
    'a.svg',
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="top.stolen=1"><image href="http://evil.example"/></svg>',
  ],
  ['a.html', 'text/html', '<script>top.stolen=1</script>'],
  ["'x' & onerror=(top.stolen=1)/b.txt", 'text/plain', NAME],
] as const

const table = `${encodeURIComponent(NAME)}/${encodeURIComponent(NAME)}`
const SECTIONS = ['functions', 'triggers', 'types', 'indexes', 'roles', 'extensions', 'publications', 'cron', 'vault']
const PLACES = [
  ...Object.keys(SCREENS),
  ...[`/tables/${table}`, `/tables/${table}?view=definition`, '/tables/__proto__/toString', `/policies/${table}`],
  ...['constructor', '__proto__', ...SECTIONS].map((section) => `/schema/${section}?schema=*`),
  ...['/schema?schema=*', '/storage/files', '/storage/files?file=a.svg', '/storage/files?file=a.html'],
  ...[`/mail?q=${encodeURIComponent(NAME)}`, `/realtime?topic=${encodeURIComponent(NAME)}&join=true`],
]

test('displays names that contain markup or match object members as text on every screen', async ({ page }) => {
  test.setTimeout(600_000)
  const project = await makeProject({
    'config.toml': 'project_id = "bookshop"',
    'migrations/20260101000000_bookshop.sql': MIGRATION,
  })
  const stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true })
  const { secret } = stack.identity.keys
  const { auth, storage } = createClient(stack.url, secret, { auth: { persistSession: false } })
  const { data } = await auth.admin.createUser({
    email: 'ada@example.com',
    user_metadata: { name: NAME, full_name: NAME, avatar_url: LINK },
    app_metadata: { [NAME]: LINK },
  })
  await storage.createBucket('files')
  for (const [key, contentType, text] of FILES)
    await storage.from('files').upload(key, new Blob([text]), { contentType })
  for (const path of [NAME, '%ff', 'constructor', `books?select=${encodeURIComponent(NAME)}&limit=1);x(`])
    await fetch(`${stack.url}/rest/v1/${path}`, { headers: { apikey: secret, 'user-agent': NAME } })

  const recorded = await fetch(`${stack.url}/undock/v1/requests`, { headers: { apikey: secret } })
  const requests = (await recorded.json()) as { id: string }[]

  const foreign: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(data|blob):/.test(url) && !url.startsWith(stack.consoleUrl ?? '')) foreign.push(url)
  })
  const details = requests.map(({ id }) => `/requests/${id}`)
  for (const path of [...PLACES, ...details, `/users/${data.user?.id}`]) {
    await page.goto(stack.consoleUrl + path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await page.waitForLoadState('networkidle')
    expect.soft(await page.evaluate(() => 'stolen' in globalThis), path).toBe(false)
    expect.soft(await page.locator('[onerror], [src=x], [href^="javascript:"]').count(), path).toBe(0)
    expect.soft(await page.evaluate(() => Object.keys(Object.prototype)), path).toEqual([])
  }
  expect(foreign).toEqual([])
  await stack.stop()
  await project.remove()
})
