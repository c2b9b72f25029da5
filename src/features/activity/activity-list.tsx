import { Link } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { apiKeyOf, approvedVersionOf, namesItsSubject, sentence } from '../../domain/activity-sentence.ts'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { formatDay, formatTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { Happening } from './queries.ts'

type ActivityListProps = {
  library: string
  person: string
  happenings: readonly Happening[]
  /** The newest entry seen before; undefined while loading. */
  seen: number | undefined
}

export function ActivityList({ library, person, happenings, seen }: ActivityListProps) {
  const days = Map.groupBy(happenings, ({ created_at }) => new Date(created_at).toDateString())
  return (
    <div className="grid gap-7">
      {[...days].map(([day, group]) => (
        <section key={day} aria-label={formatDay(day)}>
          <h2 className="eyebrow mb-2">{formatDay(day)}</h2>
          <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
            {group.map((happening) => (
              <Line
                key={happening.id}
                library={library}
                happening={happening}
                isNew={seen !== undefined && happening.id > seen && happening.actor_id !== person}
              />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function Line({ library, happening, isNew }: { library: string; happening: Happening; isNew: boolean }) {
  const { verb, subject, document_id, actor, created_at } = happening
  const name = actor?.display_name ?? t('Someone')
  const text = sentence(verb, subject)
  const apiKey = apiKeyOf(subject)
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-sm">
      {verb === 'document.ran_rule' ? (
        <span className="grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-ink-faint">
          <Workflow aria-hidden className="size-4" />
        </span>
      ) : (
        <Avatar decorative name={name} src={avatarUrl(actor?.avatar_path ?? null)} className="size-7" />
      )}
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {namesItsSubject(verb, subject) ? null : <bdi className="font-medium">{name}</bdi>}{' '}
        {document_id ? (
          <Link
            to="/l/$library/d/$document"
            params={{ library, document: document_id }}
            search={{ change: approvedVersionOf(subject) }}
            className="rounded text-ink-soft underline decoration-line underline-offset-4 hover:text-ink hover:decoration-edge"
          >
            {text}
          </Link>
        ) : (
          <span className="text-ink-soft">{text}</span>
        )}
        {apiKey ? <span className="text-ink-faint"> {t('with the API key “{name}”', { name: apiKey })}</span> : null}
      </p>
      {isNew ? (
        <span className="rounded-full bg-accent-soft px-2 font-medium text-accent-strong text-xs leading-5">
          {t('new')}
        </span>
      ) : null}
      <time dateTime={created_at} className="text-ink-faint text-xs tabular-nums">
        {formatTime(created_at)}
      </time>
    </li>
  )
}
