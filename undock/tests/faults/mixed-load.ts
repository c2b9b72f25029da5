import { createClient } from '@supabase/supabase-js'
import { expect } from 'vitest'
import type { TestProject } from '../support/project.ts'
import { SECRET_KEY } from './storage-load.ts'

/** A project that uses every service. */
export const MIXED_PROJECT = {
  'config.toml': '[storage.buckets.docs]\n',
  'migrations/1_entries.sql': `
    create table public.entries (id text primary key, body text not null);
    alter table public.entries enable row level security;
    alter publication supabase_realtime add table public.entries;`,
  // Writes through the API like functions do, but without a package, so no registry is needed.
  'functions/note/index.ts': `
    const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')
    Deno.serve(async (request) => {
      const { id } = await request.json()
      const { ok } = await fetch(Deno.env.get('SUPABASE_URL') + '/rest/v1/entries', {
        method: 'POST',
        headers: { apikey: key, authorization: 'Bearer ' + key, 'content-type': 'application/json' },
        body: JSON.stringify({ id, body: 'by a function' }),
      })
      return Response.json({ id }, { status: ok ? 201 : 500 })
    })`,
}

const PASSWORD = 'a password of nobody'
/** The number of sessions that a check refreshes, each with its only remaining token. */
const SESSIONS_TRIED = 5

export const clientOf = ({ ports }: TestProject) =>
  createClient(`http://127.0.0.1:${ports.SUPABASE_API_PORT}`, SECRET_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  })

/** Acknowledged data that must exist after any kill. */
export class Acknowledged {
  readonly rows = new Set<string>()
  readonly users = new Set<string>()
  readonly files = new Set<string>()
  /** Refresh tokens that were issued but not used. */
  readonly #sessions: string[] = []
  /** Rows written by functions. */
  byFunctions = 0
  /** Changes received while the load was running. */
  heard = 0

  get count(): number {
    return this.rows.size + this.users.size + this.files.size
  }

  /** One client's load on each service in turn until the connection ends. @param name Unique among the clients. */
  async load(stack: TestProject, name: string, isOn: () => boolean): Promise<void> {
    const client = clientOf(stack)
    const channel = client
      .channel(name)
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'entries' }, () => {
        this.heard++
      })
      .subscribe()
    for (let step = 0; isOn(); step++) {
      const id = `${name}-${step}`
      const row = await client.from('entries').insert({ id, body: id })
      if (!row.error) this.rows.add(id)
      const file = await client.storage.from('docs').upload(`${id}.txt`, id)
      if (!file.error) this.files.add(`${id}.txt`)
      const called = await client.functions.invoke('note', { body: { id: `${id}-noted` } })
      if (!called.error) {
        this.rows.add(`${id}-noted`)
        this.byFunctions++
      }
      if (step % 4 === 0) await this.#join(stack, `${id}@example.com`)
    }
    await client.removeChannel(channel)
    client.realtime.disconnect()
  }

  /** Creates a user and a session. */
  async #join(stack: TestProject, email: string): Promise<void> {
    const created = await clientOf(stack).auth.admin.createUser({ email, password: PASSWORD, email_confirm: true })
    if (created.error) return
    this.users.add(email)
    const { data } = await clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD })
    if (data.session) this.#sessions.push(data.session.refresh_token)
  }

  /** Checks that all data exists and each service works. */
  async check(stack: TestProject): Promise<void> {
    const client = clientOf(stack)
    const rows = await pages((from, to) => client.from('entries').select('id').range(from, to), 'id')
    const files = await pages(
      (offset, to) => client.storage.from('docs').list('', { offset, limit: to - offset + 1 }),
      'name',
    )
    const users = new Set<string>()
    for (let page = 1; ; page++) {
      const { data, error } = await client.auth.admin.listUsers({ page, perPage: 1_000 })
      expect(error).toBeNull()
      for (const { email } of data.users) users.add(email ?? '')
      if (data.users.length < 1_000) break
    }
    const lost = [missing(this.rows, rows), missing(this.files, files), missing(this.users, users)]
    expect(lost).toEqual([[], [], []])
    for (const refresh_token of this.#sessions.splice(-SESSIONS_TRIED)) {
      expect((await clientOf(stack).auth.refreshSession({ refresh_token })).error).toBeNull()
    }
  }
}

const missing = (wanted: ReadonlySet<string>, found: ReadonlySet<string>) =>
  [...wanted].filter((one) => !found.has(one))

const PAGE = 500
type Page = PromiseLike<{ data: object[] | null; error: unknown }>
async function pages(read: (from: number, to: number) => Page, key: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (let from = 0; ; from += PAGE) {
    const { data, error } = await read(from, from + PAGE - 1)
    expect(error).toBeNull()
    for (const one of data ?? []) found.add(String((one as Record<string, unknown>)[key]))
    if ((data?.length ?? 0) < PAGE) return found
  }
}

/** Checks that a freshly started stack delivers a change and runs a function. */
export async function expectLive(stack: TestProject, id: string): Promise<void> {
  const client = clientOf(stack)
  const heard = new Promise<unknown>((resolve, reject) => {
    client
      .channel('live')
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'entries' }, ({ new: row }) => resolve(row))
      .on('system', {}, ({ status }: { status: string }) => {
        // Changes are received only from here on.
        if (status !== 'ok') return reject(new Error(status))
        client.functions.invoke('note', { body: { id } }).then(({ error }) => error && reject(error), reject)
      })
      .subscribe()
  })
  expect(await heard).toEqual({ id, body: 'by a function' })
  await client.removeAllChannels()
  client.realtime.disconnect()
}
