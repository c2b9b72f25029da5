import type { Action, RenameCandidate, ResolvedProfile, SqlFile } from '@supabase/pg-delta'
import pg from 'pg'
import { connectionTo } from '../kernel/url.ts'

/** A script that needs its own transaction; scripts run in order.
 *  @property suffix Tells the scripts of one difference apart; empty when there is only one. */
export type Script = { readonly suffix: string; readonly text: string }

export type DifferenceOptions = {
  /** The schemas that count; all of the project when empty. */
  readonly schemas: readonly string[]
  /** Files of SQL that are loaded into the second database first, in the order that their references require. */
  readonly files?: readonly SqlFile[]
  /** Chooses the renames; without it, there are none. */
  readonly chooseRenames?: (candidates: readonly Rename[]) => Promise<readonly Rename[]>
}

/** A possible rename, as `table:public.notes` and `column:public.notes.title`. */
export type Rename = { readonly from: string; readonly to: string }

/** Compares the structure of two databases.
 *  @returns the scripts that make the first like the second; none when they are alike.
 *  @throws {ShadowLoadError} when a file cannot be loaded. */
export async function difference(
  from: string,
  to: string,
  { schemas, files, chooseRenames }: DifferenceOptions,
): Promise<Script[]> {
  // Only here: its ninety modules are a tenth of what a stack reads to start.
  const { encodeId, loadSqlFiles, plan, renderPlanFiles, resolveProfile, supabaseProfile } = await import(
    '@supabase/pg-delta'
  )
  // One connection for each: the embedded engine has one session, and a transaction occupies it.
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
    const declared = files
      ? whole.actions.filter((action) => !endsMembership(action, new URL(to).username))
      : whole.actions
    const actions = schemas.length === 0 ? declared : declared.filter((action) => concerns(action, schemas))
    const rendered = renderPlanFiles({ ...whole, actions }, { allowDrops: true })
    return rendered.files.map(({ suffix, contents }) => ({ suffix: suffix ?? '', text: contents.trim() }))
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
}

const concerns = ({ produces, destroys, consumes }: Action, schemas: readonly string[]): boolean => {
  const touched = [...produces, ...destroys]
  return (touched.length > 0 ? touched : consumes).some(
    (one) => 'schema' in one && schemas.includes(String(one.schema)),
  )
}

/** Whether an action only takes a role from its creator. pg-delta leaves out the memberships that whoever loads the files gets by
 *  creating a role, but not those in the migrated database, where they came about in the same way. */
const endsMembership = ({ produces, destroys }: Action, creator: string): boolean =>
  produces.length === 0 &&
  destroys.length > 0 &&
  destroys.every((one) => one.kind === 'membership' && one.member === creator)
