import { PGlite } from '@electric-sql/pglite'
import { pg_stat_statements } from '@electric-sql/pglite/contrib/pg_stat_statements'
import { AccessQuestionError, type Answer, explainRequest, type MatrixRow, readMatrix } from '../../src/access/index.ts'
import { AuthSection } from '../../src/config/schema/auth.ts'
import { createDb } from '../../src/database/engine-db.ts'
import { START_SETTINGS } from '../../src/database/pglite/one-session.ts'
import { runScript } from '../../src/database/protocol/exchange.ts'
import { createIdentity } from '../../src/identity/create-identity.ts'
import { type Log, systemClock } from '../../src/kernel/service.ts'
import { createRest } from '../../src/rest/index.ts'
import type { RequestRecord } from '../../src/timeline/records.ts'
import { createTimeline } from '../../src/timeline/timeline.ts'
import { traceDb, traceIdentity } from '../../src/timeline/traced.ts'
import { createBrowserEngine } from './engine.ts'
import { type Caller, PEOPLE, type Person } from './people.ts'
import projectSql from './project.sql?raw'

/** What PGlite is opened from: its program, its files, and a cluster that undock has prepared. */
export type EngineFiles = { readonly program: WebAssembly.Module; readonly files: Blob; readonly cluster: Blob }

export type RawRequest = {
  readonly method: string
  readonly url: string
  readonly headers: [string, string][]
  readonly body: string | null
}

/** @property why What `undock explain` says of the request; a sentence where it cannot be explained. */
export type RawAnswer = {
  readonly status: number
  readonly headers: [string, string][]
  readonly body: string | null
  readonly record: RequestRecord | null
  readonly why: Answer | string
}

export type Backend = {
  /** What callers send: a key, and a token for people. */
  readonly credentials: Readonly<Record<Caller, { key: string; token: string | null }>>
  answer(request: RawRequest): Promise<RawAnswer>
  /** Replaces all policies of the table by those of a script. @throws {DatabaseError} and then nothing is changed. */
  setPolicies(script: string): Promise<void>
  /** The rows of the beginning. */
  reset(policies: string): Promise<void>
  matrix(): Promise<MatrixRow[]>
}

/** undock's own modules on PGlite: the Data API with its timeline, and the explanation of access. */
export async function openBackend({ program, files, cluster }: EngineFiles): Promise<Backend> {
  const database = await PGlite.create({
    pgliteWasmModule: program,
    // The cluster exists, so initdb is never run: an empty program keeps PGlite from fetching it.
    initdbWasmModule: await WebAssembly.compile(EMPTY_PROGRAM),
    fsBundle: files,
    loadDataDir: cluster,
    // The cluster's settings load this library at the start.
    extensions: { pg_stat_statements },
    startParams: [
      ...PGlite.defaultStartParams,
      ...Object.entries(START_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  })
  const engine = createBrowserEngine(database)
  const db = createDb(engine)
  const timeline = createTimeline({ requests: 100, characters: 1_000_000 })
  const identity = await createIdentity({ config: { ...AuthSection.parse({}), signing_keys: [] }, clock: systemClock })
  const rest = await createRest({
    db: traceDb(db, timeline),
    identity: traceIdentity(identity, timeline),
    clock: systemClock,
    config: { schemas: ['public'], extra_search_path: ['public', 'extensions'], max_rows: 1000 },
    bodyLimit: 1024 * 1024,
    log: LOG,
  })
  const handle = timeline.wrapHandler('rest', rest.handle)
  await db.exec(USERS)

  const asProject = (script: string): Promise<void> =>
    engine.withProjectSession((session) => runScript(session, script))

  async function explanationOf(record: RequestRecord | null, body: string | null): Promise<Answer | string> {
    if (record === null) return 'The request was not kept.'
    const caller = timeline.principalOf(record.id)
    try {
      const [row] = body === null ? [] : [JSON.parse(body)].flat()
      return await explainRequest(db, { ...record, caller }, { findTarget: rest.targetOf, row, readsOnly: true })
    } catch (error) {
      if (error instanceof AccessQuestionError) return error.message
      if (error instanceof Error && 'code' in error) return error.message
      throw error
    }
  }

  return {
    credentials: {
      anon: { key: identity.keys.publishable, token: null },
      ada: { key: identity.keys.publishable, token: await identity.sign(claimsOf(PEOPLE.ada)) },
      grace: { key: identity.keys.publishable, token: await identity.sign(claimsOf(PEOPLE.grace)) },
      secret: { key: identity.keys.secret, token: null },
    },
    async answer({ method, url, headers, body }) {
      const requestId = crypto.randomUUID()
      const request = new Request(url, { method, headers, body })
      const response = await handle(request, { requestId, address: '127.0.0.1' })
      const text = await response.text()
      const record = timeline.find(requestId)
      return {
        status: response.status,
        headers: [...response.headers],
        body: NO_BODY.includes(response.status) ? null : text,
        record,
        why: await explanationOf(record, body),
      }
    },
    setPolicies: (script) => asProject(`${DROP_POLICIES}\n${script}`),
    async reset(policies) {
      await asProject(`drop table if exists public.notes cascade;\n${projectSql}`)
      await asProject(policies)
    },
    matrix: () => readMatrix(db, ['public']),
  }
}

/** The statuses for which a `Response` can't have a body. */
const NO_BODY = [204, 205, 304]

const EMPTY_PROGRAM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])

const LOG: Log = {
  info: () => undefined,
  warn: () => undefined,
  // biome-ignore lint/suspicious/noConsole: where somebody looks who develops the page
  error: (message, error) => console.error(message, error),
}

const claimsOf = ({ id, email }: Person) => ({
  sub: id,
  email,
  role: 'authenticated',
  aud: 'authenticated',
  exp: Math.floor(Date.now() / 1_000) + 86_400,
})

const USERS = `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data) values ${Object.values(
  PEOPLE,
)
  .map(({ id, email }) => `('${id}', 'authenticated', 'authenticated', '${email}', now(), '{}', '{}')`)
  .join(', ')}`

const DROP_POLICIES = `do $$
declare name text;
begin
  for name in select polname from pg_policy where polrelid = 'public.notes'::regclass loop
    execute format('drop policy %I on public.notes', name);
  end loop;
end $$;`
