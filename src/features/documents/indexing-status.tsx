import { RotateCw, TriangleAlert } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Progress } from '../../components/progress.tsx'
import { translateBackendMessage } from '../../domain/backend-messages.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import type { Card } from './queries.ts'

type Indexing = Pick<Card, 'title' | 'state' | 'state_message' | 'progress' | 'created_at'>

const DOING = { queued: msg('Waiting to be read'), extracting: msg('Reading'), embedding: msg('Indexing') } as const

/** Indexing is requested at once. A document that is still queued after this long was never requested: the network failed. */
const PATIENCE_MS = 20_000

export const isStalled = ({ state, created_at }: Pick<Indexing, 'state' | 'created_at'>, now: number): boolean =>
  state === 'queued' && now - Date.parse(created_at) > PATIENCE_MS

type IndexingStatusProps = {
  document: Indexing
  /** Only for those who may request indexing. */
  onRetry: (() => void) | undefined
}

/** The progress or the failure of indexing; nothing once the document is ready. */
export function IndexingStatus({ document, onRetry }: IndexingStatusProps) {
  if (document.state === 'ready') return null
  if (document.state === 'failed') {
    return (
      <div className="relative z-10 grid gap-2">
        <p className="flex gap-2 text-danger text-xs leading-relaxed">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span>
            {document.state_message
              ? translateBackendMessage(document.state_message)
              : t('This document could not be read.')}
          </span>
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
      {onRetry && isStalled(document, Date.now()) ? (
        <Button size="small" onClick={onRetry} className="relative z-10 justify-self-start">
          <RotateCw aria-hidden />
          {t('Read it now')}
        </Button>
      ) : null}
    </div>
  )
}
