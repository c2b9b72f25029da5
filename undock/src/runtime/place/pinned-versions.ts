import { join } from 'node:path'
import { z } from 'zod'
import type { Fault } from '../../config/fault.ts'
import { readOptional } from '../../config/files.ts'
import { tryJson } from '../../kernel/json.ts'
import { POSTGREST_MAJOR } from '../../rest/settings.ts'

const LINK = 'supabase/.temp/rest-version'
const LOCK = 'supabase/supabase.lock'

const Pin = z.object({ resolved: z.object({ upstreamVersion: z.string() }) })
/** Versions pinned by the CLI for its stack. @see supabase 3.1, `supabase stack outdated --help` */
const Lock = z.object({
  lockfileVersion: z.literal(1),
  services: z.object({ database: Pin.extend({ majorVersion: z.number() }), rest: Pin }),
})

/** Warns if the hosted project's versions (written by `supabase link`) or the team's pinned ones (by `supabase start`)
 *  differ from undock's.
 *  @param workdir The folder containing `supabase/`.
 *  @param major Of `[db] major_version`. */
export function versionWarnings(workdir: string, major: number): Fault[] {
  const linked = /^v?(\d+)[\d.]*/.exec(readOptional(join(workdir, LINK))?.trim() ?? '')?.[0]
  const lock = readLock(readOptional(join(workdir, LOCK)))
  const warn = (file: string, message: string): Fault => ({ file, line: undefined, key: '', message })
  const here = `the Data API here behaves like PostgREST ${POSTGREST_MAJOR}`
  const linkWarnings = isOther(linked)
    ? [warn(LINK, `the linked project runs PostgREST ${linked.replace(/^v/, '')}; ${here}`)]
    : []
  if (lock === 'unreadable')
    return [
      ...linkWarnings,
      warn(LOCK, 'is not a lock file of version 1, so its versions were not compared with those that run here'),
    ]
  const pinned = lock?.services.rest.resolved.upstreamVersion
  const lockedMajor = lock?.services.database.majorVersion ?? major
  return [
    ...linkWarnings,
    ...(isOther(pinned) ? [warn(LOCK, `PostgREST ${pinned.replace(/^v/, '')} is pinned; ${here}`)] : []),
    ...(lockedMajor === major
      ? []
      : [
          warn(
            LOCK,
            `PostgreSQL ${lockedMajor} is pinned, but PostgreSQL ${major} runs here, as db.major_version says`,
          ),
        ]),
  ]
}

const isOther = (version: string | undefined): version is string =>
  version !== undefined && Number(/\d+/.exec(version)?.[0]) !== POSTGREST_MAJOR

function readLock(text: string | undefined): z.infer<typeof Lock> | 'unreadable' | null {
  return text === undefined ? null : (Lock.safeParse(tryJson(text)).data ?? 'unreadable')
}
