import { bytes, duration } from '../../lib/format.ts'
import type { MigrationTrial } from './try-migration.ts'

/** What others cannot do while a lock is held. */
const HINDERED: Readonly<Record<string, string>> = {
  AccessExclusiveLock: 'nobody reads or changes it meanwhile',
  ExclusiveLock: 'nobody changes it meanwhile',
  ShareRowExclusiveLock: 'nobody changes it meanwhile',
  ShareLock: 'nobody changes it meanwhile',
  ShareUpdateExclusiveLock: 'it is read and changed as usual; no other change of its schema and no VACUUM',
}

/** How long a change took on trial, and whom it kept waiting. */
export function TrialResult({ trial: { took, effects } }: { trial: MigrationTrial }) {
  return (
    <div role="status" className="grid gap-1.5 rounded-md border bg-panel p-3 text-[13px]">
      <p>
        On trial it took <strong className="font-medium">{duration(took)}</strong>; all of it is undone.{' '}
        {effects.length === 0 ? 'It keeps nobody waiting: it locks no table that is there already.' : 'Until its end:'}
      </p>
      {effects.length > 0 ? (
        <ul className="grid list-disc gap-0.5 pl-5">
          {effects.map(({ table, mode, rewritten }) => (
            <li key={table}>
              <code className="font-mono text-xs">{table}</code>: {HINDERED[mode]}
              {rewritten === null ? '' : `; all of it is written anew (${bytes(rewritten)})`}
              <span className="text-ink-faint text-xs"> · {mode}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
