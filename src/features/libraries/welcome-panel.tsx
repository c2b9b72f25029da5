import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, type LucideIcon, MessageCircleQuestion, MessageSquareText, Plus, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { isAtLeast, type Role } from '../../domain/roles.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { dismissWelcome } from './mutations.ts'
import { libraryQuery } from './queries.ts'

type WelcomePanelProps = {
  library: string
  role: Role
  /** The number of visible documents; null until it's known. */
  documents: number | null
  collections: number
  people: number
  onPick: () => void
}

/** Welcomes invited people with an overview and three first steps, until dismissed. */
export function WelcomePanel({ library, role, documents, collections, people, onPick }: WelcomePanelProps) {
  const { data: it } = useQuery(libraryQuery(library))
  const dismissal = useAction(dismissWelcome)
  if (!it || dismissal.isPending || dismissal.isSuccess) return null
  const canEdit = isAtLeast(role, 'editor')
  const counts = [
    documents === null ? '' : t('{count, plural, one {# document} other {# documents}}', { count: documents }),
    collections > 0 ? t('{count, plural, one {# collection} other {# collections}}', { count: collections }) : '',
    role === 'guest' ? '' : t('{count, plural, one {# person} other {# people}}', { count: people }),
  ].filter(Boolean)
  const params = { library }
  return (
    <section aria-labelledby="welcome" className="mb-8 rounded-xl border border-line bg-surface p-5 sm:p-7">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 id="welcome" className="font-semibold font-serif text-2xl tracking-tight">
            {t('Welcome to {library}', { library: it.name })}
          </h2>
          {it.description ? (
            <p dir="auto" className="mt-1 max-w-prose text-ink-soft">
              {it.description}
            </p>
          ) : null}
          <p className="mt-1 text-ink-faint text-sm">{counts.join(' · ')}</p>
        </div>
        <Button onClick={() => dismissal.mutate(library)}>{t('Got it')}</Button>
      </div>
      <ol aria-label={t('First steps')} className="mt-5 grid gap-3 md:grid-cols-3">
        {canEdit ? (
          <Step icon={Plus} text={t('Drop files, or paste a link or text. Every passage in them becomes searchable.')}>
            <button type="button" className={TITLE} onClick={onPick}>
              {t('Add something')}
            </button>
          </Step>
        ) : (
          <Step icon={BookOpen} text={t('Open a document here. It opens again where you stopped reading.')}>
            {t('Read')}
          </Step>
        )}
        <Step icon={Search} text={t('Search finds the passage, not only the file, and shows where it is.')}>
          <Link to="/l/$library/search" params={params} search={{}} className={TITLE}>
            {t('Find a passage')}
          </Link>
        </Step>
        {canEdit ? (
          <Step
            icon={MessageCircleQuestion}
            text={t('The answer quotes the documents of the library, each sentence with its source.')}
          >
            <Link to="/l/$library/ask" params={params} search={{}} className={TITLE}>
              {t('Ask a question')}
            </Link>
          </Step>
        ) : (
          <Step icon={MessageSquareText} text={t('Highlight a passage while you read, and write down what you think.')}>
            {t('Comment')}
          </Step>
        )}
      </ol>
    </section>
  )
}

const TITLE = 'rounded font-medium text-accent-strong underline-offset-4 hover:underline'

function Step({ icon: Icon, text, children }: { icon: LucideIcon; text: string; children: ReactNode }) {
  return (
    <li className="flex gap-3 rounded-lg bg-sunken p-4 text-sm">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      <div className="min-w-0">
        <p className="font-medium">{children}</p>
        <p className="mt-0.5 text-ink-soft leading-relaxed">{text}</p>
      </div>
    </li>
  )
}
