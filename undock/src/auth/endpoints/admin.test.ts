import { hash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const password = 'correct horse'
const admin = () => auth.client({ secret: true }).auth.admin
const ask = (path: string, key = auth.identity.keys.secret) =>
  fetch(`${auth.url}/auth/v1${path}`, { headers: { apikey: key, authorization: `Bearer ${key}` } })

describe('users managed by administrators', () => {
  test('are created with all supported properties', async () => {
    const id = 'c0ffee00-0000-4000-8000-000000000001'
    const { data, error } = await admin().createUser({
      id,
      email: 'Made@Example.com',
      phone: '+49 151 12345678',
      password,
      email_confirm: true,
      user_metadata: { name: 'Made' },
      app_metadata: { plan: 'pro' },
      role: 'authenticated',
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      id,
      email: 'made@example.com',
      phone: '4915112345678',
      user_metadata: { name: 'Made', email_verified: true },
      app_metadata: { provider: 'email', providers: ['email', 'phone'], plan: 'pro' },
      email_confirmed_at: expect.any(String),
    })
    expect(data.user?.identities?.map(({ provider }) => provider).sort()).toEqual(['email', 'phone'])
    const signedIn = await auth.client().auth.signInWithPassword({ email: 'made@example.com', password })
    expect((await auth.identity.verify(signedIn.data.session?.access_token ?? '')).claims.app_metadata).toMatchObject({
      plan: 'pro',
    })
  })

  test('can be created with a bcrypt hash', async () => {
    const password_hash = await hash('from elsewhere', { cost: 4 })
    await admin().createUser({ email: 'hashed@example.com', password_hash, email_confirm: true })
    const { error } = await auth
      .client()
      .auth.signInWithPassword({ email: 'hashed@example.com', password: 'from elsewhere' })
    expect(error).toBeNull()
    expect((await admin().createUser({ email: 'other@example.com', password_hash: 'md5:x' })).error).toMatchObject({
      status: 400,
    })
  })

  test.each([
    ['a taken address', { email: 'MADE@example.com' }, 'email_exists'],
    ['no address', {}, 'validation_failed'],
    ['an invalid id', { email: 'x@example.com', id: 'nope' }, 'validation_failed'],
    ['an invalid ban duration', { email: 'x@example.com', ban_duration: 'forever' }, 'validation_failed'],
  ])('are rejected with %s', async (_name, attributes, code) => {
    expect((await admin().createUser(attributes)).error).toMatchObject({ code })
  })

  test('are listed in pages', async () => {
    for (let index = 0; index < 5; index++) {
      auth.clock.advance(1)
      await admin().createUser({ email: `listed${index}@example.com`, password })
    }
    const { data } = await admin().listUsers({ page: 2, perPage: 2 })
    expect(data.users.map(({ email }) => email)).toEqual(['listed2@example.com', 'listed1@example.com'])
    expect(data).toMatchObject({ aud: 'authenticated', nextPage: 3 })
    const response = await ask('/admin/users?per_page=2&page=1&filter=listed')
    expect(response.headers.get('x-total-count')).toBe('5')
    expect(response.headers.get('link')).toBe(
      '</admin/users?filter=listed&page=2&per_page=2>; rel="next", </admin/users?filter=listed&page=3&per_page=2>; rel="last"',
    )
    const sorted = (await (await ask('/admin/users?sort=created_at%20asc&filter=listed')).json()) as {
      users: { email: string }[]
    }
    expect(sorted.users[0]?.email).toBe('listed0@example.com')
  })

  test('change address, role, password and metadata', async () => {
    const { data: made } = await admin().createUser({ email: 'before@example.com', password, user_metadata: { a: 1 } })
    const id = made.user?.id ?? ''
    const { data, error } = await admin().updateUserById(id, {
      email: 'after@example.com',
      email_confirm: true,
      password: 'battery staple',
      user_metadata: { b: 2 },
      app_metadata: { admin: true },
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: 'after@example.com',
      user_metadata: { a: 1, b: 2 },
      app_metadata: { admin: true },
      identities: [{ email: 'after@example.com', identity_data: { email_verified: true } }],
    })
    expect(
      (await auth.client().auth.signInWithPassword({ email: 'after@example.com', password: 'battery staple' })).error,
    ).toBeNull()
    expect((await admin().updateUserById(id, { email: 'made@example.com' })).error).toMatchObject({
      code: 'email_exists',
    })
  })

  test('are deleted, softly or permanently', async () => {
    const soft =
      (await admin().createUser({ email: 'soft@example.com', password, email_confirm: true })).data.user?.id ?? ''
    const hard = (await admin().createUser({ email: 'hard@example.com', password })).data.user?.id ?? ''
    expect((await admin().deleteUser(soft, true)).error).toBeNull()
    expect((await admin().deleteUser(hard)).error).toBeNull()
    expect((await admin().getUserById(hard)).error).toMatchObject({
      status: 404,
      code: 'user_not_found',
      message: 'User not found',
    })
    const { data } = await admin().getUserById(soft)
    expect(data.user).toMatchObject({ deleted_at: expect.any(String), user_metadata: {}, app_metadata: {} })
    expect(JSON.stringify(data.user)).not.toContain('soft@example.com')
    expect((await auth.client().auth.signInWithPassword({ email: 'soft@example.com', password })).error).toMatchObject({
      code: 'invalid_credentials',
    })
    expect((await auth.client().auth.signUp({ email: 'soft@example.com', password })).error).toBeNull()
  })

  test('are signed out by their token', async () => {
    const client = auth.client()
    const { data } = await client.auth.signUp({ email: 'leaving@example.com', password })
    expect((await admin().signOut(data.session?.access_token ?? '', 'global')).error).toBeNull()
    expect((await client.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
  })
})

test.each(['/admin/users', '/admin/audit', '/admin/oauth/clients', '/admin/custom-providers', '/admin/sso/providers'])(
  '%s requires the service role',
  async (path) => {
    const client = auth.client()
    const { data } = await client.auth.signUp({ email: `nosy${path.replaceAll('/', '-')}@example.com`, password })
    expect((await ask(path, data.session?.access_token)).status).toBe(403)
    expect((await ask(path, auth.identity.keys.publishable)).status).toBe(403)
    expect(await (await fetch(`${auth.url}/auth/v1${path}`)).json()).toEqual({
      code: 401,
      error_code: 'no_authorization',
      msg: 'This endpoint requires a valid Bearer token',
    })
  },
)

describe('typical projects', () => {
  test('a seeded user signs in', async () => {
    await auth.db.exec(`
      insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
        raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token)
      values ('00000000-0000-0000-0000-000000000000', 'aaaaaaaa-0000-4000-8000-000000000001', 'authenticated',
        'authenticated', 'seed@example.com', extensions.crypt('seeded password', extensions.gen_salt('bf')), now(),
        '{"provider":"email","providers":["email"]}', '{}', now(), now(), null);`)
    const { error } = await auth
      .client()
      .auth.signInWithPassword({ email: 'seed@example.com', password: 'seeded password' })
    expect(error).toBeNull()
  })

  test("a trigger on auth.users creates a profile, and a failing trigger's error is reported", async () => {
    await auth.db.exec(`
      create table public.profiles (id uuid primary key references auth.users on delete cascade, name text);
      create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        if new.raw_user_meta_data ->> 'name' = 'forbidden' then raise exception 'no such name'; end if;
        insert into public.profiles (id, name) values (new.id, new.raw_user_meta_data ->> 'name');
        return new;
      end $$;
      create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();`)
    const { data } = await auth
      .client()
      .auth.signUp({ email: 'profile@example.com', password, options: { data: { name: 'Pia' } } })
    const { rows } = await auth.db.query(statement(sql`select name from public.profiles where id = ${data.user?.id}`))
    expect(rows).toEqual([{ name: 'Pia' }])
    const failed = await auth
      .client()
      .auth.signUp({ email: 'x@example.com', password, options: { data: { name: 'forbidden' } } })
    expect(failed.error).toMatchObject({ status: 500, message: 'Database error saving new user' })
    await auth.db.exec('drop trigger on_auth_user_created on auth.users')
  })

  test('reports a trigger that prevents deleting a user, and loses nothing', async () => {
    const id = (await admin().createUser({ email: 'kept@example.com', password })).data.user?.id ?? ''
    await auth.db.exec(`
      create function public.keep() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then raise exception 'kept' using errcode = '23514', hint = 'ask first'; end if;
        if new.raw_user_meta_data ? 'barred' then raise exception 'barred' using errcode = 'PT409'; end if;
        return new;
      end $$;
      create trigger keep before update or delete on auth.users for each row execute function public.keep();`)
    expect((await admin().deleteUser(id)).error).toMatchObject({
      status: 500,
      message: 'Database error deleting user',
    })
    expect((await admin().updateUserById(id, { user_metadata: { barred: true } })).error).toMatchObject({
      status: 500,
      message: 'Database error updating user',
    })
    expect(auth.logged.slice(-2)).toEqual([
      expect.stringMatching(/Database error deleting user.*kept/),
      expect.stringMatching(/Database error updating user.*barred/),
    ])
    // Clients from before 2024 get the database's message.
    const old = (method: string, body: string | null = null) =>
      fetch(`${auth.url}/auth/v1/admin/users/${id}`, {
        method,
        body,
        headers: { authorization: `Bearer ${auth.identity.keys.secret}` },
      }).then(async (response) => [response.status, await response.json()])
    expect(await old('DELETE')).toEqual([500, { code: '23514', message: 'kept', hint: 'ask first' }])
    expect(await old('PUT', '{"user_metadata":{"barred":1}}')).toEqual([409, { code: 'PT409', message: 'barred' }])
    await auth.db.exec('drop trigger keep on auth.users')
    expect((await admin().getUserById(id)).data.user).toMatchObject({ email: 'kept@example.com' })
  })
})
