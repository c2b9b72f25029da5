import { readFileSync } from 'node:fs'

export const STARTER_NAMES = ['todo', 'chat', 'documents'] as const
export type StarterName = (typeof STARTER_NAMES)[number]

/** An example to start a project from. Once written, its files belong to the project. @property tables The migration's tables, with schema.
 *  @property buckets The ids of its buckets.
 *  @property seed Rows to try it with. @property test A file of pgTAP.
 *  @property snippet How an app uses it with supabase-js, given a client named `supabase`. */
export type Starter = {
  readonly name: StarterName
  readonly title: string
  readonly summary: string
  readonly tables: readonly string[]
  readonly buckets: readonly string[]
  readonly migration: string
  readonly seed: string
  readonly test: string
  readonly snippet: string
}

const DESCRIPTIONS: Record<StarterName, Pick<Starter, 'title' | 'summary' | 'tables' | 'buckets'>> = {
  todo: {
    title: 'Todo list',
    summary: 'One table with row security: users read and change only their own todos.',
    tables: ['public.todos'],
    buckets: [],
  },
  chat: {
    title: 'Chat',
    summary: 'Rooms and messages. The database sends each new message to the private Realtime channel of its room.',
    tables: ['public.rooms', 'public.room_members', 'public.messages'],
    buckets: [],
  },
  documents: {
    title: 'Documents with search',
    summary: 'Full-text search over your own and shared texts, each with a file in a private bucket.',
    tables: ['public.documents'],
    buckets: ['documents'],
  },
}

/** Reads a starter's files next to this one. */
export function readStarter(name: StarterName): Starter {
  const text = (file: string): string => readFileSync(new URL(`./${name}/${file}`, import.meta.url), 'utf8')
  return {
    name,
    ...DESCRIPTIONS[name],
    migration: text('migration.sql'),
    seed: text('seed.sql'),
    test: text('test.sql'),
    snippet: text('snippet.txt'),
  }
}

/** Users that the seeds of all starters refer to. */
export const readSeedUsers = (): string => readFileSync(new URL('./users.sql', import.meta.url), 'utf8')
