import { z } from 'zod'
import type { Migration } from '../../database/migrations/project-files.ts'
import type { MigrationState } from '../../database/migrations/state.ts'
import type { ContentPart } from '../../database/project/project-content.ts'
import { readJsonBody } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'

/** Runs the project's migrations and seeds. */
export type ScriptControl = {
  reset(part: ContentPart): Promise<void>
  migrations(): Promise<MigrationState>
  migrate(): Promise<readonly Migration[]>
  /** Returns warnings about the project's scripts, once. */
  takeWarnings(): string[]
}

const Part = z.strictObject({
  until: z.string().exactOptional(),
  without: z.int().nonnegative().exactOptional(),
  // Limits requests to files inside `supabase/`.
  seed: z.union([z.literal(false), z.array(z.string().regex(/^(?![/\\]|[A-Za-z]:)(?!.*\.\.)/))]).exactOptional(),
})

export async function reset(scripts: ScriptControl, request: Request): Promise<Response> {
  const part = await readJsonBody(request, Part)
  return run(scripts, async () => {
    await scripts.reset(part)
    return { status: 'reset' }
  })
}

/** Runs scripts of the project, of which one may fail or be missing. */
async function run({ takeWarnings }: ScriptControl, work: () => Promise<object>): Promise<Response> {
  takeWarnings()
  try {
    return Response.json({ ...(await work()), warnings: takeWarnings() })
  } catch (error) {
    throw new ServiceError('script_failed', 422, error instanceof Error ? error.message : String(error))
  }
}

export async function answerMigrations({ migrations }: ScriptControl): Promise<Response> {
  const { pending, late, ...others } = await migrations()
  return Response.json({ ...others, pending: pathsOf(pending), late: pathsOf(late) })
}

export const migrate = (scripts: ScriptControl): Promise<Response> =>
  run(scripts, async () => ({ applied: pathsOf(await scripts.migrate()) }))

const pathsOf = (migrations: readonly Migration[]): string[] => migrations.map(({ path }) => path)
