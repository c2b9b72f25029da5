import { useQuery } from '@tanstack/react-query'
import { RotateCw, ScanText, TriangleAlert } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Progress } from '../../components/progress.tsx'
import { problemText } from '../../domain/problem.ts'
import { isScan, recognitionText } from '../../domain/recognition.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import type { Card } from './card.ts'
import { indexingProgressQuery } from './queries.ts'
import { isIndexing } from './use-indexing-refresh.ts'

type Indexing = Pick<Card, 'title' | 'state' | 'problem' | 'progress' | 'recognition' | 'recognition_problem'>

const DOING = { queued: msg('Waiting to be read'), extracting: msg('Reading'), embedding: msg('Indexing') } as const

type IndexingStatusProps = {
  library: string
  document: Indexing
  onRetry: (() => void) | undefined
}

/** Progress or failure of indexing, then text recognition; nothing once the document is ready. */
export function IndexingStatus({ library, document, onRetry }: IndexingStatusProps) {
  const { data: obstacle } = useQuery({
    ...indexingProgressQuery(library),
    enabled: isIndexing(document),
    // Keeps cards from rerendering for numbers that they don't show.
    select: (progress) => progress.problem,
  })
  if (document.state === 'ready' || isScan(document)) {
    const text = recognitionText(document) || problemText(document.problem)
    return text ? <Scan>{text}</Scan> : null
  }
  if (document.state === 'failed') {
    return (
      <div className="relative z-10 grid gap-2">
        <Failure>{problemText(document.problem) || t('This document could not be read.')}</Failure>
        {onRetry ? (
          <Button icon={RotateCw} size="small" onClick={onRetry} className="justify-self-start">
            {t('Read it again')}
          </Button>
        ) : null}
      </div>
    )
  }
  if (obstacle) return <Failure>{problemText(obstacle)}</Failure>
  return (
    <div className="grid gap-1.5">
      <span className="flex items-center justify-between gap-2 text-ink-faint text-xs">
        <Badge tone="amber">{t(DOING[document.state])}</Badge>
        {document.progress > 0 ? (
          <span className="tabular-nums">{t('{percent} %', { percent: document.progress })}</span>
        ) : null}
      </span>
      <Progress
        value={document.progress > 0 ? document.progress / 100 : null}
        label={`${t(DOING[document.state])}: ${document.title}`}
      />
    </div>
  )
}

const Scan = ({ children }: { children: string }) => (
  <p className="flex gap-2 text-ink-soft text-xs leading-relaxed">
    <ScanText aria-hidden className="mt-0.5 size-3.5 shrink-0" />
    <span>{children}</span>
  </p>
)

const Failure = ({ children }: { children: string }) => (
  <p className="flex gap-2 text-danger text-xs leading-relaxed">
    <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
    <span>{children}</span>
  </p>
)
