import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { runScript } from '../../database/protocol/exchange.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { openChanges } from './changes.ts'
import type { ChangeListener } from './subscriptions.ts'

const SPY = `
  create sequence public.runs; create sequence public.superuser_runs; grant all on public.runs, public.superuser_runs to public;
  create function public.spy() returns boolean language plpgsql as $$
  begin
    perform nextval('public.runs');
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
      perform nextval('public.superuser_runs');
    end if;
    return true;
  end $$;
  create function public.spy_row() returns trigger language plpgsql as $$
    begin perform public.spy(); return coalesce(new, old); end $$;
  create trigger spy before insert or update or delete on realtime.subscription for each row execute function public.spy_row();
  create domain public.spied as text check (public.spy());
  create table public.items (id int primary key, name public.spied);
  create function public.spy_cast(public.items) returns text language sql as 'select public.spy()::text';
  create cast (public.items as text) with function public.spy_cast(public.items);
  alter publication supabase_realtime add table public.items;
`

test('subscriptions run no project trigger, type or cast as a superuser', async () => {
  const { db, engine, close } = await openTestDatabase()
  onTestFinished(close)
  await engine.withSessionOf('postgres', (session) => runScript(session, SPY))
  const errors: unknown[] = []
  const log = { info: () => undefined, warn: () => undefined, error: (...all: unknown[]) => void errors.push(all) }
  const changes = await openChanges(db, log as never, { node: randomUUID(), isAlone: true })
  const delivered: Buffer[] = []
  const listener: ChangeListener = {
    topic: 'realtime:items',
    version: '1.0.0',
    request: { legacy: false },
    deliver: (wire) => void delivered.push(wire),
    fail: () => undefined,
  }
  const binding = { event: '*', schema: 'public', table: 'items', filter: 'name=eq.one' }
  await changes.subscribe(listener, [binding], { role: 'service_role' })
  const asProject = (script: string) => engine.withSessionOf('postgres', (session) => runScript(session, script))
  await asProject(
    "insert into public.items values (1, 'one'); update public.items set name = 'one'; update public.items set name = 'one'",
  )
  await expect.poll(() => delivered.length).toBeGreaterThan(0)
  await changes.close()
  const { rows } = await db.query({
    text: 'select r.is_called as has_run, s.is_called as as_superuser from public.runs r, public.superuser_runs s',
    values: [],
  })
  expect(rows).toEqual([{ has_run: true, as_superuser: false }])
  expect(errors).toEqual([])
})

test("a filter on a column named like an object member doesn't block other subscribers", async () => {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  await db.exec(`create table public.results (id int primary key, "constructor" text, "__proto__" text);
    alter publication supabase_realtime add table public.results`)
  const errors: unknown[] = []
  const log = { info: () => undefined, warn: () => undefined, error: (...all: unknown[]) => void errors.push(all) }
  const changes = await openChanges(db, log as never, { node: randomUUID(), isAlone: true })
  const delivered: string[] = []
  for (const column of [null, 'constructor', '__proto__']) {
    const filter = column ? { filter: `${column}=eq.ferrari` } : {}
    const listener: ChangeListener = {
      topic: `realtime:${column}`,
      version: '1.0.0',
      request: { legacy: false },
      deliver: () => void delivered.push(`${column}`),
      fail: () => undefined,
    }
    await changes.subscribe(listener, [{ event: '*', schema: 'public', table: 'results', ...filter }], {
      role: 'service_role',
    })
  }
  await db.exec("insert into public.results values (1, 'ferrari', 'ferrari'); delete from public.results")
  await expect.poll(() => delivered.filter((column) => column === 'null')).toHaveLength(2)
  await changes.close()
  expect(delivered.toSorted()).toEqual(['__proto__', 'constructor', 'null', 'null'])
  expect(errors).toEqual([])
})
