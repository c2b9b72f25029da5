import { RotateCw, TriangleAlert } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Progress } from '../../components/progress.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { told } from '../../lib/told.ts'
import type { Card } from './queries.ts'

type Indexing = Pick<Card, 'title' | 'state' | 'state_message' | 'progress' | 'created_at'>

const DOING = { queued: msg('Waiting to be read'), extracting: msg('Reading'), embedding: msg('Indexing') } as const

/** Reading begins by itself, at once. What still waits after this long was never asked for: the network went at that moment. */
const PATIENCE_MS = 20_000

export const isForgotten = ({ state, created_at }: Pick<Indexing, 'state' | 'created_at'>, now: number): boolean =>
  state === 'queued' && now - Date.parse(created_at) > PATIENCE_MS

type IndexingStateProps = {
  document: Indexing
  /** Only for those who may have it read. */
  onRetry: (() => void) | undefined
}

/** How far a document is on its way to being found; nothing once it can be. */
export function IndexingState({ document, onRetry }: IndexingStateProps) {
  if (document.state === 'ready') return null
  if (document.state === 'failed') {
    return (
      <div className="relative z-10 grid gap-2">
        <p className="flex gap-2 text-danger text-xs leading-relaxed">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span>{document.state_message ? told(document.state_message) : t('This document could not be read.')}</span>
        </p>
        {onRetry ? (
          <Button size="small" onClick={onRetry} className="justify-self-start">
            <RotateCw aria-hidden />
            {t('Read it again')}
          </Button>
        ) : null}
      </div>
    )
  }
  return (
    <div className="grid gap-1.5">
      <span className="flex items-center justify-between gap-2 text-ink-faint text-xs">
        <Badge tone="amber">{t(DOING[document.state])}</Badge>
        {document.progress > 0 ? <span className="tabular-nums">{document.progress} %</span> : null}
      </span>
      <Progress
        value={document.progress > 0 ? document.progress / 100 : null}
        label={`${t(DOING[document.state])}: ${document.title}`}
      />
      {onRetry && isForgotten(document, Date.now()) ? (
        <Button size="small" onClick={onRetry} className="relative z-10 justify-self-start">
          <RotateCw aria-hidden />
          {t('Read it now')}
        </Button>
      ) : null}
    </div>
  )
}
