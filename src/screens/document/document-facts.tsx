import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { doiAddress, referenceOf } from '../../domain/reference.ts'
import { referenceLine } from '../../features/citation/reference-draft.ts'
import { sizeLabel } from '../../features/documents/document-size.ts'
import { describeKind } from '../../features/documents/kinds.ts'
import { TagList } from '../../features/documents/shelf/tag-list.tsx'
import { VerificationBadge } from '../../features/documents/verification-badge.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import type { Arranging } from '../shelf/use-arranging.tsx'
import { arrangedOf } from './document-model.ts'
import { Fact, FactAction } from './fact.tsx'

const ReferenceDialog = lazy(() =>
  import('../../features/citation/reference-dialog.tsx').then((it) => ({ default: it.ReferenceDialog })),
)

type ReferenceFactProps = { library: string; document: OpenDocument; canEdit: boolean }

function ReferenceFact({ library, document, canEdit }: ReferenceFactProps) {
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

const VerificationDialog = lazy(() =>
  import('../../features/documents/dialogs/verification-dialog.tsx').then((it) => ({ default: it.VerificationDialog })),
)

type VerificationFactProps = { library: string; document: OpenDocument; canEdit: boolean }

function VerificationFact({ library, document, canEdit }: VerificationFactProps) {
  const { id, verified_until: until, verifier } = document
  const { user } = useSession()
  const { data: members = [] } = useQuery({ ...membersQuery(library), enabled: canEdit })
  const [isOpen, setOpen] = useState(false)
  if (until === null && !canEdit) return null
  return (
    <Fact name={t('Verification')}>
      {until === null ? null : <VerificationBadge until={until} />}
      {verifier ? <bdi className="text-ink-faint text-xs">{verifier.display_name}</bdi> : null}
      {canEdit ? (
        <FactAction onClick={() => setOpen(true)}>{until === null ? t('Verify…') : t('Verify again…')}</FactAction>
      ) : null}
      {isOpen ? (
        <Suspense fallback={<Opening />}>
          <VerificationDialog
            library={library}
            document={id}
            until={until}
            verifier={verifier?.id ?? user.id}
            people={members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </Fact>
  )
}

const FieldFacts = lazy(() => import('./field-facts.tsx').then((it) => ({ default: it.FieldFacts })))

type DocumentFactsProps = {
  library: string
  document: OpenDocument
  /** Including by a grant of its collection. */
  canEdit: boolean
  arranging: Pick<Arranging, 'move' | 'tag'>
}

export function DocumentFacts({ library, document, canEdit, arranging }: DocumentFactsProps) {
  const { version, collection } = document
  const size = sizeLabel(document)
  return (
    <section aria-labelledby="facts">
      <h2 id="facts" className="eyebrow mb-2">
        {t('Details')}
      </h2>
      <dl className="grid items-baseline grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-[0.8125rem]">
        <Fact name={t('Kind')}>
          {describeKind({ kind: document.kind, mime_type: version?.mime_type ?? null }).label}
        </Fact>
        {size ? <Fact name={t('Size')}>{size}</Fact> : null}
        {version?.file_name ? (
          <Fact name={t('File')}>
            <bdi className="[overflow-wrap:anywhere]">{version.file_name}</bdi>
          </Fact>
        ) : null}
        <ReferenceFact library={library} document={document} canEdit={canEdit} />
        <Fact name={t('Added by')}>{document.author?.display_name ?? t('Former member')}</Fact>
        <Fact name={t('Added')}>
          <time dateTime={document.created_at}>{formatDate(document.created_at)}</time>
        </Fact>
        {document.mail ? <MailFacts mail={document.mail} /> : null}
        {collection || canEdit ? (
          <Fact name={t('Collection')}>
            {collection ? (
              <Link
                dir="auto"
                to="/l/$library"
                params={{ library }}
                search={{ collection: collection.id }}
                className="rounded hover:text-accent-strong hover:underline"
              >
                {collection.name}
              </Link>
            ) : null}
            {canEdit ? (
              <FactAction onClick={() => arranging.move([arrangedOf(document)])}>
                {collection ? t('Change…') : t('Add to a collection…')}
              </FactAction>
            ) : null}
          </Fact>
        ) : null}
        <VerificationFact library={library} document={document} canEdit={canEdit} />
        {document.tags.length > 0 || canEdit ? (
          <Fact name={t('Tags')}>
            <TagList tags={document.tags} />
            {canEdit ? (
              <FactAction onClick={() => arranging.tag([arrangedOf(document)])}>
                {document.tags.length > 0 ? t('Change…') : t('Add tags…')}
              </FactAction>
            ) : null}
          </Fact>
        ) : null}
        {collection ? (
          <Suspense fallback={null}>
            <FieldFacts library={library} collection={collection.id} document={document} canEdit={canEdit} />
          </Suspense>
        ) : null}
      </dl>
    </section>
  )
}

function MailFacts({ mail }: { mail: NonNullable<OpenDocument['mail']> }) {
  const { sender_name, sender_address, sent_at } = mail
  return (
    <>
      <Fact name={t('By email from')}>
        <bdi title={sender_address} className="[overflow-wrap:anywhere]">
          {sender_name || sender_address || t('Unknown sender')}
        </bdi>
      </Fact>
      {sent_at ? (
        <Fact name={t('Sent')}>
          <time dateTime={sent_at}>{formatDate(sent_at)}</time>
        </Fact>
      ) : null}
    </>
  )
}
