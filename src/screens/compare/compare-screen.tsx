import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { Comparison } from '../../features/comparison/comparison.tsx'
import { DocumentChoice } from '../../features/comparison/document-choice.tsx'
import { type ComparedDocument, comparedDocumentQuery } from '../../features/comparison/queries.ts'
import { describeKind } from '../../features/documents/kinds.ts'
import { documentSearchQuery, titlesQuery } from '../../features/documents/title-queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/compare')

export function CompareScreen() {
  const { library } = route.useParams()
  const { a, b } = route.useSearch()
  const navigate = route.useNavigate()
  const before = useQuery({ ...comparedDocumentQuery(library, a ?? ''), enabled: a !== undefined })
  const after = useQuery({ ...comparedDocumentQuery(library, b ?? ''), enabled: b !== undefined })
  usePageTitle(t('Compare'))
  const isChosen = a !== undefined && b !== undefined
  return (
    <div className="grid w-full max-w-[96rem] grid-cols-1 gap-5 px-4 py-6 sm:px-8">
      <PageHeading title={t('Compare')}>
        {isChosen ? (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Title library={library} document={before.data} />
            <IconButton
              icon={ArrowLeftRight}
              label={t('Swap both documents')}
              onClick={() => void navigate({ search: { a: b, b: a }, replace: true })}
            />
            <Title library={library} document={after.data} />
          </span>
        ) : (
          t('With which document?')
        )}
      </PageHeading>
      <FailureNotice error={before.error ?? after.error} />
      {isChosen ? (
        before.data && after.data ? (
          <Comparison key={`${a} ${b}`} library={library} before={before.data} after={after.data} />
        ) : before.error || after.error ? null : (
          <PageSkeleton />
        )
      ) : (
        <Choice
          library={library}
          chosen={a ?? b}
          onChoose={(id) => void navigate({ search: a ? { a, b: id } : { a: id, b }, replace: true })}
        />
      )}
    </div>
  )
}

function Title({ library, document }: { library: string; document: ComparedDocument | undefined }) {
  if (!document) return null
  return (
    <Link
      to="/l/$library/d/$document"
      params={{ library, document: document.id }}
      dir="auto"
      className="min-w-0 truncate rounded hover:text-accent-strong hover:underline"
    >
      {document.title}
    </Link>
  )
}

type ChoiceProps = { library: string; chosen: string | undefined; onChoose: (id: string) => void }

function Choice({ library, chosen, onChoose }: ChoiceProps) {
  const [typed, setTyped] = useState('')
  const words = typed.trim()
  const titles = useQuery({ ...titlesQuery(library), enabled: words === '' })
  const results = useQuery({ ...documentSearchQuery(library, words), enabled: words !== '' })
  const documents = (words === '' ? titles.data : results.data) ?? []
  return (
    <DocumentChoice
      words={typed}
      onWords={setTyped}
      documents={documents
        .filter(({ id }) => id !== chosen)
        .map((document) => {
          const { label: kind, icon } = describeKind(document)
          return { id: document.id, title: document.title, kind, icon }
        })}
      onChoose={onChoose}
    />
  )
}
