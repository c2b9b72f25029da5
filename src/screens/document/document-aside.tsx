import { useQuery } from '@tanstack/react-query'
import { lazy, type RefObject, Suspense } from 'react'
import type { Role } from '../../domain/roles.ts'
import type { Anchor } from '../../features/reader/anchors.ts'
import { Comments } from '../../features/reader/comments/comments.tsx'
import { DocumentList } from '../../features/reader/document-list.tsx'
import { Highlights } from '../../features/reader/highlights/highlights.tsx'
import { PassageCard } from '../../features/reader/passage-card.tsx'
import { backlinksQuery, commentsQuery, type OpenDocument, relatedQuery } from '../../features/reader/queries.ts'
import { useReadingOptions } from '../../features/reader/reading-options.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { useMayEditIn } from '../library/use-may-edit-in.ts'
import { useReferences } from '../library/use-references.tsx'
import type { Arranging } from '../shelf/use-arranging.tsx'
import { DocumentFacts } from './document-facts.tsx'
import type { ReadingTarget } from './document-model.ts'
import { usePassage } from './use-passage.ts'

const HoldControl = lazy(() =>
  import('../../features/retention/hold-control.tsx').then(({ HoldControl }) => ({ default: HoldControl })),
)

type DocumentAsideProps = {
  ref: RefObject<HTMLElement | null>
  library: string
  document: OpenDocument
  role: Role | undefined
  wanted: ReadingTarget
  arranging: Arranging
  commented: Anchor | undefined
  onComment: (anchor: Anchor | undefined) => void
  onShow: (comment: string) => void
}

export function DocumentAside(props: DocumentAsideProps) {
  const { ref, library, document, role, wanted, commented, arranging, onComment, onShow } = props
  const { id } = document
  const { user } = useSession()
  const passage = usePassage(library, document, wanted)
  const { details } = useReadingOptions()
  const references = useReferences(library)
  const mayEditIn = useMayEditIn(library)
  const { data: comments = [] } = useQuery(commentsQuery(library, id))
  const { data: backlinks = [] } = useQuery(backlinksQuery(library, id))
  const { data: related = [] } = useQuery(relatedQuery(library, id))
  return (
    <aside
      ref={ref}
      aria-label={t('About this document')}
      className={classNames(
        details || 'xl:hidden',
        'mt-10 grid grid-cols-1 content-start gap-8 border-line border-t pt-6 xl:sticky xl:below-20 xl:mt-0 xl:max-h-[calc(100dvh-6rem)] xl:overflow-y-auto xl:border-t-0 xl:border-s xl:pt-0 xl:ps-6',
      )}
    >
      {passage ? <PassageCard passage={passage} /> : null}
      <Comments
        library={library}
        document={id}
        person={user.id}
        people={references.people()}
        anchor={commented ?? (passage && { page: passage.page, quote: passage.content, passage: passage.id })}
        open={wanted.comment}
        onAnchorUsed={() => onComment(undefined)}
        onShow={onShow}
      />
      <Highlights
        library={library}
        document={document}
        person={user.id}
        comments={comments}
        open={wanted.comment}
        onShow={onShow}
        onComment={onComment}
      />
      <DocumentFacts
        library={library}
        document={document}
        canEdit={mayEditIn(document.collection?.id)}
        arranging={arranging}
      />
      <Suspense fallback={null}>
        <HoldControl library={library} document={id} isOwner={role === 'owner'} />
      </Suspense>
      <DocumentList library={library} heading={t('Linked from')} documents={backlinks} />
      <DocumentList
        library={library}
        heading={t('Related')}
        documents={related.map(({ document_id, title }) => ({ id: document_id, title }))}
      />
    </aside>
  )
}
