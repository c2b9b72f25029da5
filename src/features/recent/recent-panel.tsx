import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileText, Link2, NotebookPen } from 'lucide-react'
import { useState } from 'react'
import { Progress } from '../../components/progress.tsx'
import { progressOf } from '../../domain/reading-progress.ts'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { coverQuery, type RecentDocument, recentQuery } from './queries.ts'

export function RecentPanel() {
  const { data: recent = [] } = useQuery(recentQuery)
  if (recent.length === 0) return null
  return (
    <section aria-labelledby="recent" className="mb-8">
      <h2 id="recent" className="eyebrow mb-3">
        {t('Continue reading')}
      </h2>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-3">
        {recent.map((document) => (
          <RecentCard key={document.document_id} document={document} />
        ))}
      </ul>
    </section>
  )
}

const ICONS = { file: FileText, note: NotebookPen, link: Link2 }

function RecentCard({ document }: { document: RecentDocument }) {
  const { library_id: library, document_id: id, title, kind, cover_path: path, opened_at } = document
  const { data: cover } = useQuery({ ...coverQuery(library, path ?? ''), enabled: path !== null })
  const [broken, setBroken] = useState<string>()
  const progress = progressOf(document, document)
  const Icon = ICONS[kind]
  return (
    <li className="relative flex min-h-20 overflow-hidden rounded-lg border border-line bg-surface transition-[border-color,box-shadow] focus-within:border-edge hover:border-edge hover:shadow-lift">
      {cover && cover.url !== broken ? (
        <img
          src={cover.url}
          alt=""
          width={64}
          height={80}
          loading="lazy"
          decoding="async"
          onError={() => setBroken(cover.url)}
          className="w-16 shrink-0 border-line border-e bg-sunken object-cover object-top dark:brightness-85"
        />
      ) : (
        <span className="grid w-16 shrink-0 place-items-center border-line border-e bg-sunken text-ink-faint">
          <Icon aria-hidden className="size-5" strokeWidth={1.5} />
        </span>
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-1 px-3 py-2.5">
        <p className="line-clamp-2 font-medium font-serif text-[0.9375rem] leading-snug [overflow-wrap:anywhere]">
          <Link
            dir="auto"
            to="/l/$library/d/$document"
            params={{ library, document: id }}
            className="after:absolute after:inset-0 after:rounded-lg"
          >
            {title}
          </Link>
        </p>
        <p className="mt-auto flex justify-between gap-2 text-ink-faint text-xs">
          <span className="truncate">{progress?.label ?? document.library_name}</span>
          <time dateTime={opened_at} className="shrink-0">
            {formatRelativeTime(opened_at)}
          </time>
        </p>
      </div>
      {progress ? (
        <Progress value={progress.share} label={t('Read so far')} className="absolute inset-x-0 bottom-0 h-0.5" />
      ) : null}
    </li>
  )
}
