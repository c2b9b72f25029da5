import type { Action, RenameCandidate, ResolvedProfile, SqlFile } from '@supabase/pg-delta'
import pg from 'pg'
import { connectionTo } from '../kernel/url.ts'

/** A script that needs its own transaction; scripts run in order.
 *  @property suffix Distinguishes the scripts of a difference; empty if there is only one. */
export type Script = { readonly suffix: string; readonly text: string }

export type DifferenceOptions = {
  /** The schemas to compare; empty for all of the project's. */
  readonly schemas: readonly string[]
  /** Files of SQL that are loaded into the second database first, in the order that their references require. */
  readonly files?: readonly SqlFile[]
  /** Chooses the renames; none by default. */
  readonly chooseRenames?: (candidates: readonly Rename[]) => Promise<readonly Rename[]>
  /** Called with new objects of kinds that pg-delta can't compare, such as `cast text AS public.color`. */
  readonly onLeftOut?: (objects: readonly string[]) => void
}

/** A possible rename, as `table:public.notes` and `column:public.notes.title`. */
export type Rename = { readonly from: string; readonly to: string }

/** Compares two databases' schemas. @returns the scripts that make the first like the second; none if they're equal.
 *  @throws {ShadowLoadError} if a file can't be loaded. */
export async function difference(
  from: string,
  to: string,
  { schemas, files, chooseRenames, onLeftOut }: DifferenceOptions,
): Promise<Script[]> {
  // Loaded lazily: its ninety modules are a tenth of what a stack reads to start.
  const { encodeId, loadSqlFiles, plan, renderPlanFiles, resolveProfile, supabaseProfile } = await import(
    '@supabase/pg-delta'
  )
  // One connection each, because PGlite has a single session, which a transaction occupies.
  const pools = [from, to].map((url) => new pg.Pool({ ...connectionTo(url), max: 1 })) as [pg.Pool, pg.Pool]
  // An idle connection may end unnoticed; a connection in use reports the error to its query.
  for (const pool of pools) pool.on('error', () => undefined)
  try {
    const profile: ResolvedProfile = await resolveProfile(pools[0], supabaseProfile)
    const [source, desired] = await Promise.all([
      profile.extract(pools[0]),
      files
        ? loadSqlFiles([...files], pools[1], { extract: profile.extract, mode: 'isolatedCluster' })
        : profile.extract(pools[1]),
    ])
    const known = new Set(source.diagnostics.map(({ message }) => message))
    const leftOut = desired.diagnostics.filter(({ code, message }) => code === 'unmodeled_kind' && !known.has(message))
    if (leftOut.length > 0) onLeftOut?.(leftOut.map(({ context }) => `${context?.kind} ${context?.samples}`))
    const planWith = (acceptRenames: Pick<RenameCandidate, 'from' | 'to'>[]) =>
      plan(source.factBase, desired.factBase, {
        renames: chooseRenames ? 'prompt' : 'off',
        acceptRenames,
        ...profile.planOptions,
      })
    const first = planWith([])
    const candidates = first.renameCandidates
      .filter(({ status }) => status !== 'nearMiss')
      .map((one) => ({ one, rename: { from: encodeId(one.from), to: encodeId(one.to) } }))
    const chosen = (await chooseRenames?.(candidates.map(({ rename }) => rename))) ?? []
    const accepted = candidates.filter(({ rename }) => chosen.includes(rename)).map(({ one }) => one)
    const whole = accepted.length > 0 ? planWith(accepted) : first
    const actions = whole.actions
      .filter((action) => !files || !endsMembership(action, new URL(to).username))
      .filter((action) => schemas.length === 0 || concerns(action, schemas))
    const rendered = renderPlanFiles({ ...whole, actions }, { allowDrops: true })
    return rendered.files.map(({ suffix, contents }) => ({ suffix: suffix ?? '', text: contents.trim() }))
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
}

const concerns = ({ produces, destroys, consumes }: Action, schemas: readonly string[]): boolean => {
  const touched = [...produces, ...destroys]
  return (touched.length > 0 ? touched : consumes).some((one) => schemas.includes(schemaOf(one) ?? ''))
}

/** The schema of an object, or of what a comment or a right is for. */
function schemaOf(id: Action['produces'][number]): string | null {
  if ('target' in id) return schemaOf(id.target)
  if (id.kind === 'schema') return id.name
  return 'schema' in id ? id.schema : null
}

/** Whether an action only revokes a role from its creator. pg-delta ignores memberships that result from creating a role while loading the
 *  files, but not the same ones in the migrated database. */
const endsMembership = ({ produces, destroys }: Action, creator: string): boolean =>
  produces.length === 0 &&
  destroys.length > 0 &&
  destroys.every((one) => one.kind === 'membership' && one.member === creator)
