import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, ExternalLink } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextDiff } from '../../components/text-diff.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useDocumentFocus, useShortcut } from '../../lib/ui/shortcut.ts'
import type { Comparison as OpenComparison } from '../../lib/ui/text-comparison.ts'
import type { ComparedDocument } from './queries.ts'
import { type Line, linesOfNote, linesOfPassages, placeAt, textOf } from './readable-lines.ts'

type ComparisonProps = { library: string; before: ComparedDocument; after: ComparedDocument }

/** Two documents' texts with their changes by sentence and word. `n` and `p` move between changes. */
export function Comparison({ library, before, after }: ComparisonProps) {
  const { linesBefore, linesAfter, textBefore, textAfter } = useMemo(() => {
    // Markdown syntax counts only if both are notes.
    const areNotes = before.body !== null && after.body !== null
    const [linesBefore, linesAfter] = [linesOf(before, areNotes), linesOf(after, areNotes)]
    return { linesBefore, linesAfter, textBefore: textOf(linesBefore), textAfter: textOf(linesAfter) }
  }, [before, after])
  const [view, setView] = useState<OpenComparison>()
  const [shown, setShown] = useState({ index: 0, before: 0, after: 0 })
  const count = view?.changes ?? 0
  const goTo = (index: number) => {
    const place = view?.goTo((index + count) % Math.max(1, count))
    if (place) setShown({ index: (index + count) % count, ...place })
  }
  useEffect(() => {
    const place = view?.goTo(0)
    if (place) setShown({ index: 0, ...place })
  }, [view])
  const frame = useDocumentFocus(`${before.id} ${after.id}`)
  useShortcut('n', () => goTo(shown.index + 1))
  useShortcut('p', () => goTo(shown.index - 1))

  const empty = [before, after].find((one) => textOf(one === before ? linesBefore : linesAfter).trim() === '')
  if (empty) {
    return (
      <Notice tone="info" title={t('“{title}” has no text to compare', { title: empty.title })}>
        {empty.state === 'ready'
          ? t('No text could be read from it.')
          : t('It hasn’t been read yet. Compare the documents when it has been.')}
      </Notice>
    )
  }
  if (textBefore === textAfter) return <Notice tone="info">{t('Both documents have the same text.')}</Notice>
  return (
    <div ref={frame} data-letters tabIndex={-1} className="grid gap-3 outline-none">
      <div className="flex flex-wrap items-center gap-2">
        <p aria-live="polite" className="me-2 text-sm">
          {count > 0 ? t('Change {number} of {count}', { number: shown.index + 1, count }) : null}
        </p>
        <Button icon={ArrowUp} size="small" aria-keyshortcuts="p" onClick={() => goTo(shown.index - 1)}>
          {t('Previous change')}
        </Button>
        <Button icon={ArrowDown} size="small" aria-keyshortcuts="n" onClick={() => goTo(shown.index + 1)}>
          {t('Next change')}
        </Button>
        <OpenHere library={library} document={before} place={placeAt(linesBefore, shown.before)} />
        <OpenHere library={library} document={after} place={placeAt(linesAfter, shown.after)} />
      </div>
      {before.isCut || after.isCut ? (
        <Notice tone="info">{t('These texts are very long, so only their beginnings are compared.')}</Notice>
      ) : null}
      {view && view.rough > 0 ? (
        <Notice tone="info">
          {t(
            '{count, plural, one {One section differs so much that it’s marked as a whole.} other {# sections differ so much that they’re marked as a whole.}}',
            { count: view.rough },
          )}
        </Notice>
      ) : null}
      <TextDiff
        label={t('“{before}” and “{after}”', { before: before.title, after: after.title })}
        before={textBefore}
        after={textAfter}
        onOpen={setView}
        className="h-[calc(100dvh-16rem)] min-h-80"
      />
    </div>
  )
}

const linesOf = ({ body, passages }: ComparedDocument, areNotes: boolean): Line[] =>
  body !== null && (areNotes || passages.length === 0) ? linesOfNote(body) : linesOfPassages(passages)

type OpenHereProps = { library: string; document: ComparedDocument; place: Line['place'] }

function OpenHere({ library, document, place }: OpenHereProps) {
  return (
    <Button size="small" look="quiet" className="max-w-72" asChild>
      <Link to="/l/$library/d/$document" params={{ library, document: document.id }} search={place}>
        <ExternalLink aria-hidden />
        <span className="truncate">{t('Open “{title}” here', { title: document.title })}</span>
      </Link>
    </Button>
  )
}
