import { lazy, Suspense, useState } from 'react'
import { doiAddress, referenceOf } from '../../domain/reference.ts'
import { referenceLine } from '../../features/citation/reference-draft.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import { Fact, FactAction } from './fact.tsx'

const ReferenceDialog = lazy(() =>
  import('../../features/citation/reference-dialog.tsx').then((it) => ({ default: it.ReferenceDialog })),
)

type ReferenceFactProps = { library: string; document: OpenDocument; canEdit: boolean }

export function ReferenceFact({ library, document, canEdit }: ReferenceFactProps) {
  const [isOpen, setOpen] = useState(false)
  const reference = referenceOf(document.reference)
  const line =
    referenceLine(reference) || [document.written_by, document.dated?.slice(0, 4)].filter(Boolean).join(' · ')
  const doi = reference?.DOI
  if (!line && !doi && !canEdit) return null
  return (
    <Fact name={t('Reference')}>
      {line ? (
        <p dir="auto" className="[overflow-wrap:anywhere]">
          {line}
        </p>
      ) : null}
      {doi ? (
        <a
          dir="ltr"
          href={doiAddress(doi)}
          target="_blank"
          rel="noreferrer"
          className="rounded text-accent-strong [overflow-wrap:anywhere] hover:underline"
        >
          {doi}
        </a>
      ) : null}
      {canEdit ? (
        <FactAction onClick={() => setOpen(true)}>
          {line || doi ? t('Edit the reference…') : t('Add a reference…')}
        </FactAction>
      ) : null}
      {isOpen ? (
        <Suspense fallback={<Opening />}>
          <ReferenceDialog
            library={library}
            document={{ ...document, author: document.written_by }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </Fact>
  )
}
