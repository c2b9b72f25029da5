import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { problemCode } from '../../domain/problem.ts'
import { isScan } from '../../domain/recognition.ts'
import { IndexingStatus } from '../../features/documents/indexing-status.tsx'
import { describeKind } from '../../features/documents/kinds.ts'
import { readAgain } from '../../features/documents/mutations.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { ReadersHere } from '../library/readers-here.tsx'
import { DocumentToolbar, type DocumentToolbarProps } from './document-toolbar.tsx'

type DocumentHeaderProps = DocumentToolbarProps & {
  /** For a note being edited, its future title. */
  title: string
  q: string | undefined
  following: string | undefined
  onFollow: (person: string | undefined) => void
  /** Receive the slots for the editor's controls and the reader's tools. */
  controls: (place: HTMLElement | null) => void
  tools: (place: HTMLElement | null) => void
}

/** One line above the text: title and main actions. Everything else is in the panel. */
export function DocumentHeader({ title, q, following, onFollow, controls, tools, ...toolbar }: DocumentHeaderProps) {
  const { library, document, canEdit } = toolbar
  const { id } = document
  const reading = useAction(readAgain)
  const { label: kind, icon: KindIcon } = describeKind({
    kind: document.kind,
    mime_type: document.version?.mime_type ?? null,
  })
  // Notes are readable before they are indexed. For a locked PDF, the reader gives the reason.
  const isShown =
    document.state === 'failed' ? problemCode(document.problem) === 'pdf_protected' : document.kind === 'note'
  const back = q ? t('Back to “{words}”', { words: q }) : t('Shelf')
  return (
    <>
      <header
        data-chrome
        className="-mx-4 sticky below-14 z-10 mb-3 flex h-12 items-center gap-1 bg-paper px-4 sm:-mx-2 sm:gap-2 sm:px-2"
      >
        <Tooltip text={back}>
          <Button look="quiet" size="small-icon" className="-ms-2" asChild>
            <Link
              aria-label={back}
              {...(q
                ? { to: '/l/$library/search', params: { library }, search: { q } }
                : { to: '/l/$library', params: { library } })}
            >
              <ArrowLeft aria-hidden className="rtl:-scale-x-100" />
            </Link>
          </Button>
        </Tooltip>
        <Tooltip text={kind}>
          <span role="img" aria-label={kind} className="text-accent max-sm:hidden">
            <KindIcon aria-hidden className="size-4.5" />
          </span>
        </Tooltip>
        <h1
          dir="auto"
          title={title}
          className="min-w-0 flex-1 truncate font-semibold font-serif text-base leading-tight sm:text-lg"
        >
          {title}
        </h1>
        <ReadersHere library={library} document={id} following={following} onFollow={onFollow} />
        <div ref={tools} className="contents" />
        <div ref={controls} className="contents" />
        <DocumentToolbar {...toolbar} />
      </header>
      {document.state === 'ready' || isScan(document) || isShown ? null : (
        <div className="mt-1 mb-3 max-w-md">
          <IndexingStatus
            library={library}
            document={document}
            onRetry={canEdit ? () => reading.mutate({ library, documents: [id] }) : undefined}
          />
        </div>
      )}
    </>
  )
}
